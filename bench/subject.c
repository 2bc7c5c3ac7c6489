/* subject.c - the step that benchmarks time: explicit Euler of eagle-heat in one material, as the application does it:
 * ghost cells at fixed edges, one sweep of its plain kernel, the exchange of two levels. No checks, no output. */
#include <stdlib.h>

#include "bench.h"
#include "heat.h"

static bool fixed_edges(void *state, const eagle_storage *field, int axis, int side, eg_edge_fill *out)
{
    (void)state, (void)field, (void)axis, (void)side;
    out->add = eg_edge_builtin("fixed");
    return true;
}

eagle_status bench_subject_open(eagle_ctx *ctx, int dims, eagle_type type, const int64_t cells[3], bench_subject *s)
{
    const double  lower[3] = { 0 }, upper[3] = { 1, 1, 1 };
    const bool    periodic[3] = { false };
    const int64_t any[3] = { 0 };

    s->ctx = ctx;
    EAGLE_TRY(eg_cartesian_choose(1, dims, cells, periodic, any, 1, &s->cartesian));
    eg_cartesian_grid(&s->cartesian, 0, lower, upper, 1, &s->grid);
    eg_grid_pitch(&s->grid);
    s->dt_s = 0.1 * s->grid.h[0] * s->grid.h[0];
    EAGLE_TRY(eg_halo_open(eg_job_of(ctx), &s->cartesian, &s->grid, fixed_edges, NULL, &s->halo));
    EAGLE_TRY(eg_field_create(ctx, "T", type, EAGLE_DEVICE, &s->grid, 1, 1, &s->T.now));
    return eg_field_create(ctx, "T", type, EAGLE_DEVICE, &s->grid, 1, 1, &s->T.next);
}

void bench_subject_step(const bench_subject *s, eagle_graph *g)
{
    const medium m = { 1, 1 };

    eagle_fill_ghosts(g, s->T.now);
    if (s->grid.dims == 2)
        eagle_call(g, uniform_2d, .T = s->T.now, .T_new = s->T.next, .params = &m);
    else
        eagle_call(g, uniform_3d, .T = s->T.now, .T_new = s->T.next, .params = &m);
    eagle_swap(g, s->T.now, s->T.next);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

double bench_median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, by_value);
    return values[n / 2];
}
