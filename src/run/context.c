/* context.c - the public start and end of a program: MPI and the engine together. */
#include <string.h>

#include "run/job.h"

int         eagle_rank(const eagle_ctx *ctx) { return ctx->rank; }
int         eagle_ranks(const eagle_ctx *ctx) { return ctx->ranks; }
const char *eagle_backend(const eagle_ctx *ctx) { return ctx->backend->name; }

/* The engine of one rank; whether all ranks have one is agreed on by the caller. */
static eagle_status open_engine(const eagle_options *options, eg_job *job, eagle_ctx **ctx)
{
    EAGLE_TRY(eg_ctx_open(options, job->rank, job->ranks, job->local_rank, job->local_ranks, ctx));
    (*ctx)->job = job;
    (*ctx)->hooks.ranks = job->ranks;
    (*ctx)->hooks.reduce = eg_reduce_over_ranks;
    (*ctx)->hooks.reduce_state = job;
    return EAGLE_OK;
}

eagle_status eg_context_open(const eagle_options *options, eg_job *job, eagle_ctx **out)
{
    eagle_ctx   *ctx = NULL;
    eagle_status status;

    status = open_engine(options, job, &ctx);
    job->ctx = ctx;
    status = eg_agree(job, EG_CONTROL, status);
    if (status != EAGLE_OK) {
        eg_ctx_close(ctx);
        job->ctx = NULL;
        return status;
    }
    *out = ctx;
    return EAGLE_OK;
}

eagle_status eagle_init(int *argc, char ***argv, const eagle_options *options, eagle_ctx **out)
{
    eg_job      *job = NULL;
    eagle_status status;

    EAGLE_TRY(eg_job_open(argc, argv, options == NULL ? NULL : options->comm, &job));
    eg_log_rank(job->rank);
    status = eg_context_open(options, job, out);
    if (status != EAGLE_OK) eg_job_close(job);
    return status;
}

/* --- the end -------------------------------------------------------------------------------------------------- */

typedef struct ending {
    int         failed;
    eagle_error error;
} ending;

static bool same_words(const ending *a, const ending *b)
{
    return a->failed && b->failed && strcmp(a->error.what, b->error.what) == 0;
}

/* "[ranks 0-2,7] " */
static void ranks_with(const ending *all, int n, int first, char *out, size_t bytes)
{
    size_t used = (size_t)snprintf(out, bytes, "[rank%s ", n > 1 ? "s" : "");

    for (int r = first; r < n; r++) {
        int end = r;
        if (!same_words(&all[first], &all[r])) continue;
        while (end + 1 < n && same_words(&all[first], &all[end + 1])) end++;
        if (used + 32 > bytes) break;
        used += (size_t)snprintf(out + used, bytes - used, end > r ? "%s%d-%d" : "%s%d", r == first ? "" : ",", r, end);
        r = end;
    }
    snprintf(out + used, bytes - used, "] ");
}

static void print_endings(const ending *all, int n)
{
    char text[2048], ranks[256];

    for (int r = 0; r < n; r++) {
        bool printed = !all[r].failed;
        for (int before = 0; before < r && !printed; before++) printed = same_words(&all[before], &all[r]);
        if (printed) continue;
        eg_error_format(&all[r].error, text, sizeof text);
        ranks_with(all, n, r, ranks, sizeof ranks);
        fprintf(stderr, "%s%s", n > 1 && strncmp(all[r].error.what, "[rank", 5) != 0 ? ranks : "", text);
    }
    fflush(stderr);
}

/* Every rank's last words go to rank 0, which prints each once. */
static void report_errors(eg_job *job, eagle_status status)
{
    ending  mine = { .failed = status != EAGLE_OK, .error = *eagle_last_error() };
    ending *all = eg_alloc((size_t)job->ranks, sizeof *all);

    if (all == NULL) return;
    if (job->ranks == 1)
        all[0] = mine;
    else if (eg_gather(job, EG_CONTROL, &mine, sizeof mine, all) != EAGLE_OK)
        all[0] = mine;
    if (job->rank == 0) print_endings(all, job->ranks);
    eg_free(all);
}

static eagle_status worst_of(eg_job *job, eagle_status status)
{
    const eagle_error mine = *eagle_last_error();
    const eagle_status worst = eg_agree(job, EG_CONTROL, status);

    if (status != EAGLE_OK) eg_fail_again(&mine); /* its own words stay this rank's */
    return worst;
}

eagle_status eg_job_report(eg_job *job, eagle_status status)
{
    const eagle_status worst = worst_of(job, status);

    if (worst != EAGLE_OK) report_errors(job, status);
    return worst;
}

int eagle_finalize(eagle_ctx *ctx, eagle_status status)
{
    char text[2048];

    if (ctx == NULL) { /* eagle_init failed, with the same words on every rank */
        if (status != EAGLE_OK && eg_log_speaks()) {
            eg_error_format(eagle_last_error(), text, sizeof text);
            fputs(text, stderr);
        }
        return eagle_status_exit(status);
    }
    eg_job            *job = ctx->job;
    const eagle_status worst = eg_job_report(job, status);
    eg_ctx_close(ctx);
    eg_job_close(job);
    return eagle_status_exit(worst);
}
