/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * What a context is set to: flags, limits, its cache, the priorities of its streams.
 *
 * All of them act in the object's context, whatever is current on the calling thread, and put back
 * what was.
 */
#ifndef CUSHIM_CONTEXT_SETTINGS_H
#define CUSHIM_CONTEXT_SETTINGS_H

#include <stddef.h>

#include <cushim/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Get the version of the driver API that a context was created with, such as 3020.
 *
 * It counts binary incompatible changes only; the driver's version is cuDriverGetVersion's.
 *
 * @param context  Object; borrowed, not NULL.
 * @param version  Receives the version; not NULL.
 *
 * @return CUDA_SUCCESS               `*version` is the version.
 * @return CUDA_ERROR_INVALID_HANDLE  `context` is NULL.
 * @return CUDA_ERROR_INVALID_VALUE   `version` is NULL.
 * @return any other code             cuCtxGetApiVersion's, unchanged.
 *
 * Thread safety: any thread.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: cuCtxGetApiVersion.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_context_api_version(const struct cushim_context *context,
                                               unsigned *version);

/**
 * Get a context's flags.
 *
 * @param context  Object; borrowed, not NULL.
 * @param flags    Receives CUctx_flags, or'ed; not NULL. The driver may add some that nobody set.
 *
 * @return CUDA_SUCCESS               `*flags` are the flags.
 * @return CUDA_ERROR_INVALID_HANDLE  `context` is NULL.
 * @return CUDA_ERROR_INVALID_VALUE   `flags` is NULL.
 * @return any other code             cuCtxGetFlags's, or that of the change of context; unchanged.
 *
 * Thread safety: any thread.
 * Context: acts in `context`, and leaves the current one as it was.
 * Driver calls: cuCtxPushCurrent_v2, cuCtxGetFlags, cuCtxPopCurrent_v2.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_context_flags(const struct cushim_context *context, unsigned *flags);

/**
 * Replace a context's flags.
 *
 * @param context  Object; borrowed, not NULL.
 * @param flags    CUctx_flags, or'ed.
 *
 * @return CUDA_SUCCESS                           The flags are set.
 * @return CUDA_ERROR_INVALID_HANDLE              `context` is NULL.
 * @return CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER  The driver is older than 12.1.
 * @return any other code                         cuCtxSetFlags's, or that of the change of context;
 *                                                unchanged.
 *
 * Thread safety: any thread.
 * Context: acts in `context`, and leaves the current one as it was.
 * Driver calls: cuCtxPushCurrent_v2, cuCtxSetFlags, cuCtxPopCurrent_v2.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_context_set_flags(struct cushim_context *context, unsigned flags);

/**
 * Get one of a context's resource limits.
 *
 * @param context  Object; borrowed, not NULL.
 * @param limit    Which: CU_LIMIT_STACK_SIZE, ...
 * @param value    Receives the limit, in the unit that CUlimit's page gives; not NULL.
 *
 * @return CUDA_SUCCESS                  `*value` is the limit.
 * @return CUDA_ERROR_INVALID_HANDLE     `context` is NULL.
 * @return CUDA_ERROR_INVALID_VALUE      `value` is NULL, or the driver does not know the limit
 *                                       (driver semantics, statement 85).
 * @return CUDA_ERROR_UNSUPPORTED_LIMIT  The device has no such limit.
 * @return any other code                cuCtxGetLimit's, or that of the change of context;
 *                                       unchanged.
 *
 * Thread safety: any thread.
 * Context: acts in `context`, and leaves the current one as it was.
 * Driver calls: cuCtxPushCurrent_v2, cuCtxGetLimit, cuCtxPopCurrent_v2.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_context_limit(const struct cushim_context *context, CUlimit limit,
                                         size_t *value);

/**
 * Change one of a context's resource limits.
 *
 * A request: the driver rounds and clamps. cushim_context_limit() tells what came of it.
 *
 * @param context  Object; borrowed, not NULL.
 * @param limit    Which: CU_LIMIT_STACK_SIZE, ...
 * @param value    Limit, in the unit that CUlimit's page gives.
 *
 * @return CUDA_SUCCESS                  The limit is set.
 * @return CUDA_ERROR_INVALID_HANDLE     `context` is NULL.
 * @return CUDA_ERROR_INVALID_VALUE      The driver does not know the limit (statement 85).
 * @return CUDA_ERROR_UNSUPPORTED_LIMIT  The device has no such limit.
 * @return any other code                cuCtxSetLimit's, or that of the change of context;
 *                                       unchanged.
 *
 * Thread safety: any thread.
 * Context: acts in `context`, and leaves the current one as it was.
 * Driver calls: cuCtxPushCurrent_v2, cuCtxSetLimit, cuCtxPopCurrent_v2.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_context_set_limit(struct cushim_context *context, CUlimit limit,
                                             size_t value);

/**
 * Get how a context likes to divide on-chip memory between L1 cache and shared memory.
 *
 * @param context  Object; borrowed, not NULL.
 * @param config   Receives the preference; CU_FUNC_CACHE_PREFER_NONE where the division is fixed.
 *                 Not NULL.
 *
 * @return CUDA_SUCCESS               `*config` is the preference.
 * @return CUDA_ERROR_INVALID_HANDLE  `context` is NULL.
 * @return CUDA_ERROR_INVALID_VALUE   `config` is NULL.
 * @return any other code             cuCtxGetCacheConfig's, or that of the change of context;
 *                                    unchanged.
 *
 * Thread safety: any thread.
 * Context: acts in `context`, and leaves the current one as it was.
 * Driver calls: cuCtxPushCurrent_v2, cuCtxGetCacheConfig, cuCtxPopCurrent_v2.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_context_cache_config(const struct cushim_context *context,
                                                CUfunc_cache *config);

/**
 * Say how a context should divide on-chip memory between L1 cache and shared memory.
 *
 * @param context  Object; borrowed, not NULL.
 * @param config   Preference.
 *
 * @return CUDA_SUCCESS               The preference is noted, or means nothing to this device.
 * @return CUDA_ERROR_INVALID_HANDLE  `context` is NULL.
 * @return any other code             cuCtxSetCacheConfig's, or that of the change of context;
 *                                    unchanged.
 *
 * Thread safety: any thread.
 * Context: acts in `context`, and leaves the current one as it was.
 * Driver calls: cuCtxPushCurrent_v2, cuCtxSetCacheConfig, cuCtxPopCurrent_v2.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_context_set_cache_config(struct cushim_context *context,
                                                    CUfunc_cache config);

/**
 * Get the range of priorities of a context's streams.
 *
 * Lower numbers go first: the range is from `greatest` to `least`, with 0 within it. 0 and 0 mean
 * that the device knows no priorities. Driver semantics, statement 50.
 *
 * @param context   Object; borrowed, not NULL.
 * @param least     Receives the number of the least urgent priority; not NULL.
 * @param greatest  Receives the number of the most urgent priority; not NULL.
 *
 * @return CUDA_SUCCESS               `*least` and `*greatest` are the range.
 * @return CUDA_ERROR_INVALID_HANDLE  `context` is NULL.
 * @return CUDA_ERROR_INVALID_VALUE   `least` or `greatest` is NULL.
 * @return any other code             cuCtxGetStreamPriorityRange's, or that of the change of
 *                                    context; unchanged.
 *
 * Thread safety: any thread.
 * Context: acts in `context`, and leaves the current one as it was.
 * Driver calls: cuCtxPushCurrent_v2, cuCtxGetStreamPriorityRange, cuCtxPopCurrent_v2.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_context_stream_priority_range(const struct cushim_context *context,
                                                         int *least, int *greatest);

#ifdef __cplusplus
}
#endif

#endif
