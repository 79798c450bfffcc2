/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a node does, made from the parameters that programs give. `work` is the caller's on
 * CUDA_SUCCESS, to be given to a node or ended; it is not touched otherwise.
 */
#ifndef CUSHIM_MOCK_NODE_WORK_H
#define CUSHIM_MOCK_NODE_WORK_H

#include "src/mock/api/graph.h"

CUresult cushim__work_kernel(const CUDA_KERNEL_NODE_PARAMS *parameters, struct cushim__work *work);
CUresult cushim__work_memcpy(const CUDA_MEMCPY3D *parameters, CUcontext context,
                             struct cushim__work *work);
CUresult cushim__work_memset(const CUDA_MEMSET_NODE_PARAMS *parameters, CUcontext context,
                             struct cushim__work *work);
CUresult cushim__work_host(const CUDA_HOST_NODE_PARAMS *parameters, struct cushim__work *work);
CUresult cushim__work_child(CUgraph child, struct cushim__work *work);

/* Of a node that records an event or waits for one. */
CUresult cushim__work_event(CUgraphNodeType type, CUevent event, struct cushim__work *work);

/*
 * Any of these, from the parameters of cuGraphAddNode. NOT_SUPPORTED: a type that is not simulated.
 */
CUresult cushim__work_any(const CUgraphNodeParams *parameters, struct cushim__work *work);

/* The layout of kernel parameters before CUDA 12.0. */
struct CUDA_KERNEL_NODE_PARAMS_st;
CUDA_KERNEL_NODE_PARAMS cushim__kernel_parameters(const struct CUDA_KERNEL_NODE_PARAMS_st *former);

/* Let a node do this from now on. Takes `work` over in any case; its type must be the node's. */
CUresult cushim__node_set(struct cushim__node *node, struct cushim__work *work);

#endif
