/* toy.c - a small application for the test of the driver, with ways to fail: in set_up of one rank, in a host function
 * of one rank, by a value that is not finite, and by a known answer that is wrong. */
#include <eagle/eagle.h>
#include <math.h>

#include "toy_kernels.h"

typedef struct toy {
    eagle_run  *run;
    eagle_field u;
    eagle_plane most, total;
    toy_rates   rates;
    int64_t     fail_set_up, fail_host, fail_step; /* rank, rank, step; -1: never */
    double      wrong;                             /* added to the known answer */
} toy;

#define NEVER .text = "never", .value = -1, .min = 0, .max = 1e9
static const eagle_key keys[] = {
    EAGLE_KEY(toy, rates.decay, "decay.rate", .unit = "1/s", .value = 1, .min = 0, .max = 100, .help = "of decay"),
    EAGLE_KEY(toy, rates.mixing, "decay.mixing", .unit = "1/s", .value = 1, .min = 0, .max = 100, .help = "with neighbours"),
    EAGLE_KEY(toy, rates.break_step, "break.step", NEVER, .help = "step that makes a value that is not finite"),
    EAGLE_KEY(toy, rates.break_x, "break.x", .value = 0, .help = "its cell"),
    EAGLE_KEY(toy, rates.break_y, "break.y", .value = 0, .help = "its cell"),
    EAGLE_KEY(toy, rates.far, "break.far", .text = "no", .help = "a kernel reads farther than it declares"),
    EAGLE_KEY(toy, fail_set_up, "break.set_up", NEVER, .help = "rank on which set_up fails"),
    EAGLE_KEY(toy, fail_host, "break.host", NEVER, .help = "rank on which a host function fails"),
    EAGLE_KEY(toy, fail_step, "break.host_step", .value = 0, .help = "and when"),
    EAGLE_KEY(toy, wrong, "verify.wrong", .value = 0, .help = "added to the known answer"),
    { 0 }
};

static double u_at_start(const void *state, eagle_at at, int component)
{
    (void)state, (void)component;
    return 1 + eagle_x(at) * (1 - eagle_y(at));
}

static const eagle_field_spec fields[] = {
    EAGLE_FIELD(toy, u, .unit = "K", .help = "what decays", .ghosts = 1, .initial = u_at_start),
    { 0 }
};

static void add_held(eagle_graph *g, void *state, eagle_plane u, const eagle_edge *edge)
{
    const toy_value held = { edge->value[0] + 0 * edge->value[1] };

    (void)state;
    eagle_call(g, toy_held, .u = u, .over = &edge->box, .params = &held);
}

static const eagle_edge_kind edges[] = {
    { "held", "value [K], delay [s]", "holds the ghost cells", add_held },
    { 0 }
};

/* The last rank has the smallest limit, whatever the number of ranks. */
static eagle_status set_up(eagle_run *run, void *state)
{
    toy            *a = state;
    eagle_ctx      *ctx = eagle_run_context(run);
    const bool      last = eagle_rank(ctx) == eagle_ranks(ctx) - 1;

    a->run = run;
    if (eagle_rank(ctx) == a->fail_set_up)
        return eagle_fail(EAGLE_ERR_IO, "set break.set_up to never", "set_up fails on this rank");
    EAGLE_TRY(eagle_limit_dt(run, "the toy's own limit", last ? 0.125 : 0.25));
    EAGLE_TRY(eagle_value(run, "most", &a->most));
    return eagle_value(run, "total", &a->total);
}

static eagle_status look(const eagle_host_call *call, void *state)
{
    const toy *a = state;

    if (call->rank != a->fail_host || call->now.step != a->fail_step) return EAGLE_OK;
    return eagle_fail(EAGLE_ERR_NUMERICS, "set break.host to never", "the toy breaks");
}

static void step(eagle_graph *g, void *state)
{
    toy *a = state;

    EAGLE_EVERY(g, eagle_check_every(g))
    {
        eagle_call(g, toy_most, .u = a->u.now, .into = a->most);
        eagle_opaque(g, look, .reads = EAGLE_PLANES(a->most), .state = a);
        eagle_record(g, "most", "K", a->most);
    }
    eagle_fill_ghosts(g, a->u.now);
    eagle_call(g, toy_step, .u = a->u.now, .v = a->u.next, .params = &a->rates);
    eagle_advance(g, a->u);
}

/* Mixing between mirrors keeps the sum; each step takes the same part of it. */
static eagle_status verify(eagle_run *run, void *state)
{
    toy              *a = state;
    const eagle_grid *grid = eagle_run_grid(run);
    const eagle_clock clock = eagle_run_clock(run);
    const double      cells = (double)grid->cells[0] * (double)grid->cells[1];
    const double      expected = 1.25 * pow(1 - clock.dt * a->rates.decay, (double)clock.step);
    eagle_graph      *g;

    EAGLE_TRY(eagle_graph_create(eagle_run_context(run), "total", &g));
    eagle_call(g, toy_total, .u = a->u.now, .into = a->total);
    const eagle_status status = eagle_launch(g, 1);
    eagle_graph_destroy(g);
    eagle_expect(run, "mean of u", *(double *)eagle_data(a->total) / cells, expected + a->wrong, 1e-6);
    return status;
}

#define UNIT_SQUARE "[grid]\ncells = 12 8\nlength = 1 1\n[check]\nevery = 5\n"
static const eagle_case cases[] = {
    { "decay", "exact", UNIT_SQUARE "[time]\ndt = 0.01\nsteps = 20\n[decay]\nmixing = 0\n" },
    { "decay and mixing", "exact", UNIT_SQUARE "[time]\nend = 1\n" },
    { 0 }
};

int main(int argc, char **argv)
{
    static const eagle_app app = { .name = "toy", .about = "decay of a quantity that mixes", .state_size = sizeof(toy),
                                   .keys = keys, .fields = fields, .edges = edges, .cases = cases, .set_up = set_up,
                                   .step = step, .verify = verify };
    return eagle_main(argc, argv, &app);
}
