/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The order of work between streams, and functions of the host as part of it.
 *
 * All waiting here is done by the GPU: no call blocks the calling thread.
 */
#ifndef CUSHIM_STREAM_ORDER_H
#define CUSHIM_STREAM_ORDER_H

#include <cuda.h>

#include <cushim/api.h>
#include <cushim/event.h>
#include <cushim/stream.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Let all later work of a stream wait for an event.
 *
 * The event may be of another context or device (driver semantics, statements 55, 81). What counts
 * is its newest record at the time of the call: a later one does not matter (statement 26), and
 * without any the call has no effect (statement 23).
 *
 * @param stream  Stream that is to wait; not NULL.
 * @param event   Event to wait for; not NULL.
 * @param flags   CUevent_wait_flags: CU_EVENT_WAIT_EXTERNAL makes the wait a node of the graph that
 *                is captured, and is refused outside a capture with CUDA_ERROR_ILLEGAL_STATE
 *                (statement 55). 0: an ordinary wait.
 *
 * @return CUDA_SUCCESS                         Later work waits.
 * @return CUDA_ERROR_INVALID_HANDLE            `stream` or `event` is NULL or closed.
 * @return CUDA_ERROR_INVALID_VALUE             The flags are unknown, or the event was last
 *                                              recorded in a capture that has ended (statement 71).
 * @return CUDA_ERROR_STREAM_CAPTURE_ISOLATION  The stream is capturing and the event was recorded
 *                                              outside the capture; the capture is invalidated
 *                                              (statement 67).
 * @return any other code                       The driver's answer to cuStreamWaitEvent, unchanged.
 *
 * Thread safety: any thread.
 * Context: needs none, but for a default stream (stream.h).
 * Driver calls: cuStreamWaitEvent.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_stream_wait_event(struct cushim_stream *stream,
                                             struct cushim_event *event, unsigned flags);

/**
 * Let all later work of a stream wait for all work that another stream has got until now.
 *
 * Records an event without timing on `other`, waits for it, and destroys it, which does not disturb
 * the wait (statement 28). The streams may be of different contexts and devices. If `other` is
 * capturing, `stream` joins its capture (statement 68).
 *
 * @param stream  Stream that is to wait; not NULL.
 * @param other   Stream to wait for; not NULL.
 *
 * @return CUDA_SUCCESS                Later work waits.
 * @return CUDA_ERROR_INVALID_HANDLE   `stream` or `other` is NULL or closed.
 * @return CUDA_ERROR_INVALID_CONTEXT  `other` is a default stream, and no context is current.
 * @return CUDA_ERROR_OUT_OF_MEMORY    The host's or the driver's memory ran out.
 * @return any other code              The driver's, unchanged. If it is that of destroying the
 *                                     event, also on the log (log.h), later work waits even so.
 *
 * Thread safety: any thread.
 * Context: acts in that of `other`, then needs none but for a default `stream` (stream.h); puts the
 *          current one back.
 * Driver calls: those of cushim_event_create_recorded(), cuStreamWaitEvent, cuEventDestroy_v2.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_stream_wait_stream(struct cushim_stream *stream,
                                              struct cushim_stream *other);

/**
 * Record an event on a stream: cushim_event_record() from the stream's side.
 *
 * cushim_event_create_recorded() makes a new event for it.
 *
 * @param stream  Stream of the event's context; not NULL.
 * @param event   Event; not NULL.
 *
 * @return As cushim_event_record().
 *
 * Thread safety: any thread.
 * Context: as cushim_event_record().
 * Driver calls: as cushim_event_record().
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_stream_record(struct cushim_stream *stream, struct cushim_event *event);

/**
 * Queue a function of the host: it is called when the stream comes to it, and later work waits
 * until it returns.
 *
 * It is called on a thread of the driver's, and not at all if the context has failed by then. It
 * must not call the driver (statements 57, 82), nor wait for work of the GPU. In a capture it
 * becomes a node of the graph, and is called at every launch.
 *
 * @param stream    Stream; not NULL.
 * @param function  Function to call.
 * @param data      Passed on to `function`; NULL allowed. It must live until then.
 *
 * @return CUDA_SUCCESS               The function is queued.
 * @return CUDA_ERROR_INVALID_HANDLE  `stream` is NULL or closed.
 * @return CUDA_ERROR_INVALID_VALUE   `function` is NULL.
 * @return any other code             The driver's answer to cuLaunchHostFunc, unchanged.
 *
 * Thread safety: any thread.
 * Context: needs none, but for a default stream (stream.h).
 * Driver calls: cuLaunchHostFunc.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_stream_launch_host_function(struct cushim_stream *stream,
                                                       CUhostFn function, void *data);

/**
 * Queue a function of the host that is also told of failures.
 *
 * Like cushim_stream_launch_host_function(), but it is called exactly once in any case, and told by
 * its `status` whether the work before it failed. It cannot be captured: in a capture the driver
 * refuses it and invalidates the capture (statement 58). NVIDIA calls the function slated for
 * deprecation.
 *
 * @param stream    Stream; not NULL.
 * @param callback  Function to call; it must not call the driver.
 * @param data      Passed on to `callback`; NULL allowed. It must live until then.
 *
 * @return CUDA_SUCCESS                           The callback is queued.
 * @return CUDA_ERROR_INVALID_HANDLE              `stream` is NULL or closed.
 * @return CUDA_ERROR_INVALID_VALUE               `callback` is NULL.
 * @return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED  The stream is capturing.
 * @return any other code                         The driver's answer to cuStreamAddCallback,
 *                                                unchanged.
 *
 * Thread safety: any thread.
 * Context: needs none, but for a default stream (stream.h).
 * Driver calls: cuStreamAddCallback.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_stream_add_callback(struct cushim_stream *stream,
                                               CUstreamCallback callback, void *data);

#ifdef __cplusplus
}
#endif

#endif
