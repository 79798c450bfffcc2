/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What handles of streams mean, and where the operations of calls go: to the simulator, or into the
 * graph of a capture.
 */
#include "src/mock/stream/stream.h"

#include <stdlib.h>

#include "src/mock/context/context.h"
#include "src/mock/core/state.h"
#include "src/mock/event/event.h"
#include "src/mock/stream/capture.h"
#include "src/race/race.h"

/* Return a default stream of a context, created at first use. NULL if memory runs out. */
static struct mock_stream *legacy(struct mock_context *context)
{
    struct mock_stream_group *group = &context->group;

    if (!group->legacy)
        group->legacy = cushim__mock_stream_create(
            context, MOCK_LEGACY, context->base ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT, 0);
    return group->legacy;
}

static struct mock_stream *per_thread(struct mock_context *context)
{
    struct mock_thread *thread = cushim__mock_thread_get();
    struct mock_stream *stream;

    if (!thread)
        return NULL;
    for (stream = context->per_thread; stream; stream = stream->next_default) {
        if (stream->owner == thread)
            return stream;
    }
    stream = cushim__mock_stream_create(context, MOCK_PER_THREAD_DEFAULT, CU_STREAM_DEFAULT, 0);
    if (stream) {
        stream->owner = thread;
        stream->next_default = context->per_thread;
        context->per_thread = stream;
    }
    return stream;
}

struct mock_stream *cushim__mock_stream_create(struct mock_context *context,
                                               enum mock_stream_kind kind, unsigned flags,
                                               int priority)
{
    struct mock_stream *stream = calloc(1, sizeof *stream);

    if (!stream)
        return NULL;
    stream->object.context = context;
    stream->group = &context->group;
    stream->kind = kind;
    stream->flags = flags;
    stream->priority = priority;
    stream->id = ++cushim__mock->streams_made;
    stream->settings.synchronization = CU_SYNC_POLICY_AUTO;
    stream->settings.memory_domain_map[1] = 1;
    cushim__mock_group_add(stream);
    return stream;
}

/* The program may still have the handle when the mock is destroyed, or long after its context. */
static void drop(void *object)
{
    struct mock_stream *stream = object;

    if (cushim__mock->sim) {
        cushim__mock_stream_end(stream);
        return;
    }
    cushim__mock_group_remove(stream);
    free(stream);
}

CUresult cushim__mock_stream_make(struct mock_context *context, unsigned flags, int priority,
                                  CUstream *handle)
{
    /* Those of a green context never block its default stream. */
    struct mock_stream *stream = cushim__mock_stream_create(
        context, MOCK_CREATED, context->base ? CU_STREAM_NON_BLOCKING : flags,
        cushim__mock_stream_clamp(priority));
    CUresult code;

    if (!stream)
        return CUDA_ERROR_OUT_OF_MEMORY;
    stream->object.drop = drop;
    code = cushim__mock_object_add(stream, MOCK_STREAM, context);
    if (code)
        cushim__mock_stream_end(stream);
    else
        *handle = stream->object.handle;
    return code;
}

int cushim__mock_stream_clamp(int priority)
{
    const struct mock_profile *profile = &cushim__mock->settings.profile;

    if (priority < profile->greatest_priority)
        return profile->greatest_priority;
    return priority > profile->least_priority ? profile->least_priority : priority;
}

void cushim__mock_streams_forget(struct mock_context *context)
{
    while (context->group.streams) {
        struct mock_stream *stream = context->group.streams;

        if (stream->capture)
            cushim__mock_capture_forget_stream(stream, true);
        cushim__mock_group_remove(stream);
        if (!stream->object.handle)
            cushim__mock_stream_end(stream);
    }
    context->group.legacy = context->group.awaited = NULL;
    context->per_thread = NULL;
}

CUresult cushim__mock_stream_default(CUstream handle, struct mock_context *context,
                                     struct mock_stream **stream)
{
    const bool is_of_thread =
        handle ? handle == CU_STREAM_PER_THREAD : cushim__mock_call.per_thread;

    /* A green context has one default stream (driver-semantics.md #229). */
    if (handle == CU_STREAM_PER_THREAD && context->base)
        return CUDA_ERROR_INVALID_HANDLE;
    *stream = is_of_thread ? per_thread(context) : legacy(context);
    return *stream ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cushim__mock_stream_find(CUstream handle, struct mock_stream **stream)
{
    struct mock_context *context;
    CUresult code;

    if (!cushim__mock_stream_is_default(handle))
        return cushim__mock_object_find(handle, MOCK_STREAM, stream);
    code = cushim__mock_context_current(&context);
    return code ? code : cushim__mock_stream_default(handle, context, stream);
}

CUresult cushim__mock_memory_stream(CUstream handle, bool asynchronous, struct mock_stream **stream)
{
    struct mock_context *context;
    CUresult code;

    if (asynchronous && !cushim__mock_stream_is_default(handle))
        return cushim__mock_stream_find(handle, stream);
    code = cushim__mock_memory_context(&context);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_stream_default(asynchronous ? handle : NULL, cushim__mock_context_top(),
                                           stream);
    /* A capture in the way is checked before the arguments (driver-semantics.md #129). */
    if (code == CUDA_SUCCESS && !asynchronous && cushim__mock_captures)
        code = cushim__mock_capture_legacy(*stream);
    return code;
}

/* Whether an operation would have to wait for anything but itself. */
static bool has_to_wait(const struct mock_stream *stream)
{
    const struct mock_stream *legacy = stream->group->legacy;

    return cushim__mock_sim_busy(stream) ||
           (cushim__mock_stream_blocks(stream) && legacy && legacy->head);
}

CUresult cushim__mock_memory_finish(struct mock_stream *stream, struct mock_operation *operation,
                                    bool is_seen)
{
    CUresult code;

    if (cushim__mock->settings.mode != MOCK_MODE_MANUAL || cushim__mock_captures) {
        code = cushim__mock_stream_submit(stream, operation);
        return code ? code : cushim__mock_sim_wait_last(stream, is_seen);
    }
    /*
     * In manual mode only the caller can let time pass, and the caller waits. So the operation is
     * executed in the call, or refused: left in the stream, it would use the caller's memory after
     * the call.
     */
    if (has_to_wait(stream)) {
        cushim__mock_operation_destroy(operation);
        return cushim__mock_sim_wait_refused();
    }
    cushim__mock_sim_number(stream, operation);
    code = operation->class->execute(operation);
    cushim__race_saw(cushim__race_last(&stream->race), is_seen);
    cushim__mock_sim_end_reported();
    cushim__mock_operation_destroy(operation);
    if (code)
        cushim__mock_sim_set_sticky_error(code);
    return code;
}

CUresult cushim__mock_stream_submit(struct mock_stream *stream, void *operation)
{
    CUresult code = CUDA_SUCCESS;

    if (stream->capture)
        return cushim__mock_capture_add(stream, operation);
    if (cushim__mock_captures && stream->kind == MOCK_LEGACY)
        code = cushim__mock_capture_legacy(stream);
    if (code != CUDA_SUCCESS) {
        cushim__mock_operation_destroy(operation);
        return code;
    }
    return cushim__mock_sim_submit(stream, operation);
}

CUresult cushim__mock_stream_wait_event(struct mock_stream *stream, struct mock_event *event)
{
    struct mock_event_record *record;
    void *wait;

    cushim__mock_event_follow(event, stream);
    if (cushim__mock_event_done(event))
        return CUDA_SUCCESS;
    record = cushim__mock_event_newest(event);
    wait = record ? cushim__mock_event_wait_operation(record) : NULL;
    cushim__mock_event_record_release(record);
    return wait ? cushim__mock_stream_submit(stream, wait) : CUDA_ERROR_OUT_OF_MEMORY;
}
