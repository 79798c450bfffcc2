/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a node does, made from the parameters that programs give. `work` is the caller's on
 * CUDA_SUCCESS, to be given to a node or ended; it is not touched otherwise.
 */
#ifndef CUSHIM_MOCK_NODE_WORK_H
#define CUSHIM_MOCK_NODE_WORK_H

#include "src/mock/api/graph.h"

CUresult cushim__mock_work_kernel(const CUDA_KERNEL_NODE_PARAMS *parameters,
                                  struct mock_work *work);
CUresult cushim__mock_work_memcpy(const CUDA_MEMCPY3D *parameters, CUcontext context,
                                  struct mock_work *work);
CUresult cushim__mock_work_memset(const CUDA_MEMSET_NODE_PARAMS *parameters, CUcontext context,
                                  struct mock_work *work);
CUresult cushim__mock_work_host(const CUDA_HOST_NODE_PARAMS *parameters, struct mock_work *work);
CUresult cushim__mock_work_child(CUgraph child, struct mock_work *work);

/* Of a node that records an event or waits for one. */
CUresult cushim__mock_work_event(CUgraphNodeType type, CUevent event, struct mock_work *work);

/*
 * Any of these, from the parameters of cuGraphAddNode. NOT_SUPPORTED: a type that is not simulated.
 */
CUresult cushim__mock_work_any(const CUgraphNodeParams *parameters, struct mock_work *work);

/*
 * The same, as of cuGraphAddNode_v3. INVALID_CONTEXT: the context of a kernel's node is not the one
 * that its function was loaded into.
 */
CUresult cushim__mock_work_any_checked(const CUgraphNodeParams *parameters, struct mock_work *work);

/* The layout of kernel parameters before CUDA 12.0. */
struct CUDA_KERNEL_NODE_PARAMS_st;
CUDA_KERNEL_NODE_PARAMS
cushim__mock_kernel_parameters(const struct CUDA_KERNEL_NODE_PARAMS_st *former);

/* Let a node do this from now on. Takes `work` over in any case; its type must be the node's. */
CUresult cushim__mock_node_set(struct mock_node *node, struct mock_work *work);

#endif
