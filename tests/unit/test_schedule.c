/* When outputs are due: by steps, by simulated time, for long runs, after a restart. */
#include <math.h>

#include "check.h"
#include "run/schedule.h"

static void check_every(void)
{
    const eg_schedule tens = { .every = 10 };

    CHECK(eg_schedule_next(&tens, 0, 0.1) == 0);
    CHECK(eg_schedule_next(&tens, 1, 0.1) == 10);
    CHECK(eg_schedule_next(&tens, 10, 0.1) == 10);
    CHECK(eg_schedule_next(&tens, 11, 0.1) == 20);
    CHECK(eg_schedule_due(&tens, 20, 0.1) && !eg_schedule_due(&tens, 21, 0.1));
}

/* The first step at or after each multiple, whatever dt divides the interval or not. */
static void check_interval(void)
{
    const eg_schedule s = { .interval_s = 1.0 };
    const int64_t     expected[] = { 0, 4, 7, 10, 14 }; /* dt = 0.3: 1.2, 2.1, 3.0, 4.2 */
    int64_t           step = 0;

    for (int i = 0; i < EG_COUNT(expected); i++) {
        step = eg_schedule_next(&s, step, 0.3);
        CHECK(step == expected[i]);
        step++;
    }
}

/* Rounding of k * interval, of dt and of step * dt never moves an output: 0.29 / 0.01, 1 / (1/3), a million outputs. */
static void check_rounding(void)
{
    static const double cases[][2] = { { 0.29, 0.01 }, { 0.7, 0.1 }, { 1.0, 1.0 / 3 }, { 0.1, 0.001 }, { 3e-7, 1e-9 } };
    static const int    per[] = { 29, 7, 3, 100, 300 };

    for (int c = 0; c < EG_COUNT(cases); c++) {
        const eg_schedule s = { .interval_s = cases[c][0] };
        int64_t           wrong = 0;
        for (int64_t k = 1; k <= 1000000; k += k < 1000 ? 1 : 27)
            wrong += eg_schedule_next(&s, (k - 1) * per[c] + 1, cases[c][1]) != k * per[c];
        CHECK(wrong == 0);
    }
}

/* What is due does not depend on where one begins to ask. */
static void check_restart(void)
{
    const eg_schedule s = { .interval_s = 0.037 };
    int64_t           next = EG_NEVER;

    for (int64_t step = 5000; step >= 0; step--) {
        const int64_t got = eg_schedule_next(&s, step, 0.0123);
        if (eg_schedule_due(&s, step, 0.0123)) next = step;
        if (next != EG_NEVER) CHECK(got == next);
    }
}

static void check_others(void)
{
    const eg_schedule never = { 0 }, fast = { .interval_s = 0.01 };

    CHECK(eg_schedule_next(&never, 3, 0.1) == EG_NEVER);
    CHECK(!eg_schedule_due(&never, 0, 0.1));
    for (int64_t step = 0; step < 100; step++) CHECK(eg_schedule_next(&fast, step, 0.1) == step);
    CHECK(eg_schedule_share(1000, 0, 10).every == 100);
    CHECK(eg_schedule_share(5, 0, 10).every == 1);
    CHECK(eg_schedule_share(0, 0, 10).every == 100);
    CHECK(eg_schedule_share(-1, 2, 10).every == 0 && eg_schedule_share(-1, 2, 10).interval_s == 0.2);
}

/* Where dt varies: a step that ends at the next time is due there, and the one after is a whole interval further. */
static void check_times(void)
{
    const eg_schedule s = { .interval_s = 0.1 }, tens = { .every = 10 };
    double            t = 0;

    CHECK(eg_schedule_due_at(&s, 5, 0) && !eg_schedule_due_at(&s, 5, 0.05) && !eg_schedule_due_at(&s, 5, 0.1 - 1e-9));
    for (int64_t k = 1; k < 100000; k++) {
        const double next = eg_schedule_time_after(&s, t);
        CHECK(next == (double)k * 0.1 && eg_schedule_due_at(&s, 3, next));
        CHECK(eg_schedule_time_after(&s, t + 0.07) == next);
        t = next;
    }
    CHECK(isinf(eg_schedule_time_after(&tens, 3)) && eg_schedule_due_at(&tens, 20, 0.3) && !eg_schedule_due_at(&tens, 21, 0.3));
}

int main(void)
{
    check_every();
    check_times();
    check_interval();
    check_rounding();
    check_restart();
    check_others();
    return check_end();
}
