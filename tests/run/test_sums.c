/* test_sums.c - on the backend named by the first argument: sums, minima and maxima have the bits that one value after
 * the other gives on the host, whatever the shape; reducing kernels may write; random numbers and atomics. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "exec/exec.h"
#include "sum_kernels.h"

/* A plane and its values on the host. */
typedef struct field {
    eagle_ctx  *ctx;
    eagle_plane plane;
    int64_t     n;
    double     *value;
} field;

static eagle_plane device_plane(eagle_ctx *ctx, eagle_type type, eagle_shape shape)
{
    eagle_plane plane = { 0 };

    CHECK(eg_storage_create(ctx, "plane", type, EAGLE_DEVICE, shape, 1, &plane) == EAGLE_OK);
    return plane;
}

static eagle_plane one_value(eagle_ctx *ctx)
{
    eagle_plane plane = { 0 };

    CHECK(eg_storage_create(ctx, "value", EAGLE_F64, EAGLE_PINNED, EAGLE_SHAPE(1), 1, &plane) == EAGLE_OK);
    return plane;
}

static void upload(eagle_plane plane, const void *values)
{
    const eagle_storage *s = plane.storage;

    CHECK(s->ctx->backend->copy(s->ctx, s->memory[0], values, s->bytes) == EAGLE_OK);
}

static field new_field(eagle_ctx *ctx, eagle_shape shape)
{
    field f = { .ctx = ctx, .plane = device_plane(ctx, EAGLE_F64, shape) };

    f.n = eg_plane_count(f.plane);
    f.value = malloc(f.plane.storage->bytes);
    return f;
}

static eagle_graph *new_graph(eagle_ctx *ctx)
{
    eagle_graph *g = NULL;

    CHECK(eagle_graph_create(ctx, "sums", &g) == EAGLE_OK);
    CHECK(eagle_clock_set(g, (eagle_clock){ 3, 3, 1 }) == EAGLE_OK);
    return g;
}

static void launch(eagle_graph *g, int64_t n)
{
    const eagle_status status = eagle_launch(g, n);

    CHECK(status == EAGLE_OK);
    if (status != EAGLE_OK) fprintf(stderr, "  %s\n", eagle_last_error()->what);
}

static void check_same(double got, double expected)
{
    CHECK(memcmp(&got, &expected, sizeof got) == 0);
    if (memcmp(&got, &expected, sizeof got) != 0) fprintf(stderr, "  got %a, expected %a\n", got, expected);
}

/* --- reductions ----------------------------------------------------------------------------------------------- */

static double one_by_one(const field *f, eagle_reduction r)
{
    eagle_partial p;

    eg_partial_clear(&p, r);
    for (int64_t i = f->n - 1; i >= 0; i--) eg_partial_add(&p, r, &f->value[i], 1);
    return eg_partial_value(&p, r);
}

static void check_reductions(field *f)
{
    const eagle_plane sum = one_value(f->ctx), min = one_value(f->ctx), max = one_value(f->ctx);
    eagle_graph      *g = new_graph(f->ctx);

    upload(f->plane, f->value);
    eagle_call(g, plain, .u = f->plane, .into = sum);
    eagle_call(g, least, .u = f->plane, .into = min);
    eagle_call(g, most, .u = f->plane, .into = max);
    for (int replay = 0; replay < 2; replay++) {
        launch(g, 1);
        check_same(*(double *)eagle_data(sum), one_by_one(f, EAGLE_SUM));
        check_same(*(double *)eagle_data(min), one_by_one(f, EAGLE_MIN));
        check_same(*(double *)eagle_data(max), one_by_one(f, EAGLE_MAX));
    }
    eagle_graph_destroy(g);
}

static double at_random(int64_t i, int stream)
{
    const eagle_grid grid = { .cells = { 1, 1, 1 } };

    return eagle_random(5, (eagle_at){ .i = i, .grid = &grid }, 0, stream);
}

/* From the smallest to the largest exponents, both signs. */
static double wide(int64_t i)
{
    return ldexp(at_random(i, 0) - 0.5, (int)(at_random(i, 1) * 2000) - 1010);
}

static double mild(int64_t i) { return at_random(i, 2) - 0.5; }

static double cancelling(int64_t i) { return i % 2 == 0 ? mild(i) : -mild(i - 1) * (1 + DBL_EPSILON); }

static void test_shapes(eagle_ctx *ctx)
{
    static const eagle_shape shapes[] = { { 1, { 1 } }, { 1, { 70001 } }, { 2, { 203, 301 } }, { 2, { 1031, 3 } },
                                          { 3, { 5, 37, 130 } }, { 3, { 33, 64, 128 } } };
    static double (*const kinds[])(int64_t) = { wide, mild, cancelling };

    for (int s = 0; s < EG_COUNT(shapes); s++) {
        field f = new_field(ctx, shapes[s]);
        for (int k = 0; k < EG_COUNT(kinds); k++) {
            for (int64_t i = 0; i < f.n; i++) f.value[i] = kinds[k](i);
            check_reductions(&f);
        }
        free(f.value);
    }
}

static void test_special(eagle_ctx *ctx)
{
    static const double odd[][3] = { { INFINITY, 1, 1 }, { -INFINITY, 2, -DBL_MAX }, { INFINITY, -INFINITY, 0 },
                                     { NAN, 1, INFINITY }, { DBL_MAX, DBL_MAX, -DBL_MAX }, { DBL_MAX, DBL_MAX, 1 },
                                     { -0.0, 0.0, -0.0 } };
    field f = new_field(ctx, EAGLE_SHAPE(40, 100));

    for (int o = 0; o < EG_COUNT(odd); o++) {
        for (int64_t i = 0; i < f.n; i++) f.value[i] = o == EG_COUNT(odd) - 1 ? -0.0 : mild(i);
        for (int k = 0; k < 3; k++) f.value[77 + 1500 * k] = odd[o][k];
        check_reductions(&f);
    }
    free(f.value);
}

/* Writing and reducing in one pass, over shapes whose last tiles are not whole. */
static void test_writing(eagle_ctx *ctx)
{
    field        f = new_field(ctx, EAGLE_SHAPE(2, 43, 150));
    eagle_plane  sum = one_value(ctx);
    eagle_graph *g = new_graph(ctx);
    double      *got = malloc(f.plane.storage->bytes);

    for (int64_t i = 0; i < f.n; i++) f.value[i] = mild(i);
    upload(f.plane, f.value);
    eagle_call(g, wear, .u = f.plane, .into = sum);
    launch(g, 3);
    for (int64_t i = 0; i < f.n; i++)
        for (int k = 0; k < 3; k++) f.value[i] = f.value[i] / 2 + 1;
    check_same(*(double *)eagle_data(sum), one_by_one(&f, EAGLE_SUM));
    CHECK(eagle_download(f.plane, got) == EAGLE_OK);
    CHECK(memcmp(got, f.value, (size_t)f.n * sizeof *got) == 0);
    eagle_graph_destroy(g);
    free(got);
    free(f.value);
}

/* --- random numbers and atomics ------------------------------------------------------------------------------- */

enum { NX = 150, NY = 43, NZ = 4, CELLS = NX * NY * NZ, BINS = 37 };

typedef struct bins {
    int64_t  total[3 * BINS];
    uint32_t count[2 * BINS];
    int32_t  ends[3 * BINS];
} bins;

static void throw_all(const double *u, bins *b)
{
    for (int i = 0; i < CELLS; i++) {
        const int     bin = (int)(u[i] * BINS);
        const int32_t value = (int32_t)(u[i] * 1000000) - 500000;
        const int64_t large = value * ((int64_t)1 << 20);
        b->total[bin] += value;
        if (large < b->total[BINS + bin]) b->total[BINS + bin] = large;
        if (large > b->total[2 * BINS + bin]) b->total[2 * BINS + bin] = large;
        b->count[bin]++;
        if ((uint32_t)value > b->count[BINS + bin]) b->count[BINS + bin] = (uint32_t)value;
        if (value < b->ends[bin]) b->ends[bin] = value;
        if (value > b->ends[BINS + bin]) b->ends[BINS + bin] = value;
        b->ends[2 * BINS + bin] += value;
    }
}

static void check_draw(const double *u)
{
    const eagle_grid grid = { .cells = { NX, NY, NZ } };
    int              wrong = 0;

    for (int i = 0; i < CELLS; i++) {
        const eagle_at at = { .i = i % NX, .j = i / NX % NY, .k = i / NX / NY, .grid = &grid };
        wrong += u[i] != eagle_random(0x123456789abcdefu, at, 3, 2);
    }
    CHECK(wrong == 0);
}

static void test_scatter(eagle_ctx *ctx)
{
    const lot    p = { 0x123456789abcdefu, BINS };
    eagle_plane  u = device_plane(ctx, EAGLE_F64, EAGLE_SHAPE(NZ, NY, NX));
    eagle_plane  total = device_plane(ctx, EAGLE_I64, EAGLE_SHAPE(3 * BINS));
    eagle_plane  count = device_plane(ctx, EAGLE_U32, EAGLE_SHAPE(2 * BINS));
    eagle_plane  ends = device_plane(ctx, EAGLE_I32, EAGLE_SHAPE(3 * BINS));
    eagle_graph *g = new_graph(ctx);
    double      *drawn = malloc(CELLS * sizeof *drawn);
    bins         expected, got;

    memset(&expected, 0, sizeof expected);
    memset(&got, 0, sizeof got);
    eagle_call(g, draw, .u = u, .params = &p);
    eagle_call(g, scatter, .u = u, .total = total, .count = count, .ends = ends, .params = &p);
    launch(g, 1);
    CHECK(eagle_download(u, drawn) == EAGLE_OK);
    check_draw(drawn);
    throw_all(drawn, &expected);
    CHECK(eagle_download(total, got.total) == EAGLE_OK);
    CHECK(eagle_download(count, got.count) == EAGLE_OK);
    CHECK(eagle_download(ends, got.ends) == EAGLE_OK);
    CHECK(memcmp(&got, &expected, sizeof got) == 0);
    eagle_graph_destroy(g);
    free(drawn);
}

int main(int argc, char **argv)
{
    const eagle_options options = { .backend = argc > 1 ? argv[1] : "host", .threads = 2 };
    eagle_ctx          *ctx;

    if (eg_ctx_open(&options, 0, 1, 0, 1, 8, &ctx) != EAGLE_OK) {
        printf("SKIPPED: %s\n", eagle_last_error()->what);
        return CHECK_SKIPPED;
    }
    test_shapes(ctx);
    test_special(ctx);
    test_writing(ctx);
    test_scatter(ctx);
    eg_ctx_close(ctx);
    return check_end();
}
