/* eagle/plane.h - planes: views of arrays, passed by value. Copying a plane copies no data. */
#ifndef EAGLE_PLANE_H
#define EAGLE_PLANE_H

#include "eagle/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum eagle_type { EAGLE_F32 = 1, EAGLE_F64, EAGLE_I32, EAGLE_I64, EAGLE_U32, EAGLE_U8 } eagle_type;

/* host: pageable memory; pinned: page-locked, reached by host functions and by fast copies; device: the GPU's. */
typedef enum eagle_place { EAGLE_HOST = 1, EAGLE_PINNED, EAGLE_DEVICE } eagle_place;

typedef struct eagle_storage eagle_storage; /* an array that planes are views of; owned by the context */

/* A view of an array: n[0] x ... x n[rank - 1] elements, the last axis is x and contiguous. A plane of a field stands
 * on the cells that the rank owns, its ghost cells around it; one of several components has them as its first axis. */
typedef struct eagle_plane {
    eagle_storage *storage; /* NULL: no memory */
    const char    *name;
    eagle_type     type;
    eagle_place    place;
    int            rank;
    int64_t        n[EAGLE_MAX_RANK], stride[EAGLE_MAX_RANK]; /* elements */
    int64_t        first;                                     /* element of the storage on which the view begins */
} eagle_plane;

typedef struct eagle_shape {
    int     rank;
    int64_t n[EAGLE_MAX_RANK];
} eagle_shape;

typedef struct eagle_plane_list {
    int                n;
    const eagle_plane *at;
} eagle_plane_list;

#ifdef __cplusplus
}
#endif
#endif
