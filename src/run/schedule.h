/* schedule.h - on which steps something is due: every so many steps, or at the first step at or after each multiple of
 * an interval of simulated time. Pure functions of the step and of a constant dt, or of the step and its time, so nothing
 * drifts and a restarted run goes on as if it had not stopped. */
#ifndef EG_SCHEDULE_H
#define EG_SCHEDULE_H

#include "run/config.h"

typedef struct eg_schedule {
    int64_t every;      /* steps; 0: by interval */
    double  interval_s; /* simulated seconds; 0: by steps; both 0: never */
} eg_schedule;

#define EG_NEVER INT64_MAX /* as a step */

/* The first step at or after `step` that is due; EG_NEVER if none is. dt_s is used by an interval only. */
int64_t eg_schedule_next(const eg_schedule *s, int64_t step, double dt_s);
bool    eg_schedule_due(const eg_schedule *s, int64_t step, double dt_s);

/* Where dt varies: is it due at this step and time, which for an interval is k intervals but for rounding? The next time
 * at which an interval makes it due, for the step before to end there; INFINITY: none does. */
bool   eg_schedule_due_at(const eg_schedule *s, int64_t step, double t_s);
double eg_schedule_time_after(const eg_schedule *s, double t_s);

/* Reads `every` and `interval` of a free-form section; complains of both and of bad values. false: neither is set. */
bool eg_schedule_read(eg_config *c, const char *section, eg_schedule *out);

/* About `parts` times in a run of `steps` steps; steps 0 or less: not known, every hundred steps. With varying dt of a
 * run that ends at end_s above 0: in so many intervals. */
eg_schedule eg_schedule_share(int64_t steps, double end_s, int64_t parts);

#endif
