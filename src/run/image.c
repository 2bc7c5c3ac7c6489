/* image.c - see image.h. */
#include "run/image.h"

#include <string.h>

eagle_status eg_image_open(const eagle_run *run, const eg_run_field *field, eg_image *out)
{
    const eagle_storage *s = field->planes->now.storage;

    *out = (eg_image){ .run = run, .field = field, .origin = s->origin, .values = eg_alloc(1, s->bytes) };
    for (int a = 0; a < 3; a++) {
        const int64_t out_to = field->spec->constant && a < run->grid.dims ? s->ghosts : 0;
        out->lo[a] = -out_to;
        out->hi[a] = run->grid.local[a] + out_to;
    }
    return out->values != NULL ? EAGLE_OK : EAGLE_ERR_MEMORY;
}

void eg_image_close(eg_image *image)
{
    eg_free(image->values);
    image->values = NULL;
}

int64_t eg_image_index(const eagle_run *run, int axis, int64_t local)
{
    const int64_t cells = run->grid.cells[axis], i = local + run->grid.offset[axis];

    if (run->cartesian.periodic[axis]) return (i % cells + cells) % cells;
    if (i < 0) return 0;
    return i < cells ? i : cells - 1;
}

void eg_image_put(eg_image *image, int component, int64_t x, int64_t y, int64_t z, double value)
{
    const int64_t *pitch = image->run->grid.pitch;
    const int64_t  at = image->origin + component * pitch[3] + z * pitch[2] + y * pitch[1] + x;

    switch (image->field->type) {
    case EAGLE_F32: ((float *)image->values)[at] = (float)value; break;
    case EAGLE_F64: ((double *)image->values)[at] = value; break;
    case EAGLE_I32: ((int32_t *)image->values)[at] = (int32_t)value; break;
    case EAGLE_I64: ((int64_t *)image->values)[at] = (int64_t)value; break;
    case EAGLE_U32: ((uint32_t *)image->values)[at] = (uint32_t)value; break;
    case EAGLE_U8: ((uint8_t *)image->values)[at] = (uint8_t)value; break;
    }
}

static eagle_status upload(eagle_plane plane, const void *values)
{
    eagle_storage *s = plane.storage;

    if (s == NULL) return EAGLE_OK;
    return s->ctx->backend->copy(s->ctx, s->memory[s->current], values, s->bytes);
}

eagle_status eg_image_upload(const eg_image *image)
{
    EAGLE_TRY(upload(image->field->planes->now, image->values));
    return image->field->levels > 1 ? upload(image->field->planes->next, image->values) : EAGLE_OK;
}
