/* SPDX-License-Identifier: Apache-2.0 */
/* The threads that execute host functions. */
#ifndef CUSHIM_MOCK_HELPER_H
#define CUSHIM_MOCK_HELPER_H

#include <stdbool.h>

#include <cuda.h>

struct mock_stream_group;
struct mock_stream;

/* Have a thread for the streams of a context. OPERATING_SYSTEM: there is none to be had; or OUT_OF_MEMORY. */
CUresult cushim__mock_helper_start(struct mock_stream_group *group);

/* Hand over the head of a stream: the sim goes on with cushim__mock_run_end(). */
void cushim__mock_helper_give(struct mock_stream *stream);

/* Whether the head of a stream is under way at this moment. */
bool cushim__mock_helper_executes(const struct mock_stream *stream);

/* Take back the head of a stream that was handed over and is not under way. */
void cushim__mock_helper_forget(struct mock_stream *stream);

/* End a context's thread; gives up the lock meanwhile. */
void cushim__mock_helper_stop(struct mock_stream_group *group);

#endif
