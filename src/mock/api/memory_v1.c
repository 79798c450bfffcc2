/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory calls of the first ABI, with 32-bit addresses (driver-semantics.md #97). They are
 * still exported, and of use in contexts that cuCtxCreate itself made; in others, where addresses
 * have 64 bits, all of them return INVALID_CONTEXT, and what they would have written is zero.
 */
#include "src/mock/api/api.h"
#include "src/mock/api/context.h"
#include "src/mock/api/copy.h"

/* These functions have no outputs. */
MOCK_ALSO(ArrayCreate, Array3DCreate, MemcpyDtoH, MemcpyDtoD, MemcpyDtoA, MemcpyAtoD, MemcpyHtoA,
          MemcpyAtoH, MemcpyAtoA, MemcpyHtoAAsync, MemcpyAtoHAsync, MemcpyHtoDAsync,
          MemcpyDtoHAsync, MemcpyDtoDAsync, Memcpy2D, Memcpy2DUnaligned, Memcpy2DAsync, Memcpy3D,
          Memcpy3DAsync, MemsetD8, MemsetD16, MemsetD32, MemsetD2D8, MemsetD2D16, MemsetD2D32)
MOCK_APPROXIMATE(MemcpyHtoD,
                 "contexts of cuCtxCreate itself, with addresses of 32 bits, have no memory: 201")
(const struct mock_context *current)
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

MOCK_APPROXIMATE(MemGetInfo, "as cuMemcpyHtoD")(unsigned int *free, unsigned int *total)
{
    return refuse_and_clear(free, total);
}

MOCK_APPROXIMATE(MemAlloc, "as cuMemcpyHtoD")(unsigned int *dptr)
{
    return refuse_and_clear(dptr, NULL);
}

MOCK_APPROXIMATE(MemAllocPitch, "as cuMemcpyHtoD")(unsigned int *dptr, unsigned int *pPitch)
{
    return refuse_and_clear(dptr, pPitch);
}

MOCK_APPROXIMATE(MemHostGetDevicePointer, "as cuMemcpyHtoD")(unsigned int *pdptr)
{
    return refuse_and_clear(pdptr, NULL);
}

MOCK_APPROXIMATE(MemGetAddressRange, "as cuMemcpyHtoD")(unsigned int *pbase, unsigned int *psize)
{
    return pbase || psize ? refuse_and_clear(pbase, psize) : CUDA_SUCCESS;
}

MOCK_APPROXIMATE(MemFree, "as cuMemcpyHtoD")(unsigned int dptr)
{
    return dptr == 0 && !cushim__mock_context_top() ? CUDA_SUCCESS : refuse_and_clear(NULL, NULL);
}

MOCK_APPROXIMATE(MemAllocHost, "as cuMemcpyHtoD")(void **pp)
{
    if (pp)
        *pp = NULL;
    return refuse_and_clear(NULL, NULL);
}

MOCK_ALSO(Array3DGetDescriptor)
MOCK_APPROXIMATE(ArrayGetDescriptor, "as cuMemcpyHtoD")
(const struct mock_array *array, const struct mock_context *current)
{
    return CUDA_ERROR_INVALID_CONTEXT;
}
