/* cuda_tuned.c - a kernel's tuned device form, launched once on planes of the host: for check_tuned.c only, as it allocates
 * and waits each time. */
#include <string.h>

#include "exec/cuda.h"

/* Each plane's storage as a device array, then the clock. */
typedef struct arrays {
    void *memory[EAGLE_MAX_PLANES + 1];
} arrays;

static size_t bytes_before(eagle_plane p) { return (size_t)p.first * eg_type_bytes(p.type); }

static char *storage_of(const eg_node *node, int i, void *const *data)
{
    return (char *)data[i] - bytes_before(node->access[i].plane);
}

static eagle_status send(const eg_node *node, const eagle_clock *clock, void *const *data, arrays *a)
{
    const eg_clock now = { .now = *clock };
    const int      n = node->kernel->n;

    for (int i = 0; i < n; i++) {
        const size_t bytes = node->access[i].plane.storage->bytes;
        EG_CUDA_TRY(cudaMalloc(&a->memory[i], bytes));
        EG_CUDA_TRY(cudaMemcpy(a->memory[i], storage_of(node, i, data), bytes, cudaMemcpyHostToDevice));
    }
    EG_CUDA_TRY(cudaMalloc(&a->memory[n], sizeof now));
    EG_CUDA_TRY(cudaMemcpy(a->memory[n], &now, sizeof now, cudaMemcpyHostToDevice));
    return EAGLE_OK;
}

static unsigned blocks_over(int64_t n, int64_t each) { return (unsigned)((n + each - 1) / each); }

/* In the order of EG_DEVICE_ARGS_. */
static eagle_status launch(const eg_node *node, const arrays *a)
{
    const eagle_device_form *form = node->kernel->tuned.device();
    const eagle_box         *b = &node->box;
    const int                n = node->kernel->n;
    const void              *clock = a->memory[n], *workspace = NULL;
    void                    *planes[EAGLE_MAX_PLANES], *arguments[EAGLE_MAX_PLANES + 5];
    const dim3               block = { (unsigned)form->block[0], (unsigned)form->block[1], 1 };
    const dim3               grid = { blocks_over(b->hi[0] - b->lo[0], form->block[0]),
                                      blocks_over(b->hi[1] - b->lo[1], (int64_t)form->block[1] * form->flat.rows),
                                      blocks_over(b->hi[2] - b->lo[2], form->flat.layers) };

    for (int i = 0; i < n; i++) {
        planes[i] = (char *)a->memory[i] + bytes_before(node->access[i].plane);
        arguments[i] = &planes[i];
    }
    arguments[n] = (void *)(uintptr_t)&node->grid;
    arguments[n + 1] = (void *)(uintptr_t)b;
    arguments[n + 2] = node->params;
    arguments[n + 3] = &clock;
    arguments[n + 4] = &workspace;
    if (grid.x == 0 || grid.y == 0 || grid.z == 0) return EAGLE_OK;
    EG_CUDA_TRY(cudaLaunchKernel(form->flat.function, grid, block, arguments, 0, NULL));
    EG_CUDA_TRY(cudaDeviceSynchronize());
    return EAGLE_OK;
}

static eagle_status fetch(const eg_node *node, void *const *data, const arrays *a)
{
    for (int i = 0; i < node->kernel->n; i++)
        EG_CUDA_TRY(cudaMemcpy(storage_of(node, i, data), a->memory[i], node->access[i].plane.storage->bytes,
                               cudaMemcpyDeviceToHost));
    return EAGLE_OK;
}

eagle_status eg_cuda_run_tuned(eagle_ctx *ctx, const eg_node *node, const eagle_clock *clock, void *const *data)
{
    const eg_cuda *cuda = ctx->device;
    arrays         a = { { NULL } };
    eagle_status   status;

    EG_CUDA_TRY(cudaSetDevice(cuda->device));
    status = send(node, clock, data, &a);
    if (status == EAGLE_OK) status = launch(node, &a);
    if (status == EAGLE_OK) status = fetch(node, data, &a);
    for (int i = 0; i <= node->kernel->n; i++) cudaFree(a.memory[i]);
    return status;
}
