/* cuda_replay.c - issuing replays: which executable, on which stream, after what. Runs on the launching thread.
 *
 *     for each active unit, in text order:
 *         wait (on the host) for host nodes that are not `waited` and whose planes its device nodes touch
 *         let its stream wait for launches on other lanes that touch the same memory; set its clock if it has one
 *         give its host nodes to the poller; launch. In this order, because a launch with a pageable copy returns only
 *         when that copy has been staged, which may be after host nodes of the same unit
 *
 * Nothing here waits for the device, and nothing is made once every arrangement of memory has been prepared. */
#include <string.h>

#include "exec/cuda.h"

/* --- how far the device is ------------------------------------------------------------------------------------ */

/* Takes out the marks that the device has passed. */
static void read_marks(eg_cuda_lowered *low)
{
    while (low->n_marks > 0) {
        const eg_cuda_mark *mark = &low->marks[low->first_mark % EG_CUDA_MARKS];
        if (cudaEventQuery(mark->event) == cudaErrorNotReady) return;
        low->ended = mark->replays;
        low->first_mark++;
        low->n_marks--;
    }
}

/* Where all marks are in use the newest is moved on. */
static void record_mark(eagle_graph *g, int64_t replays)
{
    const eg_cuda   *cuda = g->ctx->device;
    eg_cuda_lowered *low = g->replay->lowered;

    pthread_mutex_lock(&low->lock);
    read_marks(low);
    if (low->n_marks < EG_CUDA_MARKS) low->n_marks++;
    eg_cuda_mark *mark = &low->marks[(low->first_mark + low->n_marks - 1) % EG_CUDA_MARKS];
    mark->replays = replays;
    cudaEventRecord(mark->event, cuda->lanes[0].stream);
    low->unmarked = 0;
    pthread_mutex_unlock(&low->lock);
}

int64_t eg_cuda_progress(eagle_graph *g)
{
    eg_cuda_lowered *low = g->replay->lowered;
    int64_t          ended;

    pthread_mutex_lock(&low->lock);
    read_marks(low);
    ended = low->ended;
    pthread_mutex_unlock(&low->lock);
    return ended;
}

/* --- waiting on the host -------------------------------------------------------------------------------------- */

/* Remembers that a device that has failed will not signal again, so that nobody waits for it. */
static eagle_status check_device(eg_cuda *cuda)
{
    cudaError_t code;

    for (int l = 0; l < EG_CUDA_LANES; l++) {
        code = cudaStreamQuery(cuda->lanes[l].stream);
        if (code == cudaSuccess || code == cudaErrorNotReady) continue;
        atomic_store(&cuda->broken, true);
        return eg_cuda_fail("replay on the device", code);
    }
    return EAGLE_OK;
}

/* Waits until so many instances of a host node have ended; looks at the device now and then. */
static eagle_status wait_for(eagle_graph *g, const eg_cuda_host *h, int64_t instances)
{
    eg_cuda_lowered *low = g->replay->lowered;
    eg_patience      patience = { 0 };
    const double     begin = eg_seconds();

    if (atomic_load(&h->done) >= instances) return EAGLE_OK;
    low->stalls++;
    if (low->unmarked > 0) record_mark(g, g->replay->issued);
    while (atomic_load(&h->done) < instances) {
        eg_pause(g->ctx, &patience);
        if (patience.turns % 1024 == 0) EAGLE_TRY(check_device(g->ctx->device));
    }
    if (g->nodes[h->node].task.worker == EG_WORKER_IO) g->replay->held_s += eg_seconds() - begin;
    return EAGLE_OK;
}

/* The last instance of a host node that may touch the same memory in this phase: see eg_across. */
static int64_t instances_before(const eagle_graph *g, const eg_across *w, uint64_t phase)
{
    const eg_cuda_lowered *low = g->replay->lowered;
    const eg_cuda_host    *other = low->hosts[w->node];
    int64_t                most = 0;

    for (int q = 0; q < g->replay->n_phases; q++) {
        const bool differ = w->swap >= 0 && ((phase ^ g->replay->phases[q]) >> w->swap & 1) != 0;
        if (differ == w->odd && other->last[q] - w->slack > most) most = other->last[q] - w->slack;
    }
    return most;
}

/* C3 */
static eagle_status wait_for_host_nodes(eagle_graph *g, const eg_cuda_unit *u, uint64_t phase)
{
    const eg_cuda_lowered *low = g->replay->lowered;

    for (int i = 0; i < u->text->n; i++) {
        const eg_node *node = &g->nodes[u->text->nodes[i]];
        for (int a = 0; a < node->n_across && !eg_cuda_on_host(node); a++) {
            const eg_cuda_host *other = low->hosts[node->across[a].node];
            if (other != NULL && !other->waited)
                EAGLE_TRY(wait_for(g, other, instances_before(g, &node->across[a], phase)));
        }
    }
    return EAGLE_OK;
}

/* A place in the ring of each host node is free, and no flag is written twice before it was seen. */
static eagle_status wait_for_places(eagle_graph *g, const eg_cuda_unit *u, const eg_cuda_exec *exec)
{
    const eg_cuda_lowered *low = g->replay->lowered;

    for (int k = 0; k < u->n_hosts; k++) {
        const eg_cuda_host *h = low->hosts[u->hosts[k]];
        EAGLE_TRY(wait_for(g, h, h->launched - EG_CUDA_RING + 1));
        if (h->signals && !h->waited) EAGLE_TRY(wait_for(g, h, exec->used[k]));
    }
    return EAGLE_OK;
}

/* --- order between lanes -------------------------------------------------------------------------------------- */

static bool blocks_conflict(const eg_cuda_block *a, const eg_cuda_block *b)
{
    const bool device_b = b->device_reads || b->device_writes;

    if (a->device_writes && (device_b || b->host_reads || b->host_writes)) return true;
    if (a->device_reads && (b->device_writes || b->host_writes)) return true;
    if (a->host_writes && device_b) return true;
    return a->host_reads && b->device_writes; /* host nodes wait for one another: C4 */
}

static bool conflict(const eg_cuda_exec *a, const eg_cuda_exec *b)
{
    for (int i = 0; i < a->unit->n_blocks; i++)
        for (int j = 0; j < b->unit->n_blocks; j++)
            if (a->base[i] == b->base[j] && blocks_conflict(&a->unit->blocks[i], &b->unit->blocks[j])) return true;
    return false;
}

/* C2 for one other lane: its latest launch that conflicts; what it was given before that has ended then too. */
static eagle_status wait_for_lane(eg_cuda *cuda, const eg_cuda_exec *exec, int mine, const eg_cuda_lane *other)
{
    const unsigned bit = 1u << mine;
    eg_cuda_lane  *lane = &cuda->lanes[other - cuda->lanes];
    const int64_t  oldest = lane->n_flights > EG_CUDA_FLIGHTS ? lane->n_flights - EG_CUDA_FLIGHTS : 0;

    for (int64_t f = lane->n_flights - 1; f >= oldest; f--) {
        eg_cuda_flight *flight = &lane->flights[f % EG_CUDA_FLIGHTS];
        if ((flight->behind & bit) != 0) return EAGLE_OK;
        if (flight->exec == NULL || !conflict(exec, flight->exec)) continue;
        EG_CUDA_TRY(cudaStreamWaitEvent(cuda->lanes[mine].stream, flight->ended, 0));
        flight->behind |= bit;
        return EAGLE_OK;
    }
    return EAGLE_OK;
}

static eagle_status order_lanes(eg_cuda *cuda, const eg_cuda_exec *exec, int mine)
{
    eg_cuda_lane *lane = &cuda->lanes[mine];

    if (mine != 0) {
        EG_CUDA_TRY(cudaEventRecord(lane->after_main, cuda->lanes[0].stream));
        EG_CUDA_TRY(cudaStreamWaitEvent(lane->stream, lane->after_main, 0));
    }
    for (int l = 1; l < EG_CUDA_LANES; l++)
        if (l != mine) EAGLE_TRY(wait_for_lane(cuda, exec, mine, &cuda->lanes[l]));
    return EAGLE_OK;
}

/* The record that is overwritten is waited for by the main stream, and by others through it (C1). */
static eagle_status note_flight(eg_cuda *cuda, const eg_cuda_exec *exec, int mine)
{
    eg_cuda_lane   *lane = &cuda->lanes[mine];
    eg_cuda_flight *flight = &lane->flights[lane->n_flights % EG_CUDA_FLIGHTS];

    if (mine == 0) return EAGLE_OK;
    if (lane->n_flights >= EG_CUDA_FLIGHTS && (flight->behind & 1u) == 0 && flight->exec != NULL)
        EG_CUDA_TRY(cudaStreamWaitEvent(cuda->lanes[0].stream, flight->ended, 0));
    lane->n_flights++;
    flight->exec = exec;
    flight->behind = 0;
    EG_CUDA_TRY(cudaEventRecord(flight->ended, lane->stream));
    return EAGLE_OK;
}

/* --- the clock ------------------------------------------------------------------------------------------------ */

static bool same_clock(const eg_clock *a, const eg_clock *b)
{
    return a->now.step == b->now.step && a->now.dt == b->now.dt && a->base_step == b->base_step &&
           a->base_t == b->base_t;
}

/* The main clock stands one step behind and is advanced by the step itself; set only where that would be wrong. */
static eagle_status set_clock(eagle_graph *g, const eg_cuda_unit *u, const eg_step *step, cudaStream_t stream)
{
    eg_cuda_lowered *low = g->replay->lowered;
    eg_clock         value = g->replay->clock;

    if (u->own_clock && low->told != NULL)
        EG_CUDA_TRY(eg_cuda_copy_clock(stream, u->clock, &low->told[step->replay % EG_CUDA_TOLD]));
    else if (u->own_clock)
        EG_CUDA_TRY(eg_cuda_set_clock(stream, u->clock, &value));
    if (!u->ticks) return EAGLE_OK;
    value.now.step--;
    if (!same_clock(&low->main, &value)) EG_CUDA_TRY(eg_cuda_set_clock(stream, u->clock, &value));
    low->main = value;
    low->main.now.step++;
    return EAGLE_OK;
}

/* C5: half of `told` is free again once what was launched before the half before it has read it: host nodes when they were
 * signalled, lanes when the main stream has waited for them. */
static eagle_status free_half_of_told(eagle_graph *g)
{
    eg_cuda         *cuda = g->ctx->device;
    eg_cuda_lowered *low = g->replay->lowered;

    for (size_t n = 0; n < g->n_nodes; n++) {
        eg_cuda_host *h = low->hosts[n];
        eg_patience   patience = { 0 };
        if (h == NULL) continue;
        while (atomic_load(&h->signalled) < h->launched_before) {
            eg_pause(g->ctx, &patience);
            if (patience.turns % 1024 == 0) EAGLE_TRY(check_device(cuda));
        }
        h->launched_before = h->launched;
    }
    for (int l = 1; l < EG_CUDA_LANES; l++) {
        EG_CUDA_TRY(cudaEventRecord(cuda->lanes[l].after_main, cuda->lanes[l].stream));
        EG_CUDA_TRY(cudaStreamWaitEvent(cuda->lanes[0].stream, cuda->lanes[l].after_main, 0));
    }
    low->told_end += EG_CUDA_TOLD / 2;
    return EAGLE_OK;
}

/* C5 */
static eagle_status advance_clock(eagle_graph *g, const eg_step *step)
{
    const eg_cuda     *cuda = g->ctx->device;
    eg_cuda_lowered   *low = g->replay->lowered;
    const cudaStream_t stream = cuda->lanes[0].stream;
    eg_clock          *told = &low->told[step->replay % EG_CUDA_TOLD];

    if (step->replay >= low->told_end) EAGLE_TRY(free_half_of_told(g));
    if (!step->sets_clock) {
        EG_CUDA_TRY(eg_cuda_advance_clock(stream, &low->clocks[0], eg_address(g->next_dt, 0), told));
        return EAGLE_OK;
    }
    EG_CUDA_TRY(eg_cuda_set_clock(stream, &low->clocks[0], &g->replay->clock));
    EG_CUDA_TRY(eg_cuda_set_clock(stream, told, &g->replay->clock));
    return EAGLE_OK;
}

/* --- launching ------------------------------------------------------------------------------------------------ */

static eagle_status launch(eagle_graph *g, const eg_cuda_unit *u, const eg_cuda_exec *exec, const eg_step *step)
{
    eg_cuda           *cuda = g->ctx->device;
    const cudaStream_t stream = cuda->lanes[u->lane].stream;
    eagle_status       status;

    if (exec->exec == NULL) return EAGLE_OK;
    pthread_mutex_lock(&cuda->lock);
    status = order_lanes(cuda, exec, u->lane);
    pthread_mutex_unlock(&cuda->lock);
    EAGLE_TRY(status);
    EAGLE_TRY(set_clock(g, u, step, stream));
    EG_CUDA_TRY(cudaGraphLaunch(exec->exec, stream));
    pthread_mutex_lock(&cuda->lock);
    status = note_flight(cuda, exec, u->lane);
    pthread_mutex_unlock(&cuda->lock);
    return status;
}

/* C4: how many instances of each host node before this one must have ended. */
static void find_needs(const eagle_graph *g, const eg_cuda_host *h, uint64_t phase, int64_t *needs)
{
    const eg_cuda_lowered *low = g->replay->lowered;
    const eg_node         *node = &g->nodes[h->node];

    for (int k = 0; k < h->n_before; k++) {
        needs[k] = 0;
        for (int d = 0; d < node->n_deps; d++)
            if (node->deps[d] == h->before[k]) needs[k] = low->hosts[h->before[k]]->launched;
        for (int a = 0; a < node->n_across; a++) {
            if (node->across[a].node != h->before[k]) continue;
            const int64_t before = instances_before(g, &node->across[a], phase);
            if (before > needs[k]) needs[k] = before;
        }
    }
}

static int phase_index(const eg_replay *r, uint64_t phase)
{
    int i = 0;

    while (r->phases[i] != phase) i++;
    return i;
}

static void post_host_node(eagle_graph *g, int n, eg_cuda_flag *flag, const eg_step *step)
{
    const eg_cuda_lowered *low = g->replay->lowered;
    eg_cuda_host          *h = low->hosts[n];
    const eg_node         *node = &g->nodes[n];
    eg_cuda_instance      *in = &h->ring[h->launched % EG_CUDA_RING];

    in->flag = flag;
    in->clock = step->clock;
    in->replay = step->replay;
    in->ordinal = h->launched;
    for (int a = 0; a < node->n_access; a++)
        in->data[a] = eg_address(node->access[a].plane, node->access[a].plane.storage->current);
    find_needs(g, h, step->phase, in->needs);
    h->last[phase_index(g->replay, step->phase)] = ++h->launched;
    eg_cuda_handoff_post(g->ctx->device, in);
}

static eagle_status issue_unit(eagle_graph *g, eg_cuda_unit *u, const eg_step *step)
{
    const eg_cuda_lowered *low = g->replay->lowered;
    eg_cuda               *cuda = g->ctx->device;
    eg_cuda_exec          *exec;
    eagle_status           status;

    EAGLE_TRY(eg_cuda_exec_for(g, u, &exec));
    EAGLE_TRY(wait_for_host_nodes(g, u, step->phase));
    EAGLE_TRY(wait_for_places(g, u, exec));
    for (int k = 0; k < u->n_hosts; k++) {
        post_host_node(g, u->hosts[k], exec->flags[k], step);
        exec->used[k] = low->hosts[u->hosts[k]]->launched;
    }
    status = launch(g, u, exec, step);
    if (status != EAGLE_OK) atomic_store(&cuda->broken, true); /* what was posted is not to be waited for */
    return status;
}

/* --- the operations ------------------------------------------------------------------------------------------- */

enum { REPLAYS_A_MARK = 16 };

eagle_status eg_cuda_replay(eagle_graph *g, const eg_step *step)
{
    const eg_cuda   *cuda = g->ctx->device;
    eg_cuda_lowered *low = g->replay->lowered;

    if (low == NULL)
        return eg_fail(EAGLE_ERR_STATE, EG_NOWHERE, "create the graph anew", "graph '%s' could not be prepared",
                       g->name);
    EG_CUDA_TRY(cudaSetDevice(cuda->device));
    if (low->told != NULL) EAGLE_TRY(advance_clock(g, step));
    for (size_t u = 0; u < g->n_units; u++)
        if (step->active[u]) EAGLE_TRY(issue_unit(g, &low->units[u], step));
    if (++low->unmarked >= REPLAYS_A_MARK || step->last) record_mark(g, step->replay + 1);
    return EAGLE_OK;
}

static eagle_status wait_for_stream(eagle_ctx *ctx, cudaStream_t stream)
{
    eg_patience patience = { 0 };

    while (cudaStreamQuery(stream) == cudaErrorNotReady) eg_pause(ctx, &patience);
    return check_device(ctx->device);
}

eagle_status eg_cuda_wait(eagle_graph *g)
{
    eg_cuda         *cuda = g->ctx->device;
    eg_cuda_lowered *low = g->replay->lowered;
    eagle_status     status = EAGLE_OK;

    if (low == NULL) return EAGLE_OK;
    EG_CUDA_TRY(cudaSetDevice(cuda->device));
    for (int l = 0; l < EG_CUDA_LANES && status == EAGLE_OK; l++)
        status = wait_for_stream(g->ctx, cuda->lanes[l].stream);
    for (size_t n = 0; n < g->n_nodes; n++) {
        eg_patience patience = { 0 };
        while (low->hosts[n] != NULL && atomic_load(&low->hosts[n]->done) < low->hosts[n]->launched)
            eg_pause(g->ctx, &patience);
    }
    return status;
}

/* The last replay's clock, advanced once more unless it was over. */
eagle_status eg_cuda_clock_after(eagle_graph *g, eg_clock *out)
{
    const eg_cuda         *cuda = g->ctx->device;
    const eg_cuda_lowered *low = g->replay->lowered;
    double                 allowed;

    EG_CUDA_TRY(cudaSetDevice(cuda->device));
    EAGLE_TRY(wait_for_stream(g->ctx, cuda->lanes[0].stream));
    *out = low->told[(g->replay->issued - 1) % EG_CUDA_TOLD];
    EAGLE_TRY(g->ctx->backend->copy(g->ctx, &allowed, eg_address(g->next_dt, 0), sizeof allowed));
    eg_clock_advance(out, allowed);
    return EAGLE_OK;
}
