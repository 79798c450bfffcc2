/* SPDX-License-Identifier: Apache-2.0 */
#include "blend.h"

CUresult blend(unsigned char *image, const unsigned char *top, const unsigned char *bottom,
               size_t bytes)
{
    const struct cushim_table *driver = cushim_driver();
    CUdeviceptr first = 0, both = 0;
    CUresult code = driver->MemAlloc_v2(&first, bytes);

    if (code == CUDA_SUCCESS)
        code = driver->MemAlloc_v2(&both, 2 * bytes);
    if (code == CUDA_SUCCESS)
        code = driver->MemcpyHtoD_v2(first, top, bytes);
    if (code == CUDA_SUCCESS)
        code = driver->MemcpyDtoD_v2(both, first, bytes);
    if (code == CUDA_SUCCESS)
        code = driver->MemcpyHtoD_v2(both + bytes, bottom, bytes);
    if (code == CUDA_SUCCESS)
        code = driver->MemcpyDtoH_v2(image, both, 2 * bytes);
    if (both)
        driver->MemFree_v2(both);
#ifndef WITH_BUG
    if (first)
        driver->MemFree_v2(first);
#endif
    return code;
}
