/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The libcuda.so.1 of the bench: the shortest possible functions, so that the counts show the path
 * to them. Events and streams are numbers, and all work is complete. tests/drivers/fake cannot
 * replace it, because those drivers count their calls and return codes other than success.
 */
#include <stdint.h>

#include <cuda.h>

/* A handle that is not NULL. */
#define HANDLE ((void *)(uintptr_t)64)

CUresult CUDAAPI cuInit(unsigned int flags)
{
    (void)flags;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDriverGetVersion(int *version)
{
    *version = 12080;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    (void)device;
    *context = HANDLE;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDevicePrimaryCtxRelease(CUdevice device)
{
    (void)device;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxSetCurrent(CUcontext context)
{
    (void)context;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxGetCurrent(CUcontext *context)
{
    *context = HANDLE;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxPushCurrent(CUcontext context)
{
    (void)context;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxPopCurrent(CUcontext *context)
{
    *context = HANDLE;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority)
{
    (void)flags;
    (void)priority;
    *stream = HANDLE;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuStreamDestroy(CUstream stream)
{
    (void)stream;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuStreamQuery(CUstream stream)
{
    (void)stream;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuStreamSynchronize(CUstream stream)
{
    (void)stream;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags)
{
    (void)stream;
    (void)event;
    (void)flags;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuEventCreate(CUevent *event, unsigned int flags)
{
    (void)flags;
    *event = HANDLE;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuEventDestroy(CUevent event)
{
    (void)event;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuEventRecord(CUevent event, CUstream stream)
{
    (void)event;
    (void)stream;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuEventQuery(CUevent event)
{
    (void)event;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuEventSynchronize(CUevent event)
{
    (void)event;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuEventElapsedTime(float *ms, CUevent start, CUevent end)
{
    (void)start;
    (void)end;
    *ms = 0;
    return CUDA_SUCCESS;
}

/* If the header maps the name to version 2, this is the first version. */
#ifdef cuEventElapsedTime
#undef cuEventElapsedTime
CUresult CUDAAPI cuEventElapsedTime(float *ms, CUevent start, CUevent end);

CUresult CUDAAPI cuEventElapsedTime(float *ms, CUevent start, CUevent end)
{
    return cuEventElapsedTime_v2(ms, start, end);
}
#endif
