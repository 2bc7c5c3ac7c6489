/* test_halo.c - ghost cells, corners too, hold the value of the cell that they stand for, or what the edges make of it:
 * on any number of ranks, in 2-D and 3-D, for fields of several types, components and widths in one fill; and a rank
 * that fails goes on taking part, and is heard of. */
#include "check.h"
#include "run/halo.h"
#include "run/stat_kernels.h"

enum { FIELDS = 3, CLOSED = 9 /* a setting with an edge on every side */ };

/* edges: p periodic, m mirror, f fixed, d derivative; x_lower x_upper y_lower ... */
typedef struct setting {
    int         dims, ghosts;
    int64_t     cells[3];
    const char *edges;
} setting;

static const setting settings[] = {
    { 2, 1, { 9, 7, 1 }, "mmmm" },     { 2, 2, { 16, 13, 1 }, "ppmm" },   { 2, 1, { 8, 12, 1 }, "pppp" },
    { 3, 1, { 7, 6, 9 }, "mmmmmm" },   { 3, 2, { 8, 9, 11 }, "ppmmpp" },  { 3, 1, { 5, 4, 8 }, "pppppp" },
    { 2, 3, { 700, 40, 1 }, "pppp" },  { 2, 2, { 12, 12, 1 }, "fdmf" },   { 3, 2, { 8, 12, 8 }, "fdppdf" },
    { 3, 2, { 8, 8, 12 }, "mfdmfd" },
};

static bool periodic(const setting *s, int axis) { return s->edges[2 * axis] == 'p'; }

static double value_at(int field, int c, const int64_t i[3])
{
    return (double)(1000000 * (field + 1) + 100000 * c) + (double)(i[0] + 97 * i[1] + 1013 * i[2]) / 64;
}

/* The value of the input that stands at a side. */
static double edge_value(int axis, int side) { return 17.25 + 3 * axis + side; }

static double rounded(double x, bool single) { return single ? (double)(float)x : x; }

/* What a cell holds, ghost cells too. The last axis is the last whose edge is applied. */
static double expected(const setting *s, int field, int c, bool single, const int64_t cell[3])
{
    int64_t i[3] = { cell[0], cell[1], cell[2] };

    for (int a = 0; a < s->dims; a++)
        if (periodic(s, a)) i[a] = (i[a] + s->cells[a]) % s->cells[a];
    for (int a = s->dims - 1; a >= 0; a--) {
        const int64_t n = s->cells[a], depth = i[a] < 0 ? -i[a] : i[a] - n + 1;
        const int     side = i[a] < 0 ? 0 : 1;
        if (depth <= 0) continue;
        i[a] = side == 0 ? depth - 1 : n - depth;
        const double inside = expected(s, field, c, single, i), v = edge_value(a, side);
        const double rise = (double)(2 * depth - 1) * (1.0 / (double)n) * v;
        if (s->edges[2 * a + side] == 'm') return inside;
        if (s->edges[2 * a + side] == 'f') return rounded(2 * v - inside, single);
        return rounded(inside + rounded(side == 0 ? -rise : rise, single), single);
    }
    return rounded(value_at(field, c, i), single);
}

static bool edges_of(void *state, const eagle_storage *field, int axis, int side, eg_edge_fill *out)
{
    const setting *s = state;
    const char     kind = s->edges[2 * axis + side];

    (void)field;
    out->add = eg_edge_builtin(kind == 'm' ? "mirror" : kind == 'f' ? "fixed" : "flux");
    out->edge.value[0] = edge_value(axis, side);
    return kind != 'p';
}

static double read_cell(eagle_plane field, const eagle_grid *g, int c, int64_t x, int64_t y, int64_t z)
{
    const int64_t at = field.first + c * g->pitch[3] + x + y * g->pitch[1] + z * g->pitch[2];
    const void   *memory = field.storage->memory[0];

    return field.type == EAGLE_F32 ? (double)((const float *)memory)[at] : ((const double *)memory)[at];
}

static void write_cell(eagle_plane field, const eagle_grid *g, int c, int64_t x, int64_t y, int64_t z, double value)
{
    const int64_t at = field.first + c * g->pitch[3] + x + y * g->pitch[1] + z * g->pitch[2];
    void         *memory = field.storage->memory[0];

    if (field.type == EAGLE_F32)
        ((float *)memory)[at] = (float)value;
    else
        ((double *)memory)[at] = value;
}

/* Visits owned cells, or with `out` ghost cells on each side too: writes what they hold, or counts those that are
 * wrong. */
static int64_t visit(const setting *s, const eagle_grid *g, eagle_plane field, int f, int out, bool write)
{
    const bool single = field.type == EAGLE_F32;
    const int  oz = s->dims == 3 ? out : 0;
    int64_t    wrong = 0;

    for (int c = 0; c < field.storage->components; c++)
        for (int64_t z = -oz; z < g->local[2] + oz; z++)
            for (int64_t y = -out; y < g->local[1] + out; y++)
                for (int64_t x = -out; x < g->local[0] + out; x++) {
                    const int64_t i[3] = { x + g->offset[0], y + g->offset[1], z + g->offset[2] };
                    const double  value = expected(s, f, c, single, i);
                    if (write)
                        write_cell(field, g, c, x, y, z, value);
                    else
                        wrong += read_cell(field, g, c, x, y, z) != value;
                }
    return wrong;
}

static eagle_grid grids[EG_COUNT(settings)]; /* fields refer to theirs until the context closes */

/* The decomposition of a setting; false: too many ranks for it. */
static bool open_halo(eagle_ctx *ctx, const setting *s, eg_halo **halo)
{
    const double  zero[3] = { 0 }, one[3] = { 1, 1, 1 };
    const int64_t any[3] = { 0 };
    const bool    around[3] = { periodic(s, 0), periodic(s, 1), s->dims == 3 && periodic(s, 2) };
    eagle_grid   *grid = &grids[s - settings];
    eg_cartesian  cartesian;

    if (eg_cartesian_choose(eagle_ranks(ctx), s->dims, s->cells, around, any, s->ghosts, &cartesian) != EAGLE_OK)
        return false;
    eg_cartesian_grid(&cartesian, eagle_rank(ctx), zero, one, s->ghosts, grid);
    eg_grid_pitch(grid);
    CHECK(eg_halo_open(eg_job_of(ctx), &cartesian, grid, edges_of, (void *)(uintptr_t)s, halo) == EAGLE_OK);
    return true;
}

static void check_field(const setting *s, eagle_plane field, int f)
{
    const int64_t wrong = visit(s, &grids[s - settings], field, f, s->ghosts, false);

    CHECK(wrong == 0);
    if (wrong == 0) return;
    fprintf(stderr, "  setting %d, field %s: %lld cells\n", (int)(s - settings), field.name, (long long)wrong);
}

/* Two fills in one graph: of two fields, and of one. */
static void test_setting(eagle_ctx *ctx, const setting *s)
{
    static const struct {
        const char *name;
        eagle_type  type;
        int         components;
    } kinds[FIELDS] = { { "a", EAGLE_F64, 1 }, { "b", EAGLE_F32, 2 }, { "c", EAGLE_F64, 3 } };
    const eagle_grid *grid = &grids[s - settings];
    eagle_plane       fields[FIELDS];
    eagle_graph      *g = NULL;
    eg_halo          *halo = NULL;

    if (!open_halo(ctx, s, &halo)) return;
    CHECK(eagle_graph_create(ctx, "fill", &g) == EAGLE_OK);
    for (int f = 0; f < FIELDS; f++) {
        CHECK(eg_field_create(ctx, kinds[f].name, kinds[f].type, EAGLE_DEVICE, grid, s->ghosts, kinds[f].components,
                              &fields[f]) == EAGLE_OK);
        visit(s, grid, fields[f], f, 0, true);
    }
    eagle_fill_ghosts(g, fields[0], fields[1]);
    eagle_fill_ghosts(g, fields[2]);
    CHECK(eagle_launch(g, 3) == EAGLE_OK);
    for (int f = 0; f < FIELDS; f++) check_field(s, fields[f], f);
    eagle_graph_destroy(g);
    eg_halo_close(halo);
}

/* --- the order of edges --------------------------------------------------------------------------------------- */

static bool waits_for(const eg_node *node, const eg_node *nodes, int axis)
{
    for (int d = 0; d < node->n_deps; d++)
        if (nodes[node->deps[d]].box.edge && nodes[node->deps[d]].box.axis == axis) return true;
    return false;
}

/* The two sides of an axis may run at once; an axis waits for the one before, whose corners it reads. */
static void test_order(eagle_ctx *ctx)
{
    const setting *s = &settings[CLOSED];
    const eg_node *nodes;
    int            edges[3] = { 0 };
    eg_halo       *halo = NULL;
    eagle_graph   *g = NULL;
    eagle_plane    field;

    if (!open_halo(ctx, s, &halo)) return;
    CHECK(eagle_graph_create(ctx, "order", &g) == EAGLE_OK);
    CHECK(eg_field_create(ctx, "u", EAGLE_F64, EAGLE_DEVICE, &grids[CLOSED], s->ghosts, 1, &field) == EAGLE_OK);
    eagle_fill_ghosts(g, field);
    CHECK(eagle_prepare(g) == EAGLE_OK);
    nodes = g->nodes;
    for (size_t i = 0; i < g->n_nodes; i++) {
        const int axis = nodes[i].box.axis;
        if (nodes[i].kind != EG_KERNEL || !nodes[i].box.edge) continue;
        edges[axis]++;
        CHECK(!waits_for(&nodes[i], nodes, axis));
        CHECK(axis == 0 || eagle_ranks(ctx) > 1 || waits_for(&nodes[i], nodes, axis - 1));
    }
    if (eagle_ranks(ctx) == 1)
        for (int a = 0; a < s->dims; a++) CHECK(edges[a] == 2);
    eagle_graph_destroy(g);
    eg_halo_close(halo);
}

/* --- a rank that fails ---------------------------------------------------------------------------------------- */

typedef struct failing {
    int  on_rank;
    bool now;
} failing;

static eagle_status give_value(const eagle_host_call *call, void *state)
{
    const failing *f = state;

    *(double *)call->data[0] = 1;
    return f->now && call->rank == f->on_rank ? eagle_fail(EAGLE_ERR_NUMERICS, "", "it broke") : EAGLE_OK;
}

static eagle_status count_call(const eagle_host_call *call, void *state)
{
    (void)call;
    ++*(int *)state;
    return EAGLE_OK;
}

/* The failing function stands before the fill (or the sum), the counting one behind it. */
static void test_failure(eagle_ctx *ctx, bool by_sum)
{
    const setting *s = &settings[2];
    failing        fails = { eagle_ranks(ctx) - 1, true };
    const bool     me = eagle_rank(ctx) == fails.on_rank;
    int            calls = 0;
    eg_halo       *halo = NULL;
    eagle_graph   *g = NULL;
    eagle_plane    field, one, sum;

    if (!open_halo(ctx, s, &halo)) return;
    CHECK(eagle_graph_create(ctx, "step", &g) == EAGLE_OK);
    CHECK(eg_field_create(ctx, "u", EAGLE_F64, EAGLE_DEVICE, &grids[2], s->ghosts, 1, &field) == EAGLE_OK);
    CHECK(eagle_host(ctx, "one", EAGLE_F64, EAGLE_SHAPE(1, 1), &one) == EAGLE_OK);
    CHECK(eagle_pinned(ctx, "sum", EAGLE_F64, EAGLE_SHAPE(1, 1), &sum) == EAGLE_OK);
    eagle_opaque(g, give_value, .writes = EAGLE_PLANES(one), .state = &fails);
    eagle_copy(g, one, .into = eagle_view(field, EAGLE_SHAPE(0, 0), EAGLE_SHAPE(1, 1)));
    if (by_sum) {
        eagle_call(g, eg_stat_sum, .u = field, .into = sum);
    } else {
        eagle_plane ghost = eagle_view(field, EAGLE_SHAPE(0, 0), EAGLE_SHAPE(1, 1));
        ghost.first--;
        eagle_fill_ghosts(g, field);
        eagle_copy(g, ghost, .into = sum);
    }
    eagle_opaque(g, count_call, .reads = EAGLE_PLANES(sum), .state = &calls);

    /* by fills the news goes from neighbour to neighbour */
    CHECK(eagle_launch(g, 1 + eagle_ranks(ctx)) == EAGLE_ERR_NUMERICS);
    CHECK(strstr(eagle_last_error()->what, me ? "it broke" : "failed, and this rank with it") != NULL);
    CHECK(by_sum || me ? calls == 0 : calls < eagle_ranks(ctx));
    calls = 0;
    fails.now = false;
    CHECK(eagle_launch(g, 2) == EAGLE_OK);
    CHECK(calls == 2);
    if (by_sum) CHECK(*(const double *)eagle_data(sum) == eagle_ranks(ctx));
    eagle_graph_destroy(g);
    eg_halo_close(halo);
}

int main(int argc, char **argv)
{
    const eagle_options options = { .backend = "host", .threads = 1 };
    eagle_ctx          *ctx = NULL;

    if (eagle_init(&argc, &argv, &options, &ctx) != EAGLE_OK) return eagle_finalize(NULL, EAGLE_ERR_MPI);
    for (int i = 0; i < EG_COUNT(settings); i++) test_setting(ctx, &settings[i]);
    test_order(ctx);
    test_failure(ctx, false);
    test_failure(ctx, true);
    CHECK(eagle_finalize(ctx, EAGLE_OK) == 0);
    return check_end();
}
