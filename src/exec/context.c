/* context.c - the engine's part of a context: backend, threads, workers. src/run adds MPI. */
#include <stdlib.h>
#include <string.h>

#include "exec/exec.h"
#include "machine/machine.h"

/* The widest instructions of this processor for which kernels are built. */
static int best_form(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("bmi2")) return 0;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512vl") ||
        !__builtin_cpu_supports("avx512cd"))
        return 1;
    return 2;
#else
    return 0;
#endif
}

static const eg_backend *const backends[] = { EG_CUDA_BACKEND &eg_host_backend };

/* Neither depends on the build or on the machine, so that tests can ask for their words. */
eagle_status eg_no_backend(const char *wanted)
{
    if (strcmp(wanted, "cuda") == 0)
        return eg_fail(EAGLE_ERR_ENVIRONMENT, EG_NOWHERE,
                       "build with EAGLE_WITH_CUDA=ON where nvcc is on the PATH, or "
                       "set run.backend=host",
                       "this eagle was built without the cuda backend");
    return eg_fail(EAGLE_ERR_CONFIG, EG_NOWHERE, "use auto, host or cuda", "there is no backend '%s'", wanted);
}

eagle_status eg_no_code_for(const char *gpu, int major, int minor, const char *built)
{
    char fix[128];

    snprintf(fix, sizeof fix,
             "build eagle and its applications with -DEAGLE_CUDA_ARCHITECTURES=%d%d, or set run.backend=host", major,
             minor);
    return eg_fail(EAGLE_ERR_ENVIRONMENT, EG_NOWHERE, fix,
                   "this eagle has no code for '%s', architecture %d%d; it was built for %s", gpu, major, minor, built);
}

/* "auto" takes the first backend that opens. */
static eagle_status open_backend(eagle_ctx *ctx, const char *wanted)
{
    const bool   any = wanted == NULL || strcmp(wanted, "auto") == 0;
    eagle_status status = EAGLE_ERR_ENVIRONMENT;

    for (int i = 0; i < EG_COUNT(backends); i++) {
        if (!any && strcmp(wanted, backends[i]->name) != 0) continue;
        ctx->backend = backends[i];
        status = backends[i]->open(ctx);
        if (status == EAGLE_OK) return status;
        ctx->backend = NULL;
        if (!any) return status;
    }
    return any ? status : eg_no_backend(wanted);
}

/* Tuned forms are run by their backend, all else on the host. */
static eagle_status open_tuned(eagle_ctx *ctx, const char *wanted)
{
    EAGLE_TRY(open_backend(ctx, wanted));
    ctx->tuned_by = ctx->backend;
    ctx->backend = &eg_host_backend;
    return EAGLE_OK;
}

/* Where accesses are checked kernels run on the host. */
static eagle_status choose_backend(eagle_ctx *ctx, const eagle_options *options)
{
    const char *wanted = options == NULL ? NULL : options->backend;

    if (options != NULL && options->check_tuned && !ctx->checks) return open_tuned(ctx, wanted);
    if (!ctx->checks) return open_backend(ctx, wanted);
    if (wanted == NULL || strcmp(wanted, "auto") == 0 || strcmp(wanted, "host") == 0) return open_backend(ctx, "host");
    return eg_fail(EAGLE_ERR_CONFIG, EG_NOWHERE, "set run.backend = host",
                   "accesses are checked on the host, not by '%s'", wanted);
}

static eagle_status open_threads(eagle_ctx *ctx)
{
    static const char *const names[EG_WORKERS] = {
        [EG_WORKER_HOST] = "host", [EG_WORKER_IO] = "io", [EG_WORKER_COMM] = "comm"
    };

    for (int w = 0; w < EG_WORKERS; w++) EAGLE_TRY(eg_worker_open(names[w], &ctx->workers[w]));
    return eg_worker_open("launcher", &ctx->launcher);
}

eagle_status eg_ctx_open(const eagle_options *options, int rank, int ranks, int local_rank, int local_ranks,
                         double cores, eagle_ctx **out)
{
    eagle_ctx   *ctx = eg_alloc(1, sizeof *ctx);
    eagle_status status;

    if (ctx == NULL) return EAGLE_ERR_MEMORY;
    *ctx = (eagle_ctx){ .rank = rank, .ranks = ranks, .local_rank = local_rank, .local_ranks = local_ranks };
    ctx->threads = options != NULL && options->threads > 0 ? options->threads : eg_machine_threads(cores);
    ctx->scarce = eg_machine_scarce(cores, ctx->threads);
    ctx->checks = options != NULL && options->check_access;
    ctx->form = best_form();
    ctx->hooks = (eg_hooks){ .rank = rank, .ranks = 1, .storage = eg_storage_create };
    ctx->partials = eg_alloc((size_t)ctx->threads, sizeof *ctx->partials);
    status = ctx->partials == NULL ? EAGLE_ERR_MEMORY : choose_backend(ctx, options);
    if (status == EAGLE_OK) status = eg_memory_open(ctx);
    if (status == EAGLE_OK) status = open_threads(ctx);
    if (status == EAGLE_OK) *out = ctx;
    if (status != EAGLE_OK) eg_ctx_close(ctx);
    return status;
}

void eg_ctx_close(eagle_ctx *ctx)
{
    if (ctx == NULL) return;
    while (ctx->graphs != NULL) eagle_graph_destroy(ctx->graphs);
    eg_worker_close(ctx->launcher);
    for (int w = 0; w < EG_WORKERS; w++) eg_worker_close(ctx->workers[w]);
    if (ctx->pool != NULL) eg_memory_close(ctx);
    if (ctx->backend != NULL) ctx->backend->close(ctx);
    if (ctx->tuned_by != NULL) ctx->tuned_by->close(ctx);
    eg_free(ctx->partials);
    eg_free(ctx);
}
