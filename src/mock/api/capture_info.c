/* SPDX-License-Identifier: Apache-2.0 */
/* What programs ask of captures, and the dependencies that they change in one (statement 73). */
#include <stdlib.h>

#include "src/mock/api/api.h"
#include "src/mock/api/capture_state.h"
#include "src/mock/api/graph.h"
#include "src/mock/api/stream.h"

static CUstreamCaptureStatus status_of(const struct mock_stream *stream)
{
    if (!stream->capture)
        return CU_STREAM_CAPTURE_STATUS_NONE;
    return stream->capture->invalidated ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                        : CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

/* The stream whose capture is asked for; asking spoils nothing (statement 69). */
static CUresult find(CUstream handle, const CUstreamCaptureStatus *status,
                     struct mock_stream **stream)
{
    CUresult code = status ? cushim__mock_stream_find(handle, stream) : CUDA_ERROR_INVALID_VALUE;

    if (code == CUDA_SUCCESS && cushim__mock_capture_in_the_way(*stream))
        code = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    return code;
}

MOCK_EXACT(StreamIsCapturing)(CUstream hStream, CUstreamCaptureStatus *captureStatus)
{
    struct mock_stream *stream;
    CUresult code = find(hStream, captureStatus, &stream);

    if (code == CUDA_SUCCESS)
        *captureStatus = status_of(stream);
    return code;
}

/* The frontier as arrays, which stay the stream's. */
static CUresult tell_frontier(struct mock_captured_stream *captured)
{
    const size_t count = captured->frontier.count;
    CUgraphNode *handles = realloc(captured->handles, (count + 1) * sizeof *handles);
    struct mock_edge_data *data;
    size_t told = count;

    if (!handles)
        return CUDA_ERROR_OUT_OF_MEMORY;
    captured->handles = handles;
    data = realloc(captured->data, (count + 1) * sizeof *data);
    if (!data)
        return CUDA_ERROR_OUT_OF_MEMORY;
    captured->data = data;
    return cushim__mock_edges_give(&captured->frontier, handles, data, &told);
}

static bool is_plain(const struct mock_edges *edges)
{
    for (size_t i = 0; i < edges->count; i++) {
        if (!cushim__mock_edge_is_plain(&edges->at[i]))
            return false;
    }
    return true;
}

/* Where answers go; NULL: they are not asked for. */
struct answers {
    CUstreamCaptureStatus *status;
    cuuint64_t *id;
    CUgraph *graph;
    const CUgraphNode **dependencies;
    const cushim_CUgraphEdgeData **data;
    size_t *count;
};

static CUresult tell(CUstream handle, const struct answers *answers)
{
    struct mock_captured_stream *captured;
    struct mock_stream *stream;
    CUresult code = find(handle, answers->status, &stream);

    if (code == CUDA_SUCCESS && answers->data && !answers->dependencies)
        code = CUDA_ERROR_INVALID_VALUE;
    if (code != CUDA_SUCCESS)
        return code;
    captured = stream->captured;
    if (status_of(stream) != CU_STREAM_CAPTURE_STATUS_ACTIVE) {
        *answers->status = status_of(stream);
        return CUDA_SUCCESS;
    }
    if (answers->dependencies && !answers->data && !is_plain(&captured->frontier))
        return CUDA_ERROR_LOSSY_QUERY;
    code = tell_frontier(captured);
    if (code != CUDA_SUCCESS)
        return code;
    *answers->status = status_of(stream);
    if (answers->id)
        *answers->id = stream->capture->id;
    if (answers->graph)
        *answers->graph = stream->capture->graph->object.handle;
    if (answers->dependencies)
        *answers->dependencies = captured->frontier.count > 0 ? captured->handles : NULL;
    if (answers->data)
        *answers->data = captured->frontier.count > 0 ? (const void *)captured->data : NULL;
    if (answers->count)
        *answers->count = captured->frontier.count;
    return CUDA_SUCCESS;
}

MOCK_EXACT(StreamGetCaptureInfo)
(CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out)
{
    const struct answers answers = {.status = captureStatus_out, .id = id_out};

    return tell(hStream, &answers);
}

MOCK_EXACT(StreamGetCaptureInfo_v2)
(CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out, CUgraph *graph_out,
 const CUgraphNode **dependencies_out, size_t *numDependencies_out)
{
    const struct answers answers = {
        .status = captureStatus_out,
        .id = id_out,
        .graph = graph_out,
        .dependencies = dependencies_out,
        .count = numDependencies_out,
    };

    return tell(hStream, &answers);
}

MOCK_EXACT(StreamGetCaptureInfo_v3)
(CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out, CUgraph *graph_out,
 const CUgraphNode **dependencies_out, const cushim_CUgraphEdgeData **edgeData_out,
 size_t *numDependencies_out)
{
    const struct answers answers = {
        .status = captureStatus_out,
        .id = id_out,
        .graph = graph_out,
        .dependencies = dependencies_out,
        .data = edgeData_out,
        .count = numDependencies_out,
    };

    return tell(hStream, &answers);
}

static CUresult update(CUstream handle, const CUgraphNode *nodes, const struct mock_edge_data *data,
                       size_t count, unsigned flags)
{
    struct mock_edges more = {0};
    struct mock_stream *stream;
    CUresult code = cushim__mock_stream_find(handle, &stream);

    if (code == CUDA_SUCCESS && flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES)
        code = CUDA_ERROR_INVALID_VALUE;
    if (code == CUDA_SUCCESS && !stream->capture)
        code = CUDA_ERROR_ILLEGAL_STATE;
    if (code == CUDA_SUCCESS)
        code = cushim__mock_capture_check(stream);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_edges_read_any(stream->capture->graph, nodes, data, count, &more);
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

MOCK_EXACT(StreamUpdateCaptureDependencies)
(CUstream hStream, CUgraphNode *dependencies, size_t numDependencies, unsigned int flags)
{
    return update(hStream, dependencies, NULL, numDependencies, flags);
}

MOCK_EXACT(StreamUpdateCaptureDependencies_v2)
(CUstream hStream, CUgraphNode *dependencies, const cushim_CUgraphEdgeData *dependencyData,
 size_t numDependencies, unsigned int flags)
{
    return update(hStream, dependencies, (const void *)dependencyData, numDependencies, flags);
}
