/* checkpoint_read.c - reading a checkpoint: its head, and of every field the cells of this rank. Each rank reads the file
 * by itself, as many ranks as there are now, whatever their number was. Values are not converted: a field of another
 * type or shape is refused. */
#include <hdf5.h>
#include <string.h>

#include "run/checkpoint_parts.h"
#include "run/frames_parts.h"
#include "run/selection.h"

static eagle_status read_failed(const char *path, const char *what)
{
    return eg_fail(EAGLE_ERR_IO, EG_NOWHERE, "name another one: --restart STEP, or --restart FILE", "'%s': %s", path,
                   what);
}

/* --- the head ------------------------------------------------------------------------------------------------- */

/* The values of a dataset, one more of zeros behind them; NULL: it is not there, or not of that class. */
static void *read_all(hid_t file, const char *name, hid_t type, H5T_class_t class, int64_t *n)
{
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = set >= 0 ? H5Dget_space(set) : -1;
    const hid_t stored = set >= 0 ? H5Dget_type(set) : -1;
    const bool  fits = space >= 0 && stored >= 0 && H5Tget_class(stored) == class && H5Tis_variable_str(stored) <= 0;
    const hid_t as = class == H5T_STRING ? stored : type;
    void       *values = NULL;

    *n = fits ? (int64_t)H5Sget_simple_extent_npoints(space) : 0;
    if (fits && *n > 0) values = eg_alloc((size_t)*n + 1, H5Tget_size(as));
    if (values != NULL && H5Dread(set, as, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) {
        eg_free(values);
        values = NULL;
    }
    if (stored >= 0) H5Tclose(stored);
    if (space >= 0) H5Sclose(space);
    if (set >= 0) H5Dclose(set);
    return values;
}

static bool read_number(hid_t file, const char *name, hid_t type, H5T_class_t class, void *out)
{
    int64_t    n;
    void      *value = read_all(file, name, type, class, &n);
    const bool good = value != NULL && n == 1;

    if (good) memcpy(out, value, 8);
    eg_free(value);
    return good;
}

static bool read_attribute(hid_t file, const char *name, hid_t type, void *out)
{
    const hid_t attribute = H5Aopen_by_name(file, "/eagle", name, H5P_DEFAULT, H5P_DEFAULT);
    const bool  good = attribute >= 0 && H5Aread(attribute, type, out) >= 0;

    if (attribute >= 0) H5Aclose(attribute);
    return good;
}

static bool read_program(hid_t file, char program[64])
{
    const hid_t attribute = H5Aopen_by_name(file, "/eagle", "program", H5P_DEFAULT, H5P_DEFAULT);
    const hid_t type = attribute >= 0 ? H5Aget_type(attribute) : -1;
    const bool  good = type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tget_size(type) < 64 &&
                      H5Tis_variable_str(type) == 0 && H5Aread(attribute, type, program) >= 0;

    if (type >= 0) H5Tclose(type);
    if (attribute >= 0) H5Aclose(attribute);
    return good;
}

static eagle_status read_head(const char *path, hid_t file, eg_checkpoint_head *out)
{
    int64_t format = 0, n;

    if (!read_number(file, EG_CHECKPOINT_GROUP "/format", H5T_NATIVE_INT64, H5T_INTEGER, &format))
        return read_failed(path, "it is no checkpoint of eagle");
    if (format != EG_CHECKPOINT_FORMAT) return read_failed(path, "another version of eagle wrote it");
    out->carried = read_all(file, EG_CHECKPOINT_GROUP "/carried", H5T_NATIVE_DOUBLE, H5T_FLOAT, &out->n_carried);
    out->used = read_all(file, EG_CHECKPOINT_GROUP "/used.ini", 0, H5T_STRING, &n);
    out->input_dir = read_all(file, EG_CHECKPOINT_GROUP "/input_dir", 0, H5T_STRING, &n);
    if (out->carried == NULL || out->used == NULL || out->input_dir == NULL || !read_program(file, out->program) ||
        !read_number(file, EG_CHECKPOINT_GROUP "/dt", H5T_NATIVE_DOUBLE, H5T_FLOAT, &out->dt_s) ||
        !read_attribute(file, "time", H5T_NATIVE_DOUBLE, &out->t_s) ||
        !read_attribute(file, "step", H5T_NATIVE_INT64, &out->step))
        return read_failed(path, "parts of it are missing");
    return out->step >= 0 && out->dt_s > 0 ? EAGLE_OK : read_failed(path, "its step and dt make no sense");
}

eagle_status eg_checkpoint_read_head(const char *path, eg_checkpoint_head *out)
{
    *out = (eg_checkpoint_head){ 0 };
    eg_frame_file_quieten();
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) return read_failed(path, "it cannot be opened: it is not there, cut off, or no HDF5 file");
    const eagle_status status = read_head(path, file, out);
    H5Fclose(file);
    if (status != EAGLE_OK) eg_checkpoint_head_free(out);
    return status;
}

void eg_checkpoint_head_free(eg_checkpoint_head *h)
{
    eg_free(h->carried);
    eg_free(h->used);
    eg_free(h->input_dir);
    *h = (eg_checkpoint_head){ 0 };
}

/* --- fields --------------------------------------------------------------------------------------------------- */

/* Where this rank's cells of component k are in a dataset; gives the number of its axes. */
static int part_of(const eagle_run *run, const eg_run_field *f, int k, hsize_t all[4], hsize_t first[4], hsize_t n[4])
{
    int rank = 0;

    for (int a = 2; a >= 0; a--) {
        if (run->grid.cells[a] == 1) continue;
        all[rank] = (hsize_t)run->grid.cells[a];
        first[rank] = (hsize_t)run->grid.offset[a];
        n[rank++] = (hsize_t)run->grid.local[a];
    }
    if (rank == 0) all[0] = n[0] = 1, first[0] = 0, rank = 1;
    if (f->components == 1) return rank;
    all[rank] = (hsize_t)f->components;
    first[rank] = (hsize_t)k;
    n[rank] = 1;
    return rank + 1;
}

static bool same_extent(hid_t space, int rank, const hsize_t all[4])
{
    hsize_t there[H5S_MAX_RANK];

    if (H5Sget_simple_extent_ndims(space) != rank) return false;
    H5Sget_simple_extent_dims(space, there, NULL);
    return memcmp(there, all, (size_t)rank * sizeof *all) == 0;
}

static bool same_type(hid_t set, hid_t wanted)
{
    const hid_t type = H5Dget_type(set);
    const bool  same = type >= 0 && H5Tequal(type, wanted) > 0;

    if (type >= 0) H5Tclose(type);
    return same;
}

/* One component into dense memory. NULL: done; else what is wrong. */
static const char *read_part(const eagle_run *run, const eg_run_field *f, int k, hid_t set, void *values)
{
    const hid_t type = (hid_t)eg_frame_file_type(f->type), space = H5Dget_space(set);
    hsize_t     all[4], first[4], n[4];
    const int   rank = part_of(run, f, k, all, first, n);
    const char *wrong = NULL;

    if (space < 0 || !same_extent(space, rank, all))
        wrong = "a field has another shape";
    else if (!same_type(set, type))
        wrong = "a field has another type of numbers";
    if (wrong == NULL) {
        const hid_t here = H5Screate_simple(rank, n, NULL);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, n, NULL);
        if (H5Dread(set, type, here, space, H5P_DEFAULT, values) < 0) wrong = "a field cannot be read";
        H5Sclose(here);
    }
    if (space >= 0) H5Sclose(space);
    return wrong;
}

static eagle_status take_part(const eg_run_field *f, int k, const void *values)
{
    EAGLE_TRY(eagle_upload(eg_selection_component(f->planes->now, f->components, k), values));
    if (f->levels < 2) return EAGLE_OK;
    return eagle_upload(eg_selection_component(f->planes->next, f->components, k), values);
}

static eagle_status read_field(const char *path, const eagle_run *run, hid_t file, const eg_run_field *f)
{
    const int64_t cells = run->grid.local[0] * run->grid.local[1] * run->grid.local[2];
    void         *values = eg_alloc((size_t)cells, eg_type_bytes(f->type));
    char          name[128];
    eagle_status  status = values != NULL ? EAGLE_OK : EAGLE_ERR_MEMORY;

    snprintf(name, sizeof name, EG_CHECKPOINT_FIELDS "/%s", f->spec->name);
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    if (status == EAGLE_OK && set < 0) status = read_failed(path, "it lacks a field of this program");
    for (int k = 0; k < f->components && status == EAGLE_OK; k++) {
        const char *wrong = read_part(run, f, k, set, values);
        status = wrong == NULL ? take_part(f, k, values) : read_failed(path, wrong);
    }
    if (set >= 0) H5Dclose(set);
    eg_free(values);
    return status;
}

eagle_status eg_checkpoint_read_fields(const char *path, eagle_run *run)
{
    const hid_t  file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    eagle_status status = file >= 0 ? EAGLE_OK : read_failed(path, "it cannot be opened");

    for (int i = 0; i < run->n_fields && status == EAGLE_OK; i++)
        if (eg_selection_is_state(&run->fields[i])) status = read_field(path, run, file, &run->fields[i]);
    if (file >= 0) H5Fclose(file);
    return status;
}
