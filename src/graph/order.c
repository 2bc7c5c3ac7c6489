/* order.c - the order that follows from what nodes read and write, and the units that are replayed together.
 *
 *   O1  within a step node i waits for every earlier node j with which it conflicts (G3), after transitive reduction.
 *   O2  across replays node i also waits for the last instance of every node that touches the memory which i touches,
 *       through the same storage or, where storages are swapped, through the partner.
 *   O3  a node of the step joins the first unit of the step that is not before a unit it depends on; so the step is cut
 *       only where a group in the middle of it is depended upon. */
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"

/* --- conflicts ------------------------------------------------------------------------------------------------ */

static bool nodes_conflict(const eg_node *a, const eg_node *b)
{
    for (int i = 0; i < a->n_access; i++)
        for (int j = 0; j < b->n_access; j++)
            if (eg_conflict(&a->access[i], &b->access[j])) return true;
    return false;
}

static eagle_storage *partner(const eagle_graph *g, const eagle_storage *s, int *swap)
{
    for (size_t i = 0; i < g->n_swaps; i++) {
        *swap = (int)i;
        if (g->swaps[i].a == s) return g->swaps[i].b;
        if (g->swaps[i].b == s) return g->swaps[i].a;
    }
    *swap = -1;
    return NULL;
}

/* --- O1: edges within the step -------------------------------------------------------------------------------- */

typedef uint64_t word;

static bool bit(const word *row, int i) { return row[i / 64] >> (i % 64) & 1; }

/* The edges of node i: conflicts with earlier nodes, nearest first, leaving out those already reached. */
static eagle_status edges_of(eagle_graph *g, int i, word *reach, size_t words)
{
    eg_node *node = &g->nodes[i];
    word    *mine = reach + (size_t)i * words;
    size_t   room = 0;

    for (int j = i - 1; j >= 0; j--) {
        if (bit(mine, j) || !nodes_conflict(node, &g->nodes[j])) continue;
        int *deps = eg_grow(node->deps, &room, (size_t)node->n_deps + 1, sizeof *deps);
        if (deps == NULL) return EAGLE_ERR_MEMORY;
        node->deps = deps;
        node->deps[node->n_deps++] = j;
        for (size_t w = 0; w < words; w++) mine[w] |= reach[(size_t)j * words + w];
        mine[j / 64] |= (word)1 << (j % 64);
    }
    return EAGLE_OK;
}

static eagle_status order_step(eagle_graph *g)
{
    const size_t words = g->n_nodes / 64 + 1;
    word        *reach = eg_alloc(g->n_nodes * words + 1, sizeof *reach);
    eagle_status status = reach == NULL ? EAGLE_ERR_MEMORY : EAGLE_OK;

    for (size_t i = 0; i < g->n_nodes && status == EAGLE_OK; i++) status = edges_of(g, (int)i, reach, words);
    eg_free(reach);
    return status;
}

/* --- O2: waits across replays --------------------------------------------------------------------------------- */

static eagle_status add_across(eg_node *node, size_t *room, eg_across wait)
{
    for (int k = 0; k < node->n_across; k++) {
        eg_across *old = &node->across[k];
        if (old->node != wait.node || old->swap != wait.swap || old->odd != wait.odd) continue;
        if (wait.slack < old->slack) old->slack = wait.slack;
        return EAGLE_OK;
    }
    eg_across *across = eg_grow(node->across, room, (size_t)node->n_across + 1, sizeof *across);
    if (across == NULL) return EAGLE_ERR_MEMORY;
    node->across = across;
    node->across[node->n_across++] = wait;
    return EAGLE_OK;
}

/* What access a of a node must wait for in access b of node j. */
static eagle_status across_pair(const eagle_graph *g, eg_node *node, size_t *room, const eg_access *a, int j,
                                const eg_access *b)
{
    int                  swap;
    const eagle_storage *other = partner(g, a->plane.storage, &swap);
    eg_access            exchanged = *b;
    const int            slack = a->plane.storage->buffers - 1;

    if (eg_conflict(a, b)) return add_across(node, room, (eg_across){ j, slack, swap, false });
    if (other == NULL || b->plane.storage != other) return EAGLE_OK;
    exchanged.plane.storage = a->plane.storage;
    if (!eg_conflict(a, &exchanged)) return EAGLE_OK;
    return add_across(node, room, (eg_across){ j, slack, swap, true });
}

static eagle_status order_across(eagle_graph *g, int i)
{
    eg_node *node = &g->nodes[i];
    size_t   room = 0;

    for (int j = 0; j < (int)g->n_nodes; j++)
        for (int a = 0; a < node->n_access; a++)
            for (int b = 0; b < g->nodes[j].n_access; b++)
                EAGLE_TRY(across_pair(g, node, &room, &node->access[a], j, &g->nodes[j].access[b]));
    return EAGLE_OK;
}

/* --- O3: units ------------------------------------------------------------------------------------------------ */

static int last_unit_needed(const eagle_graph *g, const eg_node *node)
{
    int last = -1;

    for (int d = 0; d < node->n_deps; d++)
        if (g->nodes[node->deps[d]].unit > last) last = g->nodes[node->deps[d]].unit;
    return last;
}

static eagle_status new_unit(eagle_graph *g, int scope, int *out)
{
    eg_unit *units = eg_grow(g->units, &g->room_units, g->n_units + 1, sizeof *units);

    if (units == NULL) return EAGLE_ERR_MEMORY;
    g->units = units;
    units[g->n_units] = (eg_unit){ .scope = scope };
    *out = (int)g->n_units++;
    units[*out].nodes = eg_alloc(g->n_nodes, sizeof(int));
    return units[*out].nodes == NULL ? EAGLE_ERR_MEMORY : EAGLE_OK;
}

static eagle_status place_in_unit(eagle_graph *g, int i)
{
    eg_node *node = &g->nodes[i];
    int      u = last_unit_needed(g, node);

    if (u < 0) u = 0;
    while (u < (int)g->n_units && g->units[u].scope != node->scope) u++;
    if (u == (int)g->n_units) EAGLE_TRY(new_unit(g, node->scope, &u));
    node->unit = u;
    g->units[u].nodes[g->units[u].n++] = i;
    return EAGLE_OK;
}

/* A unit is trailing when no node of another unit waits for one of its nodes within the step. */
static void find_trailing_units(eagle_graph *g)
{
    for (size_t u = 0; u < g->n_units; u++) g->units[u].trailing = g->units[u].scope != 0;
    for (size_t i = 0; i < g->n_nodes; i++)
        for (int d = 0; d < g->nodes[i].n_deps; d++) {
            const int u = g->nodes[g->nodes[i].deps[d]].unit;
            if (u != g->nodes[i].unit) g->units[u].trailing = false;
        }
}

static eagle_status settle(eagle_graph *g)
{
    EAGLE_TRY(order_step(g));
    for (size_t i = 0; i < g->n_nodes; i++) {
        EAGLE_TRY(order_across(g, (int)i));
        EAGLE_TRY(place_in_unit(g, (int)i));
    }
    find_trailing_units(g);
    return EAGLE_OK;
}

/* Where the device decides dt it also decides whether a replay is void, and a copy of pageable memory could not be. */
static void refuse_pageable(eagle_graph *g)
{
    for (size_t i = 0; i < g->n_nodes && g->next_dt.storage != NULL; i++) {
        const eg_node *node = &g->nodes[i];
        for (int m = 0; m < node->n_moves && node->on_device; m++)
            if (node->moves[m].from.place == EAGLE_HOST || node->moves[m].to.place == EAGLE_HOST)
                eg_refuse(g, node->here, "make its host plane with eagle_pinned",
                          "%s: pageable memory in a step that sets dt", node->name);
    }
}

eagle_status eg_order(eagle_graph *g)
{
    refuse_pageable(g);
    if (g->error.status == EAGLE_OK && g->open_scope != 0)
        eg_refuse(g, g->scopes[g->open_scope].here, "leave the scope's block by its end, not by break or return",
                  "a scope was left open");
    if (g->error.status != EAGLE_OK) return eg_fail_again(&g->error);
    if (g->ordered) return EAGLE_OK;
    g->ordered = true;
    if (settle(g) != EAGLE_OK) g->error = *eagle_last_error();
    return g->error.status;
}
