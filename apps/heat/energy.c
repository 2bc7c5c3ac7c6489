/* energy.c - does a step store what edges and sources give it? As an identity of the scheme the two are the same but
 * for rounding: with explicit Euler at the temperatures before the step, with RKL2 at the mean of its stages' ones,
 * each with its weight in the step. So the tolerance is one of rounding:
 *
 *   eps (8 growth (magnitude + given) + 2 s N share magnitude)
 *
 * eps: of the precision; 8: roundings of a cell in a stage; growth: what the scheme makes of the errors of its stages
 * (1 for Euler); magnitude: sum of rho c V |T|; the last term is the rounding of the mean in the cells at the edges:
 * s stages, a step of N explicit ones, `share` the part of all cells that lies at an edge. */
#include "energy.h"
#include "edges.h"
#include "rkl2.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The ghost cells of this rank beyond one side of the box; none on ranks that do not reach it. */
static eagle_box beyond_side(const eagle_grid *g, int axis, int upper)
{
    eagle_box b = { .hi = { g->local[0], g->local[1], g->local[2] }, .edge = true, .axis = axis, .side = upper };
    const bool mine = upper ? g->offset[axis] + g->local[axis] == g->cells[axis] : g->offset[axis] == 0;

    b.lo[axis] = upper ? g->local[axis] : -1;
    b.hi[axis] = mine ? b.lo[axis] + 1 : b.lo[axis];
    return b;
}

static eagle_status add_sides(eagle_run *run, heat *a)
{
    static const char *const columns[SIDES] = { "heat_x_lower", "heat_x_upper", "heat_y_lower",
                                                "heat_y_upper", "heat_z_lower", "heat_z_upper" };
    energy           *e = &a->energy;
    const eagle_grid *g = a->grid;

    for (int i = 0; i < 2 * g->dims; i++) {
        const int  axis = i / 2;
        const int  n = e->n_in;
        eagle_edge edge;

        if (strcmp(eagle_edge_at(run, "T", axis, i % 2, &edge), "periodic") == 0) continue;
        e->side[n] = beyond_side(g, axis, i % 2);
        e->border[n] = (border){ eagle_volume(g) / (g->h[axis] * g->h[axis]), a->medium };
        e->column[n] = columns[i];
        e->share += 1.0 / (double)g->cells[axis];
        EAGLE_TRY(eagle_value(run, columns[i], &e->in[n]));
        e->n_in++;
    }
    return EAGLE_OK;
}

static eagle_status add_hottest(eagle_run *run, heat *a)
{
    energy *e = &a->energy;

    e->hot = calloc((size_t)a->m.n_parts + 1, sizeof *e->hot);
    if (e->hot == NULL) return eagle_fail(EAGLE_ERR_MEMORY, "", "no memory for the hottest points");
    for (int i = 0; i < a->m.n_parts; i++) {
        const part *p = &a->m.parts[i];
        hot_point  *h = &e->hot[e->n_hot];

        if (p->power == 0) continue;
        h->where = p->where;
        h->box = materials_part_box(p, a->grid);
        snprintf(h->column, sizeof h->column, "T_max.%s", p->section->name);
        EAGLE_TRY(eagle_value(run, h->column, &e->hottest[e->n_hot]));
        e->power += p->power;
        e->n_hot++;
    }
    return EAGLE_OK;
}

eagle_status energy_set_up(eagle_run *run, heat *a)
{
    energy *e = &a->energy;

    e->measured = calloc((size_t)a->m.n_parts + FIXED_VALUES + SIDES, sizeof *e->measured);
    if (e->measured == NULL) return eagle_fail(EAGLE_ERR_MEMORY, "", "no memory for the energy check");
    e->in = e->measured + FIXED_VALUES;
    e->reference = edges_reference(run);
    EAGLE_TRY(eagle_value(run, "stored", &e->measured[STORED]));
    EAGLE_TRY(eagle_value(run, "energy", &e->measured[CONTENT]));
    EAGLE_TRY(eagle_value(run, "magnitude", &e->measured[MAGNITUDE]));
    EAGLE_TRY(add_sides(run, a));
    e->hottest = e->in + e->n_in;
    EAGLE_TRY(add_hottest(run, a));
    EAGLE_TRY(eagle_value(run, "imbalance", &e->judged[IMBALANCE]));
    return eagle_value(run, "resistance", &e->judged[RESISTANCE]);
}

void energy_free(energy *e)
{
    free(e->hot);
    free(e->measured);
}

void energy_add_content(eagle_graph *g, const heat *a, eagle_plane T, eagle_plane into)
{
    if (a->uniform)
        eagle_call(g, content_uniform, .T = T, .params = &a->medium, .into = into);
    else
        eagle_call(g, content, .T = T, .rho_c = a->rho_c.now, .into = into);
}

static void add_magnitude(eagle_graph *g, const heat *a, eagle_plane T, eagle_plane into)
{
    if (a->uniform)
        eagle_call(g, magnitude_uniform, .T = T, .params = &a->medium, .into = into);
    else
        eagle_call(g, magnitude, .T = T, .rho_c = a->rho_c.now, .into = into);
}

static void add_stored(eagle_graph *g, const heat *a, eagle_plane T, eagle_plane T_new, eagle_plane into)
{
    if (a->uniform)
        eagle_call(g, change_uniform, .T = T, .T_new = T_new, .params = &a->medium, .into = into);
    else
        eagle_call(g, change, .T = T, .T_new = T_new, .rho_c = a->rho_c.now, .into = into);
}

static void add_heat_in(eagle_graph *g, const heat *a, eagle_plane flow, int i)
{
    const energy *e = &a->energy;

    if (a->uniform)
        eagle_call(g, heat_in_uniform, .T = flow, .over = &e->side[i], .params = &e->border[i], .into = e->in[i]);
    else
        eagle_call(g, heat_in, .T = flow, .k = a->k.now, .over = &e->side[i], .params = &e->border[i],
                   .into = e->in[i]);
}

void energy_measure(eagle_graph *g, heat *a, eagle_plane T, eagle_plane T_new, eagle_plane flow)
{
    const energy *e = &a->energy;

    add_stored(g, a, T, T_new, e->measured[STORED]);
    energy_add_content(g, a, T_new, e->measured[CONTENT]);
    add_magnitude(g, a, T_new, e->measured[MAGNITUDE]);
    for (int i = 0; i < e->n_in; i++)
        add_heat_in(g, a, flow, i);
    for (int i = 0; i < e->n_hot; i++)
        eagle_call(g, hottest, .T = T_new, .over = &e->hot[i].box, .params = &e->hot[i].where, .into = e->hottest[i]);
}

eagle_plane_list energy_measured(heat *a)
{
    return (eagle_plane_list){ FIXED_VALUES + a->energy.n_in + a->energy.n_hot, a->energy.measured };
}

eagle_plane_list energy_judged(heat *a)
{
    return (eagle_plane_list){ JUDGED_VALUES, a->energy.judged };
}

eagle_status energy_start(eagle_run *run, heat *a)
{
    eagle_graph *g;
    eagle_plane  start, made;

    a->energy.epsilon = a->T.now.type == EAGLE_F32 ? 0x1p-23 : 0x1p-52;
    EAGLE_TRY(eagle_value(run, "energy at start", &start));
    EAGLE_TRY(eagle_value(run, "power", &made));
    EAGLE_TRY(eagle_graph_create(eagle_run_context(run), "start", &g));
    energy_add_content(g, a, a->T.now, start);
    if (!a->uniform) eagle_call(g, source, .q = a->q.now, .into = made);
    const eagle_status s = eagle_launch(g, 1);
    eagle_graph_destroy(g);
    EAGLE_TRY(s);
    a->energy.at_start = *(double *)eagle_data(start);
    a->energy.made = *(double *)eagle_data(made); /* memory is zero at first */
    return EAGLE_OK;
}

static double value(const eagle_host_call *call, int i)
{
    return *(const double *)call->data[i];
}

static double rounding(const heat *a, double magnitude, double given)
{
    const bool   staged = a->scheme == RKL2;
    const double growth = staged ? a->rkl2.growth : 1, s = staged ? a->rkl2.s : 1;
    const double length = staged ? rkl2_length(a->rkl2.s) : 1;

    return a->energy.epsilon * (8 * growth * (magnitude + given) + 2 * s * length * a->energy.share * magnitude);
}

/* The hottest point of all parts with power, against the outside, for each watt. */
static double resistance(const heat *a, const eagle_host_call *call)
{
    const energy *e = &a->energy;
    double        top = -INFINITY;

    for (int i = 0; i < e->n_hot; i++)
        top = fmax(top, value(call, FIXED_VALUES + e->n_in + i));
    return e->power != 0 && isfinite(e->reference) ? (top - e->reference) / e->power : 0;
}

eagle_status energy_check(const eagle_host_call *call, void *state)
{
    const heat   *a = state;
    const energy *e = &a->energy;
    double        watts = e->made, gross = fabs(e->made);

    for (int i = 0; i < e->n_in; i++) {
        watts += value(call, FIXED_VALUES + i);
        gross += fabs(value(call, FIXED_VALUES + i));
    }

    const double auto_tolerance = rounding(a, value(call, MAGNITUDE), call->now.dt * gross);
    const double tolerance = a->tolerance > 0 ? a->tolerance : auto_tolerance;
    const double imbalance = value(call, STORED) - call->now.dt * watts;
    double *const *made = (double *const *)call->data + FIXED_VALUES + e->n_in + e->n_hot;

    *made[IMBALANCE] = imbalance;
    *made[RESISTANCE] = resistance(a, call);
    if (fabs(imbalance) <= tolerance) return EAGLE_OK;
    return eagle_fail(EAGLE_ERR_NUMERICS, "make time.dt smaller; if it stays, set run.precision = f64",
                      "step %lld stored %.9g J but was given %.9g J: %.3g J are more than the tolerance of %.3g J",
                      (long long)call->now.step, value(call, STORED), call->now.dt * watts, imbalance, tolerance);
}

void energy_record(eagle_graph *g, heat *a)
{
    const energy *e = &a->energy;

    eagle_record(g, "energy", "J", e->measured[CONTENT]);
    eagle_record(g, "imbalance", "J", e->judged[IMBALANCE]);
    for (int i = 0; i < e->n_in; i++)
        eagle_record(g, e->column[i], "W", e->in[i]);
    for (int i = 0; i < e->n_hot; i++)
        eagle_record(g, e->hot[i].column, "K", e->hottest[i]);
    if (e->power != 0 && isfinite(e->reference)) eagle_record(g, "resistance", "K/W", e->judged[RESISTANCE]);
}
