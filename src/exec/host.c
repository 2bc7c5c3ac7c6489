/* host.c - the backend that runs a graph on CPU threads.
 *
 * The launcher thread goes through the nodes in text order. It runs kernels and copies itself, with the rank's OpenMP
 * threads, and hands host functions to the workers, which run beside it. Communication is started here and polled
 * whenever the launcher waits. So only host functions and communication can be unfinished when the launcher is at a
 * node, and it waits for those that the node depends on (H1):
 *
 *   H1  node i waits until `done` of each task j that it depends on has reached the last instance of j that can touch
 *       the same memory: all of them within the step; across replays those of the phases whose memory overlaps, less
 *       the instances that a deep plane lets be in flight.
 *   H2  an instance's place in the ring of its task is free again before it is reused. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "exec/exec.h"

enum { RING = 8, SERIAL_CELLS = 4096 };

typedef struct instance {
    eagle_graph *g;
    int          node;
    eagle_clock  clock;
    int64_t      replay;
    void       **data; /* [n_access] */
} instance;

/* What the backend knows of a node; `data` of kernels and copies is filled anew each time. */
typedef struct lowered_node {
    bool         is_task;
    int64_t      launched, last[EG_PHASES]; /* instances, and the last one in each phase */
    atomic_llong done;
    instance     ring[RING];
    void       **data;
    void        *room; /* the pointers of ring and data, in one piece */
} lowered_node;

typedef struct lowered {
    lowered_node *nodes;
    int          *polled; /* communication that has been started and is not done */
    int           n_polled;
    atomic_llong  replays_done;
} lowered;

/* --- kernels -------------------------------------------------------------------------------------------------- */

/* The axis along which threads share a box: the slowest that gives each a part. */
static int shared_axis(const eagle_box *b, int threads)
{
    for (int a = 2; a > 0; a--)
        if (b->hi[a] - b->lo[a] >= threads) return a;
    return 0;
}

static eagle_box part_of(const eagle_box *b, int axis, int part, int parts)
{
    const int64_t n = b->hi[axis] - b->lo[axis];
    eagle_box     box = *b;

    box.lo[axis] = b->lo[axis] + n * part / parts;
    box.hi[axis] = b->lo[axis] + n * (part + 1) / parts;
    return box;
}

static eagle_host_form form_of(const eagle_ctx *ctx, const eagle_forms *forms)
{
    for (int f = ctx->form; f > 0; f--)
        if (forms->host[f] != NULL) return forms->host[f];
    return forms->host[0];
}

static int64_t cells_in(const eagle_box *b)
{
    int64_t n = 1;

    for (int a = 0; a < 3; a++) n *= b->hi[a] > b->lo[a] ? b->hi[a] - b->lo[a] : 0;
    return n;
}

static void run_form(eagle_ctx *ctx, eagle_host_form form, const eg_node *node, const eagle_clock *clock,
                     void *const *data)
{
    const eagle_kernel *k = node->kernel;
    const int64_t       cells = cells_in(&node->box);
    const int           parts = cells < SERIAL_CELLS ? 1 : ctx->threads;
    const int           axis = shared_axis(&node->box, parts);
    eagle_args          args = { { NULL } };

    memcpy(args.data, data, (size_t)k->n * sizeof *data);
    for (int p = 0; p < parts; p++) eg_partial_clear(&ctx->partials[p], k->reduces);
    if (parts == 1 && cells > 0) form(&args, &node->grid, &node->box, node->params, clock, ctx->partials);
    if (parts > 1) {
#pragma omp parallel for num_threads(parts) schedule(static)
        for (int p = 0; p < parts; p++) {
            const eagle_box box = part_of(&node->box, axis, p, parts);
            form(&args, &node->grid, &box, node->params, clock, &ctx->partials[p]);
        }
    }
    if (k->reduces == EAGLE_NO_REDUCTION) return;
    for (int p = 1; p < parts; p++) eg_partial_merge(&ctx->partials[0], k->reduces, &ctx->partials[p]);
    memcpy(data[node->n_access - 1], &ctx->partials[0], sizeof ctx->partials[0]);
}

/* A check goes by the plain form. */
void eg_host_kernel(eagle_ctx *ctx, const eg_node *node, const eagle_clock *clock, void *const *data)
{
    const eagle_kernel *k = node->kernel;
    const bool          plain = k->tuned.host[0] == NULL || ctx->checks || ctx->tuned_by != NULL;

    run_form(ctx, form_of(ctx, plain ? &k->plain : &k->tuned), node, clock, data);
}

static eagle_status run_tuned(eagle_ctx *ctx, const eg_node *node, const eagle_clock *clock, void *const *data)
{
    run_form(ctx, form_of(ctx, &node->kernel->tuned), node, clock, data);
    return EAGLE_OK;
}

/* --- tasks ---------------------------------------------------------------------------------------------------- */

static void poll_started(eagle_graph *g)
{
    lowered *low = g->replay->lowered;

    for (int i = 0; i < low->n_polled;) {
        const int n = low->polled[i];
        const int answer = g->nodes[n].task.poll(g->nodes[n].task.state);
        if (answer == 0) {
            i++;
            continue;
        }
        if (answer < 0) eg_keep_error(g, &g->nodes[n], low->nodes[n].launched - 1);
        atomic_fetch_add(&low->nodes[n].done, 1);
        low->polled[i] = low->polled[--low->n_polled];
    }
}

static void wait_for(eagle_graph *g, int node, int64_t instances)
{
    lowered    *low = g->replay->lowered;
    eg_patience patience = { 0 };

    while (atomic_load(&low->nodes[node].done) < instances) {
        poll_started(g);
        eg_pause(g->ctx, &patience);
    }
}

static void run_instance(void *argument)
{
    instance *in = argument;
    lowered  *low = in->g->replay->lowered;

    (in->g->ctx->checks ? eg_check_task : eg_run_task)(in->g, &in->g->nodes[in->node], &in->clock, in->replay,
                                                       in->data);
    atomic_fetch_add(&low->nodes[in->node].done, 1);
}

static void start_task(eagle_graph *g, int n, instance *in)
{
    eg_node *node = &g->nodes[n];
    lowered *low = g->replay->lowered;

    if (node->task.poll == NULL) {
        eg_worker_post(g->ctx->workers[node->task.worker], run_instance, in);
        return;
    }
    eg_run_task(g, node, &in->clock, in->replay, in->data);
    low->polled[low->n_polled++] = n;
    poll_started(g);
}

/* --- replay --------------------------------------------------------------------------------------------------- */

static int phase_index(const eg_replay *r, uint64_t phase)
{
    int i = 0;

    while (r->phases[i] != phase) i++;
    return i;
}

/* H1 across replays, for one wait. */
static void wait_across(eagle_graph *g, const eg_across *w, uint64_t phase)
{
    const eg_replay    *r = g->replay;
    lowered            *low = r->lowered;
    const lowered_node *other = &low->nodes[w->node];

    if (!other->is_task) return;
    for (int q = 0; q < r->n_phases; q++) {
        const bool differ = w->swap >= 0 && ((phase ^ r->phases[q]) >> w->swap & 1) != 0;
        if (differ == w->odd) wait_for(g, w->node, other->last[q] - w->slack);
    }
}

/* The same; what the I/O worker holds up is counted. */
static void wait_and_count(eagle_graph *g, const eg_across *w, uint64_t phase)
{
    const bool   counted = g->nodes[w->node].task.worker == EG_WORKER_IO;
    const double begin = counted ? eg_seconds() : 0;

    wait_across(g, w, phase);
    if (counted) g->replay->held_s += eg_seconds() - begin;
}

/* Jobs of one worker run in order, so a task need not wait for one of its own worker. */
static bool in_order_anyway(const eagle_graph *g, const eg_node *node, int other)
{
    const eg_task *a = &node->task, *b = &g->nodes[other].task;

    return node->kind == EG_TASK && a->poll == NULL && b->poll == NULL && a->worker == b->worker;
}

static void wait_for_all(eagle_graph *g, const eg_node *node, uint64_t phase)
{
    lowered *low = g->replay->lowered;

    for (int d = 0; d < node->n_deps; d++) {
        const int j = node->deps[d];
        if (low->nodes[j].is_task && !in_order_anyway(g, node, j)) wait_for(g, j, low->nodes[j].launched);
    }
    for (int a = 0; a < node->n_across; a++)
        if (!in_order_anyway(g, node, node->across[a].node)) wait_and_count(g, &node->across[a], phase);
}

static void find_data(const eg_node *node, void **data)
{
    for (int a = 0; a < node->n_access; a++)
        data[a] = eg_address(node->access[a].plane, node->access[a].plane.storage->current);
}

static void issue_task(eagle_graph *g, int n, const eg_step *step, int phase)
{
    lowered      *low = g->replay->lowered;
    lowered_node *mine = &low->nodes[n];
    instance     *in = &mine->ring[mine->launched % RING];

    wait_for(g, n, mine->launched - RING + 1); /* H2 */
    if (g->nodes[n].task.poll != NULL) wait_for(g, n, mine->launched);
    in->clock = step->clock;
    in->replay = step->replay;
    find_data(&g->nodes[n], in->data);
    mine->last[phase] = ++mine->launched;
    start_task(g, n, in);
}

static eagle_status replay(eagle_graph *g, const eg_step *step)
{
    lowered  *low = g->replay->lowered;
    const int phase = phase_index(g->replay, step->phase);

    for (int n = 0; n < (int)g->n_nodes; n++) {
        eg_node *node = &g->nodes[n];
        if (!step->active[node->unit]) continue;
        wait_for_all(g, node, step->phase);
        if (node->kind == EG_TASK) {
            issue_task(g, n, step, phase);
            continue;
        }
        find_data(node, low->nodes[n].data);
        if (g->ctx->checks && node->kind == EG_KERNEL &&
            eg_check_kernel(node, &step->clock, low->nodes[n].data) != EAGLE_OK)
            eg_keep_error(g, node, step->replay); /* and go on: other ranks wait for this one */
        if (node->kind == EG_COPY)
            eg_host_moves(g->ctx, node, low->nodes[n].data);
        else if (!eg_tuned_wanted(g->ctx, node))
            eg_host_kernel(g->ctx, node, &step->clock, low->nodes[n].data);
        else if (eg_check_tuned(g->ctx, node, &step->clock, low->nodes[n].data) != EAGLE_OK)
            eg_keep_error(g, node, step->replay);
        if (low->n_polled > 0) poll_started(g);
    }
    for (int n = 0; n < (int)g->n_nodes && step->last; n++)
        if (g->nodes[n].task.poll != NULL) wait_for(g, n, low->nodes[n].launched);
    atomic_fetch_add(&low->replays_done, 1);
    return EAGLE_OK;
}

static eagle_status wait(eagle_graph *g)
{
    lowered *low = g->replay->lowered;

    for (size_t n = 0; n < g->n_nodes; n++)
        if (low->nodes[n].is_task) wait_for(g, (int)n, low->nodes[n].launched);
    return EAGLE_OK;
}

static int64_t progress(eagle_graph *g)
{
    lowered *low = g->replay->lowered;
    return atomic_load(&low->replays_done);
}

/* --- making and discarding ------------------------------------------------------------------------------------ */

static void discard(eagle_graph *g)
{
    lowered *low = g->replay->lowered;

    if (low == NULL) return;
    for (size_t n = 0; low->nodes != NULL && n < g->n_nodes; n++) eg_free(low->nodes[n].room);
    eg_free(low->nodes);
    eg_free(low->polled);
    eg_free(low);
    g->replay->lowered = NULL;
}

static eagle_status lower_node(eagle_graph *g, int n, lowered_node *mine)
{
    const int count = g->nodes[n].n_access;
    void    **room = eg_alloc((size_t)(RING + 1) * (size_t)count + 1, sizeof *room);

    if (room == NULL) return EAGLE_ERR_MEMORY;
    mine->is_task = g->nodes[n].kind == EG_TASK;
    mine->room = room;
    mine->data = room;
    for (int i = 0; i < RING; i++)
        mine->ring[i] = (instance){ .g = g, .node = n, .data = room + (size_t)(i + 1) * (size_t)count };
    return EAGLE_OK;
}

static eagle_status prepare(eagle_graph *g, uint64_t phase)
{
    lowered     *low;
    eagle_status status = EAGLE_OK;

    (void)phase; /* every phase runs from the same description */
    if (g->replay->lowered != NULL) return EAGLE_OK;
    low = eg_alloc(1, sizeof *low);
    if (low == NULL) return EAGLE_ERR_MEMORY;
    g->replay->lowered = low;
    low->nodes = eg_alloc(g->n_nodes + 1, sizeof *low->nodes);
    low->polled = eg_alloc(g->n_nodes + 1, sizeof *low->polled);
    if (low->nodes == NULL || low->polled == NULL) status = EAGLE_ERR_MEMORY;
    for (size_t n = 0; n < g->n_nodes && status == EAGLE_OK; n++) status = lower_node(g, (int)n, &low->nodes[n]);
    if (status != EAGLE_OK) discard(g);
    return status;
}

/* --- memory --------------------------------------------------------------------------------------------------- */

static eagle_status open_backend(eagle_ctx *ctx)
{
    (void)ctx;
    return EAGLE_OK;
}

static void close_backend(eagle_ctx *ctx) { (void)ctx; }

/* Threads touch first what they will work on, so that pages land near them. */
static eagle_status allocate(eagle_ctx *ctx, eagle_place place, size_t bytes, void **out)
{
    const size_t whole = (bytes + 4095) / 4096 * 4096;
    const int    threads = whole < (1 << 20) ? 1 : ctx->threads;
    char        *memory = aligned_alloc(4096, whole);

    (void)place;
    if (memory == NULL)
        return eg_fail(EAGLE_ERR_MEMORY, EG_NOWHERE, "use fewer cells, or more ranks on more hosts",
                       "%.3g MB of memory could not be had", (double)bytes / 1e6);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (size_t page = 0; page < whole / 4096; page++) memset(memory + page * 4096, 0, 4096);
    *out = memory;
    return EAGLE_OK;
}

static void release(eagle_ctx *ctx, eagle_place place, void *memory)
{
    (void)ctx, (void)place;
    free(memory);
}

static eagle_status copy(eagle_ctx *ctx, void *to, const void *from, size_t bytes)
{
    (void)ctx;
    memmove(to, from, bytes);
    return EAGLE_OK;
}

static void describe(const eagle_ctx *ctx, char *out, size_t bytes)
{
    static const char *const forms[EAGLE_HOST_FORMS] = { "x86-64", "AVX2", "AVX-512" };

    snprintf(out, bytes, "%d thread%s, %s", ctx->threads, ctx->threads == 1 ? "" : "s", forms[ctx->form]);
}

const eg_backend eg_host_backend = {
    .name = "host",
    .open = open_backend,
    .close = close_backend,
    .allocate = allocate,
    .release = release,
    .copy = copy,
    .prepare = prepare,
    .replay = replay,
    .wait = wait,
    .progress = progress,
    .discard = discard,
    .describe = describe,
    .run_tuned = run_tuned,
};
