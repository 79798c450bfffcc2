/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes that allocate and free, and the memory that devices reserve for graphs (driver-semantics.md
 * #236 to #239).
 */
#include <string.h>

#include "src/mock/core/device.h"
#include "src/mock/functions/functions.h"
#include "src/mock/graph/graph.h"
#include "src/mock/graph_exec/exec.h"
#include "src/mock/graph_exec/memory.h"

CUresult cushim__mock_GraphAddMemAllocNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                           const CUgraphNode *dependencies, size_t numDependencies,
                                           cushim_CUDA_MEM_ALLOC_NODE_PARAMS *nodeParams)
{
    const struct mock_node *node;
    CUresult code = cushim__mock_graph_add(phGraphNode, hGraph, dependencies, NULL, numDependencies,
                                           cushim__mock_work_allocate(nodeParams));

    if (code != CUDA_SUCCESS)
        return code;
    node = cushim__mock_object_lookup(*phGraphNode, MOCK_NODE);
    nodeParams->dptr = cushim__mock_memory_address(node->work.operation);
    return CUDA_SUCCESS;
}

CUresult cushim__mock_GraphMemAllocNodeGetParams(const struct mock_node *node,
                                                 cushim_CUDA_MEM_ALLOC_NODE_PARAMS *params_out)
{
    return cushim__mock_memory_parameters(node->work.operation, params_out)
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}

CUresult cushim__mock_GraphAddMemFreeNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                          const CUgraphNode *dependencies, size_t numDependencies,
                                          CUdeviceptr dptr)
{
    return cushim__mock_graph_add(phGraphNode, hGraph, dependencies, NULL, numDependencies,
                                  cushim__mock_work_free(dptr));
}

CUresult cushim__mock_GraphMemFreeNodeGetParams(const struct mock_node *node, CUdeviceptr *dptr_out)
{
    if (node->work.type != CU_GRAPH_NODE_TYPE_MEM_FREE)
        return CUDA_ERROR_INVALID_VALUE;
    *dptr_out = cushim__mock_memory_address(node->work.operation);
    return CUDA_SUCCESS;
}

CUresult cushim__mock_DeviceGraphMemTrim(struct mock_device *device)
{
    cushim__mock_memory_trim(device);
    return CUDA_SUCCESS;
}

/* The attributes, which headers before CUDA 11.4 lack. USED and RESERVED are equal (#239). */
enum { USED, USED_HIGH, RESERVED, RESERVED_HIGH };

CUresult cushim__mock_DeviceGetGraphMemAttribute(struct mock_device *device,
                                                 cushim_CUgraphMem_attribute attr, void *value)
{
    cuuint64_t bytes;

    switch ((int)attr) {
    case USED:
    case RESERVED:
        bytes = device->graph_bytes;
        break;
    case USED_HIGH:
    case RESERVED_HIGH:
        bytes = device->graph_bytes_high[(int)attr / 2];
        break;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    memcpy(value, &bytes, sizeof bytes);
    return CUDA_SUCCESS;
}

/* Only the high values can be set, and only to 0, which resets them to the current ones. */
CUresult cushim__mock_DeviceSetGraphMemAttribute(struct mock_device *device,
                                                 cushim_CUgraphMem_attribute attr, void *value)
{
    cuuint64_t bytes;

    memcpy(&bytes, value, sizeof bytes);
    if (((int)attr != USED_HIGH && (int)attr != RESERVED_HIGH) || bytes != 0)
        return CUDA_ERROR_INVALID_VALUE;
    device->graph_bytes_high[(int)attr / 2] = device->graph_bytes;
    return CUDA_SUCCESS;
}
