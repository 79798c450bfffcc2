/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Contexts, which own streams, events and memory.
 *
 * `struct cushim_context` is a reference-counted object around a CUcontext: a device's primary
 * context, a context that cushim created, or a borrowed one. Streams and events hold a reference to
 * their context.
 *
 * Operations on a context that are one call of the driver (limits, flags, peer access) have no
 * function here: call them through cushim_driver(), with the handle or in a scope. A scope makes a
 * context current on a thread, and then restores the context that was current before:
 *
 *     struct cushim_context_scope scope;
 *     CUresult code = cushim_context_push(context, &scope);
 *     if (code == CUDA_SUCCESS) {
 *         code = cushim_driver()->CtxGetLimit(&bytes, CU_LIMIT_STACK_SIZE);
 *         cushim_context_pop(&scope);
 *     }
 *
 * A context is destroyed, or its reference to a primary context released, through the table that
 * made it, whatever table is then current (cushim_table_install()). All other calls go through the
 * current table.
 *
 * Thread safety: any thread may use an object, also several threads at once, as long as each of
 * them has a reference.
 *
 * A number such as #10 is a statement of driver-semantics.md, a page of cushim's documentation
 * (share/doc/cushim/docs/ of an installation).
 *
 * Unless a function says otherwise, any thread may call it; it needs no context and leaves the
 * current one alone; it calls no function of the driver; if it fails, it leaves its outputs
 * untouched. Since: 0.1.
 */
#ifndef CUSHIM_CONTEXT_H
#define CUSHIM_CONTEXT_H

#include <stddef.h>

#include <cuda.h>

#include <cushim/api.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A context; see cushim_context_retain_primary(), cushim_context_create(). */
struct cushim_context;

/** How to create a context. NULL, or zero in all members but `size`: the driver's defaults. */
struct cushim_context_options {
    size_t size;      /**< `sizeof(struct cushim_context_options)`. */
    unsigned flags;   /**< CUctx_flags, or'ed; 0: CU_CTX_SCHED_AUTO. */
    unsigned padding; /**< Fills the struct; zero. */
};

/** A cushim_context_options with the defaults. */
#define CUSHIM_CONTEXT_OPTIONS_INIT                 \
    {                                               \
        sizeof(struct cushim_context_options), 0, 0 \
    }

/**
 * Take a reference to a device's primary context, which the CUDA runtime and most libraries use
 * too.
 *
 * The first reference in the process creates the context, which takes about 100 ms and some hundred
 * megabytes of the GPU's memory. The context does not become current. See cuDevicePrimaryCtxRetain
 * and driver-semantics.md #10.
 *
 * @param device   Device.
 * @param context  Receives the object with one reference, to be released with
 *                 cushim_context_release(); not NULL.
 *
 * @return CUDA_SUCCESS              `*context` is the primary context.
 * @return CUDA_ERROR_INVALID_VALUE  `context` is NULL.
 * @return CUDA_ERROR_OUT_OF_MEMORY  No host memory for the object; or the driver returned it.
 * @return any other code            cuDevicePrimaryCtxRetain's, unchanged.
 *
 * Driver calls: cuDevicePrimaryCtxRetain.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_context_retain_primary(CUdevice device,
                                                                  struct cushim_context **context);

/**
 * Create a new context.
 *
 * Unlike cuCtxCreate, this function does not make the context current. Most programs should use
 * cushim_context_retain_primary() instead, because the contexts of a device take turns on it. See
 * cuCtxCreate (its `_v2`, which every driver has) and driver-semantics.md #13.
 *
 * @param device   Device.
 * @param options  How to create it; borrowed for the call. NULL: the defaults.
 * @param context  Receives the object with one reference; not NULL.
 *
 * @return CUDA_SUCCESS              `*context` is a new context.
 * @return CUDA_ERROR_INVALID_VALUE  `context` is NULL, or `options` is invalid; or the
 *                                   driver does not accept the flags.
 * @return CUDA_ERROR_OUT_OF_MEMORY  No host memory for the object; or the driver returned it.
 * @return any other code            cuCtxCreate_v2's, or that of restoring the current context,
 *                                   unchanged. Nothing is created.
 *
 * Context: needs none, and leaves the current one as it was.
 * Driver calls: cuCtxCreate_v2, cuCtxPopCurrent_v2; cuCtxDestroy_v2 if the latter fails.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_context_create(
    CUdevice device, const struct cushim_context_options *options, struct cushim_context **context);

/**
 * Borrow a context that other code owns.
 *
 * @param handle   Context, which must exist as long as the object, its streams and its events are
 *                 used. The object never destroys it. Not NULL.
 * @param context  Receives the object with one reference; not NULL.
 *
 * @return CUDA_SUCCESS                `*context` stands for `handle`.
 * @return CUDA_ERROR_INVALID_VALUE    `context` is NULL.
 * @return CUDA_ERROR_INVALID_CONTEXT  `handle` is NULL.
 * @return CUDA_ERROR_OUT_OF_MEMORY    No host memory for the object.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_context_wrap(CUcontext handle,
                                                        struct cushim_context **context);

/**
 * Borrow the context that is current on the calling thread.
 *
 * @param context  Receives the object with one reference; not NULL. As with cushim_context_wrap(),
 *                 the owner must keep the context alive.
 *
 * @return CUDA_SUCCESS                `*context` stands for the current context.
 * @return CUDA_ERROR_INVALID_VALUE    `context` is NULL.
 * @return CUDA_ERROR_INVALID_CONTEXT  No context is current.
 * @return CUDA_ERROR_OUT_OF_MEMORY    No host memory for the object.
 * @return any other code              cuCtxGetCurrent's, unchanged.
 *
 * Context: wraps the current one, and leaves it current.
 * Driver calls: cuCtxGetCurrent.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_context_wrap_current(struct cushim_context **context);

/** Take one more reference. Returns `context`, which may be NULL. */
CUSHIM_API struct cushim_context *cushim_context_retain(struct cushim_context *context);

/**
 * Release one reference. The last release ends the object.
 *
 * The last release destroys a created context with everything in it, releases the reference to a
 * primary context, and does nothing to a borrowed one. Streams and events hold references too, so
 * no stream or event of cushim outlives its context.
 *
 * @param context  Object; do not use it with this reference again. NULL is a no-op.
 *
 * @return CUDA_SUCCESS    A reference was released. If it was the last one, the context is
 *                         destroyed, or had been destroyed before.
 * @return any other code  cuCtxDestroy_v2's or cuDevicePrimaryCtxRelease_v2's, unchanged. The
 *                         object has ended nevertheless, and the log has a message.
 *
 * Context: needs none. Leaves the current one alone, unless that is the destroyed context: the
 *          driver then pops it from the calling thread (driver-semantics.md #13).
 * Driver calls: cuCtxDestroy_v2; cuDevicePrimaryCtxRelease_v2, or cuDevicePrimaryCtxRelease with
 *               drivers older than 11.0.
 */
CUSHIM_API CUresult cushim_context_release(struct cushim_context *context);

/**
 * Get the driver's handle, for calls through the table.
 *
 * Do not destroy the context by this handle while it has streams or events: a later call with one
 * of these, even to destroy it, makes the driver read freed memory, and may crash
 * (driver-semantics.md #17).
 *
 * @param context  Object; borrowed, not NULL.
 * @param handle   Receives the handle, which lives as long as the object does; not NULL.
 *
 * @return CUDA_SUCCESS               `*handle` is the context.
 * @return CUDA_ERROR_INVALID_HANDLE  `context` is NULL.
 * @return CUDA_ERROR_INVALID_VALUE   `handle` is NULL.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_context_get_handle(const struct cushim_context *context,
                                                              CUcontext *handle);

/**
 * Get the device of a context.
 *
 * @param context  Object; borrowed, not NULL.
 * @param device   Receives the device; not NULL.
 *
 * @return CUDA_SUCCESS               `*device` is the device.
 * @return CUDA_ERROR_INVALID_HANDLE  `context` is NULL.
 * @return CUDA_ERROR_INVALID_VALUE   `device` is NULL.
 * @return any other code             For a borrowed context: cuCtxGetDevice's, or that of the
 *                                    change of context; unchanged.
 *
 * Context: acts in `context` if that is borrowed, and leaves the current one as it was.
 * Driver calls: none, but for a borrowed context cuCtxPushCurrent_v2, cuCtxGetDevice,
 *               cuCtxPopCurrent_v2.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_context_get_device(const struct cushim_context *context,
                                                              CUdevice *device);

/**
 * Wait until all work of a context is done.
 *
 * @param context  Object; borrowed, not NULL.
 *
 * @return CUDA_SUCCESS                           All work is done.
 * @return CUDA_ERROR_INVALID_HANDLE              `context` is NULL.
 * @return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED  A stream of the context is capturing
 *                                                (driver-semantics.md #64, #65).
 * @return any other code                         cuCtxSynchronize's, that of an earlier
 *                                                asynchronous error included, or that of the
 *                                                change of context; unchanged.
 *
 * Thread safety: any thread; blocks it.
 * Context: acts in `context`, and leaves the current one as it was.
 * Driver calls: cuCtxPushCurrent_v2, cuCtxSynchronize, cuCtxPopCurrent_v2.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_context_synchronize(struct cushim_context *context);

/* --- the current context --- */

/**
 * The time from a push to its pop, on one thread. The struct is on the caller's stack, needs no
 * release, and never grows.
 */
struct cushim_context_scope {
    CUcontext pushed; /**< Private: the pushed context; NULL in a scope that has ended. */
};

/**
 * Make a context, or none, current on the calling thread.
 *
 * Replaces the current context on the thread's stack of contexts; cushim_context_push() keeps it.
 * See driver-semantics.md #14.
 *
 * @param context  Object; borrowed. NULL: pop the current context from the thread.
 *
 * @return CUDA_SUCCESS    `context` is current, or none is.
 * @return any other code  cuCtxSetCurrent's, unchanged.
 *
 * Thread safety: any thread, for itself.
 * Context: leaves `context` current.
 * Driver calls: cuCtxSetCurrent.
 */
CUSHIM_API CUSHIM__CHECKED CUresult
cushim_context_make_current(const struct cushim_context *context);

/**
 * Make a context current on the calling thread until cushim_context_pop().
 *
 * Scopes on one thread may nest, and end in reverse order. The scope holds no reference to the
 * object.
 *
 * @param context  Object; borrowed until the scope ends, not NULL.
 * @param scope    Receives what the pop needs; not NULL. On failure it is a scope that has ended,
 *                 so that popping it does no harm.
 *
 * @return CUDA_SUCCESS               The context is current.
 * @return CUDA_ERROR_INVALID_HANDLE  `context` is NULL.
 * @return CUDA_ERROR_INVALID_VALUE   `scope` is NULL.
 * @return any other code             cuCtxPushCurrent_v2's, unchanged.
 *
 * Thread safety: any thread, for itself.
 * Context: leaves `context` current.
 * Driver calls: cuCtxPushCurrent_v2.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_context_push(const struct cushim_context *context,
                                                        struct cushim_context_scope *scope);

/**
 * End a scope and make the context current that was current before its push.
 *
 * Pops only the context that the push put on the thread's stack. If another context is on top,
 * because an inner scope was not popped or other code changed the stack, nothing changes and the
 * scope continues. You can pop it again later.
 *
 * @param scope  Scope of the calling thread; not NULL. A scope that has ended is a no-op.
 *
 * @return CUDA_SUCCESS                The scope has ended.
 * @return CUDA_ERROR_INVALID_VALUE    `scope` is NULL.
 * @return CUDA_ERROR_INVALID_CONTEXT  Another context than the scope's is current, or none; the
 *                                     scope continues.
 * @return any other code              cuCtxPopCurrent_v2's, unchanged; the scope continues.
 *
 * Thread safety: the thread that pushed.
 * Context: leaves current what was before the push.
 * Driver calls: cuCtxPopCurrent_v2; cuCtxPushCurrent_v2 if that popped another context.
 */
CUSHIM_API CUresult cushim_context_pop(struct cushim_context_scope *scope);

#ifdef __cplusplus
}
#endif

#endif
