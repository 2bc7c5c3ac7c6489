/* initial.c - decides where the initial values of each component of a field come from, and fills them in. A formula or
 * the application's function is asked cell by cell with global coordinates, so that the values do not depend on the
 * ranks. A frame is read by rank 0 and handed round in pieces of bounded size, from which every rank takes its rows. */
#include "run/initial.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/frames.h"
#include "run/image.h"
#include "run/selection.h"

enum { PIECE_VALUES = 1 << 20 };
static const char section[] = "initial";

/* Where the values of one component come from: the first that is set, else 0. */
typedef struct source {
    char           key[EG_LABEL_MAX];
    char          *frame; /* the path of a frame */
    const char    *text;  /* of the formula */
    eg_expression *formula;
    eagle_initial  function;
} source;

/* --- the input ------------------------------------------------------------------------------------------------- */

static bool is_frame(const char *text) { return strncmp(text, "frame", 5) == 0 && isspace((unsigned char)text[5]); }

static bool ends_with(const char *text, size_t length, const char *end)
{
    const size_t n = strlen(end);

    return length >= n && strncmp(text + length - n, end, n) == 0;
}

char *eg_initial_frame_path(const char *text, const char *dir)
{
    const char *path = is_frame(text) ? text + 5 + strspn(text + 5, " \t") : "", *at = strrchr(path, '@');
    const bool  relative = path[0] != '/';
    char       *end = NULL;
    long long   step;

    if (path[0] == '\0') return NULL;
    step = at != NULL ? strtoll(at + 1, &end, 10) : 0;
    if (at == NULL || end == at + 1 || *end != '\0' || ends_with(path, strlen(path), ".vtkhdf"))
        return eg_format_text("%s%s%s", relative ? dir : "", relative ? "/" : "", path);
    return eg_format_text("%s%s%.*s.%08lld.vtkhdf", relative ? dir : "", relative ? "/" : "", (int)(at - path), path,
                          step);
}

/* [initial] u_x = ... for one component comes before u = ... for all of them. */
static eagle_status read_source(eagle_run *run, const eg_run_field *f, int k, source *out)
{
    const char *own, *text;

    *out = (source){ .function = f->spec->initial };
    eg_selection_label(run, f, k, out->key);
    own = eg_config_text(run->config, section, out->key);
    text = eg_config_text(run->config, section, f->spec->name);
    if (own == NULL) snprintf(out->key, sizeof out->key, "%s", f->spec->name);
    if (own != NULL) text = own;
    if (text == NULL) return EAGLE_OK;
    if (!is_frame(text)) {
        out->text = text;
        out->formula = eg_expression_read(run->config, section, out->key, f->spec->unit, &run->constants);
        return EAGLE_OK;
    }
    out->frame = eg_initial_frame_path(text, run->input_dir);
    if (out->frame != NULL) return EAGLE_OK;
    eg_config_complain(run->config, section, out->key, "write frame PATH or frame PATH@STEP", "'%s' names no file",
                       text);
    return EAGLE_OK;
}

static void free_source(source *s)
{
    eg_free(s->frame);
    eg_expression_free(s->formula);
}

/* --- formulas and functions ------------------------------------------------------------------------------------ */

static eagle_at place_of(const eagle_run *run, int64_t x, int64_t y, int64_t z)
{
    return (eagle_at){ .i = eg_image_index(run, 0, x),
                       .j = eg_image_index(run, 1, y),
                       .k = eg_image_index(run, 2, z),
                       .grid = &run->grid };
}

static void complain_of_value(const eagle_run *run, const source *s, eagle_at at, double value)
{
    eg_config_complain(run->config, section, s->formula != NULL ? s->key : NULL,
                       "choose values that are finite everywhere", "'%s' is %g at x = %g, y = %g, z = %g m", s->key,
                       isnan(value) ? NAN : value, eagle_x(at), eagle_y(at), run->grid.dims > 2 ? eagle_z(at) : 0.0);
}

static double value_at(const eagle_run *run, const source *s, eg_expression *formula, eagle_at at, int k)
{
    const double coordinate[3] = { eagle_x(at), eagle_y(at), run->grid.dims > 2 ? eagle_z(at) : 0 };

    if (formula != NULL) return eg_expression_value(formula, coordinate, 0);
    return s->function != NULL ? s->function(run->state, at, k) : 0;
}

/* false: a value is not finite, and the row is filled up to it. */
static bool fill_row(eg_image *image, const source *s, eg_expression *formula, int k, int64_t y, int64_t z, bool tell)
{
    for (int64_t x = image->lo[0]; x < image->hi[0]; x++) {
        const eagle_at at = place_of(image->run, x, y, z);
        const double   value = value_at(image->run, s, formula, at, k);
        if (!isfinite(value)) {
            if (tell) complain_of_value(image->run, s, at, value);
            return false;
        }
        eg_image_put(image, k, x, y, z, value);
    }
    return true;
}

/* Some of the image's rows, in the order of the cells, up to a value that is not finite. */
static bool fill_rows(eg_image *image, const source *s, eg_expression *formula, int k, int part, int parts, bool tell)
{
    const int64_t ny = image->hi[1] - image->lo[1], rows = ny * (image->hi[2] - image->lo[2]);

    for (int64_t r = rows * part / parts; r < rows * (part + 1) / parts; r++)
        if (!fill_row(image, s, formula, k, image->lo[1] + r % ny, image->lo[2] + r / ny, tell)) return false;
    return true;
}

/* By n threads, each with a formula of its own. */
static bool fill_parts(eg_image *image, const source *s, int n, eg_expression *const *formulas, int k)
{
    bool finite = true;

#pragma omp parallel for num_threads(n) schedule(static) reduction(&& : finite)
    for (int part = 0; part < n; part++) finite = fill_rows(image, s, formulas[part], k, part, n, false) && finite;
    return finite;
}

/* An application's function is asked by one thread: it need not be safe with several. */
static eagle_status fill_component(eg_image *image, const source *s, int k)
{
    enum { THREADS = 256 };
    const eagle_run      *run = image->run;
    const bool            many = s->formula != NULL && !eg_expression_is_number(s->formula);
    eg_expression        *formulas[THREADS] = { s->formula };
    eg_expression_problem problem;
    int                   n = 1;

    while (many && n < run->ctx->threads && n < THREADS &&
           eg_expression_parse(s->text, image->field->spec->unit, &run->constants, &formulas[n], &problem))
        n++;
    if (!fill_parts(image, s, n, formulas, k)) fill_rows(image, s, formulas[0], k, 0, 1, true);
    for (int i = 1; i < n; i++) eg_expression_free(formulas[i]);
    return EAGLE_OK;
}

/* --- frames ---------------------------------------------------------------------------------------------------- */

static const eg_frame_array *find_array(const eg_frame *frame, const char *name)
{
    for (int i = 0; i < frame->n_arrays; i++)
        if (strcmp(frame->arrays[i].name, name) == 0) return &frame->arrays[i];
    return NULL;
}

/* On rank 0: the array of a frame that fits the field, NULL with an error made. */
static const eg_frame_array *fitting_array(const eagle_run *run, const eg_run_field *f, const eg_frame *frame,
                                           const char *path)
{
    const eg_frame_array *a = find_array(frame, f->spec->name);
    const int64_t        *cells = run->grid.cells;

    if (a == NULL)
        eg_fail(EAGLE_ERR_CONFIG, EG_NOWHERE, "name a frame of an output that has it", "'%s' has no field '%s'", path,
                f->spec->name);
    else if (a->n[0] != cells[0] || a->n[1] != cells[1] || a->n[2] != cells[2])
        eg_fail(EAGLE_ERR_CONFIG, EG_NOWHERE, "use the grid of the frame, or a frame of the whole grid",
                "'%s' has %lld x %lld x %lld cells, the grid %lld x %lld x %lld", path, (long long)a->n[0],
                (long long)a->n[1], (long long)a->n[2], (long long)cells[0], (long long)cells[1], (long long)cells[2]);
    else if (a->components != f->components)
        eg_fail(EAGLE_ERR_CONFIG, EG_NOWHERE, "name a frame of the same field",
                "'%s' has %d components of '%s', not %d", path, a->components, f->spec->name, f->components);
    else
        return a;
    return NULL;
}

/* Takes from rows first <= row < end of a component (row = z * ny + y, of global cells) what this rank has. */
static void take_rows(eg_image *image, int k, int64_t first, int64_t end, const double *rows)
{
    const int64_t nx = image->run->grid.cells[0], ny = image->run->grid.cells[1];

    for (int64_t z = image->lo[2]; z < image->hi[2]; z++)
        for (int64_t y = image->lo[1]; y < image->hi[1]; y++) {
            const int64_t row = eg_image_index(image->run, 2, z) * ny + eg_image_index(image->run, 1, y);
            const double *values = rows + (row - first) * nx;
            if (row < first || row >= end) continue;
            for (int64_t x = image->lo[0]; x < image->hi[0]; x++)
                eg_image_put(image, k, x, y, z, values[eg_image_index(image->run, 0, x)]);
        }
}

/* all: on rank 0 the component's values. piece: room for the largest piece. */
static eagle_status hand_round(eg_image *image, int k, const double *all, double *piece, int64_t rows_a_piece)
{
    const eagle_grid *grid = &image->run->grid;
    const int64_t     nx = grid->cells[0], rows = grid->cells[1] * grid->cells[2];

    for (int64_t first = 0; first < rows; first += rows_a_piece) {
        const int64_t end = first + rows_a_piece < rows ? first + rows_a_piece : rows;
        const size_t  bytes = (size_t)((end - first) * nx) * sizeof *piece;
        if (all != NULL) memcpy(piece, all + first * nx, bytes);
        EAGLE_TRY(eg_broadcast(image->run->job, EG_CONTROL, piece, bytes, 0));
        take_rows(image, k, first, end, piece);
    }
    return EAGLE_OK;
}

static eagle_status fill_from_frame(eg_image *image, const char *path, int k)
{
    const eagle_run      *run = image->run;
    const int64_t         nx = run->grid.cells[0], rows_a_piece = nx < PIECE_VALUES ? PIECE_VALUES / nx : 1;
    const int64_t         values = run->grid.cells[0] * run->grid.cells[1] * run->grid.cells[2];
    const eg_frame_array *array = NULL;
    const bool            root = eagle_rank(run->ctx) == 0;
    eg_frame              frame = { 0 };
    eagle_status          status = root ? eg_frame_read(path, &frame) : EAGLE_OK;
    double               *piece = eg_alloc((size_t)(rows_a_piece * nx), sizeof *piece);

    if (status == EAGLE_OK && root) array = fitting_array(run, image->field, &frame, path);
    if (status == EAGLE_OK && root && array == NULL) status = EAGLE_ERR_CONFIG;
    if (status == EAGLE_OK && piece == NULL) status = EAGLE_ERR_MEMORY;
    status = eg_agree(run->job, EG_CONTROL, status);
    if (status == EAGLE_OK)
        status = hand_round(image, k, array != NULL ? array->value + k * values : NULL, piece, rows_a_piece);
    eg_free(piece);
    eg_frame_free(&frame);
    return status;
}

/* --- fields ---------------------------------------------------------------------------------------------------- */

static eagle_status fill_from(eg_image *image, const source *s, int k)
{
    return s->frame != NULL ? fill_from_frame(image, s->frame, k) : fill_component(image, s, k);
}

/* Complaints differ between ranks (a value that is not finite), so every step ends in an agreement. */
static eagle_status fill_field(eagle_run *run, const eg_run_field *f)
{
    eg_image     image;
    eagle_status status = eg_agree(run->job, EG_CONTROL, eg_image_open(run, f, &image));

    for (int k = 0; status == EAGLE_OK && k < f->components; k++) {
        source s;
        status = eg_agree(run->job, EG_CONTROL, read_source(run, f, k, &s));
        if (status == EAGLE_OK) status = fill_from(&image, &s, k);
        free_source(&s);
    }
    if (status == EAGLE_OK) status = eg_image_upload(&image);
    eg_image_close(&image);
    return status;
}

eagle_status eg_initial_check(eagle_run *run)
{
    for (int i = 0; i < run->n_fields; i++)
        for (int k = 0; k < run->fields[i].components; k++) {
            source s;
            EAGLE_TRY(read_source(run, &run->fields[i], k, &s));
            free_source(&s);
        }
    return EAGLE_OK;
}

/* All formulas are read before memory is filled, so that all mistakes are told at once. */
eagle_status eg_initial_fill(eagle_run *run)
{
    eagle_status status = eg_initial_check(run);

    if (status == EAGLE_OK) status = eg_config_status(run->config);
    status = eg_agree(run->job, EG_CONTROL, status);
    for (int i = 0; status == EAGLE_OK && i < run->n_fields; i++) status = fill_field(run, &run->fields[i]);
    if (status == EAGLE_OK) status = eg_agree(run->job, EG_CONTROL, eg_config_status(run->config));
    return status;
}
