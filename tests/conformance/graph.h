/* SPDX-License-Identifier: Apache-2.0 */
/* Captures and graphs, as the cases use them. What fails ends the case. */
#ifndef CUSHIM_TESTS_CONFORMANCE_GRAPH_H
#define CUSHIM_TESTS_CONFORMANCE_GRAPH_H

#include <stdatomic.h>
#include <stddef.h>

#include <cuda.h>

#define GLOBAL CU_STREAM_CAPTURE_MODE_GLOBAL
#define THREAD_LOCAL CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
#define RELAXED CU_STREAM_CAPTURE_MODE_RELAXED

enum { CAPTURE_MODES = 3 };
extern const CUstreamCaptureMode capture_modes[CAPTURE_MODES];

void capture_begin(CUstream stream, CUstreamCaptureMode mode);
CUstreamCaptureStatus capture_status(CUstream stream);

/* One stream waits for another by an event, and so joins its capture. */
void capture_join(CUstream from, CUstream to);

/* Assert that a capture is active. */
void capture_active(CUstream stream);

/* Assert that it is, and that it ends with a graph. */
void capture_end(CUstream stream);

/* Assert that a capture is invalidated, and that it ends without a graph. */
void capture_invalidated(CUstream stream);

/* An empty graph. */
CUgraph graph_begin(void);

/* A host node that adds 1 to a counter; NULL: that does nothing. */
CUgraphNode graph_add_host(CUgraph graph, const CUgraphNode *dependencies, size_t count,
                           atomic_int *counter);

/* An executable graph of it. */
CUgraphExec graph_exec(CUgraph graph);

/* How many nodes and edges a graph has. */
size_t graph_nodes(CUgraph graph);
size_t graph_edges(CUgraph graph);

/*
 * The shape of a graph: a letter per node by its type, in order of creation, then the edges, each
 * two letters from a, by the places of their nodes and sorted. "hs ab" is a set behind a host
 * function. Valid until the next call.
 */
const char *graph_shape(CUgraph graph);

/* End the capture of a stream and assert that it gives a graph of this shape. */
void graph_captured(CUstream stream, const char *shape);

/* Device memory of the current context, filled with zeros; and its first byte. */
CUdeviceptr graph_memory(size_t bytes);
unsigned char graph_byte(CUdeviceptr memory);

#endif
