/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of bytes (driver-semantics.md #106 to #109), and sets. */
#include "src/mock/copy/copy.h"

#include <stddef.h>
#include <string.h>

#include "src/mock/context/context.h"
#include "src/mock/functions/functions.h"
#include "src/mock/memory/allocation.h"
#include "src/mock/stream/capture.h"
#include "src/mock/stream/stream.h"
#include "src/race/race.h"

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

CUresult cushim__mock_MemcpyHtoD_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount)
{
    return copy(device(dstDevice), host(srcHost), ByteCount, NULL, false);
}

CUresult cushim__mock_MemcpyDtoA_v2(CUarray dstArray, size_t dstOffset, CUdeviceptr srcDevice,
                                    size_t ByteCount)
{
    return copy(array(dstArray, dstOffset), device(srcDevice), ByteCount, NULL, false);
}

CUresult cushim__mock_MemcpyAtoD_v2(CUdeviceptr dstDevice, CUarray srcArray, size_t srcOffset,
                                    size_t ByteCount)
{
    return copy(device(dstDevice), array(srcArray, srcOffset), ByteCount, NULL, false);
}

CUresult cushim__mock_MemcpyAtoA_v2(CUarray dstArray, size_t dstOffset, CUarray srcArray,
                                    size_t srcOffset, size_t ByteCount)
{
    return copy(array(dstArray, dstOffset), array(srcArray, srcOffset), ByteCount, NULL, false);
}

/* Also cuMemcpyHtoA_v2. */
CUresult cushim__mock_MemcpyHtoAAsync_v2(CUarray dstArray, size_t dstOffset, const void *srcHost,
                                         size_t ByteCount, CUstream hStream, bool asynchronous)
{
    return copy(array(dstArray, dstOffset), host(srcHost), ByteCount, hStream, asynchronous);
}

/* Also cuMemcpyAtoH_v2. */
CUresult cushim__mock_MemcpyAtoHAsync_v2(void *dstHost, CUarray srcArray, size_t srcOffset,
                                         size_t ByteCount, CUstream hStream, bool asynchronous)
{
    return copy(host(dstHost), array(srcArray, srcOffset), ByteCount, hStream, asynchronous);
}

CUresult cushim__mock_MemcpyHtoDAsync_v2(CUdeviceptr dstDevice, const void *srcHost,
                                         size_t ByteCount, CUstream hStream)
{
    return copy(device(dstDevice), host(srcHost), ByteCount, hStream, true);
}

/* Also cuMemcpyDtoH_v2. */
CUresult cushim__mock_MemcpyDtoHAsync_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount,
                                         CUstream hStream, bool asynchronous)
{
    return copy(host(dstHost), device(srcDevice), ByteCount, hStream, asynchronous);
}

/* Also cuMemcpyDtoD_v2. */
CUresult cushim__mock_MemcpyDtoDAsync_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice,
                                         size_t ByteCount, CUstream hStream, bool asynchronous)
{
    return copy(device(dstDevice), device(srcDevice), ByteCount, hStream, asynchronous);
}

/* Also cuMemcpy. */
CUresult cushim__mock_MemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount,
                                  CUstream hStream, bool asynchronous)
{
    return copy(any(dst), any(src), ByteCount, hStream, asynchronous);
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

/* Also cuMemcpyPeer. */
CUresult cushim__mock_MemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext dstContext,
                                      CUdeviceptr srcDevice, CUcontext srcContext, size_t ByteCount,
                                      CUstream hStream, bool asynchronous)
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

/* Also cuMemcpy2D_v2, cuMemcpy2DUnaligned_v2. */
CUresult cushim__mock_Memcpy2DAsync_v2(const CUDA_MEMCPY2D *pCopy, CUstream hStream,
                                       bool asynchronous)
{
    struct cushim__copy shape;

    if (!pCopy)
        return copy_nothing(hStream);
    shape = cushim__copy_2d(pCopy);
    return cushim__mock_copy_execute(&shape, hStream, asynchronous, false);
}

/* Also cuMemcpy3D_v2. */
CUresult cushim__mock_Memcpy3DAsync_v2(const CUDA_MEMCPY3D *pCopy, CUstream hStream,
                                       bool asynchronous)
{
    struct cushim__copy shape;

    if (!pCopy)
        return copy_nothing(hStream);
    shape = cushim__copy_3d(pCopy);
    return cushim__mock_copy_execute(&shape, hStream, asynchronous, false);
}

/* Also cuMemcpy3DPeer. */
CUresult cushim__mock_Memcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *pCopy, CUstream hStream,
                                        bool asynchronous)
{
    CUresult code = check_contexts(pCopy->srcContext, pCopy->dstContext);
    struct cushim__copy shape;

    if (code)
        return code;
    shape = cushim__copy_3d(pCopy);
    return copy_peer(&shape, hStream, asynchronous);
}

/* Sets: memory gets a value of 1, 2 or 4 bytes (driver-semantics.md #116 and #117). */

/*
 * A synchronous call waits only if the memory is page-locked or managed, or it or the context has
 * SYNC_MEMOPS.
 */
static CUresult set(CUdeviceptr start, size_t pitch, uint32_t value, unsigned element, size_t width,
                    size_t height, CUstream handle, bool asynchronous)
{
    const CUDA_MEMSET_NODE_PARAMS shape = {.dst = start,
                                           .pitch = pitch,
                                           .value = value,
                                           .elementSize = element,
                                           .width = width,
                                           .height = height};
    struct mock_operation *operation;
    struct mock_stream *stream;
    const struct mock_allocation *memory;
    CUresult code = cushim__mock_memory_stream(handle, asynchronous, &stream);

    if (code)
        return code;
    /* The driver counts bytes in 64 bits, and ignores an overflow. */
    if (width * element == 0 || height == 0)
        return CUDA_SUCCESS;
    code = cushim__mock_set_operation(&shape, true, &operation);
    if (code)
        return code;
    memory = cushim__mock_allocation_at(start);
    /* A captured copy may use memory of a graph before a launch allocates it. */
    if (memory ? !cushim__mock_context_reaches(stream->object.context, memory) : !stream->capture) {
        cushim__mock_operation_destroy(operation);
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (!asynchronous && memory &&
        (memory->synchronous || cushim__mock_context_syncs() ||
         cushim__mock_allocation_place(memory) != MOCK_DEVICE_MEMORY))
        return cushim__mock_memory_finish(stream, operation, true);
    return cushim__mock_stream_submit(stream, operation);
}

/* Also cuMemsetD8_v2. */
CUresult cushim__mock_MemsetD8Async(CUdeviceptr dstDevice, unsigned char uc, size_t N,
                                    CUstream hStream, bool asynchronous)
{
    return set(dstDevice, 0, uc, 1, N, 1, hStream, asynchronous);
}

/* Also cuMemsetD2D8_v2. */
CUresult cushim__mock_MemsetD2D8Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc,
                                      size_t Width, size_t Height, CUstream hStream,
                                      bool asynchronous)
{
    return set(dstDevice, dstPitch, uc, 1, Width, Height, hStream, asynchronous);
}

/* Also cuMemsetD16_v2. */
CUresult cushim__mock_MemsetD16Async(CUdeviceptr dstDevice, unsigned short us, size_t N,
                                     CUstream hStream, bool asynchronous)
{
    return set(dstDevice, 0, us, 2, N, 1, hStream, asynchronous);
}

/* Also cuMemsetD2D16_v2. */
CUresult cushim__mock_MemsetD2D16Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us,
                                       size_t Width, size_t Height, CUstream hStream,
                                       bool asynchronous)
{
    return set(dstDevice, dstPitch, us, 2, Width, Height, hStream, asynchronous);
}

/* Also cuMemsetD32_v2. */
CUresult cushim__mock_MemsetD32Async(CUdeviceptr dstDevice, unsigned int ui, size_t N,
                                     CUstream hStream, bool asynchronous)
{
    return set(dstDevice, 0, ui, 4, N, 1, hStream, asynchronous);
}

/* Also cuMemsetD2D32_v2. */
CUresult cushim__mock_MemsetD2D32Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui,
                                       size_t Width, size_t Height, CUstream hStream,
                                       bool asynchronous)
{
    return set(dstDevice, dstPitch, ui, 4, Width, Height, hStream, asynchronous);
}
