/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The current context of a thread: set it, or change it for a while and put it back.
 *
 *     struct cushim_context_scope scope;
 *     CUresult code = cushim_context_push(context, &scope);
 *     if (code == CUDA_SUCCESS) {
 *         code = cushim_driver()->MemAlloc_v2(&address, bytes);
 *         cushim_context_pop(&scope);
 *     }
 */
#ifndef CUSHIM_CONTEXT_SCOPE_H
#define CUSHIM_CONTEXT_SCOPE_H

#include <cushim/context.h>

#ifdef __cplusplus
extern "C" {
#endif

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
 * Replaces the current one, which is lost to the thread's stack of contexts;
 * cushim_context_push() is the friendlier way. Driver semantics, statement 14.
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
 * Takes nothing off the thread but what the push put there: if something else is on top, because a
 * scope within was not popped or somebody else meddled, everything stays as it is and the scope
 * goes on. It can be popped again later.
 *
 * @param scope  Scope of the calling thread; not NULL. One that is over is a no-op.
 *
 * @return CUDA_SUCCESS                The scope is over.
 * @return CUDA_ERROR_INVALID_VALUE    `scope` is NULL.
 * @return CUDA_ERROR_INVALID_CONTEXT  Not the scope's context is current but another or none; the
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
