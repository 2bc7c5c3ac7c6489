/* copy_cuda.c - the copy that kernels are measured against on a GPU. */
#include <cuda_runtime_api.h>

#include "bench.h"

eagle_status bench_copy_device(void *to, const void *from, size_t bytes, int n)
{
    cudaError_t error = cudaSuccess;

    for (int i = 0; i < n && error == cudaSuccess; i++)
        error = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, cudaStreamPerThread);
    if (error == cudaSuccess) error = cudaStreamSynchronize(cudaStreamPerThread);
    if (error == cudaSuccess) return EAGLE_OK;
    return eagle_fail(EAGLE_ERR_CUDA, "look at nvidia-smi", "cudaMemcpyAsync failed: %s (%d)", cudaGetErrorName(error), (int)error);
}
