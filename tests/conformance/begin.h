/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preparations of cases: a device, a context, a stream, an event, memory, a kernel. A failure ends
 * the case.
 */
#ifndef CUSHIM_TESTS_CONFORMANCE_BEGIN_H
#define CUSHIM_TESTS_CONFORMANCE_BEGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cushim/cushim.h>

#include "tests/support/gate.h"
#include "tests/support/process.h"

/* Call cuInit; returns the first device. */
CUdevice begin_device(void);

/* The primary context of the first device, made current; need_context(): unless another one is. */
CUcontext begin_context(void);
void need_context(void);

/* Another context on the first device. The current context does not change. */
CUcontext begin_other_context(void);

/* Streams, events with these flags, and below memory, latches and kernels: all need_context(). */
CUstream begin_stream(void);
CUstream begin_blocking_stream(void);
CUevent begin_event(void);
CUevent begin_event_with(unsigned flags);

/* An event whose record is complete. */
CUevent begin_done(void);

/* A stream in another context. */
CUstream begin_stream_in(CUcontext context);
CUevent begin_event_in(CUcontext context);

/* Make a context (or NULL) current; return the current context. */
void make_current(CUcontext context);
CUcontext current_context(void);

/* Queue a gate in a stream; gate_shut() also waits until the stream has reached it. */
void gate_queue(struct gate *gate, CUstream stream);
void gate_shut(struct gate *gate, CUstream stream);

/*
 * Make a call that must succeed, while a gate blocks the stream. Another thread opens the gate a
 * little later. Returns whether the gate was open when the call returned. The stream is idle before
 * and after.
 */
bool waits_for_gate(CUstream stream, CUresult (*call)(void *data), void *data);

/*
 * A latch: a stream waits for a word of page-locked memory until the test writes it. Unlike a gate,
 * it blocks only its own stream.
 */
struct latch {
    _Atomic uint64_t *host;
    CUdeviceptr device;
};

/* A latch with the value 0, in the current context. */
struct latch begin_latch(void);

/* Queue a new latch in the stream, which then waits until the word is 1. */
struct latch latch_shut(CUstream stream);

/* Open a latch; open all latches at the end of a case. */
void latch_open(const struct latch *latch);
void latch_open_all(void);

/* Allocate device, managed or page-locked memory in the current context. */
CUdeviceptr begin_memory(size_t bytes);
CUdeviceptr begin_managed(size_t bytes);
void *begin_pinned(size_t bytes);

/* Read 32 bits of device memory after all work of the context has ended. */
unsigned read_value(CUdeviceptr memory);

/* A kernel of the suite in the current context, such as cushim_spin or cushim_fault. */
CUfunction begin_kernel(const char *name);

/* Queue a kernel; `ns` is the parameter of cushim_spin, and other kernels ignore it. */
void queue_spin(CUfunction spin, CUstream stream, uint64_t ns);
void queue_kernel(CUfunction kernel, CUstream stream);

/*
 * PTX text. Its functions: `plain`; `many` with five parameters; `take` with a u64 and a u32;
 * `shared` with 1 KiB of shared memory; `bounded` with at most 64 threads; and `cushim_nothing`,
 * the only one that a mock knows. Its variables: `bytes` of 12 bytes, `seven` of 8, `five` of 4
 * (constant), and `hidden` of 4, which is not visible.
 */
extern const char module_image[1024];
enum { MODULE_FUNCTIONS = 6 };

/* Load module_image into the primary context, which becomes current. */
CUmodule begin_module(void);

/* Get a function of a module. */
CUfunction begin_function(CUmodule module, const char *name);

/*
 * Communication between the two processes of a case: one asks for the next result of the other,
 * which answers only when asked.
 */
int peer_ask(const struct peer *peer);
void peer_answer(int number);

/* For loops that wait for work: only calls may advance the clock of a mock. */
void let_time_pass(void);

/* Wait for the end of a stream's work. */
void drain(CUstream stream);

/* A host function without effect. */
void CUDA_CB do_nothing(void *data);

/* The version of the driver. */
int driver_version(void);

/* Nanoseconds of the monotonic clock, and of the calling thread's CPU time. */
uint64_t now_ns(void);
uint64_t thread_ns(void);

/*
 * Objects of cushim, for the cases about its modules. load_device() loads cushim from the driver
 * under test and returns the first device.
 */
CUdevice load_device(void);

/* The first device's primary context, or another context on it. Neither is made current. */
struct cushim_context *retain_primary(void);
struct cushim_context *create_context(void);

/* Create objects with default options; create_done() returns an event whose record is complete. */
struct cushim_stream *create_stream(struct cushim_context *context);
struct cushim_event *create_event(struct cushim_context *context);
struct cushim_event *create_done(struct cushim_context *context);

/* The handles of objects, for direct calls of the driver. */
CUcontext context_handle(const struct cushim_context *context);
CUstream stream_handle(const struct cushim_stream *stream);
CUevent event_handle(const struct cushim_event *event);

#endif
