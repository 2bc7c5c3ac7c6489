/* initial.h - the values with which fields start: from [initial] of the input, else from the application's table, else
 * 0. T = 300 K, T = 300 + 50*exp(-x^2/0.01), T = frame ../first-run/frames/fields@1200; u_x = 1 for one component. */
#ifndef EG_INITIAL_H
#define EG_INITIAL_H

#include "run/run.h"

/* Fills now and next of every field that the run has made, and the ghost cells of constant ones. What is wrong with the
 * input is complained of in the run's config, and is EAGLE_ERR_CONFIG. Collective. */
eagle_status eg_initial_fill(eagle_run *run);

/* Only reads [initial], for --check: complains of what is wrong. Needs no memory for fields. Local. */
eagle_status eg_initial_check(eagle_run *run);

/* "frame PATH[@STEP]": the path of the file, relative ones below `dir`; to be freed. NULL: no frame is named. */
char *eg_initial_frame_path(const char *text, const char *dir);

#endif
