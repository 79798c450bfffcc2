/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts, threads, and each thread's stack of contexts. */
#ifndef CUSHIM_MOCK_CONTEXT_CONTEXT_H
#define CUSHIM_MOCK_CONTEXT_CONTEXT_H

#include "src/mock/config/settings.h"
#include "src/mock/core/object.h"
#include "src/mock/sim/stream.h"

struct mock_device;

struct mock_allocation;

struct mock_context {
    struct mock_object object; /* .context is the context itself */
    struct mock_stream_group group;
    struct mock_device *device;
    bool primary;
    bool alive;  /* false if destroyed, or if a primary context is not retained */
    bool ending; /* a call is destroying it, with the lock released meanwhile */
    unsigned flags;
    unsigned uses;   /* of a primary context: retains; of others: attachments (cuCtxAttach) */
    unsigned greens; /* of a primary context: the green contexts over it */
    struct mock_context *base; /* of a green context: the primary context; or NULL */
    bool is_known;             /* of a green context: cuCtxFromGreenCtx has returned it */
    unsigned multiprocessors;  /* of a green context: how many it has */
    unsigned api_version;
    unsigned long long id;
    struct mock_stream *per_thread; /* the default streams of threads, linked by `next_default` */
    struct mock_context *next_dead; /* the next context in the list of destroyed ones */
    size_t limits[MOCK_LIMITS_MAX];
    size_t heap_bytes;       /* allocated by kernels */
    bool printed, heap_used; /* a kernel that prints, or allocates or frees, has begun */
    CUfunc_cache cache;
    bool peers[MOCK_DEVICES_MAX]; /* whether access to contexts of these devices is enabled */
};

/* The context whose memory and code a context uses: a green context uses the primary one's. */
static inline struct mock_context *cushim__mock_context_space(struct mock_context *context)
{
    return context->base ? context->base : context;
}

/* Whether two contexts use the same memory and code, so that events of one serve in the other. */
static inline bool cushim__mock_context_shares(struct mock_context *one, struct mock_context *other)
{
    return cushim__mock_context_space(one) == cushim__mock_context_space(other);
}

/* What the mock knows of a thread. */
struct mock_thread {
    struct mock_thread *next;
    struct mock_context **stack; /* of contexts, innermost last */
    size_t depth, room;
    CUstreamCaptureMode capture_mode; /* cuThreadExchangeStreamCaptureMode; GLOBAL at first */
    uint64_t number; /* counts this mock's threads from 1; unlike thread ids it is not reused */
    uint64_t id;     /* the system's thread id */
    bool ended;
};

/* The calling thread. NULL if memory runs out. */
struct mock_thread *cushim__mock_thread_get(void);
void cushim__mock_threads_clear(void);

/*
 * Forget threads that have ended, and end their default streams. The caller calls this once the
 * number of threads has reached the mock's thread_limit, and never while it iterates over streams.
 */
void cushim__mock_threads_sweep(void);

/*
 * Find the calling thread's current context. Returns INVALID_CONTEXT if there is none, and
 * CONTEXT_IS_DESTROYED if it was destroyed.
 */
CUresult cushim__mock_context_current(struct mock_context **context);

/* From this version of cuCtxGetApiVersion on, addresses have 64 bits. */
enum { MOCK_WIDE_ABI = 3020 };

/*
 * Find the context of memory, arrays and the like, for a call whose ABI has 64-bit addresses: the
 * current one, or that which it uses. Returns INVALID_CONTEXT if there is none, or if the first ABI
 * of cuCtxCreate created it, in which addresses have 32 bits (driver-semantics.md #97).
 */
CUresult cushim__mock_memory_context(struct mock_context **context);

/* Find a context by its handle; for NULL returns INVALID_CONTEXT. */
CUresult cushim__mock_context_find(const void *handle, struct mock_context **context);

/* Find a green context. INVALID_CONTEXT for NULL, and for another context. */
CUresult cushim__mock_green_find(const void *handle, struct mock_context **context);

/* The same as find(), except that NULL means the current context, as in later ABIs. */
CUresult cushim__mock_context_find_or_current(CUcontext handle, struct mock_context **context);

/* Reserve room on the calling thread's stack, so that the next push does not fail. */
CUresult cushim__mock_context_reserve(void);

/* The calling thread's stack. Top and pop return NULL if it is empty. */
CUresult cushim__mock_context_push(struct mock_context *context);
struct mock_context *cushim__mock_context_top(void);
struct mock_context *cushim__mock_context_pop(void);

/* Whether the context is on the stack of any thread. */
bool cushim__mock_context_is_on_a_stack(const struct mock_context *context);

/* Whether a context can be created with these flags. */
bool cushim__mock_context_flags_valid(unsigned flags);

/*
 * Whether calls in the context may set and query memory of cuMemAlloc: it is of the context's
 * device, or of a peer to which access is enabled (driver-semantics.md #92). True for other memory.
 */
bool cushim__mock_context_reaches(const struct mock_context *context,
                                  const struct mock_allocation *memory);

/* Whether synchronous copies and sets wait in the current context: CU_CTX_SYNC_MEMOPS. */
bool cushim__mock_context_syncs(void);

#endif
