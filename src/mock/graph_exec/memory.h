/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that graphs allocate (driver-semantics.md #236 to #239). It is live from a launch of the
 * node that allocates it until it is freed. It keeps its address while that node exists or it is
 * live. Calls see a launch or a free once it is queued; work sees a free once it has executed.
 */
#ifndef CUSHIM_MOCK_GRAPH_EXEC_MEMORY_H
#define CUSHIM_MOCK_GRAPH_EXEC_MEMORY_H

#include "src/mock/graph/graph.h"

struct mock_allocation;
struct mock_device;
struct mock_graph_memory;

/*
 * Reserve an address for a node that allocates, and create the operation of the node, which the
 * caller owns. INVALID_VALUE, NOT_SUPPORTED or OUT_OF_MEMORY.
 */
CUresult cushim__mock_memory_create(const CUDA_MEM_ALLOC_NODE_PARAMS *parameters,
                                    struct mock_operation **operation);

/* Parameters to allocate memory of a device, for a captured allocation. */
CUDA_MEM_ALLOC_NODE_PARAMS cushim__mock_memory_of_device(const struct mock_device *device,
                                                         size_t bytes);

/*
 * Create the operation that frees the memory at an address. INVALID_VALUE if no memory of a graph
 * begins there.
 */
CUresult cushim__mock_memory_free_operation(CUdeviceptr address, struct mock_operation **operation);

/* The parameters of an operation that allocates. Returns false for another operation. */
bool cushim__mock_memory_parameters(const struct mock_operation *operation,
                                    CUDA_MEM_ALLOC_NODE_PARAMS *parameters);

/* The address that an operation of this file allocates or frees. */
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

/* A call frees live memory, in stream order: later calls do not find it. */
void cushim__mock_memory_end(struct mock_allocation *allocation);

/* The same for cuMemFree, which queues nothing. */
void cushim__mock_memory_free_now(struct mock_allocation *allocation);

/* Count what a device reserves for a graph that is launched or uploaded. */
void cushim__mock_memory_reserve(const struct mock_graph *image);

/* Give back what the device reserves for memory that is not live. */
void cushim__mock_memory_trim(struct mock_device *device);

/* Free what is still live when the mock ends. */
void cushim__mock_graph_memory_clear(void);

#endif
