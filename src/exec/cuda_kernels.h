/* cuda_kernels.h - the engine's own device code, as C sees it. */
#ifndef EG_CUDA_KERNELS_H
#define EG_CUDA_KERNELS_H

#include <cuda_runtime_api.h>

#include "eagle/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A clock in device memory: t = base_t + (step - base_step) dt. Kernels see `now`. */
typedef struct eg_cuda_clock {
    eagle_clock now;
    int64_t     base_step;
    double      base_t;
} eg_cuda_clock;

/* One box of a copy, in units of `bytes` (1, 2, 4, 8 or 16); the first axis varies fastest. */
enum { EG_CUDA_AXES = EAGLE_MAX_RANK + 1 };
typedef struct eg_cuda_box {
    const char *from;
    char       *to;
    int64_t     first; /* units of the boxes before this one */
    int64_t     from_step[EG_CUDA_AXES], to_step[EG_CUDA_AXES]; /* bytes */
    uint32_t    n[EG_CUDA_AXES], bytes;
} eg_cuda_box;

/* Functions for kernel nodes: tick(eg_cuda_clock *), move(const eg_cuda_box *, int n, int64_t units). */
const void *eg_cuda_tick_function(void);
const void *eg_cuda_move_function(void);

/* Sets a clock, in the order of the stream. */
cudaError_t eg_cuda_set_clock(cudaStream_t stream, eg_cuda_clock *clock, const eg_cuda_clock *value);

#ifdef __cplusplus
}
#endif
#endif
