/* initial.h - the values with which fields start: from [initial] of the input, else from the application's table. */
#ifndef EG_INITIAL_H
#define EG_INITIAL_H

#include "eagle/app.h"

/* Fills now and next of every field that is made, and the ghost cells of constant ones. What is wrong with the input
 * is complained of in the run's config, and is EAGLE_ERR_CONFIG. Collective. */
eagle_status eg_initial_fill(eagle_run *run);

/* Checks the values of [initial] without memory for fields, for --check. Local. */
eagle_status eg_initial_check(eagle_run *run);

#endif
