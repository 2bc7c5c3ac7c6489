/* frame_file.c - what is in a file of a frame: VTKHDF ImageData, version 1.0, with values at the cells' centres as point
 * data, so that old and new readers take it; everything of ours outside the group VTKHDF. docs/files.md has the layout. */
#include <hdf5.h>
#include <string.h>

#include "run/frames_parts.h"

/* HDF5 is asked to be silent; the cause that it knows goes into the error. Of a failed write that is the system's
 * reason, in the middle of a long sentence. */
static herr_t take_cause(unsigned n, const H5E_error2_t *error, void *out)
{
    static const char before[] = "error message = '";
    char *const       words = out;

    if (n > 0 || error->desc == NULL) return 0;
    const char  *reason = strstr(error->desc, before);
    const size_t skip = reason != NULL ? sizeof before - 1 : 0;
    snprintf(words, 256, "%s", reason != NULL ? reason + skip : error->desc);
    if (reason != NULL && strchr(words, '\'') != NULL) *strchr(words, '\'') = '\0';
    return 0;
}

static eagle_status hdf5_failed(const eg_frames *f, const char *what)
{
    char words[256] = "HDF5 gives no reason";

    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_cause, words);
    return eg_frame_failed(f, what, words);
}

/* --- attributes ----------------------------------------------------------------------------------------------- */

static bool put_numbers(hid_t at, const char *name, hid_t type, hsize_t n, const void *values)
{
    const hid_t space = H5Screate_simple(1, &n, NULL);
    const hid_t attribute = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    const bool  good = attribute >= 0 && H5Awrite(attribute, type, values) >= 0;

    if (attribute >= 0) H5Aclose(attribute);
    H5Sclose(space);
    return good;
}

/* Of a fixed length, as VTK wants it. */
static bool put_text(hid_t at, const char *name, const char *text)
{
    const hid_t space = H5Screate(H5S_SCALAR), type = H5Tcopy(H5T_C_S1);

    H5Tset_size(type, strlen(text) > 0 ? strlen(text) : 1);
    const hid_t attribute = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    const bool  good = attribute >= 0 && H5Awrite(attribute, type, text) >= 0;
    if (attribute >= 0) H5Aclose(attribute);
    H5Tclose(type);
    H5Sclose(space);
    return good;
}

static hid_t make_group(hid_t at, const char *name)
{
    return H5Gcreate2(at, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
}

static bool put_image(const eg_frames *f, hid_t group)
{
    const int64_t version[2] = { 1, 0 };
    const int64_t extent[6] = { 0, f->n[0] - 1, 0, f->n[1] - 1, 0, f->n[2] - 1 };
    const double  direction[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };

    return put_numbers(group, "Version", H5T_NATIVE_INT64, 2, version) && put_text(group, "Type", "ImageData") &&
           put_numbers(group, "WholeExtent", H5T_NATIVE_INT64, 6, extent) &&
           put_numbers(group, "Origin", H5T_NATIVE_DOUBLE, 3, f->origin) &&
           put_numbers(group, "Spacing", H5T_NATIVE_DOUBLE, 3, f->spacing) &&
           put_numbers(group, "Direction", H5T_NATIVE_DOUBLE, 9, direction);
}

/* The axes of a dataset, slowest first: "z y x", "y x". */
static void name_axes(const eg_frames *f, char out[8])
{
    int n = 0;

    for (int a = 2; a >= 0; a--)
        if (f->n[a] > 1) n += snprintf(out + n, 8 - (size_t)n, n > 0 ? " %c" : "%c", "xyz"[a]);
    if (n == 0) snprintf(out, 8, "x");
}

/* Ours: when and where, and the unit of each field. */
static bool put_ours(const eg_frames *f, hid_t file, const eagle_clock *now)
{
    const hid_t   group = make_group(file, "eagle");
    const int64_t step = now->step, dims = f->grid.dims;
    char          axes[8];

    name_axes(f, axes);
    bool good = group >= 0 && put_numbers(group, "step", H5T_NATIVE_INT64, 1, &step) &&
                put_numbers(group, "time", H5T_NATIVE_DOUBLE, 1, &now->t) && put_text(group, "time_unit", "s") &&
                put_numbers(group, "dims", H5T_NATIVE_INT64, 1, &dims) && put_text(group, "length_unit", "m") &&
                put_text(group, "dimensions", axes) && put_text(group, "program", f->program) &&
                put_text(group, "version", f->version);
    const hid_t units = good ? make_group(group, "units") : -1;

    for (int i = 0; i < f->n_fields && units >= 0; i++)
        good = good && put_text(units, f->fields[i].name, f->fields[i].unit != NULL ? f->fields[i].unit : "1");
    if (units >= 0) H5Gclose(units);
    if (group >= 0) H5Gclose(group);
    return good && units >= 0;
}

/* --- datasets ------------------------------------------------------------------------------------------------- */

int64_t eg_frame_file_type(eagle_type type)
{
    switch (type) {
    case EAGLE_F32: return H5T_NATIVE_FLOAT;
    case EAGLE_F64: return H5T_NATIVE_DOUBLE;
    case EAGLE_I32: return H5T_NATIVE_INT32;
    case EAGLE_I64: return H5T_NATIVE_INT64;
    case EAGLE_U32: return H5T_NATIVE_UINT32;
    case EAGLE_U8: return H5T_NATIVE_UINT8;
    }
    return -1;
}

/* Slowest axis first, components last. An axis of one cell is none: VTK from 9.3 on wants it so. (Before, its reader
 * took no flat image at all: there the list is for those.) */
static int shape_of(const eg_frames *f, int i, hsize_t n[4])
{
    int rank = 0;

    for (int a = 2; a >= 0; a--)
        if (f->n[a] > 1) n[rank++] = (hsize_t)f->n[a];
    if (rank == 0) n[rank++] = 1;
    if (f->fields[i].components > 1) n[rank++] = (hsize_t)f->fields[i].components;
    return rank;
}

/* What rank 0 gathers at once is compressed at once: rows of one plane of z. */
static void chunk_of(const eg_frames *f, int i, int rank, const hsize_t n[4], hsize_t chunk[4])
{
    int at = 0;

    for (int a = 0; a < rank; a++) chunk[a] = n[a];
    if (f->n[2] > 1) chunk[at++] = 1;
    if (f->n[1] > 1) chunk[at++] = (hsize_t)eg_frame_block_rows(f, i);
    if (f->n[0] > 1) chunk[at] = (hsize_t)eg_frame_block_columns(f, i);
}

/* Its space is taken at once and never filled, so that its place in the file is known; a compressed one has chunks. */
static bool make_dataset(eg_frames *f, hid_t group, int i)
{
    hsize_t     n[4], chunk[4];
    const int   rank = shape_of(f, i, n);
    const hid_t space = H5Screate_simple(rank, n, NULL), how = H5Pcreate(H5P_DATASET_CREATE);

    chunk_of(f, i, rank, n, chunk);
    H5Pset_fill_time(how, H5D_FILL_TIME_NEVER);
    H5Pset_obj_track_times(how, false); /* the same run makes the same bytes */
    if (f->compress > 0) {
        H5Pset_chunk(how, rank, chunk);
        H5Pset_deflate(how, (unsigned)f->compress);
    } else {
        H5Pset_alloc_time(how, H5D_ALLOC_TIME_EARLY);
    }
    const hid_t set = H5Dcreate2(group, f->fields[i].name, eg_frame_file_type(f->fields[i].stored), space, H5P_DEFAULT,
                                 how, H5P_DEFAULT);
    if (set >= 0 && f->compress == 0) f->offsets[i] = (int64_t)H5Dget_offset(set);
    if (set >= 0) H5Dclose(set);
    H5Pclose(how);
    H5Sclose(space);
    return set >= 0;
}

/* The long datasets come last: so where there is no room for them, that is told of when the room is taken. */
static bool fill_file(eg_frames *f, hid_t file, const eagle_clock *now)
{
    if (f->more != NULL && !f->more(f->more_state, now, file)) return false;
    if (!put_ours(f, file, now)) return false;
    const hid_t group = make_group(file, "VTKHDF");
    const hid_t points = group >= 0 ? make_group(group, "PointData") : -1;
    bool        good = points >= 0 && put_image(f, group);

    for (int i = 0; i < f->n_fields && good; i++) good = make_dataset(f, points, i);
    if (points >= 0) H5Gclose(points);
    if (group >= 0) H5Gclose(group);
    return good;
}

/* Every file is closed here. A file whose last bytes found no room stays in HDF5's own list even so, and HDF5 1.10 would
 * fall over it when the program ends: its work at the end of the program is left out. */
void eg_frame_file_quieten(void)
{
    (void)H5dont_atexit(); /* heeded before the first other call of HDF5 */
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

eagle_status eg_frame_file_make(eg_frames *f, const eagle_clock *now)
{
    eg_frame_file_quieten();
    const hid_t file = H5Fcreate(f->temporary, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (file < 0) return hdf5_failed(f, "cannot be made");
    const bool         good = fill_file(f, file, now);
    const eagle_status status = good ? EAGLE_OK : hdf5_failed(f, "cannot be made");
    return H5Fclose(file) < 0 && good ? hdf5_failed(f, "cannot be closed") : status;
}

/* --- compressed data ------------------------------------------------------------------------------------------ */

eagle_status eg_frame_file_reopen(eg_frames *f)
{
    f->file = H5Fopen(f->temporary, H5F_ACC_RDWR, H5P_DEFAULT);
    return f->file < 0 ? hdf5_failed(f, "cannot be opened again") : EAGLE_OK;
}

/* Where the rows are in the dataset; gives its axes. */
static int select_rows(const eg_frames *f, int i, int64_t y, int64_t z, int64_t rows, hsize_t first[4], hsize_t n[4])
{
    const int rank = shape_of(f, i, n);
    int       at = 0;

    memset(first, 0, 4 * sizeof *first);
    if (f->n[2] > 1) {
        first[at] = (hsize_t)z;
        n[at++] = 1;
    }
    if (f->n[1] > 1) {
        first[at] = (hsize_t)y;
        n[at] = (hsize_t)rows;
    }
    return rank;
}

eagle_status eg_frame_file_write_rows(eg_frames *f, int i, int64_t y, int64_t z, int64_t rows)
{
    char    path[128];
    hsize_t n[4], first[4];

    snprintf(path, sizeof path, "/VTKHDF/PointData/%s", f->fields[i].name);
    const int   rank = select_rows(f, i, y, z, rows, first, n);
    const hid_t set = H5Dopen2(f->file, path, H5P_DEFAULT);
    if (set < 0) return hdf5_failed(f, "cannot be written");
    const hid_t there = H5Dget_space(set), here = H5Screate_simple(rank, n, NULL);
    H5Sselect_hyperslab(there, H5S_SELECT_SET, first, NULL, n, NULL);
    const bool good = H5Dwrite(set, eg_frame_file_type(f->fields[i].stored), here, there, H5P_DEFAULT, f->rows) >= 0;
    H5Sclose(there);
    H5Sclose(here);
    const bool closed = H5Dclose(set) >= 0;
    return good && closed ? EAGLE_OK : hdf5_failed(f, "could not be written");
}

eagle_status eg_frame_file_close(eg_frames *f)
{
    const hid_t file = f->file;

    f->file = 0;
    if (file <= 0) return EAGLE_OK;
    return H5Fclose(file) < 0 ? hdf5_failed(f, "cannot be closed") : EAGLE_OK;
}
