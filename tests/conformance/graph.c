/* SPDX-License-Identifier: Apache-2.0 */
#include "graph.h"

#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "begin.h"
#include "check.h"

const CUstreamCaptureMode capture_modes[CAPTURE_MODES] = {GLOBAL, THREAD_LOCAL, RELAXED};

enum { MOST = 24 };

void capture_begin(CUstream stream, CUstreamCaptureMode mode)
{
    MUST(cu->StreamBeginCapture_v2(stream, mode));
}

CUstreamCaptureStatus capture_status(CUstream stream)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;

    MUST(cu->StreamIsCapturing(stream, &status));
    return status;
}

void capture_join(CUstream from, CUstream to)
{
    CUevent event = begin_event();

    MUST(cu->EventRecord(event, from));
    MUST(cu->StreamWaitEvent(to, event, 0));
}

void capture_active(CUstream stream)
{
    EQUAL(CU_STREAM_CAPTURE_STATUS_ACTIVE, capture_status(stream));
}

void capture_end(CUstream stream)
{
    CUgraph graph = NULL;

    capture_active(stream);
    OK(cu->StreamEndCapture(stream, &graph));
    if (CHECK(graph != NULL))
        MUST(cu->GraphDestroy(graph));
    EQUAL(CU_STREAM_CAPTURE_STATUS_NONE, capture_status(stream));
}

void capture_invalidated(CUstream stream)
{
    CUgraph graph = (CUgraph)&graph;

    EQUAL(CU_STREAM_CAPTURE_STATUS_INVALIDATED, capture_status(stream));
    CODE(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cu->StreamEndCapture(stream, &graph));
    CHECK(graph == NULL);
    EQUAL(CU_STREAM_CAPTURE_STATUS_NONE, capture_status(stream));
}

CUgraph graph_begin(void)
{
    CUgraph graph = NULL;

    need_context();
    MUST(cu->GraphCreate(&graph, 0));
    return graph;
}

static void CUDA_CB count_up(void *data)
{
    if (data)
        atomic_fetch_add((atomic_int *)data, 1);
}

CUgraphNode graph_add_host(CUgraph graph, const CUgraphNode *dependencies, size_t count,
                           atomic_int *counter)
{
    const CUDA_HOST_NODE_PARAMS parameters = {count_up, counter};
    CUgraphNode node = NULL;

    MUST(cu->GraphAddHostNode(&node, graph, dependencies, count, &parameters));
    return node;
}

CUgraphExec graph_exec(CUgraph graph)
{
    CUgraphExec exec = NULL;

    MUST(cu->GraphInstantiateWithFlags(&exec, graph, 0));
    return exec;
}

size_t graph_nodes(CUgraph graph)
{
    size_t count = 0;

    MUST(cu->GraphGetNodes(graph, NULL, &count));
    return count;
}

size_t graph_edges(CUgraph graph)
{
    size_t count = 0;

    MUST(cu->GraphGetEdges(graph, NULL, NULL, &count));
    return count;
}

static char letter_of(CUgraphNode node)
{
    static const char letters[] = "kcshgewrSWafmi"; /* indexed by CUgraphNodeType */
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_KERNEL;

    MUST(cu->GraphNodeGetType(node, &type));
    return (size_t)type < sizeof letters - 1 ? letters[type] : '?';
}

static char place_of(CUgraphNode node, const CUgraphNode *nodes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (nodes[i] == node)
            return (char)('a' + i);
    }
    return '?';
}

static int compare(const void *one, const void *other)
{
    return memcmp(one, other, 2);
}

const char *graph_shape(CUgraph graph)
{
    static char text[MOST + 3 * MOST + 1];
    CUgraphNode nodes[MOST] = {NULL}, from[MOST] = {NULL}, to[MOST] = {NULL};
    size_t count = MOST, edges = MOST, length = 0;
    char pairs[MOST][2];

    MUST(cu->GraphGetNodes(graph, nodes, &count));
    MUST(cu->GraphGetEdges(graph, from, to, &edges));
    for (size_t i = 0; i < count; i++)
        text[length++] = letter_of(nodes[i]);
    for (size_t i = 0; i < edges; i++) {
        pairs[i][0] = place_of(from[i], nodes, count);
        pairs[i][1] = place_of(to[i], nodes, count);
    }
    qsort(pairs, edges, sizeof *pairs, compare);
    for (size_t i = 0; i < edges; i++) {
        text[length++] = ' ';
        text[length++] = pairs[i][0];
        text[length++] = pairs[i][1];
    }
    text[length] = '\0';
    return text;
}

void graph_captured(CUstream stream, const char *shape)
{
    CUgraph graph = NULL;
    const char *got;

    OK(cu->StreamEndCapture(stream, &graph));
    if (!CHECK(graph != NULL))
        return;
    got = graph_shape(graph);
    if (!CHECK(strcmp(got, shape) == 0))
        detail("shape \"%s\", not \"%s\"", got, shape);
    MUST(cu->GraphDestroy(graph));
}

CUdeviceptr graph_memory(size_t bytes)
{
    CUdeviceptr memory = begin_memory(bytes);

    MUST(cu->MemsetD8_v2(memory, 0, bytes));
    MUST(cu->CtxSynchronize());
    return memory;
}

unsigned char graph_byte(CUdeviceptr memory)
{
    unsigned char byte = 0;

    MUST(cu->MemcpyDtoH_v2(&byte, memory, 1));
    return byte;
}
