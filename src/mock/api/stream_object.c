/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: how they begin and end, and what a handle means. */
#include <stdlib.h>

#include "src/mock/api/capture.h"
#include "src/mock/api/context.h"
#include "src/mock/call.h"
#include "src/mock/core/state.h"
#include "src/mock/sim/sim.h"
#include "src/mock/sim/stream.h"
#include "src/race/race_search.h"

static void unlink_from_context(struct mock_stream *stream)
{
    struct mock_context *context = stream->object.context;

    if (stream->previous)
        stream->previous->next = stream->next;
    else
        context->streams = stream->next;
    if (stream->next)
        stream->next->previous = stream->previous;
    else
        context->last_stream = stream->previous;
    if (context->awaited == stream)
        context->awaited = stream->next;
    stream->next = stream->previous = NULL;
    stream->linked = false;
}

/* The mock ends while the program has the handle, or its context did so long ago. */
static void drop(void *object)
{
    struct mock_stream *stream = object;

    if (cushim__mock->engine) {
        cushim__mock_stream_end(stream);
        return;
    }
    if (stream->linked)
        unlink_from_context(stream);
    free(stream);
}

/* The default streams of a context. NULL: out of memory. */
static struct mock_stream *legacy(struct mock_context *context)
{
    if (!context->legacy)
        context->legacy = cushim__mock_stream_create(context, MOCK_LEGACY, CU_STREAM_DEFAULT, 0);
    return context->legacy;
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
    stream->kind = kind;
    stream->flags = flags;
    stream->priority = priority;
    stream->id = ++cushim__mock->streams_made;
    stream->settings.synchronization = CU_SYNC_POLICY_AUTO;
    stream->settings.memory_domain_map[1] = 1;
    stream->previous = context->last_stream;
    if (context->last_stream)
        context->last_stream->next = stream;
    else
        context->streams = stream;
    context->last_stream = stream;
    stream->linked = true;
    return stream;
}

CUresult cushim__mock_stream_publish(struct mock_stream *stream)
{
    CUresult code = cushim__mock_object_add(stream, MOCK_STREAM, stream->object.context);

    stream->object.drop = drop;
    return code;
}

void cushim__mock_stream_free(struct mock_stream *stream)
{
    if (stream->held > 0 || stream->listed)
        return;
    if (stream->linked)
        unlink_from_context(stream);
    free(stream);
}

void cushim__mock_stream_hold(struct mock_stream *stream)
{
    stream->held++;
}

void cushim__mock_stream_release(struct mock_stream *stream)
{
    stream->held--;
    if (stream->destroyed && !stream->head)
        cushim__mock_stream_free(stream);
}

void cushim__mock_stream_end(struct mock_stream *stream)
{
    stream->destroyed = true;
    cushim__race_stream_gone(stream);
    if (!stream->head)
        cushim__mock_stream_free(stream);
}

void cushim__mock_streams_forget(struct mock_context *context)
{
    while (context->streams) {
        struct mock_stream *stream = context->streams;

        if (stream->capture)
            cushim__mock_capture_forget_stream(stream, true);
        unlink_from_context(stream);
        if (!stream->object.handle)
            cushim__mock_stream_end(stream);
    }
    context->legacy = context->per_thread = context->awaited = NULL;
}

bool cushim__mock_stream_blocks(const struct mock_stream *stream)
{
    return !(stream->flags & CU_STREAM_NON_BLOCKING);
}

bool cushim__mock_stream_is_default(CUstream handle)
{
    return !handle || handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD;
}

CUresult cushim__mock_stream_default(CUstream handle, struct mock_context *context,
                                     struct mock_stream **stream)
{
    const bool is_of_thread =
        handle ? handle == CU_STREAM_PER_THREAD : cushim__mock_call_per_thread;

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
