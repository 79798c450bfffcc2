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

static void unlink_from_context(struct cushim__stream *stream)
{
    struct cushim__context *context = stream->object.context;

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
    struct cushim__stream *stream = object;

    if (cushim__world->engine) {
        cushim__stream_end(stream);
        return;
    }
    if (stream->linked)
        unlink_from_context(stream);
    free(stream);
}

/* The default streams of a context. NULL: out of memory. */
static struct cushim__stream *legacy(struct cushim__context *context)
{
    if (!context->legacy)
        context->legacy = cushim__stream_create(context, CUSHIM__LEGACY, CU_STREAM_DEFAULT, 0);
    return context->legacy;
}

static struct cushim__stream *per_thread(struct cushim__context *context)
{
    struct cushim__thread *thread = cushim__thread_get();
    struct cushim__stream *stream;

    if (!thread)
        return NULL;
    for (stream = context->per_thread; stream; stream = stream->next_default) {
        if (stream->owner == thread)
            return stream;
    }
    stream = cushim__stream_create(context, CUSHIM__PER_THREAD_DEFAULT, CU_STREAM_DEFAULT, 0);
    if (stream) {
        stream->owner = thread;
        stream->next_default = context->per_thread;
        context->per_thread = stream;
    }
    return stream;
}

struct cushim__stream *cushim__stream_create(struct cushim__context *context,
                                             enum cushim__stream_kind kind, unsigned flags,
                                             int priority)
{
    struct cushim__stream *stream = calloc(1, sizeof *stream);

    if (!stream)
        return NULL;
    stream->object.context = context;
    stream->kind = kind;
    stream->flags = flags;
    stream->priority = priority;
    stream->id = ++cushim__world->streams_made;
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

CUresult cushim__stream_publish(struct cushim__stream *stream)
{
    CUresult code = cushim__object_add(stream, CUSHIM__STREAM, stream->object.context);

    stream->object.drop = drop;
    return code;
}

void cushim__stream_free(struct cushim__stream *stream)
{
    if (stream->held > 0 || stream->listed)
        return;
    if (stream->linked)
        unlink_from_context(stream);
    free(stream);
}

void cushim__stream_hold(struct cushim__stream *stream)
{
    stream->held++;
}

void cushim__stream_let_go(struct cushim__stream *stream)
{
    stream->held--;
    if (stream->destroyed && !stream->head)
        cushim__stream_free(stream);
}

void cushim__stream_end(struct cushim__stream *stream)
{
    stream->destroyed = true;
    cushim__races_stream_gone(stream);
    if (!stream->head)
        cushim__stream_free(stream);
}

void cushim__streams_forget(struct cushim__context *context)
{
    while (context->streams) {
        struct cushim__stream *stream = context->streams;

        if (stream->capture)
            cushim__capture_forget_stream(stream, true);
        unlink_from_context(stream);
        if (!stream->object.handle)
            cushim__stream_end(stream);
    }
    context->legacy = context->per_thread = context->awaited = NULL;
}

bool cushim__stream_blocks(const struct cushim__stream *stream)
{
    return !(stream->flags & CU_STREAM_NON_BLOCKING);
}

bool cushim__stream_is_default(CUstream handle)
{
    return !handle || handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD;
}

CUresult cushim__stream_default(CUstream handle, struct cushim__context *context,
                                struct cushim__stream **stream)
{
    const bool is_of_thread = handle ? handle == CU_STREAM_PER_THREAD : cushim__call_per_thread;

    *stream = is_of_thread ? per_thread(context) : legacy(context);
    return *stream ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cushim__stream_find(CUstream handle, struct cushim__stream **stream)
{
    struct cushim__context *context;
    CUresult code;

    if (!cushim__stream_is_default(handle))
        return cushim__object_find(handle, CUSHIM__STREAM, stream);
    code = cushim__context_current(&context);
    return code ? code : cushim__stream_default(handle, context, stream);
}
