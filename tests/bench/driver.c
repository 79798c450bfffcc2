/* SPDX-License-Identifier: Apache-2.0 */
/* The libcuda.so.1 that the programs call: the shortest cuEventQuery there is. */
#include <cuda.h>

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

CUresult CUDAAPI cuEventQuery(CUevent event)
{
    (void)event;
    return CUDA_SUCCESS;
}
