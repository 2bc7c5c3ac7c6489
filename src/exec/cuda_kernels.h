/* cuda_kernels.h - the engine's own device code, as C sees it. */
#ifndef EG_CUDA_KERNELS_H
#define EG_CUDA_KERNELS_H

#include <cuda_runtime_api.h>

#include "eagle/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One box of a copy, in units of `bytes` (1, 2, 4, 8 or 16); the first axis varies fastest. */
enum { EG_CUDA_AXES = EAGLE_MAX_RANK + 1 };
typedef struct eg_cuda_box {
    const char *from;
    char       *to;
    int64_t     first; /* units of the boxes before this one */
    int64_t     from_step[EG_CUDA_AXES], to_step[EG_CUDA_AXES]; /* bytes */
    uint32_t    n[EG_CUDA_AXES], bytes;
} eg_cuda_box;

/* Functions for kernel nodes: tick(eg_clock *), move(const eg_cuda_box *, int n, int64_t units, const eg_clock *). */
const void *eg_cuda_tick_function(void);
const void *eg_cuda_move_function(void);

/* In the order of the stream: sets a clock; copies one; advances one by what the step before allowed. The last leaves a
 * copy in `told`, which is pinned, and counts void replays. */
cudaError_t eg_cuda_set_clock(cudaStream_t stream, eg_clock *clock, const eg_clock *value);
cudaError_t eg_cuda_copy_clock(cudaStream_t stream, eg_clock *clock, const eg_clock *from);
cudaError_t eg_cuda_advance_clock(cudaStream_t stream, eg_clock *clock, const double *allowed, eg_clock *told);

#ifdef __cplusplus
}
#endif
#endif
