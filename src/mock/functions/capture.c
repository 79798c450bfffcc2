/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that begin and end captures (driver-semantics.md #61, #62, #68, #70 and #72). */
#include <stdlib.h>

#include "src/mock/context/context.h"
#include "src/mock/core/state.h"
#include "src/mock/functions/functions.h"
#include "src/mock/graph/graph.h"
#include "src/mock/stream/capture.h"

static CUresult check_begin(struct mock_stream *stream, CUstreamCaptureMode mode)
{
    if ((unsigned)mode > CU_STREAM_CAPTURE_MODE_RELAXED)
        return CUDA_ERROR_INVALID_VALUE;
    if (stream->kind == MOCK_LEGACY) {
        CUresult code = cushim__mock_capture_legacy(stream);

        return code ? code : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    return stream->capture ? CUDA_ERROR_ILLEGAL_STATE : CUDA_SUCCESS;
}

/* Also cuStreamBeginCapture. The ABI of CUDA 10.0 had no modes, and nothing was forbidden. */
CUresult cushim__mock_StreamBeginCapture_v2(struct mock_stream *stream, CUstreamCaptureMode mode,
                                            unsigned slot)
{
    const struct mock_edges none = {0};
    struct mock_graph *graph;
    CUresult code;

    if (slot != CUSHIM__SLOT(StreamBeginCapture_v2))
        mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    code = check_begin(stream, mode);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_graph_create(true, &graph);
    if (code != CUDA_SUCCESS)
        return code;
    graph->object.internal = true;
    code = cushim__mock_capture_begin(stream, mode, graph, false, &none);
    if (code != CUDA_SUCCESS)
        cushim__mock_graph_destroy(graph);
    return code;
}

CUresult cushim__mock_StreamBeginCaptureToGraph(struct mock_stream *stream,
                                                struct mock_graph *graph,
                                                const CUgraphNode *dependencies,
                                                const cushim_CUgraphEdgeData *dependencyData,
                                                size_t numDependencies, CUstreamCaptureMode mode)
{
    struct mock_edges edges = {0};
    CUresult code = check_begin(stream, mode);

    if (code == CUDA_SUCCESS && graph->capture)
        code = CUDA_ERROR_ILLEGAL_STATE;
    if (code == CUDA_SUCCESS)
        code =
            cushim__mock_edges_read(graph, dependencies, dependencyData, numDependencies, &edges);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_capture_begin(stream, mode, graph, true, &edges);
    cushim__mock_edges_clear(&edges);
    return code;
}

/* Return the result of cuStreamEndCapture by the rules of captures. */
static CUresult check_end(const struct mock_capture *capture)
{
    const struct mock_thread *thread = cushim__mock_thread_get();

    if (!thread)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (capture->invalidated)
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    if (capture->thread != thread->number && capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED)
        return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
    return cushim__mock_capture_check_joined(capture);
}

/* Without a place for the graph, the capture ends all the same, and its graph is freed. */
CUresult cushim__mock_StreamEndCapture(struct mock_stream *stream, CUgraph *phGraph)
{
    struct mock_capture *capture;
    struct mock_graph *graph;
    CUresult code = cushim__mock_capture_legacy(stream);
    bool given;

    if (code != CUDA_SUCCESS)
        return code;
    capture = stream->capture;
    if (capture && capture->origin == stream->captured)
        code = check_end(capture);
    /* It is not known whether the capture may end, so it continues. */
    if (code == CUDA_ERROR_OUT_OF_MEMORY)
        return code;
    if (!capture)
        return CUDA_ERROR_ILLEGAL_STATE;
    if (capture->origin != stream->captured) {
        capture->invalidated = true;
        return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
    }
    graph = capture->graph;
    given = capture->given;
    cushim__mock_capture_end(capture);
    if (phGraph && code == CUDA_SUCCESS) {
        graph->object.internal = graph->object.internal && given;
        *phGraph = graph->object.handle;
    } else if (!given) {
        cushim__mock_graph_destroy(graph);
    }
    return code;
}

CUresult cushim__mock_ThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
    struct mock_thread *thread = cushim__mock_thread_get();
    CUstreamCaptureMode former;

    if (!mode) {
        cushim__mock_misuse(CUSHIM__MOCK_FOUND_UNDEFINED, "the mode is NULL");
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (!thread)
        return CUDA_ERROR_OUT_OF_MEMORY;
    former = thread->capture_mode;
    thread->capture_mode = *mode;
    *mode = former;
    return CUDA_SUCCESS;
}

/* Queries of captures, and changes of the dependencies in one (driver-semantics.md #73). */

static CUstreamCaptureStatus status_of(const struct mock_stream *stream)
{
    if (!stream->capture)
        return CU_STREAM_CAPTURE_STATUS_NONE;
    return stream->capture->invalidated ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                        : CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

CUresult cushim__mock_StreamIsCapturing(const struct mock_stream *stream,
                                        CUstreamCaptureStatus *captureStatus)
{
    if (cushim__mock_capture_in_the_way(stream))
        return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    *captureStatus = status_of(stream);
    return CUDA_SUCCESS;
}

/* Copy the frontier into arrays of the stream, which callers may keep until the next query. */
static CUresult copy_frontier(struct mock_captured_stream *captured)
{
    const size_t count = captured->frontier.count;
    CUgraphNode *handles = realloc(captured->handles, (count + 1) * sizeof *handles);
    CUgraphEdgeData *data;
    size_t given = count;

    if (!handles)
        return CUDA_ERROR_OUT_OF_MEMORY;
    captured->handles = handles;
    data = realloc(captured->data, (count + 1) * sizeof *data);
    if (!data)
        return CUDA_ERROR_OUT_OF_MEMORY;
    captured->data = data;
    return cushim__mock_edges_give(&captured->frontier, handles, data, &given);
}

/*
 * Also cuStreamGetCaptureInfo, cuStreamGetCaptureInfo_v2. A query invalidates nothing
 * (driver-semantics.md #69). Outputs that are not wanted are NULL.
 */
CUresult cushim__mock_StreamGetCaptureInfo_v3(const struct mock_stream *stream,
                                              CUstreamCaptureStatus *captureStatus_out,
                                              cuuint64_t *id_out, CUgraph *graph_out,
                                              const CUgraphNode **dependencies_out,
                                              const cushim_CUgraphEdgeData **edgeData_out,
                                              size_t *numDependencies_out)
{
    struct mock_captured_stream *captured = stream->captured;
    CUresult code;

    if (cushim__mock_capture_in_the_way(stream))
        return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    if (edgeData_out && !dependencies_out)
        return CUDA_ERROR_INVALID_VALUE;
    if (status_of(stream) != CU_STREAM_CAPTURE_STATUS_ACTIVE) {
        *captureStatus_out = status_of(stream);
        return CUDA_SUCCESS;
    }
    if (dependencies_out && !edgeData_out && !cushim__mock_edges_are_plain(&captured->frontier))
        return CUDA_ERROR_LOSSY_QUERY;
    code = copy_frontier(captured);
    if (code != CUDA_SUCCESS)
        return code;
    *captureStatus_out = status_of(stream);
    if (id_out)
        *id_out = stream->capture->id;
    if (graph_out)
        *graph_out = stream->capture->graph->object.handle;
    if (dependencies_out)
        *dependencies_out = captured->frontier.count > 0 ? captured->handles : NULL;
    if (edgeData_out)
        *edgeData_out = captured->frontier.count > 0 ? captured->data : NULL;
    if (numDependencies_out)
        *numDependencies_out = captured->frontier.count;
    return CUDA_SUCCESS;
}

/* Also cuStreamUpdateCaptureDependencies. */
CUresult cushim__mock_StreamUpdateCaptureDependencies_v2(
    struct mock_stream *stream, CUgraphNode *dependencies,
    const cushim_CUgraphEdgeData *dependencyData, size_t numDependencies, unsigned int flags)
{
    struct mock_edges more = {0};
    CUresult code;

    if (flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES)
        return CUDA_ERROR_INVALID_VALUE;
    if (!stream->capture)
        return CUDA_ERROR_ILLEGAL_STATE;
    code = cushim__mock_capture_check(stream);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_edges_read(stream->capture->graph, dependencies, dependencyData,
                                       numDependencies, &more);
    if (code == CUDA_SUCCESS) {
        struct mock_edges *frontier = &stream->captured->frontier;

        if (flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES)
            frontier->count = 0;
        if (!cushim__mock_edges_join(frontier, &more))
            code = CUDA_ERROR_OUT_OF_MEMORY;
    }
    cushim__mock_edges_clear(&more);
    return code;
}
