/* SPDX-License-Identifier: Apache-2.0 */
/* What streams that are captured do: work becomes nodes, events become edges. */
#include "src/mock/api/capture_state.h"
#include "src/mock/api/context.h"
#include "src/mock/api/event.h"
#include "src/mock/api/graph.h"

/* A node of any kind. Takes the work over. */
static CUresult add_work(struct mock_stream *stream, struct mock_work *work)
{
    struct mock_edges *frontier = &stream->captured->frontier;
    struct mock_node *node;
    CUresult code = cushim__mock_capture_check(stream);

    if (code != CUDA_SUCCESS) {
        cushim__mock_work_end(work);
        return code;
    }
    if (!cushim__mock_edges_reserve(frontier, 1)) {
        cushim__mock_work_end(work);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    code = cushim__mock_node_add(stream->capture->graph, frontier, work, &node);
    if (code != CUDA_SUCCESS)
        return code;
    frontier->count = 0;
    cushim__mock_edges_add(frontier, node, NULL);
    return CUDA_SUCCESS;
}

CUresult cushim__mock_capture_add(struct mock_stream *stream, struct mock_operation *operation)
{
    struct mock_work work = {
        .type = operation->class->node_type,
        .operation = operation,
        .context = stream->object.context->object.handle,
    };

    return add_work(stream, &work);
}

static CUresult add_event(struct mock_stream *stream, CUgraphNodeType type,
                          const struct mock_event *event)
{
    struct mock_work work = {.type = type, .event = event->object.handle};

    return add_work(stream, &work);
}

CUresult cushim__mock_capture_record(struct mock_stream *stream, struct mock_event *event,
                                     unsigned flags)
{
    CUresult code = cushim__mock_capture_check(stream);
    struct mock_edges nodes = {0};

    if (code != CUDA_SUCCESS)
        return code;
    if (flags == CU_EVENT_RECORD_EXTERNAL)
        return add_event(stream, CU_GRAPH_NODE_TYPE_EVENT_RECORD, event);
    if (!cushim__mock_edges_join(&nodes, &stream->captured->frontier))
        return CUDA_ERROR_OUT_OF_MEMORY;
    cushim__mock_capture_forget_event(event);
    event->capture_nodes = nodes;
    cushim__mock_record_release(event->record);
    event->record = NULL;
    event->capture = stream->capture;
    event->capture_state = MOCK_IN_CAPTURE;
    return CUDA_SUCCESS;
}

/* A wait of a captured stream for an event that was last recorded outside captures. */
static CUresult wait_for_outside(struct mock_stream *stream, const struct mock_event *event)
{
    if (!event->record && !event->shared)
        return CUDA_SUCCESS;
    cushim__mock_capture_invalidate(stream->capture);
    return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
}

static CUresult wait_for_captured(struct mock_stream *stream, const struct mock_event *event)
{
    if (stream->kind == MOCK_LEGACY) {
        cushim__mock_capture_invalidate(event->capture);
        return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    }
    if (!stream->capture)
        return cushim__mock_capture_join(event->capture, stream, &event->capture_nodes);
    if (stream->capture != event->capture) {
        cushim__mock_capture_invalidate(stream->capture);
        cushim__mock_capture_invalidate(event->capture);
        return CUDA_ERROR_STREAM_CAPTURE_MERGE;
    }
    return cushim__mock_edges_join(&stream->captured->frontier, &event->capture_nodes)
               ? CUDA_SUCCESS
               : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cushim__mock_capture_wait(struct mock_stream *stream, struct mock_event *event,
                                   unsigned flags)
{
    CUresult code = stream->capture ? cushim__mock_capture_check(stream) : CUDA_SUCCESS;

    if (code != CUDA_SUCCESS)
        return code;
    if (cushim__mock_capture_state_of(event) == MOCK_WAS_CAPTURED) {
        if (stream->capture)
            cushim__mock_capture_invalidate(stream->capture);
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (flags == CU_EVENT_WAIT_EXTERNAL)
        return stream->capture ? add_event(stream, CU_GRAPH_NODE_TYPE_WAIT_EVENT, event)
                               : CUDA_ERROR_ILLEGAL_STATE;
    return event->capture_state == MOCK_IN_CAPTURE ? wait_for_captured(stream, event)
                                                   : wait_for_outside(stream, event);
}
