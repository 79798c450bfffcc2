/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of what a call queues, all or nothing, and the launches of graphs, which need them. */
#include <stdlib.h>

#include "src/mock/copy/copy.h"
#include "src/mock/event/event.h"
#include "src/mock/functions/functions.h"
#include "src/mock/graph/graph.h"
#include "src/mock/memory/allocation.h"
#include "src/mock/stream/capture.h"
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

/* Queue an operation on a stream. Takes it over in any case; NULL fails with OUT_OF_MEMORY. */
static CUresult plan_operation(struct mock_plan *plan, struct mock_stream *stream,
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

static CUresult plan_event_wait(struct mock_plan *plan, struct mock_event *event,
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

/*
 * Launches of graphs. Nodes that do not depend on each other are executed concurrently, so a launch
 * uses streams of its own besides the one that it is queued on (graph/dependencies.c), ordered by
 * event records. A launch also waits for the previous one of the same executable graph, whichever
 * stream that was queued on.
 */

/* Keeps what the graph holds until the launch has ended. */
struct launch_end {
    struct mock_operation operation;
    struct mock_exec *exec;
};

static void launch_end_drop(struct mock_operation *operation)
{
    cushim__mock_exec_release(((struct launch_end *)operation)->exec);
}

static const struct mock_operation_class launch_end_class = {
    .name = "graph",
    .size = sizeof(struct launch_end),
    .node_type = CU_GRAPH_NODE_TYPE_EMPTY,
    .drop = launch_end_drop,
};

static CUresult plan_end(struct mock_plan *plan, struct mock_exec *exec, struct mock_stream *stream)
{
    struct launch_end *end = cushim__mock_operation_create(&launch_end_class, MOCK_NO_UNIT, 0);

    if (!end)
        return CUDA_ERROR_OUT_OF_MEMORY;
    end->exec = exec;
    exec->references++;
    return plan_operation(plan, stream, &end->operation);
}

static CUresult plan_graph(struct mock_plan *plan, const struct mock_graph *image,
                           struct mock_stream *stream);

/* Sources in pageable memory are read at the launch. */
static bool stage(struct mock_operation *operation)
{
    const struct mock_copy *copy = cushim__mock_copy_of(operation);

    return !copy || !copy->from.pageable || !copy->to.on_device ||
           cushim__mock_copy_stage((struct mock_copy *)operation);
}

static CUresult plan_event(struct mock_plan *plan, const struct mock_work *work,
                           struct mock_stream *stream)
{
    struct mock_event *event = cushim__mock_object_lookup(work->event, MOCK_EVENT);

    return work->type == CU_GRAPH_NODE_TYPE_EVENT_RECORD
               ? cushim__mock_plan_event_record(plan, event, stream)
               : plan_event_wait(plan, event, stream);
}

static CUresult plan_work(struct mock_plan *plan, const struct mock_work *work,
                          struct mock_stream *stream)
{
    struct mock_operation *operation;

    if (work->child)
        return plan_graph(plan, work->child, stream);
    if (work->event)
        return plan_event(plan, work, stream);
    if (!work->operation)
        return CUDA_SUCCESS;
    operation = cushim__mock_operation_copy(work->operation);
    if (operation && !stage(operation)) {
        cushim__mock_operation_destroy(operation);
        operation = NULL;
    }
    return plan_operation(plan, stream, operation);
}

static CUresult plan_node(struct mock_plan *plan, struct mock_node *node,
                          struct mock_stream *const *lanes)
{
    struct mock_stream *stream = lanes[node->lane];
    CUresult code = CUDA_SUCCESS;

    for (size_t i = 0; code == CUDA_SUCCESS && i < node->dependencies.count; i++) {
        const struct mock_node *before = node->dependencies.at[i].node;

        if (before->lane != node->lane)
            code = cushim__mock_plan_wait(plan, before->fence, stream);
    }
    if (code == CUDA_SUCCESS && !node->disabled)
        code = plan_work(plan, &node->work, stream);
    if (code == CUDA_SUCCESS && node->awaited)
        code = cushim__mock_plan_fence(plan, &node->fence, stream);
    return code;
}

/* Create streams for the other lanes, which begin after what is queued on the first. */
static CUresult begin_lanes(struct mock_plan *plan, const struct mock_graph *image,
                            struct mock_stream **lanes)
{
    struct mock_event_record *start = NULL;
    CUresult code =
        image->lanes > 1 ? cushim__mock_plan_fence(plan, &start, lanes[0]) : CUDA_SUCCESS;

    for (unsigned i = 1; code == CUDA_SUCCESS && i < image->lanes; i++) {
        lanes[i] = cushim__mock_stream_create(lanes[0]->object.context, MOCK_CREATED,
                                              CU_STREAM_NON_BLOCKING, lanes[0]->priority);
        code = lanes[i] ? cushim__mock_plan_wait(plan, start, lanes[i]) : CUDA_ERROR_OUT_OF_MEMORY;
    }
    cushim__mock_event_record_release(start);
    return code;
}

/* Make the first stream wait for the others, which end once everything is queued. */
static CUresult end_lanes(struct mock_plan *plan, const struct mock_graph *image,
                          struct mock_stream **lanes, CUresult code)
{
    for (unsigned i = 1; i < image->lanes && lanes[i]; i++) {
        struct mock_event_record *end = NULL;

        if (code == CUDA_SUCCESS)
            code = cushim__mock_plan_fence(plan, &end, lanes[i]);
        if (code == CUDA_SUCCESS)
            code = cushim__mock_plan_wait(plan, end, lanes[0]);
        cushim__mock_event_record_release(end);
        cushim__mock_plan_stream(plan, lanes[i]);
    }
    return code;
}

static CUresult plan_graph(struct mock_plan *plan, const struct mock_graph *image,
                           struct mock_stream *stream)
{
    struct mock_stream **lanes = calloc(image->lanes + 1, sizeof *lanes);
    CUresult code;

    if (!lanes)
        return CUDA_ERROR_OUT_OF_MEMORY;
    lanes[0] = stream;
    code = begin_lanes(plan, image, lanes);
    for (size_t i = 0; code == CUDA_SUCCESS && i < image->node_count; i++)
        code = plan_node(plan, image->order[i], lanes);
    code = end_lanes(plan, image, lanes, code);
    for (size_t i = 0; i < image->node_count; i++) {
        cushim__mock_event_record_release(image->order[i]->fence);
        image->order[i]->fence = NULL;
    }
    free(lanes);
    return code;
}

/* Check the events of a graph before anything of it is queued. */
static CUresult check_events(const struct mock_graph *image)
{
    CUresult code = CUDA_SUCCESS;

    for (size_t i = 0; code == CUDA_SUCCESS && i < image->node_count; i++) {
        const struct mock_node *node = image->order[i];
        struct mock_event *event;

        if (node->work.event)
            code = cushim__mock_object_find(node->work.event, MOCK_EVENT, &event);
        else if (node->work.child)
            code = check_events(node->work.child);
    }
    return code;
}

/* Whether a copy in the graph writes to pageable memory; the launch then returns after it. */
static bool writes_pageable(const struct mock_graph *image)
{
    for (size_t i = 0; i < image->node_count; i++) {
        const struct mock_work *work = &image->order[i]->work;
        const struct mock_copy *copy;

        if (work->child && writes_pageable(work->child))
            return true;
        if (work->type != CU_GRAPH_NODE_TYPE_MEMCPY || image->order[i]->disabled)
            continue;
        copy = cushim__mock_copy_of(work->operation);
        if (copy && copy->to.at.type == CU_MEMORYTYPE_HOST &&
            !cushim__mock_allocation_at(cushim__copy_address(&copy->to.at)))
            return true;
    }
    return false;
}

static CUresult launch(struct mock_exec *exec, struct mock_stream *stream)
{
    struct mock_event_record *last = NULL;
    struct mock_plan plan = {0};
    CUresult code = check_events(exec->image);

    cushim__mock_sim_name(stream);
    cushim__race_launch_begin(&stream->race);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_plan_wait(&plan, exec->last, stream);
    if (code == CUDA_SUCCESS)
        code = plan_graph(&plan, exec->image, stream);
    if (code == CUDA_SUCCESS && exec->image->held)
        code = plan_end(&plan, exec, stream);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_plan_fence(&plan, &last, stream);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_plan_submit(&plan);
    cushim__mock_plan_clear(&plan);
    cushim__race_launch_end();
    if (code != CUDA_SUCCESS) {
        cushim__mock_event_record_release(last);
        return code;
    }
    cushim__mock_event_record_release(exec->last);
    exec->last = last;
    return writes_pageable(exec->image) ? cushim__mock_sim_wait_last(stream) : CUDA_SUCCESS;
}

/* A graph cannot be launched into a capture, nor on a stream that would break one. */
static CUresult check_capture(struct mock_stream *stream)
{
    return stream->capture ? cushim__mock_capture_refuse(stream)
                           : cushim__mock_capture_legacy(stream);
}

CUresult cushim__mock_GraphLaunch(struct mock_exec *exec, struct mock_stream *stream)
{
    CUresult code = check_capture(stream);

    return code ? code : launch(exec, stream);
}

CUresult cushim__mock_GraphUpload(struct mock_stream *stream)
{
    return check_capture(stream);
}
