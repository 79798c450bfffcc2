/* SPDX-License-Identifier: Apache-2.0 */
/* The smallest driver library that can be initialised. See fake.h. */
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "fake.h"

/* The process that has initialised it; 0: none. As in a real driver, no child of it can. */
static atomic_long initialised;
static atomic_uint version_calls;

__attribute__((constructor)) static void construct(void)
{
    const char *address = getenv("FAKE_LIBRARY_CONSTRUCTOR");

    if (address)
        ((void (*)(void))(uintptr_t)strtoull(address, NULL, 16))();
}

CUresult CUDAAPI cuInit(unsigned int flags)
{
    const long former = atomic_load(&initialised);

    if (former && former != (long)getpid())
        return CUDA_ERROR_NOT_INITIALIZED;
    atomic_store(&initialised, (long)getpid());
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDriverGetVersion(int *version)
{
    atomic_fetch_add(&version_calls, 1);
    *version = FAKE_VERSION;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDeviceGetCount(int *count)
{
    if (!atomic_load(&initialised))
        return CUDA_ERROR_NOT_INITIALIZED;
    *count = 1;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuEventQuery(CUevent event)
{
    return (CUresult)FAKE_LIBRARY_ANSWER;
}

/* These take their arguments if they are the ones of lazy_load_test.c. */

#define HANDLE(type, number) ((type)(uintptr_t)(number))

CUresult CUDAAPI cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes)
{
    return to == UINT64_MAX - 1 && from == HANDLE(void *, 1) && bytes == SIZE_MAX - 2
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}

CUresult CUDAAPI cuTexRefSetMipmapLevelClamp(CUtexref texture, float low, float high)
{
    return texture == HANDLE(CUtexref, 5) && low == 0.25f && high == -7.5f
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}

CUresult CUDAAPI cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz,
                                unsigned bx, unsigned by, unsigned bz, unsigned bytes,
                                CUstream stream, void **parameters, void **extra)
{
    return function == HANDLE(CUfunction, 1) && gx == 2 && gy == 3 && gz == 4 && bx == 5 &&
                   by == 6 && bz == 7 && bytes == 8 && stream == HANDLE(CUstream, 9) &&
                   parameters == HANDLE(void **, 10) && extra == HANDLE(void **, 11)
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}

unsigned fake_library_version_calls(void);
unsigned fake_library_version_calls(void)
{
    return atomic_load(&version_calls);
}
