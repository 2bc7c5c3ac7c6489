/* calls.c - adding the call of a kernel: the planes against the kernel's list, the box, the result of a reduction.
 *
 * The cells of a call are those of its planes `in, out, inout, exclusive`, which must have one layout; planes of access
 * `table` and `any` are taken whole. On a grid a view of a field selects cells: the addresses stand on local cell
 * (0, 0, 0) whatever the box, so that `at` is right in every kernel. */
#include <stdlib.h>
#include <string.h>

#include "graph/builder.h"
#include "graph/kernels.h"

/* What a call is being made of. */
typedef struct call {
    eagle_graph        *g;
    const eagle_kernel *kernel;
    eagle_here          here;
    const eagle_plane  *planes;
    eagle_grid          grid;
    eagle_box           box;
    int                 model; /* the plane that gave grid and box, -1: none yet */
} call;

typedef enum access_word { IN, OUT, INOUT, EXCLUSIVE, TABLE, ANY, ACCESS_WORDS } access_word;

static access_word word_of(const eagle_slot *slot)
{
    static const char *const words[ACCESS_WORDS] = { "in", "out", "inout", "exclusive", "table", "any" };
    int                      i = 0;

    while (i < ACCESS_WORDS - 1 && strcmp(slot->access, words[i]) != 0) i++;
    return (access_word)i;
}

static bool each_cell(access_word w) { return w <= EXCLUSIVE; }
static bool writes(access_word w) { return w != IN && w != TABLE; }

static eagle_type slot_type(const char *type, eagle_type real)
{
    static const struct {
        const char *name;
        eagle_type  type;
    } known[] = { { "float", EAGLE_F32 },   { "double", EAGLE_F64 },   { "int32_t", EAGLE_I32 },
                  { "int64_t", EAGLE_I64 }, { "uint32_t", EAGLE_U32 }, { "uint8_t", EAGLE_U8 } };

    for (int i = 0; i < EG_COUNT(known); i++)
        if (strcmp(type, known[i].name) == 0) return known[i].type;
    return real;
}

/* The precision of a call is that of its first plane declared `real`. */
static eagle_type real_of(const eagle_kernel *k, const eagle_plane *planes)
{
    for (int i = 0; i < k->n; i++)
        if (strcmp(k->slots[i].type, "real") == 0 && planes[i].storage != NULL)
            return planes[i].type == EAGLE_F32 ? EAGLE_F32 : EAGLE_F64;
    return EAGLE_F64;
}

static bool type_refused(const call *c, int i, eagle_type real)
{
    const eagle_slot *slot = &c->kernel->slots[i];
    const eagle_type  expected = slot_type(slot->type, real);
    char              fix[160];

    if (c->planes[i].type == expected) return false;
    snprintf(fix, sizeof fix, "give .%s a plane of %s", slot->name, eg_type_name(expected));
    return eg_refuse(c->g, c->here, fix, "%s: '%s' wants %s, but plane '%s' holds %s", c->kernel->name, slot->name,
                     eg_type_name(expected), c->planes[i].name, eg_type_name(c->planes[i].type));
}

static bool side_refused(const call *c, int i)
{
    const eagle_plane a = c->planes[0], b = c->planes[i];
    const bool        same = eg_on_device(a) == eg_on_device(b);

    if (same) return false;
    return eg_refuse(c->g, c->here, "copy one of them first: eagle_copy(g, plane, .into = other)",
                     "%s: '%s' is %s and '%s' %s; a node runs on one side", c->kernel->name, a.name,
                     eg_place_name(a.place), b.name, eg_place_name(b.place));
}

/* Grid and box of a plane: of a field's view those cells of the rank's grid, else the plane's own. */
static void cells_of(eagle_plane plane, eagle_grid *grid, eagle_box *box)
{
    const eagle_storage *s = plane.storage;
    eg_access            a;

    *box = (eagle_box){ .hi = { 1, 1, 1 } };
    if (s->grid != NULL) {
        *grid = *s->grid;
        eg_access_box(plane, &a);
        for (int axis = 0; axis < grid->dims; axis++) {
            const int     i = s->rank - 1 - axis;
            const int64_t begin = eg_first_owned(s, axis);
            box->lo[axis] = a.lo[i] - begin;
            box->hi[axis] = a.hi[i] - begin;
        }
        return;
    }
    *grid = (eagle_grid){ .cells = { 1, 1, 1 }, .local = { 1, 1, 1 }, .h = { 1, 1, 1 } };
    grid->dims = plane.rank < 3 ? plane.rank : 3;
    for (int axis = 0; axis < grid->dims; axis++) {
        grid->cells[axis] = grid->local[axis] = box->hi[axis] = plane.n[plane.rank - 1 - axis];
        grid->pitch[axis] = plane.stride[plane.rank - 1 - axis];
    }
    grid->pitch[3] = plane.rank > 3 ? plane.stride[0] : 0;
}

static bool same_cells(const eagle_grid *g, const eagle_box *b, const eagle_grid *h, const eagle_box *c)
{
    for (int a = 0; a < 3; a++)
        if (b->lo[a] != c->lo[a] || b->hi[a] != c->hi[a] || (b->hi[a] > 1 && g->pitch[a] != h->pitch[a])) return false;
    return g->dims == h->dims;
}

static bool layout_refused(call *c, int i)
{
    eagle_grid grid;
    eagle_box  box;

    cells_of(c->planes[i], &grid, &box);
    if (grid.pitch[0] != 1 && box.hi[0] - box.lo[0] > 1)
        return eg_refuse(c->g, c->here, "use a plane whose last axis is contiguous", "%s: '%s' is not contiguous in x",
                         c->kernel->name, c->planes[i].name);
    if (c->model < 0) {
        c->grid = grid;
        c->box = box;
        c->model = i;
        return false;
    }
    if (grid.pitch[3] > c->grid.pitch[3]) c->grid.pitch[3] = grid.pitch[3];
    if (same_cells(&c->grid, &c->box, &grid, &box)) return false;
    return eg_refuse(c->g, c->here, "call a kernel on planes of one shape and layout",
                     "%s: '%s' and '%s' have not the same cells", c->kernel->name, c->planes[c->model].name,
                     c->planes[i].name);
}

static bool plane_refused(call *c, int i, eagle_type real)
{
    const eagle_slot *slot = &c->kernel->slots[i];
    const access_word w = word_of(slot);
    char              fix[160];

    if (c->planes[i].storage == NULL && c->planes[i].name == NULL) {
        snprintf(fix, sizeof fix, "add .%s = plane to the call", slot->name);
        return eg_refuse(c->g, c->here, fix, "%s: called without '%s'", c->kernel->name, slot->name);
    }
    if (eg_plane_refused(c->g, c->kernel->name, c->planes[i], c->here) || type_refused(c, i, real) ||
        side_refused(c, i))
        return true;
    if (writes(w) && c->planes[i].storage->constant)
        return eg_refuse(c->g, c->here, "declare the field without .constant", "%s: '%s' is a constant field",
                         c->kernel->name, c->planes[i].name);
    if (w != IN && slot->reach != 0)
        return eg_refuse(c->g, c->here, "read it through a slot `in` of another plane", "%s: '%s' is %s with a reach",
                         c->kernel->name, slot->name, slot->access);
    return each_cell(w) && layout_refused(c, i);
}

static bool over_refused(call *c, const eagle_box *over)
{
    const eagle_storage *s = c->model >= 0 ? c->planes[c->model].storage : NULL;
    const int64_t        out = s != NULL && s->grid != NULL ? s->grid->ghosts : 0;

    for (int a = 0; a < 3; a++) {
        const int64_t room = a < c->grid.dims ? out : 0;
        if (over->hi[a] <= over->lo[a] || (over->lo[a] >= -room && over->hi[a] <= c->grid.local[a] + room)) continue;
        return eg_refuse(c->g, c->here, "take .over inside the plane and its ghost cells",
                         "%s: the box of the call reaches beyond its planes", c->kernel->name);
    }
    c->box = *over;
    return false;
}

/* What slot i touches: its cells, grown by the reach. */
static void set_access(const call *c, int i, eg_access *a)
{
    const eagle_slot    *slot = &c->kernel->slots[i];
    const access_word    w = word_of(slot);
    const eagle_storage *s = c->planes[i].storage;
    const int            reach = abs(slot->reach);

    eg_builder_access(a, c->planes[i], w != OUT, writes(w));
    if (!each_cell(w)) return;
    for (int axis = 0; axis < c->grid.dims; axis++) {
        const int     sa = s->rank - 1 - axis;
        const int64_t begin = s->grid != NULL ? eg_first_owned(s, axis) : a->lo[sa];
        a->lo[sa] = begin + c->box.lo[axis] - reach;
        a->hi[sa] = begin + c->box.hi[axis] + reach;
    }
}

/* Beyond an edge kernels also read back inwards: anything but the ghost cells of the other side, so that the two edges of
 * an axis are independent. */
static void set_inward(const call *c, int i, eg_access *a)
{
    const eagle_storage *s = c->planes[i].storage;
    const int            axis = c->box.axis, sa = s->rank - 1 - axis;

    eg_builder_access(a, c->planes[i], true, false);
    for (int k = 0; k < s->rank; k++) {
        a->lo[k] = 0;
        a->hi[k] = s->extent[k];
    }
    if (s->grid == NULL) return;
    if (c->box.side == 0) a->hi[sa] = eg_first_owned(s, axis) + s->grid->local[axis];
    if (c->box.side == 1) a->lo[sa] = eg_first_owned(s, axis);
}

static void add_inward(const call *c, eg_node *node)
{
    for (int i = 0; i < c->kernel->n && c->box.edge; i++) {
        const access_word w = word_of(&c->kernel->slots[i]);
        if (each_cell(w) && w != OUT) set_inward(c, i, &node->access[node->n_access++]);
    }
}

static bool reach_refused(const call *c, int i, const eg_access *a)
{
    const eagle_slot    *slot = &c->kernel->slots[i];
    const eagle_storage *s = c->planes[i].storage;
    const int            reach = abs(slot->reach);

    if (!each_cell(word_of(slot)) || word_of(slot) == OUT || c->box.edge) return false;
    if (s->grid != NULL)
        return eg_ages_refused(c->g, c->kernel->name, slot->name, c->planes[i], &c->grid, &c->box, reach, c->here);
    for (int axis = 0; axis < s->rank; axis++) {
        if (a->lo[axis] >= 0 && a->hi[axis] <= s->extent[axis]) continue;
        return eg_refuse(c->g, c->here, "call it on a view that leaves room: eagle_view(plane, lo, n)",
                         "%s: '%s' is read %d cells out, beyond the memory of '%s'", c->kernel->name, slot->name, reach,
                         c->planes[i].name);
    }
    return false;
}

/* One plane as in and out of a call: a cell could read what another has written already. */
static bool in_and_out_refused(const call *c, const eg_node *node)
{
    for (int i = 0; i < c->kernel->n; i++)
        for (int j = 0; j < c->kernel->n; j++) {
            if (i == j || !node->access[j].writes || !eg_conflict(&node->access[i], &node->access[j])) continue;
            return eg_refuse(c->g, c->here, "give it to one slot declared inout, or use a second plane",
                             "%s: plane '%s' is both '%s' and '%s'", c->kernel->name, c->planes[i].name,
                             c->kernel->slots[i].name, c->kernel->slots[j].name);
        }
    return false;
}

/* Standing on local cell (0, 0, 0): a view of a field is moved back by where its box begins. */
static eagle_plane standing(const call *c, int i)
{
    eagle_plane          plane = c->planes[i];
    const eagle_storage *s = plane.storage;
    eagle_grid           grid;
    eagle_box            box;

    if (!each_cell(word_of(&c->kernel->slots[i])) || s->grid == NULL) return plane;
    cells_of(plane, &grid, &box);
    for (int axis = 0; axis < grid.dims; axis++) plane.first -= box.lo[axis] * grid.pitch[axis];
    return plane;
}

static bool copy_params(eg_node *node, const void *params)
{
    const size_t bytes = node->kernel->params_size;

    node->params = eg_alloc(1, bytes);
    if (node->params == NULL) return false;
    if (params != NULL) memcpy(node->params, params, bytes);
    return true;
}

static eg_node *add_kernel_node(call *c, const void *params)
{
    const eagle_kernel *k = c->kernel;
    eg_node            *node = eg_builder_node(c->g, EG_KERNEL, k->name, 2 * k->n, c->here);

    if (node == NULL) return NULL;
    node->kernel = k;
    node->grid = c->grid;
    node->box = c->box;
    node->on_device = eg_on_device(c->planes[0]);
    if (!copy_params(node, params)) {
        c->g->error = *eagle_last_error();
        return NULL;
    }
    for (int i = 0; i < k->n; i++) {
        set_access(c, i, &node->access[i]);
        if (reach_refused(c, i, &node->access[i])) return NULL;
    }
    if (in_and_out_refused(c, node)) return NULL;
    node->n_access = k->n;
    add_inward(c, node);
    for (int i = 0; i < k->n; i++) {
        if (node->access[i].writes) eg_ages_written(c->g, &node->access[i], k->name, c->here);
        node->access[i].plane = standing(c, i);
    }
    return node;
}

/* --- reductions ----------------------------------------------------------------------------------------------- */

static bool into_refused(const call *c, const eagle_plane *into)
{
    const char *name = c->kernel->name;

    if (c->kernel->reduces == EAGLE_NO_REDUCTION) {
        if (into->storage == NULL) return false;
        return eg_refuse(c->g, c->here, "remove .into, or write it with EAGLE_SUM_KERNEL",
                         "%s: returns nothing, but .into is given", name);
    }
    if (into->storage == NULL)
        return eg_refuse(c->g, c->here, "add .into = a one-element plane of double", "%s: called without .into", name);
    if (eg_plane_refused(c->g, name, *into, c->here)) return true;
    if (into->type == EAGLE_F64 && eg_plane_count(*into) == 1 && (!eg_on_device(*into) || eg_on_device(c->planes[0])))
        return false;
    return eg_refuse(c->g, c->here, "give .into one double, on the kernel's side or pinned",
                     "%s: .into = '%s' is not one double that it can reach", name, into->name);
}

/* A partial result, then the sum over ranks where there are several, then one double. */
static void add_result(call *c, eg_node *node, eagle_plane into)
{
    eagle_graph      *g = c->g;
    const size_t      at = (size_t)(node - g->nodes);
    const eagle_shape words = { 1, { EG_PARTIAL_WORDS } };
    const eg_finish   how = { (int)c->kernel->reduces };
    const eagle_plane none = { 0 };
    eagle_plane       partial[2], list[2];

    for (int i = 0; i < 2; i++) {
        const eagle_place place = i == 0 && node->on_device ? EAGLE_DEVICE : EAGLE_PINNED;
        if (g->hooks.storage(g->ctx, "partial", EAGLE_I64, place, words, 1, &partial[i]) == EAGLE_OK) continue;
        g->error = *eagle_last_error();
        return;
    }
    eg_builder_access(&g->nodes[at].access[node->n_access], partial[0], false, true);
    g->nodes[at].n_access++;
    if (eg_on_device(partial[0]) && !eg_on_device(into)) {
        eg_add_moves(g, "result", 1, &(const eg_move){ partial[0], partial[1] }, c->here);
        partial[0] = partial[1];
    }
    if (g->hooks.ranks > 1) g->hooks.reduce(g, g->hooks.reduce_state, partial[0], c->kernel->reduces, c->here);
    list[0] = partial[0];
    list[1] = into;
    eagle_add_call(g, &eg_finish_f32, &eg_finish_f64, list, &none, NULL, &how, c->here);
}

void eagle_add_call(eagle_graph *g, const eagle_kernel *f32, const eagle_kernel *f64, const eagle_plane *planes,
                    const eagle_plane *into, const eagle_box *over, const void *params, eagle_here here)
{
    const eagle_type real = real_of(f64, planes);
    call     c = { .g = g, .kernel = real == EAGLE_F32 ? f32 : f64, .here = here, .planes = planes, .model = -1 };
    eg_node *node;

    if (eg_builder_closed(g, here)) return;
    for (int i = 0; i < c.kernel->n; i++)
        if (plane_refused(&c, i, real)) return;
    if (c.model < 0 && layout_refused(&c, 0)) return; /* tables only: the cells are those of the first */
    if (into_refused(&c, into) || (over != NULL && over_refused(&c, over))) return;
    if (params == NULL && c.kernel->params_size > sizeof(eagle_none)) {
        eg_refuse(g, here, "add .params = &parameters", "%s: called without its parameters", c.kernel->name);
        return;
    }
    node = add_kernel_node(&c, params);
    if (node != NULL && c.kernel->reduces != EAGLE_NO_REDUCTION) add_result(&c, node, *into);
}
