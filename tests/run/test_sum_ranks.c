/* Sums, minima and maxima over ranks: the bits that one value after the other gives, however the values are shared out;
 * several reductions that the graph leaves free to overlap. */
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "eagle/eagle.h"
#include "run/stat_kernels.h"

enum { ALL = 20011, FIELDS = 3 };

/* Field 0: all exponents; 1: nearly all cancels; 2: infinities of both signs, far from one another. */
static double value_at(int field, int64_t i)
{
    const eagle_grid grid = { .cells = { 1, 1, 1 } };
    const double     x = eagle_random(9, (eagle_at){ .i = field == 1 ? i / 2 : i, .grid = &grid }, field, 0) - 0.5;

    if (field == 0) return ldexp(x, (int)(i * 7919 % 2000) - 1000);
    if (field == 1) return i % 2 == 0 ? x : -x * (1 + ldexp(1, -52));
    return i == 1 ? INFINITY : i == ALL - 1 ? -INFINITY : x;
}

static double one_by_one(int field, eagle_reduction r)
{
    eagle_partial p;

    eg_partial_clear(&p, r);
    for (int64_t i = ALL - 1; i >= 0; i--) {
        const double x = value_at(field, i);
        eg_partial_add(&p, r, &x, 1);
    }
    return eg_partial_value(&p, r);
}

/* The first value this rank has: shares grow with the rank. */
static int64_t first_of(int rank, int ranks) { return (int64_t)ALL * rank * (rank + 1) / (ranks * (ranks + 1)); }

static eagle_plane make_field(eagle_ctx *ctx, int field)
{
    const int64_t first = first_of(eagle_rank(ctx), eagle_ranks(ctx));
    const int64_t end = first_of(eagle_rank(ctx) + 1, eagle_ranks(ctx));
    eagle_plane   plane = { 0 };

    CHECK(eagle_pinned(ctx, "values", EAGLE_F64, EAGLE_SHAPE(end - first), &plane) == EAGLE_OK);
    for (int64_t i = first; i < end; i++) ((double *)eagle_data(plane))[i - first] = value_at(field, i);
    return plane;
}

static eagle_plane make_value(eagle_ctx *ctx)
{
    eagle_plane plane = { 0 };

    CHECK(eagle_pinned(ctx, "value", EAGLE_F64, EAGLE_SHAPE(1), &plane) == EAGLE_OK);
    return plane;
}

static void check_bits(eagle_plane value, double expected)
{
    CHECK(memcmp(eagle_data(value), &expected, sizeof expected) == 0);
}

static void test_over_ranks(eagle_ctx *ctx)
{
    eagle_plane  sum[FIELDS], min[FIELDS], max[FIELDS];
    eagle_graph *g = NULL;

    CHECK(eagle_graph_create(ctx, "sums", &g) == EAGLE_OK);
    for (int f = 0; f < FIELDS; f++) {
        const eagle_plane values = make_field(ctx, f);
        eagle_call(g, eg_stat_sum, .u = values, .into = sum[f] = make_value(ctx));
        eagle_call(g, eg_stat_min, .u = values, .into = min[f] = make_value(ctx));
        eagle_call(g, eg_stat_max, .u = values, .into = max[f] = make_value(ctx));
    }
    for (int n = 1; n < 40; n += 13) {
        CHECK(eagle_launch(g, n) == EAGLE_OK);
        for (int f = 0; f < FIELDS; f++) {
            check_bits(sum[f], one_by_one(f, EAGLE_SUM));
            check_bits(min[f], one_by_one(f, EAGLE_MIN));
            check_bits(max[f], one_by_one(f, EAGLE_MAX));
        }
    }
    eagle_graph_destroy(g);
}

int main(int argc, char **argv)
{
    const eagle_options options = { .backend = "host", .threads = 1 };
    eagle_ctx          *ctx = NULL;

    if (eagle_init(&argc, &argv, &options, &ctx) != EAGLE_OK) return eagle_finalize(NULL, EAGLE_ERR_MPI);
    test_over_ranks(ctx);
    CHECK(eagle_finalize(ctx, EAGLE_OK) == 0);
    return check_end();
}
