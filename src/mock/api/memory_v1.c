/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory by the first ABI, with addresses of 32 bits (statement 97). It is exported still, and of
 * use in contexts that cuCtxCreate itself made; in others, where addresses have 64 bits, all of it
 * answers INVALID_CONTEXT, and what it would have written is zero.
 */
#include "src/mock/api/api.h"
#include "src/mock/api/array.h"
#include "src/mock/api/context.h"

/* What every call answers. */
static CUresult refuse(void)
{
    struct mock_context *context;
    CUresult code = cushim__mock_context_current(&context);

    return code ? code : CUDA_ERROR_INVALID_CONTEXT;
}

static CUresult refuse_and_clear(unsigned *one, unsigned *other)
{
    if (one)
        *one = 0;
    if (other)
        *other = 0;
    return refuse();
}

static CUresult refuse_array(CUarray handle)
{
    struct mock_array *array;
    CUresult code = cushim__mock_array_find(handle, &array);

    return code ? code : refuse();
}

MOCK_APPROXIMATE(MemGetInfo,
                 "contexts of cuCtxCreate itself, with addresses of 32 bits, have no memory: 201")
(unsigned int *free, unsigned int *total)
{
    return refuse_and_clear(free, total);
}

MOCK_APPROXIMATE(MemAlloc,
                 "contexts of cuCtxCreate itself, with addresses of 32 bits, have no memory: 201")
(unsigned int *dptr, unsigned int bytesize)
{
    (void)bytesize;
    return refuse_and_clear(dptr, NULL);
}

MOCK_APPROXIMATE(MemAllocPitch,
                 "contexts of cuCtxCreate itself, with addresses of 32 bits, have no memory: 201")
(unsigned int *dptr, unsigned int *pPitch, unsigned int WidthInBytes, unsigned int Height,
 unsigned int ElementSizeBytes)
{
    (void)WidthInBytes;
    (void)Height;
    (void)ElementSizeBytes;
    return refuse_and_clear(dptr, pPitch);
}

MOCK_APPROXIMATE(MemFree,
                 "contexts of cuCtxCreate itself, with addresses of 32 bits, have no memory: 201")
(unsigned int dptr)
{
    return dptr == 0 && !cushim__mock_context_top() ? CUDA_SUCCESS : refuse();
}

MOCK_APPROXIMATE(MemGetAddressRange,
                 "contexts of cuCtxCreate itself, with addresses of 32 bits, have no memory: 201")
(unsigned int *pbase, unsigned int *psize, unsigned int dptr)
{
    (void)dptr;
    return pbase || psize ? refuse_and_clear(pbase, psize) : CUDA_SUCCESS;
}

MOCK_APPROXIMATE(MemAllocHost,
                 "contexts of cuCtxCreate itself, with addresses of 32 bits, have no memory: 201")
(void **pp, unsigned int bytesize)
{
    (void)bytesize;
    if (pp)
        *pp = NULL;
    return refuse();
}

MOCK_APPROXIMATE(MemHostGetDevicePointer,
                 "contexts of cuCtxCreate itself, with addresses of 32 bits, have no memory: 201")
(unsigned int *pdptr, void *p, unsigned int Flags)
{
    (void)p;
    (void)Flags;
    return refuse_and_clear(pdptr, NULL);
}

MOCK_APPROXIMATE(ArrayCreate,
                 "contexts of cuCtxCreate itself, with addresses of 32 bits, have no memory: 201")
(CUarray *pHandle, const struct CUDA_ARRAY_DESCRIPTOR_v1_st *pAllocateArray)
{
    (void)pHandle;
    (void)pAllocateArray;
    return refuse();
}

MOCK_APPROXIMATE(ArrayGetDescriptor,
                 "contexts of cuCtxCreate itself, with addresses of 32 bits, have no memory: 201")
(struct CUDA_ARRAY_DESCRIPTOR_v1_st *pArrayDescriptor, CUarray hArray)
{
    (void)pArrayDescriptor;
    return refuse_array(hArray);
}

MOCK_APPROXIMATE(Array3DCreate,
                 "contexts of cuCtxCreate itself, with addresses of 32 bits, have no memory: 201")
(CUarray *pHandle, const struct CUDA_ARRAY3D_DESCRIPTOR_v1_st *pAllocateArray)
{
    (void)pHandle;
    (void)pAllocateArray;
    return refuse();
}

MOCK_APPROXIMATE(Array3DGetDescriptor,
                 "contexts of cuCtxCreate itself, with addresses of 32 bits, have no memory: 201")
(struct CUDA_ARRAY3D_DESCRIPTOR_v1_st *pArrayDescriptor, CUarray hArray)
{
    (void)pArrayDescriptor;
    return refuse_array(hArray);
}
