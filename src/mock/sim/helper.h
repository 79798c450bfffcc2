/* SPDX-License-Identifier: Apache-2.0 */
/* The threads that execute host functions. */
#ifndef CUSHIM_MOCK_HELPER_H
#define CUSHIM_MOCK_HELPER_H

#include <stdbool.h>

#include <cuda.h>

struct cushim__context;
struct cushim__stream;

/* Have a thread in a context. OPERATING_SYSTEM: there is none to be had; or OUT_OF_MEMORY. */
CUresult cushim__helper_start(struct cushim__context *context);

/* Hand over the head of a stream: the engine goes on with cushim__run_end(). */
void cushim__helper_give(struct cushim__stream *stream);

/* Whether the head of a stream is under way at this moment. */
bool cushim__helper_executes(const struct cushim__stream *stream);

/* Take back the head of a stream that was handed over and is not under way. */
void cushim__helper_forget(struct cushim__stream *stream);

/* End a context's thread; gives up the lock meanwhile. */
void cushim__helper_stop(struct cushim__context *context);

#endif
