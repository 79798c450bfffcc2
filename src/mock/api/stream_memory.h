/* SPDX-License-Identifier: Apache-2.0 */
/* Stream memory operations: values in memory that streams wait for and write. */
#ifndef CUSHIM_MOCK_STREAM_MEMORY_H
#define CUSHIM_MOCK_STREAM_MEMORY_H

#include <stdint.h>

#include <cuda.h>

#include "src/mock/sim/operation.h"

/* A value that is waited for in memory, or written there. */
struct mock_memory_value {
    enum { MOCK_MEMORY_WAIT, MOCK_MEMORY_WRITE } kind;
    unsigned bytes; /* 4 or 8 */
    unsigned flags; /* of the call */
    CUdeviceptr address;
    uint64_t value;
};

/* An operation that does these one after the other. INVALID_VALUE: one cannot be done. */
CUresult cushim__mock_memory_values_create(const struct mock_memory_value *values, unsigned count,
                                           struct mock_operation **operation);

/* What such an operation does. */
const struct mock_memory_value *cushim__mock_memory_values(const struct mock_operation *operation,
                                                           unsigned *count);

#endif
