/* job.h - MPI: the ranks of a job, agreement between them, and split-phase operations that no thread blocks in.
 *
 * Rules
 *   J1  every MPI call is made under job->lock, so that MPI_THREAD_SERIALIZED is enough.
 *   J2  nobody blocks in MPI while a graph is in flight: an operation is started, and polled until it is done.
 *   J3  each kind of traffic has a communicator of its own, on which all ranks start operations in the same order. */
#ifndef EG_JOB_H
#define EG_JOB_H

#include <mpi.h>
#include <pthread.h>

#include "exec/exec.h"
#include "machine/machine.h"

typedef enum eg_channel { EG_CONTROL = 0, EG_HALO, EG_SUMS, EG_FILES, EG_CHANNELS } eg_channel;

/* A reduction over ranks that a graph replays. */
typedef struct eg_sum {
    struct eg_sum *next;
    struct eg_job *job;
    eagle_reduction reduction;
    eagle_partial  mine, *result;
    MPI_Request    request;
} eg_sum;

typedef struct eg_job {
    eagle_ctx      *ctx;
    MPI_Comm        comm[EG_CHANNELS];
    int             rank, ranks, local_rank, local_ranks;
    eg_place        place;
    double          cores; /* this rank's share of those of its host */
    int             thread_level;
    bool            started_mpi;
    pthread_mutex_t lock;
    MPI_Datatype    partial_type;
    MPI_Op          partial_op[4]; /* by eagle_reduction */
    bool            reduces;       /* type and operations are made */
    eg_sum         *sums;
    eagle_plane     sum_order;     /* written by every reduction: keeps them in text order */
} eg_job;

/* Starts MPI where it is not running. Collective. ctx is filled in by eagle_init. */
eagle_status eg_job_open(int *argc, char ***argv, const void *comm, eg_job **out);
void         eg_job_close(eg_job *job);
eg_job      *eg_job_of(eagle_ctx *ctx);

/* Makes an error of an MPI return code: "MPI_Isend failed: <text> (<number>)". */
eagle_status eg_mpi_fail(const char *call, int code);

/* Collective, by polling: all ranks return the worst (most negative) status, and have the words of the first rank that
 * failed so, behind the ranks that failed with the same ones: "[ranks 0-2,7] main.c:64: ..."; where all did, each keeps
 * its own. Use it after every local step of a collective call. */
eagle_status eg_agree(eg_job *job, eg_channel channel, eagle_status mine);

/* "rank 2", "ranks 0-2,7": those of n that are in. */
void eg_ranks_text(const bool *in, int n, char *out, size_t bytes);

/* The error of a rank that heard from a message that another one failed; its words go behind all others. */
eagle_status eg_job_heard(int rank, eagle_status status);
bool         eg_job_only_heard(const eagle_error *error);

/* Collective, by polling. */
eagle_status eg_broadcast(eg_job *job, eg_channel channel, void *data, size_t bytes, int root);
eagle_status eg_gather(eg_job *job, eg_channel channel, const void *mine, size_t bytes, void *all); /* to rank 0 */
eagle_status eg_allgather(eg_job *job, eg_channel channel, const void *mine, size_t bytes, void *all);
eagle_status eg_any(eg_job *job, eg_channel channel, unsigned *bits); /* those that are set on any rank */
eagle_status eg_barrier(eg_job *job, eg_channel channel);

/* Collective: prints each rank's error once, naming the ranks that had it (context.c). Returns the worst status. */
eagle_status eg_job_report(eg_job *job, eagle_status status);

/* The engine of a job (context.c). Collective. */
eagle_status eg_context_open(const eagle_options *options, eg_job *job, eagle_ctx **out);

/* Waits for requests by polling under the lock, yielding between. */
eagle_status eg_wait_requests(eg_job *job, int n, MPI_Request *requests);

/* The same without waiting: 1 done, 0 not yet, negative an eagle_status. */
int eg_poll_requests(eg_job *job, int n, MPI_Request *requests);

/* Sums over ranks (reduce.c). */
eagle_status eg_reduce_open(eg_job *job);
void         eg_reduce_close(eg_job *job);
void eg_reduce_over_ranks(eagle_graph *g, void *job, eagle_plane partial, eagle_reduction r, eagle_here here);

#endif
