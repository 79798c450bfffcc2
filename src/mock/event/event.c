/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events and their records, and the operations that mark a record as done or wait for one. These
 * are submitted by stream/stream.c, and queued by sim/sim.c.
 */
#include "src/mock/event/event.h"

#include <stdlib.h>

#include "src/mock/core/state.h"
#include "src/mock/event/shared.h"
#include "src/mock/sim/operation.h"
#include "src/mock/sim/sim.h"
#include "src/race/race.h"

/* An operation that marks an event record as done. */
struct record_operation {
    struct mock_operation operation;
    struct mock_event_record *record;
};

/* An operation that waits for an event record. */
struct wait_operation {
    struct mock_operation operation;
    struct mock_event_record *record;
    struct mock_stream *stream; /* while it is in the record's list */
};

struct mock_event_record *cushim__mock_event_record_create(void)
{
    struct mock_event_record *record = calloc(1, sizeof *record);

    if (record)
        record->references = 1;
    return record;
}

struct mock_event_record *cushim__mock_event_record_retain(struct mock_event_record *record)
{
    record->references++;
    return record;
}

void cushim__mock_event_record_release(struct mock_event_record *record)
{
    if (!record || --record->references > 0)
        return;
    if (record->shared)
        cushim__mock_shared_event_release(record->shared);
    cushim__race_clock_release(record->clock);
    free(record);
}

bool cushim__mock_event_record_done(const struct mock_event_record *record)
{
    if (record->shared)
        return cushim__mock_shared_event_done(record->shared, record->shared_number);
    return record->done;
}

/* Release the streams that wait for a record, because it is done or will never be. */
static void finish(struct mock_event_record *record)
{
    struct mock_stream *stream = record->waiting;

    if (record->done)
        return;
    record->done = true;
    record->time_ns = cushim__mock->executing_at_ns;
    record->stream = NULL;
    record->waiting = NULL;
    if (record->shared)
        cushim__mock_shared_event_end(record->shared, record->shared_number);
    while (stream) {
        struct mock_stream *next = stream->next_waiting;

        stream->next_waiting = NULL;
        cushim__mock_sim_recheck(stream);
        stream = next;
    }
}

static CUresult record_execute(struct mock_operation *operation)
{
    finish(((struct record_operation *)operation)->record);
    return CUDA_SUCCESS;
}

static void record_drop(struct mock_operation *operation)
{
    struct mock_event_record *record = ((struct record_operation *)operation)->record;

    finish(record);
    cushim__mock_event_record_release(record);
}

static const struct mock_operation_class record_class = {
    .name = "record",
    .size = sizeof(struct record_operation),
    .node_type = CU_GRAPH_NODE_TYPE_EVENT_RECORD,
    .execute = record_execute,
    .drop = record_drop,
};

void *cushim__mock_event_record_operation(struct mock_event_record **record)
{
    struct mock_event_record *made = cushim__mock_event_record_create();
    struct record_operation *operation =
        made ? cushim__mock_operation_create(&record_class, MOCK_NO_UNIT,
                                             cushim__mock->settings.costs.record_ns)
             : NULL;

    if (!operation) {
        cushim__mock_event_record_release(made);
        return NULL;
    }
    operation->record = cushim__mock_event_record_retain(made);
    *record = made;
    return operation;
}

static bool wait_ready(struct mock_operation *operation, struct mock_stream *stream)
{
    struct wait_operation *wait = (struct wait_operation *)operation;
    struct mock_event_record *record = wait->record;

    wait->stream = NULL;
    if (cushim__mock_event_record_done(record))
        return true;
    if (!record->shared) {
        wait->stream = stream;
        stream->state = MOCK_BLOCKED;
        stream->next_waiting = record->waiting;
        record->waiting = stream;
    }
    return false;
}

static void wait_force(const struct mock_operation *operation)
{
    const struct mock_event_record *record = ((const struct wait_operation *)operation)->record;

    if (!record->done && record->stream)
        cushim__mock_sim_force(record->stream, record->number);
}

static void wait_drop(struct mock_operation *operation)
{
    struct wait_operation *wait = (struct wait_operation *)operation;
    struct mock_stream **link = wait->record ? &wait->record->waiting : NULL;

    while (wait->stream && *link) {
        if (*link == wait->stream) {
            *link = wait->stream->next_waiting;
            break;
        }
        link = &(*link)->next_waiting;
    }
    cushim__mock_event_record_release(wait->record);
}

static const struct mock_operation_class wait_class = {
    .name = "wait",
    .size = sizeof(struct wait_operation),
    .node_type = CU_GRAPH_NODE_TYPE_WAIT_EVENT,
    .ready = wait_ready,
    .force = wait_force,
    .drop = wait_drop,
};

void *cushim__mock_event_wait_operation(struct mock_event_record *record)
{
    struct wait_operation *wait = cushim__mock_operation_create(&wait_class, MOCK_NO_UNIT, 0);

    if (wait && record)
        wait->record = cushim__mock_event_record_retain(record);
    return wait;
}

void cushim__mock_event_wait_set_record(void *operation, struct mock_event_record *record)
{
    ((struct wait_operation *)operation)->record = cushim__mock_event_record_retain(record);
}

/* Events: names for records. */

static void drop(void *object)
{
    struct mock_event *event = object;

    cushim__mock_event_forget_capture(event, MOCK_NOT_CAPTURED);
    cushim__mock_event_record_release(event->record);
    if (event->shared)
        cushim__mock_shared_event_release(event->shared);
    free(event);
}

CUresult cushim__mock_event_create(struct mock_context *context, unsigned flags,
                                   struct mock_event **event)
{
    *event = cushim__mock_object_create(sizeof **event, MOCK_EVENT, context, drop);
    if (!*event)
        return CUDA_ERROR_OUT_OF_MEMORY;
    (*event)->flags = flags;
    return CUDA_SUCCESS;
}

void cushim__mock_event_destroy(struct mock_event *event)
{
    cushim__mock_object_remove(event);
    drop(event);
}

void cushim__mock_event_forget_capture(struct mock_event *event, enum mock_event_capture state)
{
    if (event->capture_state == state)
        return;
    cushim__mock_edges_clear(&event->capture_nodes);
    event->capture = NULL;
    event->capture_state = state;
}

bool cushim__mock_event_done(const struct mock_event *event)
{
    if (event->shared)
        return cushim__mock_shared_event_done(event->shared,
                                              cushim__mock_shared_event_newest(event->shared));
    return !event->record || cushim__mock_event_record_done(event->record);
}

void cushim__mock_event_share(const struct mock_event *event, struct mock_event_record *record)
{
    record->shared = cushim__mock_shared_event_retain(event->shared);
    record->shared_number = cushim__mock_shared_event_newest(event->shared);
}

struct mock_event_record *cushim__mock_event_newest(const struct mock_event *event)
{
    struct mock_event_record *record;

    if (!event->shared)
        return event->record ? cushim__mock_event_record_retain(event->record) : NULL;
    record = cushim__mock_event_record_create();
    if (record)
        cushim__mock_event_share(event, record);
    return record;
}

void cushim__mock_event_follow(const struct mock_event *event, struct mock_stream *stream)
{
    if (event->shared)
        cushim__race_wait_all(&stream->race);
    else if (event->record)
        cushim__race_wait(&stream->race, event->record->clock);
}

void *cushim__mock_event_operation(const struct mock_event *event,
                                   struct mock_event_record **record)
{
    struct mock_operation *operation = cushim__mock_event_record_operation(record);

    if (operation)
        operation->needs_executor = event->shared || (event->flags & CU_EVENT_INTERPROCESS);
    return operation;
}

void cushim__mock_event_record_prepare(const struct mock_event *event,
                                       struct mock_event_record *record, struct mock_stream *stream)
{
    record->stream = stream;
    if (event->shared) {
        record->shared = cushim__mock_shared_event_retain(event->shared);
        record->shared_number = cushim__mock_shared_event_begin(event->shared);
    }
}

void cushim__mock_event_record_submitted(struct mock_event *event, struct mock_event_record *record,
                                         const struct mock_stream *stream)
{
    record->number = cushim__mock_sim_submitted();
    record->clock = cushim__race_last(&stream->race);
    cushim__mock_event_forget_capture(event, MOCK_NOT_CAPTURED);
    cushim__mock_event_record_release(event->record);
    event->record = record;
}
