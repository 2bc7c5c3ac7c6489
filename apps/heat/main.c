/* main.c - heat conduction: rho c dT/dt = div(k grad T) + q on a box in two or three dimensions. Read it from top to
 * bottom: an application is a table of keys, a table of fields, a few functions, and one that says what a step is.
 *
 *     mpirun -n 4 eagle-heat inputs/heat.ini
 *
 * heat.h and kernels.c hold the physics of a cell; materials, edges, energy, rkl2 and verify one subject each. */
#include "edges.h"
#include "energy.h"
#include "rkl2.h"
#include "verify.h"

#include <string.h>

/* 1. Keys. Each line binds a key of the input file to a member of the state, with its unit, default, range and help;
 * the same table makes the messages of a wrong input, --help and --list-keys. */
static const eagle_key keys[] = {
    EAGLE_KEY(heat, scheme, "time.scheme", .text = "euler", .choices = "euler | rkl2",
              .help = "explicit Euler, or super-time-stepping with stages"),
    EAGLE_KEY(heat, stages, "time.stages", .value = 9, .min = 3, .max = MAX_STAGES,
              .help = "of rkl2, odd: s stages advance (s^2 + s - 2)/4 explicit steps"),
    EAGLE_KEY(heat, kernel, "model.kernel", .text = "auto", .choices = "auto | general",
              .help = "auto: without the fields k, rho_c and q where one material is all there is"),
    EAGLE_KEY(heat, m.background, "model.background", .text = "",
              .help = "material where nothing else is; empty: the first, or copper if there is none"),
    EAGLE_KEY(heat, m.map, "map.file", .text = "", .help = "a byte for each cell, x fastest: which of map.materials"),
    EAGLE_KEY(heat, m.map_names, "map.materials", .text = "", .help = "names, the first for the value 0"),
    EAGLE_KEY(heat, tolerance, "check.tolerance", .unit = "J", .text = "auto",
              .may_change = true,
              .help = "largest imbalance of a step; auto: what rounding explains"),
    EAGLE_KEY(heat, verify_case, "verify.case", .text = "none", .choices = "none | sine | wall | box | iso10211",
              .may_change = true,
              .help = "a known answer to compare with after the last step"),
    { 0 }
};

/* Sections that occur any number of times: [material.copper], [box.core0], ... */
static const eagle_key_group groups[] = {
    EAGLE_GROUP(heat, m.list, m.n_list, material, "material", material_keys, "what things are made of"),
    EAGLE_GROUP(heat, m.layers, m.n_layers, layer, "layer", layer_keys, "a slab of one material across the box"),
    EAGLE_GROUP(heat, m.boxes, m.n_boxes, box, "box", box_keys, "a block of one material, power, or both"),
    EAGLE_GROUP(heat, m.discs, m.n_discs, disc, "disc", disc_keys, "the same for a disc or cylinder"),
    { 0 }
};

/* 2. Fields: arrays over the grid. T has two levels, the state and what the step writes; the materials are constant;
 * the last three exist with RKL2 only, and take the edges of T where they need ghost cells. */
static double T_at_start(const void *state, eagle_at at, int component)
{
    (void)state, (void)at, (void)component;
    return 293.15;
}

static double k_at(const void *state, eagle_at at, int component)
{
    (void)component;
    return materials_at(&((const heat *)state)->m, at)->k;
}

static double rho_c_at(const void *state, eagle_at at, int component)
{
    const material *m = materials_at(&((const heat *)state)->m, at);

    (void)component;
    return m->rho * m->c;
}

static double q_at(const void *state, eagle_at at, int component)
{
    (void)component;
    return materials_source(&((const heat *)state)->m, at);
}

static bool is_general(const void *state)
{
    return !((const heat *)state)->uniform;
}

static bool is_staged(const void *state)
{
    return ((const heat *)state)->scheme == RKL2;
}

static const eagle_field_spec fields[] = {
    EAGLE_FIELD(heat, T, .unit = "K", .ghosts = 1, .initial = T_at_start, .help = "temperature"),
    EAGLE_FIELD(heat, k, .unit = "W/(m K)", .ghosts = 1, .levels = 1, .constant = true, .initial = k_at,
                .wanted = is_general, .help = "thermal conductivity"),
    EAGLE_FIELD(heat, rho_c, .unit = "J/(m3 K)", .levels = 1, .constant = true, .initial = rho_c_at,
                .wanted = is_general, .help = "heat capacity"),
    EAGLE_FIELD(heat, q, .unit = "W/m3", .levels = 1, .constant = true, .initial = q_at, .wanted = is_general,
                .help = "heat made by sources"),
    EAGLE_FIELD(heat, inner, .unit = "K", .ghosts = 1, .levels = 1, .scratch = true, .edges_of = "T",
                .wanted = is_staged, .help = "the even stages of a step"),
    EAGLE_FIELD(heat, rate, .unit = "K/s", .levels = 1, .scratch = true, .wanted = is_staged,
                .help = "dT/dt at the start of a step"),
    EAGLE_FIELD(heat, mean, .unit = "K", .ghosts = 1, .levels = 1, .scratch = true, .edges_of = "T",
                .wanted = is_staged, .help = "the mean of the stages, for the energy check"),
    { 0 }
};

/* 3. Set-up, between the input and the fields: here everything that the input says is looked at once. */
static eagle_status set_up(eagle_run *run, void *state)
{
    heat           *a = state;
    const material *only;

    if (a->stages % 2 == 0)
        return eagle_fail(EAGLE_ERR_CONFIG, "make it odd", "time.stages is %lld", (long long)a->stages);
    a->grid = eagle_run_grid(run);
    EAGLE_TRY(materials_set_up(&a->m, a->grid, eagle_run_input_dir(run)));
    only = materials_uniform(&a->m);
    a->uniform = only != NULL && a->kernel == KERNEL_AUTO;
    if (only != NULL) a->medium = (medium){ only->k, only->rho * only->c };
    rkl2_make((int)a->stages, a->medium, &a->rkl2);
    return energy_set_up(run, a);
}

/* The longest explicit step: for the general kernel the smallest over all cells and ranks. This is what a graph is: add
 * calls of kernels, launch it, read what came home. The run builds a larger one of `step` below. */
static eagle_status longest_step(eagle_run *run, const heat *a, double *dt)
{
    const double *h = a->grid->h;
    eagle_plane   smallest;
    eagle_graph  *g;

    if (a->uniform) {
        *dt = a->medium.rho_c / a->medium.k / 2 /
              (1 / (h[0] * h[0]) + 1 / (h[1] * h[1]) + (a->grid->dims - 2) / (h[2] * h[2]));
        return EAGLE_OK;
    }
    EAGLE_TRY(eagle_value(run, "explicit dt", &smallest));
    EAGLE_TRY(eagle_graph_create(eagle_run_context(run), "limit", &g));
    eagle_call(g, explicit_dt, .k = a->k.now, .rho_c = a->rho_c.now, .into = smallest);
    const eagle_status s = eagle_launch(g, 1);
    eagle_graph_destroy(g);
    *dt = *(double *)eagle_data(smallest);
    return s;
}

/* Once the fields have their values: how long a step may be. */
static eagle_status ready(eagle_run *run, void *state)
{
    heat  *a = state;
    double dt;

    EAGLE_TRY(energy_start(run, a));
    EAGLE_TRY(longest_step(run, a, &dt));
    if (a->scheme == EULER) return eagle_limit_dt(run, "stability of explicit Euler", dt);
    return eagle_limit_dt(run, "stability of rkl2 with time.stages stages", dt * rkl2_length(a->rkl2.s));
}

/* 4. The step. Explicit Euler reads T.now with its ghost cells and writes T.next. */
static void add_euler(eagle_graph *g, heat *a)
{
    eagle_fill_ghosts(g, a->T.now);
    if (!a->uniform)
        eagle_call(g, euler, .T = a->T.now, .k = a->k.now, .rho_c = a->rho_c.now, .q = a->q.now,
                   .T_new = a->T.next);
    else if (a->grid->dims == 2)
        eagle_call(g, uniform_2d, .T = a->T.now, .T_new = a->T.next, .params = &a->medium);
    else
        eagle_call(g, uniform_3d, .T = a->T.now, .T_new = a->T.next, .params = &a->medium);
}

static void add_first_stage(eagle_graph *g, const heat *a, eagle_plane even, eagle_plane odd)
{
    if (a->uniform)
        eagle_call(g, rkl2_first_uniform, .T = a->T.now, .L = a->rate.now, .even = even, .odd = odd,
                   .params = &a->rkl2.at[1]);
    else
        eagle_call(g, rkl2_first, .T = a->T.now, .k = a->k.now, .rho_c = a->rho_c.now, .q = a->q.now,
                   .L = a->rate.now, .even = even, .odd = odd, .params = &a->rkl2.at[1]);
}

static void add_stage(eagle_graph *g, const heat *a, int j, eagle_plane last, eagle_plane before)
{
    if (a->uniform)
        eagle_call(g, rkl2_next_uniform, .T = a->T.now, .L = a->rate.now, .last = last, .before = before,
                   .params = &a->rkl2.at[j]);
    else
        eagle_call(g, rkl2_next, .T = a->T.now, .L = a->rate.now, .last = last, .k = a->k.now, .rho_c = a->rho_c.now,
                   .q = a->q.now, .before = before, .params = &a->rkl2.at[j]);
}

/* RKL2: stage j reads stage j - 1 with its ghost cells and takes the place of stage j - 2, so that two planes serve all
 * stages; the last one is odd and stands in T.next. */
static void add_rkl2(eagle_graph *g, heat *a)
{
    const eagle_plane plane[2] = { a->inner.now, a->T.next };

    eagle_fill_ghosts(g, a->T.now);
    add_first_stage(g, a, plane[0], plane[1]);
    EAGLE_EVERY(g, eagle_check_every(g)) {
        eagle_copy(g, a->T.now, .into = a->mean.now);
    }
    for (int j = 2; j <= a->rkl2.s; j++) {
        const eagle_plane last = plane[(j - 1) % 2];
        eagle_fill_ghosts(g, last);
        EAGLE_EVERY(g, eagle_check_every(g)) {
            const weight w = { a->rkl2.weight[j - 1] };
            eagle_call(g, average, .T = a->T.now, .inner = last, .mean = a->mean.now, .params = &w);
        }
        add_stage(g, a, j, last, plane[j % 2]);
    }
    EAGLE_EVERY(g, eagle_check_every(g)) {
        eagle_fill_ghosts(g, a->mean.now);
    }
}

/* Adds one time step to the graph, which is built once and replayed. Frames, history and the search for values that
 * are not finite come with the fields; nodes are ordered by what they read and write. */
static void step(eagle_graph *g, void *state)
{
    heat *a = state;

    if (a->scheme == EULER)
        add_euler(g, a);
    else
        add_rkl2(g, a);

    /* Every few steps: sums on the device, a few bytes home, and a host function that looks at them while the next
     * steps run. When it fails the run ends with its message. */
    EAGLE_EVERY(g, eagle_check_every(g)) {
        energy_measure(g, a, a->T.now, a->T.next, a->scheme == EULER ? a->T.now : a->mean.now);
        eagle_opaque(g, energy_check, .reads = energy_measured(a), .writes = energy_judged(a), .state = a);
        energy_record(g, a);
    }
    eagle_advance(g, a->T);
}

static void clean_up(void *state)
{
    heat *a = state;

    energy_free(&a->energy);
    materials_free(&a->m);
}

/* 5. All of it together. eagle_main does the rest: ranks, files, progress, report, exit status. */
int main(int argc, char **argv)
{
    static const eagle_app app = {
        .name = "eagle-heat", .about = "heat conduction in two and three dimensions", .state_size = sizeof(heat),
        .keys = keys, .groups = groups, .fields = fields, .edges = edge_kinds, .cases = verify_cases,
        .set_up = set_up, .ready = ready, .step = step, .verify = verify_run, .clean_up = clean_up
    };
    return eagle_main(argc, argv, &app);
}
