/* memory.c - arrays: their memory, their padding, and copies between them and the caller's.
 *
 * Page-locking memory is slow and each registration takes a resource of the driver, so pinned arrays are pieces of
 * large blocks. All memory is given back when the context closes. */
#include <stdlib.h>
#include <string.h>

#include "exec/exec.h"

enum { ALIGNMENT = 256, BLOCK_BYTES = 32 << 20, ROW_ALIGNMENT = 16 /* elements */ };

/* --- the pinned pool ------------------------------------------------------------------------------------------ */

typedef struct block {
    struct block *next;
    char         *memory;
    size_t        bytes, used;
} block;

typedef struct eg_pool {
    block *blocks; /* the newest first; only that one has room */
} eg_pool;

static size_t align_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

static eagle_status add_block(eagle_ctx *ctx, size_t bytes)
{
    block *b = eg_alloc(1, sizeof *b);
    void  *memory;

    if (b == NULL) return EAGLE_ERR_MEMORY;
    b->bytes = bytes < BLOCK_BYTES && ctx->backend->blocks ? (size_t)BLOCK_BYTES : bytes;
    if (ctx->backend->allocate(ctx, EAGLE_PINNED, b->bytes, &memory) != EAGLE_OK) {
        eg_free(b);
        return EAGLE_ERR_MEMORY;
    }
    b->memory = memory;
    b->next = ctx->pool->blocks;
    ctx->pool->blocks = b;
    return EAGLE_OK;
}

static eagle_status take_pinned(eagle_ctx *ctx, size_t bytes, void **out)
{
    block *b = ctx->pool->blocks;

    bytes = align_up(bytes, ALIGNMENT);
    if (b == NULL || b->bytes - b->used < bytes) {
        EAGLE_TRY(add_block(ctx, bytes));
        b = ctx->pool->blocks;
    }
    *out = b->memory + b->used;
    b->used += bytes;
    return EAGLE_OK;
}

eagle_status eg_memory_open(eagle_ctx *ctx)
{
    ctx->pool = eg_alloc(1, sizeof *ctx->pool);
    return ctx->pool == NULL ? EAGLE_ERR_MEMORY : EAGLE_OK;
}

static void free_storage(eagle_ctx *ctx, eagle_storage *s)
{
    for (int b = 0; s->owned && s->place != EAGLE_PINNED && b < s->buffers; b++)
        if (s->own_memory[b] != NULL) ctx->backend->release(ctx, s->place, s->own_memory[b]);
    eg_free(s->own_memory);
    eg_free(s);
}

void eg_memory_close(eagle_ctx *ctx)
{
    while (ctx->storages != NULL) {
        eagle_storage *s = ctx->storages;
        ctx->storages = s->next;
        free_storage(ctx, s);
    }
    while (ctx->pool != NULL && ctx->pool->blocks != NULL) {
        block *b = ctx->pool->blocks;
        ctx->pool->blocks = b->next;
        ctx->backend->release(ctx, EAGLE_PINNED, b->memory);
        eg_free(b);
    }
    eg_free(ctx->pool);
    ctx->pool = NULL;
}

/* --- arrays --------------------------------------------------------------------------------------------------- */

static eagle_status allocate_buffers(eagle_ctx *ctx, eagle_storage *s)
{
    for (int b = 0; b < s->buffers; b++) {
        if (s->place == EAGLE_PINNED)
            EAGLE_TRY(take_pinned(ctx, s->bytes, &s->memory[b]));
        else
            EAGLE_TRY(ctx->backend->allocate(ctx, s->place, s->bytes, &s->memory[b]));
    }
    return EAGLE_OK;
}

/* Fills extent and stride from a shape; the number of elements, -1 if it overflows. */
static int64_t lay_out(eagle_storage *s, eagle_shape shape)
{
    int64_t count = 1;

    s->rank = shape.rank;
    for (int a = shape.rank - 1; a >= 0; a--) {
        s->extent[a] = shape.n[a];
        s->stride[a] = count;
        if (shape.n[a] < 1 || count > INT64_MAX / 16 / shape.n[a]) return -1;
        count *= shape.n[a];
    }
    return count;
}

static eagle_status new_storage(eagle_ctx *ctx, const char *name, eagle_type type, eagle_place place, eagle_shape shape,
                                int buffers, void *wrapped, eagle_storage **out)
{
    eagle_storage *s = eg_alloc(1, sizeof *s);
    int64_t        count;
    eagle_status   status;

    if (s == NULL) return EAGLE_ERR_MEMORY;
    *s = (eagle_storage){ .ctx = ctx, .name = name, .type = type, .place = place, .buffers = buffers };
    s->owned = wrapped == NULL;
    s->device_only = place == EAGLE_DEVICE && ctx->backend->has_device;
    s->components = 1;
    count = shape.rank < 1 || shape.rank > EAGLE_MAX_RANK || eg_type_bytes(type) == 0 || buffers < 1
                ? -1
                : lay_out(s, shape);
    s->memory = count < 0 ? NULL : eg_alloc((size_t)buffers, sizeof *s->memory);
    if (s->memory == NULL) {
        eg_free(s);
        if (count >= 0) return EAGLE_ERR_MEMORY;
        return eg_fail(EAGLE_ERR_ARGUMENT, EG_NOWHERE, "give 1 to 4 axes of at least one element, and a type",
                       "plane '%s' has an impossible shape", name);
    }
    s->own_memory = s->memory;
    s->bytes = (size_t)count * eg_type_bytes(type);
    if (wrapped != NULL) s->memory[0] = wrapped;
    status = wrapped != NULL ? EAGLE_OK : allocate_buffers(ctx, s);
    if (status != EAGLE_OK) {
        free_storage(ctx, s);
        return status;
    }
    s->id = ++ctx->n_storages;
    s->next = ctx->storages;
    ctx->storages = s;
    *out = s;
    return EAGLE_OK;
}

static eagle_plane whole(eagle_storage *s)
{
    eagle_plane plane = { .storage = s, .name = s->name, .type = s->type, .place = s->place, .rank = s->rank };

    memcpy(plane.n, s->extent, sizeof plane.n);
    memcpy(plane.stride, s->stride, sizeof plane.stride);
    return plane;
}

eagle_status eg_storage_create(eagle_ctx *ctx, const char *name, eagle_type type, eagle_place place, eagle_shape shape,
                               int buffers, eagle_plane *out)
{
    eagle_storage *s;

    EAGLE_TRY(new_storage(ctx, name, type, place, shape, buffers, NULL, &s));
    *out = whole(s);
    return EAGLE_OK;
}

eagle_status eagle_device(eagle_ctx *ctx, const char *name, eagle_type type, eagle_shape shape, eagle_plane *out)
{
    return eg_storage_create(ctx, name, type, EAGLE_DEVICE, shape, 1, out);
}

eagle_status eagle_host(eagle_ctx *ctx, const char *name, eagle_type type, eagle_shape shape, eagle_plane *out)
{
    return eg_storage_create(ctx, name, type, EAGLE_HOST, shape, 1, out);
}

eagle_status eagle_pinned_with(eagle_ctx *ctx, const char *name, eagle_type type, eagle_shape shape,
                               const eagle_pinned_options *options, eagle_plane *out)
{
    const int buffers = options == NULL || options->buffers == 0 ? 1 : options->buffers;

    return eg_storage_create(ctx, name, type, EAGLE_PINNED, shape, buffers, out);
}

eagle_status eagle_wrap(eagle_ctx *ctx, void *host, const char *name, eagle_type type, eagle_shape shape,
                        eagle_plane *out)
{
    eagle_storage *s;

    if (host == NULL)
        return eg_fail(EAGLE_ERR_ARGUMENT, EG_NOWHERE, "give eagle_wrap the address of an array",
                       "plane '%s' has no memory", name);
    EAGLE_TRY(new_storage(ctx, name, type, EAGLE_HOST, shape, 1, host, &s));
    *out = whole(s);
    return EAGLE_OK;
}

/* --- fields --------------------------------------------------------------------------------------------------- */

/* Elements to the left of the first owned cell of a row: the ghost cells, rounded so that owned rows are aligned. */
static int64_t lead_of(const eagle_grid *g)
{
    return g->ghosts > 0 ? (int64_t)align_up((size_t)g->ghosts, ROW_ALIGNMENT) : 0;
}

static int64_t rows_of(const eagle_grid *g, int axis) { return axis < g->dims ? g->local[axis] + 2 * g->ghosts : 1; }

void eg_grid_pitch(eagle_grid *g)
{
    g->pitch[0] = 1;
    g->pitch[1] = (int64_t)align_up((size_t)(lead_of(g) + g->local[0] + g->ghosts), ROW_ALIGNMENT);
    g->pitch[3] = g->pitch[1] * rows_of(g, 1) * rows_of(g, 2);
    /* Without a z axis Z is 0: `dims == 3 ? u[Z] : 0` becomes a masked load, slow where there is no memory. */
    g->pitch[2] = g->dims > 2 ? g->pitch[1] * rows_of(g, 1) : 0;
}

static eagle_plane owned_cells(eagle_storage *s, const eagle_grid *grid)
{
    eagle_plane plane = { .storage = s, .name = s->name, .type = s->type, .place = s->place };

    plane.rank = grid->dims + (s->components > 1 ? 1 : 0);
    for (int axis = 0; axis < grid->dims; axis++) {
        plane.n[plane.rank - 1 - axis] = grid->local[axis];
        plane.stride[plane.rank - 1 - axis] = grid->pitch[axis];
    }
    if (s->components > 1) {
        plane.n[0] = s->components;
        plane.stride[0] = grid->pitch[3];
    }
    plane.first = s->origin;
    return plane;
}

eagle_status eg_field_create(eagle_ctx *ctx, const char *name, eagle_type type, eagle_place place,
                             const eagle_grid *grid, int ghosts, int components, eagle_plane *out)
{
    const eagle_shape shape = { 4, { components, rows_of(grid, 2), rows_of(grid, 1), grid->pitch[1] } };
    eagle_storage    *s;

    EAGLE_TRY(new_storage(ctx, name, type, place, shape, 1, NULL, &s));
    s->grid = grid;
    s->ghosts = ghosts;
    s->components = components;
    s->origin = lead_of(grid);
    for (int axis = 1; axis < grid->dims; axis++) s->origin += grid->ghosts * grid->pitch[axis];
    *out = owned_cells(s, grid);
    return EAGLE_OK;
}

/* --- copies to and from the caller's arrays ------------------------------------------------------------------- */

/* Elements from the first to behind the last of a plane. */
static int64_t span_of(eagle_plane plane)
{
    int64_t last = 0;

    for (int a = 0; a < plane.rank; a++) last += (plane.n[a] - 1) * plane.stride[a];
    return last + 1;
}

/* Rows between a plane's elements in place and a packed array. */
static void pack_rows(eagle_plane plane, char *spread, char *packed, bool pack)
{
    const size_t  bytes = eg_type_bytes(plane.type), row = (size_t)plane.n[plane.rank - 1] * bytes;
    const int64_t rows = eg_plane_count(plane) / plane.n[plane.rank - 1];

    for (int64_t r = 0; r < rows; r++) {
        int64_t rest = r, at = 0;
        for (int a = plane.rank - 2; a >= 0; a--) {
            at += rest % plane.n[a] * plane.stride[a];
            rest /= plane.n[a];
        }
        char *there = spread + (size_t)at * bytes;
        char *here = packed + (size_t)r * row;
        memcpy(pack ? here : there, pack ? there : here, row);
    }
}

static eagle_status transfer(eagle_plane plane, char *packed, bool download)
{
    eagle_storage *s = plane.storage;
    const size_t   bytes = (size_t)span_of(plane) * eg_type_bytes(plane.type);
    void          *memory = eg_address(plane, s->current);
    char          *spread = eg_alloc(1, bytes);
    eagle_status   status;

    if (spread == NULL) return EAGLE_ERR_MEMORY;
    status = s->ctx->backend->copy(s->ctx, spread, memory, bytes);
    if (status == EAGLE_OK) pack_rows(plane, spread, packed, download);
    if (status == EAGLE_OK && !download) status = s->ctx->backend->copy(s->ctx, memory, spread, bytes);
    eg_free(spread);
    return status;
}

static eagle_status transfer_refused(eagle_plane plane)
{
    return eg_fail(EAGLE_ERR_ARGUMENT, EG_NOWHERE, "use a plane that was made, of whole rows",
                   "plane '%s' has no memory, or is not contiguous in x", plane.name ? plane.name : "?");
}

eagle_status eagle_upload(eagle_plane plane, const void *from)
{
    if (plane.storage == NULL || plane.rank < 1 || plane.stride[plane.rank - 1] != 1) return transfer_refused(plane);
    return transfer(plane, (char *)(uintptr_t)from, false);
}

eagle_status eagle_download(eagle_plane plane, void *to)
{
    if (plane.storage == NULL || plane.rank < 1 || plane.stride[plane.rank - 1] != 1) return transfer_refused(plane);
    return transfer(plane, to, true);
}
