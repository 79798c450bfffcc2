/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of bytes in a row (driver-semantics.md #106 to #109). */
#include "src/mock/api/copy.h"

#include <stddef.h>
#include <string.h>

#include "src/mock/api/api.h"
#include "src/mock/api/capture.h"
#include "src/mock/api/context.h"
#include "src/mock/api/memory.h"
#include "src/mock/api/stream.h"
#include "src/race/race.h"

/* The values of CUmemcpySrcAccessOrder and CUmemcpyFlags, which older headers lack. */
enum { ORDER_STREAM = 1, ORDER_DURING_API_CALL = 2, ORDER_ANY = 3 };
enum { FLAG_PREFER_OVERLAP_WITH_COMPUTE = 1 };

/* One side of a copy: memory of a kind, or an array and where in it. */
struct side {
    CUmemorytype type;
    CUdeviceptr address;
    CUarray array;
    size_t offset;
};

static struct side host(const void *memory)
{
    return (struct side){.type = CU_MEMORYTYPE_HOST, .address = (uintptr_t)memory};
}

static struct side device(CUdeviceptr memory)
{
    return (struct side){.type = CU_MEMORYTYPE_DEVICE, .address = memory};
}

static struct side any(CUdeviceptr memory)
{
    return (struct side){.type = CU_MEMORYTYPE_UNIFIED, .address = memory};
}

static struct side array(CUarray array, size_t offset)
{
    return (struct side){.type = CU_MEMORYTYPE_ARRAY, .array = array, .offset = offset};
}

static CUDA_MEMCPY3D shape_of(struct side to, struct side from, size_t bytes)
{
    return (CUDA_MEMCPY3D){
        .srcMemoryType = from.type,
        .srcHost = (const void *)(uintptr_t)from.address,
        .srcDevice = from.address,
        .srcArray = from.array,
        .srcXInBytes = from.offset,
        .dstMemoryType = to.type,
        .dstHost = (void *)(uintptr_t)to.address,
        .dstDevice = to.address,
        .dstArray = to.array,
        .dstXInBytes = to.offset,
        .WidthInBytes = bytes,
        .Height = 1,
        .Depth = 1,
    };
}

static CUresult copy(struct side to, struct side from, size_t bytes, CUstream stream,
                     bool asynchronous)
{
    const CUDA_MEMCPY3D shape = shape_of(to, from, bytes);

    return cushim__mock_copy_execute(&shape, stream, asynchronous, false);
}

MOCK_APPROXIMATE(MemcpyHtoD_v2,
                 "returns once the copy is done, the driver of up to 64 KiB of pageable "
                 "memory once it has been read")
(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount)
{
    return copy(device(dstDevice), host(srcHost), ByteCount, NULL, false);
}

MOCK_EXACT(MemcpyDtoA_v2)
(CUarray dstArray, size_t dstOffset, CUdeviceptr srcDevice, size_t ByteCount)
{
    return copy(array(dstArray, dstOffset), device(srcDevice), ByteCount, NULL, false);
}

MOCK_EXACT(MemcpyAtoD_v2)
(CUdeviceptr dstDevice, CUarray srcArray, size_t srcOffset, size_t ByteCount)
{
    return copy(device(dstDevice), array(srcArray, srcOffset), ByteCount, NULL, false);
}

MOCK_EXACT(MemcpyAtoA_v2)
(CUarray dstArray, size_t dstOffset, CUarray srcArray, size_t srcOffset, size_t ByteCount)
{
    return copy(array(dstArray, dstOffset), array(srcArray, srcOffset), ByteCount, NULL, false);
}

MOCK_ALSO(MemcpyHtoA_v2)
MOCK_EXACT(MemcpyHtoAAsync_v2)
(CUarray dstArray, size_t dstOffset, const void *srcHost, size_t ByteCount, CUstream hStream,
 bool asynchronous)
{
    return copy(array(dstArray, dstOffset), host(srcHost), ByteCount, hStream, asynchronous);
}

MOCK_ALSO(MemcpyAtoH_v2)
MOCK_EXACT(MemcpyAtoHAsync_v2)
(void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount, CUstream hStream,
 bool asynchronous)
{
    return copy(host(dstHost), array(srcArray, srcOffset), ByteCount, hStream, asynchronous);
}

MOCK_EXACT(MemcpyHtoDAsync_v2)
(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount, CUstream hStream)
{
    return copy(device(dstDevice), host(srcHost), ByteCount, hStream, true);
}

MOCK_ALSO(MemcpyDtoH_v2)
MOCK_EXACT(MemcpyDtoHAsync_v2)
(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream, bool asynchronous)
{
    return copy(host(dstHost), device(srcDevice), ByteCount, hStream, asynchronous);
}

MOCK_ALSO(MemcpyDtoD_v2)
MOCK_EXACT(MemcpyDtoDAsync_v2)
(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream,
 bool asynchronous)
{
    return copy(device(dstDevice), device(srcDevice), ByteCount, hStream, asynchronous);
}

MOCK_ALSO(Memcpy)
MOCK_EXACT(MemcpyAsync)
(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream, bool asynchronous)
{
    return copy(any(dst), any(src), ByteCount, hStream, asynchronous);
}

static bool is_legacy(CUstream stream)
{
    return stream == CU_STREAM_LEGACY || (!stream && !cushim__mock_call.per_thread);
}

/* In a capture it behaves as cuMemcpyBatchAsync does (driver-semantics.md #146). */
MOCK_APPROXIMATE(MemcpyWithAttributesAsync,
                 "no driver of this version was measured; locations and flags change nothing")
(CUdeviceptr dst, CUdeviceptr src, size_t size, cushim_CUmemcpyAttributes *attr, CUstream hStream)
{
    const CUDA_MEMCPY3D shape = shape_of(any(dst), any(src), size);
    struct mock_stream *stream;
    CUresult code;

    if (!attr || is_legacy(hStream) || (int)attr->srcAccessOrder < ORDER_STREAM ||
        (int)attr->srcAccessOrder > ORDER_ANY || attr->flags > FLAG_PREFER_OVERLAP_WITH_COMPUTE)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__mock_memory_stream(hStream, true, &stream);
    if (code == CUDA_SUCCESS && stream->capture)
        code = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (code != CUDA_SUCCESS)
        return code;
    return cushim__mock_copy_execute(&shape, hStream, true,
                                     (int)attr->srcAccessOrder == ORDER_DURING_API_CALL);
}

/* NULL is a context as good as any: addresses say where memory is. */
static CUresult check_contexts(CUcontext one, CUcontext other)
{
    struct mock_context *context;
    CUresult code = one ? cushim__mock_context_find(one, &context) : CUDA_SUCCESS;

    return code || !other ? code : cushim__mock_context_find(other, &context);
}

MOCK_EXACT(MemcpyPeer)
(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice, CUcontext srcContext,
 size_t ByteCount)
{
    CUresult code = check_contexts(dstContext, srcContext);

    if (code)
        return code;
    cushim__race_saw_all();
    code = copy(device(dstDevice), device(srcDevice), ByteCount, NULL, false);
    cushim__race_saw_all();
    return code;
}

MOCK_EXACT(MemcpyPeerAsync)
(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice, CUcontext srcContext,
 size_t ByteCount, CUstream hStream)
{
    CUresult code = check_contexts(dstContext, srcContext);
    struct mock_stream *stream;

    if (code == CUDA_SUCCESS)
        code = cushim__mock_memory_stream(hStream, true, &stream);
    if (code == CUDA_SUCCESS && stream->capture)
        code = cushim__mock_capture_query_stream(stream);
    return code ? code : copy(device(dstDevice), device(srcDevice), ByteCount, hStream, true);
}

/* Copies of rows and layers (driver-semantics.md #114 and #115). */

/* Nothing is described: the context is asked for first all the same. */
static CUresult copy_nothing(CUstream handle)
{
    struct mock_stream *stream;
    CUresult code = cushim__mock_stream_find(handle, &stream);

    return code ? code : CUDA_ERROR_INVALID_VALUE;
}

MOCK_ALSO(Memcpy2D_v2, Memcpy2DUnaligned_v2)
MOCK_EXACT(Memcpy2DAsync_v2)(const CUDA_MEMCPY2D *pCopy, CUstream hStream, bool asynchronous)
{
    CUDA_MEMCPY3D shape;

    if (!pCopy)
        return copy_nothing(hStream);
    shape = (CUDA_MEMCPY3D){
        .srcXInBytes = pCopy->srcXInBytes,
        .srcY = pCopy->srcY,
        .srcMemoryType = pCopy->srcMemoryType,
        .srcHost = pCopy->srcHost,
        .srcDevice = pCopy->srcDevice,
        .srcArray = pCopy->srcArray,
        .srcPitch = pCopy->srcPitch,
        .dstXInBytes = pCopy->dstXInBytes,
        .dstY = pCopy->dstY,
        .dstMemoryType = pCopy->dstMemoryType,
        .dstHost = pCopy->dstHost,
        .dstDevice = pCopy->dstDevice,
        .dstArray = pCopy->dstArray,
        .dstPitch = pCopy->dstPitch,
        .WidthInBytes = pCopy->WidthInBytes,
        .Height = pCopy->Height,
        .Depth = 1,
    };
    return cushim__mock_copy_execute(&shape, hStream, asynchronous, false);
}

MOCK_ALSO(Memcpy3D_v2)
MOCK_EXACT(Memcpy3DAsync_v2)(const CUDA_MEMCPY3D *pCopy, CUstream hStream, bool asynchronous)
{
    return pCopy ? cushim__mock_copy_execute(pCopy, hStream, asynchronous, false)
                 : copy_nothing(hStream);
}

_Static_assert(sizeof(CUDA_MEMCPY3D_PEER) == sizeof(CUDA_MEMCPY3D) &&
                   offsetof(CUDA_MEMCPY3D_PEER, srcContext) == offsetof(CUDA_MEMCPY3D, reserved0) &&
                   offsetof(CUDA_MEMCPY3D_PEER, dstContext) == offsetof(CUDA_MEMCPY3D, reserved1),
               "the structs differ in their contexts alone");

MOCK_ALSO(Memcpy3DPeer)
MOCK_APPROXIMATE(Memcpy3DPeerAsync, "NULL is refused; the driver crashes")
(const CUDA_MEMCPY3D_PEER *NOT_NULL pCopy, CUstream hStream, bool asynchronous)
{
    CUresult code = check_contexts(pCopy->srcContext, pCopy->dstContext);
    CUDA_MEMCPY3D shape;

    if (code)
        return code;
    memcpy(&shape, pCopy, sizeof shape);
    shape.reserved0 = shape.reserved1 = NULL;
    shape.srcLOD = shape.dstLOD = 0;
    if (!asynchronous)
        cushim__race_saw_all();
    code = cushim__mock_copy_execute(&shape, hStream, asynchronous, false);
    if (!asynchronous)
        cushim__race_saw_all();
    return code;
}
