/* frame_rows.c - rows of this rank's part as they are in the file, and writing them: nothing here knows HDF5 or MPI. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "run/frames_parts.h"

enum { PIECE_BYTES = 1 << 30 }; /* a write moves less than 2 GB */

size_t eg_frame_value_bytes(const eg_frames *f, int i)
{
    return (size_t)f->fields[i].components * eg_type_bytes(f->fields[i].stored);
}

bool eg_frame_has_part(const eg_frame_extent *e) { return e->n[0] > 0 && e->n[1] > 0 && e->n[2] > 0; }

/* --- rows to bytes -------------------------------------------------------------------------------------------- */

/* n values of one type, side by side, become values of another every step bytes. */
typedef void copy_values(char *to, size_t step, const char *from, int64_t n);

#define COPY(name, from_type, to_type)                                                                                 \
    static void name(char *to, size_t step, const char *from, int64_t n)                                               \
    {                                                                                                                  \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            from_type v;                                                                                               \
            memcpy(&v, from + (size_t)i * sizeof v, sizeof v);                                                         \
            const to_type w = (to_type)v;                                                                              \
            memcpy(to + (size_t)i * step, &w, sizeof w);                                                               \
        }                                                                                                              \
    }
COPY(copy_1, uint8_t, uint8_t)
COPY(copy_4, uint32_t, uint32_t)
COPY(copy_8, uint64_t, uint64_t)
COPY(copy_narrow, double, float)
COPY(copy_wide, float, double)

/* Other numbers than reals are stored as they are. */
static copy_values *copy_of(eagle_type from, eagle_type to)
{
    if (from != to) return to == EAGLE_F32 ? copy_narrow : copy_wide;
    return eg_type_bytes(to) == 8 ? copy_8 : eg_type_bytes(to) == 4 ? copy_4 : copy_1;
}

void eg_frame_rows_stage(const eg_frames *f, int i, const char *data, int64_t y, int64_t z, char *to)
{
    const eg_frame_field *field = &f->fields[i];
    const size_t          from_bytes = eg_type_bytes(field->plane.type), step = eg_frame_value_bytes(f, i);
    const int64_t         nx = f->part.n[0], row = (z * f->part.n[1] + y) * nx;
    const int64_t         component = nx * f->part.n[1] * f->part.n[2];
    copy_values          *copy = copy_of(field->plane.type, field->stored);

    if (field->components == 1 && field->plane.type == field->stored) {
        memcpy(to, data + (size_t)row * from_bytes, (size_t)nx * from_bytes);
        return;
    }
    for (int c = 0; c < field->components; c++)
        copy(to + (size_t)c * eg_type_bytes(field->stored), step, data + (size_t)(row + c * component) * from_bytes,
             nx);
}

/* --- bytes to the file ---------------------------------------------------------------------------------------- */

int eg_frame_write_bytes(int fd, const char *from, size_t bytes, int64_t offset)
{
    while (bytes > 0) {
        const ssize_t n = pwrite(fd, from, bytes < PIECE_BYTES ? bytes : PIECE_BYTES, offset);
        if (n < 0 && errno != EINTR) return errno;
        if (n == 0) return EIO;
        if (n > 0) {
            from += n;
            bytes -= (size_t)n;
            offset += n;
        }
    }
    return 0;
}

int64_t eg_frame_offset(const eg_frames *f, int i, int64_t x, int64_t y, int64_t z)
{
    return f->offsets[i] + ((z * f->n[1] + y) * f->n[0] + x) * (int64_t)eg_frame_value_bytes(f, i);
}

/* The part is one piece of the file, and is there as it is in memory. */
static bool is_one_piece(const eg_frames *f, int i)
{
    const bool whole_rows = f->part.n[0] == f->n[0], whole_planes = f->part.n[1] == f->n[1] || f->part.n[2] == 1;

    return f->fields[i].components == 1 && f->fields[i].plane.type == f->fields[i].stored && whole_rows && whole_planes;
}

/* Rows that follow one another in the file are written together, as many as the staging memory holds. */
static int write_rows(const eg_frames *f, int fd, int i, const char *data)
{
    const size_t  row_bytes = (size_t)f->part.n[0] * eg_frame_value_bytes(f, i);
    const int64_t rows = f->part.n[1] * f->part.n[2];
    size_t        staged = 0;
    int64_t       at = 0;
    int           code = 0;

    for (int64_t r = 0; r < rows && code == 0; r++) {
        const int64_t y = r % f->part.n[1], z = r / f->part.n[1];
        const int64_t offset = eg_frame_offset(f, i, f->part.first[0], f->part.first[1] + y, f->part.first[2] + z);
        if (staged > 0 && (offset != at + (int64_t)staged || staged + row_bytes > f->staging_bytes)) {
            code = eg_frame_write_bytes(fd, f->staging, staged, at);
            staged = 0;
        }
        if (staged == 0) at = offset;
        eg_frame_rows_stage(f, i, data, y, z, f->staging + staged);
        staged += row_bytes;
    }
    return code == 0 && staged > 0 ? eg_frame_write_bytes(fd, f->staging, staged, at) : code;
}

static int write_field(const eg_frames *f, int fd, int i, const char *data)
{
    const size_t bytes = (size_t)(f->part.n[0] * f->part.n[1] * f->part.n[2]) * eg_frame_value_bytes(f, i);

    if (!is_one_piece(f, i)) return write_rows(f, fd, i, data);
    return eg_frame_write_bytes(fd, data, bytes, eg_frame_offset(f, i, 0, f->part.first[1], f->part.first[2]));
}

int eg_frame_open_to_write(const eg_frames *f, int *fd)
{
    *fd = open(f->temporary, O_WRONLY | O_CLOEXEC);
    return *fd < 0 ? errno : 0;
}

int eg_frame_sync_and_close(int fd, int code)
{
    if (fd < 0) return code;
    if (code == 0 && fsync(fd) != 0) code = errno;
    if (close(fd) != 0 && code == 0) code = errno;
    return code;
}

eagle_status eg_frame_write_own(const eg_frames *f, void *const *data)
{
    int fd, code;

    if (!eg_frame_has_part(&f->part)) return EAGLE_OK;
    code = eg_frame_open_to_write(f, &fd);
    for (int i = 0; i < f->n_fields && code == 0; i++) code = write_field(f, fd, i, data[i]);
    code = eg_frame_sync_and_close(fd, code);
    return code == 0 ? EAGLE_OK : eg_frame_failed(f, "could not be written", strerror(code));
}
