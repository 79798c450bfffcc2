/* SPDX-License-Identifier: Apache-2.0 */
/* What streams that are captured do: work becomes nodes, events become edges. */
#include "src/mock/api/capture_state.h"
#include "src/mock/api/context.h"
#include "src/mock/api/event.h"
#include "src/mock/api/graph.h"

/* A node of any kind. Takes the work over. */
static CUresult add_work(struct cushim__stream *stream, struct cushim__work *work)
{
    struct cushim__edges *frontier = &stream->captured->frontier;
    struct cushim__node *node;
    CUresult code = cushim__capture_check(stream);

    if (code != CUDA_SUCCESS) {
        cushim__work_end(work);
        return code;
    }
    if (!cushim__edges_reserve(frontier, 1)) {
        cushim__work_end(work);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    code = cushim__node_add(stream->capture->graph, frontier, work, &node);
    if (code != CUDA_SUCCESS)
        return code;
    frontier->count = 0;
    cushim__edges_add(frontier, node, NULL);
    return CUDA_SUCCESS;
}

CUresult cushim__capture_add(struct cushim__stream *stream, struct cushim__operation *operation)
{
    struct cushim__work work = {
        .type = operation->class->node_type,
        .operation = operation,
        .context = stream->object.context->object.handle,
    };

    return add_work(stream, &work);
}

static CUresult add_event(struct cushim__stream *stream, CUgraphNodeType type,
                          const struct cushim__event *event)
{
    struct cushim__work work = {.type = type, .event = event->object.handle};

    return add_work(stream, &work);
}

CUresult cushim__capture_record(struct cushim__stream *stream, struct cushim__event *event,
                                unsigned flags)
{
    CUresult code = cushim__capture_check(stream);
    struct cushim__edges nodes = {0};

    if (code != CUDA_SUCCESS)
        return code;
    if (flags == CU_EVENT_RECORD_EXTERNAL)
        return add_event(stream, CU_GRAPH_NODE_TYPE_EVENT_RECORD, event);
    if (!cushim__edges_join(&nodes, &stream->captured->frontier))
        return CUDA_ERROR_OUT_OF_MEMORY;
    cushim__capture_forget_event(event);
    event->capture_nodes = nodes;
    cushim__record_release(event->record);
    event->record = NULL;
    event->capture = stream->capture;
    event->capture_state = CUSHIM__IN_CAPTURE;
    return CUDA_SUCCESS;
}

/* A wait of a captured stream for an event that was last recorded outside captures. */
static CUresult wait_for_outside(struct cushim__stream *stream, const struct cushim__event *event)
{
    if (!event->record && !event->shared)
        return CUDA_SUCCESS;
    cushim__capture_invalidate(stream->capture);
    return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
}

static CUresult wait_for_captured(struct cushim__stream *stream, const struct cushim__event *event)
{
    if (stream->kind == CUSHIM__LEGACY) {
        cushim__capture_invalidate(event->capture);
        return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    }
    if (!stream->capture)
        return cushim__capture_join(event->capture, stream, &event->capture_nodes);
    if (stream->capture != event->capture) {
        cushim__capture_invalidate(stream->capture);
        cushim__capture_invalidate(event->capture);
        return CUDA_ERROR_STREAM_CAPTURE_MERGE;
    }
    return cushim__edges_join(&stream->captured->frontier, &event->capture_nodes)
               ? CUDA_SUCCESS
               : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cushim__capture_wait(struct cushim__stream *stream, struct cushim__event *event,
                              unsigned flags)
{
    CUresult code = stream->capture ? cushim__capture_check(stream) : CUDA_SUCCESS;

    if (code != CUDA_SUCCESS)
        return code;
    if (cushim__capture_state_of(event) == CUSHIM__WAS_CAPTURED) {
        if (stream->capture)
            cushim__capture_invalidate(stream->capture);
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (flags == CU_EVENT_WAIT_EXTERNAL)
        return stream->capture ? add_event(stream, CU_GRAPH_NODE_TYPE_WAIT_EVENT, event)
                               : CUDA_ERROR_ILLEGAL_STATE;
    return event->capture_state == CUSHIM__IN_CAPTURE ? wait_for_captured(stream, event)
                                                      : wait_for_outside(stream, event);
}
