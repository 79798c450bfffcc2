/* SPDX-License-Identifier: Apache-2.0 */
/* Work that is dropped: after a sticky error, or because its context ends. */
#include "src/mock/api/context.h"
#include "src/mock/sim/helper.h"
#include "src/mock/sim/internal.h"

/* Take a stream out of whatever its head waits in. False: the helper thread executes the head. */
static bool detach(struct cushim__stream *stream)
{
    switch (stream->state) {
    case CUSHIM__RUNNING:
        cushim__heap_remove(stream);
        break;
    case CUSHIM__POLLED:
        cushim__queue_remove(&cushim__engine()->polled, stream);
        break;
    case CUSHIM__ON_HOST:
        if (cushim__helper_executes(stream))
            return false;
        cushim__helper_forget(stream);
        break;
    default:
        break;
    }
    if (stream->head)
        cushim__lane_leave(stream);
    stream->ordered = false;
    stream->state = CUSHIM__IDLE;
    return true;
}

/* Drop what is queued behind `kept`, but for what is executed in spite of an error. */
static void drop(struct cushim__stream *stream, bool all)
{
    struct cushim__engine *engine = cushim__engine();
    bool busy = stream->head && !detach(stream);
    struct cushim__operation *operation = busy ? stream->head->next : stream->head;
    struct cushim__operation **link = busy ? &stream->head->next : &stream->head;

    if (!stream->head)
        return;
    stream->tail = busy ? stream->head : NULL;
    *link = NULL;
    stream->demanded_last = NULL;
    while (operation) {
        struct cushim__operation *next = operation->next;

        if (!all && operation->class->always) {
            *link = operation;
            link = &operation->next;
            *link = NULL;
            stream->tail = operation;
        } else {
            stream->pending--;
            engine->pending--;
            engine->outside_queued -= operation->outside;
            cushim__operation_destroy(operation);
        }
        operation = next;
    }
    if (!stream->head)
        engine->active--;
    else if (!busy)
        cushim__run_list(stream);
}

void cushim__engine_fault(CUresult code)
{
    struct cushim__engine *engine = cushim__engine();
    struct cushim__context *context = NULL;

    if (cushim__world->fault)
        return;
    cushim__world->fault = code;
    while ((context = cushim__object_next(CUSHIM__CONTEXT, context))) {
        for (struct cushim__stream *one = context->streams; one; one = one->next)
            drop(one, false);
    }
    cushim__run_listed();
    cushim__condition_broadcast(&engine->changed);
}

void cushim__engine_forget(struct cushim__stream *stream)
{
    stream->held++; /* it goes with its context, not with its work: not let go of */
    drop(stream, true);
    while (stream->head)
        cushim__wait_for_change();
    stream->held--;
}

void cushim__engine_forget_context(struct cushim__context *context)
{
    for (struct cushim__stream *one = context->streams; one; one = one->next)
        cushim__engine_forget(one);
    cushim__run_listed();
    cushim__executor_wake();
}
