/* SPDX-License-Identifier: Apache-2.0 */
/* Records: the operations that set one and wait for one. */
#include <stdlib.h>

#include "src/mock/api/event.h"
#include "src/mock/api/event_ipc.h"
#include "src/mock/core/state.h"
#include "src/mock/sim/sim.h"
#include "src/race/clock.h"

/* Sets a record. */
struct set {
    struct cushim__operation operation;
    struct cushim__record *record;
};

/* Waits for one. */
struct wait {
    struct cushim__operation operation;
    struct cushim__record *record;
    struct cushim__stream *stream; /* while it stands in the record's list */
};

struct cushim__record *cushim__record_create(void)
{
    struct cushim__record *record = calloc(1, sizeof *record);

    if (record)
        record->references = 1;
    return record;
}

struct cushim__record *cushim__record_retain(struct cushim__record *record)
{
    record->references++;
    return record;
}

void cushim__record_release(struct cushim__record *record)
{
    if (!record || --record->references > 0)
        return;
    if (record->shared)
        cushim__shared_event_release(record->shared);
    cushim__clock_release(record->clock);
    free(record);
}

bool cushim__record_done(const struct cushim__record *record)
{
    if (record->shared)
        return cushim__shared_event_done(record->shared, record->shared_number);
    return record->done;
}

/* Done, or never to be done: nobody waits any longer. */
static void finish(struct cushim__record *record)
{
    struct cushim__stream *stream = record->waiting;

    if (record->done)
        return;
    record->done = true;
    record->time_ns = cushim__engine_now();
    record->stream = NULL;
    record->waiting = NULL;
    if (record->shared)
        cushim__shared_event_end(record->shared, record->shared_number);
    while (stream) {
        struct cushim__stream *next = stream->next_waiting;

        stream->next_waiting = NULL;
        cushim__engine_recheck(stream);
        stream = next;
    }
}

static CUresult set_execute(struct cushim__operation *operation)
{
    finish(((struct set *)operation)->record);
    return CUDA_SUCCESS;
}

static void set_drop(struct cushim__operation *operation)
{
    struct cushim__record *record = ((struct set *)operation)->record;

    finish(record);
    cushim__record_release(record);
}

static const struct cushim__operation_class set_class = {
    .name = "record",
    .size = sizeof(struct set),
    .node_type = CU_GRAPH_NODE_TYPE_EVENT_RECORD,
    .execute = set_execute,
    .drop = set_drop,
};

void *cushim__record_operation(struct cushim__record *record)
{
    struct set *set = cushim__operation_create(&set_class, CUSHIM__NO_UNIT,
                                               cushim__world->settings.costs.record_ns);

    if (set)
        set->record = cushim__record_retain(record);
    return set;
}

static bool wait_ready(struct cushim__operation *operation, struct cushim__stream *stream)
{
    struct wait *wait = (struct wait *)operation;
    struct cushim__record *record = wait->record;

    wait->stream = NULL;
    if (cushim__record_done(record))
        return true;
    if (!record->shared) {
        wait->stream = stream;
        stream->state = CUSHIM__BLOCKED;
        stream->next_waiting = record->waiting;
        record->waiting = stream;
    }
    return false;
}

static void wait_demand(const struct cushim__operation *operation)
{
    const struct cushim__record *record = ((const struct wait *)operation)->record;

    if (!record->done && record->stream)
        cushim__engine_demand(record->stream, record->number);
}

static void wait_drop(struct cushim__operation *operation)
{
    struct wait *wait = (struct wait *)operation;
    struct cushim__stream **link = wait->record ? &wait->record->waiting : NULL;

    while (wait->stream && *link) {
        if (*link == wait->stream) {
            *link = wait->stream->next_waiting;
            break;
        }
        link = &(*link)->next_waiting;
    }
    cushim__record_release(wait->record);
}

static const struct cushim__operation_class wait_class = {
    .name = "wait",
    .size = sizeof(struct wait),
    .node_type = CU_GRAPH_NODE_TYPE_WAIT_EVENT,
    .ready = wait_ready,
    .demand = wait_demand,
    .drop = wait_drop,
};

void *cushim__wait_operation(struct cushim__record *record)
{
    struct wait *wait = cushim__operation_create(&wait_class, CUSHIM__NO_UNIT, 0);

    if (wait && record)
        wait->record = cushim__record_retain(record);
    return wait;
}

void cushim__wait_set(void *operation, struct cushim__record *record)
{
    ((struct wait *)operation)->record = cushim__record_retain(record);
}
