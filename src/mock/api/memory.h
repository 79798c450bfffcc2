/* SPDX-License-Identifier: Apache-2.0 */
/* What calls that use memory begin and end with. */
#ifndef CUSHIM_MOCK_API_MEMORY_H
#define CUSHIM_MOCK_API_MEMORY_H

#include "src/mock/memory/allocation.h"

struct mock_operation;
struct mock_stream;

/*
 * The current context, for calls of the ABI with addresses of 64 bits. INVALID_CONTEXT: there is
 * none, or it was made by cuCtxCreate itself, whose addresses have 32 (driver-semantics.md #97).
 */
CUresult cushim__mock_memory_context(struct mock_context **context);

/*
 * The stream of a call: the one that it names, or, if it is not asynchronous, the current context's
 * default stream.
 */
CUresult cushim__mock_memory_stream(CUstream handle, bool asynchronous,
                                    struct mock_stream **stream);

/* Queue an operation and wait for it. Takes it over. */
CUresult cushim__mock_memory_finish(struct mock_stream *stream, struct mock_operation *operation);

#endif
