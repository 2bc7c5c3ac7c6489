/* edges.c - the edges that a wall of heat conducting matter has: a heat flux, and convection to a fluid. */
#include "edges.h"

#include <math.h>
#include <string.h>

static void add(eagle_graph *g, const heat *a, eagle_plane T, const eagle_edge *edge, outside o)
{
    o.spacing = a->grid->h[edge->axis];
    o.m = a->medium;
    if (a->uniform) {
        eagle_call(g, beyond_uniform, .T = T, .over = &edge->box, .params = &o);
        return;
    }
    eagle_call(g, beyond, .T = T, .k = a->k.now, .over = &edge->box, .params = &o);
}

static void add_flux(eagle_graph *g, void *state, eagle_plane T, const eagle_edge *edge)
{
    add(g, state, T, edge, (outside){ .flux = edge->value[0] });
}

static void add_convection(eagle_graph *g, void *state, eagle_plane T, const eagle_edge *edge)
{
    add(g, state, T, edge, (outside){ .h = edge->value[0], .T_inf = edge->value[1] });
}

const eagle_edge_kind edge_kinds[] = {
    { "flux", "q [W/m2]", "heat that flows in", add_flux },
    { "convection", "h [W/(m2 K)], T_inf [K]", "a fluid of temperature T_inf: h (T_inf - T) flows in", add_convection },
    { 0 }
};

double edges_reference(const eagle_run *run)
{
    const eagle_grid *grid = eagle_run_grid(run);
    double            fixed = NAN;

    for (int i = 0; i < 2 * grid->dims; i++) {
        eagle_edge  edge;
        const char *kind = eagle_edge_at(run, "T", i / 2, i % 2, &edge);
        if (strcmp(kind, "convection") == 0) return edge.value[1];
        if (strcmp(kind, "fixed") == 0 && isnan(fixed)) fixed = edge.value[0];
    }
    return fixed;
}
