/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts, and the stack of them that each thread has. */
#ifndef CUSHIM_MOCK_API_CONTEXT_H
#define CUSHIM_MOCK_API_CONTEXT_H

#include "src/mock/config/settings.h"
#include "src/mock/core/object.h"
#include "src/mock/sim/stream.h"

struct mock_device;

struct mock_context {
    struct mock_object object; /* .context is the context itself */
    struct mock_stream_group group;
    struct mock_device *device;
    bool primary;
    bool alive;  /* false: destroyed, or a primary context that is not retained */
    bool ending; /* a call destroys it, and has given up the lock meanwhile */
    unsigned flags;
    unsigned uses; /* of a primary context: retains; of another: cuCtxAttach */
    unsigned api_version;
    unsigned long long id;
    struct mock_stream *per_thread; /* the default streams of threads, by `next_default` */
    struct mock_context *next_dead; /* destroyed after it */
    size_t limits[MOCK_LIMITS_MAX];
    size_t heap_bytes; /* that kernels have allocated */
    CUfunc_cache cache;
    bool peers[MOCK_DEVICES_MAX]; /* access was enabled to contexts of these devices */
};

/* What the mock knows of a thread. */
struct mock_thread {
    struct mock_thread *next;
    struct mock_context **stack; /* of contexts, innermost last */
    size_t depth, room;
    CUstreamCaptureMode capture_mode; /* cuThreadExchangeStreamCaptureMode; GLOBAL at first */
    uint64_t number; /* of threads in this mock, from 1: thread ids are reused, this is not */
    uint64_t id;     /* the system's */
    bool ended;
};

/* The calling thread. NULL: out of memory. */
struct mock_thread *cushim__mock_thread_get(void);
void cushim__mock_threads_clear(void);

/*
 * Forget threads that have ended. To be called once there are as many as the mock's thread_limit,
 * where nobody goes through streams: their default streams go, too.
 */
void cushim__mock_threads_sweep(void);

/*
 * The calling thread's current context. INVALID_CONTEXT: there is none; CONTEXT_IS_DESTROYED: it
 * was destroyed.
 */
CUresult cushim__mock_context_current(struct mock_context **context);

/* From this version on addresses have 64 bits, as cuCtxGetApiVersion counts. */
enum { MOCK_WIDE_ABI = 3020 };

/*
 * The same for calls of the ABI with addresses of 64 bits. INVALID_CONTEXT: there is none, or it was
 * made by cuCtxCreate itself, whose addresses have 32 (driver-semantics.md #97).
 */
CUresult cushim__mock_memory_context(struct mock_context **context);

/* What a handle means; NULL is INVALID_CONTEXT. */
CUresult cushim__mock_context_find(CUcontext handle, struct mock_context **context);

/* The same where NULL means the current context: what later ABIs take. */
CUresult cushim__mock_context_find_or_current(CUcontext handle, struct mock_context **context);

/* Room for one more context on the stack of the calling thread: the next push does not fail. */
CUresult cushim__mock_context_reserve(void);

/* The stack of the calling thread. NULL: it is empty. */
CUresult cushim__mock_context_push(struct mock_context *context);
struct mock_context *cushim__mock_context_top(void);
struct mock_context *cushim__mock_context_pop(void);

/* Whether it is on the stack of any thread. */
bool cushim__mock_context_is_on_a_stack(const struct mock_context *context);

/* Whether flags for a context are valid. */
bool cushim__mock_context_flags_valid(unsigned flags);

#endif
