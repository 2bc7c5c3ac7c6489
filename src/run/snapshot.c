/* snapshot.c - see snapshot.h. The backend says how much memory is to spare for them; without, the copies home go straight
 * from the fields, and the step that overwrites a field waits for them. EAGLE_SNAPSHOTS=off keeps the memory for other things;
 * =always makes them wherever the run is, for tests. */
#include "run/snapshot.h"

#include <stdlib.h>
#include <string.h>

static bool same_part(eagle_plane a, eagle_plane b)
{
    return a.storage == b.storage && a.first == b.first && eg_same_shape(a, b) &&
           memcmp(a.stride, b.stride, (size_t)a.rank * sizeof *a.stride) == 0;
}

static size_t to_spare(eagle_ctx *ctx)
{
    const char *wanted = getenv("EAGLE_SNAPSHOTS");

    if (wanted != NULL && strcmp(wanted, "off") == 0) return 0;
    if (wanted != NULL && strcmp(wanted, "always") == 0) return SIZE_MAX;
    return ctx->backend->spare != NULL ? ctx->backend->spare(ctx) : 0;
}

/* Memory that cannot be had after all is no error. */
static eagle_plane make_one(eagle_run *run, eagle_plane field)
{
    const size_t bytes = (size_t)eg_plane_count(field) * eg_type_bytes(field.type);
    eagle_shape  shape = { .rank = field.rank };
    eagle_plane  taken;

    memcpy(shape.n, field.n, sizeof shape.n);
    if (bytes > to_spare(run->ctx)) return field;
    if (eg_storage_create(run->ctx, field.name, field.type, EAGLE_DEVICE, shape, 1, &taken) != EAGLE_OK) return field;
    return taken;
}

eagle_status eg_snapshot_of(eagle_run *run, eagle_plane field, eagle_plane *taken)
{
    struct eg_snapshot *all;

    for (size_t i = 0; i < run->n_snapshots; i++) {
        if (!same_part(run->snapshots[i].of, field)) continue;
        *taken = run->snapshots[i].taken;
        return EAGLE_OK;
    }
    all = eg_grow(run->snapshots, &run->room_snapshots, run->n_snapshots + 1, sizeof *all);
    if (all == NULL) return EAGLE_ERR_MEMORY;
    run->snapshots = all;
    *taken = make_one(run, field);
    all[run->n_snapshots++] = (struct eg_snapshot){ field, *taken };
    return EAGLE_OK;
}

void eg_snapshot_add(eagle_graph *g, eagle_plane field, eagle_plane taken)
{
    const eg_move move = { field, taken };
    char          name[EAGLE_NAME_MAX + 16];

    if (field.storage == taken.storage) return;
    snprintf(name, sizeof name, "snapshot of %.60s", field.name);
    eg_add_moves(g, name, 1, &move, EAGLE_HERE);
}

void eg_snapshot_figures(const eagle_run *run, int64_t *bytes, int64_t *missing)
{
    *bytes = *missing = 0;
    for (size_t i = 0; i < run->n_snapshots; i++) {
        const struct eg_snapshot *s = &run->snapshots[i];
        if (s->of.storage != s->taken.storage)
            *bytes += (int64_t)s->taken.storage->bytes;
        else
            *missing += run->ctx->backend->has_device;
    }
}
