/* SPDX-License-Identifier: Apache-2.0 */
#include "src/mock/api/stream_plan.h"

#include <stdlib.h>

#include "src/mock/api/event.h"
#include "src/mock/api/stream.h"
#include "src/race/race.h"

enum step { OPERATION, RECORD, WAIT, EVENT_RECORD, EVENT_WAIT };

struct mock_planned {
    enum step step;
    struct mock_stream *stream;
    struct mock_operation *operation; /* NULL: it was queued, or there is none */
    struct mock_record *record;       /* that is set or awaited; a reference of its own */
    struct mock_event *event;
};

/* Takes the operation and the reference over in any case. */
static CUresult add(struct mock_plan *plan, struct mock_planned planned)
{
    struct mock_planned *at = plan->at;

    if (plan->count == plan->room) {
        const size_t room = plan->room ? 2 * plan->room : 32;

        at = realloc(at, room * sizeof *at);
        if (!at) {
            cushim__mock_operation_destroy(planned.operation);
            cushim__mock_record_release(planned.record);
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
        plan->at = at;
        plan->room = room;
    }
    /* What is queued first may be done at once, and a stream that has ended goes with its work. */
    cushim__mock_stream_hold(planned.stream);
    at[plan->count++] = planned;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_plan_operation(struct mock_plan *plan, struct mock_stream *stream,
                                     struct mock_operation *operation)
{
    if (!operation)
        return CUDA_ERROR_OUT_OF_MEMORY;
    return add(plan, (struct mock_planned){OPERATION, stream, operation, NULL, NULL});
}

CUresult cushim__mock_plan_record(struct mock_plan *plan, struct mock_record **record,
                                  struct mock_stream *stream)
{
    struct mock_record *made = cushim__mock_record_create();
    struct mock_operation *operation = made ? cushim__mock_record_operation(made) : NULL;

    if (!operation) {
        cushim__mock_record_release(made);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    operation->duration_ns = 0;
    made->stream = stream;
    cushim__mock_record_release(*record);
    *record = made;
    return add(plan, (struct mock_planned){RECORD, stream, operation,
                                           cushim__mock_record_retain(made), NULL});
}

CUresult cushim__mock_plan_wait(struct mock_plan *plan, struct mock_record *record,
                                struct mock_stream *stream)
{
    struct mock_operation *wait = NULL;

    if (!record)
        return CUDA_SUCCESS;
    if (!cushim__mock_record_done(record) && record->stream != stream) {
        wait = cushim__mock_wait_operation(record);
        if (!wait)
            return CUDA_ERROR_OUT_OF_MEMORY;
    }
    return add(plan,
               (struct mock_planned){WAIT, stream, wait, cushim__mock_record_retain(record), NULL});
}

CUresult cushim__mock_plan_event_record(struct mock_plan *plan, struct mock_event *event,
                                        struct mock_stream *stream)
{
    struct mock_record *record = cushim__mock_record_create();
    void *operation = record ? cushim__mock_event_operation(event, record) : NULL;

    if (!operation) {
        cushim__mock_record_release(record);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    return add(plan, (struct mock_planned){EVENT_RECORD, stream, operation, record, event});
}

CUresult cushim__mock_plan_event_wait(struct mock_plan *plan, struct mock_event *event,
                                      struct mock_stream *stream)
{
    struct mock_record *spare = event->shared ? cushim__mock_record_create() : NULL;
    void *operation = spare || !event->shared ? cushim__mock_wait_operation(NULL) : NULL;

    if (!operation) {
        cushim__mock_record_release(spare);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    return add(plan, (struct mock_planned){EVENT_WAIT, stream, operation, spare, event});
}

void cushim__mock_plan_stream(struct mock_plan *plan, struct mock_stream *stream)
{
    stream->next_planned = plan->streams;
    plan->streams = stream;
}

/* What was reserved for. */
static void queue_operation(struct mock_planned *planned)
{
    struct mock_operation *operation = planned->operation;

    planned->operation = NULL;
    cushim__mock_sim_queue(planned->stream, operation);
}

static void queue_record(struct mock_planned *planned)
{
    queue_operation(planned);
    planned->record->number = cushim__mock_sim_submitted();
    planned->record->clock = cushim__race_last(&planned->stream->race);
}

/* In an eager schedule it is done by the time that it is awaited. */
static void queue_wait(struct mock_planned *planned)
{
    cushim__race_wait(&planned->stream->race, planned->record->clock);
    if (planned->operation && !cushim__mock_record_done(planned->record))
        queue_operation(planned);
}

static void queue_event_record(struct mock_planned *planned)
{
    struct mock_record *record = planned->record;

    planned->record = NULL;
    cushim__mock_event_begin_record(planned->event, record, planned->stream);
    queue_operation(planned);
    cushim__mock_event_end_record(planned->event, record, planned->stream);
}

/* What the event stands for may be what the same launch has recorded. */
static void queue_event_wait(struct mock_planned *planned)
{
    cushim__mock_event_follow(planned->event, planned->stream);
    if (cushim__mock_event_done(planned->event))
        return;
    if (planned->record)
        cushim__mock_event_share(planned->event, planned->record);
    cushim__mock_wait_set(planned->operation,
                          planned->record ? planned->record : planned->event->record);
    queue_operation(planned);
}

static void (*const steps[])(struct mock_planned *planned) = {
    [OPERATION] = queue_operation,       [RECORD] = queue_record,         [WAIT] = queue_wait,
    [EVENT_RECORD] = queue_event_record, [EVENT_WAIT] = queue_event_wait,
};

CUresult cushim__mock_plan_queue(struct mock_plan *plan)
{
    CUresult code = CUDA_SUCCESS;

    for (size_t i = 0; code == CUDA_SUCCESS && i < plan->count; i++) {
        if (plan->at[i].operation)
            code = cushim__mock_sim_reserve(plan->at[i].stream, plan->at[i].operation, plan->count);
    }
    for (size_t i = 0; code == CUDA_SUCCESS && i < plan->count; i++)
        steps[plan->at[i].step](&plan->at[i]);
    return code;
}

void cushim__mock_plan_clear(struct mock_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        cushim__mock_operation_destroy(plan->at[i].operation);
        cushim__mock_record_release(plan->at[i].record);
        cushim__mock_stream_release(plan->at[i].stream);
    }
    while (plan->streams) {
        struct mock_stream *stream = plan->streams;

        plan->streams = stream->next_planned;
        cushim__mock_stream_end(stream);
    }
    free(plan->at);
    *plan = (struct mock_plan){0};
}
