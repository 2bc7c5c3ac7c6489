/* test_words.c - each word that a kernel's list of planes may say, by the values that come of it: table, any, exclusive,
 * inout, reaches, components, types, boxes and edges. On the backend named by the first argument, in both precisions. */
#include "check.h"
#include "exec/exec.h"
#include "word_kernels.h"

enum { NX = 37, NY = 11, GHOSTS = 2, SIZE = NX * NY };

typedef struct bench {
    eagle_ctx  *ctx;
    eagle_grid  grid;
    eagle_type  type;
    eagle_graph *g;
} bench;

static eagle_plane field(bench *b, const char *name, eagle_type type, int components)
{
    eagle_plane plane = { 0 };

    CHECK(eg_field_create(b->ctx, name, type, EAGLE_DEVICE, &b->grid, GHOSTS, components, &plane) == EAGLE_OK);
    return plane;
}

static eagle_plane plane(bench *b, const char *name, eagle_type type, eagle_shape shape)
{
    eagle_plane out = { 0 };

    CHECK(eagle_device(b->ctx, name, type, shape, &out) == EAGLE_OK);
    return out;
}

/* Values as doubles, to and from a plane of either precision. */
static void put(eagle_plane to, const double *values)
{
    const int64_t n = eg_plane_count(to);
    float         single[4 * SIZE];

    for (int64_t i = 0; i < n; i++) single[i] = (float)values[i];
    CHECK(eagle_upload(to, to.type == EAGLE_F32 ? (const void *)single : values) == EAGLE_OK);
}

static void get(eagle_plane from, double *values)
{
    const int64_t n = eg_plane_count(from);
    float         single[4 * SIZE];

    CHECK(eagle_download(from, from.type == EAGLE_F32 ? (void *)single : values) == EAGLE_OK);
    for (int64_t i = 0; i < n && from.type == EAGLE_F32; i++) values[i] = (double)single[i];
}

static void begin(bench *b) { CHECK(eagle_graph_create(b->ctx, "words", &b->g) == EAGLE_OK); }

static void run(bench *b, int64_t n)
{
    const eagle_status s = eagle_launch(b->g, n);

    CHECK(s == EAGLE_OK);
    if (s != EAGLE_OK) fprintf(stderr, "  %s\n", eagle_last_error()->what);
    eagle_graph_destroy(b->g);
}

static eagle_plane indices(bench *b, int32_t *index)
{
    eagle_plane out = field(b, "index", EAGLE_I32, 1);

    for (int i = 0; i < SIZE; i++) index[i] = i * 5 % 7;
    CHECK(eagle_upload(out, index) == EAGLE_OK);
    return out;
}

static void test_tables(bench *b)
{
    const table_size size = { 5, 3 };
    eagle_plane      values = plane(b, "values", b->type, EAGLE_SHAPE(7)), v = field(b, "v", b->type, 1);
    eagle_plane      map = plane(b, "map", EAGLE_F64, EAGLE_SHAPE(3, 5));
    double           seven[7], fifteen[15], got[SIZE];
    int32_t          index[SIZE];
    eagle_plane      at = indices(b, index);

    for (int i = 0; i < 7; i++) seven[i] = 1 << i;
    for (int i = 0; i < 15; i++) fifteen[i] = 1000 * (i + 1);
    put(values, seven), put(map, fifteen);
    begin(b);
    eagle_call(b->g, look_up, .index = at, .values = values, .v = v);
    eagle_call(b->g, look_at, .map = map, .v = v, .params = &size);
    run(b, 1);
    get(v, got);
    for (int j = 0; j < NY; j++)
        for (int i = 0; i < NX; i++)
            CHECK(got[j * NX + i] == seven[index[j * NX + i]] + seven[(index[j * NX + i] + 1) % 7] +
                                         fifteen[j % 3 * 5 + i % 5]);
}

static void test_any(bench *b)
{
    const int32_t wanted[3] = { 4, 0, 9 };
    eagle_plane   list = plane(b, "wanted", EAGLE_I32, EAGLE_SHAPE(3)), count = plane(b, "count", EAGLE_U32, EAGLE_SHAPE(3));
    int32_t       index[SIZE];
    uint32_t      expected[3] = { 0 }, got[3];
    eagle_plane   at = indices(b, index);

    CHECK(eagle_upload(list, wanted) == EAGLE_OK);
    for (int i = 0; i < SIZE; i++)
        for (int k = 0; k < 3; k++) expected[k] += index[i] == wanted[k];
    begin(b);
    eagle_call(b->g, found, .wanted = list, .count = count, .index = at);
    run(b, 3);
    CHECK(eagle_download(count, got) == EAGLE_OK);
    for (int k = 0; k < 3; k++) CHECK(got[k] == 3 * expected[k]);
    CHECK(got[0] > 100 && got[2] == 0);
}

static void test_exclusive(bench *b)
{
    eagle_plane u = field(b, "u", b->type, 1);
    double      before[SIZE], got[SIZE];

    for (int i = 0; i < SIZE; i++) before[i] = i;
    put(u, before);
    begin(b);
    eagle_call(b->g, turn, .u = u);
    run(b, 3);
    get(u, got);
    for (int j = 0; j < NY; j++)
        for (int i = 0; i < NX; i++) CHECK(got[j * NX + i] == before[j * NX + NX - 1 - i]);
}

static void test_types(bench *b)
{
    eagle_plane a = field(b, "a", EAGLE_U8, 1), wide = field(b, "b", EAGLE_I64, 1), c = field(b, "c", EAGLE_F32, 1);
    eagle_plane d = field(b, "d", EAGLE_U32, 1), e = field(b, "e", EAGLE_F64, 1);
    uint8_t     bytes[SIZE];
    int64_t     words[SIZE];
    float       singles[SIZE];
    uint32_t    got[SIZE];
    double      thirds[SIZE];

    for (int i = 0; i < SIZE; i++) {
        bytes[i] = (uint8_t)(i % 256);
        words[i] = ((int64_t)1 << 40) * i + 3 * i;
        singles[i] = (float)i / 7;
    }
    CHECK(eagle_upload(a, bytes) == EAGLE_OK && eagle_upload(wide, words) == EAGLE_OK && eagle_upload(c, singles) == EAGLE_OK);
    begin(b);
    eagle_call(b->g, types, .a = a, .b = wide, .c = c, .d = d, .e = e);
    run(b, 1);
    CHECK(eagle_download(d, got) == EAGLE_OK && eagle_download(e, thirds) == EAGLE_OK);
    for (int i = 0; i < SIZE; i++) CHECK(got[i] == (uint32_t)(i % 256 + 3 * i) && thirds[i] == (double)singles[i] / 3);
}

/* A box of a call, and views of fields, touch those cells only; reaches go beyond them. */
static void test_boxes(bench *b)
{
    const eagle_box over = { .lo = { 3, 2, 0 }, .hi = { 30, 9, 1 } };
    eagle_plane     u = field(b, "u", b->type, 1), v = field(b, "v", b->type, 1);
    double          values[SIZE], got[SIZE];

    for (int i = 0; i < SIZE; i++) values[i] = i % 23;
    put(u, values);
    begin(b);
    eagle_call(b->g, star, .u = u, .v = v, .over = &over);
    eagle_call(b->g, star, .u = eagle_view(u, EAGLE_SHAPE(3, 4), EAGLE_SHAPE(2, 5)),
               .v = eagle_view(v, EAGLE_SHAPE(3, 4), EAGLE_SHAPE(2, 5)));
    run(b, 1);
    get(v, got);
    for (int j = 0; j < NY; j++)
        for (int i = 0; i < NX; i++) {
            const double *m = &values[j * NX + i];
            const bool    once = i >= 3 && i < 30 && j >= 2 && j < 9, again = i >= 4 && i < 9 && j >= 3 && j < 5;
            const double  each = once ? m[-2] + 10 * m[2] + 100 * m[-2 * NX] + 1000 * m[2 * NX] : 0;
            CHECK(got[j * NX + i] == (again ? 2 * each : each));
        }
}

static void test_components(bench *b)
{
    const eagle_box inside = { .lo = { 1, 1, 0 }, .hi = { NX - 1, NY - 1, 1 } };
    eagle_plane     w = field(b, "w", b->type, 3), v = field(b, "v", b->type, 1);
    double          values[3 * SIZE], got[SIZE];

    for (int i = 0; i < 3 * SIZE; i++) values[i] = i % 101;
    put(w, values);
    begin(b);
    eagle_call(b->g, parts, .w = w, .v = v, .over = &inside);
    run(b, 1);
    get(v, got);
    for (int j = 1; j < NY - 1; j++)
        for (int i = 1; i < NX - 1; i++) {
            const double *m = &values[j * NX + i];
            CHECK(got[j * NX + i] == m[0] + 10 * m[SIZE] + 100 * m[2 * SIZE + 1 - NX]);
        }
}

/* Ghost cells beyond one side: depth 1 is next to the edge. They are read back by a copy of that box. */
static void check_edge(bench *b, int axis, int side)
{
    eagle_plane u = field(b, "u", b->type, 1), out;
    double      values[SIZE], got[GHOSTS * NX];
    eagle_box   box = { .hi = { NX, NY, 1 }, .edge = true, .axis = axis, .side = side };
    eagle_plane ghosts = u;
    const int   n[2] = { NX, NY }, a = 1 - axis; /* of the plane's axes */

    for (int i = 0; i < SIZE; i++) values[i] = i * 3 % 61;
    put(u, values);
    box.lo[axis] = side == 0 ? -GHOSTS : n[axis];
    box.hi[axis] = box.lo[axis] + GHOSTS;
    ghosts.n[a] = GHOSTS;
    ghosts.first += box.lo[axis] * ghosts.stride[a];
    out = plane(b, "ghosts", b->type, EAGLE_SHAPE(ghosts.n[0], ghosts.n[1]));
    begin(b);
    eagle_call(b->g, beyond, .u = u, .over = &box);
    eagle_copy(b->g, ghosts, .into = out);
    run(b, 1);
    get(out, got);
    for (int64_t y = box.lo[1]; y < box.hi[1]; y++)
        for (int64_t x = box.lo[0]; x < box.hi[0]; x++) {
            const int64_t at[2] = { x, y }, depth = side == 0 ? -at[axis] : at[axis] - n[axis] + 1;
            int64_t       mirrored[2] = { x, y }, nearest[2] = { x, y };
            mirrored[axis] = side == 0 ? depth - 1 : n[axis] - depth;
            nearest[axis] = side == 0 ? 0 : n[axis] - 1;
            const double here = 1e6 * (double)depth + 1e3 * (double)x + (double)y;
            CHECK(got[(y - box.lo[1]) * out.n[1] + x - box.lo[0]] ==
                  here + 2 * values[mirrored[1] * NX + mirrored[0]] - values[nearest[1] * NX + nearest[0]]);
        }
    get(u, values); /* the cells inside stay */
    for (int i = 0; i < SIZE; i++) CHECK(values[i] == i * 3 % 61);
}

int main(int argc, char **argv)
{
    const eagle_options options = { .backend = argc > 1 ? argv[1] : "host", .threads = 2 };
    bench               b = { .grid = { .cells = { NX, NY, 1 }, .local = { NX, NY, 1 }, .h = { 1, 1, 1 }, .dims = 2,
                                        .ghosts = GHOSTS } };

    if (eg_ctx_open(&options, 0, 1, 0, 1, 1, &b.ctx) != EAGLE_OK) {
        printf("SKIPPED: %s\n", eagle_last_error()->what);
        return CHECK_SKIPPED;
    }
    eg_grid_pitch(&b.grid);
    for (int precision = 0; precision < 2; precision++) {
        b.type = precision == 0 ? EAGLE_F64 : EAGLE_F32;
        test_tables(&b);
        test_any(&b);
        test_exclusive(&b);
        test_boxes(&b);
        test_components(&b);
        for (int k = 0; k < 4; k++) check_edge(&b, k / 2, k % 2);
    }
    test_types(&b);
    eg_ctx_close(b.ctx);
    return check_end();
}
