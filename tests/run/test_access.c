/* test_access.c - what a kernel touches against what it declares: wrong kernels and the exact words for each, right ones
 * that pass and give what they give without the check, and host functions. */
#include "access_kernels.h"
#include "check.h"
#include "exec/exec.h"

enum { NX = 9, NY = 5, GHOSTS = 2 };

typedef struct bench {
    eagle_ctx  *ctx;
    eagle_grid  grid;
    eagle_plane u, v, w, index; /* fields: real, of two components, int32 */
    eagle_plane count, home;    /* device, 64 of uint32; pinned, 4 of double */
} bench;

static void fill(eagle_plane plane)
{
    double  reals[4 * NX * NY];
    int32_t whole[NX * NY];

    for (int i = 0; i < 4 * NX * NY; i++) reals[i] = 1 + 0.37 * i;
    for (int i = 0; i < NX * NY; i++) whole[i] = i * 7 % 40;
    CHECK(eagle_upload(plane, plane.type == EAGLE_I32 ? (const void *)whole : reals) == EAGLE_OK);
}

static bool open_bench(bench *b, bool checks)
{
    const eagle_options options = { .threads = 2, .check_access = checks };

    *b = (bench){ .grid = { .cells = { NX + 20, NY, 1 }, .local = { NX, NY, 1 }, .offset = { 20, 0, 0 }, .h = { 1, 1, 1 },
                            .dims = 2, .ghosts = GHOSTS } };
    if (eg_ctx_open(&options, 0, 1, 0, 1, 1, &b->ctx) != EAGLE_OK) return false;
    CHECK_TEXT(checks ? b->ctx->backend->name : "host", "host");
    eg_grid_pitch(&b->grid);
    CHECK(eg_field_create(b->ctx, "u", EAGLE_F64, EAGLE_DEVICE, &b->grid, GHOSTS, 1, &b->u) == EAGLE_OK);
    CHECK(eg_field_create(b->ctx, "v", EAGLE_F64, EAGLE_DEVICE, &b->grid, GHOSTS, 1, &b->v) == EAGLE_OK);
    CHECK(eg_field_create(b->ctx, "w", EAGLE_F64, EAGLE_DEVICE, &b->grid, GHOSTS, 2, &b->w) == EAGLE_OK);
    CHECK(eg_field_create(b->ctx, "index", EAGLE_I32, EAGLE_DEVICE, &b->grid, GHOSTS, 1, &b->index) == EAGLE_OK);
    CHECK(eagle_device(b->ctx, "count", EAGLE_U32, EAGLE_SHAPE(64), &b->count) == EAGLE_OK);
    CHECK(eagle_pinned(b->ctx, "home", EAGLE_F64, EAGLE_SHAPE(4), &b->home) == EAGLE_OK);
    fill(b->u), fill(b->v), fill(b->w), fill(b->index);
    return true;
}

static void add_too_far(eagle_graph *g, const bench *b) { eagle_call(g, too_far, .u = b->u, .v = b->v); }
static void add_corner(eagle_graph *g, const bench *b) { eagle_call(g, corner, .u = b->u, .v = b->v); }
static void add_now_and_then(eagle_graph *g, const bench *b) { eagle_call(g, now_and_then, .u = b->u, .v = b->v); }
static void add_adds(eagle_graph *g, const bench *b) { eagle_call(g, adds, .u = b->u, .v = b->v); }
static void add_spills(eagle_graph *g, const bench *b) { eagle_call(g, spills, .u = b->u, .v = b->v); }
static void add_spoils(eagle_graph *g, const bench *b) { eagle_call(g, spoils, .u = b->u, .v = b->v); }
static void add_far_sum(eagle_graph *g, const bench *b)
{
    eagle_call(g, far_sum, .u = b->u, .into = eagle_view(b->home, EAGLE_SHAPE(0), EAGLE_SHAPE(1)));
}
static void add_far_index(eagle_graph *g, const bench *b)
{
    eagle_call(g, far_index, .index = b->index, .u = b->u, .v = b->v);
}
static void add_component(eagle_graph *g, const bench *b) { eagle_call(g, component, .w = b->w, .v = b->v); }
static void add_honest(eagle_graph *g, const bench *b) { eagle_call(g, honest, .u = b->u, .v = b->v); }
static void add_masked(eagle_graph *g, const bench *b) { eagle_call(g, masked, .u = b->u, .v = b->v); }
static void add_gathers(eagle_graph *g, const bench *b)
{
    eagle_call(g, gathers, .index = b->index, .u = b->u, .v = b->v, .count = b->count);
}
static void add_honest_sum(eagle_graph *g, const bench *b)
{
    eagle_call(g, honest_sum, .u = b->u, .into = eagle_view(b->home, EAGLE_SHAPE(0), EAGLE_SHAPE(1)));
}

/* On a plane without a grid. */
static void add_plain(eagle_graph *g, const bench *b)
{
    eagle_plane u, v;

    CHECK(eagle_device(b->ctx, "plain", EAGLE_F32, EAGLE_SHAPE(4, 6, 8), &u) == EAGLE_OK);
    CHECK(eagle_device(b->ctx, "other", EAGLE_F32, EAGLE_SHAPE(4, 6, 8), &v) == EAGLE_OK);
    eagle_call(g, too_far, .u = eagle_view(u, EAGLE_SHAPE(1, 1, 1), EAGLE_SHAPE(2, 4, 5)),
               .v = eagle_view(v, EAGLE_SHAPE(1, 1, 1), EAGLE_SHAPE(2, 4, 5)));
}

static eagle_status writes_what_it_reads(const eagle_host_call *c, void *state)
{
    (void)state;
    ((double *)c->data[0])[2] += 1;
    return EAGLE_OK;
}

static void add_function(eagle_graph *g, const bench *b)
{
    eagle_opaque(g, writes_what_it_reads, .reads = EAGLE_PLANES(b->home));
}

static const struct {
    void (*add)(eagle_graph *g, const bench *b);
    const char *what, *fix; /* NULL: it is right */
} table[] = {
    { add_too_far,
      "too_far: cell (20, 0, 0) reads 'u' at (22, 0, 0), but declares it in with reach EAGLE_STAR(1) (too_far, replay 0)",
      "declare P(in, real, u, 2), with as many ghost cells" },
    { add_corner,
      "corner: cell (20, 0, 0) reads 'u' at (21, 1, 0), but declares it in with reach EAGLE_STAR(1) (corner, replay 0)",
      "declare P(in, real, u, 1), with as many ghost cells" },
    { add_adds, "adds: cell (20, 0, 0) reads 'v' at (20, 0, 0), but declares it out with reach 0 (adds, replay 0)",
      "declare it P(inout, real, v, 0)" },
    { add_spills, "spills: cell (23, 0, 0) writes 'v' at (24, 0, 0), but declares it out (spills, replay 0)",
      "write v[0] only, or declare it exclusive" },
    { add_spoils, "spoils: cell (26, 0, 0) writes 'u' at (26, 0, 0), but declares it in (spoils, replay 0)",
      "declare 'u' out or inout" },
    { add_far_sum, "far_sum: cell (20, 0, 0) reads 'u' at (20, 2, 0), but declares it in with reach 1 (far_sum, replay 0)",
      "declare P(in, real, u, 2), with as many ghost cells" },
    { add_far_index,
      "far_index: cell (20, 0, 0) reads 'index' at (21, 0, 0), but declares it in with reach 0 (far_index, replay 0)",
      "declare P(in, int32_t, index, 1), with as many ghost cells" },
    { add_component,
      "component: cell (20, 0, 0) reads 'w' at (21, 0, 0), but declares it in with reach 0 (component, replay 0)",
      "declare P(in, real, w, 1), with as many ghost cells" },
    { add_plain, "too_far: cell (0, 0, 0) reads 'u' at (2, 0, 0), but declares it in with reach EAGLE_STAR(1) (too_far, replay 0)",
      "declare P(in, real, u, 2), with as many ghost cells" },
    { add_function, "writes_what_it_reads writes 'home', which it declares to read (writes_what_it_reads, replay 0)",
      "name it in .writes" },
    { add_honest, NULL, NULL },
    { add_masked, NULL, NULL },
    { add_gathers, NULL, NULL },
    { add_honest_sum, NULL, NULL },
};

static eagle_status run(const bench *b, void (*add)(eagle_graph *g, const bench *b))
{
    eagle_graph *g = NULL;

    CHECK(eagle_graph_create(b->ctx, "access", &g) == EAGLE_OK);
    eg_ghosts_filled(g, b->u);
    add(g, b);
    const eagle_status status = eagle_launch(g, 1);
    eagle_graph_destroy(g);
    return status;
}

static void test_row(int row)
{
    bench    checked, plain;
    double   v[2][NX * NY];
    uint32_t count[2][64];

    if (!open_bench(&checked, true)) return;
    const eagle_status status = run(&checked, table[row].add);
    CHECK(status == (table[row].what != NULL ? EAGLE_ERR_GRAPH : EAGLE_OK));
    if (status != EAGLE_OK) CHECK_TEXT(eagle_last_error()->what, table[row].what != NULL ? table[row].what : "");
    if (table[row].what != NULL) CHECK_TEXT(eagle_last_error()->fix, table[row].fix);
    if (status != EAGLE_OK) CHECK(eagle_last_error()->here.line > 0);
    if (table[row].what == NULL && open_bench(&plain, false)) { /* the check leaves no trace */
        CHECK(run(&plain, table[row].add) == EAGLE_OK);
        CHECK(eagle_download(checked.v, v[0]) == EAGLE_OK && eagle_download(plain.v, v[1]) == EAGLE_OK);
        CHECK(eagle_download(checked.count, count[0]) == EAGLE_OK && eagle_download(plain.count, count[1]) == EAGLE_OK);
        CHECK(memcmp(v[0], v[1], sizeof v[0]) == 0 && memcmp(count[0], count[1], sizeof count[0]) == 0);
        eg_ctx_close(plain.ctx);
    }
    eg_ctx_close(checked.ctx);
}

/* A single cell that reads too far, and only if its value is used; a backend that cannot check. */
static void test_others(void)
{
    const eagle_options options = { .backend = "cuda", .check_access = true };
    eagle_ctx          *ctx;
    bench               b;

    CHECK(eg_ctx_open(&options, 0, 1, 0, 1, 1, &ctx) == EAGLE_ERR_CONFIG);
    CHECK_TEXT(eagle_last_error()->what, "accesses are checked on the host, not by 'cuda'");
    if (!open_bench(&b, true)) return;
    b.grid.offset[0] = 0;
    CHECK(run(&b, add_now_and_then) == EAGLE_ERR_GRAPH);
    CHECK_TEXT(eagle_last_error()->what, "now_and_then: cell (5, 2, 0) reads 'u' at (5, 1, 0), but declares it in with "
                                         "reach 0 (now_and_then, replay 0)");
    eg_ctx_close(b.ctx);
}

int main(void)
{
    for (int row = 0; row < EG_COUNT(table); row++) test_row(row);
    test_others();
    return check_end();
}
