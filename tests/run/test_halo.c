/* test_halo.c - ghost cells, corners too, hold the value of the cell that they stand for: on any number of ranks, on
 * periodic and mirrored axes, in 2-D and 3-D, for fields of several types, components and widths in one fill. */
#include "check.h"
#include "run/halo.h"

enum { FIELDS = 3 };

typedef struct setting {
    int     dims, ghosts;
    int64_t cells[3];
    bool    periodic[3];
} setting;

static const setting settings[] = {
    { 2, 1, { 9, 7, 1 }, { false, false, false } },   { 2, 2, { 16, 13, 1 }, { true, false, false } },
    { 2, 1, { 8, 12, 1 }, { true, true, false } },    { 3, 1, { 7, 6, 9 }, { false, false, false } },
    { 3, 2, { 8, 9, 11 }, { true, false, true } },    { 3, 1, { 5, 4, 8 }, { true, true, true } },
    { 2, 3, { 700, 40, 1 }, { true, true, false } },
};

static double value_at(int field, int c, const int64_t i[3])
{
    return (double)(1000000 * (field + 1) + 100000 * c) + (double)(i[0] + 97 * i[1] + 1013 * i[2]) / 64;
}

/* The cell inside the grid for which (i, j, k) stands. */
static void stands_for(const setting *s, int64_t i[3])
{
    for (int a = 0; a < s->dims; a++) {
        const int64_t n = s->cells[a];
        if (s->periodic[a]) i[a] = (i[a] + n) % n;
        if (i[a] < 0) i[a] = -1 - i[a];
        if (i[a] >= n) i[a] = 2 * n - 1 - i[a];
    }
}

static bool mirror_edges(void *state, const eagle_storage *field, int axis, int side, eg_edge_fill *out)
{
    const setting *s = state;

    (void)field, (void)side;
    out->add = eg_edge_builtin("mirror");
    return !s->periodic[axis];
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

/* Visits owned cells, or with `out` ghost cells on each side too. */
static int64_t visit(const setting *s, const eagle_grid *g, eagle_plane field, int f, int out, bool write)
{
    int64_t wrong = 0;
    const int oz = s->dims == 3 ? out : 0;

    for (int c = 0; c < field.storage->components; c++)
        for (int64_t z = -oz; z < g->local[2] + oz; z++)
            for (int64_t y = -out; y < g->local[1] + out; y++)
                for (int64_t x = -out; x < g->local[0] + out; x++) {
                    int64_t i[3] = { x + g->offset[0], y + g->offset[1], z + g->offset[2] };
                    stands_for(s, i);
                    const double value = value_at(f, c, i);
                    if (write)
                        write_cell(field, g, c, x, y, z, value);
                    else
                        wrong += read_cell(field, g, c, x, y, z) != (field.type == EAGLE_F32 ? (double)(float)value : value);
                }
    return wrong;
}

static void test_setting(eagle_ctx *ctx, const setting *s)
{
    const double  zero[3] = { 0 }, one[3] = { 1, 1, 1 };
    const int64_t any[3] = { 0 };
    static const struct {
        const char *name;
        eagle_type  type;
        int         components;
    } kinds[FIELDS] = { { "a", EAGLE_F64, 1 }, { "b", EAGLE_F32, 2 }, { "c", EAGLE_F64, 3 } };
    eagle_plane  fields[FIELDS];
    eagle_graph *g = NULL;
    eg_cartesian cartesian;
    static eagle_grid grids[EG_COUNT(settings)]; /* fields refer to theirs until the context closes */
    eagle_grid  *grid = &grids[s - settings];
    eg_halo     *halo = NULL;

    if (eg_cartesian_choose(eagle_ranks(ctx), s->dims, s->cells, s->periodic, any, s->ghosts, &cartesian) != EAGLE_OK)
        return; /* too many ranks for this one */
    eg_cartesian_grid(&cartesian, eagle_rank(ctx), zero, one, s->ghosts, grid);
    eg_grid_pitch(grid);
    CHECK(eg_halo_open(eg_job_of(ctx), &cartesian, grid, mirror_edges, (void *)(uintptr_t)s, &halo) == EAGLE_OK);
    CHECK(eagle_graph_create(ctx, "fill", &g) == EAGLE_OK);
    for (int f = 0; f < FIELDS; f++) {
        CHECK(eg_field_create(ctx, kinds[f].name, kinds[f].type, EAGLE_DEVICE, grid, s->ghosts, kinds[f].components,
                              &fields[f]) == EAGLE_OK);
        visit(s, grid, fields[f], f, 0, true);
    }
    eagle_fill_ghosts(g, fields[0], fields[1], fields[2]);
    CHECK(eagle_launch(g, 2) == EAGLE_OK);
    for (int f = 0; f < FIELDS; f++) {
        const int64_t wrong = visit(s, grid, fields[f], f, s->ghosts, false);
        CHECK(wrong == 0);
        if (wrong != 0) fprintf(stderr, "  setting %d, field %s: %lld cells\n", (int)(s - settings), kinds[f].name, (long long)wrong);
    }
    eagle_graph_destroy(g);
    eg_halo_close(halo);
}

int main(int argc, char **argv)
{
    const eagle_options options = { .backend = "host", .threads = 1 };
    eagle_ctx          *ctx = NULL;

    if (eagle_init(&argc, &argv, &options, &ctx) != EAGLE_OK) return eagle_finalize(NULL, EAGLE_ERR_MPI);
    for (int i = 0; i < EG_COUNT(settings); i++) test_setting(ctx, &settings[i]);
    CHECK(eagle_finalize(ctx, EAGLE_OK) == 0);
    return check_end();
}
