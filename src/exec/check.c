/* check.c - what a kernel really touches, against what its list of planes declares (--check-access, host backend).
 *
 * A kernel is called for one cell at a time on copies of its planes, which tells without any help of the compiler:
 *   R  reads: once on copies of the true values, once on copies that hold them only where the cell may read and other
 *      values elsewhere. What it writes, or returns, must be the same. If it is not, each plane and then each element is
 *      tried by itself.
 *   W  writes: all cells in ascending and in descending order. Where two cells write one element the results differ, and
 *      what is not the cell's own must stay as it was.
 * Planes of access `table` and `any` may be read anywhere; `any` and `exclusive` written anywhere. Beyond an edge a kernel
 * may read everything. A read that changes nothing, whatever it finds, is not found. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exec/exec.h"

enum {
    GUARD = 8 /* layers of other values before and behind a copy */,
    VALUES = 2 /* that stand for forbidden ones */
};

#define NONE INT64_MIN /* of elements */

/* One plane of the call: the true memory, and copies of it with guards around. */
typedef struct slot {
    const eagle_slot *declared;
    eagle_plane       plane; /* stands on local cell (0, 0, 0) */
    bool              reads_all, writes_own, writes_all;
    bool              hidden; /* copy 1 holds other values than the truth */
    int               components;
    size_t            size;            /* of an element */
    int64_t           elements, guard; /* of the storage; before and behind */
    const char       *truth;           /* the storage's first element */
    char             *copy[2];         /* [elements + 2 guard] */
    char              forbidden[VALUES][8];
} slot;

typedef struct check {
    const eg_node     *node;
    const eagle_clock *clock;
    int                n;
    slot               slots[EAGLE_MAX_PLANES];
} check;

/* --- slots ---------------------------------------------------------------------------------------------------- */

static bool is(const slot *s, const char *word) { return strcmp(s->declared->access, word) == 0; }

static char *element(const slot *s, int which, int64_t e) { return s->copy[which] + (e + s->guard) * (int64_t)s->size; }

static double number_at(const slot *s, int64_t e)
{
    const void *at = s->truth + e * (int64_t)s->size;

    switch (s->plane.type) {
    case EAGLE_I32: return *(const int32_t *)at;
    case EAGLE_U32: return *(const uint32_t *)at;
    case EAGLE_U8: return *(const uint8_t *)at;
    default: return (double)*(const int64_t *)at;
    }
}

/* Of real numbers nan and a large one, of those that are declared out numbers that nothing gives by chance; of integers,
 * which may be indices, the plane's own least and greatest. */
static void choose_forbidden(slot *s)
{
    const float  reals32[VALUES] = { NAN, 1e30f };
    const double reals[VALUES] = { NAN, 1e30 };
    int64_t      least = 0, most = 0;

    for (int v = 0; v < VALUES; v++) {
        if (s->plane.type == EAGLE_F32) memcpy(s->forbidden[v], &reals32[v], 4);
        if (s->plane.type == EAGLE_F64) memcpy(s->forbidden[v], &reals[v], 8);
        if (is(s, "out")) memset(s->forbidden[v], v == 0 ? 0xa5 : 0x5a, 8);
    }
    if (s->plane.type == EAGLE_F32 || s->plane.type == EAGLE_F64) return;
    for (int64_t e = 1; e < s->elements; e++) {
        if (number_at(s, e) < number_at(s, least)) least = e;
        if (number_at(s, e) > number_at(s, most)) most = e;
    }
    memcpy(s->forbidden[0], s->truth + least * (int64_t)s->size, s->size);
    memcpy(s->forbidden[1], s->truth + most * (int64_t)s->size, s->size);
}

static void forbid(slot *s, int which, int value)
{
    for (int64_t e = -s->guard; e < s->elements + s->guard; e++)
        memcpy(element(s, which, e), s->forbidden[value], s->size);
}

static void tell_truth(slot *s, int which)
{
    s->hidden = s->hidden && which != 1;
    forbid(s, which, 0);
    memcpy(element(s, which, 0), s->truth, (size_t)s->elements * s->size);
}

static eagle_status open_slot(check *c, int i, const void *standing)
{
    slot                *s = &c->slots[i];
    const eagle_storage *storage;

    *s = (slot){ .declared = &c->node->kernel->slots[i], .plane = c->node->access[i].plane, .components = 1 };
    storage = s->plane.storage;
    s->writes_own = is(s, "out") || is(s, "inout");
    s->writes_all = is(s, "any") || is(s, "exclusive");
    s->reads_all = is(s, "table") || is(s, "any") || is(s, "exclusive") || (c->node->box.edge && !is(s, "out"));
    if (s->plane.rank > (storage->grid != NULL ? c->node->grid.dims : 3)) s->components = (int)s->plane.n[0];
    s->size = eg_type_bytes(s->plane.type);
    s->elements = (int64_t)(storage->bytes / s->size);
    s->guard = GUARD * (c->node->grid.dims > 2 ? c->node->grid.pitch[2] : c->node->grid.pitch[1] + 1);
    s->truth = (const char *)standing - s->plane.first * (int64_t)s->size;
    for (int k = 0; k < 2; k++) {
        s->copy[k] = eg_alloc((size_t)(s->elements + 2 * s->guard), s->size);
        if (s->copy[k] == NULL) return EAGLE_ERR_MEMORY;
        tell_truth(s, k);
    }
    choose_forbidden(s);
    return EAGLE_OK;
}

static void close_slots(check *c)
{
    for (int i = 0; i < c->n; i++)
        for (int k = 0; k < 2; k++) eg_free(c->slots[i].copy[k]);
}

/* --- cells ---------------------------------------------------------------------------------------------------- */

typedef struct cell {
    int64_t at[3];
} cell;

static int64_t element_of(const check *c, const slot *s, cell at, int component)
{
    const int64_t *pitch = c->node->grid.pitch;
    return s->plane.first + at.at[0] + at.at[1] * pitch[1] + at.at[2] * pitch[2] + component * pitch[3];
}

/* From the storage's axes. */
void eg_cell_of(const eg_node *node, eagle_plane plane, int64_t e, int64_t at[3])
{
    const eagle_storage *storage = plane.storage;

    at[0] = at[1] = at[2] = 0;
    for (int axis = 0; axis < node->grid.dims && axis < storage->rank; axis++) {
        const int     a = storage->rank - 1 - axis;
        const int64_t wrap = a > 0 ? storage->stride[a - 1] : (int64_t)(storage->bytes / eg_type_bytes(plane.type));
        at[axis] = e % wrap / storage->stride[a] - plane.first % wrap / storage->stride[a];
    }
}

static cell cell_of(const check *c, const slot *s, int64_t e)
{
    cell at;

    eg_cell_of(c->node, s->plane, e, at.at);
    return at;
}

static int64_t cells_in(const eagle_box *b)
{
    return (b->hi[0] - b->lo[0]) * (b->hi[1] - b->lo[1]) * (b->hi[2] - b->lo[2]);
}

static cell nth_cell(const eagle_box *b, int64_t i)
{
    const int64_t nx = b->hi[0] - b->lo[0], ny = b->hi[1] - b->lo[1];
    return (cell){ { b->lo[0] + i % nx, b->lo[1] + i / nx % ny, b->lo[2] + i / nx / ny } };
}

/* Calls the kernel for one cell on copies 0 or 1. */
static eagle_partial call_cell(const check *c, cell at, int which)
{
    const eagle_kernel *k = c->node->kernel;
    eagle_box           box = c->node->box;
    eagle_args          args = { { NULL } };
    eagle_partial       partial;

    memset(&partial, 0, sizeof partial);
    for (int a = 0; a < 3; a++) {
        box.lo[a] = at.at[a];
        box.hi[a] = at.at[a] + 1;
    }
    for (int i = 0; i < c->n; i++) args.data[i] = element(&c->slots[i], which, c->slots[i].plane.first);
    eg_partial_clear(&partial, k->reduces);
    k->plain.host[0](&args, &c->node->grid, &box, c->node->params, c->clock, &partial);
    return partial;
}

static void set_own(const check *c, slot *s, cell at, int which, const char *value)
{
    for (int k = 0; k < s->components; k++) {
        const int64_t e = element_of(c, s, at, k);
        memcpy(element(s, which, e), value != NULL ? value : s->truth + e * (int64_t)s->size, s->size);
    }
}

/* --- R -------------------------------------------------------------------------------------------------------- */

static bool may_read(const slot *s, const int64_t d[3])
{
    const int n = s->declared->reach;
    const int off_axes = (d[0] != 0) + (d[1] != 0) + (d[2] != 0);

    return !is(s, "out") && (n >= 0 || off_axes <= 1);
}

/* Where the cell may read: the truth, or forbidden again (value >= 0). */
static void set_reach(const check *c, slot *s, cell at, int which, int value)
{
    const int n = abs(s->declared->reach), dims = c->node->grid.dims;

    for (int64_t z = dims > 2 ? -n : 0; z <= (dims > 2 ? n : 0); z++)
        for (int64_t y = dims > 1 ? -n : 0; y <= (dims > 1 ? n : 0); y++)
            for (int64_t x = -n; x <= n; x++) {
                const int64_t d[3] = { x, y, z };
                const cell    near = { { at.at[0] + x, at.at[1] + y, at.at[2] + z } };
                if (may_read(s, d)) set_own(c, s, near, which, value < 0 ? NULL : s->forbidden[value]);
            }
}

/* Is a cell's own element the same in both copies? One that is declared out and was not written is. */
static bool same_own(const slot *s, int64_t e)
{
    const char *a = element(s, 0, e), *b = element(s, 1, e);
    bool        left = is(s, "out") && memcmp(a, s->truth + e * (int64_t)s->size, s->size) == 0;

    left = left && (memcmp(b, s->forbidden[0], s->size) == 0 || memcmp(b, s->forbidden[1], s->size) == 0);
    return left || memcmp(a, b, s->size) == 0;
}

/* Does the cell give the same on copies 1 as on copies 0? Leaves its own elements as they were. */
static bool same_result(check *c, cell at)
{
    const eagle_partial a = call_cell(c, at, 0), b = call_cell(c, at, 1);
    bool                same = memcmp(&a, &b, sizeof a) == 0;

    for (int i = 0; i < c->n; i++) {
        slot *s = &c->slots[i];
        for (int k = 0; k < s->components && (s->writes_own || is(s, "exclusive")); k++)
            same = same && same_own(s, element_of(c, s, at, k));
        if (s->writes_own) set_own(c, s, at, 0, NULL);
        if (s->writes_own) set_own(c, s, at, 1, is(s, "out") && s->hidden ? s->forbidden[0] : NULL);
    }
    return same;
}

static eagle_status read_failed(const check *c, const slot *s, cell at, int64_t e)
{
    const int64_t *o = c->node->grid.offset;
    const cell     to = cell_of(c, s, e);
    char           fix[160];
    char           reach[32];
    int64_t        out = 0;

    snprintf(reach, sizeof reach, s->declared->reach < 0 ? "EAGLE_STAR(%d)" : "%d", abs(s->declared->reach));
    for (int a = 0; a < 3; a++) out = llabs(to.at[a] - at.at[a]) > out ? llabs(to.at[a] - at.at[a]) : out;
    snprintf(fix, sizeof fix,
             is(s, "out") ? "declare it P(inout, %s, %s, 0)" : "declare P(in, %s, %s, %lld), with as many ghost cells",
             s->declared->type, s->declared->name, (long long)out);
    return eg_fail(EAGLE_ERR_GRAPH, c->node->here, fix,
                   "%s: cell (%lld, %lld, %lld) reads '%s' at (%lld, %lld, %lld), but declares it %s with reach %s",
                   c->node->name, (long long)(at.at[0] + o[0]), (long long)(at.at[1] + o[1]),
                   (long long)(at.at[2] + o[2]), s->declared->name, (long long)(to.at[0] + o[0]),
                   (long long)(to.at[1] + o[1]), (long long)(to.at[2] + o[2]), s->declared->access, reach);
}

/* The first element of a plane that changes what the cell gives when it alone is forbidden. */
static eagle_status find_element(check *c, int i, cell at, int value)
{
    slot *s = &c->slots[i];

    for (int64_t e = 0; e < s->elements; e++) {
        const cell    to = cell_of(c, s, e);
        const int64_t d[3] = { to.at[0] - at.at[0], to.at[1] - at.at[1], to.at[2] - at.at[2] };
        const bool    far = llabs(d[0]) > abs(s->declared->reach) || llabs(d[1]) > abs(s->declared->reach) ||
                         llabs(d[2]) > abs(s->declared->reach);
        if (!far && may_read(s, d)) continue;
        memcpy(element(s, 1, e), s->forbidden[value], s->size);
        if (!same_result(c, at)) return read_failed(c, s, at, e);
        memcpy(element(s, 1, e), s->truth + e * (int64_t)s->size, s->size);
    }
    return eg_fail(EAGLE_ERR_GRAPH, c->node->here, "make its box or its reach smaller",
                   "%s: reads '%s' beyond its memory", c->node->name, s->declared->name);
}

/* What the cell gives differs: which plane is it? */
static eagle_status find_plane(check *c, cell at, int value)
{
    for (int i = 0; i < c->n; i++) tell_truth(&c->slots[i], 1);
    for (int i = 0; i < c->n; i++) {
        slot *s = &c->slots[i];
        if (s->reads_all) continue;
        s->hidden = true;
        forbid(s, 1, value);
        set_reach(c, s, at, 1, -1);
        const bool same = same_result(c, at);
        tell_truth(s, 1);
        if (!same) return find_element(c, i, at, value);
    }
    return eg_fail(EAGLE_ERR_GRAPH, c->node->here, "look at what it does with planes of access any and exclusive",
                   "%s: cell (%lld, %lld, %lld) reads what it did not declare", c->node->name,
                   (long long)(at.at[0] + c->node->grid.offset[0]), (long long)(at.at[1] + c->node->grid.offset[1]),
                   (long long)(at.at[2] + c->node->grid.offset[2]));
}

static eagle_status check_reads(check *c, int value)
{
    for (int i = 0; i < c->n; i++) {
        c->slots[i].hidden = !c->slots[i].reads_all;
        if (c->slots[i].hidden) forbid(&c->slots[i], 1, value);
    }
    for (int64_t n = 0; n < cells_in(&c->node->box); n++) {
        const cell at = nth_cell(&c->node->box, n);
        for (int i = 0; i < c->n; i++)
            if (!c->slots[i].reads_all) set_reach(c, &c->slots[i], at, 1, -1);
        if (!same_result(c, at)) return find_plane(c, at, value);
        for (int i = 0; i < c->n; i++)
            if (!c->slots[i].reads_all) set_reach(c, &c->slots[i], at, 1, value);
    }
    return EAGLE_OK;
}

/* --- W -------------------------------------------------------------------------------------------------------- */

static eagle_status write_failed(const check *c, const slot *s, cell at, int64_t e)
{
    const int64_t *o = c->node->grid.offset;
    const cell     to = cell_of(c, s, e);
    char           fix[160];

    snprintf(fix, sizeof fix, s->writes_own ? "write %s[0] only, or declare it exclusive" : "declare '%s' out or inout",
             s->declared->name);
    return eg_fail(EAGLE_ERR_GRAPH, c->node->here, fix,
                   "%s: cell (%lld, %lld, %lld) writes '%s' at (%lld, %lld, %lld), but declares it %s", c->node->name,
                   (long long)(at.at[0] + o[0]), (long long)(at.at[1] + o[1]), (long long)(at.at[2] + o[2]),
                   s->declared->name, (long long)(to.at[0] + o[0]), (long long)(to.at[1] + o[1]),
                   (long long)(to.at[2] + o[2]), s->declared->access);
}

/* Is an element a cell's own, to be written? */
static bool is_own(const check *c, const slot *s, cell at, int64_t e)
{
    for (int k = 0; k < s->components && s->writes_own; k++)
        if (element_of(c, s, at, k) == e) return true;
    return false;
}

/* The first cell that writes an element which is not its own. */
static eagle_status find_writer(check *c, slot *s, int64_t e)
{
    for (int i = 0; i < c->n; i++) tell_truth(&c->slots[i], 0);
    for (int64_t n = 0; n < cells_in(&c->node->box); n++) {
        const cell at = nth_cell(&c->node->box, n);
        for (int v = 0; v < VALUES && !is_own(c, s, at, e); v++) {
            memcpy(element(s, 0, e), s->forbidden[v], s->size);
            (void)call_cell(c, at, 0);
            if (memcmp(element(s, 0, e), s->forbidden[v], s->size) != 0) return write_failed(c, s, at, e);
        }
    }
    return eg_fail(EAGLE_ERR_GRAPH, c->node->here,
                   "write the cell's own element only, or declare the plane exclusive or any",
                   "%s: what it writes to '%s' depends on the order of the cells", c->node->name, s->declared->name);
}

/* The first element that differs between the orders, or from the truth where no cell owns it; NONE: there is none. */
static int64_t first_difference(const check *c, slot *s)
{
    const size_t all = (size_t)(s->elements + 2 * s->guard) * s->size;

    if (memcmp(s->copy[0], s->copy[1], all) == 0) {
        for (int64_t n = 0; n < cells_in(&c->node->box) && s->writes_own; n++)
            set_own(c, s, nth_cell(&c->node->box, n), 0, NULL);
        tell_truth(s, 1);
    }
    for (int64_t e = -s->guard; e < s->elements + s->guard; e++)
        if (memcmp(element(s, 0, e), element(s, 1, e), s->size) != 0) return e;
    return NONE;
}

static eagle_status check_writes(check *c)
{
    const int64_t n = cells_in(&c->node->box);

    for (int i = 0; i < c->n; i++)
        for (int k = 0; k < 2; k++) tell_truth(&c->slots[i], k);
    for (int64_t i = 0; i < n; i++) (void)call_cell(c, nth_cell(&c->node->box, i), 0);
    for (int64_t i = n - 1; i >= 0; i--) (void)call_cell(c, nth_cell(&c->node->box, i), 1);
    for (int i = 0; i < c->n; i++) {
        const int64_t e = c->slots[i].writes_all ? NONE : first_difference(c, &c->slots[i]);
        if (e != NONE) return find_writer(c, &c->slots[i], e);
    }
    return EAGLE_OK;
}

/* --- a kernel ------------------------------------------------------------------------------------------------- */

eagle_status eg_check_kernel(const eg_node *node, const eagle_clock *clock, void *const *data)
{
    check        c = { .node = node, .clock = clock };
    eagle_status status = EAGLE_OK;

    if (cells_in(&node->box) <= 0) return EAGLE_OK;
    for (int i = 0; i < node->kernel->n && status == EAGLE_OK; i++) {
        c.n = i + 1;
        status = open_slot(&c, i, data[i]);
    }
    if (status == EAGLE_OK) status = check_writes(&c);
    for (int v = 0; v < VALUES && status == EAGLE_OK; v++) {
        for (int i = 0; i < c.n; i++)
            for (int k = 0; k < 2; k++) tell_truth(&c.slots[i], k);
        status = check_reads(&c, v);
    }
    close_slots(&c);
    return status;
}

/* --- a host function ------------------------------------------------------------------------------------------ */

static size_t bytes_of(const eg_access *a)
{
    const eagle_plane p = a->plane;
    const bool        whole = p.stride[0] * p.n[0] == eg_plane_count(p); /* without gaps */

    return !a->writes && whole ? (size_t)eg_plane_count(p) * eg_type_bytes(p.type) : 0;
}

/* What it only reads is the same afterwards; else the error is kept. */
void eg_check_task(eagle_graph *g, eg_node *node, const eagle_clock *clock, int64_t replay, void *const *data)
{
    size_t all = 1, at = 0;
    char  *before;

    for (int a = 0; a < node->n_access; a++) all += bytes_of(&node->access[a]);
    before = eg_alloc(all, 1);
    for (int a = 0; a < node->n_access && before != NULL; at += bytes_of(&node->access[a++]))
        memcpy(before + at, data[a], bytes_of(&node->access[a]));
    eg_run_task(g, node, clock, replay, data);
    at = 0;
    for (int a = 0; a < node->n_access && before != NULL; at += bytes_of(&node->access[a++])) {
        if (memcmp(before + at, data[a], bytes_of(&node->access[a])) == 0) continue;
        eg_fail(EAGLE_ERR_GRAPH, node->here, "name it in .writes", "%s writes '%s', which it declares to read",
                node->name, node->access[a].plane.name);
        eg_keep_error(g, node, replay);
    }
    eg_free(before);
}
