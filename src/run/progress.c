/* progress.c - see progress.h. Under a launcher a rank's standard output is a pseudo-terminal even when the launcher's own
 * goes to a file, so a line is redrawn in place only where no launcher is in the environment and the output is a terminal;
 * else lines are whole. */
#include "run/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool eg_progress_launched(void)
{
    static const char *const names[] = { "OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "SLURM_STEP_ID" };

    for (int i = 0; i < EG_COUNT(names); i++)
        if (getenv(names[i]) != NULL) return true;
    return false;
}

/* How much of the run is done, 0 to 1; negative: nothing says where it ends. */
static double part_done(const eagle_run *run, const eagle_clock *at)
{
    if (run->steps > 0) return (double)at->step / (double)run->steps;
    return run->set.end_s > 0 ? at->t / run->set.end_s : -1;
}

static void describe_left(double part, double per_second, char *out, size_t bytes)
{
    if (part < 0 || per_second <= 0) {
        out[0] = '\0';
        return;
    }
    const double left = (1 - part) / per_second;
    snprintf(out, bytes, "  %5.1f %%  %02d:%02d:%02d left", 100.0 * part, (int)(left / 3600), (int)(left / 60) % 60,
             (int)left % 60);
}

static void show(eg_progress_line *line, const eagle_run *run, const eagle_clock *at, double now)
{
    const double passed = now - line->last, part = part_done(run, at);
    const double rate = passed > 0 ? (double)(at->step - line->last_step) / passed : 0;
    const double cells = (double)run->grid.cells[0] * (double)run->grid.cells[1] * (double)run->grid.cells[2];
    char         left[64];

    describe_left(part, passed > 0 ? (part - line->last_part) / passed : 0, left, sizeof left);
    printf("%sstep %lld  t %.6g s  dt %.4g s  %.4g steps/s  %.4g cells/s%s%s", line->redraws ? "\r" : "",
           (long long)at->step, at->t, at->dt, rate, rate * cells, left, line->redraws ? "   " : "\n");
    fflush(stdout);
    line->last = now;
    line->last_step = at->step;
    line->last_part = part;
}

void eg_progress_show(eg_progress_line *line, const eagle_run *run, const eagle_clock *at)
{
    const double now = eg_seconds();

    if (run->job->rank != 0 || run->request->quiet) return;
    if (line->begin == 0) {
        *line = (eg_progress_line){ .begin = now,
                                    .last = now,
                                    .last_step = at->step,
                                    .last_part = part_done(run, at),
                                    .redraws = !run->request->launched && isatty(STDOUT_FILENO) };
        return;
    }
    const double pause_s = line->redraws ? 0.2 : fmax(run->set.progress_s, 1);
    if (now - line->last >= pause_s) show(line, run, at, now);
}

void eg_progress_end(eg_progress_line *line, const eagle_run *run)
{
    if (run->job->rank != 0 || run->request->quiet || line->begin == 0 || !line->redraws || line->last == line->begin)
        return;
    printf("\n");
    fflush(stdout);
}
