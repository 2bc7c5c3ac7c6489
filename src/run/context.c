/* context.c - the public start and end of a program: MPI and the engine together. */
#include <string.h>

#include "run/job.h"

int         eagle_rank(const eagle_ctx *ctx) { return ctx->rank; }
int         eagle_ranks(const eagle_ctx *ctx) { return ctx->ranks; }
const char *eagle_backend(const eagle_ctx *ctx) { return ctx->backend->name; }

/* Ghost cells go by copies within a rank, by MPI between ranks; the word only says what is expected. */
static eagle_status check_transport(const eagle_options *options, int ranks)
{
    const char *const word = options == NULL || options->transport == NULL ? "auto" : options->transport;

    if (strcmp(word, "auto") == 0 || strcmp(word, "mpi") == 0) return EAGLE_OK;
    if (strcmp(word, "self") != 0)
        return eg_fail(EAGLE_ERR_CONFIG, EG_NOWHERE, "use auto, self or mpi", "there is no transport '%s'", word);
    if (ranks == 1) return EAGLE_OK;
    return eg_fail(EAGLE_ERR_CONFIG, EG_NOWHERE, "use transport mpi or auto, or one rank",
                   "transport 'self' fills ghost cells of one rank, and there are %d", ranks);
}

/* The engine of one rank; whether all ranks have one is agreed on by the caller. */
static eagle_status open_engine(const eagle_options *options, eg_job *job, eagle_ctx **ctx)
{
    EAGLE_TRY(check_transport(options, job->ranks));
    EAGLE_TRY(eg_ctx_open(options, job->rank, job->ranks, job->local_rank, job->local_ranks, job->cores, ctx));
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
    status = eg_context_open(options, job, out);
    if (status != EAGLE_OK) eg_job_close(job);
    return status;
}

/* --- the end -------------------------------------------------------------------------------------------------- */

/* Formatted by its own rank: the place of an error is a pointer of its process. */
typedef struct ending {
    bool failed, only_heard, agreed; /* agreed: the text names its ranks */
    char text[2048];
} ending;

static void write_ending(ending *e, eagle_status status)
{
    const eagle_error *error = eagle_last_error();

    memset(e, 0, sizeof *e);
    e->failed = status != EAGLE_OK;
    e->only_heard = eg_job_only_heard(error);
    e->agreed = strncmp(error->what, "[rank", 5) == 0;
    eg_error_format(error, e->text, sizeof e->text);
}

/* Each distinct message once, with its ranks. What a rank only heard is left out where the words themselves are. */
static void print_endings(const ending *all, int n, bool *with)
{
    char ranks[128];
    bool heard = true, printed;

    for (int r = 0; r < n; r++) heard = heard && (!all[r].failed || all[r].only_heard);
    for (int r = 0; r < n; r++) {
        printed = !all[r].failed || (all[r].only_heard && !heard);
        for (int other = 0; other < n; other++) {
            with[other] = all[other].failed && strcmp(all[other].text, all[r].text) == 0;
            printed = printed || (other < r && with[other]);
        }
        if (printed) continue;
        eg_ranks_text(with, n, ranks, sizeof ranks);
        if (n > 1 && !all[r].agreed) fprintf(stderr, "[%s] ", ranks);
        fputs(all[r].text, stderr);
    }
    fflush(stderr);
}

/* Every rank's last words go to rank 0, which prints each once. */
static void report_errors(eg_job *job, eagle_status status)
{
    ending  mine;
    ending *all = eg_alloc((size_t)job->ranks, sizeof *all);
    bool   *with = eg_alloc((size_t)job->ranks, sizeof *with);

    write_ending(&mine, status);
    if (all != NULL && with != NULL) {
        all[0] = mine;
        if (job->ranks > 1) eg_gather(job, EG_CONTROL, &mine, sizeof mine, all);
        if (job->rank == 0) print_endings(all, job->ranks, with);
    }
    eg_free(all);
    eg_free(with);
}

static eagle_status worst_of(eg_job *job, eagle_status status)
{
    const eagle_error  mine = *eagle_last_error();
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
