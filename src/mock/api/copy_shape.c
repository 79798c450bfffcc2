/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of rows and layers (statements 114 and 115). */
#include "src/mock/api/api.h"
#include "src/mock/api/context.h"
#include "src/mock/api/copy.h"
#include "src/mock/api/stream.h"
#include "src/race/race.h"

/* Nothing is described: the context is asked for first all the same. */
static CUresult copy_nothing(CUstream handle)
{
    struct mock_stream *stream;
    CUresult code = cushim__mock_stream_find(handle, &stream);

    return code ? code : CUDA_ERROR_INVALID_VALUE;
}

static CUresult copy_2d(const CUDA_MEMCPY2D *copy, CUstream stream, bool asynchronous)
{
    CUDA_MEMCPY3D shape;

    if (!copy)
        return copy_nothing(stream);
    shape = (CUDA_MEMCPY3D){
        .srcXInBytes = copy->srcXInBytes,
        .srcY = copy->srcY,
        .srcMemoryType = copy->srcMemoryType,
        .srcHost = copy->srcHost,
        .srcDevice = copy->srcDevice,
        .srcArray = copy->srcArray,
        .srcPitch = copy->srcPitch,
        .dstXInBytes = copy->dstXInBytes,
        .dstY = copy->dstY,
        .dstMemoryType = copy->dstMemoryType,
        .dstHost = copy->dstHost,
        .dstDevice = copy->dstDevice,
        .dstArray = copy->dstArray,
        .dstPitch = copy->dstPitch,
        .WidthInBytes = copy->WidthInBytes,
        .Height = copy->Height,
        .Depth = 1,
    };
    return cushim__mock_copy_execute(&shape, stream, asynchronous);
}

MOCK_EXACT(Memcpy2D_v2)(const CUDA_MEMCPY2D *pCopy)
{
    return copy_2d(pCopy, NULL, false);
}

MOCK_EXACT(Memcpy2DUnaligned_v2)(const CUDA_MEMCPY2D *pCopy)
{
    return copy_2d(pCopy, NULL, false);
}

MOCK_EXACT(Memcpy2DAsync_v2)(const CUDA_MEMCPY2D *pCopy, CUstream hStream)
{
    return copy_2d(pCopy, hStream, true);
}

static CUresult copy_3d(const CUDA_MEMCPY3D *copy, CUstream stream, bool asynchronous)
{
    return copy ? cushim__mock_copy_execute(copy, stream, asynchronous) : copy_nothing(stream);
}

MOCK_EXACT(Memcpy3D_v2)(const CUDA_MEMCPY3D *pCopy)
{
    return copy_3d(pCopy, NULL, false);
}

MOCK_EXACT(Memcpy3DAsync_v2)(const CUDA_MEMCPY3D *pCopy, CUstream hStream)
{
    return copy_3d(pCopy, hStream, true);
}

/* Addresses tell where memory is; the contexts have to be some. */
static CUresult copy_peer(const CUDA_MEMCPY3D_PEER *copy, CUstream stream, bool asynchronous)
{
    struct mock_context *context;
    CUDA_MEMCPY3D shape;
    CUresult code = CUDA_SUCCESS;

    if (!copy)
        return CUDA_ERROR_INVALID_VALUE;
    if (copy->srcContext)
        code = cushim__mock_context_find(copy->srcContext, &context);
    if (code == CUDA_SUCCESS && copy->dstContext)
        code = cushim__mock_context_find(copy->dstContext, &context);
    if (code)
        return code;
    shape = (CUDA_MEMCPY3D){
        .srcXInBytes = copy->srcXInBytes,
        .srcY = copy->srcY,
        .srcZ = copy->srcZ,
        .srcMemoryType = copy->srcMemoryType,
        .srcHost = copy->srcHost,
        .srcDevice = copy->srcDevice,
        .srcArray = copy->srcArray,
        .srcPitch = copy->srcPitch,
        .srcHeight = copy->srcHeight,
        .dstXInBytes = copy->dstXInBytes,
        .dstY = copy->dstY,
        .dstZ = copy->dstZ,
        .dstMemoryType = copy->dstMemoryType,
        .dstHost = copy->dstHost,
        .dstDevice = copy->dstDevice,
        .dstArray = copy->dstArray,
        .dstPitch = copy->dstPitch,
        .dstHeight = copy->dstHeight,
        .WidthInBytes = copy->WidthInBytes,
        .Height = copy->Height,
        .Depth = copy->Depth,
    };
    if (!asynchronous)
        cushim__race_saw_all();
    code = cushim__mock_copy_execute(&shape, stream, asynchronous);
    if (!asynchronous)
        cushim__race_saw_all();
    return code;
}

MOCK_APPROXIMATE(Memcpy3DPeer, "NULL is refused; the driver crashes")
(const CUDA_MEMCPY3D_PEER *pCopy)
{
    return copy_peer(pCopy, NULL, false);
}

MOCK_APPROXIMATE(Memcpy3DPeerAsync, "NULL is refused; the driver crashes")
(const CUDA_MEMCPY3D_PEER *pCopy, CUstream hStream)
{
    return copy_peer(pCopy, hStream, true);
}
