/* cuda_kernels.cu - the engine's own device code: the clock, and the copy of a list of boxes. */
#include "exec/cuda_kernels.h"

static __global__ void tick(eg_clock *c) { eg_clock_tick(c); }

static __global__ void set_clock(eg_clock *c, eg_clock value) { *c = value; }

static __global__ void copy_clock(eg_clock *c, const eg_clock *from) { *c = *from; }

static __global__ void advance_clock(eg_clock *c, const double *allowed, eg_clock *told)
{
    eg_clock_advance(c, *allowed);
    if (c->over != EG_CLOCK_RUNS) c->voids++;
    *told = *c;
}

static __device__ int box_of(const eg_cuda_box *boxes, int n, int64_t unit)
{
    int lo = 0, hi = n;

    while (hi - lo > 1) {
        const int middle = (lo + hi) / 2;
        if (boxes[middle].first <= unit)
            lo = middle;
        else
            hi = middle;
    }
    return lo;
}

static __device__ void move_unit(const eg_cuda_box *b, uint32_t rest)
{
    int64_t from = 0, to = 0;

#pragma unroll
    for (int a = 0; a < EG_CUDA_AXES; a++) {
        if (b->n[a] == 1) continue;
        const uint32_t i = rest % b->n[a];
        rest /= b->n[a];
        from += i * b->from_step[a];
        to += i * b->to_step[a];
    }
    switch (b->bytes) {
    case 16: *(uint4 *)(b->to + to) = *(const uint4 *)(b->from + from); break;
    case 8: *(uint2 *)(b->to + to) = *(const uint2 *)(b->from + from); break;
    case 4: *(uint32_t *)(b->to + to) = *(const uint32_t *)(b->from + from); break;
    case 2: *(uint16_t *)(b->to + to) = *(const uint16_t *)(b->from + from); break;
    default: b->to[to] = b->from[from];
    }
}

static __global__ void __launch_bounds__(256) move(const eg_cuda_box *boxes, int n, int64_t units, const eg_clock *clock)
{
    const int64_t step = (int64_t)gridDim.x * blockDim.x;

    if (clock->over) return;
    for (int64_t unit = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; unit < units; unit += step) {
        const eg_cuda_box *box = &boxes[box_of(boxes, n, unit)];
        move_unit(box, (uint32_t)(unit - box->first));
    }
}

const void *eg_cuda_tick_function(void) { return (const void *)tick; }

const void *eg_cuda_move_function(void) { return (const void *)move; }

cudaError_t eg_cuda_set_clock(cudaStream_t stream, eg_clock *clock, const eg_clock *value)
{
    set_clock<<<1, 1, 0, stream>>>(clock, *value);
    return cudaGetLastError();
}

cudaError_t eg_cuda_copy_clock(cudaStream_t stream, eg_clock *clock, const eg_clock *from)
{
    copy_clock<<<1, 1, 0, stream>>>(clock, from);
    return cudaGetLastError();
}

cudaError_t eg_cuda_advance_clock(cudaStream_t stream, eg_clock *clock, const double *allowed, eg_clock *told)
{
    advance_clock<<<1, 1, 0, stream>>>(clock, allowed, told);
    return cudaGetLastError();
}
