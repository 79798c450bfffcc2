/* SPDX-License-Identifier: Apache-2.0 */
/* What cases begin with: a device, a context, a stream, an event, memory, a kernel. What fails ends the case. */
#ifndef CUSHIM_TESTS_CONFORMANCE_BEGIN_H
#define CUSHIM_TESTS_CONFORMANCE_BEGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cushim/cushim.h>

#include "tests/support/gate.h"
#include "tests/support/process.h"

/* Initialise; the first device. */
CUdevice begin_device(void);

/* Its primary context, made current. */
CUcontext begin_context(void);

/* One more context on the first device, which leaves the current one unchanged. */
CUcontext begin_other_context(void);

/* In the current context: streams, and events with these flags. */
CUstream begin_stream(void);
CUstream begin_blocking_stream(void);
CUevent begin_event(void);
CUevent begin_event_with(unsigned flags);

/* The first context, made current, and a stream in it. */
CUstream begin_context_stream(void);

/* An event that was recorded and is done. */
CUevent begin_done(void);

/* The same in another context. */
CUstream begin_stream_in(CUcontext context);
CUevent begin_event_in(CUcontext context);

/* Make a context current, or none; what is current. */
void make_current(CUcontext context);
CUcontext current_context(void);

/* A gate in a stream; return once the stream stands before it. */
void gate_queue(struct gate *gate, CUstream stream);
void gate_shut(struct gate *gate, CUstream stream);

/*
 * Make a call that must answer success while the stream is held up by a gate, which is opened from
 * elsewhere a little later. Returns whether it was open when the call returned. The stream is idle
 * before and after.
 */
bool waits_for_gate(CUstream stream, CUresult (*call)(void *data), void *data);

/*
 * A latch: a stream waits for a word of page-locked memory until the test writes it. Unlike a gate
 * it holds up nothing but its stream.
 */
struct latch {
    _Atomic uint64_t *host;
    CUdeviceptr device;
};

/* A word in the current context, 0. */
struct latch begin_latch(void);

/* A latch of its own in front of the stream, which waits until the word is 1. */
struct latch latch_shut(CUstream stream);

/* Let it go on; at the end of a case, all that were made. */
void latch_open(const struct latch *latch);
void latch_open_all(void);

/* Device memory, managed and page-locked memory of the current context. */
CUdeviceptr begin_memory(size_t bytes);
CUdeviceptr begin_managed(size_t bytes);
void *begin_pinned(size_t bytes);

/* A value of 32 bits in device memory, once all work of the context has ended. */
unsigned read_value(CUdeviceptr memory);

/* A kernel of the suite in the current context: cushim_spin, cushim_fault, ... */
CUfunction begin_kernel(const char *name);

/* Put one into a stream; `ns` is the parameter of cushim_spin, for others nothing. */
void queue_spin(CUfunction spin, CUstream stream, uint64_t ns);
void queue_kernel(CUfunction kernel, CUstream stream);

/*
 * PTX text. Its functions: `plain`; `many` with five parameters; `take` with a u64 and a u32;
 * `shared` with 1 KiB of shared memory; `bounded` to 64 threads; and `cushim_nothing`, which a mock
 * knows, as it does not know the others. Its variables: `bytes` of 12, `seven` of 8, `five` of 4
 * (constant), and `hidden` of 4, which is not visible.
 */
extern const char module_image[1024];
enum { MODULE_FUNCTIONS = 6 };

/* It, loaded into the primary context, which is made current. */
CUmodule begin_module(void);

/* A function of a module. */
CUfunction begin_function(CUmodule module, const char *name);

/*
 * Two processes of a case: one asks for the next number that the other has met, and the other
 * answers when it is asked.
 */
int peer_ask(const struct peer *peer);
void peer_answer(int number);

/* In a loop that waits for work to come so far: the clock of a mock may be moved by calls alone. */
void let_time_pass(void);

/* Wait for the end of a stream's work. */
void drain(CUstream stream);

/* What a host function does that has nothing to do. */
void CUDA_CB do_nothing(void *data);

/* The version of the driver. */
int driver_version(void);

/* Nanoseconds of the monotonic clock, and of the calling thread's processor time. */
uint64_t now_ns(void);
uint64_t thread_ns(void);

/*
 * cushim's objects, for the cases about its modules: cushim is loaded from the driver under test.
 * First the first device.
 */
CUdevice load_device(void);

/* Its primary context, or one more context on it. Neither is made current. */
struct cushim_context *retain_primary(void);
struct cushim_context *create_context(void);

/* With the default options; and an event that was recorded and is done. */
struct cushim_stream *create_stream(struct cushim_context *context);
struct cushim_event *create_event(struct cushim_context *context);
struct cushim_event *create_done(struct cushim_context *context);

/* Their handles, to call the driver itself with. */
CUcontext context_handle(const struct cushim_context *context);
CUstream stream_handle(const struct cushim_stream *stream);
CUevent event_handle(const struct cushim_event *event);

#endif
