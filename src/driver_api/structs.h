/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Structs of the driver API that the headers of older toolkits lack, with the beginning that they
 * have in every toolkit that defines them.
 */
#ifndef CUSHIM_DRIVER_API_STRUCTS_H
#define CUSHIM_DRIVER_API_STRUCTS_H

#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

/* CUlaunchAttribute, and the ids of the attributes by which a launch records an event. */
enum { CUSHIM__LAUNCH_PROGRAMMATIC_EVENT = 7, CUSHIM__LAUNCH_COMPLETION_EVENT = 12 };

struct cushim__launch_attribute {
    int id, padding;
    uintptr_t event; /* the beginning of the value */
    char rest[64 - sizeof(uintptr_t)];
};

/* CUlaunchConfig. */
struct cushim__launch_config {
    unsigned grid[3], block[3], shared_bytes;
    CUstream stream;
    const struct cushim__launch_attribute *attributes;
    unsigned count;
};

/* CUDA_MEM_ALLOC_NODE_PARAMS. */
struct cushim__allocation_node {
    CUmemPoolProps pool;
    const void *access;
    size_t accesses, bytes;
    CUdeviceptr address; /* written by the driver */
};

/* CUgraphNodeParams, for the types of nodes whose parameters are read. */
enum { CUSHIM__NODE_CONDITIONAL = 13 }; /* CU_GRAPH_NODE_TYPE_CONDITIONAL */
enum { CUSHIM__CHILD_IS_MOVED = 1 };    /* CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE */

struct cushim__graph_node {
    CUgraphNodeType type;
    int reserved[3];
    union {
        struct cushim__allocation_node allocation;
        CUdeviceptr freed;
        struct {
            CUgraph graph;
            int ownership; /* 0 in toolkits before 12.9 */
        } child;
        struct {
            uint64_t handle;
            int kind;
            unsigned count;
            const CUgraph *graphs; /* of the branches; written by the driver */
        } conditional;
    } of;
};

#endif
