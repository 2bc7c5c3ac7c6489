/* plane.c - planes: types, views, addresses, and which elements of a storage a view covers. */
#include <string.h>

#include "graph/graph.h"

static const struct {
    const char *name;
    size_t      bytes;
} types[] = {
    [EAGLE_F32] = { "float", 4 },   [EAGLE_F64] = { "double", 8 },   [EAGLE_I32] = { "int32_t", 4 },
    [EAGLE_I64] = { "int64_t", 8 }, [EAGLE_U32] = { "uint32_t", 4 }, [EAGLE_U8] = { "uint8_t", 1 },
};

size_t eg_type_bytes(eagle_type type)
{
    return type >= EAGLE_F32 && (size_t)type < EG_COUNT(types) ? types[type].bytes : 0;
}

const char *eg_type_name(eagle_type type)
{
    return type >= EAGLE_F32 && (size_t)type < EG_COUNT(types) ? types[type].name : "no type";
}

const char *eg_place_name(eagle_place place)
{
    static const char *const names[] = { "nowhere", "on the host", "pinned", "on the device" };
    return names[place >= EAGLE_HOST && place <= EAGLE_DEVICE ? place : 0];
}

bool eg_on_device(eagle_plane plane) { return plane.place == EAGLE_DEVICE; }

int64_t eg_plane_count(eagle_plane plane)
{
    int64_t n = 1;

    for (int a = 0; a < plane.rank; a++) n *= plane.n[a];
    return plane.rank > 0 ? n : 0;
}

/* Axes of one element say nothing: [1, 4] and [4] are the same shape. */
bool eg_same_shape(eagle_plane a, eagle_plane b)
{
    int i = 0, j = 0;

    for (;;) {
        while (i < a.rank && a.n[i] == 1) i++;
        while (j < b.rank && b.n[j] == 1) j++;
        if (i == a.rank || j == b.rank) return i == a.rank && j == b.rank;
        if (a.n[i++] != b.n[j++]) return false;
    }
}

static bool contiguous(eagle_plane plane)
{
    int64_t step = 1;

    for (int a = plane.rank - 1; a >= 0; a--) {
        if (plane.n[a] > 1 && plane.stride[a] != step) return false;
        step *= plane.n[a];
    }
    return true;
}

static void whole_storage(const eagle_storage *s, eg_access *out)
{
    for (int a = 0; a < EAGLE_MAX_RANK; a++) {
        out->lo[a] = 0;
        out->hi[a] = a < s->rank ? s->extent[a] : 1;
    }
}

/* The storage's axis along which one axis of a view runs; -1: none. */
static int storage_axis(const eagle_storage *s, int64_t stride)
{
    for (int a = 0; a < s->rank; a++)
        if (s->extent[a] > 1 && stride % s->stride[a] == 0 && stride / s->stride[a] < s->extent[a]) return a;
    return -1;
}

/* A view whose axes are axes of the storage covers a box of it; any other is taken to cover all of it. */
static bool box_of_view(const eagle_storage *s, eagle_plane plane, eg_access *out)
{
    int64_t rest = plane.first;

    whole_storage(s, out);
    for (int a = 0; a < s->rank; a++) {
        out->lo[a] = rest / s->stride[a];
        out->hi[a] = out->lo[a] + 1;
        rest %= s->stride[a];
    }
    for (int p = 0; p < plane.rank; p++) {
        if (plane.n[p] == 1) continue;
        const int a = storage_axis(s, plane.stride[p]);
        if (a < 0 || out->hi[a] != out->lo[a] + 1) return false;
        out->hi[a] = out->lo[a] + (plane.n[p] - 1) * (plane.stride[p] / s->stride[a]) + 1;
        if (out->hi[a] > s->extent[a]) return false;
    }
    return true;
}

void eg_access_box(eagle_plane plane, eg_access *out)
{
    const eagle_storage *s = plane.storage;
    const int64_t        bytes = (int64_t)eg_type_bytes(plane.type), unit = (int64_t)eg_type_bytes(s->type);

    if (s->rank == 1 && contiguous(plane)) { /* a piece of a buffer, perhaps of another type */
        whole_storage(s, out);
        out->lo[0] = plane.first * bytes / unit;
        out->hi[0] = ((plane.first + eg_plane_count(plane)) * bytes + unit - 1) / unit;
        return;
    }
    if (plane.type != s->type || !box_of_view(s, plane, out)) whole_storage(s, out);
}

/* Rows begin before their ghost cells, for the alignment of the first owned one. */
int64_t eg_first_owned(const eagle_storage *field, int axis)
{
    return axis == 0 ? field->origin % field->stride[field->rank - 2] : field->grid->ghosts;
}

bool eg_conflict(const eg_access *a, const eg_access *b)
{
    if (a->plane.storage != b->plane.storage || (!a->writes && !b->writes)) return false;
    for (int i = 0; i < EAGLE_MAX_RANK; i++)
        if (a->hi[i] <= b->lo[i] || b->hi[i] <= a->lo[i]) return false;
    return true;
}

eagle_plane eg_piece(eagle_storage *storage, const char *name, eagle_type type, eagle_shape shape, size_t offset)
{
    eagle_plane plane = { .storage = storage, .name = name, .type = type, .place = storage->place, .rank = shape.rank };
    int64_t     step = 1;

    for (int a = shape.rank - 1; a >= 0; a--) {
        plane.n[a] = shape.n[a];
        plane.stride[a] = step;
        step *= shape.n[a];
    }
    plane.first = (int64_t)(offset / eg_type_bytes(type));
    return plane;
}

void *eg_address(eagle_plane plane, int buffer)
{
    return (char *)plane.storage->memory[buffer] + plane.first * (int64_t)eg_type_bytes(plane.type);
}

eagle_plane eagle_view(eagle_plane plane, eagle_shape lo, eagle_shape n)
{
    const eagle_plane nothing = { .name = plane.name };

    if (plane.storage == NULL || lo.rank != plane.rank || n.rank != plane.rank) return nothing;
    for (int a = 0; a < plane.rank; a++) {
        if (lo.n[a] < 0 || n.n[a] < 1 || lo.n[a] + n.n[a] > plane.n[a]) return nothing;
        plane.first += lo.n[a] * plane.stride[a];
        plane.n[a] = n.n[a];
    }
    return plane;
}

void *eagle_data(eagle_plane plane)
{
    if (plane.storage == NULL || (plane.place == EAGLE_DEVICE && plane.storage->device_only)) return NULL;
    return eg_address(plane, plane.storage->current);
}
