/* SPDX-License-Identifier: Apache-2.0 */
/* Stream memory operations, as other calls meet them. */
#ifndef CUSHIM_MOCK_STREAM_MEMORY_H
#define CUSHIM_MOCK_STREAM_MEMORY_H

#include <stdint.h>

#include <cuda.h>

#include "src/mock/engine/operation.h"

/* CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, which older headers do not know. */
enum { CUSHIM__BATCH_NODE = 12 };

/* A value that is waited for in memory, or written there. */
struct cushim__memory_value {
    enum { CUSHIM__MEMORY_WAIT, CUSHIM__MEMORY_WRITE } kind;
    unsigned bytes; /* 4 or 8 */
    unsigned flags; /* of the call */
    CUdeviceptr address;
    uint64_t value;
};

/* An operation that does these one after the other. INVALID_VALUE: one cannot be done. */
CUresult cushim__memory_values_create(const struct cushim__memory_value *values, unsigned count,
                                      struct cushim__operation **operation);

/* What such an operation does, for nodes of graphs; and its class, to tell it from others. */
const struct cushim__memory_value *cushim__memory_values(const struct cushim__operation *operation,
                                                         unsigned *count);
extern const struct cushim__operation_class cushim__memory_value_class;

/*
 * The same of what cuStreamBatchMemOp takes: for cuGraphAddBatchMemOpNode as well. INVALID_VALUE:
 * there are too many, or one is unknown.
 */
CUresult cushim__memory_batch(const CUstreamBatchMemOpParams *list, unsigned count,
                              struct cushim__operation **operation);

#endif
