/* checkpoint.c - decides when a checkpoint is due and which nodes make it. They stand before the step, so that a
 * checkpoint holds the state at the start of its step, as a frame does:
 *
 *     every value finite? -> verdict                    with the step: later nodes wait for these few bytes
 *     eagle_value planes, history's slots -> carried
 *     fields -> snapshots                               with the step
 *     snapshots -> pinned; write, which reads the verdict  beside the steps that follow
 *
 *   K1  the write waits for the verdict; of a state that is not finite, as of any failed run, no file is made.
 *   K2  older checkpoints are removed only when the new one has its name. */
#include "run/checkpoint.h"

#include <stdlib.h>
#include <string.h>

#include "run/checkpoint_parts.h"
#include "run/history.h"
#include "run/schedule.h"
#include "run/selection.h"
#include "run/snapshot.h"

struct eg_checkpoints {
    eagle_run         *run;
    eg_schedule        schedule; /* by steps */
    eagle_event        event;
    int                n_fields;
    int               *fields;   /* of the run */
    eagle_plane       *taken;    /* [n_fields]: snapshots */
    eagle_plane       *pinned;   /* [n_fields], then carried, then verdict */
    int64_t            n_values; /* of the run, when this was opened */
    char              *used;     /* used.ini, on rank 0 */
    eg_checkpoint_head head;     /* what is written next; borrows its parts */
    eg_frames         *frames;
    double             last_s; /* when one was asked for last */
};

static eagle_plane *carried_plane(const eg_checkpoints *c) { return &c->pinned[c->n_fields]; }
static eagle_plane *verdict_plane(const eg_checkpoints *c) { return &c->pinned[c->n_fields + 1]; }

/* --- writing (I/O worker) ------------------------------------------------------------------------------------- */

static bool write_more(void *checkpoints, const eagle_clock *now, int64_t file)
{
    const eg_checkpoints *c = checkpoints;
    eg_checkpoint_head    head = c->head;

    head.dt_s = now->dt;
    return eg_checkpoint_write_head(&head, file);
}

static eagle_status write_checkpoint(const eagle_host_call *call, void *checkpoints)
{
    eg_checkpoints *c = checkpoints;

    c->head.carried = call->data[c->n_fields];
    EAGLE_TRY(eg_frames_write(call, c->frames));
    if (call->rank == 0) eg_checkpoint_keep(c->run->directory, (int)c->run->set.checkpoint_keep);
    return EAGLE_OK;
}

/* --- nodes ---------------------------------------------------------------------------------------------------- */

static eagle_plane one_carried(const eg_checkpoints *c, int64_t i, eagle_plane like)
{
    eagle_plane to = eagle_view(*carried_plane(c), EAGLE_SHAPE(i), EAGLE_SHAPE(1));

    to.rank = like.rank; /* one element, however many axes the value has */
    for (int a = 0; a < like.rank; a++) to.n[a] = to.stride[a] = 1;
    return to;
}

static void add_carried(const eg_checkpoints *c, eagle_graph *g)
{
    const eagle_plane slots = eg_history_slots(c->run->history);
    const eg_move     rows = { slots, eagle_view(*carried_plane(c), EAGLE_SHAPE(0), EAGLE_SHAPE(slots.n[0])) };

    eg_add_moves(g, "checkpoint of history", 1, &rows, EAGLE_HERE);
    for (int64_t i = 0; i < c->n_values; i++) {
        const eagle_plane value = c->run->values[i];
        const eg_move     move = { value, one_carried(c, slots.n[0] + i, value) };
        eg_add_moves(g, "checkpoint of values", 1, &move, EAGLE_HERE);
    }
}

static void add_write(eg_checkpoints *c, eagle_graph *g)
{
    const eg_task write = { .start = write_checkpoint, .state = c, .worker = EG_WORKER_IO, .takes_part = true };
    const eagle_plane_list reads = { c->n_fields + 2, c->pinned }, none = { 0, NULL };

    for (int i = 0; i < c->n_fields; i++) {
        const eg_move move = { c->taken[i], c->pinned[i] };
        eg_add_moves(g, "checkpoint of fields", 1, &move, EAGLE_HERE);
    }
    eg_add_task(g, "write checkpoint", &write, reads, none, EAGLE_HERE);
}

void eg_checkpoints_add_snapshots(eg_checkpoints *c, eagle_graph *g)
{
    EAGLE_WHEN(g, c->event) {
        eg_watch_add_finite(c->run, g, (eagle_plane_list){ 1, verdict_plane(c) });
        add_carried(c, g);
        for (int i = 0; i < c->n_fields; i++) eg_snapshot_add(g, c->run->fields[c->fields[i]].planes->now, c->taken[i]);
    }
}

void eg_checkpoints_add_writes(eg_checkpoints *c, eagle_graph *g)
{
    EAGLE_WHEN(g, c->event, .apart = true) add_write(c, g);
}

/* --- when ----------------------------------------------------------------------------------------------------- */

int64_t eg_checkpoints_next(const eg_checkpoints *c, int64_t step)
{
    return eg_schedule_next(&c->schedule, step > 0 ? step : 1, 0);
}

void eg_checkpoints_raise(eg_checkpoints *c, eagle_graph *g)
{
    c->last_s = eg_seconds();
    eagle_raise(g, c->event);
}

bool eg_checkpoints_late(const eg_checkpoints *c)
{
    const double interval_s = c->run->set.checkpoint_interval_s;
    return interval_s > 0 && eg_seconds() - c->last_s >= interval_s;
}

/* Before the first one was written: as if the disk took 200 MB/s. */
double eg_checkpoints_reserve(const eg_checkpoints *c)
{
    const double disk = 200e6,
                 cells = (double)c->run->grid.cells[0] * (double)c->run->grid.cells[1] * (double)c->run->grid.cells[2];
    int64_t bytes, n;
    double  seconds, size = 0;

    if (c->run->set.grace_s >= 0) return c->run->set.grace_s;
    eg_frames_figures(c->frames, &bytes, &seconds, &n);
    if (n > 0) return 1 + 3 * seconds / (double)n;
    for (int i = 0; i < c->n_fields; i++) {
        const eg_run_field *f = &c->run->fields[c->fields[i]];
        size += cells * f->components * (double)eg_type_bytes(f->type);
    }
    return 1 + size / disk;
}

/* --- open and close ------------------------------------------------------------------------------------------- */

static eagle_status make_item(eg_checkpoints *c, int field, eg_frame_field *out)
{
    const eg_run_field *f = &c->run->fields[field];
    const eagle_plane   now = f->planes->now;
    eagle_plane        *pinned = &c->pinned[c->n_fields];
    eagle_shape         shape = { .rank = now.rank };

    for (int a = 0; a < now.rank; a++) shape.n[a] = now.n[a];
    EAGLE_TRY(eagle_pinned(c->run->ctx, f->spec->name, f->type, shape, pinned));
    EAGLE_TRY(eg_snapshot_of(c->run, now, &c->taken[c->n_fields]));
    *out = (eg_frame_field){
        .name = f->spec->name, .unit = f->spec->unit, .components = f->components, .stored = f->type, .plane = *pinned
    };
    c->fields[c->n_fields++] = field;
    return EAGLE_OK;
}

static eagle_status make_planes(eg_checkpoints *c, eg_frame_field *out)
{
    const eagle_shape one = { 1, { 1 } };
    const int64_t     slots = eg_history_slots(c->run->history).n[0];

    for (int i = 0; i < c->run->n_fields; i++)
        if (eg_selection_is_state(&c->run->fields[i])) EAGLE_TRY(make_item(c, i, &out[c->n_fields]));
    c->n_values = (int64_t)c->run->n_values;
    c->head.n_carried = slots + c->n_values;
    EAGLE_TRY(eagle_pinned(c->run->ctx, "carried", EAGLE_F64, EAGLE_SHAPE(c->head.n_carried), carried_plane(c)));
    EAGLE_TRY(eagle_pinned(c->run->ctx, "finite", EAGLE_F64, one, verdict_plane(c)));
    return eagle_event_create(c->run->ctx, "checkpoint", &c->event);
}

/* The input as used.ini has it, and where it was. */
static eagle_status take_input(eg_checkpoints *c)
{
    size_t bytes = 0;
    char   folder[4096];
    FILE  *out = open_memstream(&c->used, &bytes);

    if (out == NULL) return EAGLE_ERR_MEMORY;
    eg_config_print_used(c->run->config, out);
    if (fclose(out) != 0) return EAGLE_ERR_MEMORY;
    c->head.used = c->used;
    c->head.input_dir = eg_copy_text(realpath(c->run->input_dir, folder) != NULL ? folder : c->run->input_dir);
    return c->head.input_dir == NULL ? EAGLE_ERR_MEMORY : EAGLE_OK;
}

static eagle_status open_local(eg_checkpoints *c, eg_frame_field *fields)
{
    c->schedule.every = c->run->set.checkpoint_every > 0 ? c->run->set.checkpoint_every : 0;
    c->last_s = eg_seconds();
    EAGLE_TRY(make_planes(c, fields));
    return take_input(c);
}

static eagle_status open_frames(eg_checkpoints *c, const eg_frame_field *fields)
{
    const char   *writer = eg_config_text(c->run->config, "output", "writer");
    eg_frame_spec spec = { .directory = c->run->directory,
                           .name = "state",
                           .program = c->run->app->name,
                           .version = EAGLE_VERSION,
                           .grid = c->run->grid,
                           .stride = { 1, 1, 1 },
                           .through_root = writer != NULL && strcmp(writer, "root") == 0,
                           .n_fields = c->n_fields,
                           .fields = fields,
                           .more = write_more,
                           .more_state = c };

    memcpy(spec.hi, c->run->grid.cells, sizeof spec.hi);
    return eg_frames_open(c->run->job, &spec, &c->frames);
}

eagle_status eg_checkpoints_open(eagle_run *run, eg_checkpoints **out)
{
    eg_checkpoints *c = eg_alloc(1, sizeof *c);
    eg_frame_field *fields = eg_alloc((size_t)run->n_fields + 1, sizeof *fields);
    eagle_status    status = c != NULL && fields != NULL ? EAGLE_OK : EAGLE_ERR_MEMORY;

    *out = c;
    if (status == EAGLE_OK) {
        c->run = run;
        c->fields = eg_alloc((size_t)run->n_fields + 1, sizeof *c->fields);
        c->taken = eg_alloc((size_t)run->n_fields + 1, sizeof *c->taken);
        c->pinned = eg_alloc((size_t)run->n_fields + 2, sizeof *c->pinned);
        status = c->fields != NULL && c->taken != NULL && c->pinned != NULL ? open_local(c, fields) : EAGLE_ERR_MEMORY;
    }
    status = eg_agree(run->job, EG_CONTROL, status);
    if (status == EAGLE_OK) status = open_frames(c, fields);
    eg_free(fields);
    return status;
}

eagle_status eg_checkpoints_restore(eg_checkpoints *c)
{
    const eg_checkpoint_head *head = &c->run->restart->head;
    const eagle_plane         slots = eg_history_slots(c->run->history);

    if (head->n_carried != c->head.n_carried)
        return eg_fail(EAGLE_ERR_IO, EG_NOWHERE, "use the version of the program that wrote it",
                       "'%s' carries %lld values over, this program %lld", c->run->restart->path,
                       (long long)head->n_carried, (long long)c->head.n_carried);
    EAGLE_TRY(eagle_upload(slots, head->carried));
    for (int64_t i = 0; i < c->n_values; i++)
        EAGLE_TRY(eagle_upload(c->run->values[i], &head->carried[slots.n[0] + i]));
    return EAGLE_OK;
}

eagle_status eg_checkpoints_close(eg_checkpoints *c)
{
    eagle_status status;

    if (c == NULL) return EAGLE_OK;
    status = eg_frames_close(c->frames);
    free(c->used); /* by open_memstream */
    eg_free(c->head.input_dir);
    eg_free(c->fields);
    eg_free(c->taken);
    eg_free(c->pinned);
    eg_free(c);
    return status;
}
