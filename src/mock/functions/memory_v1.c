/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory calls of the first ABI, with 32-bit addresses (driver-semantics.md #97). Drivers still
 * export them, and they work in contexts of the first ABI of cuCtxCreate. In other contexts, where
 * addresses have 64 bits, all of them return INVALID_CONTEXT.
 */
#include "src/mock/context/context.h"
#include "src/mock/functions/functions.h"

/*
 * Also cuMemGetInfo, cuMemAlloc, cuMemAllocPitch, cuMemAllocHost, cuMemHostGetDevicePointer,
 * cuArrayCreate, cuArray3DCreate, cuMemcpyDtoH, cuMemcpyDtoD, cuMemcpyDtoA, cuMemcpyAtoD,
 * cuMemcpyHtoA, cuMemcpyAtoH, cuMemcpyAtoA, cuMemcpyHtoAAsync, cuMemcpyAtoHAsync,
 * cuMemcpyHtoDAsync, cuMemcpyDtoHAsync, cuMemcpyDtoDAsync, cuMemcpy2D, cuMemcpy2DUnaligned,
 * cuMemcpy2DAsync, cuMemcpy3D, cuMemcpy3DAsync, cuMemsetD8, cuMemsetD16, cuMemsetD32, cuMemsetD2D8,
 * cuMemsetD2D16, cuMemsetD2D32.
 */
CUresult cushim__mock_MemcpyHtoD(void)
{
    return CUDA_ERROR_INVALID_CONTEXT;
}

static CUresult refuse(void)
{
    struct mock_context *context;
    CUresult code = cushim__mock_context_current(&context);

    return code ? code : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cushim__mock_MemGetAddressRange(unsigned int *pbase, unsigned int *psize)
{
    return pbase || psize ? refuse() : CUDA_SUCCESS;
}

CUresult cushim__mock_MemFree(unsigned int dptr)
{
    return dptr == 0 && !cushim__mock_context_top() ? CUDA_SUCCESS : refuse();
}

/* Also cuArray3DGetDescriptor. */
CUresult cushim__mock_ArrayGetDescriptor(void)
{
    return CUDA_ERROR_INVALID_CONTEXT;
}
