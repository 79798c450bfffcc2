/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies and sets, as other calls meet them: operations that nodes of graphs hold and streams
 * execute. Bytes move when the operation executes.
 */
#ifndef CUSHIM_MOCK_COPY_H
#define CUSHIM_MOCK_COPY_H

#include <stdbool.h>

#include <cuda.h>

struct mock_context;
struct mock_operation;
struct mock_stream;

/*
 * A copy as cuMemcpy3D describes it, for a node of a graph: pageable memory is read and written
 * when it executes. `context` is where it executes, not NULL. The caller owns the operation.
 *
 * CUDA_SUCCESS, INVALID_VALUE (also if there is nothing to copy), INVALID_HANDLE (an array) or
 * OUT_OF_MEMORY.
 */
CUresult cushim__mock_copy_operation(const CUDA_MEMCPY3D *shape, struct mock_context *context,
                                     struct mock_operation **operation);

/* The reverse, also of what was captured from any other call that copies. False: it is no copy. */
bool cushim__mock_copy_parameters(const struct mock_operation *operation, CUDA_MEMCPY3D *shape);

/* The same for sets. */
CUresult cushim__mock_set_operation(const CUDA_MEMSET_NODE_PARAMS *shape,
                                    struct mock_context *context,
                                    struct mock_operation **operation);
bool cushim__mock_set_parameters(const struct mock_operation *operation,
                                 CUDA_MEMSET_NODE_PARAMS *shape);

/*
 * Execute a copy on a stream, NULL included. The call returns when the driver's would: before the
 * copy is executed where that is possible, or, if it is not asynchronous, after it. Nothing to
 * copy: done.
 */
CUresult cushim__mock_copy_execute(const CUDA_MEMCPY3D *shape, CUstream stream, bool asynchronous);

/* The same, asynchronous, of a source that is read before the call returns. */
CUresult cushim__mock_copy_execute_read(const CUDA_MEMCPY3D *shape, CUstream stream);

#endif
