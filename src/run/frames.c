/* frames.c - writing frames: one file each, beside the steps.
 *
 *   W1  a file is made under a temporary name, written by all ranks, synced, and renamed by rank 0: under its final name
 *       it is whole, whatever ends the run meanwhile.
 *   W2  raw data never goes through MPI-IO. Rank 0 makes the file with HDF5, takes its space, and tells the others where
 *       each dataset begins; every rank writes its part with pwrite. Short pieces of rows are joined by the first rank
 *       along x; with writer = root rank 0 writes all, and where it is to be compressed rank 0 does that too.
 *   W3  after each part that can fail on one rank all ranks agree, and after a failure the temporary file is removed.
 *   W4  all memory is made when frames are opened.
 *
 * frame_rows.c has a rank's own rows, frame_gather.c those of several ranks, frame_file.c knows what is in a file, and
 * frame_list.c is the XDMF list. */
#include "run/frames_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { STAGING_BYTES = 4 << 20 };

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

/* --- errors --------------------------------------------------------------------------------------------------- */

eagle_status eg_frame_failed(const eg_frames *f, const char *what, const char *reason)
{
    struct statvfs fs;
    char           room[96] = "";

    if (statvfs(f->directory, &fs) == 0)
        snprintf(room, sizeof room, "; a %s needs %.4g MB, %.4g MB are free", f->noun, (double)f->bytes_of_frame / 1e6,
                 (double)fs.f_bavail * (double)fs.f_frsize / 1e6);
    return eg_fail(EAGLE_ERR_IO, EG_NOWHERE,
                   "make room or choose another --run-dir; what was written before is still there",
                   "a %s %s: '%s': %s%s", f->noun, what, f->path, reason, room);
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

    if (code == 0 && f->compress == 0) do
            code = posix_fallocate(fd, 0, there.st_size);
        while (code == EINTR);
    if (fd >= 0) close(fd);
    if (code == 0 || code == EOPNOTSUPP || code == EINVAL) return EAGLE_OK;
    return eg_frame_failed(f, "has no room", strerror(code));
}

static eagle_status make_file(eg_frames *f, const eagle_clock *now)
{
    EAGLE_TRY(eg_frame_file_make(f, now));
    return take_room(f);
}

/* Ranks have synced what they wrote; what HDF5 wrote is synced here. */
static eagle_status publish(eg_frames *f, const eagle_clock *now)
{
    int code = sync_path(f->temporary);

    if (code != 0) return eg_frame_failed(f, "could not be synced", strerror(code));
    if (rename(f->temporary, f->path) != 0) return eg_frame_failed(f, "could not be renamed", strerror(errno));
    code = sync_path(f->directory);
    if (code != 0) return eg_frame_failed(f, "could not be synced in its folder", strerror(code));
    return f->listed ? eg_frame_list_add(f, now) : EAGLE_OK;
}

/* Of a failed run no frame is made. The words of that failure are with the node that failed. */
static eagle_status heard(const eg_frames *f, eagle_status status)
{
    return status == EAGLE_OK ? EAGLE_OK : eg_job_heard(f->job->rank, status);
}

static eagle_status write_frame(eg_frames *f, const eagle_host_call *call)
{
    const bool   root = f->job->rank == 0;
    eagle_status status;

    name_file(f, call->now.step);
    EAGLE_TRY(eg_agree(f->job, EG_FILES, heard(f, call->status)));
    EAGLE_TRY(eg_agree(f->job, EG_FILES, root ? make_file(f, &call->now) : EAGLE_OK));
    EAGLE_TRY(eg_broadcast(f->job, EG_FILES, f->offsets, sizeof f->offsets, 0));
    status = f->gathers ? eg_frame_write_gathered(f, call->data) : eg_frame_write_own(f, call->data);
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
    f->noun = spec->more != NULL ? "checkpoint" : "frame";
    f->more = spec->more;
    f->more_state = spec->more_state;
    f->listed = spec->more == NULL;
    f->directory = eg_format_text("%s/%ss", spec->directory, f->noun);
    f->program = eg_format_text("%s", spec->program);
    f->version = eg_format_text("%s", spec->version);
    f->grid = spec->grid;
    f->compress = spec->compress;
    f->fields = eg_alloc((size_t)spec->n_fields + 1, sizeof *f->fields);
    if (f->name == NULL || f->directory == NULL || f->program == NULL || f->version == NULL || f->fields == NULL)
        return EAGLE_ERR_MEMORY;
    if (spec->n_fields > EG_FRAME_FIELDS)
        return eg_fail(EAGLE_ERR_CONFIG, EG_NOWHERE, "use several outputs", "output '%s' has more than %d fields",
                       spec->name, EG_FRAME_FIELDS);
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
        eg_frame_part(&spec->grid, a, spec->lo[a], spec->hi[a], spec->stride[a], &f->part.first[a], &f->part.n[a],
                      &local);
    }
    for (int i = 0; i < f->n_fields; i++)
        f->bytes_of_frame += f->n[0] * f->n[1] * f->n[2] * (int64_t)eg_frame_value_bytes(f, i);
}

static size_t widest_value(const eg_frames *f)
{
    size_t most = 1;

    for (int i = 0; i < f->n_fields; i++) most = eg_frame_value_bytes(f, i) > most ? eg_frame_value_bytes(f, i) : most;
    return most;
}

static eagle_status make_memory(eg_frames *f)
{
    const size_t row = (size_t)f->part.n[0] * widest_value(f);

    f->staging_bytes = row > STAGING_BYTES ? row : STAGING_BYTES;
    f->staging = eg_alloc(1, f->staging_bytes);
    f->extents = eg_alloc((size_t)f->job->ranks, sizeof *f->extents);
    return f->staging != NULL && f->extents != NULL ? EAGLE_OK : EAGLE_ERR_MEMORY;
}

/* Collective. */
static eagle_status share_parts(eg_frames *f, bool through_root)
{
    EAGLE_TRY(eg_allgather(f->job, EG_FILES, &f->part, sizeof f->part, f->extents));
    return eg_agree(f->job, EG_FILES, eg_frame_gather_open(f, through_root));
}

eagle_status eg_frames_open(eg_job *job, const eg_frame_spec *spec, eg_frames **out)
{
    eg_frames   *f = eg_alloc(1, sizeof *f);
    eagle_status status = f == NULL ? EAGLE_ERR_MEMORY : EAGLE_OK;

    if (status == EAGLE_OK) {
        *f = (eg_frames){ .job = job, .list = -1 };
        pthread_mutex_init(&f->lock, NULL);
        status = copy_spec(f, spec);
    }
    if (status == EAGLE_OK) {
        find_region(f, spec);
        status = make_memory(f);
    }
    if (status == EAGLE_OK && job->rank == 0 && mkdir(f->directory, 0777) != 0 && errno != EEXIST)
        status = eg_fail(EAGLE_ERR_IO, EG_NOWHERE, "give a directory that can be written to: --run-dir DIR",
                         "the folder of %ss '%s' cannot be made: %s", f->noun, f->directory, strerror(errno));
    if (status == EAGLE_OK && job->rank == 0 && f->listed && spec->resume > 0)
        status = eg_frame_list_resume(f, spec->resume);
    status = eg_agree(job, EG_FILES, status);
    if (status == EAGLE_OK) status = share_parts(f, spec->through_root || spec->compress > 0);
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
    eg_free(f->leaders);
    eg_free(f->packed);
    eg_free(f->rows);
    pthread_mutex_destroy(&f->lock);
    eg_free(f);
    return status;
}
