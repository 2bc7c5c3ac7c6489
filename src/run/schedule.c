/* schedule.c - see schedule.h. A step is due for multiple k of an interval when it is the first one with
 * step * dt >= k * interval, both sides divided by dt and compared with a slack of a millionth of a step: so rounding
 * never moves an output by a step, and nothing is summed up. */
#include "run/schedule.h"

#include <math.h>
#include <string.h>

static const long double slack_steps = 1e-6L;

/* The first step at or after time k * interval. */
static int64_t step_of(int64_t k, double interval_s, double dt_s)
{
    return (int64_t)ceill((long double)k * ((long double)interval_s / dt_s) - slack_steps);
}

static int64_t next_of_interval(double interval_s, int64_t step, double dt_s)
{
    const long double ratio = (long double)interval_s / dt_s;
    int64_t           k = (int64_t)floorl((long double)(step - 1) / ratio);

    if (dt_s <= 0) return EG_NEVER;
    if (k < 0) k = 0;
    while (step_of(k, interval_s, dt_s) < step) k++;
    return step_of(k, interval_s, dt_s);
}

int64_t eg_schedule_next(const eg_schedule *s, int64_t step, double dt_s)
{
    if (step < 0) step = 0;
    if (s->every > 0) return (step + s->every - 1) / s->every * s->every;
    return s->interval_s > 0 ? next_of_interval(s->interval_s, step, dt_s) : EG_NEVER;
}

bool eg_schedule_due(const eg_schedule *s, int64_t step, double dt_s)
{
    return eg_schedule_next(s, step, dt_s) == step;
}

bool eg_schedule_due_at(const eg_schedule *s, int64_t step, double t_s)
{
    if (s->every > 0) return step % s->every == 0;
    return s->interval_s > 0 && fabs(t_s - rint(t_s / s->interval_s) * s->interval_s) <= 1e-9 * s->interval_s;
}

double eg_schedule_time_after(const eg_schedule *s, double t_s)
{
    if (s->every > 0 || s->interval_s <= 0) return INFINITY;
    return (floor(t_s / s->interval_s + 1e-9) + 1) * s->interval_s;
}

static void read_every(eg_config *c, const char *section, const char *text, eg_schedule *out)
{
    if (text == NULL || (eg_parse_int(text, &out->every) && out->every > 0)) return;
    out->every = 0;
    eg_config_complain(c, section, "every", "write how many steps lie between: every = 100",
                       "'%s' is not a number of steps, 1 or more", text);
}

static void read_interval(eg_config *c, const char *section, const char *text, eg_schedule *out)
{
    if (text == NULL || (eg_parse_quantity(text, "s", &out->interval_s, NULL) && out->interval_s > 0)) return;
    out->interval_s = 0;
    eg_config_complain(c, section, "interval", "write the simulated time between: interval = 0.5 s",
                       "'%s' is not a time above 0", text);
}

bool eg_schedule_read(eg_config *c, const char *section, eg_schedule *out)
{
    const char *every = eg_config_text(c, section, "every"), *interval = eg_config_text(c, section, "interval");

    *out = (eg_schedule){ 0 };
    read_every(c, section, every, out);
    read_interval(c, section, interval, out);
    if (every != NULL && interval != NULL)
        eg_config_complain(c, section, "interval", "remove one of them", "[%s] has both every and interval", section);
    return every != NULL || interval != NULL;
}

eg_schedule eg_schedule_share(int64_t steps, double end_s, int64_t parts)
{
    enum { UNKNOWN_EVERY = 100 };
    const int64_t every = steps > 0 ? (steps + parts - 1) / parts : UNKNOWN_EVERY;

    if (steps <= 0 && end_s > 0) return (eg_schedule){ .interval_s = end_s / (double)parts };
    return (eg_schedule){ .every = every };
}
