/* job.c - MPI: starting it, agreement between ranks, and operations that are started and then polled (job.h, J1-J3). */
#include "run/job.h"

#include <stdlib.h>
#include <string.h>

eg_job *eg_job_of(eagle_ctx *ctx) { return ctx->job; }

eagle_status eg_mpi_fail(const char *call, int code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int  length = 0;

    MPI_Error_string(code, text, &length);
    return eg_fail(EAGLE_ERR_MPI, EG_NOWHERE, "look at what mpirun and the other ranks say", "%s failed: %s (%d)", call,
                   text, code);
}

#define TRY_MPI(name, expr)                                                                                           \
    do {                                                                                                              \
        const int code_ = (expr);                                                                                     \
        if (code_ != MPI_SUCCESS) return eg_mpi_fail(name, code_);                                                    \
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
#define COLLECTIVE(job, name, call)                                                                                   \
    do {                                                                                                              \
        MPI_Request request_;                                                                                         \
        pthread_mutex_lock(&(job)->lock);                                                                             \
        const int started_ = call;                                                                                    \
        pthread_mutex_unlock(&(job)->lock);                                                                           \
        if (started_ != MPI_SUCCESS) return eg_mpi_fail(name, started_);                                              \
        return eg_wait_requests(job, 1, &request_);                                                                   \
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
    COLLECTIVE(job, "MPI_Igather", MPI_Igather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, 0,
                                               job->comm[channel], &request_));
}

eagle_status eg_allgather(eg_job *job, eg_channel channel, const void *mine, size_t bytes, void *all)
{
    COLLECTIVE(job, "MPI_Iallgather", MPI_Iallgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE,
                                                     job->comm[channel], &request_));
}

eagle_status eg_barrier(eg_job *job, eg_channel channel)
{
    COLLECTIVE(job, "MPI_Ibarrier", MPI_Ibarrier(job->comm[channel], &request_));
}

static eagle_status least_of_ranks(eg_job *job, eg_channel channel, const int mine[2], int worst[2])
{
    COLLECTIVE(job, "MPI_Iallreduce", MPI_Iallreduce(mine, worst, 1, MPI_2INT, MPI_MINLOC, job->comm[channel], &request_));
}

eagle_status eg_agree(eg_job *job, eg_channel channel, eagle_status mine)
{
    const int   pair[2] = { (int)mine, job->rank };
    int         worst[2];
    eagle_error error;
    char        what[sizeof error.what];

    if (job->ranks == 1) return mine;
    EAGLE_TRY(least_of_ranks(job, channel, pair, worst));
    if (worst[0] == EAGLE_OK) return EAGLE_OK;
    error = *eagle_last_error();
    EAGLE_TRY(eg_broadcast(job, channel, &error, sizeof error, worst[1]));
    if (mine == (eagle_status)worst[0] && job->rank == worst[1]) return mine;
    snprintf(what, sizeof what, "%s", error.what);
    error.here = EG_NOWHERE; /* text of another process */
    if (strncmp(what, "[rank ", 6) != 0) snprintf(error.what, sizeof error.what, "[rank %d] %.900s", worst[1], what);
    return eg_fail_again(&error);
}

/* --- start and end -------------------------------------------------------------------------------------------- */

/* A launcher of another MPI starts n programs that each believe to be rank 0 of 1. */
static eagle_status wrong_launcher(int ranks)
{
    static const char *const names[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_SIZE", "MPI_LOCALNRANKS" };

    for (int i = 0; i < EG_COUNT(names); i++) {
        const char *text = getenv(names[i]);
        const long  said = text == NULL ? 0 : strtol(text, NULL, 10);
        if (said > 1 && ranks == 1)
            return eg_fail(EAGLE_ERR_ENVIRONMENT, EG_NOWHERE, "use the mpirun of the MPI that eagle was built with",
                           "the launcher started %ld processes (%s), but each is rank 0 of 1", said, names[i]);
    }
    return EAGLE_OK;
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

static eagle_status find_neighbours_on_host(eg_job *job, MPI_Comm world)
{
    MPI_Comm host;

    TRY_MPI("MPI_Comm_split_type", MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, job->rank, MPI_INFO_NULL, &host));
    MPI_Comm_rank(host, &job->local_rank);
    MPI_Comm_size(host, &job->local_ranks);
    MPI_Comm_free(&host);
    return EAGLE_OK;
}

static eagle_status open_job(eg_job *job, int *argc, char ***argv, const void *comm)
{
    MPI_Comm world;

    EAGLE_TRY(start_mpi(job, argc, argv));
    world = comm == NULL ? MPI_COMM_WORLD : *(const MPI_Comm *)comm;
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    MPI_Comm_rank(world, &job->rank);
    MPI_Comm_size(world, &job->ranks);
    EAGLE_TRY(wrong_launcher(job->ranks));
    EAGLE_TRY(find_neighbours_on_host(job, world));
    for (int c = 0; c < EG_CHANNELS; c++) {
        TRY_MPI("MPI_Comm_dup", MPI_Comm_dup(world, &job->comm[c]));
        MPI_Comm_set_errhandler(job->comm[c], MPI_ERRORS_RETURN);
    }
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
