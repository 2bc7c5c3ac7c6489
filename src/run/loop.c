/* loop.c - runs the steps, in bursts that are enqueued before the last one has ended.
 *
 *   L1  a burst ends at a step at which an output or a row of the history is due: events are raised for the last replay
 *       of an enqueue. Which bursts there are never changes what is computed.
 *   L2  a burst is about 0.2 s of measured work, as rank 0 measures it, and at most two are in flight.
 *   L3  between bursts all ranks agree whether to go on. The loop never waits for frames that are still being written.
 *   L4  with until_steady a burst also ends at a check, and its answer is waited for: so the run ends at the same step
 *       however fast it is.
 *   L5  checkpoints of every so many steps end a burst as outputs do; those that are asked for by signals or by time come
 *       with the last step of the next burst. A stop is agreed on between bursts, so all ranks stop at one step. */
#include <math.h>

#include "run/checkpoint.h"
#include "run/history.h"
#include "run/outputs.h"
#include "run/progress.h"
#include "run/run.h"
#include "run/stop.h"

static const double burst_s = 0.2;

typedef struct loop {
    eagle_run  *run;
    int64_t     first, enqueued; /* steps: when it began, and all that were enqueued */
    int64_t     burst;           /* the largest one allowed now */
    unsigned    asked;           /* for a checkpoint or a stop */
    double      begin, warm;     /* when it began, and when the first steps were done */
    int64_t     warm_steps;
    eg_progress_line line;
} loop;

static int64_t steps_done(const loop *l) { return l->first + eg_progress(l->run->graph); }

/* --- how long a burst is -------------------------------------------------------------------------------------- */

static int64_t next_event(const loop *l)
{
    const eagle_run *run = l->run;
    int64_t          step = EG_NEVER;

    if (run->outputs != NULL) step = eg_outputs_next(run->outputs, l->enqueued, run->dt_s);
    if (run->history != NULL) {
        const int64_t row = eg_history_next(run->history, l->enqueued, run->dt_s);
        if (row < step) step = row;
    }
    if (run->checkpoints != NULL) {
        const int64_t due = eg_checkpoints_next(run->checkpoints, l->enqueued);
        if (due < step) step = due;
    }
    return step;
}

/* The check at the end of step s is made when (s + 1) % every == 0. */
static int64_t next_check(const loop *l)
{
    const int64_t every = l->run->set.check_every;
    return l->enqueued / every * every + every - 1;
}

int64_t eg_loop_burst(int64_t first, int64_t most, int64_t steps, int64_t event, int64_t check)
{
    int64_t n = most;

    if (steps >= 0 && steps - first < n) n = steps - first;
    if (event != EG_NEVER && event - first + 1 < n) n = event - first + 1;
    if (check != EG_NEVER && check - first + 1 < n) n = check - first + 1;
    return n;
}

static int64_t length_of_burst(const loop *l)
{
    const int64_t check = l->run->set.until_steady >= 0 ? next_check(l) : EG_NEVER;

    return eg_loop_burst(l->enqueued, l->burst, l->run->steps, next_event(l), check);
}

/* Rank 0 measures; all take its answer. */
static eagle_status settle_burst(loop *l)
{
    const int64_t done = eg_progress(l->run->graph);
    const double  now = eg_seconds();

    if (l->warm_steps == 0 && done > 0) {
        l->warm = now;
        l->warm_steps = done;
    } else if (done > l->warm_steps && now > l->warm) {
        const double rate = (double)(done - l->warm_steps) / (now - l->warm);
        const double steps = rate * burst_s;
        l->burst = steps < 1 ? 1 : steps > 1e9 ? (int64_t)1e9 : (int64_t)steps;
        if (now - l->warm < burst_s && l->burst > 2 * done) l->burst = 2 * done; /* do not trust a short measurement */
    }
    return eg_broadcast(l->run->job, EG_CONTROL, &l->burst, sizeof l->burst, 0);
}

/* --- one burst ------------------------------------------------------------------------------------------------ */

static eagle_status enqueue_burst(loop *l)
{
    eagle_run    *run = l->run;
    const int64_t n = length_of_burst(l), last = l->enqueued + n - 1;

    if (run->outputs != NULL) (void)eg_outputs_raise(run->outputs, run->graph, last, run->dt_s);
    if (run->history != NULL && eg_history_next(run->history, last, run->dt_s) == last)
        eg_history_raise(run->history, run->graph);
    if (run->checkpoints != NULL &&
        ((l->asked & EG_ASKED_CHECKPOINT) != 0 || eg_checkpoints_next(run->checkpoints, last) == last))
        eg_checkpoints_raise(run->checkpoints, run->graph);
    EAGLE_TRY(eagle_enqueue(run->graph, n));
    l->enqueued += n;
    return EAGLE_OK;
}

/* L2: waits until at most one burst is unfinished. */
static void wait_for_room(loop *l, int64_t before)
{
    eg_patience patience = { 0 };

    while (steps_done(l) < before && eg_replay_error(l->run->graph) == EAGLE_OK) {
        eg_progress_show(&l->line, l->run, steps_done(l));
        eg_pause(NULL, &patience);
    }
    eg_progress_show(&l->line, l->run, steps_done(l));
}

static bool is_steady(loop *l)
{
    eagle_run *run = l->run;

    if (run->set.until_steady < 0 || l->enqueued % run->set.check_every != 0) return false;
    wait_for_room(l, l->enqueued);
    if (eg_replay_error(run->graph) != EAGLE_OK) return false;
    return eg_watch_is_steady(run, l->enqueued / run->set.check_every);
}

static const char *why_stopped(unsigned asked)
{
    if ((asked & EG_ASKED_STOP) != 0) return "stopped by a signal";
    return (asked & EG_ASKED_IN_TIME) != 0 ? "stopped before the wall time is over" : NULL;
}

/* run->stopped is set where it ends early. */
static eagle_status run_bursts(loop *l)
{
    eagle_run *run = l->run;

    run->why = "reached the end";
    while (run->steps < 0 || l->enqueued < run->steps) {
        const int64_t before = l->enqueued;
        EAGLE_TRY(eg_agree(run->job, EG_CONTROL, enqueue_burst(l)));
        wait_for_room(l, before);
        EAGLE_TRY(eg_agree(run->job, EG_CONTROL, eg_replay_error(run->graph)));
        if (is_steady(l)) {
            run->why = "the state is steady";
            return EAGLE_OK;
        }
        EAGLE_TRY(settle_burst(l));
        EAGLE_TRY(eg_stop_asked(run, &l->asked));
        if (why_stopped(l->asked) != NULL && l->enqueued != run->steps) {
            run->why = why_stopped(l->asked);
            run->stopped = true;
            return EAGLE_OK;
        }
    }
    return EAGLE_OK;
}

/* --- the end -------------------------------------------------------------------------------------------------- */

/* The state after the last step is written, whether it is due or not; of a run that is stopped only the checkpoint, for
 * the restarted one begins with that step. */
static eagle_status write_last(eagle_run *run)
{
    const eagle_clock clock = eagle_clock_get(run->graph);

    EAGLE_TRY(eagle_clock_set(run->last, clock));
    if (run->checkpoints != NULL) eg_checkpoints_raise(run->checkpoints, run->last);
    if (run->stopped) return eagle_launch(run->last, 1);
    if (run->outputs != NULL) {
        (void)eg_outputs_raise(run->outputs, run->last, clock.step, run->dt_s);
        (void)eg_outputs_raise_rest(run->outputs, run->last, clock.step, run->dt_s);
    }
    if (run->history != NULL) eg_history_raise(run->history, run->last);
    return eagle_launch(run->last, 1);
}

static void measure(loop *l)
{
    const double  now = eg_seconds();
    const int64_t steps = l->enqueued - l->first - l->warm_steps;

    l->run->seconds[EG_STEPS] = now - l->begin;
    if (l->warm_steps > 0 && steps > 0 && now > l->warm) l->run->rate = (double)steps / (now - l->warm);
}

static eagle_status stopped(const eagle_run *run)
{
    char fix[512];

    snprintf(fix, sizeof fix, "go on with --restart --run-dir %.400s", run->directory);
    return eg_fail(EAGLE_ERR_STOPPED, EG_NOWHERE, fix, "%s, at step %lld, with a checkpoint", run->why,
                   (long long)run->step);
}

eagle_status eg_loop_run(eagle_run *run)
{
    loop         l = { .run = run, .first = run->step, .enqueued = run->step, .burst = 1, .begin = eg_seconds() };
    eagle_status status, waited;

    status = run_bursts(&l);
    wait_for_room(&l, l.enqueued);
    measure(&l);
    waited = eagle_synchronize(run->graph);
    run->step = eagle_clock_get(run->graph).step;
    status = eg_agree(run->job, EG_CONTROL, status != EAGLE_OK ? status : waited);
    if (status != EAGLE_OK) {
        run->why = "it failed";
        return status;
    }
    const double begin = eg_seconds();
    status = eg_agree(run->job, EG_CONTROL, write_last(run));
    run->seconds[EG_LAST_OUTPUT] = eg_seconds() - begin;
    eg_progress_end(&l.line, run);
    return status == EAGLE_OK && run->stopped ? stopped(run) : status;
}
