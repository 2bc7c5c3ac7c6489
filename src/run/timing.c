/* timing.c - the length of a step and the number of steps. Unless the application asks for a dt that varies it is constant,
 * so that t = step dt and an output is due at the first step at or after its time. */
#include <math.h>
#include <string.h>

#include "run/checkpoint.h"

/* A quotient that is a whole number but for rounding is that number. */
static double whole_above(double quotient)
{
    const double nearest = nearbyint(quotient);
    return fabs(quotient - nearest) <= 1e-9 * nearest ? nearest : ceil(quotient);
}

double eg_timing_fit(double dt_s, double interval_s)
{
    const double fitted = interval_s / whole_above(interval_s / dt_s);
    return fitted >= 0.9 * dt_s && fitted <= dt_s ? fitted : dt_s;
}

int64_t eg_timing_steps(double end_s, double dt_s) { return (int64_t)whole_above(end_s / dt_s); }

eagle_status eagle_limit_dt(eagle_run *run, const char *why, double dt_s)
{
    if (!(dt_s > 0))
        return eg_fail(EAGLE_ERR_CONFIG, EG_NOWHERE, "look at the coefficients and cells of the input",
                       "no step is stable: %s allows %g s", why, dt_s);
    if (run->limit_s > 0 && run->limit_s <= dt_s) return EAGLE_OK;
    run->limit_s = dt_s;
    run->limit_why = why;
    return EAGLE_OK;
}

/* The smallest limit of all ranks. */
static eagle_status limit_of_all(eagle_run *run)
{
    double *all = eg_alloc((size_t)run->job->ranks, sizeof *all);

    if (all == NULL) return EAGLE_ERR_MEMORY;
    const eagle_status status = eg_allgather(run->job, EG_CONTROL, &run->limit_s, sizeof *all, all);
    for (int r = 0; r < run->job->ranks && status == EAGLE_OK; r++)
        if (all[r] > 0 && (run->limit_s <= 0 || all[r] < run->limit_s)) run->limit_s = all[r];
    eg_free(all);
    return status;
}

static void shorter_interval(eagle_run *run, const char *section, double *interval_s)
{
    const char *text = eg_config_text(run->config, section, "interval");
    double      value;

    if (text != NULL && eg_parse_quantity(text, "s", &value, NULL) && value > 0 &&
        (*interval_s <= 0 || value < *interval_s))
        *interval_s = value;
}

/* The shortest interval of the outputs, else the end of the run; 0: neither. */
static double interval_to_fit(eagle_run *run)
{
    const char *names[64];
    double      interval_s = 0;
    const int   n = eg_config_sections(run->config, "output.*", names, EG_COUNT(names));

    shorter_interval(run, "output", &interval_s);
    for (int i = 0; i < n && i < EG_COUNT(names); i++) shorter_interval(run, names[i], &interval_s);
    return interval_s > 0 ? interval_s : run->set.end_s > 0 ? run->set.end_s : 0;
}

static eagle_status automatic_dt(eagle_run *run)
{
    double interval_s;

    if (run->limit_s <= 0)
        return eg_fail(EAGLE_ERR_CONFIG, EG_NOWHERE, "set time.dt", "time.dt is auto, but nothing limits it");
    run->dt_s = run->set.cfl * run->limit_s;
    interval_s = run->varies ? 0 : interval_to_fit(run);
    if (interval_s > 0) run->dt_s = eg_timing_fit(run->dt_s, interval_s);
    return EAGLE_OK;
}

static eagle_status given_dt(eagle_run *run)
{
    char fix[128];

    run->dt_s = run->set.dt_s;
    if (run->limit_s <= 0 || run->dt_s <= run->limit_s * (1 + 1e-12)) return EAGLE_OK;
    snprintf(fix, sizeof fix, "set time.dt to auto, or to at most %.15g s", run->limit_s);
    return eg_fail(EAGLE_ERR_CONFIG, EG_NOWHERE, fix, "time.dt is %g s, above the largest stable step (%s)", run->dt_s,
                   run->limit_why != NULL ? run->limit_why : "a limit of another rank");
}

void eg_timing_check(eagle_run *run)
{
    const eg_settings *set = &run->set;

    if (set->end_s >= 0 && set->steps >= 0)
        eg_config_complain(run->config, "time", "steps", "remove one of them", "time.end and time.steps are both set");
    if (set->checkpoint_every > 0 && set->checkpoint_interval_s > 0)
        eg_config_complain(run->config, "checkpoint", "interval", "remove one of them",
                           "checkpoint.every and checkpoint.interval are both set");
    if (set->end_s < 0 && set->steps < 0 && set->until_steady < 0)
        eg_config_complain(run->config, "time", NULL, "set time.end, time.steps or time.until_steady",
                           "nothing says when the run ends");
}

static eagle_status count_steps(eagle_run *run)
{
    const eg_settings *set = &run->set;
    const double       most = 1e15; /* so that a step's number is exact as a double, too */

    run->steps = set->steps; /* -1: until the state is steady */
    if (set->end_s < 0 || run->varies) return EAGLE_OK;
    if (set->end_s / run->dt_s > most)
        return eg_fail(EAGLE_ERR_CONFIG, EG_NOWHERE, "make time.end smaller or time.dt larger",
                       "time.end is %g steps of %g s away, more than %g", set->end_s / run->dt_s, run->dt_s, most);
    run->steps = eg_timing_steps(set->end_s, run->dt_s);
    return EAGLE_OK;
}

eagle_status eg_timing_settle(eagle_run *run)
{
    EAGLE_TRY(limit_of_all(run));
    if (run->restart != NULL)
        run->dt_s = run->restart->head.dt_s; /* even where a new end would make another one fit */
    else
        EAGLE_TRY(run->set.dt_s > 0 ? given_dt(run) : automatic_dt(run));
    return count_steps(run);
}
