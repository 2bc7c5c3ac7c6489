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

static void describe_left(const eagle_run *run, int64_t done, double rate, char *out, size_t bytes)
{
    if (run->steps <= 0 || rate <= 0) {
        out[0] = '\0';
        return;
    }
    const double left = (double)(run->steps - done) / rate;
    snprintf(out, bytes, "  %5.1f %%  %02d:%02d:%02d left", 100.0 * (double)done / (double)run->steps, (int)(left / 3600),
             (int)(left / 60) % 60, (int)left % 60);
}

static void show(eg_progress_line *line, const eagle_run *run, int64_t done, double now)
{
    const double rate = now > line->last ? (double)(done - line->last_step) / (now - line->last) : 0;
    const double cells = (double)run->grid.cells[0] * (double)run->grid.cells[1] * (double)run->grid.cells[2];
    char         left[64];

    describe_left(run, done, rate, left, sizeof left);
    printf("%sstep %lld  t %.6g s  dt %.4g s  %.4g steps/s  %.4g cells/s%s%s", line->redraws ? "\r" : "", (long long)done,
           (double)done * run->dt_s, run->dt_s, rate, rate * cells, left, line->redraws ? "   " : "\n");
    fflush(stdout);
    line->last = now;
    line->last_step = done;
}

void eg_progress_show(eg_progress_line *line, const eagle_run *run, int64_t done)
{
    const double now = eg_seconds();

    if (run->job->rank != 0 || run->request->quiet) return;
    if (line->begin == 0) {
        *line = (eg_progress_line){ .begin = now, .last = now, .last_step = done,
                                    .redraws = !run->request->launched && isatty(STDOUT_FILENO) };
        return;
    }
    const double pause_s = line->redraws ? 0.2 : fmax(run->set.progress_s, 1);
    if (now - line->last >= pause_s) show(line, run, done, now);
}

void eg_progress_end(eg_progress_line *line, const eagle_run *run)
{
    if (run->job->rank != 0 || run->request->quiet || line->begin == 0 || !line->redraws || line->last == line->begin) return;
    printf("\n");
    fflush(stdout);
}
