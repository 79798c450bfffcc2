/* SPDX-License-Identifier: Apache-2.0 */
/* What captures forbid, and what spoils them. */
#include "src/mock/api/capture_state.h"
#include "src/mock/api/context.h"
#include "src/mock/api/event.h"

/* Whether the calling thread must not make a call that is unsafe, because of this capture. */
static bool forbids(const struct mock_capture *capture, const struct mock_thread *thread)
{
    if (capture->mode == CU_STREAM_CAPTURE_MODE_RELAXED ||
        thread->capture_mode == CU_STREAM_CAPTURE_MODE_RELAXED)
        return false;
    if (capture->thread == thread->number)
        return true;
    return capture->mode == CU_STREAM_CAPTURE_MODE_GLOBAL &&
           thread->capture_mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
}

CUresult cushim__mock_capture_unsafe(bool invalidates)
{
    const struct mock_thread *thread = cushim__mock_thread_get();
    CUresult code = CUDA_SUCCESS;

    if (!thread)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (struct mock_capture *one = cushim__mock_captures; one; one = one->next) {
        if (!forbids(one, thread))
            continue;
        if (invalidates)
            cushim__mock_capture_invalidate(one);
        code = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    return code;
}

struct mock_capture *cushim__mock_capture_in_the_way(const struct mock_stream *stream)
{
    if (stream->kind != MOCK_LEGACY)
        return NULL;
    for (struct mock_capture *capture = cushim__mock_captures; capture; capture = capture->next) {
        for (const struct mock_captured_stream *one = capture->streams; one; one = one->next) {
            if (one->stream->object.context == stream->object.context &&
                cushim__mock_stream_blocks(one->stream))
                return capture;
        }
    }
    return NULL;
}

CUresult cushim__mock_capture_legacy(struct mock_stream *legacy)
{
    struct mock_capture *capture = cushim__mock_capture_in_the_way(legacy);

    if (!capture)
        return CUDA_SUCCESS;
    cushim__mock_capture_invalidate(capture);
    return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
}

CUresult cushim__mock_capture_refuse(struct mock_stream *stream)
{
    cushim__mock_capture_invalidate(stream->capture);
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

CUresult cushim__mock_capture_query_stream(struct mock_stream *stream)
{
    CUresult code = cushim__mock_capture_legacy(stream);

    if (code != CUDA_SUCCESS)
        return code;
    return stream->capture ? cushim__mock_capture_refuse(stream)
                           : cushim__mock_capture_unsafe(true);
}

/* What is left of an invalidated capture is as what is left of one that has ended. */
enum mock_event_capture cushim__mock_capture_state_of(const struct mock_event *event)
{
    return event->capture_state == MOCK_IN_CAPTURE && event->capture->invalidated
               ? MOCK_WAS_CAPTURED
               : event->capture_state;
}

CUresult cushim__mock_capture_query_event(struct mock_event *event)
{
    switch (cushim__mock_capture_state_of(event)) {
    case MOCK_IN_CAPTURE:
        cushim__mock_capture_invalidate(event->capture);
        return CUDA_ERROR_CAPTURED_EVENT;
    case MOCK_WAS_CAPTURED:
        return CUDA_ERROR_INVALID_VALUE;
    default:
        return cushim__mock_capture_unsafe(true);
    }
}

CUresult cushim__mock_capture_elapsed_event(struct mock_event *event)
{
    switch (cushim__mock_capture_state_of(event)) {
    case MOCK_IN_CAPTURE:
        return CUDA_ERROR_CAPTURED_EVENT;
    case MOCK_WAS_CAPTURED:
        return CUDA_ERROR_INVALID_VALUE;
    default:
        return CUDA_SUCCESS;
    }
}

static bool has_stream_of(const struct mock_capture *capture, const struct mock_context *context)
{
    for (const struct mock_captured_stream *one = capture->streams; one; one = one->next) {
        if (one->stream->object.context == context)
            return true;
    }
    return false;
}

CUresult cushim__mock_capture_context(struct mock_context *context)
{
    CUresult code = CUDA_SUCCESS;

    for (struct mock_capture *one = cushim__mock_captures; one; one = one->next) {
        if (!has_stream_of(one, context))
            continue;
        cushim__mock_capture_invalidate(one);
        code = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    return code;
}
