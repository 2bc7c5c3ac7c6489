/* cuda_nodes.c - a kernel or a copy as nodes of a CUDA graph.
 *
 * A kernel is one node, or a few where its box has more blocks along y or z than a launch may have. Of a copy the large
 * boxes are left to the copy engines and all others go in one kernel, which also reaches pinned memory: below about
 * 1 MiB that is faster, and a list of small boxes (ghost cells) costs one node. */
#include <string.h>

#include "exec/cuda.h"

enum {
    MOST_BLOCKS_YZ = 65535,
    THIN = 8 /* cells along x */,
    MOVE_THREADS = 256,
    MOST_MOVE_BLOCKS = 4096,
    ENGINE_BYTES = 1 << 20,
    ENGINE_ROW = 512
};

/* --- common --------------------------------------------------------------------------------------------------- */

eagle_status eg_cuda_device_memory(eg_cuda_exec *exec, size_t bytes, void **out)
{
    EG_CUDA_TRY(cudaMalloc(out, bytes));
    exec->memory[exec->n_memory++] = *out;
    EG_CUDA_TRY(cudaMemset(*out, 0, bytes));
    return EAGLE_OK;
}

/* The address of a plane's first element in the memory that this executable is made for. */
static char *address(const eg_cuda_build *b, eagle_plane plane)
{
    int k = 0;

    while (b->unit->blocks[k].storage != plane.storage) k++;
    return (char *)b->exec->base[k] + plane.first * (int64_t)eg_type_bytes(plane.type);
}

/* What is added next waits for this node. */
static void follow(eg_cuda_build *b, cudaGraphNode_t node, cudaGraphNode_t *out)
{
    b->after[0] = node;
    b->n_after = 1;
    *out = node;
}

/* --- kernels -------------------------------------------------------------------------------------------------- */

static int64_t blocks_over(int64_t n, int64_t each) { return n > 0 ? (n + each - 1) / each : 0; }

static const eagle_device_form *form_of(const eg_node *node)
{
    const eagle_kernel *k = node->kernel;
    return k->tuned.device != NULL ? k->tuned.device() : k->plain.device();
}

static eagle_status workspace_of(eg_cuda_build *b, const eg_node *node, void **out)
{
    void *result;

    *out = NULL;
    if (node->kernel->reduces == EAGLE_NO_REDUCTION) return EAGLE_OK;
    EAGLE_TRY(eg_cuda_device_memory(b->exec, sizeof(eagle_workspace), out));
    result = address(b, node->access[node->n_access - 1].plane);
    EG_CUDA_TRY(cudaMemcpy(*out, &result, sizeof result, cudaMemcpyHostToDevice)); /* its first member */
    return EAGLE_OK;
}

/* The arguments of EG_DEVICE_ARGS_, for one box. */
static eagle_status add_launch(eg_cuda_build *b, const eg_node *node, const eagle_device_shape *shape, dim3 grid,
                               const eagle_box *box, void *workspace, cudaGraphNode_t *out)
{
    const eagle_device_form *form = form_of(node);
    const int                n = node->kernel->n;
    const eg_clock          *clock = b->unit->clock;
    void                    *planes[EAGLE_MAX_PLANES], *arguments[EAGLE_MAX_PLANES + 5];
    cudaGraphNode_t          added;

    for (int i = 0; i < n; i++) {
        planes[i] = address(b, node->access[i].plane);
        arguments[i] = &planes[i];
    }
    arguments[n] = (void *)(uintptr_t)&node->grid;
    arguments[n + 1] = (void *)(uintptr_t)box;
    arguments[n + 2] = node->params;
    arguments[n + 3] = &clock;
    arguments[n + 4] = &workspace;
    const struct cudaKernelNodeParams p = {
        .func = (void *)(uintptr_t)shape->function,
        .gridDim = grid,
        .blockDim = { (unsigned)form->block[0], (unsigned)form->block[1], (unsigned)form->block[2] },
        .kernelParams = arguments,
    };
    EG_CUDA_TRY(cudaGraphAddKernelNode(&added, b->exec->graph, b->after, (size_t)b->n_after, &p));
    follow(b, added, out);
    return EAGLE_OK;
}

static eagle_status add_reduction(eg_cuda_build *b, const eg_node *node, cudaGraphNode_t *out)
{
    const eagle_device_form  *form = form_of(node);
    const eagle_device_shape *shape = &form->flat;
    eagle_box                 box = node->box;
    int64_t                   blocks = 1;
    void                     *workspace;

    for (int a = 0; a < 3; a++) {
        if (box.hi[a] < box.lo[a]) box.hi[a] = box.lo[a];
        blocks *= blocks_over(box.hi[a] - box.lo[a], (int64_t)form->block[a] * (a == 1 ? shape->rows : 1));
    }
    if (blocks < 1) blocks = 1; /* no cells: still leaves an empty result */
    if (blocks > form->max_blocks) blocks = form->max_blocks;
    EAGLE_TRY(workspace_of(b, node, &workspace));
    return add_launch(b, node, shape, (dim3){ (unsigned)blocks, 1, 1 }, &box, workspace, out);
}

/* Threads along y, the layers of z in pieces that a launch can hold. */
static eagle_status add_thin(eg_cuda_build *b, const eg_node *node, cudaGraphNode_t *out)
{
    const eagle_device_form *form = form_of(node);
    const eagle_box         *whole = &node->box;
    const int64_t            blocks = blocks_over(whole->hi[1] - whole->lo[1], form->thin.rows);
    eagle_box                box = *whole;

    if (blocks == 0) return EAGLE_OK;
    for (box.lo[2] = whole->lo[2]; box.lo[2] < whole->hi[2]; box.lo[2] = box.hi[2]) {
        box.hi[2] = whole->hi[2] - box.lo[2] > MOST_BLOCKS_YZ ? box.lo[2] + MOST_BLOCKS_YZ : whole->hi[2];
        const dim3 grid = { (unsigned)blocks, 1, (unsigned)(box.hi[2] - box.lo[2]) };
        EAGLE_TRY(add_launch(b, node, &form->thin, grid, &box, NULL, out));
    }
    return EAGLE_OK;
}

static bool is_thin(const eagle_box *b)
{
    return b->hi[0] - b->lo[0] <= THIN && b->hi[1] - b->lo[1] > b->hi[0] - b->lo[0];
}

static eagle_status add_kernel(eg_cuda_build *b, const eg_node *node, cudaGraphNode_t *out)
{
    const eagle_device_form  *form = form_of(node);
    const eagle_box          *whole = &node->box;
    const eagle_device_shape *shape = whole->hi[2] - whole->lo[2] >= form->deep.layers ? &form->deep : &form->flat;
    const int64_t each_y = (int64_t)form->block[1] * shape->rows, each_z = (int64_t)form->block[2] * shape->layers;
    const int64_t blocks_x = blocks_over(whole->hi[0] - whole->lo[0], form->block[0]);
    eagle_box     box = *whole;

    if (blocks_x == 0) return EAGLE_OK;
    if (is_thin(whole) && form->thin.function != NULL) return add_thin(b, node, out);
    for (box.lo[2] = whole->lo[2]; box.lo[2] < whole->hi[2]; box.lo[2] = box.hi[2]) {
        const int64_t blocks_z = blocks_over(whole->hi[2] - box.lo[2], each_z);
        box.hi[2] = blocks_z > MOST_BLOCKS_YZ ? box.lo[2] + MOST_BLOCKS_YZ * each_z : whole->hi[2];
        for (box.lo[1] = whole->lo[1]; box.lo[1] < whole->hi[1]; box.lo[1] = box.hi[1]) {
            const int64_t blocks_y = blocks_over(whole->hi[1] - box.lo[1], each_y);
            box.hi[1] = blocks_y > MOST_BLOCKS_YZ ? box.lo[1] + MOST_BLOCKS_YZ * each_y : whole->hi[1];
            const dim3 grid = { (unsigned)blocks_x, (unsigned)blocks_over(box.hi[1] - box.lo[1], each_y),
                                (unsigned)blocks_over(box.hi[2] - box.lo[2], each_z) };
            EAGLE_TRY(add_launch(b, node, shape, grid, &box, NULL, out));
        }
    }
    return EAGLE_OK;
}

/* --- copies by the copy engines ------------------------------------------------------------------------------- */

/* A move as rows of `width` bytes and the axes over them, slowest first. */
typedef struct rows {
    size_t  width;
    eg_walk over;
} rows;

static rows rows_of(const eg_move *m)
{
    const int64_t bytes = (int64_t)eg_type_bytes(m->from.type);
    rows          r = { (size_t)bytes, eg_walk_of(m) };
    const int     last = r.over.axes - 1;

    if (last < 0 || r.over.from[last] != bytes || r.over.to[last] != bytes) return r;
    r.width *= (size_t)r.over.n[last];
    r.over.axes--;
    return r;
}

static bool is_pageable(const eg_move *m) { return m->from.place == EAGLE_HOST || m->to.place == EAGLE_HOST; }

static bool goes_by_engine(const eg_move *m, const rows *r, bool sets_dt)
{
    const bool within = m->from.place == EAGLE_DEVICE && m->to.place == EAGLE_DEVICE;

    if (is_pageable(m)) return true; /* kernels cannot reach it */
    if (sets_dt) return false;       /* engines do not look whether the replay is void */
    if (eg_plane_count(m->from) * (int64_t)eg_type_bytes(m->from.type) < ENGINE_BYTES) return false;
    return within ? r->over.axes == 0 : r->width >= ENGINE_ROW;
}

/* One node moves up to two axes of rows: `high` rows a pitch apart, and `deep` of those a multiple of it apart. */
static bool fits_one_node(const eg_walk *w, int first)
{
    const int left = w->axes - first;

    if (left <= 1) return true;
    return left == 2 && w->from[first] % w->from[first + 1] == 0 && w->to[first] % w->to[first + 1] == 0;
}

static eagle_status add_engine_node(eg_cuda_build *b, const rows *r, int first, char *to, char *from,
                                    cudaGraphNode_t *out)
{
    const eg_walk  *w = &r->over;
    const int       left = w->axes - first, last = w->axes - 1;
    cudaGraphNode_t added;

    if (left == 0) {
        EG_CUDA_TRY(cudaGraphAddMemcpyNode1D(&added, b->exec->graph, b->after, (size_t)b->n_after, to, from, r->width,
                                             cudaMemcpyDefault));
        follow(b, added, out);
        return EAGLE_OK;
    }
    const size_t                   high = (size_t)w->n[last], deep = left == 2 ? (size_t)w->n[first] : 1;
    const size_t                   from_high = left == 2 ? (size_t)(w->from[first] / w->from[last]) : high;
    const size_t                   to_high = left == 2 ? (size_t)(w->to[first] / w->to[last]) : high;
    const struct cudaMemcpy3DParms p = {
        .srcPtr = { from, (size_t)w->from[last], r->width, from_high },
        .dstPtr = { to, (size_t)w->to[last], r->width, to_high },
        .extent = { r->width, high, deep },
        .kind = cudaMemcpyDefault,
    };
    EG_CUDA_TRY(cudaGraphAddMemcpyNode(&added, b->exec->graph, b->after, (size_t)b->n_after, &p));
    follow(b, added, out);
    return EAGLE_OK;
}

static eagle_status add_engine_nodes(eg_cuda_build *b, const rows *r, int first, char *to, char *from,
                                     cudaGraphNode_t *out)
{
    if (fits_one_node(&r->over, first)) return add_engine_node(b, r, first, to, from, out);
    for (int64_t i = 0; i < r->over.n[first]; i++)
        EAGLE_TRY(add_engine_nodes(b, r, first + 1, to + i * r->over.to[first], from + i * r->over.from[first], out));
    return EAGLE_OK;
}

/* --- copies by a kernel --------------------------------------------------------------------------------------- */

typedef struct table {
    eg_cuda_box *boxes;
    size_t       n, room;
    int64_t      units;
} table;

/* The widest access for which both ends and all steps are aligned. */
static uint32_t widest(const rows *r, const char *to, const char *from)
{
    uint64_t together = (uint64_t)r->width | (uint64_t)(uintptr_t)to | (uint64_t)(uintptr_t)from;
    uint32_t wide = 16;

    for (int a = 0; a < r->over.axes; a++) together |= (uint64_t)r->over.from[a] | (uint64_t)r->over.to[a];
    while (wide > 1 && together % wide != 0) wide /= 2;
    return wide;
}

static eagle_status append_box(table *t, const eg_cuda_box *box, int64_t units)
{
    eg_cuda_box *boxes = eg_grow(t->boxes, &t->room, t->n + 1, sizeof *boxes);

    if (boxes == NULL) return EAGLE_ERR_MEMORY;
    t->boxes = boxes;
    boxes[t->n] = *box;
    boxes[t->n++].first = t->units;
    t->units += units;
    return EAGLE_OK;
}

/* Adds the boxes of a move, cut along its slowest axis into pieces whose units can be counted in 32 bits. */
static eagle_status add_boxes(table *t, const rows *r, char *to, const char *from)
{
    const uint32_t wide = widest(r, to, from);
    const int      axes = r->over.axes;
    eg_cuda_box    box = { .from = from, .to = to, .bytes = wide, .n = { (uint32_t)(r->width / wide), 1, 1, 1, 1 } };
    int64_t        below = (int64_t)(r->width / wide), most;

    eg_assert(below < (int64_t)1 << 31);
    box.from_step[0] = box.to_step[0] = wide;
    for (int k = 1; k <= axes; k++) {
        box.n[k] = (uint32_t)r->over.n[axes - k];
        box.from_step[k] = r->over.from[axes - k];
        box.to_step[k] = r->over.to[axes - k];
        if (k < axes) below *= box.n[k];
    }
    if (axes == 0) return append_box(t, &box, below);
    most = ((int64_t)1 << 30) / below > 0 ? ((int64_t)1 << 30) / below : 1;
    for (int64_t i = 0, left = r->over.n[0]; left > 0; i += most, left -= most) {
        box.n[axes] = (uint32_t)(left < most ? left : most);
        box.from = from + i * r->over.from[0];
        box.to = to + i * r->over.to[0];
        EAGLE_TRY(append_box(t, &box, below * box.n[axes]));
    }
    return EAGLE_OK;
}

static eagle_status add_move_kernel(eg_cuda_build *b, const table *t, cudaGraphNode_t *out)
{
    const int64_t   blocks = blocks_over(t->units, MOVE_THREADS);
    int             n = (int)t->n;
    int64_t         units = t->units;
    void           *memory;
    cudaGraphNode_t added;

    EAGLE_TRY(eg_cuda_device_memory(b->exec, t->n * sizeof *t->boxes, &memory));
    EG_CUDA_TRY(cudaMemcpy(memory, t->boxes, t->n * sizeof *t->boxes, cudaMemcpyHostToDevice));
    void                             *arguments[] = { &memory, &n, &units, &b->unit->clock };
    const struct cudaKernelNodeParams p = {
        .func = (void *)(uintptr_t)eg_cuda_move_function(),
        .gridDim = { (unsigned)(blocks < MOST_MOVE_BLOCKS ? blocks : MOST_MOVE_BLOCKS), 1, 1 },
        .blockDim = { MOVE_THREADS, 1, 1 },
        .kernelParams = arguments,
    };
    EG_CUDA_TRY(cudaGraphAddKernelNode(&added, b->exec->graph, b->after, (size_t)b->n_after, &p));
    follow(b, added, out);
    return EAGLE_OK;
}

static eagle_status add_copy(eg_cuda_build *b, const eg_node *node, cudaGraphNode_t *out)
{
    table        t = { 0 };
    eagle_status status = EAGLE_OK;

    for (int m = 0; m < node->n_moves && status == EAGLE_OK; m++) {
        const eg_move *move = &node->moves[m];
        const rows     r = rows_of(move);
        char          *from = address(b, move->from), *to = address(b, move->to);

        if (from == to || eg_plane_count(move->from) == 0) continue;
        status = goes_by_engine(move, &r, b->g->next_dt.storage != NULL) ? add_engine_nodes(b, &r, 0, to, from, out)
                                                                         : add_boxes(&t, &r, to, from);
    }
    if (status == EAGLE_OK && t.n > 0) status = add_move_kernel(b, &t, out);
    eg_free(t.boxes);
    return status;
}

eagle_status eg_cuda_lower(eg_cuda_build *b, const eg_node *node, cudaGraphNode_t *out)
{
    *out = NULL;
    if (node->kind == EG_COPY) return add_copy(b, node, out);
    if (node->kernel->plain.device == NULL)
        return eg_fail(EAGLE_ERR_STATE, node->here, "compile its file with eagle_add_kernels where nvcc is found",
                       "kernel '%s' was built without its device form", node->name);
    return node->kernel->reduces == EAGLE_NO_REDUCTION ? add_kernel(b, node, out) : add_reduction(b, node, out);
}
