/* check_tuned.c - the tuned form of a kernel against the plain one (--check-tuned): both from the same planes, every bit of
 * what they leave, ghost cells and padding included. The run goes on with what the plain one left. */
#include <string.h>

#include "exec/exec.h"

bool eg_tuned_wanted(const eagle_ctx *ctx, const eg_node *node)
{
    const eagle_forms *tuned = &node->kernel->tuned;

    if (ctx->tuned_by == NULL) return false;
    return ctx->tuned_by->has_device ? node->on_device && tuned->device != NULL : tuned->host[0] != NULL;
}

static size_t bytes_before(eagle_plane p) { return (size_t)p.first * eg_type_bytes(p.type); }

static void write_value(eagle_type type, const char *at, char *out, size_t bytes)
{
    switch (type) {
    case EAGLE_F32: snprintf(out, bytes, "%.9g", (double)*(const float *)(const void *)at); return;
    case EAGLE_F64: snprintf(out, bytes, "%.17g", *(const double *)(const void *)at); return;
    case EAGLE_I64: snprintf(out, bytes, "%lld", (long long)*(const int64_t *)(const void *)at); return;
    case EAGLE_U32: snprintf(out, bytes, "%lu", (unsigned long)*(const uint32_t *)(const void *)at); return;
    case EAGLE_U8: snprintf(out, bytes, "%d", *(const uint8_t *)(const void *)at); return;
    default: snprintf(out, bytes, "%d", *(const int32_t *)(const void *)at); return;
    }
}

static eagle_status differs(const eg_node *node, int i, int64_t e, const char *plain, const char *tuned)
{
    const eagle_plane    plane = node->access[i].plane;
    const eagle_storage *s = plane.storage;
    const int64_t       *o = node->grid.offset;
    char                 values[2][40], component[32] = "";
    int64_t              at[3];

    eg_cell_of(node, plane, e, at);
    if (s->grid != NULL && s->components > 1)
        snprintf(component, sizeof component, ", component %lld", (long long)(e / s->stride[0]));
    write_value(plane.type, tuned, values[0], sizeof values[0]);
    write_value(plane.type, plain, values[1], sizeof values[1]);
    return eg_fail(EAGLE_ERR_GRAPH, node->here,
                   "do the same operations in the same order as the plain form, or leave its file "
                   "out of TUNED",
                   "%s: the tuned form leaves %s in '%s' at (%lld, %lld, %lld)%s, the plain one %s", node->name,
                   values[0], node->kernel->slots[i].name, (long long)(at[0] + o[0]), (long long)(at[1] + o[1]),
                   (long long)(at[2] + o[2]), component, values[1]);
}

static eagle_status compare(const eg_node *node, int i, const char *plain, const char *tuned)
{
    const eagle_plane plane = node->access[i].plane;
    const size_t      size = eg_type_bytes(plane.type), n = plane.storage->bytes / size;

    if (memcmp(plain, tuned, n * size) == 0) return EAGLE_OK;
    for (size_t e = 0; e < n; e++)
        if (memcmp(plain + e * size, tuned + e * size, size) != 0)
            return differs(node, i, (int64_t)e, plain + e * size, tuned + e * size);
    return EAGLE_OK;
}

eagle_status eg_check_tuned(eagle_ctx *ctx, const eg_node *node, const eagle_clock *clock, void *const *data)
{
    void        *copies[EAGLE_MAX_PLANES] = { NULL }; /* each as data: behind its storage's first element */
    eagle_status status = EAGLE_OK;
    int          n = 0;

    for (; n < node->kernel->n && status == EAGLE_OK; n++) {
        const eagle_plane plane = node->access[n].plane;
        char             *copy = eg_alloc(plane.storage->bytes, 1);
        if (copy == NULL) {
            status = EAGLE_ERR_MEMORY;
            break;
        }
        memcpy(copy, (const char *)data[n] - bytes_before(plane), plane.storage->bytes);
        copies[n] = copy + bytes_before(plane);
    }
    if (status == EAGLE_OK) status = ctx->tuned_by->run_tuned(ctx, node, clock, copies);
    eg_host_kernel(ctx, node, clock, data);
    for (int i = 0; i < n; i++) {
        const size_t before = bytes_before(node->access[i].plane);
        if (status == EAGLE_OK)
            status = compare(node, i, (const char *)data[i] - before, (const char *)copies[i] - before);
        eg_free((char *)copies[i] - before);
    }
    ctx->n_tuned++;
    return status;
}
