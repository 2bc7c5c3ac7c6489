/* frames_parts.h - what the files that write frames share. */
#ifndef EG_FRAMES_PARTS_H
#define EG_FRAMES_PARTS_H

#include "run/frames.h"

enum { EG_FRAME_FIELDS = 64, EG_FRAME_PATH = 4096, EG_FRAME_LIST = 64 << 10 };

/* A rank's part of the region, in the region's own numbering. */
typedef struct eg_frame_extent {
    int64_t first[3], n[3];
} eg_frame_extent;

struct eg_frames {
    eg_job          *job;
    const char      *noun;                                 /* "frame" or "checkpoint" */
    char            *name, *directory, *program, *version; /* directory: of the frames */
    eg_frame_more    more;                                 /* NULL: nothing */
    void            *more_state;
    bool             listed; /* in NAME.xdmf */
    eagle_grid       grid;
    int              compress, n_fields;
    eg_frame_field  *fields;
    int64_t          n[3];                     /* the region */
    eg_frame_extent  part;                     /* of this rank */
    double           origin[3], spacing[3];    /* metres; of the first cell's centre */
    int64_t          offsets[EG_FRAME_FIELDS]; /* of each dataset in the file, in bytes */
    char             path[EG_FRAME_PATH], temporary[EG_FRAME_PATH];

    char            *staging; /* rows of this rank on their way */
    size_t           staging_bytes;
    eg_frame_extent *extents;  /* [ranks] */
    bool             gathers;  /* some ranks write for others: */
    int             *leaders;  /* [ranks] who writes for a rank */
    eg_frame_extent  gathered; /* what this rank's leader writes: whole rows */
    char            *packed, *rows; /* rows of one rank; of a leader, a block of whole rows */

    int64_t file;  /* of HDF5, while it is open; 0: none */
    int     list;  /* the XDMF list, on rank 0; -1: not yet made */
    int64_t list_tail;
    char    list_text[EG_FRAME_LIST];
    size_t  list_bytes;

    pthread_mutex_t lock; /* of the figures */
    int64_t         bytes_of_frame, bytes_written, n_written;
    double          seconds;
};

/* frames.c: EAGLE_ERR_IO with what ("could not be written"), path, reason, the room that is needed and found. */
eagle_status eg_frame_failed(const eg_frames *f, const char *what, const char *reason);

/* frame_rows.c. The ints are errnos, 0 of success. y and z of stage are in this rank's part, those of offset in the region. */
size_t       eg_frame_value_bytes(const eg_frames *f, int field);
bool         eg_frame_has_part(const eg_frame_extent *e);
void         eg_frame_rows_stage(const eg_frames *f, int field, const char *data, int64_t y, int64_t z, char *to);
int64_t      eg_frame_offset(const eg_frames *f, int field, int64_t x, int64_t y, int64_t z);
int          eg_frame_write_bytes(int fd, const char *from, size_t bytes, int64_t offset);
int          eg_frame_open_to_write(const eg_frames *f, int *fd);
int          eg_frame_sync_and_close(int fd, int code); /* code: of what was done before; the first one counts */
eagle_status eg_frame_write_own(const eg_frames *f, void *const *data);

/* frame_gather.c. Write is collective. Rows and columns: of a block, which is also a chunk where it is compressed. */
int64_t      eg_frame_block_rows(const eg_frames *f, int field);
int64_t      eg_frame_block_columns(const eg_frames *f, int field);
eagle_status eg_frame_gather_open(eg_frames *f, bool through_root);
eagle_status eg_frame_write_gathered(eg_frames *f, void *const *data);

/* frame_file.c: all calls of HDF5 that write; on rank 0. Make leaves a whole file whose values are not yet written, and
 * fills offsets. Reopen, write_rows and close are for data that is compressed. */
void         eg_frame_file_quieten(void); /* before any other call of HDF5 */
int64_t      eg_frame_file_type(eagle_type type); /* HDF5's */
eagle_status eg_frame_file_make(eg_frames *f, const eagle_clock *now);
eagle_status eg_frame_file_reopen(eg_frames *f);
eagle_status eg_frame_file_write_rows(eg_frames *f, int field, int64_t y, int64_t z, int64_t rows); /* whole, from f->rows */
eagle_status eg_frame_file_close(eg_frames *f); /* does nothing if none is open */

/* frame_list.c: the list of frames and times that ParaView's Xdmf3 reader opens. */
eagle_status eg_frame_list_add(eg_frames *f, const eagle_clock *now);
eagle_status eg_frame_list_resume(eg_frames *f, int64_t step); /* leaves out what is there of that step and later ones */
eagle_status eg_frame_list_close(eg_frames *f);

#endif
