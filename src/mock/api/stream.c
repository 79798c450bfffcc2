/* SPDX-License-Identifier: Apache-2.0 */
/* Streams, as programs use them (statements 49 to 55). */
#include "src/mock/sim/stream.h"

#include "src/mock/api/capture.h"
#include "src/mock/api/context.h"
#include "src/mock/call.h"
#include "src/mock/core/device.h"
#include "src/mock/core/state.h"
#include "src/mock/sim/sim.h"
#include "src/race/race_search.h"

int cushim__stream_priority(int priority)
{
    const struct cushim__profile *profile = &cushim__world->settings.profile;

    if (priority < profile->greatest_priority)
        return profile->greatest_priority;
    return priority > profile->least_priority ? profile->least_priority : priority;
}

CUSHIM__EXACT(StreamCreateWithPriority)(CUstream *phStream, unsigned int flags, int priority)
{
    struct cushim__context *context;
    struct cushim__stream *stream;
    CUresult code;

    if (!phStream || flags > CU_STREAM_NON_BLOCKING)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__context_current(&context);
    if (code) {
        *phStream = (CUstream)UINTPTR_MAX; /* as the driver does: statement 15 */
        return code;
    }
    stream =
        cushim__stream_create(context, CUSHIM__CREATED, flags, cushim__stream_priority(priority));
    if (!stream)
        return CUDA_ERROR_OUT_OF_MEMORY;
    code = cushim__stream_publish(stream);
    if (code)
        cushim__stream_end(stream);
    else
        *phStream = stream->object.handle;
    return code;
}

CUSHIM__EXACT(StreamCreate)(CUstream *phStream, unsigned int Flags)
{
    return cushim__mock_StreamCreateWithPriority(phStream, Flags, 0);
}

/* Work that is queued goes on; whoever waits for it is told (statement 29). */
CUSHIM__EXACT(StreamDestroy_v2)(CUstream hStream)
{
    struct cushim__stream *stream;
    CUresult code;

    if (cushim__stream_is_default(hStream))
        return CUDA_ERROR_INVALID_HANDLE;
    code = cushim__stream_find(hStream, &stream);
    if (code)
        return code;
    if (stream->capture && !cushim__capture_forget_stream(stream, false))
        return CUDA_ERROR_OUT_OF_MEMORY;
    cushim__object_remove(stream);
    cushim__stream_end(stream);
    return CUDA_SUCCESS;
}

/* The first ABI waits for the work. */
CUSHIM__EXACT(StreamDestroy)(CUstream hStream)
{
    struct cushim__stream *stream;
    CUresult code;

    if (cushim__stream_is_default(hStream))
        return CUDA_ERROR_INVALID_HANDLE;
    code = cushim__stream_find(hStream, &stream);
    if (code == CUDA_SUCCESS)
        code = cushim__engine_wait_stream(stream);
    return code ? code : cushim__mock_StreamDestroy_v2(hStream);
}

static CUresult find_to_query(CUstream hStream, struct cushim__stream **stream)
{
    CUresult code = cushim__stream_find(hStream, stream);

    if (code == CUDA_SUCCESS && cushim__capture_count > 0)
        code = cushim__capture_query_stream(*stream);
    return code;
}

CUSHIM__EXACT(StreamQuery)(CUstream hStream)
{
    struct cushim__stream *stream;
    CUresult code = find_to_query(hStream, &stream);

    if (code)
        return code;
    if (cushim__engine_busy(stream) || cushim__engine_hides_stream(stream))
        return CUDA_ERROR_NOT_READY;
    cushim__engine_told();
    cushim__races_saw(cushim__races_stream(stream), true);
    return CUDA_SUCCESS;
}

CUSHIM__EXACT(StreamSynchronize)(CUstream hStream)
{
    struct cushim__stream *stream;
    CUresult code = find_to_query(hStream, &stream);

    return code ? code : cushim__engine_wait_stream(stream);
}

/*
 * The legacy default stream says nothing while a stream that blocks it is captured (statement 69).
 */
static CUresult find_to_ask(CUstream hStream, struct cushim__stream **stream)
{
    CUresult code = cushim__stream_find(hStream, stream);

    if (code == CUDA_SUCCESS && cushim__capture_in_the_way(*stream))
        code = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    return code;
}

CUSHIM__EXACT(StreamGetFlags)(CUstream hStream, unsigned int *flags)
{
    struct cushim__stream *stream;
    CUresult code;

    if (!flags)
        return CUDA_ERROR_INVALID_VALUE;
    code = find_to_ask(hStream, &stream);
    if (code == CUDA_SUCCESS)
        *flags = stream->flags;
    return code;
}

CUSHIM__EXACT(StreamGetPriority)(CUstream hStream, int *priority)
{
    struct cushim__stream *stream;
    CUresult code;

    if (!priority)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__stream_find(hStream, &stream);
    if (code == CUDA_SUCCESS)
        *priority = stream->priority;
    return code;
}

CUSHIM__EXACT(StreamGetId)(CUstream hStream, unsigned long long *streamId)
{
    struct cushim__stream *stream;
    CUresult code;

    if (!streamId)
        return CUDA_ERROR_INVALID_VALUE;
    code = find_to_ask(hStream, &stream);
    if (code == CUDA_SUCCESS)
        *streamId = stream->id;
    return code;
}

CUSHIM__EXACT(StreamGetCtx)(CUstream hStream, CUcontext *pctx)
{
    struct cushim__stream *stream;
    CUresult code;

    if (!pctx)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__stream_find(hStream, &stream);
    if (code == CUDA_SUCCESS)
        *pctx = stream->object.context->object.handle;
    return code;
}

CUSHIM__EXACT(StreamGetCtx_v2)(CUstream hStream, CUcontext *pCtx, cushim_CUgreenCtx *pGreenCtx)
{
    struct cushim__stream *stream;
    CUresult code;

    if (!pCtx && !pGreenCtx)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__stream_find(hStream, &stream);
    if (code)
        return code;
    if (pCtx)
        *pCtx = stream->object.context->object.handle;
    if (pGreenCtx)
        *pGreenCtx = NULL;
    return CUDA_SUCCESS;
}

CUSHIM__EXACT(StreamGetDevice)(CUstream hStream, CUdevice *device)
{
    struct cushim__stream *stream;
    CUresult code;

    if (!device)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__stream_find(hStream, &stream);
    if (code == CUDA_SUCCESS)
        *device = stream->object.context->device->ordinal;
    return code;
}
