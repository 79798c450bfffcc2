/* SPDX-License-Identifier: Apache-2.0 */
/* Captures and graphs for cases. A failure ends the case. */
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

/* Let one stream wait for another through an event, and so join its capture. */
void capture_join(CUstream from, CUstream to);

/* Assert that a capture is active. */
void capture_active(CUstream stream);

/* Assert that a capture is active, and that it ends with a graph. */
void capture_end(CUstream stream);

/* Assert that a capture is invalidated, and that it ends without a graph. */
void capture_invalidated(CUstream stream);

/* Create an empty graph. */
CUgraph graph_begin(void);

/* Add a host node that adds 1 to a counter; with NULL it does nothing. */
CUgraphNode graph_add_host(CUgraph graph, const CUgraphNode *dependencies, size_t count,
                           atomic_int *counter);

/* Instantiate a graph. */
CUgraphExec graph_exec(CUgraph graph);

/* The number of nodes and of edges of a graph. */
size_t graph_nodes(CUgraph graph);
size_t graph_edges(CUgraph graph);

/*
 * The shape of a graph: a letter for the type of each node, in the order of creation, and then the
 * sorted edges, each as two letters that count nodes from a. "hs ab" is a memset after a host
 * function. Valid until the next call.
 */
const char *graph_shape(CUgraph graph);

/* End the capture of a stream, and assert that its graph has this shape. */
void graph_captured(CUstream stream, const char *shape);

/* Zeroed device memory in the current context; and its first byte. */
CUdeviceptr graph_memory(size_t bytes);
unsigned char graph_byte(CUdeviceptr memory);

#endif
