/* SPDX-License-Identifier: Apache-2.0 */
/* How cases begin: a device, a context, a stream, an event, a kernel. What fails ends the case. */
#ifndef CUSHIM_TESTS_CONFORMANCE_BEGIN_H
#define CUSHIM_TESTS_CONFORMANCE_BEGIN_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

#include "tests/support/gate.h"

/* Initialise; the first device. */
CUdevice begin_device(void);

/* Its primary context, made current. */
CUcontext begin_context(void);

/* One more context on the first device, which leaves the current one as it is. */
CUcontext begin_other_context(void);

/* In the current context: streams, and events with these flags. */
CUstream begin_stream(void);
CUstream begin_blocking_stream(void);
CUevent begin_event(void);
CUevent begin_event_with(unsigned flags);

/* An event that was recorded and is done. */
CUevent begin_done(void);

/* The same in another context. */
CUstream begin_stream_in(CUcontext context);
CUevent begin_event_in(CUcontext context);

/* Make a context current, or none; what is current. */
void make_current(CUcontext context);
CUcontext current_context(void);

/* A kernel of the suite in the current context: cushim_spin, cushim_fault, ... */
CUfunction begin_kernel(const char *name);

/* Put one into a stream; `ns` is the parameter of cushim_spin, for others nothing. */
void queue_spin(CUfunction spin, CUstream stream, uint64_t ns);
void queue_kernel(CUfunction kernel, CUstream stream);

/* A gate in a stream; return once the stream stands before it. */
void gate_queue(struct gate *gate, CUstream stream);
void gate_shut(struct gate *gate, CUstream stream);

/* In a loop that waits for work to come so far: the clock of a mock may be moved by calls alone. */
void let_time_pass(void);

/* Wait for the end of a stream's work. */
void drain(CUstream stream);

/* The version of the driver. */
int driver_version(void);

/* Nanoseconds of the monotonic clock, and of the calling thread's processor time. */
uint64_t now_ns(void);
uint64_t thread_ns(void);

#endif
