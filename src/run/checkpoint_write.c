/* checkpoint_write.c - what the file of a checkpoint holds beside that of a frame: the group checkpoint. */
#include <hdf5.h>
#include <string.h>

#include "run/checkpoint_parts.h"

/* Texts are datasets, not attributes: an attribute ends at 64 KiB. */
static bool put(hid_t group, const char *name, hid_t type, hid_t space, const void *values)
{
    const hid_t set = H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const bool  good = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    const bool  closed = set < 0 || H5Dclose(set) >= 0;

    H5Sclose(space);
    return good && closed;
}

static bool put_text(hid_t group, const char *name, const char *text)
{
    const hid_t type = H5Tcopy(H5T_C_S1);

    H5Tset_size(type, strlen(text) + 1);
    const bool good = put(group, name, type, H5Screate(H5S_SCALAR), text);
    H5Tclose(type);
    return good;
}

static bool put_numbers(hid_t group, const char *name, hid_t type, int64_t n, const void *values)
{
    const hsize_t count = (hsize_t)n;
    return put(group, name, type, H5Screate_simple(1, &count, NULL), values);
}

bool eg_checkpoint_write_head(const eg_checkpoint_head *head, int64_t file)
{
    const int64_t format = EG_CHECKPOINT_FORMAT;
    const hid_t   group = H5Gcreate2((hid_t)file, EG_CHECKPOINT_GROUP, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const bool    good = group >= 0 && put_numbers(group, "format", H5T_NATIVE_INT64, 1, &format) &&
                      put_numbers(group, "dt", H5T_NATIVE_DOUBLE, 1, &head->dt_s) &&
                      put_numbers(group, "carried", H5T_NATIVE_DOUBLE, head->n_carried, head->carried) &&
                      put_text(group, "used.ini", head->used) && put_text(group, "input_dir", head->input_dir);

    if (group >= 0) H5Gclose(group);
    return good;
}
