/* builder.c - adding nodes. Every call keeps the first refusal (G2) and does nothing once there is one; calls.c has the
 * call of a kernel, ages.c the ghost cells. */
#include "graph/builder.h"

#include <stdlib.h>
#include <string.h>

eagle_status eg_graph_new(eagle_ctx *ctx, const char *name, const eg_hooks *hooks, eagle_graph **out)
{
    eagle_graph *g = eg_alloc(1, sizeof *g);

    if (g == NULL) return EAGLE_ERR_MEMORY;
    *g = (eagle_graph){ .ctx = ctx, .name = name, .hooks = *hooks, .dt_part = 1 };
    g->scopes = eg_grow(NULL, &g->room_scopes, 1, sizeof *g->scopes);
    if (g->scopes == NULL) {
        eg_free(g);
        return EAGLE_ERR_MEMORY;
    }
    g->scopes[g->n_scopes++] = (eg_scope_info){ .parent = -1 };
    *out = g;
    return EAGLE_OK;
}

static void free_node(eg_node *node)
{
    eg_free(node->name);
    eg_free(node->access);
    eg_free(node->params);
    eg_free(node->moves);
    eg_free(node->planes);
    eg_free(node->deps);
    eg_free(node->across);
}

void eg_graph_free(eagle_graph *g)
{
    if (g == NULL) return;
    for (size_t i = 0; i < g->n_nodes; i++) free_node(&g->nodes[i]);
    for (size_t u = 0; u < g->n_units; u++) eg_free(g->units[u].nodes);
    eg_free(g->units);
    eg_free(g->nodes);
    eg_free(g->scopes);
    eg_free(g->swaps);
    eg_free(g->ages);
    eg_free(g);
}

bool eg_refuse(eagle_graph *g, eagle_here here, const char *fix, const char *fmt, ...)
{
    char    text[sizeof g->error.what];
    va_list args;

    if (g->error.status != EAGLE_OK) return true;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    eg_fail(EAGLE_ERR_GRAPH, here, fix, "%s", text);
    g->error = *eagle_last_error();
    return true;
}

/* Memory ran out, or another layer failed: the thread's last error is the refusal. */
static void refuse_last(eagle_graph *g)
{
    if (g->error.status == EAGLE_OK) g->error = *eagle_last_error();
}

bool eg_builder_closed(eagle_graph *g, eagle_here here)
{
    if (g->error.status != EAGLE_OK) return true;
    if (!g->ordered) return false;
    return eg_refuse(g, here, "add all nodes before the first prepare, launch or enqueue",
                     "graph '%s' was replayed already; nothing can be added", g->name);
}

bool eg_plane_refused(eagle_graph *g, const char *node, eagle_plane plane, eagle_here here)
{
    const char *name = plane.name ? plane.name : "?";

    if (plane.storage == NULL)
        return eg_refuse(g, here,
                         "make it with eagle_device, eagle_pinned, eagle_host or eagle_wrap; a view must lie "
                         "inside its plane",
                         "%s: plane '%s' has no memory", node, name);
    if (plane.storage->gone)
        return eg_refuse(g, here, "destroy a plane after the graphs that use it", "%s: plane '%s' no longer exists",
                         node, name);
    if (plane.storage->ctx != g->ctx)
        return eg_refuse(g, here, "use planes of the graph's own context", "%s: plane '%s' belongs to another context",
                         node, name);
    return false;
}

eg_node *eg_builder_node(eagle_graph *g, eg_kind kind, const char *name, int n_access, eagle_here here)
{
    eg_node *nodes = eg_grow(g->nodes, &g->room_nodes, g->n_nodes + 1, sizeof *nodes), *node;

    if (nodes == NULL) {
        refuse_last(g);
        return NULL;
    }
    g->nodes = nodes;
    node = &nodes[g->n_nodes];
    *node = (eg_node){ .kind = kind, .here = here, .scope = g->open_scope, .n_access = n_access };
    node->name = eg_copy_text(name);
    node->access = eg_alloc((size_t)n_access + 1, sizeof *node->access);
    if (node->name == NULL || node->access == NULL) {
        free_node(node);
        refuse_last(g);
        return NULL;
    }
    g->n_nodes++;
    return node;
}

void eg_builder_access(eg_access *a, eagle_plane plane, bool reads, bool writes)
{
    eg_access_box(plane, a);
    a->plane = plane;
    a->reads = reads;
    a->writes = writes;
}

/* --- copies --------------------------------------------------------------------------------------------------- */

static bool overlap(eagle_plane a, eagle_plane b)
{
    eg_access x = { .plane = a, .writes = true }, y = { .plane = b };

    eg_access_box(a, &x);
    eg_access_box(b, &y);
    return eg_conflict(&x, &y);
}

static bool same_view(eagle_plane a, eagle_plane b)
{
    return a.storage == b.storage && a.first == b.first && eg_same_shape(a, b);
}

static bool move_refused(eagle_graph *g, const char *name, const eg_move *m, eagle_here here)
{
    if (eg_plane_refused(g, name, m->from, here) || eg_plane_refused(g, name, m->to, here)) return true;
    if (m->from.type != m->to.type)
        return eg_refuse(g, here, "copy between planes of one type", "%s: '%s' holds %s and '%s' %s", name,
                         m->from.name, eg_type_name(m->from.type), m->to.name, eg_type_name(m->to.type));
    if (!eg_same_shape(m->from, m->to))
        return eg_refuse(g, here, "take boxes of one shape with eagle_view", "%s: '%s' and '%s' differ in shape", name,
                         m->from.name, m->to.name);
    if (m->to.storage->constant)
        return eg_refuse(g, here, "declare the field without .constant", "%s: '%s' is a constant field", name,
                         m->to.name);
    if (!same_view(m->from, m->to) && overlap(m->from, m->to))
        return eg_refuse(g, here, "copy through another plane", "%s: '%s' and '%s' overlap", name, m->from.name,
                         m->to.name);
    return false;
}

void eg_add_moves(eagle_graph *g, const char *name, int n, const eg_move *moves, eagle_here here)
{
    eg_node *node;

    if (eg_builder_closed(g, here)) return;
    for (int i = 0; i < n; i++)
        if (move_refused(g, name, &moves[i], here)) return;
    node = eg_builder_node(g, EG_COPY, name, 2 * n, here);
    if (node == NULL) return;
    node->moves = eg_alloc((size_t)n + 1, sizeof *node->moves);
    if (node->moves == NULL) {
        refuse_last(g);
        return;
    }
    node->n_moves = n;
    for (int i = 0; i < n; i++) {
        node->moves[i] = moves[i];
        node->on_device |= eg_on_device(moves[i].from) || eg_on_device(moves[i].to);
        eg_builder_access(&node->access[2 * i], moves[i].from, true, false);
        eg_builder_access(&node->access[2 * i + 1], moves[i].to, false, true);
        eg_ages_written(g, &node->access[2 * i + 1], node->name, here);
    }
}

void eagle_add_copy(eagle_graph *g, eagle_plane from, const struct eagle_copy_options *options, eagle_here here)
{
    const eg_move move = { from, options->into };
    char          name[160];

    snprintf(name, sizeof name, "copy %s -> %s", from.name ? from.name : "?",
             options->into.name ? options->into.name : "?");
    eg_add_moves(g, name, 1, &move, here);
}

/* --- host functions ------------------------------------------------------------------------------------------- */

void eg_add_task(eagle_graph *g, const char *name, const eg_task *task, eagle_plane_list reads, eagle_plane_list writes,
                 eagle_here here)
{
    const int n = reads.n + writes.n;
    eg_node  *node;

    if (eg_builder_closed(g, here)) return;
    for (int i = 0; i < n; i++) {
        const eagle_plane plane = i < reads.n ? reads.at[i] : writes.at[i - reads.n];
        if (eg_plane_refused(g, name, plane, here)) return;
        if (eg_on_device(plane)) {
            eg_refuse(g, here, "copy it into a pinned plane first: eagle_copy(g, plane, .into = pinned)",
                      "%s: a host function was given '%s', which is on the device", name, plane.name);
            return;
        }
    }
    node = eg_builder_node(g, EG_TASK, name, n, here);
    if (node == NULL) return;
    node->task = *task;
    node->planes = eg_alloc((size_t)n + 1, sizeof *node->planes);
    if (node->planes == NULL) {
        refuse_last(g);
        return;
    }
    for (int i = 0; i < n; i++) node->planes[i] = i < reads.n ? reads.at[i] : writes.at[i - reads.n];
    for (int i = 0; i < reads.n; i++) eg_builder_access(&node->access[i], reads.at[i], true, false);
    for (int i = 0; i < writes.n; i++) eg_builder_access(&node->access[reads.n + i], writes.at[i], true, true);
}

void eagle_add_opaque(eagle_graph *g, const char *name, eagle_host_fn fn, const struct eagle_opaque_options *options,
                      eagle_here here)
{
    const eg_task task = { .start = fn, .state = options->state, .worker = EG_WORKER_HOST };

    eg_add_task(g, name, &task, options->reads, options->writes, here);
}

/* --- the length of the next step ------------------------------------------------------------------------------ */

/* It is copied into a plane of the graph's own, so that what writes and reads it stands in the order of the text. */
void eagle_add_set_dt(eagle_graph *g, eagle_plane dt, eagle_here here)
{
    const eagle_shape one = { 1, { 1 } };
    eg_move           move = { .from = dt };

    if (eg_builder_closed(g, here) || eg_plane_refused(g, "set_dt", dt, here)) return;
    if (dt.type != EAGLE_F64 || eg_plane_count(dt) != 1 || !eg_on_device(dt)) {
        eg_refuse(g, here, "make it with eagle_device(ctx, name, EAGLE_F64, EAGLE_SHAPE(1), &plane)",
                  "set_dt: '%s' is not one double on the device", dt.name);
        return;
    }
    if (g->open_scope != 0 || g->next_dt.storage != NULL) {
        eg_refuse(g, here, "call eagle_set_dt once a step, outside of scopes; its plane may be written in one",
                  g->open_scope != 0 ? "set_dt of '%s' inside a scope" : "set_dt of '%s': dt is set already", dt.name);
        return;
    }
    if (g->hooks.storage(g->ctx, "next dt", EAGLE_F64, EAGLE_DEVICE, one, 1, &g->next_dt) != EAGLE_OK) {
        refuse_last(g);
        return;
    }
    move.to = g->next_dt;
    move.to.rank = dt.rank; /* one element, however many axes the value has */
    for (int a = 0; a < dt.rank; a++) move.to.n[a] = move.to.stride[a] = 1;
    eg_add_moves(g, "set dt", 1, &move, here);
}

/* --- swaps, ghost cells, history ------------------------------------------------------------------------------ */

void eagle_add_swap(eagle_graph *g, eagle_plane a, eagle_plane b, eagle_here here)
{
    eg_swap *swaps;

    if (eg_builder_closed(g, here)) return;
    if (eg_plane_refused(g, "swap", a, here) || eg_plane_refused(g, "swap", b, here)) return;
    if (g->open_scope != 0) {
        eg_refuse(g, here, "put eagle_swap behind the scope", "swap of '%s' and '%s' inside a scope", a.name, b.name);
        return;
    }
    if (a.storage == b.storage || a.type != b.type || a.place != b.place || a.storage->bytes != b.storage->bytes ||
        a.first != b.first || !eg_same_shape(a, b) || a.storage->constant || b.storage->constant) {
        eg_refuse(g, here, "swap two whole planes made alike", "'%s' and '%s' cannot be swapped", a.name, b.name);
        return;
    }
    for (size_t s = 0; s < g->n_swaps; s++)
        for (int i = 0; i < 2; i++) {
            const eagle_plane p = i == 0 ? a : b;
            if (g->swaps[s].a != p.storage && g->swaps[s].b != p.storage) continue;
            eg_refuse(g, here, "swap a plane once a step", "plane '%s' is in two swaps", p.name);
            return;
        }
    swaps = g->n_swaps < 64 ? eg_grow(g->swaps, &g->room_swaps, g->n_swaps + 1, sizeof *swaps) : NULL;
    if (swaps == NULL) {
        eg_refuse(g, here, "use fewer swaps in one graph", "more than 64 swaps, or no memory for one");
        return;
    }
    g->swaps = swaps;
    g->swaps[g->n_swaps++] = (eg_swap){ a.storage, b.storage };
}

void eagle_add_fill(eagle_graph *g, eagle_plane_list fields, eagle_here here)
{
    if (eg_builder_closed(g, here)) return;
    for (int i = 0; i < fields.n; i++) {
        if (eg_plane_refused(g, "fill_ghosts", fields.at[i], here)) return;
        if (fields.at[i].storage->grid != NULL && g->hooks.fill != NULL) continue;
        eg_refuse(g, here, "name a field", "fill_ghosts: '%s' has no ghost cells", fields.at[i].name);
        return;
    }
    g->hooks.fill(g, g->hooks.fill_state, fields, here);
}

void eagle_add_record(eagle_graph *g, const char *column, const char *unit, eagle_plane value, eagle_here here)
{
    if (eg_builder_closed(g, here) || eg_plane_refused(g, "record", value, here)) return;
    if (value.type != EAGLE_F64 || eg_plane_count(value) != 1 || eg_on_device(value)) {
        eg_refuse(g, here, "make it with eagle_value, or eagle_pinned(ctx, name, EAGLE_F64, EAGLE_SHAPE(1), &plane)",
                  "record: '%s' is not one double on the host", value.name);
        return;
    }
    if (g->hooks.record != NULL) g->hooks.record(g, g->hooks.record_state, column, unit, value, here);
}

/* --- scopes --------------------------------------------------------------------------------------------------- */

static bool same_group(const eg_scope_info *a, const eg_scope_info *b)
{
    return a->parent == b->parent && a->kind == b->kind && a->every == b->every && a->at == b->at &&
           a->event == b->event && a->apart == b->apart;
}

/* Scopes that are active on the same steps are one group, and those apart another one. */
static void open_scope(eagle_graph *g, const eg_scope_info *scope)
{
    eg_scope_info *scopes;

    for (size_t s = 1; s < g->n_scopes; s++) {
        if (!same_group(&g->scopes[s], scope)) continue;
        g->open_scope = (int)s;
        return;
    }
    scopes = eg_grow(g->scopes, &g->room_scopes, g->n_scopes + 1, sizeof *scopes);
    if (scopes == NULL) {
        refuse_last(g);
        return;
    }
    g->scopes = scopes;
    g->open_scope = (int)g->n_scopes;
    g->scopes[g->n_scopes++] = *scope;
}

bool eagle_scope_begin(eagle_graph *g, eagle_scope s, const struct eagle_scope_options *o, eagle_here here)
{
    const eg_scope_info scope = { g->open_scope, s, o->every, o->at, o->event.id, o->apart, here };

    if (eg_builder_closed(g, here)) return false;
    if (s == EAGLE_SCOPE_EVERY && (o->every < 1 || o->at < 0 || o->at >= o->every)) {
        eg_refuse(g, here, "EAGLE_EVERY(g, k, .at = r) with k >= 1 and 0 <= r < k", "every %lld, at %lld",
                  (long long)o->every, (long long)o->at);
        return false;
    }
    if (s == EAGLE_SCOPE_WHEN && (o->event.id < 1 || o->event.id > 63)) {
        eg_refuse(g, here, "make it with eagle_event_create", "the event does not exist");
        return false;
    }
    open_scope(g, &scope);
    return g->error.status == EAGLE_OK;
}

bool eagle_scope_end(eagle_graph *g)
{
    if (g->open_scope != 0) g->open_scope = g->scopes[g->open_scope].parent;
    return false;
}

bool eg_scope_active(const eagle_graph *g, int scope, int64_t step, uint64_t events)
{
    for (; scope > 0; scope = g->scopes[scope].parent) {
        const eg_scope_info *s = &g->scopes[scope];
        if (s->kind == EAGLE_SCOPE_EVERY && step % s->every != s->at) return false;
        if (s->kind == EAGLE_SCOPE_WHEN && (events >> s->event & 1) == 0) return false;
    }
    return true;
}
