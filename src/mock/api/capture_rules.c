/* SPDX-License-Identifier: Apache-2.0 */
/* What captures forbid, and what spoils them. */
#include "src/mock/api/capture_state.h"
#include "src/mock/api/context.h"
#include "src/mock/api/event.h"

/* Whether the calling thread must not make a call that is unsafe, because of this capture. */
static bool forbids(const struct cushim__capture *capture, const struct cushim__thread *thread)
{
    if (capture->mode == CU_STREAM_CAPTURE_MODE_RELAXED ||
        thread->capture_mode == CU_STREAM_CAPTURE_MODE_RELAXED)
        return false;
    if (capture->thread == thread->number)
        return true;
    return capture->mode == CU_STREAM_CAPTURE_MODE_GLOBAL &&
           thread->capture_mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
}

CUresult cushim__capture_unsafe(bool invalidates)
{
    const struct cushim__thread *thread = cushim__thread_get();
    CUresult code = CUDA_SUCCESS;

    if (!thread)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (struct cushim__capture *one = cushim__captures; one; one = one->next) {
        if (!forbids(one, thread))
            continue;
        if (invalidates)
            cushim__capture_invalidate(one);
        code = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    return code;
}

struct cushim__capture *cushim__capture_in_the_way(const struct cushim__stream *stream)
{
    if (stream->kind != CUSHIM__LEGACY)
        return NULL;
    for (struct cushim__capture *capture = cushim__captures; capture; capture = capture->next) {
        for (const struct cushim__captured_stream *one = capture->streams; one; one = one->next) {
            if (one->stream->object.context == stream->object.context &&
                cushim__stream_blocks(one->stream))
                return capture;
        }
    }
    return NULL;
}

CUresult cushim__capture_legacy(struct cushim__stream *legacy)
{
    struct cushim__capture *capture = cushim__capture_in_the_way(legacy);

    if (!capture)
        return CUDA_SUCCESS;
    cushim__capture_invalidate(capture);
    return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
}

CUresult cushim__capture_refuse(struct cushim__stream *stream)
{
    cushim__capture_invalidate(stream->capture);
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

CUresult cushim__capture_query_stream(struct cushim__stream *stream)
{
    CUresult code = cushim__capture_legacy(stream);

    if (code != CUDA_SUCCESS)
        return code;
    return stream->capture ? cushim__capture_refuse(stream) : cushim__capture_unsafe(true);
}

/* What is left of an invalidated capture is as what is left of one that has ended. */
enum cushim__event_capture cushim__capture_state_of(const struct cushim__event *event)
{
    return event->capture_state == CUSHIM__IN_CAPTURE && event->capture->invalidated
               ? CUSHIM__WAS_CAPTURED
               : event->capture_state;
}

CUresult cushim__capture_query_event(struct cushim__event *event)
{
    switch (cushim__capture_state_of(event)) {
    case CUSHIM__IN_CAPTURE:
        cushim__capture_invalidate(event->capture);
        return CUDA_ERROR_CAPTURED_EVENT;
    case CUSHIM__WAS_CAPTURED:
        return CUDA_ERROR_INVALID_VALUE;
    default:
        return cushim__capture_unsafe(true);
    }
}

CUresult cushim__capture_elapsed_event(struct cushim__event *event)
{
    switch (cushim__capture_state_of(event)) {
    case CUSHIM__IN_CAPTURE:
        return CUDA_ERROR_CAPTURED_EVENT;
    case CUSHIM__WAS_CAPTURED:
        return CUDA_ERROR_INVALID_VALUE;
    default:
        return CUDA_SUCCESS;
    }
}

static bool has_stream_of(const struct cushim__capture *capture,
                          const struct cushim__context *context)
{
    for (const struct cushim__captured_stream *one = capture->streams; one; one = one->next) {
        if (one->stream->object.context == context)
            return true;
    }
    return false;
}

CUresult cushim__capture_context(struct cushim__context *context)
{
    CUresult code = CUDA_SUCCESS;

    for (struct cushim__capture *one = cushim__captures; one; one = one->next) {
        if (!has_stream_of(one, context))
            continue;
        cushim__capture_invalidate(one);
        code = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    return code;
}
