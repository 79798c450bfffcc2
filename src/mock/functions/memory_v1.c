/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory calls of the first ABI, with 32-bit addresses (driver-semantics.md #97). Drivers still
 * export them, and they work in contexts of the first ABI of cuCtxCreate. In other contexts, where
 * addresses have 64 bits, all of them return INVALID_CONTEXT and write zeros to their outputs.
 */
#include "src/mock/context/context.h"
#include "src/mock/functions/functions.h"

/*
 * Also cuArrayCreate, cuArray3DCreate, cuMemcpyDtoH, cuMemcpyDtoD, cuMemcpyDtoA, cuMemcpyAtoD,
 * cuMemcpyHtoA, cuMemcpyAtoH, cuMemcpyAtoA, cuMemcpyHtoAAsync, cuMemcpyAtoHAsync,
 * cuMemcpyHtoDAsync, cuMemcpyDtoHAsync, cuMemcpyDtoDAsync, cuMemcpy2D, cuMemcpy2DUnaligned,
 * cuMemcpy2DAsync, cuMemcpy3D, cuMemcpy3DAsync, cuMemsetD8, cuMemsetD16, cuMemsetD32, cuMemsetD2D8,
 * cuMemsetD2D16, cuMemsetD2D32. None of these has an output.
 */
CUresult cushim__mock_MemcpyHtoD(void)
{
    return CUDA_ERROR_INVALID_CONTEXT;
}

static CUresult refuse_and_clear(unsigned *one, unsigned *other)
{
    struct mock_context *context;
    CUresult code = cushim__mock_context_current(&context);

    if (one)
        *one = 0;
    if (other)
        *other = 0;
    return code ? code : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cushim__mock_MemGetInfo(unsigned int *free, unsigned int *total)
{
    return refuse_and_clear(free, total);
}

CUresult cushim__mock_MemAlloc(unsigned int *dptr)
{
    return refuse_and_clear(dptr, NULL);
}

CUresult cushim__mock_MemAllocPitch(unsigned int *dptr, unsigned int *pPitch)
{
    return refuse_and_clear(dptr, pPitch);
}

CUresult cushim__mock_MemHostGetDevicePointer(unsigned int *pdptr)
{
    return refuse_and_clear(pdptr, NULL);
}

CUresult cushim__mock_MemGetAddressRange(unsigned int *pbase, unsigned int *psize)
{
    return pbase || psize ? refuse_and_clear(pbase, psize) : CUDA_SUCCESS;
}

CUresult cushim__mock_MemFree(unsigned int dptr)
{
    return dptr == 0 && !cushim__mock_context_top() ? CUDA_SUCCESS : refuse_and_clear(NULL, NULL);
}

CUresult cushim__mock_MemAllocHost(void **pp)
{
    if (pp)
        *pp = NULL;
    return refuse_and_clear(NULL, NULL);
}

/* Also cuArray3DGetDescriptor. */
CUresult cushim__mock_ArrayGetDescriptor(void)
{
    return CUDA_ERROR_INVALID_CONTEXT;
}
