/* eagle/kernel.h - all that a kernel source may use.
 *
 * A kernel is C that serves both sides: gcc or clang compile it for the host and nvcc for the device, once with
 * `real` as float and once as double. Its planes are listed once, in a header that kernels and application share:
 *
 *     #define react_planes(P) P(in, real, u, 1) P(out, real, u_new, 0)
 *     EAGLE_DECLARE(react, gray_scott);
 *
 * and its body is written in a kernel file, which eagle_add_kernels() compiles:
 *
 *     EAGLE_KERNEL(react, gray_scott) { u_new[0] = u[0] + (real)now.dt * (u[-X] - 2 * u[0] + u[X]); }
 *
 * In the body:
 *     u          a plane of the list, a pointer that stands on this cell: u[0], u[X], u[-Y], u[X + Z]
 *     X Y Z C    strides to the next cell along x, y and z, and to the next component of a field
 *     at         where this cell is (eagle_at); eagle_x(at) is the coordinate of its centre
 *     now        the clock of this step: now.step, now.t, now.dt (seconds, double)
 *     p          the parameters, const P *
 *
 * The list says of each plane P(access, type, name, reach):
 *     access     in, out, inout: one element a cell; one plane is never both in and out of a call
 *                exclusive: as inout, each location is touched by one cell only, whichever (the author vouches)
 *                table: a whole plane of any shape, read at any index; its pointer stands on its first element
 *                any: a whole plane written at any index, with the integer atomics below (the author vouches)
 *     type       real, float, double, int32_t, int64_t, uint32_t, uint8_t
 *     reach      how many cells away from its own it is read, diagonals included; EAGLE_STAR(n): along the axes only
 *
 * Results are the same to the last bit on host and device as long as a kernel uses + - * / sqrt fma, comparisons and
 * integers; nothing is contracted, a fused multiply-add is written fma(). */
#ifndef EAGLE_KERNEL_H
#define EAGLE_KERNEL_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define EAGLE_MAX_PLANES 16
#define EAGLE_MAX_RANK   4

#ifdef EAGLE_REAL
typedef EAGLE_REAL real;
#endif

/* The clock of a step: its number (from 0), the time at which it starts, and its length, in seconds. */
typedef struct eagle_clock {
    int64_t step;
    double  t, dt;
} eagle_clock;

/* The grid, on one rank. Axes are x y z; unused ones have one cell. The centre of the cell with global index i is at
 * lower + (i + 1/2) h. `offset` is the global index of this rank's first cell. `pitch` is the distance, in elements,
 * to the next cell along x, y and z, and to the next component. */
typedef struct eagle_grid {
    int64_t cells[3], local[3], offset[3], pitch[4];
    double  lower[3], h[3]; /* metres */
    int     dims, ghosts;
} eagle_grid;

/* Cells lo <= x < hi, in local indices. edge: these are ghost cells beyond an edge of the grid, the lower (side 0) or
 * upper (side 1) of an axis (0, 1, 2 for x, y, z). */
typedef struct eagle_box {
    int64_t lo[3], hi[3];
    bool    edge;
    int     axis, side;
} eagle_box;

/* Where a kernel stands: the global index of its cell. Beyond an edge: depth says how far out (1 is next to the
 * edge), and inward is the stride that leads back in; else both are 0. */
typedef struct eagle_at {
    int64_t           i, j, k;
    ptrdiff_t         inward;
    int               depth;
    const eagle_grid *grid;
} eagle_at;

/* One plane of a kernel's list, as text for the checks. reach is negative for EAGLE_STAR. */
typedef struct eagle_slot {
    const char *access, *type, *name;
    int         reach;
} eagle_slot;

#define EAGLE_STAR(n) (-(n))

/* The addresses that a call works on, in the order of the list; each stands on local cell (0, 0, 0). */
typedef struct eagle_args {
    void *data[EAGLE_MAX_PLANES];
} eagle_args;

typedef enum eagle_reduction { EAGLE_NO_REDUCTION = 0, EAGLE_SUM, EAGLE_MIN, EAGLE_MAX } eagle_reduction;

struct eagle_partial; /* what is known of a sum, minimum or maximum so far: detail/reduce.h */

typedef void (*eagle_host_form)(const eagle_args *args, const eagle_grid *grid, const eagle_box *box,
                                const void *params, const eagle_clock *clock, struct eagle_partial *partial);

/* How a kernel is launched on the device: a block of block[0] x block[1] threads, each doing rows x layers cells along
 * y and z: `flat`, or `deep` where there are that many layers. A reducing kernel is launched with at most max_blocks
 * blocks, whatever the box. */
typedef struct eagle_device_shape {
    const void *function;
    int         rows, layers;
} eagle_device_shape;
typedef struct eagle_device_form {
    int                block[3], max_blocks;
    eagle_device_shape thin, flat, deep; /* thin: threads along y, for boxes narrow along x */
} eagle_device_form;

enum { EAGLE_HOST_FORMS = 3 }; /* x86-64 baseline, v3 (AVX2), v4 (AVX-512); the same bits from each */

typedef struct eagle_forms {
    eagle_host_form host[EAGLE_HOST_FORMS]; /* NULL where this build has no such form */
    const eagle_device_form *(*device)(void); /* NULL in a build without CUDA */
} eagle_forms;

typedef struct eagle_kernel {
    const char      *name, *file;
    int              line, n;
    const eagle_slot *slots;
    size_t           params_size;
    eagle_reduction  reduces;
    eagle_forms      plain, tuned; /* tuned: written by hand, used instead where there is one */
} eagle_kernel;

/* For kernels without parameters. */
typedef struct eagle_none {
    char unused;
} eagle_none;

#ifdef __cplusplus
}
#endif

#include "eagle/detail/common.h"

/* Random numbers: double eagle_random(uint64_t seed, eagle_at at, int64_t step, int stream) is uniform in [0, 1), and a
 * function of its arguments alone: the same bits on host and device, on any number of ranks, after a restart. A cell
 * that needs several in a step takes them from several streams, 0 to 65535; step is below 2^48. */
#include "eagle/detail/random.h"

/* For planes of access `any`: eagle_atomic_add(&count[i], 1), _min, _max, on int32_t, uint32_t and int64_t. */
#include "eagle/detail/atomic.h"

/* Before a helper function: EAGLE_INLINE real face(real a, real b). Kernels of both sides and host code may call it. */
#define EAGLE_INLINE EG_BOTH_

/* The coordinate of this cell's centre, in metres. */
EG_BOTH_ double eagle_x(eagle_at at) { return at.grid->lower[0] + ((double)at.i + 0.5) * at.grid->h[0]; }
EG_BOTH_ double eagle_y(eagle_at at) { return at.grid->lower[1] + ((double)at.j + 0.5) * at.grid->h[1]; }
EG_BOTH_ double eagle_z(eagle_at at) { return at.grid->lower[2] + ((double)at.k + 0.5) * at.grid->h[2]; }

/* The volume of a cell; in 2-D its area (h[2] is 1). */
EG_BOTH_ double eagle_volume(const eagle_grid *g) { return g->h[0] * g->h[1] * g->h[2]; }

/* Beyond an edge: from a ghost cell to the cell that mirrors it, as u[eagle_mirrored(at)]. */
EG_BOTH_ ptrdiff_t eagle_mirrored(eagle_at at) { return (2 * at.depth - 1) * at.inward; }

/* Beyond an edge: from a ghost cell to the last cell inside, as u[eagle_nearest(at)]. */
EG_BOTH_ ptrdiff_t eagle_nearest(eagle_at at) { return at.depth * at.inward; }

#ifdef EAGLE_REAL
/* In a kernel file. EAGLE_SUM_KERNEL, _MIN_ and _MAX_ return one double a cell and reduce it over all cells and all
 * ranks, with the same bits for any number of ranks and threads, on host and device. */
#define EAGLE_KERNEL(name, P)     EG_DEFINE_(name, EG_CAT_(name, EAGLE_SUFFIX), P, void, EACH_CELL, EAGLE_NO_REDUCTION)
#define EAGLE_SUM_KERNEL(name, P) EG_DEFINE_(name, EG_CAT_(name, EAGLE_SUFFIX), P, double, REDUCING, EAGLE_SUM)
#define EAGLE_MIN_KERNEL(name, P) EG_DEFINE_(name, EG_CAT_(name, EAGLE_SUFFIX), P, double, REDUCING, EAGLE_MIN)
#define EAGLE_MAX_KERNEL(name, P) EG_DEFINE_(name, EG_CAT_(name, EAGLE_SUFFIX), P, double, REDUCING, EAGLE_MAX)

/* A second form of an EAGLE_KERNEL, written by hand for one backend, in a file that eagle_add_kernels is given behind
 * TUNED: host forms in .c files, device forms in .cu files. It does all cells of a box, whichever it is given, and leaves
 * the same bits as the plain form, with which --check-tuned compares it:
 *
 *     EAGLE_TUNED_HOST(react, gray_scott)                 // a thread calls it on its part of the cells
 *     {
 *         for (int64_t z = box->lo[2]; z < box->hi[2]; z++)
 *             for (int64_t y = box->lo[1]; y < box->hi[1]; y++)
 *                 for (int64_t x = box->lo[0]; x < box->hi[0]; x++) u_new[x + y * Y + z * Z] = ...
 *     }
 *
 *     EAGLE_TUNED_DEVICE(react, gray_scott, 128, 1, 4, 1) // blocks of 128 x 1 threads, each of which does 4 x 1 cells
 *     {                                                   // along y and z; blockIdx counts blocks from box->lo on
 *         const int64_t x = box->lo[0] + (int64_t)blockIdx.x * 128 + threadIdx.x;
 *         ...
 *     }
 *
 * Planes stand on local cell (0, 0, 0): cell (x, y, z) is u[x + y * Y + z * Z]. grid and box are pointers; X Y Z C, now
 * and p are those of a plain kernel, and eagle_cell(grid, box, x, y, z) is its `at`. */
#define EAGLE_TUNED_HOST(name, P) EG_TUNED_HOST_(name, EG_CAT_(name, EAGLE_SUFFIX), P)
#define EAGLE_TUNED_DEVICE(name, P, threads_x, threads_y, rows, layers)                                               \
    EG_TUNED_DEVICE_(name, EG_CAT_(name, EAGLE_SUFFIX), P, threads_x, threads_y, rows, layers)
#endif

/* In a header that both sides read: makes struct name_call, whose members are the planes by name, and declares the
 * kernel's two forms. `into` is the one-element f64 plane that a reducing kernel fills; `over` a box other than the
 * whole plane; `params` is copied when the node is added. */
#if defined(EAGLE_REAL)
#define EAGLE_DECLARE(name, P) struct name##_call
#else
#include "eagle/plane.h"
#define EAGLE_DECLARE(name, P)                                                                                        \
    struct name##_call {                                                                                              \
        name##_planes(EG_MEMBER_) eagle_plane into;                                                                   \
        const eagle_box *over;                                                                                        \
        const P         *params;                                                                                      \
    };                                                                                                                \
    EG_EXTERN_C_ const eagle_kernel name##_f32 EG_LINKED_AS_(#name "_f32"), name##_f64 EG_LINKED_AS_(#name "_f64")
#define EG_MEMBER_(access, type, name, reach) eagle_plane name;
#endif

#endif
