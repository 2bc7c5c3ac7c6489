/* frame_gather.c - rows that one rank writes for several: rank 0 for all of them, or the first of those along x where
 * each has only short pieces of a row. Decides who writes for whom.
 *
 *   G1  every rank knows the extents of all, and goes through the same blocks of whole rows in the same order.
 *   G2  a failure to write is kept until all blocks have come, so that nobody waits. */
#include <string.h>

#include "run/frames_parts.h"

enum { SHORT_BYTES = 64 << 10, BLOCK_BYTES = 16 << 20, PIECE_BYTES = 1 << 30 };

/* Rows [y, y + rows) of plane z of a field. */
typedef struct block {
    int     field;
    int64_t y, z, rows;
} block;

/* --- who writes for whom -------------------------------------------------------------------------------------- */

static bool same_rows(const eg_frame_extent *a, const eg_frame_extent *b)
{
    return a->first[1] == b->first[1] && a->n[1] == b->n[1] && a->first[2] == b->first[2] && a->n[2] == b->n[2];
}

static int leader_along_x(const eg_frames *f, int rank)
{
    for (int r = 0; r < rank; r++)
        if (eg_frame_has_part(&f->extents[r]) && same_rows(&f->extents[r], &f->extents[rank])) return r;
    return rank;
}

static bool has_short_pieces(const eg_frames *f)
{
    size_t least = SIZE_MAX;

    for (int i = 0; i < f->n_fields; i++)
        least = eg_frame_value_bytes(f, i) < least ? eg_frame_value_bytes(f, i) : least;
    for (int r = 0; r < f->job->ranks; r++) {
        const eg_frame_extent *e = &f->extents[r];
        if (eg_frame_has_part(e) && e->n[0] < f->n[0] && (size_t)e->n[0] * least < SHORT_BYTES) return true;
    }
    return false;
}

/* Of blocks: this rank writes, or has to send. */
static void choose_leaders(eg_frames *f, bool through_root)
{
    f->gathers = through_root || has_short_pieces(f);
    f->gathered = through_root ? (eg_frame_extent){ { 0 }, { f->n[0], f->n[1], f->n[2] } } : f->part;
    for (int r = 0; r < f->job->ranks && f->gathers; r++) f->leaders[r] = through_root ? 0 : leader_along_x(f, r);
}

int64_t eg_frame_block_rows(const eg_frames *f, int i)
{
    const int64_t fit = BLOCK_BYTES / (f->n[0] * (int64_t)eg_frame_value_bytes(f, i));

    return fit < 1 ? 1 : fit < f->n[1] ? fit : f->n[1];
}

int64_t eg_frame_block_columns(const eg_frames *f, int i)
{
    const int64_t fit = BLOCK_BYTES / (int64_t)eg_frame_value_bytes(f, i);

    return fit < f->n[0] ? fit : f->n[0];
}

static size_t block_bytes(const eg_frames *f, int64_t nx)
{
    size_t most = 1;

    for (int i = 0; i < f->n_fields; i++) {
        const size_t bytes = (size_t)(nx * eg_frame_block_rows(f, i)) * eg_frame_value_bytes(f, i);
        most = bytes > most ? bytes : most;
    }
    return most;
}

eagle_status eg_frame_gather_open(eg_frames *f, bool through_root)
{
    f->leaders = eg_alloc((size_t)f->job->ranks, sizeof *f->leaders);
    if (f->leaders == NULL) return EAGLE_ERR_MEMORY;
    choose_leaders(f, through_root);
    if (!f->gathers) return EAGLE_OK;
    const bool leads = f->leaders[f->job->rank] == f->job->rank;
    f->packed = eg_alloc(1, block_bytes(f, leads ? f->n[0] : f->part.n[0]));
    if (leads) f->rows = eg_alloc(1, block_bytes(f, f->n[0]));
    return f->packed == NULL || (leads && f->rows == NULL) ? EAGLE_ERR_MEMORY : EAGLE_OK;
}

/* --- gathering a block ---------------------------------------------------------------------------------------- */

/* How many rows of a block an extent has a piece of, and the first of them. */
static int64_t rows_in(const eg_frame_extent *e, const block *b, int64_t *first)
{
    const int64_t end_e = e->first[1] + e->n[1], end_b = b->y + b->rows, end = end_e < end_b ? end_e : end_b;

    *first = e->first[1] > b->y ? e->first[1] : b->y;
    if (e->n[0] < 1 || b->z < e->first[2] || b->z >= e->first[2] + e->n[2] || end <= *first) return 0;
    return end - *first;
}

static size_t pack_rows(const eg_frames *f, const block *b, const char *data)
{
    const size_t  row = (size_t)f->part.n[0] * eg_frame_value_bytes(f, b->field);
    int64_t       first;
    const int64_t rows = rows_in(&f->part, b, &first);

    for (int64_t k = 0; k < rows; k++)
        eg_frame_rows_stage(f, b->field, data, first + k - f->part.first[1], b->z - f->part.first[2],
                            f->packed + (size_t)k * row);
    return (size_t)rows * row;
}

/* Pieces of rows from a rank, packed, go to their places in the whole rows. */
static void place_rows(eg_frames *f, const block *b, const eg_frame_extent *e)
{
    const size_t  value = eg_frame_value_bytes(f, b->field), row = (size_t)e->n[0] * value;
    int64_t       first;
    const int64_t rows = rows_in(e, b, &first);

    for (int64_t k = 0; k < rows; k++)
        memcpy(f->rows + ((size_t)(first + k - b->y) * (size_t)f->n[0] + (size_t)e->first[0]) * value,
               f->packed + (size_t)k * row, row);
}

static eagle_status transfer_piece(eg_job *job, char *buffer, int bytes, int peer, bool send)
{
    MPI_Request request;

    pthread_mutex_lock(&job->lock);
    const int code = send ? MPI_Isend(buffer, bytes, MPI_BYTE, peer, 0, job->comm[EG_FILES], &request)
                          : MPI_Irecv(buffer, bytes, MPI_BYTE, peer, 0, job->comm[EG_FILES], &request);
    pthread_mutex_unlock(&job->lock);
    return code == MPI_SUCCESS ? eg_wait_requests(job, 1, &request)
                               : eg_mpi_fail(send ? "MPI_Isend" : "MPI_Irecv", code);
}

static eagle_status transfer(eg_frames *f, size_t bytes, int peer, bool send)
{
    for (size_t done = 0; done < bytes; done += PIECE_BYTES) {
        const size_t piece = bytes - done < PIECE_BYTES ? bytes - done : PIECE_BYTES;
        EAGLE_TRY(transfer_piece(f->job, f->packed + done, (int)piece, peer, send));
    }
    return EAGLE_OK;
}

/* To the leader: from every rank that has a piece of the block's rows. */
static eagle_status gather_block(eg_frames *f, const block *b, const char *data)
{
    const int    rank = f->job->rank, leader = f->leaders[rank];
    const size_t mine = pack_rows(f, b, data);
    int64_t      first;

    if (rank != leader) return mine > 0 ? transfer(f, mine, leader, true) : EAGLE_OK;
    if (mine > 0) place_rows(f, b, &f->part);
    for (int r = 0; r < f->job->ranks; r++) {
        const eg_frame_extent *e = &f->extents[r];
        const int64_t          rows = r != rank && f->leaders[r] == rank ? rows_in(e, b, &first) : 0;
        if (rows == 0) continue;
        EAGLE_TRY(transfer(f, (size_t)(rows * e->n[0]) * eg_frame_value_bytes(f, b->field), r, false));
        place_rows(f, b, e);
    }
    return EAGLE_OK;
}

/* --- writing -------------------------------------------------------------------------------------------------- */

static eagle_status open_sink(eg_frames *f, int *fd)
{
    if (f->compress > 0) return eg_frame_file_reopen(f);
    const int code = eg_frame_open_to_write(f, fd);
    return code == 0 ? EAGLE_OK : eg_frame_failed(f, "cannot be opened again", strerror(code));
}

static eagle_status write_block(eg_frames *f, int fd, const block *b)
{
    if (f->compress > 0) return eg_frame_file_write_rows(f, b->field, b->y, b->z, b->rows);
    const int code = eg_frame_write_bytes(fd, f->rows, (size_t)(b->rows * f->n[0]) * eg_frame_value_bytes(f, b->field),
                                          eg_frame_offset(f, b->field, 0, b->y, b->z));
    return code == 0 ? EAGLE_OK : eg_frame_failed(f, "could not be written", strerror(code));
}

static eagle_status close_sink(eg_frames *f, int fd, eagle_status status)
{
    const eagle_status closed = eg_frame_file_close(f);
    const int          code = eg_frame_sync_and_close(fd, 0);

    if (status != EAGLE_OK) return status;
    if (closed != EAGLE_OK || code == 0) return closed;
    return eg_frame_failed(f, "could not be written", strerror(code));
}

/* Blocks of one plane of z. *status: of writing, OK until it fails. */
static eagle_status move_plane(eg_frames *f, int i, int64_t z, const char *data, int fd, eagle_status *status)
{
    const int64_t most = eg_frame_block_rows(f, i), end = f->gathered.first[1] + f->gathered.n[1];
    const bool    leads = f->leaders[f->job->rank] == f->job->rank;

    for (int64_t y = f->gathered.first[1]; y < end; y += most) {
        const block b = { .field = i, .y = y, .z = z, .rows = end - y < most ? end - y : most };
        EAGLE_TRY(gather_block(f, &b, data));
        if (leads && *status == EAGLE_OK) *status = write_block(f, fd, &b);
    }
    return EAGLE_OK;
}

eagle_status eg_frame_write_gathered(eg_frames *f, void *const *data)
{
    const bool    leads = f->leaders[f->job->rank] == f->job->rank && eg_frame_has_part(&f->gathered);
    const int64_t end = f->gathered.first[2] + f->gathered.n[2];
    eagle_status  moved = EAGLE_OK, status = EAGLE_OK;
    int           fd = -1;

    if (!eg_frame_has_part(&f->gathered)) return EAGLE_OK;
    if (leads) status = open_sink(f, &fd);
    for (int i = 0; i < f->n_fields; i++)
        for (int64_t z = f->gathered.first[2]; z < end && moved == EAGLE_OK; z++)
            moved = move_plane(f, i, z, data[i], fd, &status);
    if (leads) status = close_sink(f, fd, status);
    return status == EAGLE_OK ? moved : status;
}
