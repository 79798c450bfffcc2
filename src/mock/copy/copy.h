/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies and sets as operations, which graph nodes hold and streams execute. Bytes move when the
 * operation executes.
 */
#ifndef CUSHIM_MOCK_COPY_COPY_H
#define CUSHIM_MOCK_COPY_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

#include "src/driver_api/copy.h"
#include "src/mock/core/object.h"
#include "src/mock/sim/operation.h"

/*
 * Create a copy for a node of a graph. Pageable memory is read and written when it executes. The
 * caller owns the operation.
 *
 * Returns CUDA_SUCCESS, INVALID_VALUE (also if there is nothing to copy), INVALID_HANDLE (of an
 * array) or OUT_OF_MEMORY.
 */
CUresult cushim__mock_copy_operation(const struct cushim__copy *shape,
                                     struct mock_operation **operation);

/*
 * The same for sets, whose end may overflow in a call; and the reverse, which returns false if the
 * operation is not a set.
 */
CUresult cushim__mock_set_operation(const CUDA_MEMSET_NODE_PARAMS *shape, bool may_overflow,
                                    struct mock_operation **operation);
bool cushim__mock_set_parameters(const struct mock_operation *operation,
                                 CUDA_MEMSET_NODE_PARAMS *shape);

/*
 * Execute a copy on a stream, which may be NULL. Returns when the driver's call would: before the
 * copy is executed where that is possible, or, if it is not asynchronous, after it. If `read`, the
 * call always reads the source before it returns. A copy of nothing succeeds.
 */
CUresult cushim__mock_copy_execute(const struct cushim__copy *shape, CUstream stream,
                                   bool asynchronous, bool read);

/*
 * A copy, and its two sides, each a box of bytes. A side is memory that the mock knows, which is
 * looked up again when the copy executes, or memory that it does not know, which is pageable memory
 * of the host.
 */

struct mock_copy_side {
    struct cushim__copy_half at; /* as the call says; members that its type does not use are zero */
    bool pageable;               /* memory that the mock does not know */
    bool on_device;              /* not memory of the host */
    bool synchronous;            /* the memory's attribute SYNC_MEMOPS */
};

struct mock_copy {
    struct mock_operation operation;
    struct mock_copy_side from, to;
    size_t width, height, depth;
    char *staged; /* what `from` held at the call, row after row; NULL if it is read at execution */
};

/* Return an operation, captured or not, as a copy. NULL if it is not a copy. */
const struct mock_copy *cushim__mock_copy_of(const struct mock_operation *operation);

/* Read the source now rather than at execution. Returns false if memory runs out. */
bool cushim__mock_copy_stage(struct mock_copy *copy);

#endif
