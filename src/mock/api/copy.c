/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of contiguous bytes (driver-semantics.md #106 to #109). */
#include "src/mock/api/copy.h"

#include <stddef.h>
#include <string.h>

#include "src/mock/api/api.h"
#include "src/mock/api/capture.h"
#include "src/mock/api/context.h"
#include "src/mock/api/stream.h"
#include "src/mock/memory/allocation.h"
#include "src/race/race.h"

/* The values of CUmemcpySrcAccessOrder and CUmemcpyFlags, which older headers lack. */
enum { ORDER_STREAM = 1, ORDER_DURING_API_CALL = 2, ORDER_ANY = 3 };
enum { FLAG_PREFER_OVERLAP_WITH_COMPUTE = 1 };

static struct cushim__copy_half host(const void *memory)
{
    return (struct cushim__copy_half){.type = CU_MEMORYTYPE_HOST, .host = memory};
}

static struct cushim__copy_half device(CUdeviceptr memory)
{
    return (struct cushim__copy_half){.type = CU_MEMORYTYPE_DEVICE, .device = memory};
}

static struct cushim__copy_half any(CUdeviceptr memory)
{
    return (struct cushim__copy_half){.type = CU_MEMORYTYPE_UNIFIED, .device = memory};
}

static struct cushim__copy_half array(CUarray array, size_t offset)
{
    return (struct cushim__copy_half){.type = CU_MEMORYTYPE_ARRAY, .array = array, .x = offset};
}

static CUresult copy(struct cushim__copy_half to, struct cushim__copy_half from, size_t bytes,
                     CUstream stream, bool asynchronous)
{
    const struct cushim__copy shape = {from, to, bytes, 1, 1};

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
    const struct cushim__copy shape = {any(src), any(dst), size, 1, 1};
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

/* NULL is as good as any context, since addresses say where memory is. */
static CUresult check_contexts(CUcontext one, CUcontext other)
{
    struct mock_context *context;
    CUresult code = one ? cushim__mock_context_find(one, &context) : CUDA_SUCCESS;

    return code || !other ? code : cushim__mock_context_find(other, &context);
}

/* A synchronous copy comes after all earlier work of any stream, and before all later work. */
static CUresult copy_peer(const struct cushim__copy *shape, CUstream stream, bool asynchronous)
{
    CUresult code;

    if (!asynchronous)
        cushim__race_saw_all();
    code = cushim__mock_copy_execute(shape, stream, asynchronous, false);
    if (!asynchronous)
        cushim__race_saw_all();
    return code;
}

MOCK_ALSO(MemcpyPeer)
MOCK_EXACT(MemcpyPeerAsync)
(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice, CUcontext srcContext,
 size_t ByteCount, CUstream hStream, bool asynchronous)
{
    const struct cushim__copy shape = {device(srcDevice), device(dstDevice), ByteCount, 1, 1};
    CUresult code = check_contexts(dstContext, srcContext);
    struct mock_stream *stream;

    if (code == CUDA_SUCCESS && asynchronous)
        code = cushim__mock_memory_stream(hStream, true, &stream);
    if (code == CUDA_SUCCESS && asynchronous && stream->capture)
        code = cushim__mock_capture_query_stream(stream);
    return code ? code : copy_peer(&shape, hStream, asynchronous);
}

/* Copies of rows and layers (driver-semantics.md #114 and #115). */

/* Without a description, the context is still checked first. */
static CUresult copy_nothing(CUstream handle)
{
    struct mock_stream *stream;
    CUresult code = cushim__mock_stream_find(handle, &stream);

    return code ? code : CUDA_ERROR_INVALID_VALUE;
}

MOCK_ALSO(Memcpy2D_v2, Memcpy2DUnaligned_v2)
MOCK_EXACT(Memcpy2DAsync_v2)(const CUDA_MEMCPY2D *pCopy, CUstream hStream, bool asynchronous)
{
    struct cushim__copy shape;

    if (!pCopy)
        return copy_nothing(hStream);
    shape = cushim__copy_2d(pCopy);
    return cushim__mock_copy_execute(&shape, hStream, asynchronous, false);
}

MOCK_ALSO(Memcpy3D_v2)
MOCK_EXACT(Memcpy3DAsync_v2)(const CUDA_MEMCPY3D *pCopy, CUstream hStream, bool asynchronous)
{
    struct cushim__copy shape;

    if (!pCopy)
        return copy_nothing(hStream);
    shape = cushim__copy_3d(pCopy);
    return cushim__mock_copy_execute(&shape, hStream, asynchronous, false);
}

MOCK_ALSO(Memcpy3DPeer)
MOCK_APPROXIMATE(Memcpy3DPeerAsync, "NULL is refused; the driver crashes")
(const CUDA_MEMCPY3D_PEER *NOT_NULL pCopy, CUstream hStream, bool asynchronous)
{
    CUresult code = check_contexts(pCopy->srcContext, pCopy->dstContext);
    struct cushim__copy shape;

    if (code)
        return code;
    shape = cushim__copy_3d(pCopy);
    return copy_peer(&shape, hStream, asynchronous);
}
