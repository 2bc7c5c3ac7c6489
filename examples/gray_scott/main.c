/* main.c - Gray-Scott: two substances that diffuse and react (Pearson, Science 261, 1993, 189). An application is a
 * table of keys, a table of fields, and a function that says what a step is; eagle_main does the rest.
 *
 *     mpirun -n 4 gray_scott gray_scott.ini */
#include <eagle/eagle.h>
#include <math.h>

#include "model.h"

typedef struct app {
    model       m;
    double      spot;      /* m */
    double      tolerance; /* of the box; in f64 */
    double      worst;     /* m2, the largest imbalance so far */
    double      allowed;   /* m2 */
    eagle_field u, v;
    eagle_plane made; /* one value on the host: the imbalance of a step, m2 */
} app;

/* 1. Keys of the input file, each bound to a member of the state. */
static const eagle_key keys[] = {
    EAGLE_KEY(app, m.Du, "model.Du", .unit = "m2/s", .value = 2e-5, .min = 0, .max = 1, .help = "diffusivity of u"),
    EAGLE_KEY(app, m.Dv, "model.Dv", .unit = "m2/s", .value = 1e-5, .min = 0, .max = 1, .help = "diffusivity of v"),
    EAGLE_KEY(app, m.feed, "model.feed", .unit = "1/s", .value = 0.037, .min = 0, .max = 1, .help = "of u"),
    EAGLE_KEY(app, m.decay, "model.decay", .unit = "1/s", .value = 0.06, .min = 0, .max = 1, .help = "of v"),
    EAGLE_KEY(app, spot, "model.spot", .unit = "m", .value = 0.1, .min = 0, .max = 1e9,
              .help = "half width of the square around 0 in which v is at the start"),
    EAGLE_KEY(app, tolerance, "check.tolerance", .value = 1e-15, .min = 0, .max = 1,
              .help = "largest imbalance of a step, over the area of the box; in f32 2^29 times as much"),
    { 0 }
};

/* 2. Fields, with ghost cells: what a neighbour reads of another rank's cells, and what stands beyond the edges. */
static double v_at_start(const void *state, eagle_at at, int component)
{
    const double spot = ((const app *)state)->spot;

    (void)component;
    return fabs(eagle_x(at)) < spot && fabs(eagle_y(at)) < spot ? 0.25 : 0;
}

static double u_at_start(const void *state, eagle_at at, int component)
{
    return 1 - 2 * v_at_start(state, at, component);
}

static const eagle_field_spec fields[] = {
    EAGLE_FIELD(app, u, .unit = "1", .ghosts = 1, .initial = u_at_start, .help = "what is fed"),
    EAGLE_FIELD(app, v, .unit = "1", .ghosts = 1, .initial = v_at_start, .help = "what it turns into"),
    { 0 }
};

/* 3. Between the input and the first step: the longest stable dt, and what the check needs. */
static eagle_status set_up(eagle_run *run, void *state)
{
    app          *a = state;
    const double *h = eagle_run_grid(run)->h;
    const double  rate = 2 * fmax(a->m.Du, a->m.Dv) * (1 / (h[0] * h[0]) + 1 / (h[1] * h[1])) + a->m.feed + a->m.decay;

    if (eagle_run_grid(run)->dims != 2)
        return eagle_fail(EAGLE_ERR_CONFIG, "write grid.cells = 256 256", "the kernels work in two dimensions only");
    EAGLE_TRY(eagle_limit_dt(run, "diffusion and decay", 1 / rate));
    return eagle_value(run, "imbalance", &a->made);
}

static eagle_status ready(eagle_run *run, void *state)
{
    app              *a = state;
    const eagle_grid *grid = eagle_run_grid(run);
    const double      box = eagle_volume(grid) * (double)grid->cells[0] * (double)grid->cells[1];

    a->allowed = a->tolerance * box * (a->u.now.type == EAGLE_F32 ? 0x1p29 : 1);
    return EAGLE_OK;
}

/* Runs beside the steps that follow, on another thread. */
static eagle_status check_balance(const eagle_host_call *call, void *state)
{
    app         *a = state;
    const double made = *(const double *)call->data[0];

    a->worst = fmax(a->worst, fabs(made));
    if (fabs(made) <= a->allowed) return EAGLE_OK;
    return eagle_fail(EAGLE_ERR_NUMERICS, "make all edges periodic or mirror, or raise check.tolerance",
                      "step %lld made %g m2 of u + v from nothing; %g are allowed", (long long)call->now.step, made,
                      a->allowed);
}

/* 4. Adds one time step to the graph, which is built once and replayed. */
static void step(eagle_graph *g, void *state)
{
    app *a = state;

    eagle_fill_ghosts(g, a->u.now, a->v.now);
    eagle_call(g, react, .u = a->u.now, .v = a->v.now, .u_new = a->u.next, .v_new = a->v.next, .params = &a->m);
    EAGLE_EVERY(g, eagle_check_every(g)) {
        eagle_call(g, imbalance, .u = a->u.now, .v = a->v.now, .u_new = a->u.next, .v_new = a->v.next, .params = &a->m,
                   .into = a->made);
        eagle_opaque(g, check_balance, .reads = EAGLE_PLANES(a->made), .state = a);
        eagle_record(g, "imbalance", "m2", a->made);
    }
    eagle_advance(g, a->u, a->v);
}

/* 5. After the last step: a row of the verification. */
static eagle_status verify(eagle_run *run, void *state)
{
    const app *a = state;

    eagle_expect(run, "largest imbalance of a step [m2]", a->worst, 0, a->allowed);
    return EAGLE_OK;
}

int main(int argc, char **argv)
{
    static const eagle_app application = { .name = "gray_scott", .about = "two substances that diffuse and react",
                                          .state_size = sizeof(app), .keys = keys, .fields = fields, .set_up = set_up,
                                          .ready = ready, .step = step, .verify = verify };
    return eagle_main(argc, argv, &application);
}
