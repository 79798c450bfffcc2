/* SPDX-License-Identifier: Apache-2.0 */
/* How cases begin: a driver, the first device, a context, a stream. What fails ends the case. */
#ifndef CUSHIM_TESTS_GPU_BEGIN_H
#define CUSHIM_TESTS_GPU_BEGIN_H

#include <stdint.h>

#include <cushim/cushim.h>

/* The library that --library named, or NULL; for every process of the run. */
extern const char *begin_library;

/* Load and initialise; the answer is cushim_init()'s. */
CUresult begin_driver(void);

/* The first device. */
CUdevice begin_device(void);

/* Its primary context, which is not made current. */
struct cushim_context *begin_context(void);

/* One more context on the first device. */
struct cushim_context *begin_other_context(void);

/* A non-blocking stream, or an event with the default options. */
struct cushim_stream *begin_stream(struct cushim_context *context);
struct cushim_event *begin_event(struct cushim_context *context);

/* An event without timing. */
struct cushim_event *begin_untimed(struct cushim_context *context);

/* Handles, which a case may hand to the table. */
CUcontext raw_context(const struct cushim_context *context);
CUstream raw_stream(const struct cushim_stream *stream);
CUevent raw_event(const struct cushim_event *event);

/* Device memory of a context. */
CUdeviceptr begin_memory(struct cushim_context *context, size_t bytes);

/* Put work into a stream: fill memory of its context. */
void queue_fill(struct cushim_stream *stream, CUdeviceptr memory, size_t bytes);

/* Make a context current for the rest of the case, or none. */
void make_current(struct cushim_context *context);

/* What is current. */
CUcontext current_context(void);

/* Nanoseconds of the monotonic clock, and of the calling thread's processor time. */
uint64_t now_ns(void);
uint64_t thread_ns(void);

#endif
