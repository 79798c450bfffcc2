/* SPDX-License-Identifier: Apache-2.0 */
/* Capture in the fake driver: driver semantics, section 7. Graphs are empty. */
#include "fake.h"

static unsigned long long last_id;
static _Thread_local CUstreamCaptureMode thread_mode;
static _Thread_local char thread; /* its address names the calling thread */

/* A stream that captures, and what follows from that. */
struct capture {
    struct fake_stream *stream; /* the one that is asked about */
    CUresult code;
};

void fake_capture_reset(void)
{
    last_id = 0;
    thread_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
}

static bool is_active(const struct fake_stream *stream)
{
    return stream->capture == CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

static bool is_same(const struct fake_stream *one, const struct fake_stream *other)
{
    return one->capture && other->capture && one->capture_id == other->capture_id;
}

static bool is_legacy(const struct fake_stream *stream)
{
    return stream->handle == NULL || stream->handle == CU_STREAM_LEGACY;
}

/* --- visits --- */

static void invalidate_one(struct fake_object *object, void *data)
{
    struct fake_stream *stream = (struct fake_stream *)object;

    if (is_same(stream, data))
        stream->capture = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
}

static void invalidate(struct fake_stream *stream)
{
    fake_each(FAKE_STREAM, invalidate_one, stream);
}

/* Whether a stream's capture keeps the calling thread from asking about anything at all. */
static void forbid(struct fake_object *object, void *data)
{
    struct fake_stream *stream = (struct fake_stream *)object;
    struct capture *capture = data;
    const bool is_own = !stream->thread || stream->thread == &thread;

    if (!is_active(stream))
        return;
    if (!is_same(stream, capture->stream)) {
        if (stream->capture_mode == CU_STREAM_CAPTURE_MODE_RELAXED ||
            thread_mode == CU_STREAM_CAPTURE_MODE_RELAXED)
            return;
        if (!is_own && (stream->capture_mode != CU_STREAM_CAPTURE_MODE_GLOBAL ||
                        thread_mode != CU_STREAM_CAPTURE_MODE_GLOBAL))
            return;
    }
    invalidate(stream);
    capture->code = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

/* Statement 69: the legacy stream would have to wait for one that captures. */
static void is_implicit(struct fake_object *object, void *data)
{
    struct fake_stream *stream = (struct fake_stream *)object;
    struct capture *capture = data;

    if (is_active(stream) && !(stream->flags & CU_STREAM_NON_BLOCKING) &&
        stream->handle != CU_STREAM_PER_THREAD &&
        stream->object.context == capture->stream->object.context) {
        capture->code = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
        capture->stream = stream;
    }
}

static CUresult implicit(struct fake_stream *stream, bool invalidates)
{
    struct capture capture = {.stream = stream};

    if (!is_legacy(stream))
        return CUDA_SUCCESS;
    fake_each(FAKE_STREAM, is_implicit, &capture);
    if (capture.code && invalidates)
        invalidate(capture.stream);
    return capture.code;
}

CUresult fake_capture_look(struct fake_stream *stream)
{
    struct capture capture = {.stream = stream};
    const CUresult code = implicit(stream, true);

    if (code)
        return code;
    fake_each(FAKE_STREAM, forbid, &capture);
    return capture.code;
}

CUresult fake_capture_work(struct fake_stream *stream, bool *captured)
{
    const CUresult code = implicit(stream, true);

    *captured = is_active(stream);
    if (stream->capture == CU_STREAM_CAPTURE_STATUS_INVALIDATED)
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    return code;
}

CUresult fake_capture_wait(struct fake_stream *stream, struct fake_event *event, unsigned flags,
                           bool *captured)
{
    struct fake_stream *from = event->stream;
    const bool goes_on = event->captured && from->capture && from->capture_id == event->capture_id;
    CUresult code = fake_capture_work(stream, captured);

    if (code)
        return code;
    if (event->captured && !goes_on)
        return CUDA_ERROR_INVALID_VALUE;
    if (flags)
        return *captured ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_STATE;
    if (*captured && event->recorded && !event->captured) {
        invalidate(stream);
        return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
    }
    if (!goes_on)
        return CUDA_SUCCESS;
    if (*captured && !is_same(stream, from)) {
        invalidate(stream);
        invalidate(from);
        return CUDA_ERROR_STREAM_CAPTURE_MERGE;
    }
    from->joined = from != stream;
    if (!*captured) {
        stream->capture = from->capture;
        stream->capture_mode = from->capture_mode;
        stream->capture_id = from->capture_id;
        stream->origin = from->origin ? from->origin : from;
        stream->thread = from->thread;
        stream->joined = false;
    }
    *captured = true;
    return CUDA_SUCCESS;
}

/* --- functions --- */

static CUresult CUDAAPI begin_capture(CUstream handle, CUstreamCaptureMode mode)
{
    struct fake_stream *stream;
    const CUresult code = fake_begin_stream("cuStreamBeginCapture_v2", handle, &stream);

    if (code)
        return code;
    if ((unsigned)mode > CU_STREAM_CAPTURE_MODE_RELAXED)
        return CUDA_ERROR_INVALID_VALUE;
    if (is_legacy(stream))
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (stream->capture)
        return CUDA_ERROR_ILLEGAL_STATE;
    stream->capture = CU_STREAM_CAPTURE_STATUS_ACTIVE;
    stream->capture_mode = mode;
    stream->capture_id = ++last_id;
    stream->origin = stream;
    stream->thread = &thread;
    stream->joined = false;
    return CUDA_SUCCESS;
}

/* What the end of a capture comes to, for one of its streams; and it is over. */
static void end_one(struct fake_object *object, void *data)
{
    struct fake_stream *stream = (struct fake_stream *)object;
    struct capture *capture = data;

    if (stream == capture->stream || !is_same(stream, capture->stream))
        return;
    if (!is_active(stream))
        capture->code = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    else if (!stream->joined && !capture->code)
        capture->code = CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
    stream->capture = CU_STREAM_CAPTURE_STATUS_NONE;
}

static CUresult CUDAAPI end_capture(CUstream handle, CUgraph *graph)
{
    struct capture capture = {.code = CUDA_SUCCESS};
    struct fake_stream *stream;
    const CUresult code = fake_begin_stream("cuStreamEndCapture", handle, &stream);

    if (code)
        return code;
    if (!graph)
        return CUDA_ERROR_INVALID_VALUE;
    if (!stream->capture)
        return CUDA_ERROR_ILLEGAL_STATE;
    if (stream->origin && stream->origin != stream) {
        invalidate(stream);
        return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
    }
    capture.stream = stream;
    if (!is_active(stream))
        capture.code = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    fake_each(FAKE_STREAM, end_one, &capture);
    stream->capture = CU_STREAM_CAPTURE_STATUS_NONE;
    if (stream->thread && stream->thread != &thread &&
        stream->capture_mode != CU_STREAM_CAPTURE_MODE_RELAXED)
        return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
    *graph = capture.code ? NULL : fake_new(sizeof(struct fake_object), FAKE_GRAPH, NULL);
    return capture.code;
}

static CUresult status(const char *function, CUstream handle, CUstreamCaptureStatus *answer,
                       cuuint64_t *id)
{
    struct fake_stream *stream;
    CUresult code = fake_begin_stream(function, handle, &stream);

    if (!code && !answer)
        code = CUDA_ERROR_INVALID_VALUE;
    if (!code)
        code = implicit(stream, false);
    if (code)
        return code;
    *answer = stream->capture;
    if (id)
        *id = stream->capture_id; /* says nothing unless the capture is active */
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI is_capturing(CUstream handle, CUstreamCaptureStatus *answer)
{
    return status("cuStreamIsCapturing", handle, answer, NULL);
}

static CUresult CUDAAPI get_capture_info(CUstream handle, CUstreamCaptureStatus *answer,
                                         cuuint64_t *id)
{
    return status("cuStreamGetCaptureInfo", handle, answer, id);
}

static CUresult CUDAAPI exchange_mode(CUstreamCaptureMode *mode)
{
    const CUresult code = fake_call("cuThreadExchangeStreamCaptureMode");
    const CUstreamCaptureMode former = thread_mode;

    if (!mode)
        return code ? code : CUDA_ERROR_INVALID_VALUE;
    if (code) {
        *mode = (CUstreamCaptureMode)9; /* nobody promises that it is left alone */
        return code;
    }
    thread_mode = *mode;
    *mode = former;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI graph_destroy(CUgraph handle)
{
    const CUresult code = fake_call("cuGraphDestroy");
    CUresult ended;

    if (!handle)
        return CUDA_ERROR_INVALID_VALUE;
    ended = fake_end(fake_find(FAKE_GRAPH, handle, "cuGraphDestroy"), "cuGraphDestroy");
    return code ? code : ended;
}

const struct fake_function fake_capture_functions[] = {
    FAKE_FUNCTION(StreamBeginCapture_v2, begin_capture),
    FAKE_FUNCTION(StreamEndCapture, end_capture),
    FAKE_FUNCTION(StreamIsCapturing, is_capturing),
    FAKE_FUNCTION(StreamGetCaptureInfo, get_capture_info),
    FAKE_FUNCTION(ThreadExchangeStreamCaptureMode, exchange_mode),
    FAKE_FUNCTION(GraphDestroy, graph_destroy),
    FAKE_END,
};
