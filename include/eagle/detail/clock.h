/* eagle/detail/clock.h - how a clock runs, with the same bits on host and device; nothing here is for kernel authors.
 *
 * While dt is constant t = base_t + (step - base_step) dt, so that nothing is summed up. Where a step decides the next dt
 * (eagle_set_dt) the base moves on with each step, so that step, t and dt say all of it, and the dt of the step that would
 * reach t_stop is what is left until then: it ends at t_stop exactly. From there on the clock is over, and replays are
 * void. */
#ifndef EAGLE_DETAIL_CLOCK_H
#define EAGLE_DETAIL_CLOCK_H

enum { EG_CLOCK_RUNS = 0, EG_CLOCK_OVER, EG_CLOCK_BROKEN /* dt is no length of a step */ };

typedef struct eg_clock {
    eagle_clock now;        /* of the step that is under way or comes next */
    int64_t     base_step;
    double      base_t;
    double      t_stop;     /* 0: none */
    double      part, most; /* dt is this part of what the step before allowed, and at most so much (0: any) */
    double      wanted;     /* dt before it was made to end at t_stop */
    int64_t     over, lands; /* lands: this step ends at t_stop */
    int64_t     voids;      /* void replays since the clock was set */
} eg_clock;

/* The dt of the step that comes, from the one that is wanted. A step that would end within a billionth of itself before
 * t_stop ends there. */
EG_BOTH_ void eg_clock_choose(eg_clock *c)
{
    const double left = c->t_stop - c->now.t;
    const bool   ends = c->t_stop > 0, endless = c->wanted - c->wanted != 0; /* infinite, or nan */
    double       dt = c->wanted;

    c->over = ends && left <= 0 ? EG_CLOCK_OVER : !(c->wanted > 0) || (endless && !ends) ? EG_CLOCK_BROKEN : EG_CLOCK_RUNS;
    c->lands = ends && c->over == EG_CLOCK_RUNS && dt * (1 + 1e-9) >= left;
    if (c->lands) dt = left;
    c->base_step = c->now.step;
    c->base_t = c->now.t;
    c->now.dt = dt;
}

/* One step further. */
EG_BOTH_ void eg_clock_tick(eg_clock *c)
{
    c->now.step++;
    c->now.t = c->lands ? c->t_stop : c->base_t + (double)(c->now.step - c->base_step) * c->now.dt;
}

/* One step further, after which a dt of up to `allowed` may follow; nothing once the clock is over. */
EG_BOTH_ void eg_clock_advance(eg_clock *c, double allowed)
{
    if (c->over != EG_CLOCK_RUNS) return;
    eg_clock_tick(c);
    c->wanted = c->part * allowed;
    if (c->most > 0 && c->wanted > c->most) c->wanted = c->most;
    eg_clock_choose(c);
}

#endif
