/* test_refused.c - the table of refusals: a program, and the exact message and fix that it gets. Each program adds one
 * call that is refused, in line `line`; messages are compared from behind the place. */
#include <stdlib.h>

#include "check.h"
#include "exec/exec.h"
#include "refused_kernels.h"

typedef struct bench {
    eagle_ctx  *ctx;
    eagle_grid  grid;
    eagle_plane u, v;          /* device, f64, 10 */
    eagle_plane f32, small;    /* device: f32, 10; f64, 5 */
    eagle_plane home, page;    /* pinned and pageable, f64, 10 */
    eagle_plane field, next;   /* fields with one ghost cell */
    eagle_plane constant;
    eagle_plane one;           /* pinned, one f64 */
    eagle_plane wide;          /* device, f64, 5 x 7 */
    eagle_plane dt;            /* device, one f64 */
    eagle_plane nothing;       /* named, without memory */
} bench;

static eagle_status do_nothing(const eagle_host_call *c, void *state)
{
    (void)c, (void)state;
    return EAGLE_OK;
}

static void two_sides(eagle_graph *g, const bench *b) { eagle_call(g, copy_cell, .u = b->u, .v = b->home); }
static void left_out(eagle_graph *g, const bench *b) { eagle_call(g, copy_cell, .u = b->u); }
static void wrong_type(eagle_graph *g, const bench *b) { eagle_call(g, pick, .u = b->u, .index = b->v, .v = b->v); }
static void wrong_precision(eagle_graph *g, const bench *b) { eagle_call(g, copy_cell, .u = b->u, .v = b->f32); }
static void other_shape(eagle_graph *g, const bench *b) { eagle_call(g, copy_cell, .u = b->u, .v = b->small); }
static void other_layout(eagle_graph *g, const bench *b) /* the same cells, rows of another length apart */
{
    eagle_call(g, copy_cell, .u = eagle_view(b->wide, EAGLE_SHAPE(0, 0), EAGLE_SHAPE(3, 4)),
               .v = eagle_view(b->field, EAGLE_SHAPE(0, 0), EAGLE_SHAPE(3, 4)));
}
static void other_rank(eagle_graph *g, const bench *b) { eagle_call(g, copy_cell, .u = b->u, .v = b->wide); }
static void in_and_out(eagle_graph *g, const bench *b) { eagle_call(g, copy_cell, .u = b->u, .v = b->u); }
static void inout_reach(eagle_graph *g, const bench *b) { eagle_call(g, bad_reach, .u = b->u); }
static void no_memory(eagle_graph *g, const bench *b) { eagle_call(g, copy_cell, .u = b->u, .v = b->nothing); }
static void no_params(eagle_graph *g, const bench *b) { eagle_call(g, scaled, .u = b->u, .v = b->v); }
static void no_into(eagle_graph *g, const bench *b) { eagle_call(g, total, .u = b->u); }
static void into_plain(eagle_graph *g, const bench *b) { eagle_call(g, copy_cell, .u = b->u, .v = b->v, .into = b->one); }
static void into_many(eagle_graph *g, const bench *b) { eagle_call(g, total, .u = b->u, .into = b->home); }
static void beyond_memory(eagle_graph *g, const bench *b) { eagle_call(g, smooth, .u = b->u, .v = b->v); }
static void never_filled(eagle_graph *g, const bench *b) { eagle_call(g, smooth, .u = b->field, .v = b->next); }
static void too_far(eagle_graph *g, const bench *b) { eagle_call(g, smooth2, .u = b->field, .v = b->next); }
static void writes_constant(eagle_graph *g, const bench *b) { eagle_call(g, copy_cell, .u = b->field, .v = b->constant); }
static void host_on_device(eagle_graph *g, const bench *b)
{
    eagle_opaque(g, do_nothing, .reads = EAGLE_PLANES(b->home, b->u));
}
static void copy_types(eagle_graph *g, const bench *b) { eagle_copy(g, b->u, .into = b->f32); }
static void copy_shapes(eagle_graph *g, const bench *b) { eagle_copy(g, b->u, .into = b->small); }
static void copy_nowhere(eagle_graph *g, const bench *b) { eagle_copy(g, b->u, .into = b->nothing); }
static void copy_overlap(eagle_graph *g, const bench *b)
{
    eagle_copy(g, eagle_view(b->u, EAGLE_SHAPE(0), EAGLE_SHAPE(5)),
               .into = eagle_view(b->u, EAGLE_SHAPE(3), EAGLE_SHAPE(5)));
}
static void swap_unlike(eagle_graph *g, const bench *b) { eagle_swap(g, b->u, b->small); }
static void swap_twice(eagle_graph *g, const bench *b)
{
    eagle_swap(g, b->u, b->v);
    eagle_swap(g, b->v, b->u);
}
static void swap_in_scope(eagle_graph *g, const bench *b)
{
    EAGLE_EVERY(g, 2) eagle_swap(g, b->u, b->v);
}
static void every_zero(eagle_graph *g, const bench *b)
{
    EAGLE_EVERY(g, 0) eagle_copy(g, b->u, .into = b->v);
}
static void no_event(eagle_graph *g, const bench *b)
{
    const eagle_event none = { 0 };
    EAGLE_WHEN(g, none) eagle_copy(g, b->u, .into = b->v);
}
static void scope_open(eagle_graph *g, const bench *b)
{
    EAGLE_EVERY(g, 2)
    {
        eagle_copy(g, b->u, .into = b->v);
        break;
    }
}
static void fill_plain(eagle_graph *g, const bench *b) { eagle_fill_ghosts(g, b->u); }
static void record_many(eagle_graph *g, const bench *b) { eagle_record(g, "u", "K", b->home); }

static void set_dt_home(eagle_graph *g, const bench *b) { eagle_set_dt(g, b->one); }
static void set_dt_many(eagle_graph *g, const bench *b) { eagle_set_dt(g, b->u); }
static void set_dt_twice(eagle_graph *g, const bench *b)
{
    eagle_set_dt(g, b->dt);
    eagle_set_dt(g, b->dt);
}
static void set_dt_in_scope(eagle_graph *g, const bench *b)
{
    EAGLE_EVERY(g, 2) eagle_set_dt(g, b->dt);
}
static void set_dt_pageable(eagle_graph *g, const bench *b)
{
    eagle_copy(g, b->u, .into = b->page);
    eagle_set_dt(g, b->dt);
}

#define ONE_DOUBLE "make it with eagle_device(ctx, name, EAGLE_F64, EAGLE_SHAPE(1), &plane)"
#define ONCE       "call eagle_set_dt once a step, outside of scopes; its plane may be written in one"
#define SIDES "copy one of them first: eagle_copy(g, plane, .into = other)"
static const struct {
    void (*add)(eagle_graph *g, const bench *b);
    const char *what, *fix;
} table[] = {
    { two_sides, "copy_cell: 'u' is on the device and 'home' pinned; a node runs on one side", SIDES },
    { left_out, "copy_cell: called without 'v'", "add .v = plane to the call" },
    { wrong_type, "pick: 'index' wants int32_t, but plane 'v' holds double", "give .index a plane of int32_t" },
    { wrong_precision, "copy_cell: 'v' wants double, but plane 'f32' holds float", "give .v a plane of double" },
    { other_shape, "copy_cell: 'u' and 'small' have not the same cells", "call a kernel on planes of one shape and layout" },
    { other_layout, "copy_cell: 'wide' and 'field' have not the same cells", "call a kernel on planes of one shape and layout" },
    { other_rank, "copy_cell: 'u' and 'wide' have not the same cells", "call a kernel on planes of one shape and layout" },
    { in_and_out, "copy_cell: plane 'u' is both 'u' and 'v'", "give it to one slot declared inout, or use a second plane" },
    { inout_reach, "bad_reach: 'u' is inout with a reach", "read it through a slot `in` of another plane" },
    { no_memory, "copy_cell: plane 'nothing' has no memory",
      "make it with eagle_device, eagle_pinned, eagle_host or eagle_wrap; a view must lie inside its plane" },
    { no_params, "scaled: called without its parameters", "add .params = &parameters" },
    { no_into, "total: called without .into", "add .into = a one-element plane of double" },
    { into_plain, "copy_cell: returns nothing, but .into is given", "remove .into, or write it with EAGLE_SUM_KERNEL" },
    { into_many, "total: .into = 'home' is not one double that it can reach",
      "give .into one double, on the kernel's side or pinned" },
    { beyond_memory, "smooth: 'u' is read 1 cells out, beyond the memory of 'u'",
      "call it on a view that leaves room: eagle_view(plane, lo, n)" },
    { never_filled, "smooth: 'u' is read 1 cell out, but its ghost cells are not filled in this step",
      "put eagle_fill_ghosts(g, field) before it" },
    { too_far, "smooth2: 'u' is read 2 cells out, but 'field' has 1 ghost cells", "declare the field with .ghosts = 2" },
    { writes_constant, "copy_cell: 'constant' is a constant field", "declare the field without .constant" },
    { host_on_device, "do_nothing: a host function was given 'u', which is on the device",
      "copy it into a pinned plane first: eagle_copy(g, plane, .into = pinned)" },
    { copy_types, "copy u -> f32: 'u' holds double and 'f32' float", "copy between planes of one type" },
    { copy_shapes, "copy u -> small: 'u' and 'small' differ in shape", "take boxes of one shape with eagle_view" },
    { copy_nowhere, "copy u -> nothing: plane 'nothing' has no memory",
      "make it with eagle_device, eagle_pinned, eagle_host or eagle_wrap; a view must lie inside its plane" },
    { copy_overlap, "copy u -> u: 'u' and 'u' overlap", "copy through another plane" },
    { swap_unlike, "'u' and 'small' cannot be swapped", "swap two whole planes made alike" },
    { swap_twice, "plane 'v' is in two swaps", "swap a plane once a step" },
    { swap_in_scope, "swap of 'u' and 'v' inside a scope", "put eagle_swap behind the scope" },
    { every_zero, "every 0, at 0", "EAGLE_EVERY(g, k, .at = r) with k >= 1 and 0 <= r < k" },
    { no_event, "the event does not exist", "make it with eagle_event_create" },
    { scope_open, "a scope was left open", "leave the scope's block by its end, not by break or return" },
    { fill_plain, "fill_ghosts: 'u' has no ghost cells", "name a field" },
    { set_dt_home, "set_dt: 'one' is not one double on the device", ONE_DOUBLE },
    { set_dt_many, "set_dt: 'u' is not one double on the device", ONE_DOUBLE },
    { set_dt_twice, "set_dt of 'dt': dt is set already", ONCE },
    { set_dt_in_scope, "set_dt of 'dt' inside a scope", ONCE },
    { set_dt_pageable, "copy u -> page: pageable memory in a step that sets dt", "make its host plane with eagle_pinned" },
    { record_many, "record: 'home' is not one double on the host",
      "make it with eagle_value, or eagle_pinned(ctx, name, EAGLE_F64, EAGLE_SHAPE(1), &plane)" },
};

/* A write makes ghost cells old, and the refusal names the writer and its line. */
static void test_stale(const bench *b)
{
    eagle_graph *g = NULL;
    char         expected[256];

    CHECK(eagle_graph_create(b->ctx, "stale", &g) == EAGLE_OK);
    eg_ghosts_filled(g, b->field);
    eagle_call(g, smooth, .u = b->field, .v = b->next);
    CHECK(g->error.status == EAGLE_OK);
    const int line = __LINE__ + 1;
    eagle_call(g, copy_cell, .u = b->next, .v = b->field);
    eagle_call(g, smooth, .u = b->field, .v = b->next);
    snprintf(expected, sizeof expected,
             "smooth: 'u' is read 1 cell out, but its ghost cells are older than the write by copy_cell at %s:%d",
             __FILE__, line);
    CHECK(eagle_launch(g, 1) == EAGLE_ERR_GRAPH);
    CHECK_TEXT(eagle_last_error()->what, expected);
    CHECK(eagle_last_error()->here.line == line + 1);
    eagle_graph_destroy(g);
}

static void test_row(const bench *b, int row)
{
    eagle_graph *g = NULL;

    CHECK(eagle_graph_create(b->ctx, "refused", &g) == EAGLE_OK);
    table[row].add(g, b);
    for (int call = 0; call < 4; call++) { /* it comes back from each of them */
        const eagle_status s = call == 0   ? eagle_prepare(g)
                               : call == 1 ? eagle_launch(g, 1)
                               : call == 2 ? eagle_enqueue(g, 1)
                                           : eagle_synchronize(g);
        CHECK(s == EAGLE_ERR_GRAPH);
        CHECK_TEXT(eagle_last_error()->what, table[row].what);
        CHECK_TEXT(eagle_last_error()->fix, table[row].fix);
        CHECK(eagle_last_error()->here.file != NULL && eagle_last_error()->here.line > 0);
    }
    eagle_graph_destroy(g);
}

/* Planes of another context, and nodes added after the first replay. */
static void test_others(const bench *b, const bench *other)
{
    eagle_graph *g = NULL;

    CHECK(eagle_graph_create(b->ctx, "other", &g) == EAGLE_OK);
    eagle_copy(g, b->u, .into = other->v);
    CHECK(eagle_launch(g, 1) == EAGLE_ERR_GRAPH);
    CHECK_TEXT(eagle_last_error()->what, "copy u -> v: plane 'v' belongs to another context");
    eagle_graph_destroy(g);
    CHECK(eagle_graph_create(b->ctx, "late", &g) == EAGLE_OK);
    eagle_copy(g, b->u, .into = b->v);
    CHECK(eagle_launch(g, 1) == EAGLE_OK);
    eagle_copy(g, b->u, .into = b->v);
    CHECK(eagle_launch(g, 1) == EAGLE_ERR_GRAPH);
    CHECK_TEXT(eagle_last_error()->what, "graph 'late' was replayed already; nothing can be added");
    eagle_graph_destroy(g);
}

static bool open_bench(bench *b, const char *backend)
{
    const eagle_options options = { .backend = backend, .threads = 1 };
    const eagle_shape   ten = EAGLE_SHAPE(10), five = EAGLE_SHAPE(5), one = EAGLE_SHAPE(1);

    if (eg_ctx_open(&options, 0, 1, 0, 1, 1, &b->ctx) != EAGLE_OK) return false;
    b->grid = (eagle_grid){ .cells = { 8, 4, 1 }, .local = { 8, 4, 1 }, .h = { 1, 1, 1 }, .dims = 2, .ghosts = 1 };
    eg_grid_pitch(&b->grid);
    CHECK(eagle_device(b->ctx, "u", EAGLE_F64, ten, &b->u) == EAGLE_OK);
    CHECK(eagle_device(b->ctx, "v", EAGLE_F64, ten, &b->v) == EAGLE_OK);
    CHECK(eagle_device(b->ctx, "f32", EAGLE_F32, ten, &b->f32) == EAGLE_OK);
    CHECK(eagle_device(b->ctx, "small", EAGLE_F64, five, &b->small) == EAGLE_OK);
    CHECK(eagle_pinned(b->ctx, "home", EAGLE_F64, ten, &b->home) == EAGLE_OK);
    CHECK(eagle_host(b->ctx, "page", EAGLE_F64, ten, &b->page) == EAGLE_OK);
    CHECK(eagle_device(b->ctx, "wide", EAGLE_F64, EAGLE_SHAPE(5, 7), &b->wide) == EAGLE_OK);
    CHECK(eagle_device(b->ctx, "dt", EAGLE_F64, one, &b->dt) == EAGLE_OK);
    CHECK(eagle_pinned(b->ctx, "one", EAGLE_F64, one, &b->one) == EAGLE_OK);
    CHECK(eg_field_create(b->ctx, "field", EAGLE_F64, EAGLE_DEVICE, &b->grid, 1, 1, &b->field) == EAGLE_OK);
    CHECK(eg_field_create(b->ctx, "next", EAGLE_F64, EAGLE_DEVICE, &b->grid, 1, 1, &b->next) == EAGLE_OK);
    CHECK(eg_field_create(b->ctx, "constant", EAGLE_F64, EAGLE_DEVICE, &b->grid, 1, 1, &b->constant) == EAGLE_OK);
    b->constant.storage->constant = true;
    b->nothing.name = "nothing";
    return true;
}

int main(int argc, char **argv)
{
    const char *backend = argc > 1 ? argv[1] : "host";
    bench       b = { 0 }, other = { 0 };

    if (!open_bench(&b, backend)) {
        printf("SKIPPED: %s\n", eagle_last_error()->what);
        return CHECK_SKIPPED;
    }
    if (!open_bench(&other, backend)) return 1;
    for (int row = 0; row < EG_COUNT(table); row++) test_row(&b, row);
    test_stale(&b);
    test_others(&b, &other);
    eg_ctx_close(other.ctx);
    eg_ctx_close(b.ctx);
    return check_end();
}
