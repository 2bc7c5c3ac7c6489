/* frame_read.c - reading whole frames, on one process: for eagle-compare, eagle-info and [initial] frame PATH. */
#include <hdf5.h>
#include <string.h>

#include "run/frames_parts.h"

enum { MOST_COMPONENTS = 4096 };
#define MOST (INT64_MAX / (8 * MOST_COMPONENTS)) /* cells: their values' bytes can be counted */

static eagle_status read_failed(const char *path, const char *what)
{
    return eg_fail(EAGLE_ERR_IO, EG_NOWHERE, "give a frame that eagle wrote: frames/NAME.STEP.vtkhdf", "'%s': %s", path,
                   what);
}

/* n numbers; of another count nothing is read. */
static bool read_attribute(hid_t at, const char *group, const char *name, hid_t type, hssize_t n, void *out)
{
    const hid_t attribute = H5Aopen_by_name(at, group, name, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = attribute >= 0 ? H5Aget_space(attribute) : -1;
    const bool  good = space >= 0 && H5Sget_simple_extent_npoints(space) == n && H5Aread(attribute, type, out) >= 0;

    if (space >= 0) H5Sclose(space);
    if (attribute >= 0) H5Aclose(attribute);
    return good;
}

static void read_unit(hid_t file, const char *field, char unit[64])
{
    const hid_t attribute = H5Aopen_by_name(file, "/eagle/units", field, H5P_DEFAULT, H5P_DEFAULT);

    unit[0] = '\0';
    if (attribute < 0) return;
    const hid_t  type = H5Aget_type(attribute);
    const size_t bytes = H5Tget_size(type);
    const bool   fits = bytes < 64 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0;
    if (fits && H5Aread(attribute, type, unit) >= 0) unit[bytes] = '\0';
    H5Tclose(type);
    H5Aclose(attribute);
}

static eagle_type type_of(hid_t set)
{
    const hid_t  type = H5Dget_type(set);
    const bool   real = H5Tget_class(type) == H5T_FLOAT;
    const size_t bytes = H5Tget_size(type);
    const bool   is_signed = !real && H5Tget_sign(type) == H5T_SGN_2;

    H5Tclose(type);
    if (real) return bytes == 4 ? EAGLE_F32 : EAGLE_F64;
    if (bytes == 1) return EAGLE_U8;
    return bytes == 8 ? EAGLE_I64 : is_signed ? EAGLE_I32 : EAGLE_U32;
}

/* [z][y][x][c] becomes [c][z][y][x]. */
static eagle_status spread_components(eg_frame_array *a)
{
    const size_t cells = (size_t)(a->n[0] * a->n[1] * a->n[2]), c = (size_t)a->components;
    double      *spread;

    if (c == 1) return EAGLE_OK;
    spread = eg_alloc(cells * c, sizeof *spread);
    if (spread == NULL) return EAGLE_ERR_MEMORY;
    for (size_t i = 0; i < cells; i++)
        for (size_t k = 0; k < c; k++) spread[k * cells + i] = a->value[i * c + k];
    eg_free(a->value);
    a->value = spread;
    return EAGLE_OK;
}

/* Components of a dataset over n cells, axes of one cell left out; 0: it is none. */
static int components_of(hid_t space, const int64_t n[3])
{
    hsize_t   there[5];
    const int rank = H5Sget_simple_extent_ndims(space) <= 4 ? H5Sget_simple_extent_dims(space, there, NULL) : 0;
    int       at = 0, axes = 0;

    for (int a = 2; a >= 0; a--) {
        if (n[a] == 1) continue;
        if (at >= rank || there[at++] != (hsize_t)n[a]) return 0;
        axes++;
    }
    if (axes == 0 && (rank < 1 || there[at++] != 1)) return 0;
    if (rank == at) return 1;
    return rank == at + 1 && there[at] > 0 && there[at] <= MOST_COMPONENTS ? (int)there[at] : 0;
}

/* values: read them too. */
static eagle_status read_array(const char *path, hid_t points, const char *name, const int64_t n[3], bool values,
                               eg_frame_array *a)
{
    const hid_t set = H5Dopen2(points, name, H5P_DEFAULT), space = set >= 0 ? H5Dget_space(set) : -1;
    bool        good, memory = true;

    *a = (eg_frame_array){ .components = space >= 0 ? components_of(space, n) : 0, .n = { n[0], n[1], n[2] } };
    snprintf(a->name, sizeof a->name, "%s", name);
    good = a->components > 0;
    if (good) a->type = type_of(set);
    if (good && values) {
        a->value = eg_alloc((size_t)(n[0] * n[1] * n[2] * a->components), sizeof *a->value);
        memory = a->value != NULL;
        good = memory && H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, a->value) >= 0;
    }
    if (space >= 0) H5Sclose(space);
    if (set >= 0) H5Dclose(set);
    if (!memory) return EAGLE_ERR_MEMORY;
    if (!good) return read_failed(path, "a field cannot be read");
    return values ? spread_components(a) : EAGLE_OK;
}

static eagle_status read_arrays(const char *path, hid_t file, const int64_t n[3], bool values, eg_frame *out)
{
    const hid_t  points = H5Gopen2(file, "/VTKHDF/PointData", H5P_DEFAULT);
    H5G_info_t   info;
    eagle_status status = points >= 0 && H5Gget_info(points, &info) >= 0 ? EAGLE_OK
                                                                         : read_failed(path, "there are no fields");

    if (status == EAGLE_OK) out->arrays = eg_alloc((size_t)info.nlinks + 1, sizeof *out->arrays);
    if (status == EAGLE_OK && out->arrays == NULL) status = EAGLE_ERR_MEMORY;
    for (hsize_t i = 0; status == EAGLE_OK && i < info.nlinks; i++) {
        char name[64] = "";
        H5Lget_name_by_idx(points, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT);
        eg_frame_array *a = &out->arrays[out->n_arrays++];
        status = read_array(path, points, name, n, values, a);
        if (status == EAGLE_OK) read_unit(file, name, a->unit);
    }
    if (points >= 0) H5Gclose(points);
    return status;
}

static eagle_status read_file(const char *path, hid_t file, bool values, eg_frame *out)
{
    int64_t dims = 0, extent[6], n[3];
    double  origin[3];

    if (!read_attribute(file, "/eagle", "step", H5T_NATIVE_INT64, 1, &out->step) ||
        !read_attribute(file, "/eagle", "time", H5T_NATIVE_DOUBLE, 1, &out->t) ||
        !read_attribute(file, "/eagle", "dims", H5T_NATIVE_INT64, 1, &dims) ||
        !read_attribute(file, "/VTKHDF", "WholeExtent", H5T_NATIVE_INT64, 6, extent) ||
        !read_attribute(file, "/VTKHDF", "Origin", H5T_NATIVE_DOUBLE, 3, origin) ||
        !read_attribute(file, "/VTKHDF", "Spacing", H5T_NATIVE_DOUBLE, 3, out->h))
        return read_failed(path, "it is no frame of eagle");
    for (int a = 0; a < 3; a++) n[a] = extent[2 * a] == 0 && extent[2 * a + 1] < MOST ? extent[2 * a + 1] + 1 : 0;
    if (dims < 1 || dims > 3 || n[0] < 1 || n[1] < 1 || n[2] < 1 || n[0] > MOST / n[1] || n[0] * n[1] > MOST / n[2])
        return read_failed(path, "its extent is none");
    out->dims = (int)dims;
    for (int a = 0; a < 3; a++) out->lower[a] = a < out->dims ? origin[a] - out->h[a] / 2 : 0;
    return read_arrays(path, file, n, values, out);
}

static eagle_status read_frame(const char *path, bool values, eg_frame *out)
{
    *out = (eg_frame){ 0 };
    eg_frame_file_quieten();
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) return read_failed(path, "it cannot be opened as an HDF5 file");
    const eagle_status status = read_file(path, file, values, out);
    H5Fclose(file);
    if (status != EAGLE_OK) eg_frame_free(out);
    return status;
}

eagle_status eg_frame_read(const char *path, eg_frame *out) { return read_frame(path, true, out); }

eagle_status eg_frame_read_head(const char *path, eg_frame *out) { return read_frame(path, false, out); }

void eg_frame_free(eg_frame *f)
{
    for (int i = 0; f->arrays != NULL && i < f->n_arrays; i++) eg_free(f->arrays[i].value);
    eg_free(f->arrays);
    *f = (eg_frame){ 0 };
}
