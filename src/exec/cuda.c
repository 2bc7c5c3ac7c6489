/* cuda.c - the cuda backend's table: which GPU, its streams, its memory. See cuda.h for the other parts. */
#include <stdlib.h>
#include <string.h>

#include "exec/cuda.h"

#define RESERVE_BYTES ((size_t)1 << 30)

eagle_status eg_cuda_fail(const char *call, cudaError_t code)
{
    const int length = (int)strcspn(call, "(");

    if (code == cudaErrorMemoryAllocation)
        return eg_fail(EAGLE_ERR_MEMORY, EG_NOWHERE, "use fewer cells a GPU: more ranks on more GPUs, or real = float",
                       "%.*s failed: %s (%d)", length, call, cudaGetErrorName(code), (int)code);
    return eg_fail(EAGLE_ERR_CUDA, EG_NOWHERE, "", "%.*s failed: %s (%d): %s", length, call, cudaGetErrorName(code),
                   (int)code, cudaGetErrorString(code));
}

/* --- choosing a GPU ------------------------------------------------------------------------------------------- */

static eagle_status count_devices(int *n)
{
    const cudaError_t code = cudaGetDeviceCount(n);

    if (code == cudaErrorInsufficientDriver)
        return eg_fail(EAGLE_ERR_ENVIRONMENT, EG_NOWHERE, "install NVIDIA's driver, or set run.backend=host",
                       "there is no driver for an NVIDIA GPU, or one older than CUDA %d.%d", CUDART_VERSION / 1000,
                       CUDART_VERSION % 1000 / 10);
    if (code == cudaErrorNoDevice || (code == cudaSuccess && *n == 0))
        return eg_fail(EAGLE_ERR_ENVIRONMENT, EG_NOWHERE,
                       "look at nvidia-smi and CUDA_VISIBLE_DEVICES, or set "
                       "run.backend=host",
                       "no NVIDIA GPU can be seen");
    if (code != cudaSuccess)
        return eg_fail(EAGLE_ERR_ENVIRONMENT, EG_NOWHERE, "look at nvidia-smi, or set run.backend=host",
                       "cudaGetDeviceCount failed: %s (%d)", cudaGetErrorName(code), (int)code);
    return EAGLE_OK;
}

/* Is there machine code, or PTX, of our own kernels that this GPU runs? */
static eagle_status check_image(const struct cudaDeviceProp *properties)
{
    struct cudaFuncAttributes attributes;
    const cudaError_t         code = cudaFuncGetAttributes(&attributes, eg_cuda_tick_function());

    if (code == cudaSuccess) return EAGLE_OK;
    if (code != cudaErrorNoKernelImageForDevice && code != cudaErrorInvalidDeviceFunction &&
        code != cudaErrorUnsupportedPtxVersion)
        return eg_cuda_fail("cudaFuncGetAttributes", code);
    return eg_no_code_for(properties->name, properties->major, properties->minor, EAGLE_CUDA_ARCHITECTURES);
}

/* Functions of the driver, found without linking with it. */
static bool find_driver(const char *name, void *out)
{
    enum cudaDriverEntryPointQueryResult found;
    void                               **where = out;

#if CUDART_VERSION >= 12050
    return cudaGetDriverEntryPointByVersion(name, where, 12000, cudaEnableDefault, &found) == cudaSuccess &&
           found == cudaDriverEntryPointSuccess;
#else
    return cudaGetDriverEntryPoint(name, where, cudaEnableDefault, &found) == cudaSuccess &&
           found == cudaDriverEntryPointSuccess;
#endif
}

/* EAGLE_HANDOFF=node asks for CUDA host nodes instead. */
static bool has_mem_ops(eg_cuda *cuda)
{
    const char *wanted = getenv("EAGLE_HANDOFF");
    CUresult (*current)(CUcontext *) = NULL;
    CUresult (*attribute)(int *, CUdevice_attribute, CUdevice) = NULL;
    int yes = 0;

    if (wanted != NULL && strcmp(wanted, "node") == 0) return false;
    if (!find_driver("cuGraphAddBatchMemOpNode", &cuda->add_batch) || !find_driver("cuCtxGetCurrent", &current) ||
        !find_driver("cuDeviceGetAttribute", &attribute))
        return false;
    if (attribute(&yes, CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS, cuda->device) != CUDA_SUCCESS) return false;
    return yes != 0 && current(&cuda->context) == CUDA_SUCCESS && cuda->context != NULL;
}

static eagle_status choose_gpu(eg_cuda *cuda)
{
    struct cudaDeviceProp properties;
    int                   n = 0;

    /* Ranks that share a GPU share its hardware queues: with 32 for each of four, the fourth gets no context. */
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", cuda->ctx->local_ranks > 1 ? "8" : "32", 0);
    setenv("CUDA_MODULE_LOADING", "EAGER", 0);
    EAGLE_TRY(count_devices(&n));
    cuda->device = cuda->ctx->local_rank % n;
    EG_CUDA_TRY(cudaSetDevice(cuda->device));
    EG_CUDA_TRY(cudaGetDeviceProperties(&properties, cuda->device));
    EG_CUDA_TRY(cudaFree(NULL)); /* makes the context */
    EAGLE_TRY(check_image(&properties));
    snprintf(cuda->name, sizeof cuda->name, "%s", properties.name);
    cuda->bytes = properties.totalGlobalMem;
    cuda->mem_ops = has_mem_ops(cuda);
    return EAGLE_OK;
}

/* --- open and close ------------------------------------------------------------------------------------------- */

static eagle_status open_lanes(eg_cuda *cuda)
{
    for (int l = 0; l < EG_CUDA_LANES; l++) {
        eg_cuda_lane *lane = &cuda->lanes[l];
        EG_CUDA_TRY(cudaStreamCreateWithFlags(&lane->stream, cudaStreamNonBlocking));
        EG_CUDA_TRY(cudaEventCreateWithFlags(&lane->after_main, cudaEventDisableTiming));
        for (int f = 0; f < EG_CUDA_FLIGHTS; f++)
            EG_CUDA_TRY(cudaEventCreateWithFlags(&lane->flights[f].ended, cudaEventDisableTiming));
    }
    return EAGLE_OK;
}

static void close_lanes(eg_cuda *cuda)
{
    for (int l = 0; l < EG_CUDA_LANES; l++) {
        eg_cuda_lane *lane = &cuda->lanes[l];
        for (int f = 0; f < EG_CUDA_FLIGHTS; f++)
            if (lane->flights[f].ended != NULL) cudaEventDestroy(lane->flights[f].ended);
        if (lane->after_main != NULL) cudaEventDestroy(lane->after_main);
        if (lane->stream != NULL) cudaStreamDestroy(lane->stream);
    }
}

static void close_backend(eagle_ctx *ctx)
{
    eg_cuda *cuda = ctx->device;

    if (cuda == NULL) return;
    eg_cuda_handoff_close(cuda);
    close_lanes(cuda);
    pthread_cond_destroy(&cuda->inbox_filled);
    pthread_mutex_destroy(&cuda->inbox_lock);
    pthread_mutex_destroy(&cuda->lock);
    eg_free(cuda);
    ctx->device = NULL;
}

static eagle_status open_backend(eagle_ctx *ctx)
{
    eg_cuda     *cuda = eg_alloc(1, sizeof *cuda);
    eagle_status status;

    if (cuda == NULL) return EAGLE_ERR_MEMORY;
    cuda->ctx = ctx;
    ctx->device = cuda;
    pthread_mutex_init(&cuda->lock, NULL);
    pthread_mutex_init(&cuda->inbox_lock, NULL);
    pthread_cond_init(&cuda->inbox_filled, NULL);
    status = choose_gpu(cuda);
    if (status == EAGLE_OK) status = open_lanes(cuda);
    if (status == EAGLE_OK) status = eg_cuda_handoff_open(cuda);
    if (status != EAGLE_OK) close_backend(ctx);
    return status;
}

/* --- memory --------------------------------------------------------------------------------------------------- */

static eagle_status allocate_host(size_t bytes, void **out)
{
    const size_t whole = (bytes + 4095) / 4096 * 4096;

    *out = aligned_alloc(4096, whole);
    if (*out == NULL)
        return eg_fail(EAGLE_ERR_MEMORY, EG_NOWHERE, "use fewer cells, or more ranks on more hosts",
                       "%.3g MB of memory could not be had", (double)bytes / 1e6);
    memset(*out, 0, whole);
    return EAGLE_OK;
}

static eagle_status allocate_device(eg_cuda *cuda, size_t bytes, void **out)
{
    size_t            left = 0, all = 0;
    const cudaError_t code = cudaMalloc(out, bytes);

    if (code == cudaErrorMemoryAllocation) {
        cudaGetLastError(); /* is not to be met again */
        cudaMemGetInfo(&left, &all);
        return eg_fail(EAGLE_ERR_MEMORY, EG_NOWHERE, "use fewer cells a GPU, or more ranks on more GPUs",
                       "%.3g MB on '%s' could not be had; %.3g of %.3g MB are free", (double)bytes / 1e6, cuda->name,
                       (double)left / 1e6, (double)all / 1e6);
    }
    if (code != cudaSuccess) return eg_cuda_fail("cudaMalloc", code);
    EG_CUDA_TRY(cudaMemsetAsync(*out, 0, bytes, cuda->lanes[0].stream));
    EG_CUDA_TRY(cudaStreamSynchronize(cuda->lanes[0].stream));
    return EAGLE_OK;
}

static eagle_status allocate(eagle_ctx *ctx, eagle_place place, size_t bytes, void **out)
{
    eg_cuda *cuda = ctx->device;

    if (place == EAGLE_HOST) return allocate_host(bytes, out);
    EG_CUDA_TRY(cudaSetDevice(cuda->device));
    if (place == EAGLE_DEVICE) return allocate_device(cuda, bytes, out);
    EG_CUDA_TRY(cudaHostAlloc(out, bytes, cudaHostAllocMapped | cudaHostAllocPortable));
    memset(*out, 0, bytes);
    return EAGLE_OK;
}

static void release(eagle_ctx *ctx, eagle_place place, void *memory)
{
    const eg_cuda *cuda = ctx->device;

    cudaSetDevice(cuda->device);
    if (place == EAGLE_HOST)
        free(memory);
    else if (place == EAGLE_PINNED)
        cudaFreeHost(memory);
    else
        cudaFree(memory);
}

/* A part stays free for what is made later: executables, tables, workspaces. Ranks that share the GPU share the rest. */
static size_t spare(eagle_ctx *ctx)
{
    const eg_cuda *cuda = ctx->device;
    const size_t   reserve = cuda->bytes / 16 < RESERVE_BYTES ? cuda->bytes / 16 : RESERVE_BYTES;
    size_t         left = 0, all = 0;
    int            n = 1;

    if (cudaSetDevice(cuda->device) != cudaSuccess || cudaMemGetInfo(&left, &all) != cudaSuccess || left <= reserve ||
        cudaGetDeviceCount(&n) != cudaSuccess)
        return 0;
    return (left - reserve) / (size_t)((ctx->local_ranks + n - 1) / n);
}

static eagle_status copy(eagle_ctx *ctx, void *to, const void *from, size_t bytes)
{
    eg_cuda *cuda = ctx->device;

    EG_CUDA_TRY(cudaSetDevice(cuda->device));
    EG_CUDA_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, cuda->lanes[0].stream));
    EG_CUDA_TRY(cudaStreamSynchronize(cuda->lanes[0].stream));
    return EAGLE_OK;
}

static void describe(const eagle_ctx *ctx, char *out, size_t bytes)
{
    const eg_cuda *cuda = ctx->device;

    snprintf(out, bytes, "%s, %.0f GB", cuda->name, (double)cuda->bytes / 1e9);
}

const eg_backend eg_cuda_backend = {
    .name = "cuda",
    .has_device = true,
    .blocks = true,
    .open = open_backend,
    .close = close_backend,
    .allocate = allocate,
    .release = release,
    .spare = spare,
    .copy = copy,
    .prepare = eg_cuda_prepare,
    .replay = eg_cuda_replay,
    .wait = eg_cuda_wait,
    .progress = eg_cuda_progress,
    .clock = eg_cuda_clock_after,
    .discard = eg_cuda_discard,
    .describe = describe,
    .run_tuned = eg_cuda_run_tuned,
};
