/* SPDX-License-Identifier: Apache-2.0 */
/* Plans: all operations of a call are queued, or none. */
#include <stdlib.h>

#include "src/mock/event/event.h"
#include "src/mock/sim/sim.h"
#include "src/mock/stream/stream.h"
#include "src/race/race.h"

enum step { OPERATION, FENCE, WAIT, EVENT_RECORD, EVENT_WAIT };

struct mock_planned {
    enum step step;
    struct mock_stream *stream;
    struct mock_operation *operation; /* NULL if it was queued, or there is none */
    struct mock_event_record *record; /* set or awaited; this entry owns a reference */
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
            cushim__mock_event_record_release(planned.record);
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
        plan->at = at;
        plan->room = room;
    }
    /* Work queued first may be done at once, and a stream that has ended goes with its work. */
    cushim__mock_stream_retain(planned.stream);
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

CUresult cushim__mock_plan_fence(struct mock_plan *plan, struct mock_event_record **fence,
                                 struct mock_stream *stream)
{
    struct mock_event_record *made;
    struct mock_operation *operation = cushim__mock_event_record_operation(&made);

    if (!operation)
        return CUDA_ERROR_OUT_OF_MEMORY;
    operation->duration_ns = 0;
    made->stream = stream;
    cushim__mock_event_record_release(*fence);
    *fence = made;
    return add(plan, (struct mock_planned){FENCE, stream, operation,
                                           cushim__mock_event_record_retain(made), NULL});
}

CUresult cushim__mock_plan_wait(struct mock_plan *plan, struct mock_event_record *fence,
                                struct mock_stream *stream)
{
    struct mock_operation *wait = NULL;

    if (!fence)
        return CUDA_SUCCESS;
    if (!cushim__mock_event_record_done(fence) && fence->stream != stream) {
        wait = cushim__mock_event_wait_operation(fence);
        if (!wait)
            return CUDA_ERROR_OUT_OF_MEMORY;
    }
    return add(plan, (struct mock_planned){WAIT, stream, wait,
                                           cushim__mock_event_record_retain(fence), NULL});
}

CUresult cushim__mock_plan_event_record(struct mock_plan *plan, struct mock_event *event,
                                        struct mock_stream *stream)
{
    struct mock_event_record *record;
    void *operation = cushim__mock_event_operation(event, &record);

    if (!operation)
        return CUDA_ERROR_OUT_OF_MEMORY;
    return add(plan, (struct mock_planned){EVENT_RECORD, stream, operation, record, event});
}

CUresult cushim__mock_plan_event_wait(struct mock_plan *plan, struct mock_event *event,
                                      struct mock_stream *stream)
{
    struct mock_event_record *spare = event->shared ? cushim__mock_event_record_create() : NULL;
    void *operation = spare || !event->shared ? cushim__mock_event_wait_operation(NULL) : NULL;

    if (!operation) {
        cushim__mock_event_record_release(spare);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    return add(plan, (struct mock_planned){EVENT_WAIT, stream, operation, spare, event});
}

void cushim__mock_plan_stream(struct mock_plan *plan, struct mock_stream *stream)
{
    stream->next_planned = plan->streams;
    plan->streams = stream;
}

/* The room was reserved, so that queueing does not fail. */
static void submit_operation(struct mock_planned *planned)
{
    struct mock_operation *operation = planned->operation;

    planned->operation = NULL;
    cushim__mock_sim_submit(planned->stream, operation);
}

static void submit_fence(struct mock_planned *planned)
{
    submit_operation(planned);
    planned->record->number = cushim__mock_sim_submitted();
    planned->record->clock = cushim__race_last(&planned->stream->race);
}

/* In an eager schedule the record is done by the time that it is awaited. */
static void submit_wait(struct mock_planned *planned)
{
    cushim__race_wait(&planned->stream->race, planned->record->clock);
    if (planned->operation && !cushim__mock_event_record_done(planned->record))
        submit_operation(planned);
}

static void submit_event_record(struct mock_planned *planned)
{
    struct mock_event_record *record = planned->record;

    planned->record = NULL;
    cushim__mock_event_record_prepare(planned->event, record, planned->stream);
    submit_operation(planned);
    cushim__mock_event_record_submitted(planned->event, record, planned->stream);
}

/* The event may stand for a record that the same launch has made. */
static void submit_event_wait(struct mock_planned *planned)
{
    cushim__mock_event_follow(planned->event, planned->stream);
    if (cushim__mock_event_done(planned->event))
        return;
    if (planned->record)
        cushim__mock_event_share(planned->event, planned->record);
    cushim__mock_event_wait_set_record(planned->operation,
                                       planned->record ? planned->record : planned->event->record);
    submit_operation(planned);
}

static void (*const steps[])(struct mock_planned *planned) = {
    [OPERATION] = submit_operation,       [FENCE] = submit_fence,           [WAIT] = submit_wait,
    [EVENT_RECORD] = submit_event_record, [EVENT_WAIT] = submit_event_wait,
};

CUresult cushim__mock_plan_submit(struct mock_plan *plan)
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
        cushim__mock_event_record_release(plan->at[i].record);
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
