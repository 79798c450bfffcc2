/* SPDX-License-Identifier: Apache-2.0 */
#include "src/mock/api/stream_plan.h"

#include <stdlib.h>

#include "src/mock/api/event.h"
#include "src/mock/sim/sim.h"
#include "src/mock/sim/stream.h"
#include "src/race/race_search.h"

enum step { OPERATION, RECORD, WAIT, EVENT_RECORD, EVENT_WAIT };

struct cushim__planned {
    enum step step;
    struct cushim__stream *stream;
    struct cushim__operation *operation; /* NULL: it was queued, or there is none */
    struct cushim__record *record;       /* that is set or awaited; a reference of its own */
    struct cushim__event *event;
};

/* Takes the operation and the reference over in any case. */
static CUresult add(struct cushim__plan *plan, struct cushim__planned planned)
{
    struct cushim__planned *at = plan->at;

    if (plan->count == plan->room) {
        const size_t room = plan->room ? 2 * plan->room : 32;

        at = realloc(at, room * sizeof *at);
        if (!at) {
            cushim__operation_destroy(planned.operation);
            cushim__record_release(planned.record);
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
        plan->at = at;
        plan->room = room;
    }
    /* What is queued first may be done at once, and a stream that has ended goes with its work. */
    cushim__stream_hold(planned.stream);
    at[plan->count++] = planned;
    return CUDA_SUCCESS;
}

CUresult cushim__plan_operation(struct cushim__plan *plan, struct cushim__stream *stream,
                                struct cushim__operation *operation)
{
    if (!operation)
        return CUDA_ERROR_OUT_OF_MEMORY;
    return add(plan, (struct cushim__planned){OPERATION, stream, operation, NULL, NULL});
}

CUresult cushim__plan_record(struct cushim__plan *plan, struct cushim__record **record,
                             struct cushim__stream *stream)
{
    struct cushim__record *made = cushim__record_create();
    struct cushim__operation *operation = made ? cushim__record_operation(made) : NULL;

    if (!operation) {
        cushim__record_release(made);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    operation->duration_ns = 0;
    made->stream = stream;
    cushim__record_release(*record);
    *record = made;
    return add(plan, (struct cushim__planned){RECORD, stream, operation,
                                              cushim__record_retain(made), NULL});
}

CUresult cushim__plan_wait(struct cushim__plan *plan, struct cushim__record *record,
                           struct cushim__stream *stream)
{
    struct cushim__operation *wait = NULL;

    if (!record)
        return CUDA_SUCCESS;
    if (!cushim__record_done(record) && record->stream != stream) {
        wait = cushim__wait_operation(record);
        if (!wait)
            return CUDA_ERROR_OUT_OF_MEMORY;
    }
    return add(plan,
               (struct cushim__planned){WAIT, stream, wait, cushim__record_retain(record), NULL});
}

CUresult cushim__plan_event_record(struct cushim__plan *plan, struct cushim__event *event,
                                   struct cushim__stream *stream)
{
    struct cushim__record *record = cushim__record_create();
    void *operation = record ? cushim__event_operation(event, record) : NULL;

    if (!operation) {
        cushim__record_release(record);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    return add(plan, (struct cushim__planned){EVENT_RECORD, stream, operation, record, event});
}

CUresult cushim__plan_event_wait(struct cushim__plan *plan, struct cushim__event *event,
                                 struct cushim__stream *stream)
{
    struct cushim__record *spare = event->shared ? cushim__record_create() : NULL;
    void *operation = spare || !event->shared ? cushim__wait_operation(NULL) : NULL;

    if (!operation) {
        cushim__record_release(spare);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    return add(plan, (struct cushim__planned){EVENT_WAIT, stream, operation, spare, event});
}

void cushim__plan_stream(struct cushim__plan *plan, struct cushim__stream *stream)
{
    stream->next_planned = plan->streams;
    plan->streams = stream;
}

/* What was reserved for. */
static void queue_operation(struct cushim__planned *planned)
{
    struct cushim__operation *operation = planned->operation;

    planned->operation = NULL;
    cushim__engine_queue(planned->stream, operation);
}

static void queue_record(struct cushim__planned *planned)
{
    queue_operation(planned);
    planned->record->number = cushim__engine_submitted();
    planned->record->clock = cushim__races_last(planned->stream);
}

/* In an eager schedule it is done by the time that it is awaited. */
static void queue_wait(struct cushim__planned *planned)
{
    cushim__races_wait(planned->stream, planned->record->clock);
    if (planned->operation && !cushim__record_done(planned->record))
        queue_operation(planned);
}

static void queue_event_record(struct cushim__planned *planned)
{
    struct cushim__record *record = planned->record;

    planned->record = NULL;
    cushim__event_begin_record(planned->event, record, planned->stream);
    queue_operation(planned);
    cushim__event_end_record(planned->event, record, planned->stream);
}

/* What the event stands for may be what the same launch has recorded. */
static void queue_event_wait(struct cushim__planned *planned)
{
    cushim__event_follow(planned->event, planned->stream);
    if (cushim__event_done(planned->event))
        return;
    if (planned->record)
        cushim__event_share(planned->event, planned->record);
    cushim__wait_set(planned->operation,
                     planned->record ? planned->record : planned->event->record);
    queue_operation(planned);
}

static void (*const steps[])(struct cushim__planned *planned) = {
    [OPERATION] = queue_operation,       [RECORD] = queue_record,         [WAIT] = queue_wait,
    [EVENT_RECORD] = queue_event_record, [EVENT_WAIT] = queue_event_wait,
};

CUresult cushim__plan_queue(struct cushim__plan *plan)
{
    CUresult code = CUDA_SUCCESS;

    for (size_t i = 0; code == CUDA_SUCCESS && i < plan->count; i++) {
        if (plan->at[i].operation)
            code = cushim__engine_reserve(plan->at[i].stream, plan->at[i].operation, plan->count);
    }
    for (size_t i = 0; code == CUDA_SUCCESS && i < plan->count; i++)
        steps[plan->at[i].step](&plan->at[i]);
    return code;
}

void cushim__plan_clear(struct cushim__plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        cushim__operation_destroy(plan->at[i].operation);
        cushim__record_release(plan->at[i].record);
        cushim__stream_let_go(plan->at[i].stream);
    }
    while (plan->streams) {
        struct cushim__stream *stream = plan->streams;

        plan->streams = stream->next_planned;
        cushim__stream_end(stream);
    }
    free(plan->at);
    *plan = (struct cushim__plan){0};
}
