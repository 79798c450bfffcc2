/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Contexts: where streams, events and memory live.
 *
 * `struct cushim_context` is a counted object around a CUcontext: a device's primary context, one
 * that was created, or a foreign one that is borrowed. Streams and events hold a reference on
 * theirs.
 *
 * What the driver does with a context in one call (limits, flags, peer access) is called through
 * cushim_driver(), with the handle or in a scope. A scope makes a context current on a thread for a
 * while and restores what was current before:
 *
 *     struct cushim_context_scope scope;
 *     CUresult code = cushim_context_push(context, &scope);
 *     if (code == CUDA_SUCCESS) {
 *         code = cushim_driver()->CtxGetLimit(&bytes, CU_LIMIT_STACK_SIZE);
 *         cushim_context_pop(&scope);
 *     }
 *
 * A context is destroyed, or its reference on a primary context released, through the table that
 * made it, whatever table is current then (cushim_table_install()); all else goes through the
 * current table.
 *
 * Thread safety: an object may be used on any thread, also on several at once, for as long as each
 * of them has a reference.
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

/** How to create a context. All-zero but for `size`, and NULL, mean: as the driver likes it. */
struct cushim_context_options {
    size_t size;    /**< `sizeof(struct cushim_context_options)`. */
    unsigned flags; /**< CUctx_flags, or'ed; 0: CU_CTX_SCHED_AUTO. */
};

/** A cushim_context_options with the defaults. */
#define CUSHIM_CONTEXT_OPTIONS_INIT              \
    {                                            \
        sizeof(struct cushim_context_options), 0 \
    }

/**
 * Take a reference on a device's primary context: the one that the CUDA runtime and most libraries
 * use too.
 *
 * The first one in the process creates the context, which takes about 100 ms and some hundred
 * megabytes of the GPU. It does not become current. See cuDevicePrimaryCtxRetain and
 * driver-semantics.md #10.
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
 * Thread safety: any thread.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: cuDevicePrimaryCtxRetain.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_context_retain_primary(CUdevice device, struct cushim_context **context);

/**
 * Create a context of one's own.
 *
 * Unlike cuCtxCreate it does not make it current. Most programs want
 * cushim_context_retain_primary() instead: contexts of one device take turns on it. See cuCtxCreate
 * (its `_v2`, which every driver has) and driver-semantics.md #13.
 *
 * @param device   Device.
 * @param options  How; borrowed for the call. NULL: the defaults.
 * @param context  Receives the object with one reference; not NULL.
 *
 * @return CUDA_SUCCESS              `*context` is a new context.
 * @return CUDA_ERROR_INVALID_VALUE  `context` is NULL, or `options` cannot be understood; or the
 *                                   driver does not accept the flags.
 * @return CUDA_ERROR_OUT_OF_MEMORY  No host memory for the object; or the driver returned it.
 * @return any other code            cuCtxCreate_v2's, or that of putting back the current context;
 *                                   unchanged. There is no new context then.
 *
 * Thread safety: any thread.
 * Context: needs none, and leaves the current one as it was.
 * Driver calls: cuCtxCreate_v2, cuCtxPopCurrent_v2; cuCtxDestroy_v2 if the latter fails.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_context_create(CUdevice device,
                                          const struct cushim_context_options *options,
                                          struct cushim_context **context);

/**
 * Borrow a context that somebody else owns.
 *
 * @param handle   Context, which must live for as long as the object and its children are used.
 *                 The object never destroys it. Not NULL.
 * @param context  Receives the object with one reference; not NULL.
 *
 * @return CUDA_SUCCESS                `*context` stands for `handle`.
 * @return CUDA_ERROR_INVALID_VALUE    `context` is NULL.
 * @return CUDA_ERROR_INVALID_CONTEXT  `handle` is NULL.
 * @return CUDA_ERROR_OUT_OF_MEMORY    No host memory for the object.
 *
 * Thread safety: any thread.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: none.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_context_wrap(CUcontext handle, struct cushim_context **context);

/**
 * Borrow the context that is current on the calling thread.
 *
 * @param context  Receives the object with one reference; not NULL. As with cushim_context_wrap()
 *                 its owner must keep the context alive.
 *
 * @return CUDA_SUCCESS                `*context` stands for the current context.
 * @return CUDA_ERROR_INVALID_VALUE    `context` is NULL.
 * @return CUDA_ERROR_INVALID_CONTEXT  No context is current.
 * @return CUDA_ERROR_OUT_OF_MEMORY    No host memory for the object.
 * @return any other code              cuCtxGetCurrent's, unchanged.
 *
 * Thread safety: any thread.
 * Context: wraps the current one, and leaves it current.
 * Driver calls: cuCtxGetCurrent.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_context_wrap_current(struct cushim_context **context);

/**
 * Take one more reference on an object.
 *
 * @param context  Object; NULL is a no-op.
 * @return         `context`.
 *
 * Thread safety: any thread. Context: none needed. Driver calls: none. Since: 0.1.
 */
CUSHIM_API struct cushim_context *cushim_context_retain(struct cushim_context *context);

/**
 * Give back one reference; the last one ends the object.
 *
 * A created context is then destroyed with all that is left in it, a reference on a primary one is
 * released, a borrowed one is left alone. Streams and events hold references too, so none of those
 * that cushim made remains in a destroyed context.
 *
 * @param context  Object; not to be used with this reference again. NULL is a no-op.
 *
 * @return CUDA_SUCCESS    A reference was released, and if it was the last one the context is
 *                         destroyed, or was gone before.
 * @return any other code  cuCtxDestroy_v2's or cuDevicePrimaryCtxRelease_v2's, unchanged; the
 *                         object is gone even so, and the log has a message.
 *
 * Thread safety: any thread.
 * Context: needs none. Leaves the current one alone, unless that is the context that is destroyed:
 *          the driver then takes it off the calling thread (driver-semantics.md #13).
 * Driver calls: cuCtxDestroy_v2; cuDevicePrimaryCtxRelease_v2, or cuDevicePrimaryCtxRelease with
 *               drivers older than 11.0.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_context_release(struct cushim_context *context);

/**
 * Get the driver's handle, for calls through the table.
 *
 * Do not destroy the context by this handle while streams or events of it live: a later call with
 * one of these, even its destruction, makes the driver read freed memory, and may crash
 * (driver-semantics.md #17).
 *
 * @param context  Object; borrowed, not NULL.
 * @param handle   Receives the handle, which lives as long as the object does; not NULL.
 *
 * @return CUDA_SUCCESS               `*handle` is the context.
 * @return CUDA_ERROR_INVALID_HANDLE  `context` is NULL.
 * @return CUDA_ERROR_INVALID_VALUE   `handle` is NULL.
 *
 * Thread safety: any thread. Context: none needed. Driver calls: none. Since: 0.1.
 */
CUSHIM_API CUresult cushim_context_handle(const struct cushim_context *context, CUcontext *handle);

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
 * Thread safety: any thread.
 * Context: acts in `context` if that is borrowed, and leaves the current one as it was.
 * Driver calls: none, but for a borrowed context cuCtxPushCurrent_v2, cuCtxGetDevice,
 *               cuCtxPopCurrent_v2.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_context_device(const struct cushim_context *context, CUdevice *device);

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
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_context_synchronize(struct cushim_context *context);

/* --- the current context --- */

/**
 * The time from a push to its pop, on one thread. Lives on the caller's stack; nothing to free. It
 * never grows.
 */
struct cushim_context_scope {
    CUcontext pushed; /**< Private: what was pushed; NULL in a scope that is over. */
};

/**
 * Make a context current on the calling thread, or none.
 *
 * Replaces the current one, which is lost to the thread's stack of contexts; cushim_context_push()
 * keeps it. See driver-semantics.md #14.
 *
 * @param context  Object; borrowed. NULL: take the current context off the thread.
 *
 * @return CUDA_SUCCESS    It is current.
 * @return any other code  cuCtxSetCurrent's, unchanged.
 *
 * Thread safety: any thread, for itself.
 * Context: leaves `context` current.
 * Driver calls: cuCtxSetCurrent.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_context_make_current(const struct cushim_context *context);

/**
 * Make a context current on the calling thread until cushim_context_pop().
 *
 * Scopes nest, on one thread, and end in reverse order. The scope holds no reference on the object.
 *
 * @param context  Object; borrowed until the scope ends, not NULL.
 * @param scope    Receives what the pop needs; not NULL. On failure it is a scope that is over, so
 *                 that popping it does no harm.
 *
 * @return CUDA_SUCCESS               The context is current.
 * @return CUDA_ERROR_INVALID_HANDLE  `context` is NULL.
 * @return CUDA_ERROR_INVALID_VALUE   `scope` is NULL.
 * @return any other code             cuCtxPushCurrent_v2's, unchanged.
 *
 * Thread safety: any thread, for itself.
 * Context: leaves `context` current.
 * Driver calls: cuCtxPushCurrent_v2.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_context_push(const struct cushim_context *context,
                                        struct cushim_context_scope *scope);

/**
 * End a scope: make current again what was before its push.
 *
 * Takes nothing off the thread but what the push put there. If something else is on top, because an
 * inner scope was not popped or other code changed the stack, everything stays as it is and the
 * scope goes on. It can be popped again later.
 *
 * @param scope  Scope of the calling thread; not NULL. One that is over is a no-op.
 *
 * @return CUDA_SUCCESS                The scope is over.
 * @return CUDA_ERROR_INVALID_VALUE    `scope` is NULL.
 * @return CUDA_ERROR_INVALID_CONTEXT  Another context than the scope's is current, or none; the
 *                                     scope goes on.
 * @return any other code              cuCtxPopCurrent_v2's, unchanged; the scope goes on.
 *
 * Thread safety: the thread that pushed.
 * Context: leaves current what was before the push.
 * Driver calls: cuCtxPopCurrent_v2; cuCtxPushCurrent_v2 if that took off another context.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_context_pop(struct cushim_context_scope *scope);

#ifdef __cplusplus
}
#endif

#endif
