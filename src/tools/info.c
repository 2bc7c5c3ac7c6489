/* info.c - eagle-info: what is in a frame, or what a run left. Decides what is worth a line. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "run/frames.h"
#include "tools/files.h"
#include "tools/table.h"

static const char usage[] = "usage: eagle-info FILE|DIR\n\n"
                            "Of a frame: step, time, cells, and of each field its unit, type, least, largest and mean "
                            "value. Of the directory of\n"
                            "a run: its outputs, temporary files that were left over, and the rows of history.txt.\n\n"
                            "exit status: 0, 2 wrong call or nothing there, 4 a file cannot be read\n";

static const char *const type_names[] = { [EAGLE_F32] = "f32", [EAGLE_F64] = "f64", [EAGLE_I32] = "i32",
                                          [EAGLE_I64] = "i64", [EAGLE_U32] = "u32", [EAGLE_U8] = "u8" };

/* --- a frame -------------------------------------------------------------------------------------------------- */

typedef struct range {
    double  least, most, sum;
    int64_t finite, others;
} range;

static range range_of(const eg_frame_array *a)
{
    const int64_t n = a->n[0] * a->n[1] * a->n[2] * a->components;
    range         r = { DBL_MAX, -DBL_MAX, 0, 0, 0 };

    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(a->value[i])) {
            r.others++;
            continue;
        }
        r.least = fmin(r.least, a->value[i]);
        r.most = fmax(r.most, a->value[i]);
        r.sum += a->value[i];
        r.finite++;
    }
    return r;
}

static void print_array(const eg_frame_array *a)
{
    const range r = range_of(a);

    printf("  %-20s %-10s %-5s %10d", a->name, a->unit, type_names[a->type], a->components);
    if (r.finite > 0)
        printf(" %14.7g %14.7g %14.7g", r.least, r.most, r.sum / (double)r.finite);
    else
        printf(" %14s %14s %14s", "-", "-", "-");
    if (r.others > 0) printf("  %lld values are not finite", (long long)r.others);
    printf("\n");
}

static void print_axes(const char *what, int dims, const double v[3], const char *between)
{
    printf("%s", what);
    for (int a = 0; a < dims; a++) printf("%s%.7g", a > 0 ? between : "", v[a]);
}

static void print_cells(const eg_frame *f)
{
    printf("  cells ");
    for (int a = 0; a < f->dims && f->n_arrays > 0; a++)
        printf("%s%lld", a > 0 ? " x " : "", (long long)f->arrays[0].n[a]);
    print_axes(" of ", f->dims, f->h, " x ");
    print_axes(" m, the first begins at (", f->dims, f->lower, ", ");
    printf(") m\n");
}

static eagle_status show_frame(const char *path)
{
    eg_frame f;

    EAGLE_TRY(eg_frame_read(path, &f));
    printf("%s: step %lld, t = %.9g s, %.4g MB\n", path, (long long)f.step, f.t, eg_files_bytes(path) / 1e6);
    print_cells(&f);
    printf("  %-20s %-10s %-5s %10s %14s %14s %14s\n", "field", "unit", "type", "components", "least", "largest",
           "mean");
    for (int i = 0; i < f.n_arrays; i++) print_array(&f.arrays[i]);
    eg_frame_free(&f);
    return EAGLE_OK;
}

/* --- a run ---------------------------------------------------------------------------------------------------- */

/* Frames [from, returned) belong to one output: their names are the same up to the step. */
static size_t output_end(const eg_names *frames, size_t from)
{
    const size_t length = strcspn(frames->at[from], ".");
    size_t       end = from + 1;

    while (end < frames->n && strcspn(frames->at[end], ".") == length &&
           strncmp(frames->at[end], frames->at[from], length) == 0)
        end++;
    return end;
}

static eagle_status read_head(const eg_run_files *files, const char *name, eg_frame *out, double *bytes)
{
    char *path = eg_files_path(files, name);

    if (path == NULL) return EAGLE_ERR_MEMORY;
    *bytes = eg_files_bytes(path);
    const eagle_status status = eg_frame_read_head(path, out);
    eg_free(path);
    return status;
}

static eagle_status show_output(const eg_run_files *files, size_t from, size_t end)
{
    const char *name = files->frames.at[from];
    eg_frame    first, last;
    double      bytes;

    EAGLE_TRY(read_head(files, name, &first, &bytes));
    const eagle_status status = read_head(files, files->frames.at[end - 1], &last, &bytes);
    if (status == EAGLE_OK) {
        printf("  %-16.*s %7zu %10lld - %-10lld %12.6g - %-12.6g %10.4g ", (int)strcspn(name, "."), name, end - from,
               (long long)first.step, (long long)last.step, first.t, last.t, bytes / 1e6);
        for (int i = 0; i < last.n_arrays; i++) printf(" %s[%s]", last.arrays[i].name, last.arrays[i].unit);
        printf("\n");
        eg_frame_free(&last);
    }
    eg_frame_free(&first);
    return status;
}

static eagle_status show_history(const char *path)
{
    eg_table t;

    if (path == NULL) {
        printf("history.txt: there is none\n");
        return EAGLE_OK;
    }
    EAGLE_TRY(eg_table_read(path, &t));
    printf("history.txt: %zu rows of %zu columns", t.rows, t.n_columns);
    if (t.rows > 0) printf(", %s %.17g to %.17g", t.names[0], t.values[0], t.values[(t.rows - 1) * t.n_columns]);
    printf("\n");
    eg_table_free(&t);
    return EAGLE_OK;
}

static void show_leftovers(const eg_run_files *files)
{
    printf("temporary files left over: %zu\n", files->leftovers.n);
    for (size_t i = 0; i < files->leftovers.n; i++)
        printf("  %s/%s: of a frame that was never finished, can be removed when the run has ended\n", files->folder,
               files->leftovers.at[i]);
}

static eagle_status show_run(const eg_run_files *files)
{
    printf("%s: %zu frames\n", files->path, files->frames.n);
    if (files->frames.n > 0)
        printf("  %-16s %7s %10s - %-10s %12s - %-12s %10s  fields\n", "output", "frames", "step", "", "time [s]", "",
               "MB each");
    for (size_t from = 0, end; from < files->frames.n; from = end) {
        end = output_end(&files->frames, from);
        EAGLE_TRY(show_output(files, from, end));
    }
    show_leftovers(files);
    return show_history(files->history);
}

int main(int argc, char **argv)
{
    eg_run_files files = { 0 };
    eagle_status status;

    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(usage, stdout);
        return 0;
    }
    status = argc == 2 ? eg_files_find(argv[1], &files)
                       : eg_fail(EAGLE_ERR_ARGUMENT, EG_NOWHERE, "write eagle-info FILE|DIR",
                                 "one file or directory is shown");
    if (status == EAGLE_OK) status = files.is_frame ? show_frame(argv[1]) : show_run(&files);
    const int result = eg_files_end("eagle-info", status);
    eg_files_free(&files);
    return result;
}
