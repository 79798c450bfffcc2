/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stream memory operations (driver-semantics.md #59): waits for single values, and writes of them.
 * A wait polls its memory, so a write by the host ends it, too.
 */
#ifndef CUSHIM_MOCK_STREAM_MEMORY_VALUE_H
#define CUSHIM_MOCK_STREAM_MEMORY_VALUE_H

#include <stdint.h>

#include <cuda.h>

#include "src/mock/sim/operation.h"

/* A value to wait for in memory, or to write to it. */
struct mock_memory_value {
    enum mock_memory_value_kind { MOCK_MEMORY_WAIT, MOCK_MEMORY_WRITE } kind;
    unsigned bytes; /* 4 or 8 */
    unsigned flags; /* of the call */
    CUdeviceptr address;
    uint64_t value;
};

/*
 * Create an operation that waits and writes in this order. Returns INVALID_VALUE if it cannot,
 * NOT_SUPPORTED if the device cannot flush, or OUT_OF_MEMORY.
 */
CUresult cushim__mock_memory_operation(const struct mock_memory_value *values, unsigned count,
                                       struct mock_operation **operation);

/* The values of such an operation. */
const struct mock_memory_value *cushim__mock_memory_values(const struct mock_operation *operation,
                                                           unsigned *count);

#endif
