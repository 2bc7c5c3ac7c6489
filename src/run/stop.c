/* stop.c - see stop.h. The two signals are blocked in every thread and taken from where they wait, so no handler
 * interrupts anything and no state is kept. mpirun hands both on to all ranks; srun --signal can send them. */
#include "run/stop.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "run/checkpoint.h"

static sigset_t both_signals(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    return set;
}

void eg_stop_hold_signals(void)
{
    const sigset_t set = both_signals();
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static unsigned take_signals(void)
{
    const sigset_t        set = both_signals();
    const struct timespec now = { 0 };
    unsigned              asked = 0;

    for (int s = sigtimedwait(&set, NULL, &now); s > 0; s = sigtimedwait(&set, NULL, &now))
        asked |= s == SIGUSR1 ? EG_ASKED_CHECKPOINT : EG_ASKED_STOP;
    return asked;
}

/* Two bursts may be under way. */
static bool time_is_over(const eagle_run *run)
{
    const double left = run->request->walltime_s - (eg_seconds() - run->request->begin_s);
    return run->request->walltime_s > 0 && left < eg_checkpoints_reserve(run->checkpoints);
}

eagle_status eg_stop_asked(eagle_run *run, unsigned *asked)
{
    *asked = 0;
    if (run->checkpoints == NULL) return EAGLE_OK;
    *asked = take_signals();
    if (run->job->rank == 0 && time_is_over(run)) *asked |= EG_ASKED_IN_TIME;
    if (run->job->rank == 0 && eg_checkpoints_late(run->checkpoints)) *asked |= EG_ASKED_CHECKPOINT;
    return eg_any(run->job, EG_CONTROL, asked);
}

/* --- --walltime ----------------------------------------------------------------------------------------------- */

static bool parse_clock(const char *text, double *seconds)
{
    long long h, m, s;
    int       end = 0;

    if (sscanf(text, "%lld:%2lld:%2lld%n", &h, &m, &s, &end) != 3 || text[end] != '\0') return false;
    if (h < 0 || m < 0 || m > 59 || s < 0 || s > 59) return false;
    *seconds = (double)h * 3600 + (double)m * 60 + (double)s;
    return true;
}

bool eg_stop_parse_walltime(const char *text, double *seconds)
{
    static const struct {
        const char *unit;
        double      seconds;
    } units[] = { { "", 1 }, { "s", 1 }, { "min", 60 }, { "h", 3600 }, { "d", 86400 } };
    char *unit;

    if (parse_clock(text, seconds)) return *seconds > 0;
    const double value = strtod(text, &unit);
    if (unit == text || !(value > 0) || value > 1e9) return false;
    while (*unit == ' ') unit++;
    for (int i = 0; i < EG_COUNT(units); i++) {
        *seconds = value * units[i].seconds;
        if (strcmp(unit, units[i].unit) == 0) return true;
    }
    return false;
}
