/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory by the first ABI, with addresses of 32 bits (statement 97). It is exported still, and of
 * use in contexts that cuCtxCreate itself made; in others, where addresses have 64 bits, all of it
 * answers INVALID_CONTEXT, and what it would have written is zero.
 */
#include "src/mock/api/api.h"
#include "src/mock/api/context.h"
#include "src/mock/api/copy.h"

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

/*
 * Copies and sets by the first ABI, with addresses of 32 bits (statement 97). It is exported still,
 * and of use in contexts that cuCtxCreate itself made; in others, where addresses have 64 bits, all
 * of it answers INVALID_CONTEXT.
 */

/* What every call answers. */
static CUresult refuse_copy(void)
{
    struct mock_context *context;
    CUresult code = cushim__mock_context_current(&context);

    return code ? code : CUDA_ERROR_INVALID_CONTEXT;
}

MOCK_APPROXIMATE(MemcpyHtoD,
                 "contexts of cuCtxCreate itself, with addresses of 32 bits, have no memory: 201")
(unsigned int dstDevice, const void *srcHost, unsigned int ByteCount)
{
    (void)dstDevice;
    (void)srcHost;
    (void)ByteCount;
    return refuse_copy();
}

MOCK_APPROXIMATE(MemcpyDtoH,
                 "contexts of cuCtxCreate itself, with addresses of 32 bits, have no memory: 201")
(void *dstHost, unsigned int srcDevice, unsigned int ByteCount)
{
    (void)dstHost;
    (void)srcDevice;
    (void)ByteCount;
    return refuse_copy();
}

MOCK_APPROXIMATE(MemcpyDtoD,
                 "contexts of cuCtxCreate itself, with addresses of 32 bits, have no memory: 201")
(unsigned int dstDevice, unsigned int srcDevice, unsigned int ByteCount)
{
    (void)dstDevice;
    (void)srcDevice;
    (void)ByteCount;
    return refuse_copy();
}

MOCK_APPROXIMATE(MemcpyDtoA,
                 "contexts of cuCtxCreate itself, with addresses of 32 bits, have no memory: 201")
(CUarray dstArray, unsigned int dstOffset, unsigned int srcDevice, unsigned int ByteCount)
{
    (void)dstArray;
    (void)dstOffset;
    (void)srcDevice;
    (void)ByteCount;
    return refuse_copy();
}

MOCK_APPROXIMATE(MemcpyAtoD,
                 "contexts of cuCtxCreate itself, with addresses of 32 bits, have no memory: 201")
(unsigned int dstDevice, CUarray srcArray, unsigned int srcOffset, unsigned int ByteCount)
{
    (void)dstDevice;
    (void)srcArray;
    (void)srcOffset;
    (void)ByteCount;
    return refuse_copy();
}

MOCK_APPROXIMATE(MemcpyHtoA,
                 "contexts of cuCtxCreate itself, with addresses of 32 bits, have no memory: 201")
(CUarray dstArray, unsigned int dstOffset, const void *srcHost, unsigned int ByteCount)
{
    (void)dstArray;
    (void)dstOffset;
    (void)srcHost;
    (void)ByteCount;
    return refuse_copy();
}

MOCK_APPROXIMATE(MemcpyAtoH,
                 "contexts of cuCtxCreate itself, with addresses of 32 bits, have no memory: 201")
(void *dstHost, CUarray srcArray, unsigned int srcOffset, unsigned int ByteCount)
{
    (void)dstHost;
    (void)srcArray;
    (void)srcOffset;
    (void)ByteCount;
    return refuse_copy();
}

MOCK_APPROXIMATE(MemcpyAtoA,
                 "contexts of cuCtxCreate itself, with addresses of 32 bits, have no memory: 201")
(CUarray dstArray, unsigned int dstOffset, CUarray srcArray, unsigned int srcOffset,
 unsigned int ByteCount)
{
    (void)dstArray;
    (void)dstOffset;
    (void)srcArray;
    (void)srcOffset;
    (void)ByteCount;
    return refuse_copy();
}

MOCK_APPROXIMATE(MemcpyHtoAAsync,
                 "contexts of cuCtxCreate itself, with addresses of 32 bits, have no memory: 201")
(CUarray dstArray, unsigned int dstOffset, const void *srcHost, unsigned int ByteCount,
 CUstream hStream)
{
    (void)dstArray;
    (void)dstOffset;
    (void)srcHost;
    (void)ByteCount;
    (void)hStream;
    return refuse_copy();
}

MOCK_APPROXIMATE(MemcpyAtoHAsync,
                 "contexts of cuCtxCreate itself, with addresses of 32 bits, have no memory: 201")
(void *dstHost, CUarray srcArray, unsigned int srcOffset, unsigned int ByteCount, CUstream hStream)
{
    (void)dstHost;
    (void)srcArray;
    (void)srcOffset;
    (void)ByteCount;
    (void)hStream;
    return refuse_copy();
}

MOCK_APPROXIMATE(MemcpyHtoDAsync,
                 "contexts of cuCtxCreate itself, with addresses of 32 bits, have no memory: 201")
(unsigned int dstDevice, const void *srcHost, unsigned int ByteCount, CUstream hStream)
{
    (void)dstDevice;
    (void)srcHost;
    (void)ByteCount;
    (void)hStream;
    return refuse_copy();
}

MOCK_APPROXIMATE(MemcpyDtoHAsync,
                 "contexts of cuCtxCreate itself, with addresses of 32 bits, have no memory: 201")
(void *dstHost, unsigned int srcDevice, unsigned int ByteCount, CUstream hStream)
{
    (void)dstHost;
    (void)srcDevice;
    (void)ByteCount;
    (void)hStream;
    return refuse_copy();
}

MOCK_APPROXIMATE(MemcpyDtoDAsync,
                 "contexts of cuCtxCreate itself, with addresses of 32 bits, have no memory: 201")
(unsigned int dstDevice, unsigned int srcDevice, unsigned int ByteCount, CUstream hStream)
{
    (void)dstDevice;
    (void)srcDevice;
    (void)ByteCount;
    (void)hStream;
    return refuse_copy();
}

MOCK_APPROXIMATE(Memcpy2D,
                 "contexts of cuCtxCreate itself, with addresses of 32 bits, have no memory: 201")
(const struct CUDA_MEMCPY2D_v1_st *pCopy)
{
    (void)pCopy;
    return refuse_copy();
}

MOCK_APPROXIMATE(Memcpy2DUnaligned,
                 "contexts of cuCtxCreate itself, with addresses of 32 bits, have no memory: 201")
(const struct CUDA_MEMCPY2D_v1_st *pCopy)
{
    (void)pCopy;
    return refuse_copy();
}

MOCK_APPROXIMATE(Memcpy2DAsync,
                 "contexts of cuCtxCreate itself, with addresses of 32 bits, have no memory: 201")
(const struct CUDA_MEMCPY2D_v1_st *pCopy, CUstream hStream)
{
    (void)pCopy;
    (void)hStream;
    return refuse_copy();
}

MOCK_APPROXIMATE(Memcpy3D,
                 "contexts of cuCtxCreate itself, with addresses of 32 bits, have no memory: 201")
(const struct CUDA_MEMCPY3D_v1_st *pCopy)
{
    (void)pCopy;
    return refuse_copy();
}

MOCK_APPROXIMATE(Memcpy3DAsync,
                 "contexts of cuCtxCreate itself, with addresses of 32 bits, have no memory: 201")
(const struct CUDA_MEMCPY3D_v1_st *pCopy, CUstream hStream)
{
    (void)pCopy;
    (void)hStream;
    return refuse_copy();
}

MOCK_APPROXIMATE(MemsetD8,
                 "contexts of cuCtxCreate itself, with addresses of 32 bits, have no memory: 201")
(unsigned int dstDevice, unsigned char uc, unsigned int N)
{
    (void)dstDevice;
    (void)uc;
    (void)N;
    return refuse_copy();
}

MOCK_APPROXIMATE(MemsetD16,
                 "contexts of cuCtxCreate itself, with addresses of 32 bits, have no memory: 201")
(unsigned int dstDevice, unsigned short us, unsigned int N)
{
    (void)dstDevice;
    (void)us;
    (void)N;
    return refuse_copy();
}

MOCK_APPROXIMATE(MemsetD32,
                 "contexts of cuCtxCreate itself, with addresses of 32 bits, have no memory: 201")
(unsigned int dstDevice, unsigned int ui, unsigned int N)
{
    (void)dstDevice;
    (void)ui;
    (void)N;
    return refuse_copy();
}

MOCK_APPROXIMATE(MemsetD2D8,
                 "contexts of cuCtxCreate itself, with addresses of 32 bits, have no memory: 201")
(unsigned int dstDevice, unsigned int dstPitch, unsigned char uc, unsigned int Width,
 unsigned int Height)
{
    (void)dstDevice;
    (void)dstPitch;
    (void)uc;
    (void)Width;
    (void)Height;
    return refuse_copy();
}

MOCK_APPROXIMATE(MemsetD2D16,
                 "contexts of cuCtxCreate itself, with addresses of 32 bits, have no memory: 201")
(unsigned int dstDevice, unsigned int dstPitch, unsigned short us, unsigned int Width,
 unsigned int Height)
{
    (void)dstDevice;
    (void)dstPitch;
    (void)us;
    (void)Width;
    (void)Height;
    return refuse_copy();
}

MOCK_APPROXIMATE(MemsetD2D32,
                 "contexts of cuCtxCreate itself, with addresses of 32 bits, have no memory: 201")
(unsigned int dstDevice, unsigned int dstPitch, unsigned int ui, unsigned int Width,
 unsigned int Height)
{
    (void)dstDevice;
    (void)dstPitch;
    (void)ui;
    (void)Width;
    (void)Height;
    return refuse_copy();
}
