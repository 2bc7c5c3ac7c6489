/* cuda_handoff.c - how the device hands a host node to the workers and gets it back.
 *
 *     device: request = 1 ------> poller: request = 0, posts the job to its worker, or starts and polls it
 *     device: waits for answer == 1, answer = 0 <------ worker or poller: answer = 1, done + 1
 *
 * The device's part is a node of memory operations, or where the GPU has none a CUDA host node that does the same.
 * A node that is not waited for has the first half only; one that waits for other host nodes alone has no first half.
 *
 *   F1  a job starts as soon as it may, whatever stands before it: independent nodes of the device come in any order.
 *       Only the I/O worker's run in the order of their launches, which is the same on every rank; within an executable
 *       their hand-offs stand in that order too, or one could wait behind another that is held back for it.
 *   F2  the instances of one node start in order; of communication one has ended before the next starts. */
#include <string.h>

#include "exec/cuda.h"

/* --- flags ---------------------------------------------------------------------------------------------------- */

eagle_status eg_cuda_flag_take(eg_cuda *cuda, eg_cuda_flag **out)
{
    *out = NULL;
    pthread_mutex_lock(&cuda->lock);
    if (cuda->n_free_flags > 0) *out = &cuda->flags[cuda->free_flags[--cuda->n_free_flags]];
    pthread_mutex_unlock(&cuda->lock);
    if (*out != NULL) return EAGLE_OK;
    return eg_fail(EAGLE_ERR_STATE, EG_NOWHERE, "destroy graphs that are no longer needed: eagle_graph_destroy",
                   "more than %d host nodes are in use, counting each phase and buffer", EG_CUDA_FLAGS);
}

void eg_cuda_flag_give(eg_cuda *cuda, eg_cuda_flag *flag)
{
    atomic_store(&flag->request, 0);
    atomic_store(&flag->answer, 0);
    pthread_mutex_lock(&cuda->lock);
    cuda->free_flags[cuda->n_free_flags++] = (int)(flag - cuda->flags);
    pthread_mutex_unlock(&cuda->lock);
}

/* --- the device's part ---------------------------------------------------------------------------------------- */

static eagle_status add_mem_ops(eg_cuda_build *b, const eg_cuda_host *host, eg_cuda_flag *flag, cudaGraphNode_t *out)
{
    const CUdeviceptr request = (CUdeviceptr)(uintptr_t)&flag->request, answer = (CUdeviceptr)(uintptr_t)&flag->answer;
    CUstreamBatchMemOpParams      ops[3];
    CUDA_BATCH_MEM_OP_NODE_PARAMS p = { .ctx = b->cuda->context, .paramArray = ops };
    CUresult                      code;

    memset(ops, 0, sizeof ops);
    if (host->signals) {
        ops[p.count].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
        ops[p.count].writeValue.address = request;
        ops[p.count++].writeValue.value = 1;
    }
    if (host->waited) {
        ops[p.count].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
        ops[p.count].waitValue.address = answer;
        ops[p.count].waitValue.value = 1;
        ops[p.count++].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
        ops[p.count].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
        ops[p.count].writeValue.address = answer;
        ops[p.count++].writeValue.value = 0;
    }
    code = b->cuda->add_batch((CUgraphNode *)out, (CUgraph)b->exec->graph, (const CUgraphNode *)b->after,
                              (size_t)b->n_after, &p);
    if (code == CUDA_SUCCESS) return EAGLE_OK;
    return eg_fail(EAGLE_ERR_CUDA, EG_NOWHERE, "", "cuGraphAddBatchMemOpNode failed: (%d)", (int)code);
}

static void signal_only(void *argument)
{
    eg_cuda_flag *flag = argument;
    atomic_store(&flag->request, 1);
}

static void take_answer(void *argument)
{
    eg_cuda_flag *flag = argument;
    eg_patience   patience = { 0 };

    while (atomic_load(&flag->answer) == 0) eg_pause(NULL, &patience);
    atomic_store(&flag->answer, 0);
}

static void signal_and_take(void *argument)
{
    signal_only(argument);
    take_answer(argument);
}

eagle_status eg_cuda_handoff_add(eg_cuda_build *b, const eg_cuda_host *host, eg_cuda_flag *flag, cudaGraphNode_t *out)
{
    struct cudaHostNodeParams p = { .fn = signal_only, .userData = flag };

    if (b->cuda->mem_ops) return add_mem_ops(b, host, flag, out);
    if (host->waited) p.fn = host->signals ? signal_and_take : take_answer;
    EG_CUDA_TRY(cudaGraphAddHostNode(out, b->exec->graph, b->after, (size_t)b->n_after, &p));
    return EAGLE_OK;
}

/* --- running an instance -------------------------------------------------------------------------------------- */

/* Nothing of the instance may be touched after `done` has been raised: its place in the ring is free again. */
static void finish(eg_cuda_instance *in)
{
    if (in->host->waited && in->flag != NULL) atomic_store(&in->flag->answer, 1);
    atomic_fetch_add(&in->host->done, 1);
}

static void run_instance(void *argument)
{
    eg_cuda_instance *in = argument;
    eg_node          *node = &in->g->nodes[in->host->node];

    if (in->is_void)
        ;
    else if (node->kind == EG_TASK)
        eg_run_task(in->g, node, &in->clock, in->replay, in->data);
    else if (node->kind == EG_KERNEL)
        eg_host_kernel(in->g->ctx, node, &in->clock, in->data);
    else
        eg_host_moves(in->g->ctx, node, in->data);
    finish(in);
}

/* --- the poller ----------------------------------------------------------------------------------------------- */

static eg_worker worker_of(const eg_node *node) { return node->kind == EG_TASK ? node->task.worker : EG_WORKER_HOST; }

static bool is_polled(const eg_node *node) { return node->task.poll != NULL; }

/* Jobs of one worker run in the order in which they are posted: to be posted later is enough. */
static bool has_ended(const eagle_graph *g, const eg_node *node, const eg_cuda_host *before, int64_t instances)
{
    const eg_node *other = &g->nodes[before->node];
    const bool     in_order = !is_polled(node) && !is_polled(other) && worker_of(node) == worker_of(other);

    return (in_order ? before->posted : (int64_t)atomic_load(&before->done)) >= instances;
}

/* The device's signals come in the order of the instances. C5: the clock is read before the device can go on so far that
 * it tells another one in the same place. */
static void take_signal(eg_cuda_instance *in)
{
    eg_cuda_host          *h = in->host;
    const eg_cuda_lowered *low = in->g->replay->lowered;

    if (!h->signals || in->signalled || atomic_load(&h->signalled) != in->ordinal) return;
    if (atomic_load(&in->flag->request) == 0) return;
    atomic_store(&in->flag->request, 0);
    if (low->told != NULL) {
        const eg_clock *told = &low->told[in->replay % EG_CUDA_TOLD];
        in->clock = told->now;
        in->is_void = told->over != EG_CLOCK_RUNS;
    }
    in->signalled = true;
    atomic_fetch_add(&h->signalled, 1);
}

static bool may_start(eg_cuda_instance *in)
{
    const eg_cuda_host    *h = in->host;
    const eg_node         *node = &in->g->nodes[h->node];
    const eg_cuda_lowered *low = in->g->replay->lowered;

    if ((is_polled(node) ? (int64_t)atomic_load(&h->done) : h->posted) != in->ordinal) return false; /* F2 */
    if (h->signals && !in->signalled) return false;
    for (int k = 0; k < h->n_before; k++)
        if (!has_ended(in->g, node, low->hosts[h->before[k]], in->needs[k])) return false;
    return true;
}

/* Starts, posts or polls one instance. True when it leaves the list. held: an I/O job before it has not been posted. */
static bool serve(eg_cuda *cuda, eg_cuda_instance *in, bool *held)
{
    eg_node   *node = &in->g->nodes[in->host->node];
    const bool in_line = worker_of(node) == EG_WORKER_IO && !is_polled(node);

    if (!in->polling) {
        take_signal(in);
        if ((in_line && *held) || !may_start(in)) {
            *held |= in_line;
            return false;
        }
        in->host->posted++;
        if (in->is_void && is_polled(node)) {
            finish(in);
            return true;
        }
        if (!is_polled(node)) {
            eg_worker_post(cuda->ctx->workers[worker_of(node)], run_instance, in);
            return true;
        }
        eg_run_task(in->g, node, &in->clock, in->replay, in->data);
        in->polling = true;
    }
    const int answer = node->task.poll(node->task.state);
    if (answer == 0) return false;
    if (answer < 0) eg_keep_error(in->g, node, in->replay);
    finish(in);
    return true;
}

/* One round over all that wait. True when something left the list. */
static bool serve_all(eg_cuda *cuda)
{
    bool               held = false, moved = false;
    eg_cuda_instance **link = &cuda->waiting;

    while (*link != NULL) {
        eg_cuda_instance *in = *link, *next = in->next;
        const bool        lost = atomic_load(&cuda->broken) && !in->polling;
        if (lost || serve(cuda, in, &held)) {
            if (lost) finish(in);
            *link = next;
            moved = true;
            continue;
        }
        link = &in->next;
    }
    return moved;
}

static void take_inbox(eg_cuda *cuda, bool sleep)
{
    eg_cuda_instance **end = &cuda->waiting;

    pthread_mutex_lock(&cuda->inbox_lock);
    while (sleep && cuda->inbox == NULL && !cuda->closing) pthread_cond_wait(&cuda->inbox_filled, &cuda->inbox_lock);
    while (*end != NULL) end = &(*end)->next;
    *end = cuda->inbox;
    cuda->inbox = NULL;
    cuda->inbox_end = &cuda->inbox;
    atomic_store(&cuda->n_inbox, 0);
    pthread_mutex_unlock(&cuda->inbox_lock);
}

static void *poll_all(void *argument)
{
    eg_cuda    *cuda = argument;
    eg_patience patience = { 0 };

    pthread_setname_np(pthread_self(), "eagle-handoff");
    cudaSetDevice(cuda->device);
    for (;;) {
        if (cuda->waiting == NULL || atomic_load(&cuda->n_inbox) > 0) take_inbox(cuda, cuda->waiting == NULL);
        if (cuda->waiting == NULL) return NULL; /* closing */
        if (serve_all(cuda))
            patience = (eg_patience){ 0 };
        else
            eg_pause(cuda->ctx, &patience);
    }
}

void eg_cuda_handoff_post(eg_cuda *cuda, eg_cuda_instance *in)
{
    in->next = NULL;
    in->signalled = in->polling = in->is_void = false;
    pthread_mutex_lock(&cuda->inbox_lock);
    *cuda->inbox_end = in;
    cuda->inbox_end = &in->next;
    atomic_fetch_add(&cuda->n_inbox, 1);
    pthread_cond_signal(&cuda->inbox_filled);
    pthread_mutex_unlock(&cuda->inbox_lock);
}

eagle_status eg_cuda_handoff_open(eg_cuda *cuda)
{
    int code;

    EG_CUDA_TRY(cudaHostAlloc((void **)&cuda->flags, EG_CUDA_FLAGS * sizeof *cuda->flags,
                              cudaHostAllocMapped | cudaHostAllocPortable));
    memset((void *)cuda->flags, 0, EG_CUDA_FLAGS * sizeof *cuda->flags);
    for (int k = 0; k < EG_CUDA_FLAGS; k++) cuda->free_flags[k] = EG_CUDA_FLAGS - 1 - k;
    cuda->n_free_flags = EG_CUDA_FLAGS;
    cuda->inbox_end = &cuda->inbox;
    code = pthread_create(&cuda->poller, NULL, poll_all, cuda);
    if (code != 0)
        return eg_fail(EAGLE_ERR_ENVIRONMENT, EG_NOWHERE, "raise the limit of threads: ulimit -u",
                       "the hand-off thread could not be started: %s", strerror(code));
    cuda->polls = true;
    return EAGLE_OK;
}

void eg_cuda_handoff_close(eg_cuda *cuda)
{
    if (cuda->polls) {
        pthread_mutex_lock(&cuda->inbox_lock);
        cuda->closing = true;
        pthread_cond_signal(&cuda->inbox_filled);
        pthread_mutex_unlock(&cuda->inbox_lock);
        pthread_join(cuda->poller, NULL);
    }
    if (cuda->flags != NULL) cudaFreeHost((void *)cuda->flags);
}
