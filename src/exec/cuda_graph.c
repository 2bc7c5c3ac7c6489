/* cuda_graph.c - a unit of a graph as CUDA graphs, one for each arrangement of the memory that it touches: the phases of
 * swaps, and the buffers of deep planes. What it depends on within the step becomes edges; what it has to wait for
 * across replays is left to cuda_replay.c.
 *
 * Where a node of the device depends on a host node, or could be overtaken by its next instance, the executable waits
 * for it (C3); of a host node that nothing on the device waits for, a frame's write, it only says that it may start. */
#include <stdlib.h>
#include <string.h>

#include "exec/cuda.h"

enum { MOST_PERIODS = 16 };

/* --- host nodes ----------------------------------------------------------------------------------------------- */

static bool has_device_ancestor(const eagle_graph *g, int n)
{
    for (int d = 0; d < g->nodes[n].n_deps; d++) {
        const int j = g->nodes[n].deps[d];
        if (g->nodes[j].unit != g->nodes[n].unit) continue;
        if (!eg_cuda_on_host(&g->nodes[j]) || has_device_ancestor(g, j)) return true;
    }
    return false;
}

/* The device says that it may start, unless another host node does so for it. */
static bool must_be_signalled(const eagle_graph *g, int n)
{
    const eg_node *node = &g->nodes[n];
    bool           elsewhere = false;

    for (int d = 0; d < node->n_deps; d++) {
        const eg_node *other = &g->nodes[node->deps[d]];
        if (eg_cuda_on_host(other)) continue;
        if (other->unit == node->unit) return true;
        elsewhere = true;
    }
    for (int a = 0; a < node->n_across; a++) elsewhere |= !eg_cuda_on_host(&g->nodes[node->across[a].node]);
    return elsewhere && !has_device_ancestor(g, n);
}

static bool must_be_waited_for(const eagle_graph *g, int n)
{
    const bool beside = g->units[g->nodes[n].unit].trailing;

    for (size_t i = 0; i < g->n_nodes; i++) {
        const eg_node *node = &g->nodes[i];
        if (eg_cuda_on_host(node)) continue;
        for (int d = 0; d < node->n_deps; d++)
            if (node->deps[d] == n) return true;
        for (int a = 0; a < node->n_across && !beside; a++)
            if (node->across[a].node == n && node->across[a].slack == 0) return true;
    }
    return false;
}

static void add_before(const eagle_graph *g, eg_cuda_host *h, int other)
{
    if (!eg_cuda_on_host(&g->nodes[other])) return;
    for (int k = 0; k < h->n_before; k++)
        if (h->before[k] == other) return;
    h->before[h->n_before++] = other;
}

static eagle_status make_rings(eagle_graph *g, eg_cuda_host *h)
{
    const size_t n_data = (size_t)g->nodes[h->node].n_access, n_needs = (size_t)h->n_before;
    char        *room = eg_alloc(EG_CUDA_RING, n_data * sizeof(void *) + n_needs * sizeof(int64_t) + 1);

    h->room = room;
    if (room == NULL) return EAGLE_ERR_MEMORY;
    for (int i = 0; i < EG_CUDA_RING; i++) {
        eg_cuda_instance *in = &h->ring[i];
        in->g = g;
        in->host = h;
        in->data = (void **)(void *)room + (size_t)i * n_data;
        in->needs = (int64_t *)(void *)(room + EG_CUDA_RING * n_data * sizeof(void *)) + (size_t)i * n_needs;
    }
    return EAGLE_OK;
}

static eagle_status make_host(eagle_graph *g, int n, eg_cuda_host **out)
{
    const eg_node *node = &g->nodes[n];
    eg_cuda_host  *h = eg_alloc(1, sizeof *h);

    if (h == NULL) return EAGLE_ERR_MEMORY;
    *out = h;
    h->node = n;
    h->signals = must_be_signalled(g, n) || g->next_dt.storage != NULL; /* C5 */
    h->waited = must_be_waited_for(g, n);
    h->before = eg_alloc((size_t)(node->n_deps + node->n_across) + 1, sizeof *h->before);
    if (h->before == NULL) return EAGLE_ERR_MEMORY;
    for (int d = 0; d < node->n_deps; d++) add_before(g, h, node->deps[d]);
    for (int a = 0; a < node->n_across; a++) add_before(g, h, node->across[a].node);
    return make_rings(g, h);
}

/* --- units ---------------------------------------------------------------------------------------------------- */

static eg_cuda_block *block_of(eg_cuda_unit *u, eagle_storage *storage)
{
    for (int k = 0; k < u->n_blocks; k++)
        if (u->blocks[k].storage == storage) return &u->blocks[k];
    u->blocks[u->n_blocks] = (eg_cuda_block){ .storage = storage };
    return &u->blocks[u->n_blocks++];
}

static void add_accesses(eg_cuda_unit *u, const eg_node *node)
{
    const bool on_host = eg_cuda_on_host(node);

    for (int a = 0; a < node->n_access; a++) {
        const eg_access *access = &node->access[a];
        eg_cuda_block   *block = block_of(u, access->plane.storage);
        block->host_reads |= on_host && access->reads;
        block->host_writes |= on_host && access->writes;
        block->device_reads |= !on_host && access->reads;
        block->device_writes |= !on_host && access->writes;
    }
}

static eagle_status make_unit(eagle_graph *g, int index, eg_cuda_unit *u)
{
    const eg_unit *text = &g->units[index];
    size_t         n_access = 0;

    u->text = text;
    u->index = index;
    for (int i = 0; i < text->n; i++) n_access += (size_t)g->nodes[text->nodes[i]].n_access;
    u->blocks = eg_alloc(n_access + 1, sizeof *u->blocks);
    u->hosts = eg_alloc((size_t)text->n + 1, sizeof *u->hosts);
    u->base = eg_alloc(n_access + 1, sizeof *u->base);
    if (u->blocks == NULL || u->hosts == NULL || u->base == NULL) return EAGLE_ERR_MEMORY;
    for (int i = 0; i < text->n; i++) {
        const eg_node *node = &g->nodes[text->nodes[i]];
        add_accesses(u, node);
        u->own_clock |= text->scope != 0 && node->on_device && (node->kind == EG_KERNEL || g->next_dt.storage != NULL);
        if (eg_cuda_on_host(node)) u->hosts[u->n_hosts++] = text->nodes[i];
    }
    return EAGLE_OK;
}

static eagle_status make_units(eagle_graph *g, eg_cuda_lowered *low)
{
    int  n_lanes = 0;
    bool ticks = g->next_dt.storage == NULL; /* else C5 */

    for (size_t i = 0; i < g->n_units; i++) {
        eg_cuda_unit *u = &low->units[i];
        EAGLE_TRY(make_unit(g, (int)i, u));
        u->lane = g->units[i].trailing ? 1 + n_lanes++ % (EG_CUDA_LANES - 1) : 0;
        u->ticks = ticks && g->units[i].scope == 0;
        u->clock = u->text->scope == 0 ? &low->clocks[0] : &low->clocks[1 + i];
        ticks = ticks && !u->ticks;
    }
    return EAGLE_OK;
}

/* --- executables ---------------------------------------------------------------------------------------------- */

/* An edge for the node that comes next; none is given twice. */
static void add_edge(eg_cuda_build *b, cudaGraphNode_t from)
{
    for (int k = 0; k < b->n_after; k++)
        if (b->after[k] == from) return;
    b->after[b->n_after++] = from;
}

/* The CUDA nodes after which what depends on node n may run: its own last one, else those of what it depends on. */
static void add_anchors(eg_cuda_build *b, int n)
{
    const eg_node *node = &b->g->nodes[n];

    if (b->tail[n] == NULL) {
        for (int d = 0; d < node->n_deps; d++)
            if (b->g->nodes[node->deps[d]].unit == node->unit) add_anchors(b, node->deps[d]);
        return;
    }
    add_edge(b, b->tail[n]);
}

static void find_edges(eg_cuda_build *b, const eg_node *node)
{
    b->n_after = 0;
    for (int d = 0; d < node->n_deps; d++)
        if (b->g->nodes[node->deps[d]].unit == node->unit) add_anchors(b, node->deps[d]);
    if (b->n_after == 0 && b->tick != NULL) b->after[b->n_after++] = b->tick;
}

static eagle_status add_handoff(eg_cuda_build *b, int n, int place)
{
    eg_cuda_lowered    *low = b->g->replay->lowered;
    const eg_cuda_host *h = low->hosts[n];
    const int           slot = b->n_waits % EG_COUNT(b->waits);
    const bool          by_io = b->g->nodes[n].kind == EG_TASK && b->g->nodes[n].task.worker == EG_WORKER_IO;

    if (!h->signals && !h->waited) return EAGLE_OK;
    EAGLE_TRY(eg_cuda_flag_take(b->cuda, &b->exec->flags[place]));
    /* Few wait at once: each stands in a hardware queue (there are 32). */
    if (h->waited && b->n_waits >= EG_COUNT(b->waits)) add_edge(b, b->waits[slot]);
    if (by_io && b->io != NULL) add_edge(b, b->io);
    EAGLE_TRY(eg_cuda_handoff_add(b, h, b->exec->flags[place], &b->tail[n]));
    if (by_io) b->io = b->tail[n];
    if (h->waited) b->waits[b->n_waits++ % EG_COUNT(b->waits)] = b->tail[n];
    return EAGLE_OK;
}

static eagle_status add_tick(eg_cuda_build *b)
{
    void                             *arguments[] = { &b->unit->clock };
    const struct cudaKernelNodeParams p = { .func = (void *)(uintptr_t)eg_cuda_tick_function(),
                                            .gridDim = { 1, 1, 1 },
                                            .blockDim = { 1, 1, 1 },
                                            .kernelParams = arguments };

    EG_CUDA_TRY(cudaGraphAddKernelNode(&b->tick, b->exec->graph, NULL, 0, &p));
    return EAGLE_OK;
}

static eagle_status add_nodes(eg_cuda_build *b)
{
    int hosts = 0;

    if (b->unit->ticks) EAGLE_TRY(add_tick(b));
    for (int i = 0; i < b->unit->text->n; i++) {
        const int      n = b->unit->text->nodes[i];
        const eg_node *node = &b->g->nodes[n];
        find_edges(b, node);
        if (eg_cuda_on_host(node))
            EAGLE_TRY(add_handoff(b, n, hosts++));
        else
            EAGLE_TRY(eg_cuda_lower(b, node, &b->tail[n]));
    }
    return EAGLE_OK;
}

static eagle_status instantiate(eg_cuda_build *b)
{
    size_t n;

    EG_CUDA_TRY(cudaGraphGetNodes(b->exec->graph, NULL, &n));
    if (n == 0) return EAGLE_OK; /* host nodes only */
    EG_CUDA_TRY(cudaGraphInstantiate(&b->exec->exec, b->exec->graph, 0));
    EG_CUDA_TRY(cudaGraphUpload(b->exec->exec, b->cuda->lanes[b->unit->lane].stream));
    EG_CUDA_TRY(cudaStreamSynchronize(NULL)); /* tables and workspaces, set on that stream, are there */
    return EAGLE_OK;
}

static eagle_status build(eagle_graph *g, eg_cuda_unit *u, eg_cuda_exec *exec)
{
    eg_cuda_build b = { .g = g, .cuda = g->ctx->device, .unit = u, .exec = exec };
    eagle_status  status = EAGLE_ERR_MEMORY;

    b.tail = eg_alloc(g->n_nodes + 1, sizeof(cudaGraphNode_t));
    b.after = eg_alloc(g->n_nodes + 8, sizeof(cudaGraphNode_t));
    if (b.tail != NULL && b.after != NULL) status = add_nodes(&b);
    if (status == EAGLE_OK) status = instantiate(&b);
    eg_free(b.tail);
    eg_free(b.after);
    return status;
}

static void free_exec(eg_cuda *cuda, eg_cuda_exec *exec)
{
    if (exec == NULL) return;
    if (exec->exec != NULL) cudaGraphExecDestroy(exec->exec);
    if (exec->graph != NULL) cudaGraphDestroy(exec->graph);
    for (int k = 0; k < exec->n_memory; k++) cudaFree(exec->memory[k]);
    for (int k = 0; exec->flags != NULL && k < exec->unit->n_hosts; k++)
        if (exec->flags[k] != NULL) eg_cuda_flag_give(cuda, exec->flags[k]);
    eg_free(exec->base);
    eg_free(exec->flags);
    eg_free(exec->used);
    eg_free(exec->memory);
    eg_free(exec);
}

/* Makes the executable for the memory at base[], which it copies. */
static eagle_status make_exec(eagle_graph *g, eg_cuda_unit *u, void *const *base, eg_cuda_exec **out)
{
    eg_cuda_exec *exec = eg_alloc(1, sizeof *exec), **execs;
    eagle_status  status = EAGLE_ERR_MEMORY;

    if (exec == NULL) return EAGLE_ERR_MEMORY;
    exec->unit = u;
    exec->base = eg_alloc((size_t)u->n_blocks + 1, sizeof *exec->base);
    exec->flags = eg_alloc((size_t)u->n_hosts + 1, sizeof *exec->flags);
    exec->used = eg_alloc((size_t)u->n_hosts + 1, sizeof *exec->used);
    exec->memory = eg_alloc((size_t)u->text->n + 1, sizeof *exec->memory);
    execs = eg_grow(u->execs, &u->room_execs, (size_t)u->n_execs + 1, sizeof *execs);
    if (execs != NULL) u->execs = execs;
    if (exec->base != NULL && exec->flags != NULL && exec->used != NULL && exec->memory != NULL && execs != NULL) {
        memcpy(exec->base, base, (size_t)u->n_blocks * sizeof *base);
        const cudaError_t code = cudaGraphCreate(&exec->graph, 0);
        status = code != cudaSuccess ? eg_cuda_fail("cudaGraphCreate", code) : build(g, u, exec);
    }
    if (status != EAGLE_OK) {
        free_exec(g->ctx->device, exec);
        return status;
    }
    u->execs[u->n_execs++] = exec;
    *out = exec;
    return EAGLE_OK;
}

static bool is_for(const eg_cuda_exec *exec, void *const *base)
{
    return memcmp(exec->base, base, (size_t)exec->unit->n_blocks * sizeof *base) == 0;
}

static eg_cuda_exec *find_exec(eg_cuda_unit *u, void *const *base)
{
    for (int i = 1; i <= u->n_execs; i++) {
        const int k = (u->latest + i) % u->n_execs; /* arrangements follow one another */
        if (!is_for(u->execs[k], base)) continue;
        u->latest = k;
        return u->execs[k];
    }
    return NULL;
}

/* The memory of a unit's blocks as the storages stand, with the buffers of deep planes moved on by `later`. */
static void find_bases(const eg_cuda_unit *u, int later, void **base)
{
    for (int k = 0; k < u->n_blocks; k++) {
        const eagle_storage *s = u->blocks[k].storage;
        base[k] = s->memory[(s->current + later) % s->buffers];
    }
}

eagle_status eg_cuda_exec_for(eagle_graph *g, eg_cuda_unit *u, eg_cuda_exec **out)
{
    find_bases(u, 0, u->base);
    *out = find_exec(u, u->base);
    return *out != NULL ? EAGLE_OK : make_exec(g, u, u->base, out);
}

/* --- prepare and discard -------------------------------------------------------------------------------------- */

/* After how many activations the buffers of a unit's deep planes stand as before. */
static int period_of(const eg_cuda_unit *u)
{
    int period = 1;

    for (int k = 0; k < u->n_blocks; k++) {
        const int buffers = u->blocks[k].storage->buffers, before = period;
        while (period % buffers != 0) period += before;
    }
    return period < MOST_PERIODS ? period : MOST_PERIODS;
}

static eagle_status prepare_unit(eagle_graph *g, eg_cuda_unit *u)
{
    const int     period = period_of(u);
    eg_cuda_exec *made;

    for (int later = 0; later < period; later++) {
        find_bases(u, later, u->base);
        if (find_exec(u, u->base) == NULL) EAGLE_TRY(make_exec(g, u, u->base, &made));
    }
    return EAGLE_OK;
}

static eagle_status make_lowered(eagle_graph *g)
{
    eg_cuda_lowered *low = eg_alloc(1, sizeof *low);

    if (low == NULL) return EAGLE_ERR_MEMORY;
    pthread_mutex_init(&low->lock, NULL);
    low->main.now.step = INT64_MIN;
    g->replay->lowered = low;
    low->units = eg_alloc(g->n_units + 1, sizeof *low->units);
    low->hosts = eg_alloc(g->n_nodes + 1, sizeof *low->hosts);
    if (low->units == NULL || low->hosts == NULL) return EAGLE_ERR_MEMORY;
    for (size_t n = 0; n < g->n_nodes; n++)
        if (eg_cuda_on_host(&g->nodes[n])) EAGLE_TRY(make_host(g, (int)n, &low->hosts[n]));
    EG_CUDA_TRY(cudaMalloc((void **)&low->clocks, (g->n_units + 1) * sizeof *low->clocks));
    EG_CUDA_TRY(cudaMemset(low->clocks, 0, (g->n_units + 1) * sizeof *low->clocks));
    if (g->next_dt.storage != NULL)
        EG_CUDA_TRY(cudaHostAlloc((void **)&low->told, EG_CUDA_TOLD * sizeof *low->told, cudaHostAllocMapped));
    for (int m = 0; m < EG_CUDA_MARKS; m++)
        EG_CUDA_TRY(cudaEventCreateWithFlags(&low->marks[m].event, cudaEventDisableTiming));
    return make_units(g, low);
}

/* The storages stand in the phase: what they say is enough. */
eagle_status eg_cuda_prepare(eagle_graph *g, uint64_t phase)
{
    const eg_cuda   *cuda = g->ctx->device;
    eg_cuda_lowered *low;
    eagle_status     status = EAGLE_OK;

    (void)phase;
    EG_CUDA_TRY(cudaSetDevice(cuda->device));
    if (g->replay->lowered == NULL) status = make_lowered(g);
    low = g->replay->lowered;
    for (size_t u = 0; u < g->n_units && status == EAGLE_OK; u++) status = prepare_unit(g, &low->units[u]);
    if (status != EAGLE_OK && low != NULL) eg_cuda_discard(g);
    return status;
}

static void forget_flights(eg_cuda *cuda, const eg_cuda_unit *u)
{
    pthread_mutex_lock(&cuda->lock);
    for (int l = 1; l < EG_CUDA_LANES; l++)
        for (int f = 0; f < EG_CUDA_FLIGHTS; f++) {
            eg_cuda_flight *flight = &cuda->lanes[l].flights[f];
            if (flight->exec != NULL && flight->exec->unit == u) flight->exec = NULL;
        }
    pthread_mutex_unlock(&cuda->lock);
}

static void free_unit(eg_cuda *cuda, eg_cuda_unit *u)
{
    forget_flights(cuda, u);
    for (int k = 0; k < u->n_execs; k++) free_exec(cuda, u->execs[k]);
    eg_free(u->execs);
    eg_free(u->blocks);
    eg_free(u->base);
    eg_free(u->hosts);
}

void eg_cuda_discard(eagle_graph *g)
{
    eg_cuda         *cuda = g->ctx->device;
    eg_cuda_lowered *low = g->replay->lowered;

    if (low == NULL) return;
    cudaSetDevice(cuda->device);
    for (size_t u = 0; low->units != NULL && u < g->n_units; u++) free_unit(cuda, &low->units[u]);
    for (size_t n = 0; low->hosts != NULL && n < g->n_nodes; n++) {
        if (low->hosts[n] == NULL) continue;
        eg_free(low->hosts[n]->before);
        eg_free(low->hosts[n]->room);
        eg_free(low->hosts[n]);
    }
    for (int m = 0; m < EG_CUDA_MARKS; m++)
        if (low->marks[m].event != NULL) cudaEventDestroy(low->marks[m].event);
    cudaFree(low->clocks);
    if (low->told != NULL) cudaFreeHost(low->told);
    pthread_mutex_destroy(&low->lock);
    eg_free(low->units);
    eg_free(low->hosts);
    eg_free(low);
    g->replay->lowered = NULL;
}
