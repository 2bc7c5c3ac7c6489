/* test_engine.c - graph programs on one rank, on the backend named by the first argument: what each replay does, when
 * groups run, what waits for what, and what a failure leaves behind. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "engine_kernels.h"
#include "exec/exec.h"

enum { N = 1000 };

static eagle_plane device_plane(eagle_ctx *ctx, const char *name, eagle_type type, int64_t n)
{
    eagle_plane plane = { 0 };

    CHECK(eagle_device(ctx, name, type, EAGLE_SHAPE(n), &plane) == EAGLE_OK);
    return plane;
}

static eagle_plane pinned_plane(eagle_ctx *ctx, const char *name, eagle_type type, int64_t n, int buffers)
{
    eagle_plane plane = { 0 };

    CHECK(eagle_pinned(ctx, name, type, EAGLE_SHAPE(n), &plane, .buffers = buffers) == EAGLE_OK);
    return plane;
}

static eagle_graph *new_graph(eagle_ctx *ctx, const char *name, double dt)
{
    eagle_graph *g = NULL;

    CHECK(eagle_graph_create(ctx, name, &g) == EAGLE_OK);
    CHECK(eagle_clock_set(g, (eagle_clock){ 0, 0, dt }) == EAGLE_OK);
    return g;
}

static void launch(eagle_graph *g, int64_t n)
{
    const eagle_status s = eagle_launch(g, n);

    CHECK(s == EAGLE_OK);
    if (s != EAGLE_OK) fprintf(stderr, "  %s\n", eagle_last_error()->what);
}

/* A value goes through a device plane, home, and through a host function. */
static eagle_status keep_first(const eagle_host_call *c, void *state)
{
    *(float *)state = *(const float *)c->data[0];
    return EAGLE_OK;
}

static void test_round_trip(eagle_ctx *ctx)
{
    eagle_plane  u = device_plane(ctx, "u", EAGLE_F32, N), home = pinned_plane(ctx, "home", EAGLE_F32, N, 1);
    eagle_graph *g = new_graph(ctx, "round trip", 1);
    float        seen = 0;

    eagle_call(g, add_one, .u = u);
    eagle_copy(g, u, .into = home);
    eagle_opaque(g, keep_first, .reads = EAGLE_PLANES(home), .state = &seen);
    launch(g, 1);
    CHECK(seen == 1);
    launch(g, 41);
    CHECK(seen == 42);
    CHECK(((const float *)eagle_data(home))[N - 1] == 42);
    eagle_graph_destroy(g);
}

/* Smoothing between two planes that are swapped, against a plain loop: odd and even numbers of steps. */
static void test_swap(eagle_ctx *ctx, int64_t steps)
{
    const eagle_shape one = EAGLE_SHAPE(1), inner = EAGLE_SHAPE(N - 2);
    eagle_plane       u = device_plane(ctx, "u", EAGLE_F64, N), v = device_plane(ctx, "v", EAGLE_F64, N);
    eagle_graph      *g = new_graph(ctx, "swap", 1);
    static double     a[N], b[N], got[N];

    for (int i = 0; i < N; i++) a[i] = b[i] = i % 7 == 0;
    CHECK(eagle_upload(u, a) == EAGLE_OK && eagle_upload(v, a) == EAGLE_OK);
    eagle_call(g, smooth, .u = eagle_view(u, one, inner), .v = eagle_view(v, one, inner));
    eagle_swap(g, u, v);
    launch(g, steps);
    for (int64_t s = 0; s < steps; s++) {
        for (int i = 1; i < N - 1; i++) b[i] = (a[i - 1] + 2 * a[i] + a[i + 1]) / 4;
        memcpy(a, b, sizeof a);
    }
    CHECK(eagle_download(u, got) == EAGLE_OK);
    CHECK(memcmp(got, a, sizeof a) == 0);
    eagle_graph_destroy(g);
}

/* Groups run on their steps only, and see their step's clock. */
typedef struct calls {
    int     n;
    int64_t steps[64];
    double  t[64];
} calls;

static eagle_status note_step(const eagle_host_call *c, void *state)
{
    calls *k = state;

    k->steps[k->n % 64] = c->now.step;
    k->t[k->n++ % 64] = *(const double *)c->data[0];
    return EAGLE_OK;
}

static void test_groups(eagle_ctx *ctx)
{
    eagle_plane  t = device_plane(ctx, "t", EAGLE_F64, 1), home = pinned_plane(ctx, "home", EAGLE_F64, 1, 1);
    eagle_plane  now = pinned_plane(ctx, "now", EAGLE_F64, 1, 1);
    eagle_graph *g = new_graph(ctx, "groups", 0.1);
    eagle_event  event;
    calls        every = { 0 }, when = { 0 };

    CHECK(eagle_event_create(ctx, "event", &event) == EAGLE_OK);
    eagle_call(g, clock_at, .t = t);
    EAGLE_EVERY(g, 3, .at = 1) {
        eagle_copy(g, t, .into = home);
        eagle_opaque(g, note_step, .reads = EAGLE_PLANES(home), .state = &every);
    }
    EAGLE_WHEN(g, event) {
        eagle_copy(g, t, .into = now);
        eagle_opaque(g, note_step, .reads = EAGLE_PLANES(now), .state = &when);
    }
    launch(g, 5);
    eagle_raise(g, event);
    launch(g, 3);
    launch(g, 3);
    CHECK(every.n == 4 && when.n == 1 && when.steps[0] == 7);
    for (int i = 0; i < every.n; i++) {
        CHECK(every.steps[i] == 3 * i + 1);
        CHECK(every.t[i] == (double)(3 * i + 1) * 0.1);
    }
    CHECK(when.t[0] == 7 * 0.1);
    CHECK(eagle_clock_get(g).step == 11);
    eagle_graph_destroy(g);
}

static void test_reductions(eagle_ctx *ctx)
{
    eagle_plane  u = device_plane(ctx, "u", EAGLE_F64, N), sum = pinned_plane(ctx, "sum", EAGLE_F64, 1, 1);
    eagle_plane  most = device_plane(ctx, "most", EAGLE_F64, 1);
    eagle_graph *g = new_graph(ctx, "sums", 1);
    double       values[N], got;

    for (int i = 0; i < N; i++) values[i] = i % 2 ? 1e16 * i : -1e16 * (i - 1);
    values[0] = 0.5;
    CHECK(eagle_upload(u, values) == EAGLE_OK);
    eagle_call(g, total, .u = u, .into = sum);
    eagle_call(g, greatest, .u = u, .into = most);
    launch(g, 3);
    double expected = 0.5;
    for (int i = 1; i < N; i += 2) expected += i + 1 < N ? 1e16 * i - 1e16 * i : 1e16 * i;
    CHECK(*(const double *)eagle_data(sum) == expected);
    CHECK(eagle_download(most, &got) == EAGLE_OK && got == 1e16 * (N - 1));
    eagle_graph_destroy(g);
}

/* A host function that fails in the 7th replay: reported once, with its name; the next launch works. */
typedef struct failing {
    int64_t at;
    int     ran;
} failing;

static eagle_status fail_at(const eagle_host_call *c, void *state)
{
    failing *f = state;

    f->ran++;
    if (c->replay != f->at) return EAGLE_OK;
    return eagle_fail(EAGLE_ERR_NUMERICS, "make dt smaller", "step %lld went wrong", (long long)c->now.step);
}

static void test_failure(eagle_ctx *ctx)
{
    eagle_plane  u = device_plane(ctx, "u", EAGLE_F32, N), home = pinned_plane(ctx, "home", EAGLE_F32, N, 1);
    eagle_graph *g = new_graph(ctx, "failure", 1);
    failing      f = { .at = 6 };

    eagle_call(g, add_one, .u = u);
    eagle_copy(g, u, .into = home);
    eagle_opaque(g, fail_at, .reads = EAGLE_PLANES(home), .state = &f);
    CHECK(eagle_launch(g, 10) == EAGLE_ERR_NUMERICS);
    CHECK_TEXT(eagle_last_error()->what, "step 6 went wrong (fail_at, replay 6)");
    CHECK_TEXT(eagle_last_error()->fix, "make dt smaller");
    CHECK(f.ran == 7);
    launch(g, 10);
    CHECK(f.ran == 17);
    CHECK(((const float *)eagle_data(home))[0] == 20);
    eagle_graph_destroy(g);
}

/* With the writer held by a gate, steps go on until the replay that needs the third buffer. */
typedef struct gate {
    atomic_bool open;
    atomic_int  entered;
    float       seen[8];
} gate;

static eagle_status wait_at_gate(const eagle_host_call *c, void *state)
{
    gate *gt = state;

    const int k = atomic_fetch_add(&gt->entered, 1);
    while (!atomic_load(&gt->open)) usleep(200);
    gt->seen[k % 8] = *(const float *)c->data[0];
    return EAGLE_OK;
}

/* The progress at which the steps stand still: waited for, and then watched whether they go on. */
static int64_t settled_progress(eagle_graph *g, int64_t expected)
{
    for (int i = 0; i < 600 && eg_progress(g) < expected; i++) usleep(50000);
    usleep(300000);
    return eg_progress(g);
}

static void test_deep_plane(eagle_ctx *ctx)
{
    eagle_plane  u = device_plane(ctx, "u", EAGLE_F32, N), frame = pinned_plane(ctx, "frame", EAGLE_F32, N, 2);
    eagle_graph *g = new_graph(ctx, "frames", 1);
    gate         gt = { 0 };

    EAGLE_EVERY(g, 10) {
        eagle_copy(g, u, .into = frame);
        eagle_opaque(g, wait_at_gate, .reads = EAGLE_PLANES(frame), .state = &gt);
    }
    eagle_call(g, add_one, .u = u);
    CHECK(eagle_prepare(g) == EAGLE_OK);
    CHECK(eagle_enqueue(g, 40) == EAGLE_OK);
    /* Frames of steps 0 and 10 are in the two buffers; step 20 needs the third. */
    CHECK(settled_progress(g, 20) == 20);
    CHECK(atomic_load(&gt.entered) == 1);
    atomic_store(&gt.open, true);
    CHECK(eagle_synchronize(g) == EAGLE_OK);
    for (int k = 0; k < 4; k++) CHECK(gt.seen[k] == 10 * k);
    eagle_graph_destroy(g);
}

/* The same where the field is copied within the step first, and home from there by a group apart: that one runs beside
 * the steps though they overwrite the field. */
static void test_snapshot(eagle_ctx *ctx)
{
    eagle_plane  u = device_plane(ctx, "u", EAGLE_F32, N), taken = device_plane(ctx, "taken", EAGLE_F32, N);
    eagle_plane  frame = pinned_plane(ctx, "frame", EAGLE_F32, N, 2);
    eagle_graph *g = new_graph(ctx, "snapshots", 1);
    gate         gt = { 0 };

    EAGLE_EVERY(g, 10) eagle_copy(g, u, .into = taken);
    EAGLE_EVERY(g, 10, .at = 0, .apart = true)
    {
        eagle_copy(g, taken, .into = frame);
        eagle_opaque(g, wait_at_gate, .reads = EAGLE_PLANES(frame), .state = &gt);
    }
    eagle_call(g, add_one, .u = u);
    CHECK(eagle_prepare(g) == EAGLE_OK);
    CHECK(g->n_units == 3 && !g->units[0].trailing && g->units[1].trailing && !g->units[2].trailing);
    CHECK(eagle_enqueue(g, 40) == EAGLE_OK);
    CHECK(settled_progress(g, 20) == 20);
    CHECK(atomic_load(&gt.entered) == 1);
    atomic_store(&gt.open, true);
    CHECK(eagle_synchronize(g) == EAGLE_OK);
    for (int k = 0; k < 4; k++) CHECK(gt.seen[k] == 10 * k);
    eagle_graph_destroy(g);
}

/* Replay allocates nothing. */
static void test_no_allocation(eagle_ctx *ctx)
{
    eagle_plane  u = device_plane(ctx, "u", EAGLE_F64, N), v = device_plane(ctx, "v", EAGLE_F64, N);
    eagle_plane  sum = pinned_plane(ctx, "sum", EAGLE_F64, 1, 1), frame = pinned_plane(ctx, "frame", EAGLE_F64, N, 2);
    eagle_graph *g = new_graph(ctx, "step", 1);
    eagle_event  event;
    failing      f = { .at = -1 };
    int64_t      before;

    CHECK(eagle_event_create(ctx, "frame", &event) == EAGLE_OK);
    eagle_call(g, scaled, .u = u, .v = v, .params = &(const scale){ 0.5 });
    EAGLE_EVERY(g, 10) {
        eagle_call(g, total, .u = u, .into = sum);
        eagle_opaque(g, fail_at, .reads = EAGLE_PLANES(sum), .state = &f);
    }
    EAGLE_WHEN(g, event) {
        eagle_copy(g, v, .into = frame);
        eagle_opaque(g, fail_at, .reads = EAGLE_PLANES(frame), .state = &f);
    }
    eagle_swap(g, u, v);
    CHECK(eagle_prepare(g) == EAGLE_OK);
    launch(g, 100);
    before = eg_alloc_count();
    for (int i = 0; i < 3; i++) {
        eagle_raise(g, event);
        launch(g, 100);
    }
    CHECK(eg_alloc_count() == before);
    eagle_graph_destroy(g);
}

/* --- dt that the step decides ---------------------------------------------------------------------------------- */

/* What a host function sees of each step, and one that is run when an event is raised. */
typedef struct seen {
    int         n, raised;
    eagle_clock clock[512];
    double      u[512];
} seen;

static eagle_status see_step(const eagle_host_call *c, void *state)
{
    seen *s = state;

    s->clock[s->n % 512] = c->now;
    s->u[s->n++ % 512] = *(const double *)c->data[0];
    return EAGLE_OK;
}

static eagle_status see_event(const eagle_host_call *c, void *state)
{
    (void)c;
    ((seen *)state)->raised++;
    return EAGLE_OK;
}

typedef struct paced {
    eagle_graph *g;
    eagle_plane  u, v, dt, sum, late;
    eagle_event  event;
    seen         seen;
} paced;

/* u sums up dt, and the next dt is by / (4 + u): of all steps, or of every third. The event's group stands before the step
 * and would spoil u. */
static void make_paced(eagle_ctx *ctx, double by, int every, paced *p)
{
    const scale s = { by };
    double      zero[N] = { 0 };

    *p = (paced){ .u = device_plane(ctx, "u", EAGLE_F64, N), .v = device_plane(ctx, "v", EAGLE_F64, N) };
    p->dt = device_plane(ctx, "dt", EAGLE_F64, 1);
    p->sum = pinned_plane(ctx, "sum", EAGLE_F64, 1, 1);
    p->late = pinned_plane(ctx, "late", EAGLE_F64, N, 2);
    p->g = new_graph(ctx, "paced", 0.25);
    CHECK(eagle_upload(p->u, zero) == EAGLE_OK);
    CHECK(eagle_event_create(ctx, "raised", &p->event) == EAGLE_OK);
    EAGLE_WHEN(p->g, p->event) {
        eagle_call(p->g, add_one, .u = p->u);
        eagle_copy(p->g, p->u, .into = p->late);
        eagle_opaque(p->g, see_event, .reads = EAGLE_PLANES(p->late), .state = &p->seen);
    }
    eagle_call(p->g, greatest, .u = p->u, .into = p->sum);
    eagle_opaque(p->g, see_step, .reads = EAGLE_PLANES(p->sum), .state = &p->seen);
    eagle_call(p->g, add_dt, .u = p->u, .v = p->v);
    EAGLE_EVERY(p->g, every) eagle_call(p->g, allowed, .u = p->v, .into = p->dt, .params = &s);
    eagle_set_dt(p->g, p->dt);
    eagle_swap(p->g, p->u, p->v);
}

static double value_of(eagle_plane u, int i)
{
    static double values[N];

    CHECK(eagle_download(u, values) == EAGLE_OK);
    return values[i];
}

/* Against the same steps in plain C; t of each step is where the one before ended. */
static void check_paced(const paced *p, double by, int every, double stop)
{
    double u = 0, dt = 0.25, next = 0;

    for (int i = 0; i < p->seen.n; i++) {
        const eagle_clock *c = &p->seen.clock[i];
        const bool         last = i == p->seen.n - 1;
        CHECK(c->step == i && p->seen.u[i] == u);
        CHECK(last ? c->dt == stop - c->t && c->dt <= dt * (1 + 1e-9) : c->dt == dt);
        CHECK(last ? c->t + c->dt == stop : p->seen.clock[i + 1].t > c->t);
        CHECK(last || fabs(p->seen.clock[i + 1].t - c->t - dt) < 1e-14);
        u += c->dt;
        if (i % every == 0) next = by / (4 + u);
        dt = next;
    }
    CHECK(p->seen.n > 10 && value_of(p->u, 0) == u && value_of(p->u, N - 1) == u);
}

static void finish_paced(paced *p)
{
    eagle_graph_destroy(p->g);
    *p = (paced){ .seen = p->seen };
}

/* Whatever the launches, odd and even numbers of void replays in them; an event of a void replay is not run. */
static void test_set_dt(eagle_ctx *ctx)
{
    static paced  p;
    const int64_t launches[] = { 1, 3, 64, 65, 6000 };

    for (int l = 0; l < EG_COUNT(launches); l++)
        for (int every = 1; every <= 3; every += 2) {
            make_paced(ctx, 1, every, &p);
            CHECK(eagle_clock_stop(p.g, 3.1) == EAGLE_OK);
            for (int64_t i = 0; i < 70; i += launches[l]) {
                if (launches[l] >= 64) eagle_raise(p.g, p.event);
                launch(p.g, launches[l]);
            }
            CHECK(p.seen.raised == 0);
            check_paced(&p, 1, every, 3.1);
            const eagle_clock c = eagle_clock_get(p.g);
            CHECK(c.step == p.seen.n && c.t == 3.1);
            finish_paced(&p);
        }
}

/* On to a second time: the dt that was cut short at the first does not last. */
static void test_stops(eagle_ctx *ctx)
{
    static paced p;
    int          n;

    make_paced(ctx, 1, 1, &p);
    CHECK(eagle_clock_stop(p.g, 0.5) == EAGLE_OK);
    launch(p.g, 7);
    n = p.seen.n;
    CHECK(n == 2 + 1 && eagle_clock_get(p.g).t == 0.5 && value_of(p.u, 7) == 0.25 + p.seen.clock[1].dt + p.seen.clock[2].dt);
    CHECK(eagle_clock_get(p.g).dt == 1 / (4 + value_of(p.u, 0)));
    launch(p.g, 4);
    CHECK(p.seen.n == n);
    CHECK(eagle_clock_stop(p.g, 0) == EAGLE_OK);
    eagle_raise(p.g, p.event);
    launch(p.g, 1);
    CHECK(p.seen.n == n + 1 && p.seen.raised == 1 && eagle_clock_get(p.g).step == n + 1);
    CHECK(p.seen.clock[n].t == 0.5 && p.seen.clock[n].dt == 1 / (4 + (p.seen.u[n] - 1)));
    finish_paced(&p);
}

/* Many launches of a dt that stays the same: what the device holds of it, and what it tells the host. */
static void test_same_dt(eagle_ctx *ctx)
{
    eagle_plane  dt = device_plane(ctx, "dt", EAGLE_F64, 1), t = device_plane(ctx, "t", EAGLE_F64, 1);
    eagle_graph *g = new_graph(ctx, "same", 0.1);
    const double tenth = 0.1;
    double       before = 0, sum = 0;

    CHECK(eagle_upload(dt, &tenth) == EAGLE_OK);
    eagle_call(g, clock_at, .t = t);
    eagle_set_dt(g, dt);
    for (int64_t n = 1; n <= 9000; n = 3 * n + 1) {
        const int64_t step = eagle_clock_get(g).step + n;
        launch(g, n);
        for (int64_t i = 0; i < n; i++) {
            before = sum;
            sum += 0.1;
        }
        CHECK(eagle_clock_get(g).step == step && eagle_clock_get(g).t == sum);
        CHECK(value_of(t, 0) == before);
    }
    eagle_graph_destroy(g);
}

/* No dt at all: an error that names the step, and a clock that can be set anew. */
static void test_no_dt(eagle_ctx *ctx)
{
    const double  wrong[] = { 0, -1, NAN, INFINITY };
    char          expected[128];

    for (int w = 0; w < EG_COUNT(wrong); w++) {
        eagle_plane  dt = device_plane(ctx, "dt", EAGLE_F64, 1), u = device_plane(ctx, "u", EAGLE_F64, N);
        eagle_graph *g = new_graph(ctx, "no dt", 0.5);
        CHECK(eagle_upload(dt, &wrong[w]) == EAGLE_OK);
        eagle_call(g, add_one, .u = u);
        eagle_set_dt(g, dt);
        CHECK(eagle_launch(g, 5) == EAGLE_ERR_NUMERICS);
        snprintf(expected, sizeof expected, "graph 'no dt': dt of step 1 is %g s", wrong[w]);
        CHECK_TEXT(eagle_last_error()->what, expected);
        CHECK(value_of(u, 3) == 1);
        CHECK(eagle_clock_set(g, (eagle_clock){ 1, 0.5, 0.5 }) == EAGLE_OK);
        CHECK(eagle_launch(g, 1) == EAGLE_ERR_NUMERICS);
        CHECK(value_of(u, 3) == 2);
        eagle_graph_destroy(g);
    }
}

int main(int argc, char **argv)
{
    const eagle_options options = { .backend = argc > 1 ? argv[1] : "host", .threads = 2 };
    eagle_ctx          *ctx;

    if (eg_ctx_open(&options, 0, 1, 0, 1, 1, &ctx) != EAGLE_OK) {
        printf("SKIPPED: %s\n", eagle_last_error()->what);
        return CHECK_SKIPPED;
    }
    test_round_trip(ctx);
    for (int64_t steps = 1; steps <= 4; steps++) test_swap(ctx, steps);
    test_groups(ctx);
    test_reductions(ctx);
    test_failure(ctx);
    test_deep_plane(ctx);
    test_snapshot(ctx);
    test_no_allocation(ctx);
    test_set_dt(ctx);
    test_stops(ctx);
    test_same_dt(ctx);
    test_no_dt(ctx);
    eg_ctx_close(ctx);
    return check_end();
}
