/* compare.c - eagle-compare: do two runs say the same? Decides what counts as a difference.
 *
 *   D1  frames are matched by their file's name, fields and columns by theirs, rows of history.txt by their place.
 *   D2  two values are the same if their bits are, or both are nan. -0 and 0 differ.
 *   D3  values that differ are within rtol if the largest difference is at most rtol times the largest magnitude that
 *       the first run has in that field of that frame, or in that column.
 *   D4  what only one run has, another shape, unit or place in space, and other steps are differences at any rtol. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/frames.h"
#include "tools/files.h"
#include "tools/table.h"

static const char usage[] =
    "usage: eagle-compare RUN RUN [--rtol R]\n\n"
    "RUN is the directory of a run, or a frame. For each field of each frame, and each column of history.txt: the\n"
    "largest difference, the L2 norm of the difference over that of the first run, and how many values differ at "
    "all.\n\n"
    "  --rtol R   largest difference that is let pass, relative to the largest value of the first run (default 0: the\n"
    "             same bits)\n\n"
    "exit status: 0 the same within rtol, 1 different, 2 wrong call or nothing there, 4 a file cannot be read\n";

typedef struct comparison {
    double  rtol;
    int64_t values, differing; /* compared; of which not the same */
    int     frames, fields, columns;
    int     beyond, others; /* fields and columns that differ beyond rtol; differences of D4 */
    double  worst;          /* relative to the first run's largest */
    char    where[256];
} comparison;

typedef struct differences {
    int64_t n, differing;
    double  largest, scale; /* scale: the largest magnitude of the first */
    double  squares, of_first;
} differences;

/* --- numbers -------------------------------------------------------------------------------------------------- */

static bool same_value(double a, double b) { return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b)); }

static void add_pair(differences *d, double a, double b)
{
    const bool same = same_value(a, b);
    double     gap = same ? 0 : fabs(a - b);

    if (isnan(gap)) gap = INFINITY; /* a number and nan, or two infinities */
    d->n++;
    d->differing += !same;
    d->largest = fmax(d->largest, gap);
    d->squares += gap * gap;
    if (!isfinite(a)) return;
    d->scale = fmax(d->scale, fabs(a));
    d->of_first += a * a;
}

static double ratio(double part, double whole) { return part == 0 ? 0 : part / whole; }

static void print_head(void)
{
    printf("%-28s %10s %14s %12s %12s %s\n", "field", "step", "time [s]", "largest", "rel. L2", "differ");
}

/* A difference that no tolerance covers (D4). */
static void note(comparison *c, const char *where, const char *what)
{
    printf("%s: %s\n", where, what);
    c->others++;
}

/* step, time: NULL for a column. */
static void count(comparison *c, const differences *d, const char *name, const int64_t *step, const double *time)
{
    const double relative = ratio(d->largest, d->scale);

    if (step != NULL)
        printf("%-28s %10lld %14.7g", name, (long long)*step, *time);
    else
        printf("%-28s %10s %14s", name, "", "");
    printf(" %12.4g %12.4g %lld of %lld\n", d->largest, sqrt(ratio(d->squares, d->of_first)), (long long)d->differing,
           (long long)d->n);
    c->values += d->n;
    c->differing += d->differing;
    if (d->differing > 0 && !(c->rtol > 0 && relative <= c->rtol)) c->beyond++;
    if (d->differing == 0 || (relative <= c->worst && c->where[0] != '\0')) return;
    c->worst = relative;
    snprintf(c->where, sizeof c->where, step != NULL ? "%s, step %lld" : "%s", name,
             step != NULL ? (long long)*step : 0);
}

/* --- frames --------------------------------------------------------------------------------------------------- */

static const eg_frame_array *find_array(const eg_frame *f, const char *name)
{
    for (int i = 0; i < f->n_arrays; i++)
        if (strcmp(f->arrays[i].name, name) == 0) return &f->arrays[i];
    return NULL;
}

static int64_t size_of(const eg_frame_array *a) { return a->n[0] * a->n[1] * a->n[2] * a->components; }

static bool same_shape(const eg_frame_array *a, const eg_frame_array *b)
{
    return memcmp(a->n, b->n, sizeof a->n) == 0 && a->components == b->components;
}

static void compare_arrays(comparison *c, const char *name, const eg_frame *frame, const eg_frame_array *a,
                           const eg_frame_array *b)
{
    differences d = { 0 };

    c->fields++;
    if (!same_shape(a, b)) {
        note(c, name, "the two have not as many cells or components");
        return;
    }
    if (strcmp(a->unit, b->unit) != 0) note(c, name, "the units are not the same");
    for (int64_t i = 0; i < size_of(a); i++) add_pair(&d, a->value[i], b->value[i]);
    count(c, &d, name, &frame->step, &frame->t);
}

static bool near(double a, double b, double rtol) { return same_value(a, b) || fabs(a - b) <= rtol * fabs(a); }

static void compare_heads(comparison *c, const char *name, const eg_frame *a, const eg_frame *b)
{
    bool same_place = a->dims == b->dims;

    for (int i = 0; i < a->dims && same_place; i++)
        same_place = same_value(a->lower[i], b->lower[i]) && same_value(a->h[i], b->h[i]);
    if (!same_place) note(c, name, "the cells are not at the same places");
    if (a->step != b->step) note(c, name, "the steps are not the same");
    if (!near(a->t, b->t, c->rtol)) note(c, name, "the times are not the same");
}

/* name: of the file. A row speaks of OUTPUT/FIELD. */
static void compare_frames(comparison *c, const char *file, const eg_frame *a, const eg_frame *b)
{
    char      name[256];
    const int output = (int)strcspn(file, ".");

    c->frames++;
    compare_heads(c, file, a, b);
    for (int i = 0; i < a->n_arrays; i++) {
        const eg_frame_array *other = find_array(b, a->arrays[i].name);
        snprintf(name, sizeof name, "%.*s/%s", output, file, a->arrays[i].name);
        if (other != NULL)
            compare_arrays(c, name, a, &a->arrays[i], other);
        else
            note(c, name, "only the first run has this field");
    }
    for (int i = 0; i < b->n_arrays; i++) {
        snprintf(name, sizeof name, "%.*s/%s", output, file, b->arrays[i].name);
        if (find_array(a, b->arrays[i].name) == NULL) note(c, name, "only the second run has this field");
    }
}

static eagle_status read_frame(const eg_run_files *files, const char *name, eg_frame *out)
{
    char *path = eg_files_path(files, name);

    if (path == NULL) return EAGLE_ERR_MEMORY;
    const eagle_status status = eg_frame_read(path, out);
    eg_free(path);
    return status;
}

static eagle_status compare_files(comparison *c, const eg_run_files *a, const char *name_a, const eg_run_files *b,
                                  const char *name_b)
{
    eg_frame first, second;

    EAGLE_TRY(read_frame(a, name_a, &first));
    const eagle_status status = read_frame(b, name_b, &second);
    if (status == EAGLE_OK) {
        compare_frames(c, name_a, &first, &second);
        eg_frame_free(&second);
    }
    eg_frame_free(&first);
    return status;
}

/* One frame given by its name is compared with the one of that name in the other run alone. */
static eagle_status compare_all_frames(comparison *c, const eg_run_files *a, const eg_run_files *b)
{
    if (a->is_frame && b->is_frame) return compare_files(c, a, a->frames.at[0], b, b->frames.at[0]);
    for (size_t i = 0; i < a->frames.n; i++) {
        const char *name = a->frames.at[i];
        if (eg_files_has(&b->frames, name))
            EAGLE_TRY(compare_files(c, a, name, b, name));
        else if (!b->is_frame)
            note(c, name, "only the first run has this frame");
    }
    for (size_t i = 0; i < b->frames.n && !a->is_frame; i++)
        if (!eg_files_has(&a->frames, b->frames.at[i])) note(c, b->frames.at[i], "only the second run has this frame");
    return EAGLE_OK;
}

/* --- history.txt ---------------------------------------------------------------------------------------------- */

static size_t find_column(const eg_table *t, const char *name)
{
    for (size_t i = 0; i < t->n_columns; i++)
        if (strcmp(t->names[i], name) == 0) return i;
    return t->n_columns;
}

static void compare_columns(comparison *c, const eg_table *a, size_t i, const eg_table *b, size_t k)
{
    const size_t rows = a->rows < b->rows ? a->rows : b->rows;
    differences  d = { 0 };
    char         name[256];

    for (size_t r = 0; r < rows; r++) add_pair(&d, a->values[r * a->n_columns + i], b->values[r * b->n_columns + k]);
    snprintf(name, sizeof name, "history/%s", a->names[i]);
    c->columns++;
    count(c, &d, name, NULL, NULL);
}

static void compare_tables(comparison *c, const eg_table *a, const eg_table *b)
{
    if (a->rows != b->rows) {
        char text[96];
        snprintf(text, sizeof text, "the first run has %zu rows, the second %zu", a->rows, b->rows);
        note(c, "history.txt", text);
    }
    for (size_t i = 0; i < a->n_columns; i++) {
        const size_t k = find_column(b, a->names[i]);
        if (k < b->n_columns)
            compare_columns(c, a, i, b, k);
        else
            note(c, a->names[i], "only the first history.txt has this column");
    }
    for (size_t k = 0; k < b->n_columns; k++)
        if (find_column(a, b->names[k]) == a->n_columns)
            note(c, b->names[k], "only the second history.txt has this column");
}

static eagle_status compare_histories(comparison *c, const eg_run_files *a, const eg_run_files *b)
{
    eg_table first, second;

    if (a->is_frame || b->is_frame || (a->history == NULL && b->history == NULL)) return EAGLE_OK;
    if (a->history == NULL || b->history == NULL) {
        note(c, "history.txt", a->history != NULL ? "only the first run has it" : "only the second run has it");
        return EAGLE_OK;
    }
    EAGLE_TRY(eg_table_read(a->history, &first));
    const eagle_status status = eg_table_read(b->history, &second);
    if (status == EAGLE_OK) {
        compare_tables(c, &first, &second);
        eg_table_free(&second);
    }
    eg_table_free(&first);
    return status;
}

/* --- the program ---------------------------------------------------------------------------------------------- */

static int summarise(const comparison *c)
{
    const bool  different = c->beyond + c->others > 0;
    const char *verdict = different ? "different" : c->differing > 0 ? "the same within rtol" : "the same";

    printf("%s: %d frames, %d fields, %d columns; %lld of %lld values differ", verdict, c->frames, c->fields,
           c->columns, (long long)c->differing, (long long)c->values);
    if (c->differing > 0) printf(", most in %s: %.4g of the largest value", c->where, c->worst);
    if (c->others > 0) printf("; %d other differences, above", c->others);
    if (c->rtol > 0) printf("; rtol %g", c->rtol);
    printf("\n");
    return different ? 1 : 0;
}

static eagle_status compare_runs(comparison *c, const eg_run_files *a, const eg_run_files *b)
{
    print_head();
    EAGLE_TRY(compare_all_frames(c, a, b));
    EAGLE_TRY(compare_histories(c, a, b));
    if (c->values > 0 || c->others > 0) return EAGLE_OK;
    return eg_fail(EAGLE_ERR_ARGUMENT, EG_NOWHERE, "give two runs with frames of the same names",
                   "'%s' and '%s' have nothing to compare", a->path, b->path);
}

static eagle_status wrong_call(const char *what, const char *word)
{
    return eg_fail(EAGLE_ERR_ARGUMENT, EG_NOWHERE, "write eagle-compare RUN RUN [--rtol R]", "%s%s", what, word);
}

static eagle_status take_rtol(const char *word, double *rtol)
{
    char *end = NULL;

    if (word == NULL) return wrong_call("--rtol has no value", "");
    *rtol = strtod(word, &end);
    return end == word || *end != '\0' || !(*rtol >= 0) ? wrong_call("--rtol is no number from 0 on: ", word)
                                                        : EAGLE_OK;
}

static eagle_status take_words(int argc, char **argv, const char *runs[2], double *rtol)
{
    int n = 0;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--rtol") == 0)
            EAGLE_TRY(take_rtol(argv[++i], rtol));
        else if (strncmp(argv[i], "--rtol=", 7) == 0)
            EAGLE_TRY(take_rtol(argv[i] + 7, rtol));
        else if (argv[i][0] == '-' && argv[i][1] != '\0')
            return wrong_call("there is no option ", argv[i]);
        else if (n == 2)
            return wrong_call("a third run: ", argv[i]);
        else
            runs[n++] = argv[i];
    }
    return n == 2 ? EAGLE_OK : wrong_call("two runs are compared", "");
}

int main(int argc, char **argv)
{
    const char  *runs[2];
    eg_run_files a = { 0 }, b = { 0 };
    comparison   c = { 0 };

    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(usage, stdout);
        return 0;
    }
    eagle_status status = take_words(argc, argv, runs, &c.rtol);
    if (status == EAGLE_OK) status = eg_files_find(runs[0], &a);
    if (status == EAGLE_OK) status = eg_files_find(runs[1], &b);
    if (status == EAGLE_OK) status = compare_runs(&c, &a, &b);
    const int result = status == EAGLE_OK ? summarise(&c) : eg_files_end("eagle-compare", status);
    eg_files_free(&a);
    eg_files_free(&b);
    return result;
}
