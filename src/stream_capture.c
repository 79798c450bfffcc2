/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Capture of streams. A graph or a capture that the caller is not told of is not left behind.
 */
#include <cushim/stream_capture.h>

#include "src/objects.h"

static void destroy_graph(CUgraph graph)
{
    if (graph)
        cushim__destroyed("cuGraphDestroy", cushim_driver()->GraphDestroy(graph));
}

CUresult cushim_stream_begin_capture(struct cushim_stream *stream, CUstreamCaptureMode mode)
{
    struct cushim_context_scope scope;
    CUresult code = cushim__stream_enter(stream, &scope), begun;

    if (code)
        return code;
    begun = cushim_driver()->StreamBeginCapture_v2(stream->handle, mode);
    code = cushim__context_leave(&scope, begun);
    if (code && begun == CUDA_SUCCESS) {
        CUgraph graph = NULL;

        if (cushim_driver()->StreamEndCapture(stream->handle, &graph) == CUDA_SUCCESS)
            destroy_graph(graph);
    }
    return code;
}

CUresult cushim_stream_end_capture(struct cushim_stream *stream, CUgraph *graph)
{
    struct cushim_context_scope scope;
    CUgraph captured = NULL;
    CUresult code, ended;

    if (!cushim__stream_is_open(stream))
        return CUDA_ERROR_INVALID_HANDLE;
    if (!graph)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__stream_enter(stream, &scope);
    if (code)
        return code;
    ended = cushim_driver()->StreamEndCapture(stream->handle, &captured);
    code = cushim__context_leave(&scope, ended);
    if (code == CUDA_SUCCESS)
        *graph = captured;
    else if (ended == CUDA_SUCCESS)
        destroy_graph(captured);
    return code;
}

CUresult cushim_stream_capture_status(const struct cushim_stream *stream,
                                      CUstreamCaptureStatus *status, cuuint64_t *id)
{
    CUstreamCaptureStatus now = CU_STREAM_CAPTURE_STATUS_NONE;
    struct cushim_context_scope scope;
    cuuint64_t number = 0;
    CUresult code;

    if (!cushim__stream_is_open(stream))
        return CUDA_ERROR_INVALID_HANDLE;
    if (!status)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__stream_enter(stream, &scope);
    if (code)
        return code;
    code = id ? cushim_driver()->StreamGetCaptureInfo(stream->handle, &now, &number)
              : cushim_driver()->StreamIsCapturing(stream->handle, &now);
    code = cushim__context_leave(&scope, code);
    if (code)
        return code;
    *status = now;
    if (id)
        *id = now == CU_STREAM_CAPTURE_STATUS_ACTIVE ? number : 0;
    return CUDA_SUCCESS;
}

CUresult cushim_stream_exchange_capture_mode(CUstreamCaptureMode *mode)
{
    CUstreamCaptureMode exchanged;
    CUresult code;

    if (!mode)
        return CUDA_ERROR_INVALID_VALUE;
    exchanged = *mode;
    code = cushim_driver()->ThreadExchangeStreamCaptureMode(&exchanged);
    if (code == CUDA_SUCCESS)
        *mode = exchanged;
    return code;
}
