/* outputs.c - decides what an output is (its section in the input) and which nodes make its frames: derived fields into
 * device planes that all outputs share, snapshots of fields, the region copied into pinned planes two deep, and the write on
 * the I/O worker. The steps that follow go on meanwhile; only the third frame waits for the first.
 *
 * A derived plane needs no snapshot: it is written for frames only, and those of all outputs before the first is copied. */
#include "run/outputs.h"

#include <math.h>
#include <string.h>

#include "run/checkpoint.h"
#include "run/frames.h"
#include "run/selection.h"
#include "run/snapshot.h"

enum { OUTPUTS = 48, WORD_MAX = 128, IN_FLIGHT = 2 };

/* The part of a plane that is in the region, its snapshot, and the pinned plane that this is copied into. */
typedef struct item {
    int         field;   /* of the run, -1: derived */
    int         derived; /* in the application's table, -1: a field */
    eagle_plane from, taken, pinned;
} item;

typedef struct output {
    const char *name; /* borrowed from the config */
    char        section[EAGLE_NAME_MAX + 8];
    eg_schedule schedule;
    bool        scheduled;
    eagle_event event;
    int64_t     lo[3], hi[3], stride[3];
    eagle_type  stored; /* of real fields; 0: as they are */
    int64_t     compress;
    int         n_items;
    item       *items;
    bool        here;           /* this rank has cells of the region */
    int64_t     n[3], local[3]; /* its part: counts and first local cells */
    eg_frames  *frames;
} output;

struct eg_outputs {
    eagle_run   *run;
    bool         through_root;
    int          n;
    output      *at;
    int          n_derived;
    eagle_plane *derived; /* one for each of the application's table; without memory if nobody wants it */
};

/* --- the input ------------------------------------------------------------------------------------------------- */

static eagle_status add_item(output *o, int field, int derived)
{
    item *items = eg_alloc((size_t)o->n_items + 1, sizeof *items);

    if (items == NULL) return EAGLE_ERR_MEMORY;
    for (int i = 0; i < o->n_items; i++) items[i] = o->items[i];
    items[o->n_items] = (item){ .field = field, .derived = derived };
    eg_free(o->items);
    o->items = items;
    o->n_items++;
    return EAGLE_OK;
}

static int find_derived(const eg_outputs *all, const char *name)
{
    for (int d = 0; d < all->n_derived; d++)
        if (strcmp(all->run->app->derived[d].name, name) == 0) return d;
    return -1;
}

static bool has_item(const output *o, int field, int derived)
{
    for (int i = 0; i < o->n_items; i++)
        if (o->items[i].field == field && o->items[i].derived == derived) return true;
    return false;
}

static eagle_status read_fields(eg_outputs *all, output *o)
{
    const char *text = eg_config_text(all->run->config, o->section, "fields");
    char        word[WORD_MAX];

    for (int f = 0; text == NULL && f < all->run->n_fields; f++)
        if (eg_selection_is_state(&all->run->fields[f])) EAGLE_TRY(add_item(o, f, -1));
    while (text != NULL && eg_selection_word(&text, word, sizeof word)) {
        const int field = eg_selection_field(all->run, word), derived = field < 0 ? find_derived(all, word) : -1;
        if (field < 0 && derived < 0)
            eg_selection_complain(all->run, o->section, word, true);
        else if (!has_item(o, field, derived))
            EAGLE_TRY(add_item(o, field, derived));
    }
    return EAGLE_OK;
}

/* Cells whose centres lie between two coordinates; where there is none the cell that holds the first: so a slice is
 * written with both the same. */
static void cells_between(const eagle_grid *grid, int a, double from, double to, int64_t *lo, int64_t *hi)
{
    const double h = grid->h[a], first = (from - grid->lower[a]) / h, end = (to - grid->lower[a]) / h;
    const double last = (double)grid->cells[a];

    *lo = (int64_t)ceil(fmin(fmax(first - 0.5 - 1e-9, 0), last));
    *hi = (int64_t)floor(fmin(fmax(end + 0.5 + 1e-9, 0), last));
    if (*hi > *lo) return;
    *lo = (int64_t)fmin(fmax(floor(first), 0), last - 1);
    *hi = *lo + 1;
}

static void read_region(eg_outputs *all, output *o)
{
    const eagle_grid *grid = &all->run->grid;
    const char       *text = eg_config_text(all->run->config, o->section, "region"), *rest = text;
    double            corner[6] = { 0 };
    bool              good = true;

    for (int i = 0; text != NULL && i < 2 * grid->dims; i++)
        good = good && eg_parse_quantity(rest, "m", &corner[i], &rest);
    good = good && (text == NULL || *rest == '\0');
    for (int a = 0; a < 3; a++) {
        o->lo[a] = 0;
        o->hi[a] = grid->cells[a];
        if (text == NULL || !good || a >= grid->dims) continue;
        good = corner[a] <= corner[grid->dims + a] && corner[grid->dims + a] >= grid->lower[a] &&
               corner[a] <= grid->lower[a] + (double)grid->cells[a] * grid->h[a];
        if (good) cells_between(grid, a, corner[a], corner[grid->dims + a], &o->lo[a], &o->hi[a]);
    }
    if (good) return;
    eg_config_complain(all->run->config, o->section, "region",
                       "write its lower and its upper corner: region = "
                       "0 0 10 mm 10 mm",
                       "'%s' is not a region of the grid: %d lengths, the lower corner first", text, 2 * grid->dims);
}

static void read_stride(eg_outputs *all, output *o)
{
    const char *text = eg_config_text(all->run->config, o->section, "stride"), *rest = text;
    const int   dims = all->run->grid.dims;
    char        word[WORD_MAX];
    int         n = 0;

    for (int a = 0; a < 3; a++) o->stride[a] = 1;
    if (text == NULL) return;
    for (; n < dims && eg_selection_word(&rest, word, sizeof word); n++)
        if (!eg_parse_int(word, &o->stride[n]) || o->stride[n] < 1) o->stride[n] = 0;
    for (int a = 1; n == 1 && a < dims; a++) o->stride[a] = o->stride[0];
    if ((n == 1 || n == dims) && !eg_selection_word(&rest, word, sizeof word) && o->stride[0] > 0 && o->stride[1] > 0 &&
        o->stride[2] > 0)
        return;
    for (int a = 0; a < 3; a++) o->stride[a] = 1;
    eg_config_complain(all->run->config, o->section, "stride", "write every how many cells: stride = 2",
                       "'%s' is not a stride: 1 or %d whole numbers above 0", text, dims);
}

static void read_numbers(eg_outputs *all, output *o)
{
    eg_config  *c = all->run->config;
    const char *precision = eg_config_text(c, o->section, "precision");
    const char *compress = eg_config_text(c, o->section, "compress");

    if (precision != NULL && strcmp(precision, "f32") == 0) o->stored = EAGLE_F32;
    if (precision != NULL && strcmp(precision, "f64") == 0) o->stored = EAGLE_F64;
    if (precision != NULL && o->stored == 0)
        eg_config_complain(c, o->section, "precision", "write precision = f32 or precision = f64",
                           "'%s' is not a precision", precision);
    if (compress == NULL || (eg_parse_int(compress, &o->compress) && o->compress >= 0 && o->compress <= 9)) return;
    o->compress = 0;
    eg_config_complain(c, o->section, "compress", "write compress = 0 (off) to 9 (smallest files)",
                       "'%s' is not a level of compression, 0 to 9", compress);
}

static void read_writer(eg_outputs *all)
{
    const char *text = eg_config_text(all->run->config, "output", "writer");

    all->through_root = text != NULL && strcmp(text, "root") == 0;
    if (text == NULL || all->through_root || strcmp(text, "ranks") == 0) return;
    eg_config_complain(all->run->config, "output", "writer", "write writer = ranks or writer = root",
                       "'%s' is not a writer", text);
}

static eagle_status read_output(eg_outputs *all, const char *name, const char *section)
{
    output *o = &all->at[all->n++];

    o->name = name;
    snprintf(o->section, sizeof o->section, "%s", section);
    o->scheduled = eg_schedule_read(all->run->config, section, &o->schedule);
    read_region(all, o);
    read_stride(all, o);
    read_numbers(all, o);
    return read_fields(all, o);
}

/* [output] is the output `fields`, unless it only says how files are written, and is there when the input has none. */
static bool wants_plain(const eg_config *c, int named)
{
    static const char *const how[] = { "writer", "png" };
    const char              *keys[64];
    const int                n = eg_config_keys(c, "output", keys, EG_COUNT(keys));
    int                      rest = n;

    for (int i = 0; i < n && i < EG_COUNT(keys); i++)
        for (int k = 0; k < EG_COUNT(how); k++) rest -= strcmp(keys[i], how[k]) == 0;
    return rest > 0 || named == 0;
}

static eagle_status read_sections(eg_outputs *all)
{
    enum { PREFIX = sizeof "output." - 1 };
    const char *sections[OUTPUTS];
    const int   found = eg_config_sections(all->run->config, "output.*", sections, OUTPUTS);
    const int   named = found < OUTPUTS ? found : OUTPUTS - 1;

    if (found > named)
        eg_config_complain(all->run->config, sections[named], NULL, "put fields with the same interval into one output",
                           "more than %d outputs", OUTPUTS - 1);
    all->at = eg_alloc((size_t)named + 1, sizeof *all->at);
    if (all->at == NULL) return EAGLE_ERR_MEMORY;
    read_writer(all);
    if (wants_plain(all->run->config, named)) EAGLE_TRY(read_output(all, "fields", "output"));
    for (int i = 0; i < named; i++) EAGLE_TRY(read_output(all, sections[i] + PREFIX, sections[i]));
    return EAGLE_OK;
}

static void discard(eg_outputs *all)
{
    if (all == NULL) return;
    for (int i = 0; all->at != NULL && i < all->n; i++) eg_free(all->at[i].items);
    eg_free(all->at);
    eg_free(all->derived);
    eg_free(all);
}

static eagle_status read_input(eagle_run *run, eg_outputs **out)
{
    eg_outputs *all = eg_alloc(1, sizeof *all);

    *out = all;
    if (all == NULL) return EAGLE_ERR_MEMORY;
    all->run = run;
    while (run->app->derived != NULL && run->app->derived[all->n_derived].name != NULL) all->n_derived++;
    all->derived = eg_alloc((size_t)all->n_derived + 1, sizeof *all->derived);
    return all->derived == NULL ? EAGLE_ERR_MEMORY : read_sections(all);
}

/* --- planes ---------------------------------------------------------------------------------------------------- */

static eagle_status make_derived(eg_outputs *all, int d)
{
    if (all->derived[d].storage != NULL) return EAGLE_OK;
    return eg_field_create(all->run->ctx, all->run->app->derived[d].name, all->run->real, EAGLE_DEVICE, &all->run->grid,
                           0, 1, &all->derived[d]);
}

/* The cells of the region that this rank has, of all components: every stride-th, so a view with gaps. */
static eagle_plane region_of(const eagle_run *run, const output *o, eagle_plane field)
{
    for (int axis = 0; axis < run->grid.dims; axis++) {
        const int a = field.rank - 1 - axis;
        field.first += o->local[axis] * field.stride[a];
        field.n[a] = o->n[axis];
        field.stride[a] *= o->stride[axis];
    }
    return field;
}

/* A rank without cells of the region takes part in the write with planes of one element that nobody reads. */
static eagle_status make_item(eg_outputs *all, output *o, item *it)
{
    eagle_shape shape = { 1, { 1 } };
    eagle_plane source;

    if (it->derived >= 0) EAGLE_TRY(make_derived(all, it->derived));
    source = it->derived >= 0 ? all->derived[it->derived] : all->run->fields[it->field].planes->now;
    it->from = it->taken = region_of(all->run, o, source);
    if (o->here && it->derived < 0) EAGLE_TRY(eg_snapshot_of(all->run, it->from, &it->taken));
    if (o->here) shape.rank = it->from.rank;
    for (int a = 0; o->here && a < shape.rank; a++) shape.n[a] = it->from.n[a];
    return eagle_pinned(all->run->ctx, source.name, source.type, shape, &it->pinned, .buffers = IN_FLIGHT);
}

static eg_frame_field described(const eg_outputs *all, const output *o, const item *it)
{
    const bool     is_real = it->pinned.type == EAGLE_F32 || it->pinned.type == EAGLE_F64;
    eg_frame_field f = { .components = 1, .plane = it->pinned };

    f.stored = is_real && o->stored != 0 ? o->stored : it->pinned.type;
    if (it->derived >= 0) {
        f.name = all->run->app->derived[it->derived].name;
        f.unit = all->run->app->derived[it->derived].unit;
        return f;
    }
    f.name = all->run->fields[it->field].spec->name;
    f.unit = all->run->fields[it->field].spec->unit;
    f.components = all->run->fields[it->field].components;
    return f;
}

static eagle_status open_frames(eg_outputs *all, output *o)
{
    eg_frame_field *fields = eg_alloc((size_t)o->n_items + 1, sizeof *fields);
    eg_frame_spec   spec = { .directory = all->run->directory,
                             .name = o->name,
                             .program = all->run->app->name,
                             .version = EAGLE_VERSION,
                             .grid = all->run->grid,
                             .compress = (int)o->compress,
                             .through_root = all->through_root,
                             .n_fields = o->n_items,
                             .fields = fields,
                             .resume = eg_restart_step(all->run) };
    eagle_status    status = fields != NULL ? EAGLE_OK : EAGLE_ERR_MEMORY;

    memcpy(spec.lo, o->lo, sizeof spec.lo);
    memcpy(spec.hi, o->hi, sizeof spec.hi);
    memcpy(spec.stride, o->stride, sizeof spec.stride);
    for (int i = 0; fields != NULL && i < o->n_items; i++) fields[i] = described(all, o, &o->items[i]);
    status = eg_agree(all->run->job, EG_CONTROL, status);
    if (status == EAGLE_OK) status = eg_frames_open(all->run->job, &spec, &o->frames);
    eg_free(fields);
    return status;
}

static eagle_status make_planes(eg_outputs *all, output *o)
{
    o->here = true;
    for (int a = 0; a < 3; a++) {
        int64_t first;
        eg_frame_part(&all->run->grid, a, o->lo[a], o->hi[a], o->stride[a], &first, &o->n[a], &o->local[a]);
        o->here = o->here && o->n[a] > 0;
    }
    for (int i = 0; i < o->n_items; i++) EAGLE_TRY(make_item(all, o, &o->items[i]));
    return eagle_event_create(all->run->ctx, o->name, &o->event);
}

static eagle_status open_output(eg_outputs *all, output *o)
{
    EAGLE_TRY(eg_agree(all->run->job, EG_CONTROL, make_planes(all, o)));
    return open_frames(all, o);
}

/* --- nodes ----------------------------------------------------------------------------------------------------- */

static void add_snapshots(eg_outputs *all, const output *o, eagle_graph *g)
{
    for (int i = 0; i < o->n_items; i++) {
        const item *it = &o->items[i];
        if (it->derived >= 0)
            all->run->app->derived[it->derived].add(g, all->run->state, all->derived[it->derived]);
        else
            eg_snapshot_add(g, it->from, it->taken);
    }
}

static void add_write(output *o, eagle_graph *g)
{
    const eg_task write = { .start = eg_frames_write, .state = o->frames, .worker = EG_WORKER_IO, .takes_part = true };
    const eagle_plane_list none = { 0, NULL };
    eagle_plane           *pinned = eg_alloc((size_t)o->n_items + 1, sizeof *pinned);
    char                   name[EAGLE_NAME_MAX + 16];

    if (pinned == NULL) {
        eg_refuse(g, EAGLE_HERE, "", "not enough memory");
        return;
    }
    for (int i = 0; i < o->n_items; i++) {
        const item   *it = &o->items[i];
        const eg_move move = { it->taken, it->pinned };
        snprintf(name, sizeof name, "frame of %.60s", it->pinned.name);
        if (o->here) eg_add_moves(g, name, 1, &move, EAGLE_HERE);
        pinned[i] = it->pinned;
    }
    snprintf(name, sizeof name, "write %.60s", o->name);
    eg_add_task(g, name, &write, (eagle_plane_list){ o->n_items, pinned }, none, EAGLE_HERE);
    eg_free(pinned);
}

void eg_outputs_add_snapshots(eg_outputs *all, eagle_graph *g)
{
    for (int i = 0; i < all->n; i++)
        EAGLE_WHEN(g, all->at[i].event) add_snapshots(all, &all->at[i], g);
}

void eg_outputs_add_writes(eg_outputs *all, eagle_graph *g)
{
    for (int i = 0; i < all->n; i++)
        EAGLE_WHEN(g, all->at[i].event, .apart = true) add_write(&all->at[i], g);
}

/* --- when ------------------------------------------------------------------------------------------------------ */

static eg_schedule schedule_of(const eg_outputs *all, const output *o)
{
    enum { FRAMES = 10 };

    return o->scheduled ? o->schedule : eg_schedule_share(all->run->steps, all->run->set.end_s, FRAMES);
}

static int64_t next_of(const eg_outputs *all, const output *o, int64_t step, double dt_s)
{
    const eg_schedule s = schedule_of(all, o);
    return eg_schedule_next(&s, step, dt_s);
}

int64_t eg_outputs_next(const eg_outputs *all, int64_t step, double dt_s)
{
    int64_t next = EG_NEVER;

    for (int i = 0; i < all->n; i++) {
        const int64_t due = next_of(all, &all->at[i], step, dt_s);
        if (due < next) next = due;
    }
    return next;
}

static int raise_those(const eg_outputs *all, eagle_graph *g, int64_t step, double dt_s, bool due)
{
    int n = 0;

    for (int i = 0; i < all->n; i++) {
        if ((next_of(all, &all->at[i], step, dt_s) == step) != due) continue;
        eagle_raise(g, all->at[i].event);
        n++;
    }
    return n;
}

int eg_outputs_raise(const eg_outputs *all, eagle_graph *g, int64_t step, double dt_s)
{
    return raise_those(all, g, step, dt_s, true);
}

int eg_outputs_raise_rest(const eg_outputs *all, eagle_graph *g, int64_t step, double dt_s)
{
    return raise_those(all, g, step, dt_s, false);
}

bool eg_outputs_raise_at(const eg_outputs *all, eagle_graph *g, int64_t step, double t_s)
{
    bool any = false;

    for (int i = 0; i < all->n; i++) {
        const eg_schedule s = schedule_of(all, &all->at[i]);
        if (!eg_schedule_due_at(&s, step, t_s)) continue;
        eagle_raise(g, all->at[i].event);
        any = true;
    }
    return any;
}

double eg_outputs_time_after(const eg_outputs *all, double t_s)
{
    double next = INFINITY;

    for (int i = 0; i < all->n; i++) {
        const eg_schedule s = schedule_of(all, &all->at[i]);
        next = fmin(next, eg_schedule_time_after(&s, t_s));
    }
    return next;
}

/* --- open and close -------------------------------------------------------------------------------------------- */

void eg_outputs_figures(const eg_outputs *all, int64_t *bytes, double *seconds, int64_t *frames)
{
    *bytes = *frames = 0;
    *seconds = 0;
    for (int i = 0; i < all->n; i++) {
        int64_t b, n;
        double  s;
        eg_frames_figures(all->at[i].frames, &b, &s, &n);
        *bytes += b;
        *seconds += s;
        *frames += n;
    }
}

eagle_status eg_outputs_close(eg_outputs *all)
{
    eagle_status status = EAGLE_OK;

    if (all == NULL) return EAGLE_OK;
    for (int i = 0; i < all->n; i++) {
        const eagle_status s = eg_frames_close(all->at[i].frames);
        if (status == EAGLE_OK) status = s;
    }
    discard(all);
    return status;
}

eagle_status eg_outputs_open(eagle_run *run, eg_outputs **out)
{
    eagle_status status = read_input(run, out);

    if (status == EAGLE_OK) status = eg_config_status(run->config);
    status = eg_agree(run->job, EG_CONTROL, status);
    for (int i = 0; status == EAGLE_OK && i < (*out)->n; i++) status = open_output(*out, &(*out)->at[i]);
    if (status == EAGLE_OK) return EAGLE_OK;
    eg_outputs_close(*out);
    *out = NULL;
    return status;
}

eagle_status eg_outputs_check(eagle_run *run)
{
    eg_outputs        *all;
    const eagle_status status = read_input(run, &all);

    discard(all);
    return status;
}
