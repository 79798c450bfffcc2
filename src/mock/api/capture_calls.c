/* SPDX-License-Identifier: Apache-2.0 */
/* Begin and end of captures, as programs call them (statements 61, 62, 68, 70 and 72). */
#include "src/mock/api/api.h"
#include "src/mock/api/capture_state.h"
#include "src/mock/api/context.h"
#include "src/mock/api/graph.h"
#include "src/mock/api/stream.h"
#include "src/mock/core/state.h"

static CUresult check_begin(CUstream handle, CUstreamCaptureMode mode, struct mock_stream **stream)
{
    CUresult code = cushim__mock_stream_find(handle, stream);

    if (code != CUDA_SUCCESS)
        return code;
    if ((unsigned)mode > CU_STREAM_CAPTURE_MODE_RELAXED)
        return CUDA_ERROR_INVALID_VALUE;
    if ((*stream)->kind == MOCK_LEGACY) {
        code = cushim__mock_capture_legacy(*stream);
        return code ? code : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    return (*stream)->capture ? CUDA_ERROR_ILLEGAL_STATE : CUDA_SUCCESS;
}

MOCK_EXACT(StreamBeginCapture_v2)(CUstream hStream, CUstreamCaptureMode mode)
{
    const struct mock_edges none = {0};
    struct mock_stream *stream;
    struct mock_graph *graph;
    CUresult code = check_begin(hStream, mode, &stream);

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

/* The ABI of CUDA 10.0, which knew no modes: nothing was forbidden. */
MOCK_EXACT(StreamBeginCapture)(CUstream hStream)
{
    return cushim__mock_StreamBeginCapture_v2(hStream, CU_STREAM_CAPTURE_MODE_RELAXED);
}

MOCK_APPROXIMATE(StreamBeginCaptureToGraph, "the graph can be used after a capture that failed")
(CUstream hStream, CUgraph hGraph, const CUgraphNode *dependencies,
 const cushim_CUgraphEdgeData *dependencyData, size_t numDependencies, CUstreamCaptureMode mode)
{
    struct mock_edges edges = {0};
    struct mock_stream *stream;
    struct mock_graph *graph;
    CUresult code = cushim__mock_graph_find(hGraph, &graph);

    if (code == CUDA_SUCCESS)
        code = check_begin(hStream, mode, &stream);
    if (code == CUDA_SUCCESS && graph->capture)
        code = CUDA_ERROR_ILLEGAL_STATE;
    if (code == CUDA_SUCCESS)
        code = cushim__mock_edges_read_any(graph, dependencies, (const void *)dependencyData,
                                           numDependencies, &edges);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_capture_begin(stream, mode, graph, true, &edges);
    cushim__mock_edges_clear(&edges);
    return code;
}

/* What the end of a capture comes to, by its rules. */
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

/* Who wants no graph ends the capture all the same, and nobody has what it made. */
MOCK_EXACT(StreamEndCapture)(CUstream hStream, CUgraph *phGraph)
{
    struct mock_capture *capture;
    struct mock_stream *stream;
    struct mock_graph *graph;
    CUresult code = cushim__mock_stream_find(hStream, &stream);
    bool given;

    if (code == CUDA_SUCCESS)
        code = cushim__mock_capture_legacy(stream);
    if (code != CUDA_SUCCESS)
        return code;
    capture = stream->capture;
    if (capture && capture->origin == stream->captured)
        code = check_end(capture);
    /* Whether it may end is not known: it goes on. */
    if (code == CUDA_ERROR_OUT_OF_MEMORY)
        return code;
    if (phGraph)
        *phGraph = NULL;
    if (!capture)
        return CUDA_ERROR_ILLEGAL_STATE;
    if (capture->origin != stream->captured) {
        cushim__mock_capture_invalidate(capture);
        return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
    }
    graph = capture->graph;
    given = capture->given;
    cushim__mock_capture_end(capture);
    if (given) {
        if (phGraph && code == CUDA_SUCCESS)
            *phGraph = graph->object.handle;
    } else if (phGraph && code == CUDA_SUCCESS) {
        graph->object.internal = false;
        *phGraph = graph->object.handle;
    } else {
        cushim__mock_graph_destroy(graph);
    }
    return code;
}

MOCK_EXACT(ThreadExchangeStreamCaptureMode)(CUstreamCaptureMode *mode)
{
    struct mock_thread *thread = cushim__mock_thread_get();
    CUstreamCaptureMode former;

    if (!mode) {
        cushim__mock_misuse("the mode is NULL");
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (!thread)
        return CUDA_ERROR_OUT_OF_MEMORY;
    former = thread->capture_mode;
    thread->capture_mode = *mode;
    *mode = former;
    return CUDA_SUCCESS;
}
