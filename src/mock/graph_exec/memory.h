/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that graphs allocate (driver-semantics.md #236 to #239). It has its address as long as a
 * node allocates it, and longer if it is live: it is live from a launch of that node until it is
 * freed. Calls see a launch or a free when they queue it; work sees a free when it is executed.
 */
#ifndef CUSHIM_MOCK_GRAPH_EXEC_MEMORY_H
#define CUSHIM_MOCK_GRAPH_EXEC_MEMORY_H

#include "src/mock/graph/graph.h"

struct mock_allocation;
struct mock_device;
struct mock_graph_memory;

/*
 * Reserve an address for a node that allocates. `*operation` is the node's, and owned by the caller.
 * INVALID_VALUE, NOT_SUPPORTED or OUT_OF_MEMORY.
 */
CUresult cushim__mock_memory_create(const CUDA_MEM_ALLOC_NODE_PARAMS *parameters,
                                    struct mock_operation **operation);

/* The parameters of memory of a device, for a capture. */
CUDA_MEM_ALLOC_NODE_PARAMS cushim__mock_memory_of_device(const struct mock_device *device,
                                                         size_t bytes);

/* Create the operation that frees the memory at an address. INVALID_VALUE if no graph's begins there. */
CUresult cushim__mock_memory_free_operation(CUdeviceptr address, struct mock_operation **operation);

/* Read what an operation allocates. Returns false if it allocates nothing. */
bool cushim__mock_memory_parameters(const struct mock_operation *operation,
                                    CUDA_MEM_ALLOC_NODE_PARAMS *parameters);

/* The address of what an operation allocates or frees, which does one of these. */
CUdeviceptr cushim__mock_memory_address(const struct mock_operation *operation);

/*
 * Check that a graph may get a node with this operation, and note it. INVALID_VALUE if the graph
 * frees the memory already, or if both the graph that allocates it and another would.
 */
CUresult cushim__mock_memory_join(const struct mock_graph *graph,
                                  const struct mock_operation *operation);

/*
 * Check that a launch allocates nothing that is live, unless it would be freed first, and frees
 * nothing that is not: INVALID_VALUE. Once the launch is queued, note what is live.
 */
CUresult cushim__mock_memory_check_launch(const struct mock_graph *image, bool frees_first);
void cushim__mock_memory_launched(const struct mock_graph *image);

/* The program frees live memory outside of graphs: calls no longer find it. */
void cushim__mock_memory_end(struct mock_allocation *allocation);

/* The same for cuMemFree, which has no operation. */
void cushim__mock_memory_free_now(struct mock_allocation *allocation);

/* Count what a device reserves for a graph that is launched or uploaded. */
void cushim__mock_memory_reserve(const struct mock_graph *image);

/* Give back what the device reserves for memory that is not live. */
void cushim__mock_memory_trim(struct mock_device *device);

/* Free what is still live when the mock ends. */
void cushim__mock_graph_memory_clear(void);

#endif
