/* burgers.c - a small application whose dt varies: steps get longer as the steepest waves wear off. For the test of the
 * driver; it can leave out either half of asking for that. */
#include <eagle/eagle.h>
#include <math.h>

#include "burgers_kernels.h"

typedef struct burgers {
    eagle_field u;
    eagle_plane dt, dt_now;
    double      least; /* of u at the start */
    int64_t     every; /* steps between looks at the largest u */
    bool        plane, set;
} burgers;

static const eagle_key keys[] = {
    EAGLE_KEY(burgers, least, "start.least", .unit = "m/s", .value = 1, .help = "least u; negative: no stable step later"),
    EAGLE_KEY(burgers, every, "pace.every", .value = 1, .min = 1, .max = 100, .help = "steps between new lengths"),
    EAGLE_KEY(burgers, plane, "pace.plane", .text = "yes", .help = "make the plane of dt"),
    EAGLE_KEY(burgers, set, "pace.set", .text = "yes", .help = "set dt"),
    { 0 }
};

static double u_at_start(const void *state, eagle_at at, int component)
{
    const double x = eagle_x(at);

    (void)component;
    return ((const burgers *)state)->least + 3 * x * (1 - x) * (1 + at.j % 2);
}

static const eagle_field_spec fields[] = {
    EAGLE_FIELD(burgers, u, .unit = "m/s", .help = "velocity", .ghosts = 1, .initial = u_at_start),
    { 0 }
};

static eagle_status set_up(eagle_run *run, void *state)
{
    burgers *b = state;

    EAGLE_TRY(eagle_value(run, "dt allowed", &b->dt_now));
    if (b->plane) return eagle_dt_plane(run, &b->dt);
    return eagle_device(eagle_run_context(run), "dt", EAGLE_F64, EAGLE_SHAPE(1), &b->dt);
}

/* Half of the largest step at the start, so that the first one is not the longest. */
static eagle_status ready(eagle_run *run, void *state)
{
    (void)state;
    return eagle_limit_dt(run, "half a cell", 0.125 * eagle_run_grid(run)->h[0]);
}

static void step(eagle_graph *g, void *state)
{
    burgers *b = state;

    eagle_fill_ghosts(g, b->u.now);
    eagle_call(g, burgers_step, .u = b->u.now, .v = b->u.next);
    EAGLE_EVERY(g, b->every) eagle_call(g, burgers_stable, .u = b->u.next, .into = b->dt);
    eagle_copy(g, b->dt, .into = b->dt_now);
    eagle_record(g, "allowed", "s", b->dt_now);
    if (b->set) eagle_set_dt(g, b->dt);
    eagle_advance(g, b->u);
}

int main(int argc, char **argv)
{
    static const eagle_app app = { .name = "burgers", .about = "waves that steepen", .state_size = sizeof(burgers),
                                   .keys = keys, .fields = fields, .set_up = set_up, .ready = ready, .step = step };
    return eagle_main(argc, argv, &app);
}
