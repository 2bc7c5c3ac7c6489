/* loop.c - runs the steps, in bursts that are enqueued before the last one has ended.
 *
 *   L1  a burst ends at a step at which an output or a row of the history is due: events are raised for the last replay
 *       of an enqueue. Which bursts there are never changes what is computed.
 *   L2  a burst is about 0.2 s of measured work, as rank 0 measures it, and at most two are in flight.
 *   L3  between bursts all ranks agree whether to go on. The loop never waits for frames that are still being written.
 *   L4  with until_steady a burst also ends at a check, and its answer is waited for: so the run ends at the same step
 *       however fast it is.
 *   L5  checkpoints of every so many steps end a burst as outputs do; those that are asked for by signals or by time come
 *       with the last step of the next burst. A stop is agreed on between bursts, so all ranks stop at one step.
 *   L6  where dt varies, steps end exactly at the times of outputs and at the end of the run, and what is due is known only
 *       there: so one burst is in flight, and what is due at its first step is raised for a burst of that step alone. */
#include <math.h>

#include "run/checkpoint.h"
#include "run/history.h"
#include "run/outputs.h"
#include "run/progress.h"
#include "run/run.h"
#include "run/stop.h"

static const double burst_s = 0.2;

typedef struct loop {
    eagle_run       *run;
    int64_t          first, enqueued; /* steps: when it began, and all that were enqueued and are not void */
    int64_t          replays;         /* that were enqueued */
    int64_t          burst;           /* the largest one allowed now */
    unsigned         asked;           /* for a checkpoint or a stop */
    double           begin, warm;     /* when it began, and when the first steps were done */
    int64_t          warm_steps;
    eg_progress_line line;
} loop;

/* The step that comes next, as far as is known: where dt varies, that of the last burst. */
static eagle_clock clock_now(const loop *l)
{
    const eagle_run *run = l->run;
    const int64_t    step = l->first + eg_progress(run->graph);

    if (run->varies) return (eagle_clock){ run->step, run->t_s, run->dt_s };
    return (eagle_clock){ step, (double)step * run->dt_s, run->dt_s };
}

/* --- how long a burst is -------------------------------------------------------------------------------------- */

/* Intervals count where dt is constant. */
static int64_t next_event(const loop *l)
{
    const eagle_run *run = l->run;
    const double     dt_s = run->varies ? 0 : run->dt_s;
    int64_t          step = EG_NEVER;

    if (run->outputs != NULL) step = eg_outputs_next(run->outputs, l->enqueued, dt_s);
    if (run->history != NULL) {
        const int64_t row = eg_history_next(run->history, l->enqueued, dt_s);
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

static int64_t length_of_burst(const loop *l, int64_t most, int64_t event)
{
    const int64_t check = l->run->set.until_steady >= 0 ? next_check(l) : EG_NEVER;

    return eg_loop_burst(l->enqueued, most, l->run->steps, event, check);
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
    const int64_t n = length_of_burst(l, l->burst, next_event(l)), last = l->enqueued + n - 1;

    if (run->outputs != NULL) (void)eg_outputs_raise(run->outputs, run->graph, last, run->dt_s);
    if (run->history != NULL && eg_history_next(run->history, last, run->dt_s) == last)
        eg_history_raise(run->history, run->graph);
    if (run->checkpoints != NULL &&
        ((l->asked & EG_ASKED_CHECKPOINT) != 0 || eg_checkpoints_next(run->checkpoints, last) == last))
        eg_checkpoints_raise(run->checkpoints, run->graph);
    EAGLE_TRY(eagle_enqueue(run->graph, n));
    l->enqueued += n;
    l->replays += n;
    return EAGLE_OK;
}

static void show_progress(loop *l)
{
    const eagle_clock now = clock_now(l);
    eg_progress_show(&l->line, l->run, &now);
}

static void wait_for_replays(loop *l, int64_t replays)
{
    eg_patience patience = { 0 };

    while (eg_progress(l->run->graph) < replays && eg_replay_error(l->run->graph) == EAGLE_OK) {
        show_progress(l);
        eg_pause(NULL, &patience);
    }
    show_progress(l);
}

/* --- one burst, where dt varies (L6) -------------------------------------------------------------------------- */

/* The next time at which a step has to end; 0: there is none. */
static double next_stop(const eagle_run *run)
{
    double t = run->set.end_s >= 0 ? run->set.end_s : INFINITY;

    if (run->outputs != NULL) t = fmin(t, eg_outputs_time_after(run->outputs, run->t_s));
    if (run->history != NULL) t = fmin(t, eg_history_time_after(run->history, run->t_s));
    return isinf(t) ? 0 : t;
}

static bool raise_due(const loop *l)
{
    const eagle_run *run = l->run;
    bool             any = false;

    if (run->outputs != NULL) any |= eg_outputs_raise_at(run->outputs, run->graph, run->step, run->t_s);
    if (run->history != NULL) any |= eg_history_raise_at(run->history, run->graph, run->step, run->t_s);
    if (run->checkpoints == NULL ||
        ((l->asked & EG_ASKED_CHECKPOINT) == 0 && eg_checkpoints_next(run->checkpoints, run->step) != run->step))
        return any;
    eg_checkpoints_raise(run->checkpoints, run->graph);
    return true;
}

/* As many steps as lie before the next event, and about as many as before t_stop: those that are too many are void. */
static int64_t steps_until(const loop *l, double t_stop)
{
    const double  left = t_stop > 0 ? ceil((t_stop - l->run->t_s) / l->run->dt_s) : 1e9;
    const int64_t most = left < (double)l->burst ? (int64_t)fmax(left, 1) : l->burst, event = next_event(l);

    return length_of_burst(l, most, event == EG_NEVER ? EG_NEVER : event - 1);
}

static eagle_status enqueue_varying(loop *l)
{
    const double  t_stop = next_stop(l->run);
    const int64_t n = raise_due(l) ? 1 : steps_until(l, t_stop);

    EAGLE_TRY(eagle_clock_stop(l->run->graph, t_stop));
    EAGLE_TRY(eagle_enqueue(l->run->graph, n));
    l->replays += n;
    return EAGLE_OK;
}

static eagle_status settle_clock(loop *l)
{
    eagle_run *run = l->run;

    EAGLE_TRY(eg_settle(run->graph));
    const eagle_clock now = eagle_clock_get(run->graph);
    run->step = l->enqueued = now.step;
    run->t_s = now.t;
    run->dt_s = now.dt;
    return EAGLE_OK;
}

/* --- bursts --------------------------------------------------------------------------------------------------- */

/* L2: enqueues a burst and waits until at most that one is unfinished, or none where dt varies. */
static eagle_status run_burst(loop *l)
{
    eagle_run    *run = l->run;
    const int64_t before = l->replays;

    EAGLE_TRY(eg_agree(run->job, EG_CONTROL, run->varies ? enqueue_varying(l) : enqueue_burst(l)));
    wait_for_replays(l, run->varies ? l->replays : before);
    EAGLE_TRY(eg_agree(run->job, EG_CONTROL, eg_replay_error(run->graph)));
    return run->varies ? eg_agree(run->job, EG_CONTROL, settle_clock(l)) : EAGLE_OK;
}

static bool is_steady(loop *l)
{
    eagle_run *run = l->run;

    if (run->set.until_steady < 0 || l->enqueued % run->set.check_every != 0) return false;
    wait_for_replays(l, l->replays);
    if (eg_replay_error(run->graph) != EAGLE_OK) return false;
    return eg_watch_is_steady(run, l->enqueued / run->set.check_every);
}

static const char *why_stopped(unsigned asked)
{
    if ((asked & EG_ASKED_STOP) != 0) return "stopped by a signal";
    return (asked & EG_ASKED_IN_TIME) != 0 ? "stopped before the wall time is over" : NULL;
}

static bool at_end(const loop *l)
{
    const eagle_run *run = l->run;

    if (run->varies && run->set.end_s >= 0) return run->t_s >= run->set.end_s;
    return run->steps >= 0 && l->enqueued >= run->steps;
}

/* run->stopped is set where it ends early. */
static eagle_status run_bursts(loop *l)
{
    eagle_run *run = l->run;

    run->why = "reached the end";
    while (!at_end(l)) {
        EAGLE_TRY(run_burst(l));
        if (is_steady(l)) {
            run->why = "the state is steady";
            return EAGLE_OK;
        }
        EAGLE_TRY(settle_burst(l));
        EAGLE_TRY(eg_stop_asked(run, &l->asked));
        if (why_stopped(l->asked) != NULL && !at_end(l)) {
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
    wait_for_replays(&l, l.replays);
    measure(&l);
    waited = eagle_synchronize(run->graph);
    run->step = eagle_clock_get(run->graph).step;
    run->t_s = eagle_clock_get(run->graph).t;
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
