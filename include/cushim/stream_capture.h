/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Capture: turn what is queued on a stream into a graph instead of doing it.
 *
 * Section 7 of the driver semantics tells what a capture allows and what invalidates it. In short:
 * to query or wait for anything that is captured, and outside of CU_STREAM_CAPTURE_MODE_RELAXED for
 * anything at all. The events of a capture say nothing of time.
 */
#ifndef CUSHIM_STREAM_CAPTURE_H
#define CUSHIM_STREAM_CAPTURE_H

#include <cuda.h>

#include <cushim/api.h>
#include <cushim/stream.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Begin to capture a stream: from now on its work goes into a graph.
 *
 * @param stream  Stream; not NULL, and not the legacy default stream.
 * @param mode    What is forbidden meanwhile: CU_STREAM_CAPTURE_MODE_GLOBAL calls that are unsafe
 *                on any thread, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL on this one,
 *                CU_STREAM_CAPTURE_MODE_RELAXED none.
 *
 * @return CUDA_SUCCESS                           The stream is capturing.
 * @return CUDA_ERROR_INVALID_HANDLE              `stream` is NULL or closed.
 * @return CUDA_ERROR_INVALID_VALUE               The mode is unknown (statement 61).
 * @return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED  It is the legacy default stream.
 * @return CUDA_ERROR_ILLEGAL_STATE               It was capturing before, and still is.
 * @return any other code                         cuStreamBeginCapture_v2's, unchanged. If it is
 *                                                that of putting the context back, the capture has
 *                                                been ended again.
 *
 * Thread safety: any thread. Unless the mode is relaxed, the same thread must end the capture.
 * Context: needs none, but for a default stream (stream.h).
 * Driver calls: cuStreamBeginCapture_v2; cuStreamEndCapture and cuGraphDestroy if putting the
 *               context back fails.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_stream_begin_capture(struct cushim_stream *stream,
                                                CUstreamCaptureMode mode);

/**
 * End the capture that was begun on a stream, and take its graph.
 *
 * On failure the capture is over too, unless none was begun on this stream.
 *
 * @param stream  Stream that the capture was begun on; not NULL.
 * @param graph   Receives the graph, to be destroyed with cuGraphDestroy; not NULL. Untouched on
 *                failure, also where the driver writes NULL (statement 62).
 *
 * @return CUDA_SUCCESS                                `*graph` is the caller's.
 * @return CUDA_ERROR_INVALID_HANDLE                   `stream` is NULL or closed.
 * @return CUDA_ERROR_INVALID_VALUE                    `graph` is NULL.
 * @return CUDA_ERROR_ILLEGAL_STATE                    The stream is not capturing (statement 62).
 * @return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED       Something forbidden had happened.
 * @return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED         The capture was begun on another stream.
 * @return CUDA_ERROR_STREAM_CAPTURE_UNJOINED          A stream that had joined the capture was not
 *                                                     waited for by this one (statement 68).
 * @return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD      Another thread had begun it (statement 70).
 * @return any other code                              cuStreamEndCapture's, or that of putting the
 *                                                     context back; unchanged. There is no graph
 *                                                     then.
 *
 * Thread safety: any thread; unless the mode is relaxed, only the one that began the capture.
 * Context: needs none, but for a default stream (stream.h).
 * Driver calls: cuStreamEndCapture; cuGraphDestroy if putting the context back fails.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_stream_end_capture(struct cushim_stream *stream, CUgraph *graph);

/**
 * Tell whether a stream is capturing, and which capture it is part of.
 *
 * Harmless to the capture.
 *
 * @param stream  Stream; not NULL.
 * @param status  Receives CU_STREAM_CAPTURE_STATUS_NONE, _ACTIVE or _INVALIDATED; not NULL.
 * @param id      Receives the number of the capture, unique for the life of the process and the
 *                same for all streams that have joined it; 0 unless the status is active. NULL
 *                allowed.
 *
 * @return CUDA_SUCCESS                        `status`, and `id` if given, are written.
 * @return CUDA_ERROR_INVALID_HANDLE           `stream` is NULL or closed.
 * @return CUDA_ERROR_INVALID_VALUE            `status` is NULL.
 * @return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT  It is the legacy default stream, and a blocking
 *                                             stream is capturing (statement 69).
 * @return any other code                      The driver's, unchanged.
 *
 * Thread safety: any thread.
 * Context: needs none, but for a default stream (stream.h).
 * Driver calls: cuStreamIsCapturing; with `id` cuStreamGetCaptureInfo instead, its first version,
 *               which all drivers have.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_stream_capture_status(const struct cushim_stream *stream,
                                                 CUstreamCaptureStatus *status, cuuint64_t *id);

/**
 * Change what captures forbid the calling thread, and get what they did before.
 *
 * For a library that must call something unsafe while its caller may be capturing: exchange
 * CU_STREAM_CAPTURE_MODE_RELAXED in, call, and exchange the former mode back in.
 *
 * @param mode  The mode to set; receives the former one. Not NULL. Drivers do not mind a mode that
 *              does not exist (statement 72).
 *
 * @return CUDA_SUCCESS              The mode is set, and `*mode` the former one.
 * @return CUDA_ERROR_INVALID_VALUE  `mode` is NULL.
 * @return any other code            cuThreadExchangeStreamCaptureMode's, unchanged; `*mode` is
 *                                   untouched.
 *
 * Thread safety: any thread, for itself.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: cuThreadExchangeStreamCaptureMode.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_stream_exchange_capture_mode(CUstreamCaptureMode *mode);

#ifdef __cplusplus
}
#endif

#endif
