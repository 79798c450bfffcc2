/* SPDX-License-Identifier: Apache-2.0 */
/* Stream memory operations: values in memory that streams wait for and write. */
#ifndef CUSHIM_MOCK_STREAM_MEMORY_H
#define CUSHIM_MOCK_STREAM_MEMORY_H

#include <stdint.h>

#include <cuda.h>

#include "src/mock/sim/operation.h"

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

/* What such an operation does. */
const struct cushim__memory_value *cushim__memory_values(const struct cushim__operation *operation,
                                                         unsigned *count);

#endif
