/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The internals of contexts, streams and events.
 *
 * Every object begins with a count of references. Destroying a driver handle is guarded by an
 * exchange of the object's own state, so that no handle is ever destroyed twice: the driver crashes
 * on that.
 *
 * It crashes on another driver's handle too. So an object remembers the table that made its handle,
 * beneath the layers. It is destroyed through the current table only if that is the same or a layer
 * over it, otherwise through the table that made it, which is not called in a forked child. Every
 * other call goes through the current table.
 */
#ifndef CUSHIM_OBJECTS_OBJECTS_H
#define CUSHIM_OBJECTS_OBJECTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cushim/context.h>
#include <cushim/driver.h>
#include <cushim/event.h>
#include <cushim/event_pool.h>
#include <cushim/stream.h>

#include "loader/loader.h"

/* For code off a fast path, so that the fast path does without its registers and stack. */
#if defined(__GNUC__)
#define CUSHIM__SLOW_PATH __attribute__((noinline, cold))
#else
#define CUSHIM__SLOW_PATH
#endif

/* How an object got its driver handle, and so what its end means for the handle. */
enum cushim__ownership {
    CUSHIM__BORROWED, /* wrapped: never destroyed */
    CUSHIM__OWNED,    /* created or imported: destroyed once */
    CUSHIM__PRIMARY,  /* a reference to a device's primary context: released once */
};

struct cushim_context {
    atomic_uint references;
    enum cushim__ownership ownership;
    CUdevice device; /* known for owned and primary ones; CU_DEVICE_INVALID for borrowed ones */
    CUcontext handle;
    const struct cushim_table *maker; /* NULL for borrowed ones */
};

struct cushim_stream {
    atomic_uint references;
    enum cushim__ownership ownership;
    atomic_bool closed; /* a separate state, since NULL is a valid handle */
    atomic_bool plain;  /* open and not default: one load shows that the handle can be used */
    bool is_default;    /* NULL, legacy or per-thread: a different stream in every context */
    CUstream handle;
    const struct cushim_table *maker; /* NULL for borrowed ones */
    struct cushim_context *context;   /* referenced; NULL for a stream wrapped without one */
};

struct cushim_event {
    atomic_uint references;
    enum cushim__ownership ownership;
    CUevent _Atomic handle;         /* NULL once closed, which the driver itself refuses */
    struct cushim_context *context; /* referenced; NULL for an event wrapped without one */
    unsigned flags;                 /* CU_EVENT_...; meaningful if `flags_known` */
    bool flags_known;
    bool imported;        /* from another process */
    atomic_bool recorded; /* through cushim, since it was created or handed out */
    atomic_bool plain;    /* open and `recorded`: one load shows that the handle can be used */
    const struct cushim_table *maker; /* NULL for borrowed ones */
    struct cushim_event_pool *pool;   /* where its last release puts it; NULL if that destroys it */
    struct cushim_event *next_free;   /* in the pool */
};

static inline void cushim__retain(atomic_uint *references)
{
    atomic_fetch_add_explicit(references, 1, memory_order_relaxed);
}

/*
 * Drop a reference. Returns true for the last one, after which the count means nothing. The only
 * reference is dropped without a locked instruction, since nobody else could take another.
 */
static inline bool cushim__drop(atomic_uint *references)
{
    return atomic_load_explicit(references, memory_order_acquire) == 1 ||
           atomic_fetch_sub_explicit(references, 1, memory_order_acq_rel) == 1;
}

/* --- destroy.c --- */

/* The table that an object made through `table` remembers: that, or the one beneath the layers. */
extern atomic_bool cushim__has_layers; /* whether a layer was ever declared */
const struct cushim_table *cushim__table_beneath(const struct cushim_table *table);
static inline const struct cushim_table *cushim__creating_table(const struct cushim_table *table)
{
    return atomic_load(&cushim__has_layers) || table == &cushim__lazy_table
               ? cushim__table_beneath(table)
               : table;
}

/* The table through which to destroy an object that remembers `maker`. */
const struct cushim_table *cushim__other_destroyer(const struct cushim_table *maker);
static inline const struct cushim_table *cushim__destroyer(const struct cushim_table *maker)
{
    return cushim_driver() == maker ? maker : cushim__other_destroyer(maker);
}

/*
 * The result of a destroy for the caller: codes that say that the handle is gone with its context
 * or process become success. Others are logged as "<function> of <handle> failed: ..." and
 * returned.
 */
CUresult cushim__not_destroyed(const char *function, const void *handle, CUresult code);
static inline CUresult cushim__destroyed(const char *function, const void *handle, CUresult code)
{
    return code == CUDA_SUCCESS ? code : cushim__not_destroyed(function, handle, code);
}

/* --- poll.c --- */

/*
 * Poll until `query` stops returning NOT_READY or the time is over, with growing pauses. Returns
 * CUDA_ERROR_TIMEOUT in the latter case, otherwise the last result.
 */
CUresult cushim__poll(CUresult (*query)(void *object), void *object, uint64_t timeout_ns);

/* --- context.c --- */

/* Destroy a context at the release of its last reference. */
CUresult cushim__context_end(struct cushim_context *context);

/* The same as cushim_context_release(), inline except for the last reference. */
static inline CUresult cushim__context_release(struct cushim_context *context)
{
    return context && cushim__drop(&context->references) ? cushim__context_end(context)
                                                         : CUDA_SUCCESS;
}

/* cushim_context_push(), unless there is no context, or it is current already. */
static inline CUresult cushim__context_enter(const struct cushim_context *context,
                                             struct cushim_context_scope *scope)
{
    CUcontext current = NULL;
    CUresult code;

    scope->pushed = NULL;
    if (!context)
        return CUDA_SUCCESS;
    /* The query costs a fraction of a push and a pop, and the context is usually current. */
    code = cushim_driver()->CtxGetCurrent(&current);
    if (code != CUDA_SUCCESS || current == context->handle)
        return code;
    return cushim_context_push(context, scope);
}

/* End a scope that has pushed. */
CUresult cushim__context_restore(struct cushim_context_scope *scope, CUresult code);

/*
 * End a scope after work in it that returned `code`. Returns `code` if the work failed (a failure
 * to put the context back is then logged), else what the pop returned.
 */
static inline CUresult cushim__context_leave(struct cushim_context_scope *scope, CUresult code)
{
    return scope->pushed ? cushim__context_restore(scope, code) : code;
}

/* The driver's handle of an event; NULL once it is closed. */
static inline CUevent cushim__event_handle(const struct cushim_event *event)
{
    return atomic_load_explicit(&event->handle, memory_order_relaxed);
}

/* Whether a stream object can be used: neither NULL nor closed. */
static inline bool cushim__stream_is_open(const struct cushim_stream *stream)
{
    return stream && !atomic_load_explicit(&stream->closed, memory_order_relaxed);
}

/* Whether a stream is open and not default, so that its handle identifies it in any context. */
static inline bool cushim__stream_is_plain(const struct cushim_stream *stream)
{
    return atomic_load_explicit(&stream->plain, memory_order_relaxed);
}

/*
 * Begin a call on a stream, to be ended with cushim__context_leave(). Returns INVALID_HANDLE if the
 * stream is not open. Makes the context of a default stream current, if the stream has one.
 */
static inline CUresult cushim__stream_enter(const struct cushim_stream *stream,
                                            struct cushim_context_scope *scope)
{
    if (!cushim__stream_is_open(stream))
        return CUDA_ERROR_INVALID_HANDLE;
    return cushim__context_enter(stream->is_default ? stream->context : NULL, scope);
}

/* --- event.c --- */

/* The driver's flags for a caller's options; -1 if the options are not understood. */
int cushim__event_flags(const struct cushim_event_options *options);

/*
 * Create an event with one reference, and record it on `stream` unless that is NULL; or import it,
 * unless `imported` is NULL. Retains the context. On failure nothing is created.
 */
CUresult cushim__event_make(struct cushim_event **event, struct cushim_context *context, int flags,
                            const struct cushim_stream *stream, const CUipcEventHandle *imported);

/*
 * The driver function that cushim_event_get_elapsed() uses: `cuEventElapsedTime` if that is the
 * fallback, in the loaded driver or in a table that was filled and installed.
 */
const char *cushim__event_elapsed_function(void);

/* --- event_pool.c --- */

/* Put an event that has no references any more back into its pool. */
CUresult cushim__event_pool_take_back(struct cushim_event *event);

#endif
