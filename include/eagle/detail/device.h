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
enum { EG_TILE_X = 64, EG_TILE_Y = 4, EG_REDUCE_THREADS = EG_TILE_X * EG_TILE_Y };

/* Merges the threads' partial results into that of thread 0. */
static __device__ void eg_merge_threads(eagle_partial *shared, int thread, eagle_reduction r)
{
    for (int half = EG_REDUCE_THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (thread < half) eg_partial_merge(&shared[thread], r, &shared[thread + half]);
    }
    __syncthreads();
}

static __device__ void eg_merge_blocks(eagle_partial *mine, int thread, eagle_reduction r, eagle_workspace *w)
{
    __shared__ eagle_partial shared[EG_REDUCE_THREADS];
    __shared__ bool          last;

    shared[thread] = *mine;
    eg_merge_threads(shared, thread, r);
    if (thread == 0) {
        w->block[blockIdx.x] = shared[0];
        __threadfence();
        last = atomicAdd(&w->arrived, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    eg_partial_clear(mine, r);
    for (unsigned b = (unsigned)thread; b < gridDim.x; b += EG_REDUCE_THREADS) eg_partial_merge(mine, r, &w->block[b]);
    shared[thread] = *mine;
    eg_merge_threads(shared, thread, r);
    if (thread != 0) return;
    *w->result = shared[0];
    w->arrived = 0;
}

#define EG_ENTRY_REDUCING(K, P, L, REDUCES)                                                                           \
    static __global__ void __launch_bounds__(EG_REDUCE_THREADS) EG_CAT_(K, _cuda)(EG_DEVICE_ARGS_(K, P))              \
    {                                                                                                                 \
        const int64_t     tiles_x = (b.hi[0] - b.lo[0] + EG_TILE_X - 1) / EG_TILE_X;                                  \
        const int64_t     tile_y = EG_TILE_Y * EAGLE_ROWS, tiles_y = (b.hi[1] - b.lo[1] + tile_y - 1) / tile_y;       \
        const int64_t     tiles = tiles_x * tiles_y * (b.hi[2] - b.lo[2]);                                            \
        const eagle_clock now = *clock;                                                                               \
        const int         thread = (int)(threadIdx.x + threadIdx.y * EG_TILE_X);                                      \
        eagle_partial     mine;                                                                                       \
        eg_partial_clear(&mine, REDUCES);                                                                             \
        for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {                                            \
            const int64_t x = b.lo[0] + tile % tiles_x * EG_TILE_X + threadIdx.x;                                     \
            const int64_t y0 = b.lo[1] + tile / tiles_x % tiles_y * tile_y + threadIdx.y * EAGLE_ROWS;                \
            const int64_t z = b.lo[2] + tile / tiles_x / tiles_y;                                                     \
            double        value[EAGLE_ROWS];                                                                          \
            if (x >= b.hi[0]) continue;                                                                               \
            _Pragma("unroll")                                                                                         \
            for (int r = 0; r < EAGLE_ROWS; r++) {                                                                    \
                const int64_t   y = y0 + r < b.hi[1] ? y0 + r : b.hi[1] - 1; /* read again, not added */              \
                const ptrdiff_t c = x + y * g.pitch[1] + z * g.pitch[2];                                              \
                const eagle_at  at = eg_at(&g, &b, x, y, z);                                                          \
                value[r] = (double)EG_CALL_POINT_(K, L);                                                              \
            }                                                                                                         \
            if (y0 + EAGLE_ROWS <= b.hi[1]) {                                                                         \
                eg_partial_add(&mine, REDUCES, value, EAGLE_ROWS);                                                    \
                continue;                                                                                             \
            }                                                                                                         \
            _Pragma("unroll")                                                                                         \
            for (int r = 0; r < EAGLE_ROWS; r++)                                                                      \
                if (y0 + r < b.hi[1]) eg_partial_add(&mine, REDUCES, value + r, 1);                                   \
        }                                                                                                             \
        eg_merge_blocks(&mine, thread, REDUCES, workspace);                                                           \
    }

#define EG_DESCRIBE_(NAME, K, P, L, REDUCES)                                                                          \
    extern "C" const eagle_device_form *EG_CAT_(K, _device)(void)                                                     \
    {                                                                                                                 \
        static const eagle_device_form form = { (const void *)EG_CAT_(K, _cuda), { 64, 4, 1 }, EAGLE_ROWS,            \
                                                EG_REDUCE_BLOCKS };                                                   \
        return &form;                                                                                                 \
    }

#endif
