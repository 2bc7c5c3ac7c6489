/* eagle/detail/device.h - the device form of a kernel: threads over a box. See common.h.
 *
 * A thread does several cells: with one, half of the bandwidth stays unused. There are two forms. The flat one does
 * rows of a column; where there is a z axis the deep one does rows and layers, so that fewer neighbours are read again.
 * A third, thin, is for the ghost cells of an edge across x.
 * Both have a path for whole tiles, without guards, in which what neighbouring cells share is loaded once. A block is
 * one row of threads: then y and z are the same in all of them, and addresses cost few registers.
 *
 * Every plane is an argument of its own and `restrict`: only so does the compiler move the loads of all rows above the
 * first store. */
#ifndef EAGLE_DETAIL_DEVICE_H
#define EAGLE_DETAIL_DEVICE_H

#define EG_FN_ static __device__ __forceinline__

enum { EG_BLOCK = 128 };

/* Cells of a thread, as measured best for f32 and f64 together; fewer where many planes fill the registers. In 3-D what
 * limits is the L2 cache (95 % busy, DRAM 68 to 74 %): its tiles should grow before anything else. */
#define EG_FLAT_ROWS_(planes)   ((planes) <= 4 ? 6 : (planes) <= 8 ? 4 : 2)
#define EG_DEEP_ROWS_(planes)   ((planes) <= 4 ? 4 : 2)
#define EG_DEEP_LAYERS_(planes) ((planes) <= 8 ? 2 : 1)

#define EG_DEVICE_ARG_(access, type, name, reach) EG_DEVICE_ARG_##access(type, eg_##name)
#define EG_DEVICE_ARG_in(type, name)              const type *EG_RESTRICT_ name,
#define EG_DEVICE_ARG_out(type, name)             type *EG_RESTRICT_ name,
#define EG_DEVICE_ARG_inout(type, name)           type *EG_RESTRICT_ name,
#define EG_DEVICE_ARG_exclusive(type, name)       type *EG_RESTRICT_ name,
#define EG_DEVICE_ARG_table(type, name)           const type *EG_RESTRICT_ name,
#define EG_DEVICE_ARG_any(type, name)             type *name,
#define EG_HAND_(access, type, name, reach)       EG_HAND_##access(eg_##name)
#define EG_HAND_in(name)                          (name + c) + lane,
#define EG_HAND_out(name)                         (name + c) + lane,
#define EG_HAND_inout(name)                       (name + c) + lane,
#define EG_HAND_exclusive(name)                   (name + c) + lane,
#define EG_HAND_table(name)                       name,
#define EG_HAND_any(name)                         name,

/* The order in which exec/cuda_nodes.c passes them. */
#define EG_DEVICE_ARGS_(P, L)                                                                                         \
    L(EG_DEVICE_ARG_) const __grid_constant__ eagle_grid g, const __grid_constant__ eagle_box b,                      \
        const __grid_constant__ P p, const eg_clock *EG_RESTRICT_ clock,                                              \
        struct eagle_workspace *workspace EG_UNUSED_

/* The call of the point function for local cell (x, y, z). */
#define EG_DEVICE_POINT_(K, L) EG_CAT_(K, _point)(L(EG_HAND_) 1, g.pitch[1], g.pitch[2], g.pitch[3], at, now, &p)

/* c: of the block, the same in all threads; lane: of the thread. */
#define EG_CELL_(K, L)                                                                                                \
    {                                                                                                                 \
        const ptrdiff_t c EG_UNUSED_ = x0 + y * g.pitch[1] + z * g.pitch[2];                                          \
        const eagle_at  at = eagle_cell(&g, &b, x0 + lane, y, z);                                                     \
        EG_DEVICE_POINT_(K, L);                                                                                       \
    }

#define EG_SWEEP_(NAME, K, P, L, ROWS, LAYERS)                                                                        \
    static __global__ void __launch_bounds__(EG_BLOCK) NAME(EG_DEVICE_ARGS_(P, L))                                    \
    {                                                                                                                 \
        enum { rows = ROWS, layers = LAYERS };                                                                        \
        const int64_t     x0 = b.lo[0] + (int64_t)blockIdx.x * EG_BLOCK;                                              \
        const int64_t     y0 = b.lo[1] + (int64_t)blockIdx.y * rows;                                                  \
        const int64_t     z0 = b.lo[2] + (int64_t)blockIdx.z * layers;                                                \
        const unsigned    lane = threadIdx.x;                                                                         \
        const eagle_clock now = clock->now;                                                                           \
        if (x0 + lane >= b.hi[0] || clock->over) return;                                                              \
        if (y0 + rows <= b.hi[1] && z0 + layers <= b.hi[2]) {                                                         \
            _Pragma("unroll")                                                                                         \
            for (int k = 0; k < layers; k++)                                                                          \
                _Pragma("unroll")                                                                                     \
                for (int r = 0; r < rows; r++) {                                                                      \
                    const int64_t y = y0 + r, z = z0 + k;                                                             \
                    EG_CELL_(K, L)                                                                                    \
                }                                                                                                     \
            return;                                                                                                   \
        }                                                                                                             \
        _Pragma("unroll 1")                                                                                           \
        for (int64_t z = z0; z < z0 + layers && z < b.hi[2]; z++)                                                     \
            _Pragma("unroll 1")                                                                                       \
            for (int64_t y = y0; y < y0 + rows && y < b.hi[1]; y++) EG_CELL_(K, L)                                    \
    }

/* Boxes narrow along x, as ghost cells of an edge are: threads side by side along y, each over all of x. */
#define EG_THIN_(NAME, K, P, L)                                                                                       \
    static __global__ void __launch_bounds__(EG_BLOCK) NAME(EG_DEVICE_ARGS_(P, L))                                    \
    {                                                                                                                 \
        const int64_t     y = b.lo[1] + (int64_t)blockIdx.x * EG_BLOCK + threadIdx.x, z = b.lo[2] + blockIdx.z;       \
        const int         lane = 0;                                                                                   \
        const eagle_clock now = clock->now;                                                                           \
        if (y >= b.hi[1] || clock->over) return;                                                                      \
        for (int64_t x0 = b.lo[0]; x0 < b.hi[0]; x0++) EG_CELL_(K, L)                                                 \
    }

#define EG_ENTRY_EACH_CELL(K, P, L, REDUCES)                                                                          \
    EG_THIN_(EG_CAT_(K, _thin), K, P, L)                                                                              \
    EG_SWEEP_(EG_CAT_(K, _flat), K, P, L, EG_FLAT_ROWS_(0 L(EG_ONE_)), 1)                                             \
    EG_SWEEP_(EG_CAT_(K, _deep), K, P, L, EG_DEEP_ROWS_(0 L(EG_ONE_)), EG_DEEP_LAYERS_(0 L(EG_ONE_)))                 \
    static const eagle_device_form EG_CAT_(K, _form) = {                                                              \
        { EG_BLOCK, 1, 1 }, 0,                                                                                        \
        { (const void *)EG_CAT_(K, _thin), EG_BLOCK, 1 },                                                             \
        { (const void *)EG_CAT_(K, _flat), EG_FLAT_ROWS_(0 L(EG_ONE_)), 1 },                                          \
        { (const void *)EG_CAT_(K, _deep), EG_DEEP_ROWS_(0 L(EG_ONE_)), EG_DEEP_LAYERS_(0 L(EG_ONE_)) }               \
    };

/* Few blocks, each over many tiles: every block leaves one partial result, and the last one to end merges them. */
enum { EG_TILE_X = 64, EG_TILE_Y = 4, EG_TILE_ROWS = 8, EG_REDUCE_THREADS = EG_TILE_X * EG_TILE_Y };

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

/* What cell (x, ROW, z) returns. Each cell is called once: it may write, too. */
#define EG_VALUE_(OUT, ROW, K, L)                                                                                     \
    {                                                                                                                 \
        const int64_t   row = ROW;                                                                                    \
        const ptrdiff_t c EG_UNUSED_ = x + row * g.pitch[1] + z * g.pitch[2];                                         \
        const eagle_at  at = eagle_cell(&g, &b, x, row, z);                                                           \
        OUT = (double)EG_DEVICE_POINT_(K, L);                                                                         \
    }

#define EG_ENTRY_REDUCING(K, P, L, REDUCES)                                                                           \
    static __global__ void __launch_bounds__(EG_REDUCE_THREADS) EG_CAT_(K, _sum)(EG_DEVICE_ARGS_(P, L))               \
    {                                                                                                                 \
        const int64_t     tiles_x = (b.hi[0] - b.lo[0] + EG_TILE_X - 1) / EG_TILE_X;                                  \
        const int64_t     tile_y = EG_TILE_Y * EG_TILE_ROWS, tiles_y = (b.hi[1] - b.lo[1] + tile_y - 1) / tile_y;     \
        const int64_t     tiles = tiles_x * tiles_y * (b.hi[2] - b.lo[2]);                                            \
        const eagle_clock now = clock->now;                                                                           \
        const int         thread = (int)(threadIdx.x + threadIdx.y * EG_TILE_X), lane EG_UNUSED_ = 0;                 \
        eagle_partial     mine;                                                                                       \
        if (clock->over) return;                                                                                      \
        eg_partial_clear(&mine, REDUCES);                                                                             \
        for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {                                            \
            const int64_t x = b.lo[0] + tile % tiles_x * EG_TILE_X + threadIdx.x;                                     \
            const int64_t y0 = b.lo[1] + tile / tiles_x % tiles_y * tile_y + threadIdx.y * EG_TILE_ROWS;              \
            const int64_t z = b.lo[2] + tile / tiles_x / tiles_y;                                                     \
            double        value[EG_TILE_ROWS];                                                                        \
            if (x >= b.hi[0]) continue;                                                                               \
            if (y0 + EG_TILE_ROWS <= b.hi[1]) {                                                                       \
                _Pragma("unroll")                                                                                     \
                for (int r = 0; r < EG_TILE_ROWS; r++) EG_VALUE_(value[r], y0 + r, K, L)                              \
                eg_partial_add(&mine, REDUCES, value, EG_TILE_ROWS);                                                  \
                continue;                                                                                             \
            }                                                                                                         \
            _Pragma("unroll 1")                                                                                       \
            for (int64_t y = y0; y < b.hi[1]; y++) {                                                                  \
                EG_VALUE_(value[0], y, K, L)                                                                          \
                eg_partial_add(&mine, REDUCES, value, 1);                                                             \
            }                                                                                                         \
        }                                                                                                             \
        eg_merge_blocks(&mine, thread, REDUCES, workspace);                                                           \
    }                                                                                                                 \
    static const eagle_device_form EG_CAT_(K, _form) = {                                                              \
        { EG_TILE_X, EG_TILE_Y, 1 }, EG_REDUCE_BLOCKS, { (const void *)EG_CAT_(K, _sum), EG_TILE_ROWS, 1 },           \
        { (const void *)EG_CAT_(K, _sum), EG_TILE_ROWS, 1 }                                                           \
    };

#define EG_DESCRIBE_(NAME, K, P, L, REDUCES)                                                                          \
    extern "C" const eagle_device_form *EG_CAT_(K, _device)(void) { return &EG_CAT_(K, _form); }

#define EG_TUNED_DEVICE_(NAME, K, P, TX, TY, ROWS, LAYERS)                                                            \
    EG_FN_ void EG_CAT_(K, _tuned_body)(NAME##_planes(EG_ARG_) EG_TUNED_ARGS_(P));                                    \
    static __global__ void __launch_bounds__((TX) * (TY)) EG_CAT_(K, _tuned)(EG_DEVICE_ARGS_(P, NAME##_planes))       \
    {                                                                                                                 \
        const ptrdiff_t c EG_UNUSED_ = 0;                                                                             \
        const int       lane EG_UNUSED_ = 0;                                                                          \
        if (clock->over) return;                                                                                      \
        EG_CAT_(K, _tuned_body)(NAME##_planes(EG_HAND_) 1, g.pitch[1], g.pitch[2], g.pitch[3], &g, &b,                \
                                clock->now, &p);                                                                      \
    }                                                                                                                 \
    static const eagle_device_form EG_CAT_(K, _tuned_form) = {                                                        \
        { TX, TY, 1 }, 0, { NULL, 0, 0 }, { (const void *)EG_CAT_(K, _tuned), ROWS, LAYERS },                         \
        { (const void *)EG_CAT_(K, _tuned), ROWS, LAYERS }                                                            \
    };                                                                                                                \
    extern "C" const eagle_device_form *EG_CAT_(K, _tuned_device)(void) { return &EG_CAT_(K, _tuned_form); }          \
    EG_FN_ void EG_CAT_(K, _tuned_body)(NAME##_planes(EG_ARG_) EG_TUNED_ARGS_(P))

#endif
