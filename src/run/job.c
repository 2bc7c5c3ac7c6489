/* job.c - MPI: starting it, agreement between ranks, and operations that are started and then polled (job.h, J1-J3). */
#include "run/job.h"

#include <stdlib.h>
#include <string.h>

#include "run/placement.h"

eg_job *eg_job_of(eagle_ctx *ctx) { return ctx->job; }

eagle_status eg_mpi_fail(const char *call, int code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int  length = 0;

    MPI_Error_string(code, text, &length);
    return eg_fail(EAGLE_ERR_MPI, EG_NOWHERE, "look at what mpirun and the other ranks say", "%s failed: %s (%d)", call,
                   text, code);
}

#define TRY_MPI(name, expr)                                                                                            \
    do {                                                                                                               \
        const int code_ = (expr);                                                                                      \
        if (code_ != MPI_SUCCESS) return eg_mpi_fail(name, code_);                                                     \
    } while (0)

/* --- split-phase operations ----------------------------------------------------------------------------------- */

static int test_all(eg_job *job, int n, MPI_Request *requests, int *done)
{
    pthread_mutex_lock(&job->lock);
    const int code = MPI_Testall(n, requests, done, MPI_STATUSES_IGNORE);
    pthread_mutex_unlock(&job->lock);
    return code;
}

eagle_status eg_wait_requests(eg_job *job, int n, MPI_Request *requests)
{
    eg_patience patience = { 0 };
    int         done = 0;

    while (!done) {
        TRY_MPI("MPI_Testall", test_all(job, n, requests, &done));
        if (!done) eg_pause(job->ctx, &patience);
    }
    return EAGLE_OK;
}

int eg_poll_requests(eg_job *job, int n, MPI_Request *requests)
{
    int       done = 0;
    const int code = test_all(job, n, requests, &done);

    return code == MPI_SUCCESS ? done : (int)eg_mpi_fail("MPI_Testall", code);
}

/* Starts a collective under the lock and waits for it by polling. */
#define COLLECTIVE(job, name, call)                                                                                    \
    do {                                                                                                               \
        MPI_Request request_;                                                                                          \
        pthread_mutex_lock(&(job)->lock);                                                                              \
        const int started_ = call;                                                                                     \
        pthread_mutex_unlock(&(job)->lock);                                                                            \
        if (started_ != MPI_SUCCESS) return eg_mpi_fail(name, started_);                                               \
        return eg_wait_requests(job, 1, &request_);                                                                    \
    } while (0)

/* Messages of more than 2^31 bytes go in pieces. */
enum { PIECE = 1 << 30 };

static eagle_status broadcast_piece(eg_job *job, eg_channel channel, void *data, int bytes, int root)
{
    COLLECTIVE(job, "MPI_Ibcast", MPI_Ibcast(data, bytes, MPI_BYTE, root, job->comm[channel], &request_));
}

eagle_status eg_broadcast(eg_job *job, eg_channel channel, void *data, size_t bytes, int root)
{
    char *at = data;

    for (size_t left = bytes; left > 0 && job->ranks > 1;) {
        const int piece = left < PIECE ? (int)left : PIECE;
        EAGLE_TRY(broadcast_piece(job, channel, at, piece, root));
        at += piece;
        left -= (size_t)piece;
    }
    return EAGLE_OK;
}

eagle_status eg_gather(eg_job *job, eg_channel channel, const void *mine, size_t bytes, void *all)
{
    COLLECTIVE(job, "MPI_Igather",
               MPI_Igather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, 0, job->comm[channel], &request_));
}

eagle_status eg_allgather(eg_job *job, eg_channel channel, const void *mine, size_t bytes, void *all)
{
    COLLECTIVE(job, "MPI_Iallgather",
               MPI_Iallgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, job->comm[channel], &request_));
}

static eagle_status any_of_ranks(eg_job *job, eg_channel channel, const unsigned *mine, unsigned *all)
{
    COLLECTIVE(job, "MPI_Iallreduce",
               MPI_Iallreduce(mine, all, 1, MPI_UNSIGNED, MPI_BOR, job->comm[channel], &request_));
}

eagle_status eg_any(eg_job *job, eg_channel channel, unsigned *bits)
{
    const unsigned mine = *bits;
    return any_of_ranks(job, channel, &mine, bits);
}

eagle_status eg_barrier(eg_job *job, eg_channel channel)
{
    COLLECTIVE(job, "MPI_Ibarrier", MPI_Ibarrier(job->comm[channel], &request_));
}

/* --- agreement ------------------------------------------------------------------------------------------------ */

void eg_ranks_text(const bool *in, int n, char *out, size_t bytes)
{
    int    count = 0;
    size_t used;

    for (int r = 0; r < n; r++) count += in[r];
    used = (size_t)snprintf(out, bytes, count > 1 ? "ranks " : "rank ");
    for (int r = 0, first = 1; r < n && used + 32 < bytes; r++) {
        int end = r;
        if (!in[r]) continue;
        while (end + 1 < n && in[end + 1]) end++;
        used += (size_t)snprintf(out + used, bytes - used, end > r ? "%s%d-%d" : "%s%d", first ? "" : ",", r, end);
        first = 0;
        r = end;
    }
}

static const char heard[] = "failed, and this rank with it";

eagle_status eg_job_heard(int rank, eagle_status status)
{
    return eg_fail(status, EG_NOWHERE, "look at what that rank says", "[rank %d] %s", rank, heard);
}

bool eg_job_only_heard(const eagle_error *error) { return strstr(error->what, heard) != NULL; }

/* Words as they are sent: the place is text, because a file's name is a pointer of its process. */
typedef struct words {
    eagle_status status;
    char         what[sizeof((eagle_error *)0)->what], fix[sizeof((eagle_error *)0)->fix];
} words;

static void write_words(words *out)
{
    const eagle_error *e = eagle_last_error();

    memset(out, 0, sizeof *out);
    out->status = e->status;
    if (e->here.file != NULL)
        snprintf(out->what, sizeof out->what, "%.200s:%d: %.700s", e->here.file, e->here.line, e->what);
    else
        snprintf(out->what, sizeof out->what, "%s", e->what);
    snprintf(out->fix, sizeof out->fix, "%s", e->fix);
}

/* FNV-1a, never 0: 0 stands for no error. */
static uint64_t hash_of(const words *w)
{
    const unsigned char *at = (const void *)w;
    uint64_t             hash = 14695981039346656037u;

    for (size_t i = 0; i < sizeof *w; i++) hash = (hash ^ at[i]) * 1099511628211u;
    return hash | 1;
}

/* The worst status and its rank; words of a rank's own go before those it only heard. */
static eagle_status least_of_ranks(eg_job *job, eg_channel channel, const int mine[2], int worst[2])
{
    COLLECTIVE(job, "MPI_Iallreduce",
               MPI_Iallreduce(mine, worst, 1, MPI_2INT, MPI_MINLOC, job->comm[channel], &request_));
}

/* Which ranks failed with the words of rank `first`. */
static eagle_status find_alike(eg_job *job, eg_channel channel, const words *mine, bool failed, int first, bool *alike)
{
    const uint64_t hash = failed ? hash_of(mine) : 0;
    uint64_t      *all = eg_alloc((size_t)job->ranks, sizeof *all);
    eagle_status   status;

    if (all == NULL) return EAGLE_ERR_MEMORY;
    status = eg_allgather(job, channel, &hash, sizeof hash, all);
    for (int r = 0; r < job->ranks; r++) alike[r] = all[r] == all[first];
    eg_free(all);
    return status;
}

/* The words of rank `first` become those of all, with the ranks that had them in front; where every rank had them each
 * keeps its own. */
static eagle_status take_words(eg_job *job, eg_channel channel, bool failed, int first, bool *alike)
{
    words mine, theirs;
    char  ranks[128];
    int   n = 0;

    write_words(&mine);
    EAGLE_TRY(find_alike(job, channel, &mine, failed, first, alike));
    theirs = mine;
    EAGLE_TRY(eg_broadcast(job, channel, &theirs, sizeof theirs, first));
    for (int r = 0; r < job->ranks; r++) n += alike[r];
    if (n == job->ranks) return theirs.status;
    if (strncmp(theirs.what, "[rank", 5) == 0) return eg_fail(theirs.status, EG_NOWHERE, theirs.fix, "%s", theirs.what);
    eg_ranks_text(alike, job->ranks, ranks, sizeof ranks);
    return eg_fail(theirs.status, EG_NOWHERE, theirs.fix, "[%s] %s", ranks, theirs.what);
}

eagle_status eg_agree(eg_job *job, eg_channel channel, eagle_status mine)
{
    const bool late = mine != EAGLE_OK && eg_job_only_heard(eagle_last_error());
    const int  pair[2] = { (int)mine, job->rank + (late ? job->ranks : 0) };
    int        worst[2];
    bool      *alike;

    if (job->ranks == 1) return mine;
    EAGLE_TRY(least_of_ranks(job, channel, pair, worst));
    if (worst[0] == EAGLE_OK) return EAGLE_OK;
    alike = eg_alloc((size_t)job->ranks, sizeof *alike);
    if (alike == NULL) return EAGLE_ERR_MEMORY;
    take_words(job, channel, mine != EAGLE_OK, worst[1] % job->ranks, alike);
    eg_free(alike);
    return (eagle_status)worst[0];
}

/* --- start and end -------------------------------------------------------------------------------------------- */

/* A launcher of another MPI starts n programs that each believe to be rank 0 of 1. The first variable that is set
 * decides: inside a Slurm job mpirun hands on Slurm's variables too. */
static eagle_status wrong_launcher(void)
{
    static const char *const names[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS",
                                         "SLURM_STEP_NUM_TASKS" };
    int                      i = 0, ranks = 1;
    long                     said;

    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    while (i < EG_COUNT(names) && getenv(names[i]) == NULL) i++;
    if (i == EG_COUNT(names) || ranks > 1) return EAGLE_OK;
    said = strtol(getenv(names[i]), NULL, 10);
    if (said <= 1) return EAGLE_OK;
    return eg_fail(EAGLE_ERR_ENVIRONMENT, EG_NOWHERE,
                   "use the mpirun of the MPI that eagle was built with, or "
                   "srun --mpi=pmix",
                   "the launcher started %ld processes (%s), but each is rank 0 of 1", said, names[i]);
}

static eagle_status start_mpi(eg_job *job, int *argc, char ***argv)
{
    int running = 0;

    MPI_Initialized(&running);
    if (!running) {
        TRY_MPI("MPI_Init_thread", MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &job->thread_level));
        job->started_mpi = true;
    }
    MPI_Query_thread(&job->thread_level);
    if (job->thread_level >= MPI_THREAD_SERIALIZED) return EAGLE_OK;
    return eg_fail(EAGLE_ERR_ENVIRONMENT, EG_NOWHERE, "start MPI with MPI_THREAD_SERIALIZED or more",
                   "this MPI allows calls from one thread only");
}

static eagle_status find_neighbours_on_host(eg_job *job)
{
    MPI_Comm host;

    TRY_MPI("MPI_Comm_split_type",
            MPI_Comm_split_type(job->comm[EG_CONTROL], MPI_COMM_TYPE_SHARED, job->rank, MPI_INFO_NULL, &host));
    MPI_Comm_rank(host, &job->local_rank);
    MPI_Comm_size(host, &job->local_ranks);
    const eagle_status status = eg_placement_find(job, host);
    MPI_Comm_free(&host);
    return status;
}

static eagle_status open_channels(eg_job *job, MPI_Comm world)
{
    for (int c = 0; c < EG_CHANNELS; c++) {
        TRY_MPI("MPI_Comm_dup", MPI_Comm_dup(world, &job->comm[c]));
        MPI_Comm_set_errhandler(job->comm[c], MPI_ERRORS_RETURN);
    }
    return EAGLE_OK;
}

static eagle_status open_job(eg_job *job, int *argc, char ***argv, const void *comm)
{
    EAGLE_TRY(start_mpi(job, argc, argv));
    EAGLE_TRY(wrong_launcher());
    EAGLE_TRY(open_channels(job, comm == NULL ? MPI_COMM_WORLD : *(const MPI_Comm *)comm));
    MPI_Comm_rank(job->comm[EG_CONTROL], &job->rank);
    MPI_Comm_size(job->comm[EG_CONTROL], &job->ranks);
    eg_log_rank(job->rank);
    EAGLE_TRY(eg_agree(job, EG_CONTROL, find_neighbours_on_host(job)));
    return eg_reduce_open(job);
}

eagle_status eg_job_open(int *argc, char ***argv, const void *comm, eg_job **out)
{
    eg_job      *job = eg_alloc(1, sizeof *job);
    eagle_status status;

    if (job == NULL) return EAGLE_ERR_MEMORY;
    pthread_mutex_init(&job->lock, NULL);
    for (int c = 0; c < EG_CHANNELS; c++) job->comm[c] = MPI_COMM_NULL;
    status = open_job(job, argc, argv, comm);
    if (status == EAGLE_OK)
        *out = job;
    else
        eg_job_close(job);
    return status;
}

void eg_job_close(eg_job *job)
{
    if (job == NULL) return;
    eg_reduce_close(job);
    for (int c = 0; c < EG_CHANNELS; c++)
        if (job->comm[c] != MPI_COMM_NULL) MPI_Comm_free(&job->comm[c]);
    if (job->started_mpi) MPI_Finalize();
    pthread_mutex_destroy(&job->lock);
    eg_free(job);
}
