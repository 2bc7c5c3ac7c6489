/* reduce.c - a reduction over ranks, as nodes of a graph: the partial results, 64 bytes from every rank, are merged by
 * an operation of MPI that gives the same bits in any order.
 *
 * Every rank must start its reductions in the same order. They all write one hidden plane, so that they stand in the
 * order of the program text on every rank, whatever else the graph allows. */
#include <string.h>

#include "run/job.h"

/* --- the operation -------------------------------------------------------------------------------------------- */

static void merge(void *in, void *inout, int n, eagle_reduction r)
{
    const eagle_partial *from = in;
    eagle_partial       *to = inout;

    for (int i = 0; i < n; i++) eg_partial_merge(&to[i], r, &from[i]);
}

static void merge_sums(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    merge(in, inout, *n, EAGLE_SUM);
}

static void merge_minima(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    merge(in, inout, *n, EAGLE_MIN);
}

static void merge_maxima(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    merge(in, inout, *n, EAGLE_MAX);
}

eagle_status eg_reduce_open(eg_job *job)
{
    static MPI_User_function *const merges[] = {
        [EAGLE_SUM] = merge_sums, [EAGLE_MIN] = merge_minima, [EAGLE_MAX] = merge_maxima
    };
    int code = MPI_Type_contiguous((int)sizeof(eagle_partial), MPI_BYTE, &job->partial_type);

    if (code == MPI_SUCCESS) code = MPI_Type_commit(&job->partial_type);
    for (int r = EAGLE_SUM; r <= EAGLE_MAX && code == MPI_SUCCESS; r++)
        code = MPI_Op_create(merges[r], 1, &job->partial_op[r]);
    job->reduces = code == MPI_SUCCESS;
    return code == MPI_SUCCESS ? EAGLE_OK : eg_mpi_fail("MPI_Op_create", code);
}

void eg_reduce_close(eg_job *job)
{
    while (job->sums != NULL) {
        eg_sum *sum = job->sums;
        job->sums = sum->next;
        eg_free(sum);
    }
    if (!job->reduces) return;
    for (int r = EAGLE_SUM; r <= EAGLE_MAX; r++) MPI_Op_free(&job->partial_op[r]);
    MPI_Type_free(&job->partial_type);
}

/* --- the node ------------------------------------------------------------------------------------------------- */

/* eagle_partial.failed: the status times this, plus the rank. The worst status wins, then the lowest rank. */
#define FAILED_UNIT ((int64_t)1 << 32)

static eagle_status start(const eagle_host_call *call, void *state)
{
    eg_sum *sum = state;
    eg_job *job = sum->job;

    sum->mine = *(const eagle_partial *)call->data[0];
    sum->mine.failed = call->status == EAGLE_OK ? 0 : (int64_t)call->status * FAILED_UNIT + job->rank;
    sum->result = call->data[0];
    pthread_mutex_lock(&job->lock);
    const int code = MPI_Iallreduce(&sum->mine, sum->result, 1, job->partial_type, job->partial_op[sum->reduction],
                                    job->comm[EG_SUMS], &sum->request);
    pthread_mutex_unlock(&job->lock);
    return code == MPI_SUCCESS ? EAGLE_OK : eg_mpi_fail("MPI_Iallreduce", code);
}

static int poll(void *state)
{
    eg_sum   *sum = state;
    const int done = eg_poll_requests(sum->job, 1, &sum->request);

    if (done != 1 || sum->mine.failed != 0 || sum->result->failed == 0) return done;
    const int64_t rank = ((sum->result->failed % FAILED_UNIT) + FAILED_UNIT) % FAILED_UNIT;
    return eg_job_heard((int)rank, (eagle_status)((sum->result->failed - rank) / FAILED_UNIT));
}

static eagle_status order_plane(eg_job *job, eagle_plane *out)
{
    const eagle_shape one = { 1, { 1 } };

    if (job->sum_order.storage == NULL)
        EAGLE_TRY(eg_storage_create(job->ctx, "order of sums", EAGLE_U8, EAGLE_HOST, one, 1, &job->sum_order));
    *out = job->sum_order;
    return EAGLE_OK;
}

/* The planes of one reduction's node: its partial result on the host, and the hidden one. */
static eagle_status make_sum(eg_job *job, eagle_reduction r, eagle_plane partial, eagle_plane planes[2], eg_sum **out)
{
    const eagle_shape words = { 1, { partial.n[0] } };
    eg_sum           *sum = eg_alloc(1, sizeof *sum);

    if (sum == NULL) return EAGLE_ERR_MEMORY;
    *sum = (eg_sum){ .next = job->sums, .job = job, .reduction = r, .request = MPI_REQUEST_NULL };
    job->sums = sum;
    planes[0] = partial;
    if (partial.place == EAGLE_DEVICE)
        EAGLE_TRY(eg_storage_create(job->ctx, "sum over ranks", EAGLE_I64, EAGLE_PINNED, words, 1, &planes[0]));
    *out = sum;
    return order_plane(job, &planes[1]);
}

void eg_reduce_over_ranks(eagle_graph *g, void *state, eagle_plane partial, eagle_reduction r, eagle_here here)
{
    eagle_plane planes[2];
    eg_sum     *sum;

    if (make_sum(state, r, partial, planes, &sum) != EAGLE_OK) {
        eg_refuse(g, here, "free memory", "a sum over ranks could not be made: %s", eagle_last_error()->what);
        return;
    }
    const eg_task task = { .start = start, .poll = poll, .state = sum, .worker = EG_WORKER_COMM, .takes_part = true };
    const bool    on_device = partial.place == EAGLE_DEVICE;
    if (on_device) eg_add_moves(g, "sum to host", 1, &(const eg_move){ partial, planes[0] }, here);
    eg_add_task(g, "sum over ranks", &task, (eagle_plane_list){ 0, NULL }, (eagle_plane_list){ 2, planes }, here);
    if (on_device) eg_add_moves(g, "sum to device", 1, &(const eg_move){ planes[0], partial }, here);
}
