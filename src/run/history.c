/* history.c - decides the columns of history.txt and how values come to a row.
 *
 * Every value that a row needs goes through a slot: one double of the pinned plane `slots`. Reductions write their
 * slots, eagle_record copies into its own, and the row reads them all, so that the order between them is the order of
 * the text like that of any other planes. A slot keeps its value until the next one is written.
 *
 * Columns are settled when the first row is written: by then the graph is built. Values are written with %.17g, so that
 * their bits survive; the header begins with # for numpy and gnuplot and has no blank behind it, for pandas:
 *     #step time[s] T_min[K] T_max[K] */
#include "run/history.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/checkpoint.h"
#include "run/probes.h"
#include "run/selection.h"
#include "run/stat_kernels.h"

enum { SLOTS = 1024, WORD_MAX = 128 };

typedef enum form { AS_IT_IS, MEAN, ROOT_MEAN, FORMS } form; /* how a column follows from its slot */
typedef struct column {
    char title[EG_COLUMN_MAX];
    int  slot;
    form form;
} column;

/* One reduction over a component of a field. */
typedef enum reduction { MIN, MAX, SUM, SQUARES, REDUCTIONS } reduction;
typedef struct reducing {
    int       field, component, slot;
    reduction what;
    eagle_box box;     /* of a probe */
    bool      in_cell; /* a probe: over `box` only */
} reducing;

struct eg_history {
    eagle_run  *run;
    eg_schedule schedule;
    bool        scheduled; /* the input says when */
    eagle_event event;
    eagle_plane slots;
    int         n_slots;
    column     *columns;
    size_t      n_columns, room_columns;
    reducing   *reducings;
    size_t      n_reducings, room_reducings;
    FILE       *file; /* rank 0 only */
    char       *path;
    double      cells;
    bool        begun;      /* rows were written */
    bool        has_header; /* by the run that this one goes on from */
};

/* --- columns -------------------------------------------------------------------------------------------------- */

static void append(char title[EG_COLUMN_MAX], const char *text, char blank)
{
    size_t used = strlen(title);

    for (; *text != '\0' && used + 1 < EG_COLUMN_MAX; text++)
        title[used++] = *text == ' ' || *text == '\t' ? blank : *text;
    title[used] = '\0';
}

void eg_history_title(const char *name, const char *unit, char title[EG_COLUMN_MAX])
{
    title[0] = '\0';
    append(title, name, '_');
    if (unit == NULL || unit[0] == '\0' || strcmp(unit, "1") == 0) return;
    append(title, "[", '_');
    append(title, unit, '.');
    append(title, "]", '_');
}

static eagle_status add_column(eg_history *h, const char *name, const char *unit, int slot, form f)
{
    column *columns = eg_grow(h->columns, &h->room_columns, h->n_columns + 1, sizeof *columns);

    if (columns == NULL) return EAGLE_ERR_MEMORY;
    h->columns = columns;
    eg_history_title(name, unit, columns[h->n_columns].title);
    columns[h->n_columns].slot = slot;
    columns[h->n_columns++].form = f;
    return EAGLE_OK;
}

static eagle_status new_slot(eg_history *h, int *slot)
{
    if (h->n_slots == SLOTS)
        return eg_fail(EAGLE_ERR_CONFIG, EG_NOWHERE, "name fewer of them: history.fields = FIELD.max",
                       "the history has more than %d values", SLOTS);
    *slot = h->n_slots++;
    return EAGLE_OK;
}

/* The slot of a reduction; the same one for mean and sum. */
static eagle_status slot_of(eg_history *h, int field, int component, reduction what, int *slot)
{
    reducing *r;

    for (size_t i = 0; i < h->n_reducings; i++) {
        r = &h->reducings[i];
        *slot = r->slot;
        if (!r->in_cell && r->field == field && r->component == component && r->what == what) return EAGLE_OK;
    }
    r = eg_grow(h->reducings, &h->room_reducings, h->n_reducings + 1, sizeof *r);
    if (r == NULL) return EAGLE_ERR_MEMORY;
    h->reducings = r;
    EAGLE_TRY(new_slot(h, slot));
    r[h->n_reducings++] = (reducing){ .field = field, .component = component, .slot = *slot, .what = what };
    return EAGLE_OK;
}

/* --- statistics: [history] fields = T u.max ------------------------------------------------------------------- */

static const struct statistic {
    const char *name;
    reduction   what;
    form        form;
} statistics[] = {
    { "min", MIN, AS_IT_IS }, { "max", MAX, AS_IT_IS },      { "mean", SUM, MEAN },
    { "sum", SUM, AS_IT_IS }, { "rms", SQUARES, ROOT_MEAN },
};

static eagle_status add_statistic(eg_history *h, int field, const struct statistic *s)
{
    const eg_run_field *f = &h->run->fields[field];
    char                label[EG_LABEL_MAX], name[EG_COLUMN_MAX];
    int                 slot = 0;

    for (int k = 0; k < f->components; k++) {
        eg_selection_label(h->run, f, k, label);
        snprintf(name, sizeof name, "%s_%s", label, s->name);
        EAGLE_TRY(slot_of(h, field, k, s->what, &slot));
        EAGLE_TRY(add_column(h, name, f->spec->unit, slot, s->form));
    }
    return EAGLE_OK;
}

static eagle_status add_statistics(eg_history *h, int field, const char *only)
{
    for (int s = 0; s < EG_COUNT(statistics); s++)
        if (only == NULL || strcmp(statistics[s].name, only) == 0) EAGLE_TRY(add_statistic(h, field, &statistics[s]));
    return EAGLE_OK;
}

static bool statistic_refused(eg_history *h, const char *only)
{
    const char *known[EG_COUNT(statistics)], *near;
    char        fix[64] = "choose one of min max mean sum rms";

    for (int s = 0; s < EG_COUNT(statistics); s++) {
        known[s] = statistics[s].name;
        if (only == NULL || strcmp(only, known[s]) == 0) return false;
    }
    near = eg_nearest(only, known, EG_COUNT(known));
    if (near != NULL) snprintf(fix, sizeof fix, "write '%s'", near);
    eg_config_complain(h->run->config, "history", "fields", fix, "there is no statistic '%s'", only);
    return true;
}

static eagle_status add_word(eg_history *h, char *word)
{
    char *dot = strrchr(word, '.');
    int   field;

    if (dot != NULL) *dot++ = '\0';
    field = eg_selection_field(h->run, word);
    if (field < 0) {
        eg_selection_complain(h->run, "history", word, false);
        return EAGLE_OK;
    }
    if (statistic_refused(h, dot)) return EAGLE_OK;
    if (eg_selection_has_statistics(&h->run->fields[field])) return add_statistics(h, field, dot);
    eg_config_complain(h->run->config, "history", "fields", "name fields of real numbers", "'%s' holds no real numbers",
                       word);
    return EAGLE_OK;
}

/* Without a word of the input: the state, where it has no more components than there are axes. */
static eagle_status read_fields(eg_history *h)
{
    const char *text = eg_config_text(h->run->config, "history", "fields");
    char        word[WORD_MAX];

    if (text != NULL && strcmp(text, "none") == 0) return EAGLE_OK;
    while (text != NULL && eg_selection_word(&text, word, sizeof word)) EAGLE_TRY(add_word(h, word));
    for (int f = 0; text == NULL && f < h->run->n_fields; f++) {
        const eg_run_field *field = &h->run->fields[f];
        if (!eg_selection_is_state(field) || !eg_selection_has_statistics(field)) continue;
        if (field->components <= h->run->grid.dims) EAGLE_TRY(add_statistics(h, f, NULL));
    }
    return EAGLE_OK;
}

/* --- probes ---------------------------------------------------------------------------------------------------- */

static eagle_status add_probed(eg_history *h, const eg_probe *p, int field)
{
    const eg_run_field *f = &h->run->fields[field];
    char                label[EG_LABEL_MAX], name[EG_COLUMN_MAX];

    for (int k = 0; k < f->components; k++) {
        reducing *r = eg_grow(h->reducings, &h->room_reducings, h->n_reducings + 1, sizeof *r);
        int       slot = 0;
        if (r == NULL) return EAGLE_ERR_MEMORY;
        h->reducings = r;
        EAGLE_TRY(new_slot(h, &slot));
        r[h->n_reducings++] = (reducing){ field, k, slot, MIN, p->box, true };
        eg_selection_label(h->run, f, k, label);
        snprintf(name, sizeof name, "%.80s_%s", p->name, label);
        EAGLE_TRY(add_column(h, name, f->spec->unit, slot, AS_IT_IS));
    }
    return EAGLE_OK;
}

static eagle_status add_probes(eg_history *h, const eg_probe *probes, int n)
{
    for (int i = 0; i < n; i++)
        for (int f = 0; f < h->run->n_fields; f++)
            if (probes[i].wanted[f]) EAGLE_TRY(add_probed(h, &probes[i], f));
    return EAGLE_OK;
}

static eagle_status read_probes(eg_history *h)
{
    eg_probe    *probes;
    eagle_status status;
    int          n;

    EAGLE_TRY(eg_probes_read(h->run, &probes, &n));
    status = add_probes(h, probes, n);
    eg_probes_free(probes, n);
    return status;
}

/* --- the file -------------------------------------------------------------------------------------------------- */

static eagle_status write_failed(const eg_history *h)
{
    return eg_fail(EAGLE_ERR_IO, EG_NOWHERE, "free space, or choose another folder with --run-dir",
                   "'%s' cannot be written: %s", h->path, strerror(errno));
}

static void write_header(eg_history *h)
{
    fputs("#step time[s]", h->file);
    for (size_t i = 0; i < h->n_columns; i++) fprintf(h->file, " %s", h->columns[i].title);
    fputc('\n', h->file);
}

static double value_of(const eg_history *h, const column *c, const double *slots)
{
    const double v = slots[c->slot];

    if (c->form == MEAN) return v / h->cells;
    return c->form == ROOT_MEAN ? sqrt(v / h->cells) : v;
}

/* A nan has no sign worth keeping: every rank count writes the same text. */
static void write_value(FILE *file, double v)
{
    if (isnan(v))
        fputs(" nan", file);
    else
        fprintf(file, " %.17g", v);
}

static eagle_status write_row(const eagle_host_call *call, void *history)
{
    eg_history   *h = history;
    const double *slots = call->data[0];

    if (h->file == NULL) return EAGLE_OK;
    if (!h->begun && !h->has_header) write_header(h);
    h->begun = true;
    fprintf(h->file, "%lld", (long long)call->now.step);
    write_value(h->file, call->now.t);
    for (size_t i = 0; i < h->n_columns; i++) write_value(h->file, value_of(h, &h->columns[i], slots));
    fputc('\n', h->file);
    return fflush(h->file) == 0 && !ferror(h->file) ? EAGLE_OK : write_failed(h);
}

/* --- nodes ----------------------------------------------------------------------------------------------------- */

static eagle_plane slot_plane(const eg_history *h, int slot)
{
    return eagle_view(h->slots, EAGLE_SHAPE(slot), EAGLE_SHAPE(1));
}

static void add_reducing(eg_history *h, eagle_graph *g, const reducing *r)
{
    const eg_run_field *f = &h->run->fields[r->field];
    const eagle_plane   u = eg_selection_component(f->planes->now, f->components, r->component);
    const eagle_plane   into = slot_plane(h, r->slot);
    const eagle_box    *over = r->in_cell ? &r->box : NULL;

    switch (r->what) {
    case MIN: eagle_call(g, eg_stat_min, .u = u, .into = into, .over = over); break;
    case MAX: eagle_call(g, eg_stat_max, .u = u, .into = into); break;
    case SUM: eagle_call(g, eg_stat_sum, .u = u, .into = into); break;
    default: eagle_call(g, eg_stat_squares, .u = u, .into = into); break;
    }
}

void eg_history_add(eg_history *h, eagle_graph *g)
{
    const eg_task          task = { .start = write_row, .state = h, .worker = EG_WORKER_HOST };
    const eagle_plane_list none = { 0, NULL };

    EAGLE_WHEN(g, h->event) {
        for (size_t i = 0; i < h->n_reducings; i++) add_reducing(h, g, &h->reducings[i]);
        eg_add_task(g, "history", &task, EAGLE_PLANES(h->slots), none, EAGLE_HERE);
    }
}

/* The slot of a recorded column, a new one if it is not there; -1 with the refusal made. */
static int recorded_slot(eg_history *h, eagle_graph *g, const char *name, const char *unit, eagle_here here)
{
    char title[EG_COLUMN_MAX];
    int  slot = 0;

    eg_history_title(name, unit, title);
    for (size_t i = 0; i < h->n_columns; i++)
        if (strcmp(h->columns[i].title, title) == 0) return h->columns[i].slot;
    if (h->begun) {
        eg_refuse(g, here, "build all graphs before the first step", "record: '%s' is new, but rows were written",
                  name);
        return -1;
    }
    if (new_slot(h, &slot) == EAGLE_OK && add_column(h, name, unit, slot, AS_IT_IS) == EAGLE_OK) return slot;
    eg_refuse(g, here, eagle_last_error()->fix, "record: %s", eagle_last_error()->what);
    return -1;
}

void eg_history_record(eagle_graph *g, void *history, const char *name, const char *unit, eagle_plane value,
                       eagle_here here)
{
    eg_history *h = history;
    const int   slot = recorded_slot(h, g, name, unit, here);
    eg_move     move = { .from = value };

    if (slot < 0) return;
    move.to = slot_plane(h, slot);
    move.to.rank = value.rank; /* one element, however many axes the value has */
    for (int a = 0; a < value.rank; a++) move.to.n[a] = move.to.stride[a] = 1;
    eg_add_moves(g, "record", 1, &move, here);
}

/* --- when ------------------------------------------------------------------------------------------------------ */

static eg_schedule schedule_of(const eg_history *h)
{
    enum { ROWS = 100 };

    return h->scheduled ? h->schedule : eg_schedule_share(h->run->steps, h->run->set.end_s, ROWS);
}

int64_t eg_history_next(const eg_history *h, int64_t step, double dt_s)
{
    const eg_schedule s = schedule_of(h);
    return eg_schedule_next(&s, step, dt_s);
}

bool eg_history_raise_at(const eg_history *h, eagle_graph *g, int64_t step, double t_s)
{
    const eg_schedule s = schedule_of(h);

    if (!eg_schedule_due_at(&s, step, t_s)) return false;
    eg_history_raise(h, g);
    return true;
}

double eg_history_time_after(const eg_history *h, double t_s)
{
    const eg_schedule s = schedule_of(h);
    return eg_schedule_time_after(&s, t_s);
}

void eg_history_raise(const eg_history *h, eagle_graph *g) { eagle_raise(g, h->event); }

/* --- open and close -------------------------------------------------------------------------------------------- */

static void discard(eg_history *h)
{
    if (h == NULL) return;
    eg_free(h->columns);
    eg_free(h->reducings);
    eg_free(h->path);
    eg_free(h);
}

static eagle_status read_input(eagle_run *run, eg_history **out)
{
    eg_history  *h = eg_alloc(1, sizeof *h);
    eagle_status status;

    *out = h;
    if (h == NULL) return EAGLE_ERR_MEMORY;
    h->run = run;
    h->cells = (double)run->grid.cells[0] * (double)run->grid.cells[1] * (double)run->grid.cells[2];
    h->scheduled = eg_schedule_read(run->config, "history", &h->schedule);
    status = read_fields(h);
    if (status == EAGLE_OK) status = read_probes(h);
    return status;
}

static eagle_status make_planes(eg_history *h)
{
    double      *unknown = eg_alloc(SLOTS, sizeof *unknown);
    eagle_status status;

    if (unknown == NULL) return EAGLE_ERR_MEMORY;
    for (int i = 0; i < SLOTS; i++) unknown[i] = NAN;
    status = eagle_event_create(h->run->ctx, "history", &h->event);
    if (status == EAGLE_OK) status = eagle_pinned(h->run->ctx, "history", EAGLE_F64, EAGLE_SHAPE(SLOTS), &h->slots);
    if (status == EAGLE_OK) status = eagle_upload(h->slots, unknown);
    eg_free(unknown);
    return status;
}

/* Where the first row of `step` or a later one begins, or one that is not whole; 0: there is no header. */
static long end_before(FILE *file, int64_t step)
{
    char  *line = NULL;
    size_t room = 0;
    long   end = 0;

    for (ssize_t n = getline(&line, &room, file); n > 0 && line[n - 1] == '\n'; n = getline(&line, &room, file)) {
        if (end == 0 ? line[0] != '#' : strtoll(line, NULL, 10) >= step) break;
        end += n;
    }
    free(line);
    return end;
}

/* A restarted run goes on behind the rows that came before its step. */
static eagle_status resume_file(eg_history *h, int64_t step)
{
    h->file = fopen(h->path, "r+");
    if (h->file == NULL) return errno == ENOENT ? EAGLE_OK : write_failed(h);
    const long end = end_before(h->file, step);
    if (fseek(h->file, end, SEEK_SET) != 0 || ftruncate(fileno(h->file), end) != 0) return write_failed(h);
    h->has_header = end > 0;
    return EAGLE_OK;
}

static eagle_status open_file(eg_history *h)
{
    h->path = eg_format_text("%s/history.txt", h->run->directory);
    if (h->path == NULL) return EAGLE_ERR_MEMORY;
    if (eagle_rank(h->run->ctx) != 0) return EAGLE_OK;
    if (eg_restart_step(h->run) > 0) EAGLE_TRY(resume_file(h, eg_restart_step(h->run)));
    if (h->file != NULL) return EAGLE_OK;
    h->file = fopen(h->path, "w");
    return h->file != NULL ? EAGLE_OK : write_failed(h);
}

eagle_status eg_history_open(eagle_run *run, eg_history **out)
{
    eagle_status status = read_input(run, out);

    if (status == EAGLE_OK) status = eg_config_status(run->config);
    if (status == EAGLE_OK) status = make_planes(*out);
    if (status == EAGLE_OK) status = open_file(*out);
    status = eg_agree(run->job, EG_CONTROL, status);
    if (status == EAGLE_OK) return EAGLE_OK;
    if (*out != NULL && (*out)->file != NULL) fclose((*out)->file);
    discard(*out);
    *out = NULL;
    return status;
}

eagle_status eg_history_check(eagle_run *run)
{
    eg_history        *h;
    const eagle_status status = read_input(run, &h);

    discard(h);
    return status;
}

eagle_plane eg_history_slots(const eg_history *h) { return h->slots; }

const char *eg_history_path(const eg_history *h) { return h->path; }

eagle_status eg_history_close(eg_history *h)
{
    eagle_status status = EAGLE_OK;

    if (h == NULL) return EAGLE_OK;
    if (h->file != NULL && fclose(h->file) != 0) status = write_failed(h);
    discard(h);
    return status;
}
