/* cuda_calls.h - functions of CUDA's runtime that a replay may not call, X(kind, name, parameters, arguments): the
 * linker puts those of test_cuda_calls.c in their place. Below, those that it may call, and harmless ones of set-up. tests/meta/test_cuda_calls.py refuses a call in src/exec that stands nowhere here. */
#ifndef CUDA_CALLS_H
#define CUDA_CALLS_H

#define COUNTED_CALLS(X)                                                                                              \
    X(MAKES, cudaMalloc, (void **out, size_t bytes), (out, bytes))                                                    \
    X(MAKES, cudaMallocAsync, (void **out, size_t bytes, cudaStream_t s), (out, bytes, s))                            \
    X(MAKES, cudaMallocHost, (void **out, size_t bytes), (out, bytes))                                                \
    X(MAKES, cudaHostAlloc, (void **out, size_t bytes, unsigned flags), (out, bytes, flags))                          \
    X(MAKES, cudaHostRegister, (void *at, size_t bytes, unsigned flags), (at, bytes, flags))                          \
    X(MAKES, cudaStreamCreateWithFlags, (cudaStream_t *out, unsigned flags), (out, flags))                            \
    X(MAKES, cudaEventCreateWithFlags, (cudaEvent_t *out, unsigned flags), (out, flags))                              \
    X(MAKES, cudaGraphCreate, (cudaGraph_t *out, unsigned flags), (out, flags))                                       \
    X(MAKES, cudaGraphInstantiate, (cudaGraphExec_t *out, cudaGraph_t g, unsigned long long flags), (out, g, flags))  \
    X(MAKES, cudaGraphUpload, (cudaGraphExec_t g, cudaStream_t s), (g, s))                                            \
    X(MAKES, cudaGraphAddHostNode, (cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *after, size_t n,      \
                                    const struct cudaHostNodeParams *p), (out, g, after, n, p))                       \
    X(MAKES, cudaGraphAddKernelNode, (cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *after, size_t n,    \
                                      const struct cudaKernelNodeParams *p), (out, g, after, n, p))                   \
    X(MAKES, cudaGraphAddMemcpyNode, (cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *after, size_t n,    \
                                      const struct cudaMemcpy3DParms *p), (out, g, after, n, p))                      \
    X(MAKES, cudaGraphAddMemcpyNode1D, (cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *after, size_t n,  \
                                        void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind),          \
      (out, g, after, n, to, from, bytes, kind))                                                                      \
    X(FREES, cudaFree, (void *at), (at))                                                                              \
    X(FREES, cudaFreeAsync, (void *at, cudaStream_t s), (at, s))                                                      \
    X(FREES, cudaFreeHost, (void *at), (at))                                                                          \
    X(FREES, cudaHostUnregister, (void *at), (at))                                                                    \
    X(FREES, cudaStreamDestroy, (cudaStream_t s), (s))                                                                \
    X(FREES, cudaEventDestroy, (cudaEvent_t e), (e))                                                                  \
    X(FREES, cudaGraphDestroy, (cudaGraph_t g), (g))                                                                  \
    X(FREES, cudaGraphExecDestroy, (cudaGraphExec_t g), (g))                                                          \
    X(WAITS, cudaDeviceSynchronize, (void), ())                                                                       \
    X(WAITS, cudaStreamSynchronize, (cudaStream_t s), (s))                                                            \
    X(WAITS, cudaEventSynchronize, (cudaEvent_t e), (e))                                                              \
    X(WAITS, cudaMemcpy, (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind),                         \
      (to, from, bytes, kind))                                                                                        \
    X(WAITS, cudaMemset, (void *at, int value, size_t bytes), (at, value, bytes))

/* In a replay: cudaGraphLaunch cudaEventRecord cudaEventQuery cudaStreamQuery cudaStreamWaitEvent cudaSetDevice
 *     cudaGetLastError cudaGetErrorName cudaGetErrorString
 * They only ask, or put into a stream's queue: cudaMemcpyAsync cudaMemsetAsync cudaMemGetInfo cudaGraphGetNodes
 *     cudaGetDeviceCount cudaGetDeviceProperties cudaGetDriverEntryPoint cudaGetDriverEntryPointByVersion
 *     cudaFuncGetAttributes cudaLaunchKernel */
#endif
