/* SPDX-License-Identifier: Apache-2.0 */
/* Streams, as the functions of the driver see them: what a handle means. */
#ifndef CUSHIM_MOCK_API_STREAM_H
#define CUSHIM_MOCK_API_STREAM_H

#include <stdint.h>

#include <cuda.h>

#include "src/mock/sim/operation.h"
#include "src/mock/sim/sim.h"
#include "src/mock/sim/stream.h"

/*
 * The stream that a handle means: NULL is the legacy default stream of the current context, or in a
 * per-thread call the calling thread's. INVALID_CONTEXT if a default stream is meant and no context
 * is current; a created stream needs none.
 */
CUresult cushim__mock_stream_find(CUstream handle, struct mock_stream **stream);

/* Whether a handle means a default stream; and which of a context it means, current or not. */
bool cushim__mock_stream_is_default(CUstream handle);
CUresult cushim__mock_stream_default(CUstream handle, struct mock_context *context,
                                     struct mock_stream **stream);

/* A stream of a context, which has no handle yet. NULL: out of memory. */
struct mock_stream *cushim__mock_stream_create(struct mock_context *context,
                                               enum mock_stream_kind kind, unsigned flags,
                                               int priority);

/*
 * Queue an operation on a stream: or, while the stream is captured, add it to the graph. Takes the
 * operation over in any case.
 */
CUresult cushim__mock_stream_submit(struct mock_stream *stream, void *operation);

/* A context ends, and its streams are idle: free the default ones, keep those that have handles. */
void cushim__mock_streams_forget(struct mock_context *context);

/* Host functions, as graphs meet them. */

/* The operation of a host node, and its parameters again. */
CUresult cushim__mock_host_operation(const CUDA_HOST_NODE_PARAMS *parameters,
                                     struct mock_operation **operation);
void cushim__mock_host_parameters(const struct mock_operation *operation,
                                  CUDA_HOST_NODE_PARAMS *parameters);

#endif
