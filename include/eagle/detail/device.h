/* eagle/detail/device.h - the device form of a kernel: threads over a box. See common.h.
 *
 * A thread does EAGLE_ROWS rows of a column: with one cell a thread half of the bandwidth stays unused. */
#ifndef EAGLE_DETAIL_DEVICE_H
#define EAGLE_DETAIL_DEVICE_H

#define EG_FN_ static __device__ __forceinline__

#ifndef EAGLE_ROWS
#define EAGLE_ROWS 8
#endif

#define EG_DEVICE_ARGS_(K, P)                                                                                         \
    struct EG_CAT_(K, _pointers) a, const eagle_grid g, const eagle_box b, const P p, const eagle_clock *clock,       \
        struct eagle_workspace *workspace EG_UNUSED_

#define EG_ENTRY_EACH_CELL(K, P, L, REDUCES)                                                                          \
    static __global__ void __launch_bounds__(256) EG_CAT_(K, _cuda)(EG_DEVICE_ARGS_(K, P))                            \
    {                                                                                                                 \
        const int64_t     x = b.lo[0] + (int64_t)blockIdx.x * blockDim.x + threadIdx.x;                               \
        const int64_t     y0 = b.lo[1] + ((int64_t)blockIdx.y * blockDim.y + threadIdx.y) * EAGLE_ROWS;               \
        const int64_t     z = b.lo[2] + (int64_t)blockIdx.z;                                                          \
        const eagle_clock now = *clock;                                                                               \
        if (x >= b.hi[0]) return;                                                                                     \
        _Pragma("unroll")                                                                                             \
        for (int r = 0; r < EAGLE_ROWS; r++) {                                                                        \
            const int64_t   y = y0 + r;                                                                               \
            const ptrdiff_t c = x + y * g.pitch[1] + z * g.pitch[2];                                                  \
            const eagle_at  at = eg_at(&g, &b, x, y, z);                                                              \
            if (y < b.hi[1]) EG_CALL_POINT_(K, L);                                                                    \
        }                                                                                                             \
    }

/* Few blocks, each over many tiles: every block leaves one partial result, and the last one to end merges them. */
#define EG_ENTRY_REDUCING(K, P, L, REDUCES)                                                                           \
    static __global__ void __launch_bounds__(256) EG_CAT_(K, _cuda)(EG_DEVICE_ARGS_(K, P))                            \
    {                                                                                                                 \
        /* to be written with the reductions */                                                                       \
    }

#define EG_DESCRIBE_(NAME, K, P, L, REDUCES)                                                                          \
    extern "C" const eagle_device_form *EG_CAT_(K, _device)(void)                                                     \
    {                                                                                                                 \
        static const eagle_device_form form = { (const void *)EG_CAT_(K, _cuda), { 64, 4, 1 }, EAGLE_ROWS,            \
                                                EG_REDUCE_BLOCKS };                                                   \
        return &form;                                                                                                 \
    }

#endif
