/* replay.c - what a replay is made of, for every backend: the phase (how swaps stand), the groups that are active, the
 * buffers of deep planes, the clock, and the errors of host functions.
 *
 * Replays are issued by the context's launcher thread, in the order of the enqueues:
 *
 *     eagle_enqueue --request--> launcher: issue_once x n --> backend->replay
 *     eagle_synchronize: waits for the launcher, then for backend->wait, then takes the kept error */
#include <stdlib.h>
#include <string.h>

#include "exec/exec.h"

/* --- phases, clock, events ------------------------------------------------------------------------------------ */

/* A swap stands exchanged when the memory of the older storage is the newer one's own. */
uint64_t eg_phase(const eagle_graph *g)
{
    uint64_t phase = 0;

    for (size_t s = 0; s < g->n_swaps; s++)
        if (g->swaps[s].a->memory != g->swaps[s].a->own_memory) phase |= (uint64_t)1 << s;
    return phase;
}

static void exchange(eagle_graph *g)
{
    for (size_t s = 0; s < g->n_swaps; s++) {
        eagle_storage *a = g->swaps[s].a, *b = g->swaps[s].b;
        void         **memory = a->memory;
        a->memory = b->memory;
        b->memory = memory;
    }
}

static bool sets_dt(const eagle_graph *g) { return g->next_dt.storage != NULL; }

eagle_status eagle_clock_set(eagle_graph *g, eagle_clock clock)
{
    const bool plain = clock.t == (double)clock.step * clock.dt;
    eg_clock  *c = &g->replay->clock;

    *c = (eg_clock){ .now = clock, .wanted = clock.dt, .t_stop = c->t_stop };
    if (!plain) c->base_step = clock.step;
    if (!plain) c->base_t = clock.t;
    g->replay->sets_clock = true;
    return EAGLE_OK;
}

eagle_status eagle_clock_stop(eagle_graph *g, double t_stop_s)
{
    g->replay->clock.t_stop = t_stop_s;
    g->replay->sets_clock = true;
    return EAGLE_OK;
}

eagle_clock eagle_clock_get(const eagle_graph *g) { return g->replay->clock.now; }

/* Before the first replay after the clock was set. */
static void begin_clock(eagle_graph *g)
{
    eg_clock *c = &g->replay->clock;

    if (!g->replay->sets_clock || !sets_dt(g)) return;
    c->part = g->dt_part;
    c->most = g->dt_most;
    c->voids = 0;
    eg_clock_choose(c);
}

/* After a replay was issued. Where the device decides dt it is supposed that the clock is not over. */
static void advance_clock(eagle_graph *g)
{
    eg_clock *c = &g->replay->clock;

    g->replay->sets_clock = false;
    if (!sets_dt(g))
        eg_clock_tick(c);
    else if (g->ctx->backend->clock != NULL)
        c->now.step++;
    else
        eg_clock_advance(c, *(const double *)eg_address(g->next_dt, 0));
}

eagle_status eagle_event_create(eagle_ctx *ctx, const char *name, eagle_event *out)
{
    if (ctx->n_events == EG_COUNT(ctx->event_name) - 1)
        return eg_fail(EAGLE_ERR_ARGUMENT, EG_NOWHERE, "use one event for several groups",
                       "event '%s': there are %d already", name, ctx->n_events);
    ctx->event_name[++ctx->n_events] = name;
    out->id = ctx->n_events;
    return EAGLE_OK;
}

void eagle_raise(eagle_graph *g, eagle_event event)
{
    if (event.id > 0 && event.id < 64) g->replay->events |= (uint64_t)1 << event.id;
}

/* --- errors --------------------------------------------------------------------------------------------------- */

static void keep(eagle_graph *g, const eagle_error *error)
{
    eg_replay *r = g->replay;

    pthread_mutex_lock(&r->lock);
    if (r->error.status == EAGLE_OK) {
        r->error = *error;
        atomic_store(&r->status, (int)error->status);
    }
    pthread_mutex_unlock(&r->lock);
}

void eg_keep_error(eagle_graph *g, const eg_node *node, int64_t replay)
{
    eagle_error error = *eagle_last_error();
    char        where[160];

    if (g->ctx->ranks > 1)
        snprintf(where, sizeof where, " (%s on rank %d, replay %lld)", node->name, g->ctx->rank, (long long)replay);
    else
        snprintf(where, sizeof where, " (%s, replay %lld)", node->name, (long long)replay);
    strncat(error.what, where, sizeof error.what - strlen(error.what) - 1);
    keep(g, &error);
}

eagle_status eg_replay_error(eagle_graph *g)
{
    eg_replay  *r = g->replay;
    eagle_error error;

    if (atomic_load(&r->status) == EAGLE_OK) return EAGLE_OK;
    pthread_mutex_lock(&r->lock);
    error = r->error;
    pthread_mutex_unlock(&r->lock);
    return eg_fail_again(&error);
}

static eagle_status take_error(eagle_graph *g)
{
    const eagle_status status = eg_replay_error(g);

    g->replay->error = (eagle_error){ 0 };
    atomic_store(&g->replay->status, EAGLE_OK);
    return status;
}

void eg_run_task(eagle_graph *g, eg_node *node, const eagle_clock *clock, int64_t replay, void *const *data)
{
    const eagle_status    status = (eagle_status)atomic_load(&g->replay->status);
    const eagle_host_call call = { .n = node->n_access,
                                   .planes = node->planes,
                                   .data = data,
                                   .now = *clock,
                                   .grid = g->grid,
                                   .rank = g->ctx->rank,
                                   .replay = replay,
                                   .status = status };

    if (status != EAGLE_OK && !node->task.takes_part) return;
    if (node->task.start(&call, node->task.state) != EAGLE_OK) eg_keep_error(g, node, replay);
}

/* --- issuing (launcher thread) -------------------------------------------------------------------------------- */

static eagle_status prepare_phase(eagle_graph *g, uint64_t phase)
{
    eg_replay *r = g->replay;

    for (int i = 0; i < r->n_phases; i++)
        if (r->phases[i] == phase) return EAGLE_OK;
    if (r->n_phases == EG_PHASES)
        return eg_fail(EAGLE_ERR_STATE, EG_NOWHERE, "swap the same planes in every graph that swaps them",
                       "graph '%s' is replayed in more than %d arrangements of its swapped planes", g->name, EG_PHASES);
    r->phases[r->n_phases++] = phase;
    return g->ctx->backend->prepare(g, phase);
}

/* The next buffer of every deep plane that an active node writes. */
static void rotate_buffers(eagle_graph *g)
{
    for (size_t i = 0; i < g->n_nodes; i++) {
        const eg_node *node = &g->nodes[i];
        for (int a = 0; a < node->n_access && g->replay->active[node->unit]; a++) {
            eagle_storage *s = node->access[a].plane.storage;
            if (!node->access[a].writes || s->buffers == 1 || s->rotated == g->replay->issued + 1) continue;
            s->rotated = g->replay->issued + 1;
            s->current = (s->current + 1) % s->buffers;
        }
    }
}

static eagle_status issue_once(eagle_graph *g, uint64_t events, bool last)
{
    eg_replay *r = g->replay;

    begin_clock(g);
    if (r->clock.over != EG_CLOCK_RUNS) {
        atomic_fetch_add(&r->voids, 1);
        return EAGLE_OK;
    }
    const eg_step step = { .replay = r->issued,
                           .clock = r->clock.now,
                           .sets_clock = r->sets_clock,
                           .phase = eg_phase(g),
                           .active = r->active,
                           .last = last };
    EAGLE_TRY(prepare_phase(g, step.phase));
    for (size_t u = 0; u < g->n_units; u++)
        r->active[u] = eg_scope_active(g, g->units[u].scope, r->clock.now.step, events);
    rotate_buffers(g);
    EAGLE_TRY(g->ctx->backend->replay(g, &step));
    exchange(g);
    advance_clock(g);
    r->issued++;
    return EAGLE_OK;
}

static void serve_request(void *argument)
{
    eagle_graph     *g = argument;
    eg_replay       *r = g->replay;
    const eg_request request = r->requests[atomic_load(&r->n_served) % EG_REQUESTS];
    eagle_status     status = EAGLE_OK;

    for (int64_t i = 0; i < request.n && status == EAGLE_OK; i++) {
        const bool last = i == request.n - 1;
        status = issue_once(g, last ? request.events : 0, last);
    }
    if (status != EAGLE_OK) keep(g, eagle_last_error());
    atomic_fetch_add(&r->n_served, 1);
}

/* --- the public face ------------------------------------------------------------------------------------------ */

eagle_status eagle_graph_create(eagle_ctx *ctx, const char *name, eagle_graph **out)
{
    eagle_graph *g;
    eg_replay   *r = eg_alloc(1, sizeof *r);

    if (r == NULL) return EAGLE_ERR_MEMORY;
    if (eg_graph_new(ctx, name, &ctx->hooks, &g) != EAGLE_OK) {
        eg_free(r);
        return EAGLE_ERR_MEMORY;
    }
    pthread_mutex_init(&r->lock, NULL);
    g->replay = r;
    g->next = ctx->graphs;
    ctx->graphs = g;
    *out = g;
    return EAGLE_OK;
}

static void wait_for_launcher(eagle_graph *g)
{
    eg_patience patience = { 0 };

    while (atomic_load(&g->replay->n_served) != atomic_load(&g->replay->n_posted)) eg_pause(g->ctx, &patience);
}

static void unlink_graph(eagle_graph *g)
{
    eagle_graph **link = &g->ctx->graphs;

    while (*link != g) link = &(*link)->next;
    *link = g->next;
}

void eagle_graph_destroy(eagle_graph *g)
{
    if (g == NULL) return;
    wait_for_launcher(g);
    if (g->replay->n_phases > 0) {
        g->ctx->backend->wait(g);
        g->ctx->backend->discard(g);
    }
    unlink_graph(g);
    pthread_mutex_destroy(&g->replay->lock);
    eg_free(g->replay->active);
    eg_free(g->replay);
    eg_graph_free(g);
}

static eagle_status settle(eagle_graph *g)
{
    EAGLE_TRY(eg_order(g));
    if (g->replay->active == NULL) g->replay->active = eg_alloc(g->n_units + 1, sizeof(bool));
    return g->replay->active == NULL ? EAGLE_ERR_MEMORY : EAGLE_OK;
}

eagle_status eagle_enqueue(eagle_graph *g, int64_t n)
{
    eg_replay  *r = g->replay;
    eg_patience patience = { 0 };

    EAGLE_TRY(settle(g));
    if (n < 0)
        return eg_fail(EAGLE_ERR_ARGUMENT, EG_NOWHERE, "replay a graph 0 or more times", "%lld replays", (long long)n);
    if (n == 0) return EAGLE_OK;
    while (atomic_load(&r->n_posted) - atomic_load(&r->n_served) == EG_REQUESTS) eg_pause(g->ctx, &patience);
    r->requests[atomic_load(&r->n_posted) % EG_REQUESTS] = (eg_request){ n, r->events };
    r->events = 0;
    atomic_fetch_add(&r->n_posted, 1);
    eg_worker_post(g->ctx->launcher, serve_request, g);
    return EAGLE_OK;
}

/* The device's clock, and the swaps of void replays undone. */
static eagle_status ask_for_clock(eagle_graph *g)
{
    eg_replay *r = g->replay;

    if (r->sets_clock || r->n_phases == 0 || g->ctx->backend->clock == NULL) return EAGLE_OK;
    EAGLE_TRY(g->ctx->backend->clock(g, &r->clock));
    if (r->clock.voids % 2 != 0) exchange(g);
    r->sets_clock = true;
    return EAGLE_OK;
}

eagle_status eg_settle(eagle_graph *g)
{
    const eg_clock *c = &g->replay->clock;

    wait_for_launcher(g);
    if (!sets_dt(g)) return EAGLE_OK;
    EAGLE_TRY(ask_for_clock(g));
    if (c->over != EG_CLOCK_BROKEN) return EAGLE_OK;
    return eg_fail(EAGLE_ERR_NUMERICS, EG_NOWHERE,
                   "look at the plane that eagle_set_dt is given, and at the state before it",
                   "graph '%s': dt of step %lld is %g s", g->name, (long long)c->now.step, c->now.dt);
}

eagle_status eagle_synchronize(eagle_graph *g)
{
    eagle_status status = EAGLE_OK, settled;

    if (g->error.status != EAGLE_OK) return eg_fail_again(&g->error);
    wait_for_launcher(g);
    if (g->replay->n_phases > 0) status = g->ctx->backend->wait(g);
    if (status != EAGLE_OK) return status;
    settled = eg_settle(g);
    status = take_error(g); /* what a host function says comes before what may follow from it */
    return status != EAGLE_OK || settled == EAGLE_OK ? status : eg_settle(g);
}

eagle_status eagle_launch(eagle_graph *g, int64_t n)
{
    EAGLE_TRY(eagle_enqueue(g, n));
    return eagle_synchronize(g);
}

/* Prepared where replays are issued, so that the backend sees one thread. */
typedef struct preparation {
    eagle_graph *g;
    eagle_status status;
    eagle_error  error;
    atomic_bool  done;
} preparation;

static eagle_status prepare_all(eagle_graph *g)
{
    eagle_status status;

    EAGLE_TRY(prepare_phase(g, eg_phase(g)));
    if (g->n_swaps == 0) return EAGLE_OK;
    exchange(g);
    status = prepare_phase(g, eg_phase(g));
    exchange(g);
    return status;
}

static void serve_prepare(void *argument)
{
    preparation *p = argument;

    p->status = prepare_all(p->g);
    p->error = *eagle_last_error();
    atomic_store(&p->done, true);
}

eagle_status eagle_prepare(eagle_graph *g)
{
    preparation p = { .g = g };
    eg_patience patience = { 0 };

    EAGLE_TRY(settle(g));
    eg_worker_post(g->ctx->launcher, serve_prepare, &p);
    while (!atomic_load(&p.done)) eg_pause(g->ctx, &patience);
    return p.status == EAGLE_OK ? EAGLE_OK : eg_fail_again(&p.error);
}

int64_t eg_progress(eagle_graph *g)
{
    const int64_t voids = atomic_load(&g->replay->voids);

    return voids + (g->replay->lowered == NULL ? 0 : g->ctx->backend->progress(g));
}
