/* frames_parts.h - what the files that write frames share. */
#ifndef EG_FRAMES_PARTS_H
#define EG_FRAMES_PARTS_H

#include "run/frames.h"

enum { EG_FRAME_FIELDS = 64, EG_FRAME_PATH = 4096 };

/* A rank's part of the region, in the region's own numbering. */
typedef struct eg_frame_extent {
    int64_t first[3], n[3];
} eg_frame_extent;

struct eg_frames {
    eg_job          *job;
    char            *name, *directory, *program, *version; /* directory: of the frames */
    eagle_grid       grid;
    int              compress, n_fields;
    bool             through_root;
    eg_frame_field  *fields;
    int64_t          n[3], part_first[3], part_n[3]; /* the region, and this rank's part of it */
    double           origin[3], spacing[3];          /* metres; of the first cell's centre */
    int64_t          offsets[EG_FRAME_FIELDS];       /* of each dataset in the file, in bytes */
    char             path[EG_FRAME_PATH], temporary[EG_FRAME_PATH];
    char            *staging, *mine, *plane; /* rows on their way; a plane of z of this rank; a whole one on rank 0 */
    size_t           staging_bytes;
    eg_frame_extent *extents; /* [ranks] */
    int64_t          file;    /* of HDF5, while it is open; 0: none */
    FILE            *list;    /* the XDMF list, on rank 0 */
    long             list_tail;

    pthread_mutex_t lock; /* of the figures */
    int64_t         bytes_of_frame, bytes_written, n_written;
    double          seconds;
};

/* frame_file.c: all calls of HDF5 that write; on rank 0. Make leaves a whole file whose values are not yet written, and
 * fills offsets. Reopen, write_plane and close are for data that goes through rank 0. */
void         eg_frame_file_quieten(void); /* before any other call of HDF5 */
eagle_status eg_frame_file_make(eg_frames *f, const eagle_clock *now);
eagle_status eg_frame_file_reopen(eg_frames *f);
eagle_status eg_frame_file_write_plane(eg_frames *f, int field, int64_t z);
eagle_status eg_frame_file_close(eg_frames *f);

/* frame_list.c: the list of frames and times that ParaView's Xdmf3 reader opens. */
eagle_status eg_frame_list_add(eg_frames *f, const eagle_clock *now);
eagle_status eg_frame_list_close(eg_frames *f);

#endif
