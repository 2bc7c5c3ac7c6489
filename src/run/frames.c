/* frames.c - writing frames: one file each, beside the steps.
 *
 *   W1  a file is made under a temporary name, written by all ranks, synced, and renamed by rank 0: under its final name
 *       it is whole, whatever ends the run meanwhile.
 *   W2  raw data never goes through MPI-IO. Rank 0 makes the file with HDF5, takes its space, and tells the others where
 *       each dataset begins; every rank writes its part with pwrite. Compressed data, and all data with writer = root,
 *       goes to rank 0 a plane of z at a time.
 *   W3  after each part that can fail on one rank all ranks agree, and after a failure the temporary file is removed.
 *   W4  all memory is made when frames are opened.
 *
 * frame_file.c knows what is in a file; frame_list.c the XDMF list. */
#include "run/frames_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { STAGING_BYTES = 4 << 20, PIECE_BYTES = 1 << 30 };

/* --- parts ---------------------------------------------------------------------------------------------------- */

void eg_frame_part(const eagle_grid *grid, int axis, int64_t lo, int64_t hi, int64_t stride, int64_t *first, int64_t *n,
                   int64_t *local)
{
    const int64_t begin = grid->offset[axis] > lo ? grid->offset[axis] : lo;
    const int64_t own_end = grid->offset[axis] + grid->local[axis], end = own_end < hi ? own_end : hi;

    *first = (begin - lo + stride - 1) / stride;
    const int64_t behind = end > lo ? (end - lo + stride - 1) / stride : 0; /* the first one that is not ours */
    *n = behind > *first ? behind - *first : 0;
    *local = lo + *first * stride - grid->offset[axis];
}

static size_t value_bytes(const eg_frames *f, int i) { return (size_t)f->fields[i].components * eg_type_bytes(f->fields[i].stored); }

/* --- errors --------------------------------------------------------------------------------------------------- */

/* Names path, reason, and what room there is. code: an errno. */
static eagle_status write_failed(const eg_frames *f, const char *what, int code)
{
    struct statvfs fs;
    char           room[96] = "";

    if (statvfs(f->directory, &fs) == 0)
        snprintf(room, sizeof room, "; a frame needs %.4g MB, %.4g MB are free", (double)f->bytes_of_frame / 1e6,
                 (double)fs.f_bavail * (double)fs.f_frsize / 1e6);
    return eg_fail(EAGLE_ERR_IO, EG_NOWHERE, "make room or choose another --run-dir; what was written before is still there",
                   "%s '%s': %s%s", what, f->path, strerror(code), room);
}

/* --- rows to bytes -------------------------------------------------------------------------------------------- */

static void convert(void *to, eagle_type to_type, const void *from, eagle_type from_type)
{
    if (to_type == from_type)
        memcpy(to, from, eg_type_bytes(to_type));
    else if (to_type == EAGLE_F32)
        *(float *)to = (float)*(const double *)from;
    else
        *(double *)to = (double)*(const float *)from;
}

/* A row of this rank's part: components side by side, in the type of the file. */
static void stage_row(const eg_frames *f, int i, const char *data, int64_t y, int64_t z, char *to)
{
    const eg_frame_field *field = &f->fields[i];
    const size_t          from_bytes = eg_type_bytes(field->plane.type), to_bytes = eg_type_bytes(field->stored);
    const int64_t         nx = f->part_n[0], row = (z * f->part_n[1] + y) * nx;
    const int64_t         component = nx * f->part_n[1] * f->part_n[2];

    if (field->components == 1 && from_bytes == to_bytes) {
        memcpy(to, data + (size_t)row * from_bytes, (size_t)nx * from_bytes);
        return;
    }
    for (int64_t x = 0; x < nx; x++)
        for (int c = 0; c < field->components; c++)
            convert(to + ((size_t)x * (size_t)field->components + (size_t)c) * to_bytes, field->stored,
                    data + (size_t)(row + x + c * component) * from_bytes, field->plane.type);
}

/* All of it, or an errno. */
static int write_all(int fd, const char *from, size_t bytes, int64_t offset)
{
    while (bytes > 0) {
        const ssize_t n = pwrite(fd, from, bytes < (1 << 30) ? bytes : (1 << 30), offset);
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

/* --- every rank writes its part ------------------------------------------------------------------------------- */

/* Rows that follow one another in the file are written together, as many as the staging memory holds. */
static int write_part(const eg_frames *f, int fd, int i, const char *data)
{
    const size_t  row_bytes = (size_t)f->part_n[0] * value_bytes(f, i);
    const bool    whole_rows = f->part_n[0] == f->n[0];
    const int64_t rows = f->part_n[1] * f->part_n[2];
    size_t        staged = 0;
    int64_t       at = 0;
    int           code = 0;

    for (int64_t r = 0; r < rows && code == 0; r++) {
        const int64_t y = r % f->part_n[1], z = r / f->part_n[1];
        const int64_t place = ((f->part_first[2] + z) * f->n[1] + f->part_first[1] + y) * f->n[0] + f->part_first[0];
        const int64_t offset = f->offsets[i] + place * (int64_t)value_bytes(f, i);
        if (staged > 0 && (!whole_rows || offset != at + (int64_t)staged || staged + row_bytes > f->staging_bytes)) {
            code = write_all(fd, f->staging, staged, at);
            staged = 0;
        }
        if (staged == 0) at = offset;
        stage_row(f, i, data, y, z, f->staging + staged);
        staged += row_bytes;
    }
    return code == 0 && staged > 0 ? write_all(fd, f->staging, staged, at) : code;
}

static bool has_part(const eg_frames *f) { return f->part_n[0] > 0 && f->part_n[1] > 0 && f->part_n[2] > 0; }

static eagle_status write_parts(eg_frames *f, void *const *data)
{
    const int fd = open(f->temporary, O_WRONLY | O_CLOEXEC);
    int       code = fd < 0 ? errno : 0;

    for (int i = 0; i < f->n_fields && code == 0 && has_part(f); i++) code = write_part(f, fd, i, data[i]);
    if (code == 0 && fsync(fd) != 0) code = errno;
    if (fd >= 0 && close(fd) != 0 && code == 0) code = errno;
    return code == 0 ? EAGLE_OK : write_failed(f, "a frame could not be written:", code);
}

/* --- all through rank 0 --------------------------------------------------------------------------------------- */

/* Rows of one plane of z, packed, of this rank; their bytes. */
static size_t stage_plane(const eg_frames *f, int i, const char *data, int64_t z)
{
    const size_t  row_bytes = (size_t)f->part_n[0] * value_bytes(f, i);
    const int64_t mine = z - f->part_first[2];

    if (!has_part(f) || mine < 0 || mine >= f->part_n[2]) return 0;
    for (int64_t y = 0; y < f->part_n[1]; y++) stage_row(f, i, data, y, mine, f->mine + (size_t)y * row_bytes);
    return row_bytes * (size_t)f->part_n[1];
}

static void place_rows(eg_frames *f, int i, const eg_frame_extent *e, const char *packed)
{
    const size_t value = value_bytes(f, i), row = (size_t)e->n[0] * value;

    for (int64_t y = 0; y < e->n[1]; y++)
        memcpy(f->plane + ((size_t)(e->first[1] + y) * (size_t)f->n[0] + (size_t)e->first[0]) * value,
               packed + (size_t)y * row, row);
}

static eagle_status transfer_piece(eg_job *job, char *buffer, int bytes, int peer, bool send)
{
    MPI_Request request;

    pthread_mutex_lock(&job->lock);
    const int code = send ? MPI_Isend(buffer, bytes, MPI_BYTE, peer, 0, job->comm[EG_FILES], &request)
                          : MPI_Irecv(buffer, bytes, MPI_BYTE, peer, 0, job->comm[EG_FILES], &request);
    pthread_mutex_unlock(&job->lock);
    return code == MPI_SUCCESS ? eg_wait_requests(job, 1, &request) : eg_mpi_fail(send ? "MPI_Isend" : "MPI_Irecv", code);
}

static eagle_status transfer(eg_frames *f, char *buffer, size_t bytes, int peer, bool send)
{
    for (size_t done = 0; done < bytes; done += PIECE_BYTES) {
        const size_t piece = bytes - done < PIECE_BYTES ? bytes - done : PIECE_BYTES;
        EAGLE_TRY(transfer_piece(f->job, buffer + done, (int)piece, peer, send));
    }
    return EAGLE_OK;
}

static bool extent_has(const eg_frame_extent *e, int64_t z)
{
    return e->n[0] > 0 && e->n[1] > 0 && z >= e->first[2] && z < e->first[2] + e->n[2];
}

/* One plane of z on rank 0, from every rank that has a part of it. */
static eagle_status gather_plane(eg_frames *f, int i, const char *data, int64_t z)
{
    const size_t mine = stage_plane(f, i, data, z);

    if (f->job->rank != 0) return mine > 0 ? transfer(f, f->mine, mine, 0, true) : EAGLE_OK;
    for (int r = 0; r < f->job->ranks; r++) {
        const eg_frame_extent *e = &f->extents[r];
        if (!extent_has(e, z)) continue;
        if (r != 0) EAGLE_TRY(transfer(f, f->mine, (size_t)(e->n[0] * e->n[1]) * value_bytes(f, i), r, false));
        place_rows(f, i, e, f->mine);
    }
    return EAGLE_OK;
}

/* A failure to write is kept until all planes have come, so that nobody waits. */
static eagle_status write_through_root(eg_frames *f, void *const *data)
{
    eagle_status status = EAGLE_OK, moved = EAGLE_OK;

    if (f->job->rank == 0) status = eg_frame_file_reopen(f);
    for (int i = 0; i < f->n_fields; i++)
        for (int64_t z = 0; z < f->n[2] && moved == EAGLE_OK; z++) {
            moved = gather_plane(f, i, data[i], z);
            if (f->job->rank == 0 && status == EAGLE_OK && moved == EAGLE_OK) status = eg_frame_file_write_plane(f, i, z);
        }
    if (f->job->rank == 0) {
        const eagle_status closed = eg_frame_file_close(f);
        if (status == EAGLE_OK) status = closed;
    }
    return status == EAGLE_OK ? moved : status;
}

/* --- one frame ------------------------------------------------------------------------------------------------ */

static void name_file(eg_frames *f, int64_t step)
{
    snprintf(f->path, sizeof f->path, "%s/%s.%08lld.vtkhdf", f->directory, f->name, (long long)step);
    snprintf(f->temporary, sizeof f->temporary, "%s/.%s.%08lld.vtkhdf.tmp", f->directory, f->name, (long long)step);
}

static int sync_path(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    int       code = fd < 0 || fsync(fd) != 0 ? errno : 0;

    if (fd >= 0) close(fd);
    return code;
}

/* Takes the room now: a full disk is seen before anything is written. */
static eagle_status take_room(const eg_frames *f)
{
    struct stat there;
    const int   fd = open(f->temporary, O_WRONLY | O_CLOEXEC);
    int         code = fd < 0 || fstat(fd, &there) != 0 ? errno : 0;

    if (code == 0 && f->compress == 0) code = posix_fallocate(fd, 0, there.st_size);
    if (fd >= 0) close(fd);
    if (code == 0 || code == EOPNOTSUPP || code == EINVAL) return EAGLE_OK;
    return write_failed(f, "there is no room for a frame:", code);
}

static eagle_status make_file(eg_frames *f, const eagle_clock *now)
{
    EAGLE_TRY(eg_frame_file_make(f, now));
    return take_room(f);
}

static eagle_status publish(eg_frames *f, const eagle_clock *now)
{
    if (rename(f->temporary, f->path) != 0) return write_failed(f, "a frame could not be renamed to", errno);
    const int code = sync_path(f->directory);
    if (code != 0) return write_failed(f, "the folder could not be synced for", code);
    return eg_frame_list_add(f, now);
}

static eagle_status write_frame(eg_frames *f, const eagle_host_call *call)
{
    const bool   root = f->job->rank == 0;
    eagle_status status;

    name_file(f, call->now.step);
    EAGLE_TRY(eg_agree(f->job, EG_FILES, call->status)); /* of a failed run no frame is made */
    EAGLE_TRY(eg_agree(f->job, EG_FILES, root ? make_file(f, &call->now) : EAGLE_OK));
    EAGLE_TRY(eg_broadcast(f->job, EG_FILES, f->offsets, sizeof f->offsets, 0));
    status = f->through_root ? write_through_root(f, call->data) : write_parts(f, call->data);
    EAGLE_TRY(eg_agree(f->job, EG_FILES, status));
    return eg_agree(f->job, EG_FILES, root ? publish(f, &call->now) : EAGLE_OK);
}

eagle_status eg_frames_write(const eagle_host_call *call, void *frames)
{
    eg_frames         *f = frames;
    const double       begin = eg_seconds();
    const eagle_status status = write_frame(f, call);

    pthread_mutex_lock(&f->lock);
    f->seconds += eg_seconds() - begin;
    if (status == EAGLE_OK) {
        f->n_written++;
        f->bytes_written += f->bytes_of_frame;
    }
    pthread_mutex_unlock(&f->lock);
    if (status != EAGLE_OK && f->job->rank == 0) (void)unlink(f->temporary);
    return status;
}

void eg_frames_figures(const eg_frames *f, int64_t *bytes, double *seconds, int64_t *n)
{
    pthread_mutex_t *lock = (pthread_mutex_t *)(uintptr_t)&f->lock;

    pthread_mutex_lock(lock);
    *bytes = f->bytes_written;
    *seconds = f->seconds;
    *n = f->n_written;
    pthread_mutex_unlock(lock);
}

/* --- open and close ------------------------------------------------------------------------------------------- */

static eagle_status copy_spec(eg_frames *f, const eg_frame_spec *spec)
{
    f->name = eg_copy_text(spec->name);
    f->directory = eg_format_text("%s/frames", spec->directory);
    f->program = eg_format_text("%s", spec->program);
    f->version = eg_format_text("%s", spec->version);
    f->grid = spec->grid;
    f->compress = spec->compress;
    f->through_root = spec->through_root || spec->compress > 0;
    f->fields = eg_alloc((size_t)spec->n_fields + 1, sizeof *f->fields);
    if (f->name == NULL || f->directory == NULL || f->program == NULL || f->version == NULL || f->fields == NULL)
        return EAGLE_ERR_MEMORY;
    if (spec->n_fields > EG_FRAME_FIELDS)
        return eg_fail(EAGLE_ERR_CONFIG, EG_NOWHERE, "use several outputs", "output '%s' has more than %d fields", spec->name,
                       EG_FRAME_FIELDS);
    f->n_fields = spec->n_fields;
    memcpy(f->fields, spec->fields, (size_t)spec->n_fields * sizeof *f->fields);
    return EAGLE_OK;
}

static void find_region(eg_frames *f, const eg_frame_spec *spec)
{
    f->bytes_of_frame = 0;
    for (int a = 0; a < 3; a++) {
        int64_t local;
        f->n[a] = (spec->hi[a] - spec->lo[a] + spec->stride[a] - 1) / spec->stride[a];
        f->spacing[a] = spec->grid.h[a] * (double)spec->stride[a];
        f->origin[a] = spec->grid.lower[a] + ((double)spec->lo[a] + 0.5) * spec->grid.h[a];
        if (a >= spec->grid.dims) f->origin[a] = 0;
        eg_frame_part(&spec->grid, a, spec->lo[a], spec->hi[a], spec->stride[a], &f->part_first[a], &f->part_n[a], &local);
    }
    for (int i = 0; i < f->n_fields; i++)
        f->bytes_of_frame += f->n[0] * f->n[1] * f->n[2] * (int64_t)value_bytes(f, i);
}

static size_t widest_value(const eg_frames *f)
{
    size_t most = 1;

    for (int i = 0; i < f->n_fields; i++) most = value_bytes(f, i) > most ? value_bytes(f, i) : most;
    return most;
}

static eagle_status make_memory(eg_frames *f)
{
    const size_t value = widest_value(f), row = (size_t)f->n[0] * value, plane = row * (size_t)f->n[1];

    f->staging_bytes = row > STAGING_BYTES ? row : STAGING_BYTES;
    f->staging = eg_alloc(1, f->staging_bytes);
    f->extents = eg_alloc((size_t)f->job->ranks, sizeof *f->extents);
    if (f->through_root) f->mine = eg_alloc(1, plane);
    if (f->through_root && f->job->rank == 0) f->plane = eg_alloc(1, plane);
    const bool good = f->staging != NULL && f->extents != NULL && (!f->through_root || f->mine != NULL) &&
                      (!f->through_root || f->job->rank != 0 || f->plane != NULL);
    return good ? EAGLE_OK : EAGLE_ERR_MEMORY;
}

static eagle_status exchange_extents(eg_frames *f)
{
    eg_frame_extent mine;

    memcpy(mine.first, f->part_first, sizeof mine.first);
    memcpy(mine.n, f->part_n, sizeof mine.n);
    return eg_allgather(f->job, EG_FILES, &mine, sizeof mine, f->extents);
}

eagle_status eg_frames_open(eg_job *job, const eg_frame_spec *spec, eg_frames **out)
{
    eg_frames   *f = eg_alloc(1, sizeof *f);
    eagle_status status = f == NULL ? EAGLE_ERR_MEMORY : EAGLE_OK;

    if (status == EAGLE_OK) {
        *f = (eg_frames){ .job = job };
        pthread_mutex_init(&f->lock, NULL);
        status = copy_spec(f, spec);
    }
    if (status == EAGLE_OK) {
        find_region(f, spec);
        status = make_memory(f);
    }
    if (status == EAGLE_OK && job->rank == 0 && mkdir(f->directory, 0777) != 0 && errno != EEXIST)
        status = eg_fail(EAGLE_ERR_IO, EG_NOWHERE, "give a directory that can be written to: --run-dir DIR",
                         "the folder of frames '%s' cannot be made: %s", f->directory, strerror(errno));
    status = eg_agree(job, EG_FILES, status);
    if (status == EAGLE_OK) status = exchange_extents(f);
    if (status == EAGLE_OK)
        *out = f;
    else
        (void)eg_frames_close(f);
    return status;
}

eagle_status eg_frames_close(eg_frames *f)
{
    eagle_status status;

    if (f == NULL) return EAGLE_OK;
    status = eg_frame_list_close(f);
    eg_free(f->name);
    eg_free(f->directory);
    eg_free(f->program);
    eg_free(f->version);
    eg_free(f->fields);
    eg_free(f->staging);
    eg_free(f->extents);
    eg_free(f->mine);
    eg_free(f->plane);
    pthread_mutex_destroy(&f->lock);
    eg_free(f);
    return status;
}
