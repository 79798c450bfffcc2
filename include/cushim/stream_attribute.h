/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * What a stream is like: its flags, priority, number, device and context, and its attributes.
 *
 * The driver is asked each time; a stream object keeps none of this.
 */
#ifndef CUSHIM_STREAM_ATTRIBUTE_H
#define CUSHIM_STREAM_ATTRIBUTE_H

#include <cuda.h>

#include <cushim/api.h>
#include <cushim/stream.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Get the flags of a stream.
 *
 * @param stream  Stream; not NULL.
 * @param flags   Receives CUstream_flags: CU_STREAM_DEFAULT or CU_STREAM_NON_BLOCKING; not NULL. 0
 *                for default streams (driver semantics, statement 51).
 *
 * @return CUDA_SUCCESS               `*flags` are the flags.
 * @return CUDA_ERROR_INVALID_HANDLE  `stream` is NULL or closed.
 * @return CUDA_ERROR_INVALID_VALUE   `flags` is NULL.
 * @return any other code             cuStreamGetFlags's, unchanged.
 *
 * Thread safety: any thread.
 * Context: needs none, but for a default stream (stream.h).
 * Driver calls: cuStreamGetFlags.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_stream_flags(const struct cushim_stream *stream, unsigned *flags);

/**
 * Get the priority that a stream really has: what was asked for, clamped (statement 50).
 *
 * @param stream    Stream; not NULL.
 * @param priority  Receives the priority, lower goes first; not NULL. 0 for default streams.
 *
 * @return CUDA_SUCCESS               `*priority` is the priority.
 * @return CUDA_ERROR_INVALID_HANDLE  `stream` is NULL or closed.
 * @return CUDA_ERROR_INVALID_VALUE   `priority` is NULL.
 * @return any other code             cuStreamGetPriority's, unchanged.
 *
 * Thread safety: any thread.
 * Context: needs none, but for a default stream (stream.h).
 * Driver calls: cuStreamGetPriority.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_stream_priority(const struct cushim_stream *stream, int *priority);

/**
 * Get the number that is a stream's own for the life of the program.
 *
 * NULL and CU_STREAM_LEGACY are one stream and share one (statement 51).
 *
 * @param stream  Stream; not NULL.
 * @param id      Receives the number; not NULL.
 *
 * @return CUDA_SUCCESS                           `*id` is the number.
 * @return CUDA_ERROR_INVALID_HANDLE              `stream` is NULL or closed.
 * @return CUDA_ERROR_INVALID_VALUE               `id` is NULL.
 * @return CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER  The driver is older than 12.0.
 * @return any other code                         cuStreamGetId's, unchanged.
 *
 * Thread safety: any thread.
 * Context: needs none, but for a default stream (stream.h).
 * Driver calls: cuStreamGetId.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_stream_id(const struct cushim_stream *stream, unsigned long long *id);

/**
 * Get the device of a stream, with any driver.
 *
 * @param stream  Stream; not NULL.
 * @param device  Receives the device; not NULL.
 *
 * @return CUDA_SUCCESS                `*device` is the device.
 * @return CUDA_ERROR_INVALID_HANDLE   `stream` is NULL or closed.
 * @return CUDA_ERROR_INVALID_VALUE    `device` is NULL.
 * @return CUDA_ERROR_INVALID_CONTEXT  It is a default stream without a context, and none is
 *                                     current.
 * @return any other code              The driver's, unchanged.
 *
 * Thread safety: any thread.
 * Context: needs none, but for a default stream (stream.h). Leaves the current one as it was.
 * Driver calls: for a stream with a context object those of cushim_context_device(). Otherwise
 *               cuStreamGetDevice; with drivers older than 12.8 then cuStreamGetCtx,
 *               cuCtxPushCurrent_v2, cuCtxGetDevice, cuCtxPopCurrent_v2.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_stream_device(const struct cushim_stream *stream, CUdevice *device);

/**
 * Get the driver's handle of a stream's context, also where the object does not know it.
 *
 * @param stream   Stream; not NULL.
 * @param context  Receives the handle, borrowed; not NULL. For a default stream without a context
 *                 the current one. For a stream of a green context that which cuCtxFromGreenCtx
 *                 gives (statement 52).
 *
 * @return CUDA_SUCCESS                `*context` is the context.
 * @return CUDA_ERROR_INVALID_HANDLE   `stream` is NULL or closed.
 * @return CUDA_ERROR_INVALID_VALUE    `context` is NULL.
 * @return CUDA_ERROR_INVALID_CONTEXT  It is a default stream without a context, and none is
 *                                     current.
 * @return any other code              cuStreamGetCtx's, unchanged.
 *
 * Thread safety: any thread.
 * Context: needs none, but for a default stream (stream.h).
 * Driver calls: cuStreamGetCtx.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_stream_driver_context(const struct cushim_stream *stream,
                                                 CUcontext *context);

/**
 * Get an attribute of a stream.
 *
 * @param stream     Stream; not NULL.
 * @param attribute  Which: CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, ...
 * @param value      Receives the value, in the member of the union that belongs to the attribute;
 *                   not NULL.
 *
 * @return CUDA_SUCCESS               `*value` is the value.
 * @return CUDA_ERROR_INVALID_HANDLE  `stream` is NULL or closed; or the driver's answer.
 * @return CUDA_ERROR_INVALID_VALUE   `value` is NULL; or streams have no such attribute.
 * @return any other code             cuStreamGetAttribute's, unchanged.
 *
 * Thread safety: any thread.
 * Context: needs none, but for a default stream (stream.h).
 * Driver calls: cuStreamGetAttribute.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_stream_attribute(const struct cushim_stream *stream,
                                            CUstreamAttrID attribute, CUstreamAttrValue *value);

/**
 * Set an attribute of a stream, for the work that is queued from now on.
 *
 * @param stream     Stream; not NULL.
 * @param attribute  Which: CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, ...
 * @param value      Value, in the member of the union that belongs to the attribute; borrowed for
 *                   the call, not NULL.
 *
 * @return CUDA_SUCCESS               The attribute is set.
 * @return CUDA_ERROR_INVALID_HANDLE  `stream` is NULL or closed; or the driver's answer.
 * @return CUDA_ERROR_INVALID_VALUE   `value` is NULL; or the driver does not like it.
 * @return any other code             cuStreamSetAttribute's, unchanged.
 *
 * Thread safety: any thread.
 * Context: needs none, but for a default stream (stream.h).
 * Driver calls: cuStreamSetAttribute.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_stream_set_attribute(struct cushim_stream *stream,
                                                CUstreamAttrID attribute,
                                                const CUstreamAttrValue *value);

/**
 * Give a stream all attributes of another one of the same context.
 *
 * @param stream  Stream that receives them; not NULL.
 * @param source  Stream that has them; not NULL.
 *
 * @return CUDA_SUCCESS               The attributes are copied.
 * @return CUDA_ERROR_INVALID_HANDLE  `stream` or `source` is NULL or closed.
 * @return any other code             cuStreamCopyAttributes's, unchanged.
 *
 * Thread safety: any thread.
 * Context: needs none, but for a default stream (stream.h); if both are, that of `stream` counts.
 * Driver calls: cuStreamCopyAttributes.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_stream_copy_attributes(struct cushim_stream *stream,
                                                  const struct cushim_stream *source);

#ifdef __cplusplus
}
#endif

#endif
