/* frames.h - one file a frame, written beside the steps; see DESIGN of files in docs/files.md. */
#ifndef EG_FRAMES_H
#define EG_FRAMES_H

#include "run/job.h"

/* One field of an output. The plane is pinned, holds this rank's part of the output's region (n as in the plane,
 * components first), and is read when the frame is written. A rank without a part gives one element, not to be read. */
typedef struct eg_frame_field {
    const char *name, *unit;
    int         components;
    eagle_type  stored; /* as it is in the file: EAGLE_F32 or EAGLE_F64, ... */
    eagle_plane plane;
} eg_frame_field;

/* Writes more into the file while it is made, on rank 0. file: of HDF5. */
typedef bool (*eg_frame_more)(void *state, const eagle_clock *now, int64_t file);

typedef struct eg_frame_spec {
    const char *directory;  /* of the run; files go to DIRECTORY/frames */
    const char *name;       /* of the output: frames/NAME.00000100.vtkhdf */
    const char *program, *version;
    eagle_grid  grid;       /* of this rank */
    int64_t     lo[3], hi[3], stride[3]; /* region in global cells: every stride-th of lo <= i < hi */
    int         compress;   /* 0: contiguous; 1 to 9: zlib */
    bool        through_root; /* output.writer = root */
    int         n_fields;
    const eg_frame_field *fields;
    int64_t     resume;     /* the list goes on before this step; 0: it is made anew */
    eg_frame_more more;     /* set: files are checkpoints, go to DIRECTORY/checkpoints, and are not listed */
    void       *more_state; /* borrowed */
} eg_frame_spec;

typedef struct eg_frames eg_frames;

/* This rank's part of a region along an axis: first index in the region's own numbering, count (0: nothing to write),
 * and the first local cell. */
void eg_frame_part(const eagle_grid *grid, int axis, int64_t lo, int64_t hi, int64_t stride, int64_t *first, int64_t *n,
                   int64_t *local);

eagle_status eg_frames_open(eg_job *job, const eg_frame_spec *spec, eg_frames **out); /* collective; copies the spec */
/* Collective: a task's start function for the I/O worker (state: eg_frames). Planes of the call: the fields, in order. */
eagle_status eg_frames_write(const eagle_host_call *call, void *frames);
/* Bytes written, seconds spent writing, frames written so far. */
void         eg_frames_figures(const eg_frames *f, int64_t *bytes, double *seconds, int64_t *n);
eagle_status eg_frames_close(eg_frames *f); /* collective; NULL does nothing */

/* Reading, for eagle-compare, eagle-info and [initial] frame PATH. Whole frames, on one process. */
typedef struct eg_frame_array {
    char    name[64], unit[64];
    int     components;
    eagle_type type;
    int64_t n[3]; /* x y z */
    double *value; /* converted to double; [components][z][y][x] */
} eg_frame_array;
typedef struct eg_frame {
    int64_t step;
    double  t;
    int     dims;
    double  lower[3], h[3];
    int     n_arrays;
    eg_frame_array *arrays;
} eg_frame;
eagle_status eg_frame_read(const char *path, eg_frame *out);
eagle_status eg_frame_read_head(const char *path, eg_frame *out); /* all but the values, which are NULL */
void         eg_frame_free(eg_frame *f);

#endif
