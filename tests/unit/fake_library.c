/* SPDX-License-Identifier: Apache-2.0 */
/* The smallest driver library that can be initialised. See fake.h. */
#include <stdatomic.h>

#include "fake.h"

static atomic_bool initialised;
static atomic_uint version_calls;

CUresult CUDAAPI cuInit(unsigned int flags)
{
    (void)flags;
    atomic_store(&initialised, true);
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDriverGetVersion(int *version)
{
    atomic_fetch_add(&version_calls, 1);
    *version = FAKE_LIBRARY_VERSION;
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
    (void)event;
    return (CUresult)FAKE_LIBRARY_ANSWER;
}

unsigned fake_library_version_calls(void);
unsigned fake_library_version_calls(void)
{
    return atomic_load(&version_calls);
}
