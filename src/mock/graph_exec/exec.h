/* SPDX-License-Identifier: Apache-2.0 */
/* Executable graphs: what their nodes do, how they are updated, and how they are launched. */
#ifndef CUSHIM_MOCK_GRAPH_EXEC_EXEC_H
#define CUSHIM_MOCK_GRAPH_EXEC_EXEC_H

#include <stdbool.h>
#include <stddef.h>

#include <cuda.h>

#include "src/mock/core/object.h"
#include "src/mock/graph/graph.h"

struct mock_event_record;
struct mock_stream;

struct mock_exec {
    struct mock_object object;
    cuuint64_t flags;
    struct mock_graph *image; /* a copy of the graph, with its nodes in order */
    uint64_t source; /* number of the graph that it was instantiated or last updated from */
    struct mock_event_record *last; /* the end of the last launch; NULL if there was none */
};

/*
 * Create an executable graph with its handle. Its nodes are put in order; INVALID_VALUE if there is
 * a cycle.
 */
CUresult cushim__mock_exec_create(struct mock_graph *graph, cuuint64_t flags,
                                  struct mock_exec **made);
void cushim__mock_exec_destroy(struct mock_exec *exec);

/* Find the node of an executable graph that was made from a node, or return INVALID_VALUE. */
CUresult cushim__mock_exec_node(CUgraphExec handle, CUgraphNode node, struct mock_node **copy);

/* Queue a launch on a stream that is not captured: all of it, or nothing if memory runs out. */
CUresult cushim__mock_exec_launch(struct mock_exec *exec, struct mock_stream *stream);

/*
 * Whether a node of an executable graph can do `work` instead of what it does. Returns
 * INVALID_VALUE if that changes what was decided when the graph was instantiated.
 */
CUresult cushim__mock_exec_check(const struct mock_node *node, const struct mock_work *work);

/*
 * Make the nodes of an executable graph do what those of another graph do, in pairs by creation,
 * once all of them can, and replace its references on user objects by the other's. `info` receives
 * what prevents it. `first_abi`: the call has the first ABI.
 */
CUresult cushim__mock_exec_update(struct mock_graph *image, const struct mock_graph *graph,
                                  bool first_abi, CUgraphExecUpdateResultInfo *info);

/*
 * Create a node's work from the parameters that programs pass. The caller owns it, and gives it to
 * a node or ends it. If its `code` is an error, there is nothing to end.
 */

/* `bytes` is the size of CUDA_KERNEL_NODE_PARAMS in the ABI of the call; CUDA 12.0 enlarged it. */
struct mock_work cushim__mock_work_kernel(const void *parameters, size_t bytes);
struct mock_work cushim__mock_work_memcpy(const CUDA_MEMCPY3D *parameters, CUcontext context);
struct mock_work cushim__mock_work_memset(const CUDA_MEMSET_NODE_PARAMS *parameters,
                                          CUcontext context);
struct mock_work cushim__mock_work_host(const CUDA_HOST_NODE_PARAMS *parameters);
struct mock_work cushim__mock_work_child(CUgraph child);
struct mock_work cushim__mock_work_allocate(const CUDA_MEM_ALLOC_NODE_PARAMS *parameters);
struct mock_work cushim__mock_work_free(CUdeviceptr address);

/* For a node that records an event or waits for one. */
struct mock_work cushim__mock_work_event(CUgraphNodeType type, CUevent event);

/*
 * Any node, for cuGraphAddNode. `code` is NOT_SUPPORTED for a type that is not simulated. The
 * caller checks the condition of a conditional node.
 */
struct mock_work cushim__mock_work_any(const CUgraphNodeParams *parameters);

/*
 * The same for cuGraphAddNode_v3. `code` is INVALID_CONTEXT if the context of a kernel's node is
 * not the one that its function was loaded into.
 */
struct mock_work cushim__mock_work_any_checked(const CUgraphNodeParams *parameters);

/*
 * Whether parameters are of a kind of node that cannot change: conditional, allocating or freeing.
 * cushim__mock_node_refuse() returns the code for setting them.
 */
bool cushim__mock_work_is_fixed(const CUgraphNodeParams *parameters);
CUresult cushim__mock_node_refuse(const struct mock_node *node,
                                  const CUgraphNodeParams *parameters);

/* Whether cuGraphExecMemsetNodeSetParams may give a set node this address; updates may do more. */
bool cushim__mock_exec_may_set(const struct mock_node *node, CUdeviceptr address);

/* Add a node that does `work`, as the parameters of a call say. Takes the work over. */
CUresult cushim__mock_graph_add(CUgraphNode *handle, CUgraph graph, const CUgraphNode *dependencies,
                                const CUgraphEdgeData *data, size_t count, struct mock_work work);

/* Make a node do `work` from now on. Takes it over in any case; its type must be the node's. */
CUresult cushim__mock_node_set(struct mock_node *node, struct mock_work *work);

#endif
