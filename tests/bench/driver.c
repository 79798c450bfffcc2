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

#define FUNCTION(name, parameters, work) \
    CUresult CUDAAPI name parameters     \
    {                                    \
        work;                            \
        return CUDA_SUCCESS;             \
    }
#define NOTHING (void)0

FUNCTION(cuInit, (unsigned int flags), NOTHING)
FUNCTION(cuDriverGetVersion, (int *version), *version = 12080)
FUNCTION(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device), *context = HANDLE)
FUNCTION(cuDevicePrimaryCtxRelease, (CUdevice device), NOTHING)
FUNCTION(cuCtxSetCurrent, (CUcontext context), NOTHING)
FUNCTION(cuCtxGetCurrent, (CUcontext * context), *context = HANDLE)
FUNCTION(cuCtxPushCurrent, (CUcontext context), NOTHING)
FUNCTION(cuCtxPopCurrent, (CUcontext * context), *context = HANDLE)
FUNCTION(cuStreamCreateWithPriority, (CUstream * stream, unsigned int flags, int priority),
         *stream = HANDLE)
FUNCTION(cuStreamDestroy, (CUstream stream), NOTHING)
FUNCTION(cuStreamQuery, (CUstream stream), NOTHING)
FUNCTION(cuStreamSynchronize, (CUstream stream), NOTHING)
FUNCTION(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned int flags), NOTHING)
FUNCTION(cuEventCreate, (CUevent * event, unsigned int flags), *event = HANDLE)
FUNCTION(cuEventDestroy, (CUevent event), NOTHING)
FUNCTION(cuEventRecord, (CUevent event, CUstream stream), NOTHING)
FUNCTION(cuEventQuery, (CUevent event), NOTHING)
FUNCTION(cuEventSynchronize, (CUevent event), NOTHING)
FUNCTION(cuEventElapsedTime, (float *ms, CUevent start, CUevent end), *ms = 0)

/* If the header maps the name to version 2, this is the first version. */
#ifdef cuEventElapsedTime
#undef cuEventElapsedTime
CUresult CUDAAPI cuEventElapsedTime(float *ms, CUevent start, CUevent end);

CUresult CUDAAPI cuEventElapsedTime(float *ms, CUevent start, CUevent end)
{
    return cuEventElapsedTime_v2(ms, start, end);
}
#endif
