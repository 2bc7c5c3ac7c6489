/* progress.h - one line in a while that says how far a run is. */
#ifndef EG_PROGRESS_H
#define EG_PROGRESS_H

#include "run/run.h"

typedef struct eg_progress_line {
    double  last, begin; /* seconds; 0: nothing was shown yet */
    int64_t last_step;
    double  last_part; /* of the run */
    bool    redraws;
} eg_progress_line;

/* A launcher is in the environment. To be asked before MPI starts: MPI puts its own variables there. */
bool eg_progress_launched(void);

/* Shows the line if it is time for one; at: the step that comes next. Rank 0 only; nothing for a quiet run. */
void eg_progress_show(eg_progress_line *line, const eagle_run *run, const eagle_clock *at);
void eg_progress_end(eg_progress_line *line, const eagle_run *run);

#endif
