/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Streams: queues of work for the GPU, each done in order.
 *
 * `struct cushim_stream` is a counted object around a CUstream: one that was created, a foreign one
 * that is borrowed, or a default stream. What the driver does with a stream in one call (flags,
 * priority, attributes, capture, values in memory) is called through cushim_driver() with the
 * handle that cushim_stream_handle() returns; for a default stream, in a scope of its context
 * (context.h).
 *
 * A created stream belongs to its context and can be used whatever context is current
 * (driver-semantics.md #32). *Default streams* (NULL, the legacy and the per-thread one) are
 * different ones in every context: an object that was given a context acts there and puts the
 * current one back, for which each call asks cuCtxGetCurrent, and pushes and pops the context if it
 * is not current; one that was not acts in the caller's current context, as the driver does (#15,
 * #51). If putting the context back fails, that code is returned, although the work of the call is
 * done; only a stream that the caller would not know of is destroyed.
 *
 * A stream is destroyed through the table that made it, whatever table is current then; all else
 * goes through the current table, which must be the stream's (cushim_table_install()).
 *
 * Any function may also return the code of earlier asynchronous work that failed (#34;
 * cushim_error_sticky()). A closed stream is refused with CUDA_ERROR_INVALID_HANDLE everywhere.
 *
 * Thread safety: any thread may use any stream, also concurrently. Closing or releasing the last
 * reference while another thread uses the stream is the caller's mistake.
 */
#ifndef CUSHIM_STREAM_H
#define CUSHIM_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

#include <cushim/api.h>
#include <cushim/event.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cushim_context;

/** A stream; made by cushim_stream_create() and its like. */
struct cushim_stream;

/**
 * How to create a stream. All-zero but for `size`, and NULL, mean: non-blocking, of priority 0.
 *
 * The default is not the driver's: a non-blocking stream takes no notice of the legacy default
 * stream, which a blocking one waits for and is waited for by (driver-semantics.md #54).
 */
struct cushim_stream_options {
    size_t size;   /**< `sizeof(struct cushim_stream_options)`. */
    bool blocking; /**< CU_STREAM_DEFAULT instead of CU_STREAM_NON_BLOCKING. */
    int priority;  /**< Lower goes first. The driver clamps it to its range. */
};

/** A cushim_stream_options with the defaults. */
#define CUSHIM_STREAM_OPTIONS_INIT                     \
    {                                                  \
        sizeof(struct cushim_stream_options), false, 0 \
    }

/**
 * Create a stream in a context.
 *
 * A priority outside of the range of the device (cushim_device_stream_priority_range()) is clamped
 * to it, without a failure (driver-semantics.md #50); the log gets a message with both priorities
 * (log.h).
 *
 * @param context  Context to create it in; not NULL. The stream holds a reference.
 * @param options  How to create it; borrowed for the call. NULL: the defaults.
 * @param stream   Receives the stream with one reference; not NULL.
 *
 * @return CUDA_SUCCESS               The stream is there.
 * @return CUDA_ERROR_INVALID_HANDLE  `context` is NULL.
 * @return CUDA_ERROR_INVALID_VALUE   `stream` is NULL, or the options are not understood.
 * @return CUDA_ERROR_OUT_OF_MEMORY   The host's or the driver's memory ran out.
 * @return any other code             The driver's, unchanged; nothing remains.
 *
 * Thread safety: any thread.
 * Context: acts in `context`, and puts the current one back.
 * Driver calls: cuCtxGetCurrent, cuStreamCreateWithPriority; if the context is not current, the
 *               latter between cuCtxPushCurrent_v2 and cuCtxPopCurrent_v2; cuStreamDestroy_v2 if
 *               the pop fails; cuStreamGetPriority if the options name a priority other than 0.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_stream_create(struct cushim_context *context,
                                         const struct cushim_stream_options *options,
                                         struct cushim_stream **stream);

/**
 * Use a stream that somebody else owns. It is never destroyed by cushim.
 *
 * @param handle   The driver's stream. It must outlive the object, or cushim_stream_close() must
 *                 come before its end. NULL and CU_STREAM_LEGACY are the legacy default stream,
 *                 CU_STREAM_PER_THREAD is the calling threads' own.
 * @param context  Its context, if that is known; the object holds a reference. NULL: unknown, or
 *                 for a default stream the one that is current at each call.
 * @param stream   Receives the stream with one reference; not NULL.
 *
 * @return CUDA_SUCCESS              The object is there.
 * @return CUDA_ERROR_INVALID_VALUE  `stream` is NULL.
 * @return CUDA_ERROR_OUT_OF_MEMORY  The host's memory ran out.
 *
 * Thread safety: any thread.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: none.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_stream_wrap(CUstream handle, struct cushim_context *context,
                                       struct cushim_stream **stream);

/**
 * The legacy default stream of the current context: CU_STREAM_LEGACY.
 *
 * @return A constant object, which needs no release and takes any number of them. To close it does
 *         nothing. Never NULL.
 *
 * Thread safety: any thread. Context: none needed. Driver calls: none. Since: 0.1.
 */
CUSHIM_API struct cushim_stream *cushim_stream_legacy(void);

/**
 * The default stream that is the calling thread's own in the current context: CU_STREAM_PER_THREAD.
 *
 * @return A constant object, as cushim_stream_legacy(). It stands for another stream on every
 *         thread. Never NULL.
 *
 * Thread safety: any thread. Context: none needed. Driver calls: none. Since: 0.1.
 */
CUSHIM_API struct cushim_stream *cushim_stream_per_thread(void);

/**
 * Take one more reference.
 *
 * @param stream  Stream; NULL allowed.
 * @return        `stream`.
 *
 * Thread safety: any thread. Context: none needed. Driver calls: none. Since: 0.1.
 */
CUSHIM_API struct cushim_stream *cushim_stream_retain(struct cushim_stream *stream);

/**
 * Give one reference back. The last one ends the stream.
 *
 * A stream of cushim's own is destroyed, which does not wait for its work: that is still done
 * (driver-semantics.md #29). A wrapped one is left alone.
 *
 * @param stream  Stream; NULL is a no-op.
 *
 * @return CUDA_SUCCESS    It was not the last reference, or the stream is gone; also when it had
 *                         gone before with its context or process (#17).
 * @return any other code  The result of cuStreamDestroy_v2, also on the log (log.h); the
 *                         object is gone all the same. Or that of ending the context, if this was
 *                         its last reference.
 *
 * Thread safety: any thread.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: none or cuStreamDestroy_v2, and what the end of the context takes.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_stream_release(struct cushim_stream *stream);

/**
 * Destroy the driver's stream now and keep the object, so that it is safe to hold.
 *
 * A wrapped stream is only let go. Repeats do nothing. The object still needs its releases.
 *
 * @param stream  Stream; not NULL.
 *
 * @return CUDA_SUCCESS               The stream is closed, now or before.
 * @return CUDA_ERROR_INVALID_HANDLE  `stream` is NULL.
 * @return any other code             As for cushim_stream_release(); the stream is closed.
 *
 * Thread safety: any thread; of concurrent calls one destroys.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: none or cuStreamDestroy_v2.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_stream_close(struct cushim_stream *stream);

/**
 * Get the driver's handle, for calls through the table.
 *
 * @param stream  Stream; not NULL.
 * @param handle  Receives the handle, borrowed from the stream; not NULL. For a default stream it
 *                may be NULL, CU_STREAM_LEGACY or CU_STREAM_PER_THREAD.
 *
 * @return CUDA_SUCCESS               `handle` is written.
 * @return CUDA_ERROR_INVALID_HANDLE  `stream` is NULL or closed.
 * @return CUDA_ERROR_INVALID_VALUE   `handle` is NULL.
 *
 * Thread safety: any thread. Context: none needed. Driver calls: none. Since: 0.1.
 */
CUSHIM_API CUresult cushim_stream_handle(const struct cushim_stream *stream, CUstream *handle);

/**
 * Get the context that the stream was created in or wrapped with.
 *
 * @param stream  Stream; NULL allowed.
 * @return        Borrowed from the stream; NULL if it was wrapped without one, for the constant
 *                default streams, and for NULL. cuStreamGetCtx asks the driver.
 *
 * Thread safety: any thread. Context: none needed. Driver calls: none. Since: 0.1.
 */
CUSHIM_API struct cushim_context *cushim_stream_context(const struct cushim_stream *stream);

/**
 * Ask whether all work of the stream is done.
 *
 * @param stream  Stream; not NULL.
 *
 * @return CUDA_SUCCESS               Done.
 * @return CUDA_ERROR_NOT_READY       Not yet; no failure. The legacy default stream also returns
 *                                    this while a blocking stream has work (driver-semantics.md
 *                                    #54).
 * @return CUDA_ERROR_INVALID_HANDLE  `stream` is NULL or closed.
 * @return any other code             The result of cuStreamQuery, unchanged: never taken
 *                                    for "not done". During a capture see #64, #65: asking may
 *                                    invalidate it.
 *
 * Thread safety: any thread.
 * Context: needs none, but for a default stream (see above).
 * Driver calls: cuStreamQuery.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_stream_query(const struct cushim_stream *stream);

/**
 * Wait until all work of the stream is done.
 *
 * If the work never ends, the call never returns: see cushim_stream_synchronize_for(). Do not call
 * it from a host function of the stream itself, which would wait for itself (driver-semantics.md
 * #57).
 *
 * @param stream  Stream; not NULL.
 *
 * @return CUDA_SUCCESS               Done.
 * @return CUDA_ERROR_INVALID_HANDLE  `stream` is NULL or closed.
 * @return any other code             The result of cuStreamSynchronize, unchanged. As for
 *                                    cushim_stream_query(), it may invalidate a capture.
 *
 * Thread safety: any thread; blocks it.
 * Context: needs none, but for a default stream (see above).
 * Driver calls: cuStreamSynchronize.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_stream_synchronize(struct cushim_stream *stream);

/**
 * Wait until a stream has run dry, or until a time has passed.
 *
 * Polls with pauses that grow to 1 ms, so a hung kernel costs at most `timeout_ns`. Work that
 * another thread queues during the wait may or may not be waited for.
 *
 * @param stream      Stream; not NULL.
 * @param timeout_ns  Longest wait in nanoseconds of the monotonic clock; 0 looks once, UINT64_MAX
 *                    waits without end.
 *
 * @return CUDA_SUCCESS               The stream was idle at some instant of the call.
 * @return CUDA_ERROR_TIMEOUT         The time is over; the stream is still usable.
 * @return CUDA_ERROR_INVALID_HANDLE  `stream` is NULL or closed.
 * @return any other code             The result of cuStreamQuery, unchanged.
 *
 * Thread safety: any thread; blocks it.
 * Context: needs none, but for a default stream (see above).
 * Driver calls: cuStreamQuery.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_stream_synchronize_for(struct cushim_stream *stream,
                                                  uint64_t timeout_ns);

/* --- order between streams: the GPU waits, no call here blocks the calling thread --- */

/**
 * Let all later work of a stream wait for an event.
 *
 * The event may be of another context or device (driver-semantics.md #55, #81). What counts is its
 * newest record at the time of the call: a later one does not matter (#26), and without any the
 * call has no effect (#23).
 *
 * @param stream  Stream that is to wait; not NULL.
 * @param event   Event to wait for; not NULL.
 * @param flags   CUevent_wait_flags: CU_EVENT_WAIT_EXTERNAL makes the wait a node of the graph that
 *                is captured, and is refused outside a capture with CUDA_ERROR_ILLEGAL_STATE (#55).
 *                0: an ordinary wait.
 *
 * @return CUDA_SUCCESS                         Later work waits.
 * @return CUDA_ERROR_INVALID_HANDLE            `stream` or `event` is NULL or closed.
 * @return CUDA_ERROR_INVALID_VALUE             The flags are unknown, or the event was last
 *                                              recorded in a capture that has ended (#71).
 * @return CUDA_ERROR_STREAM_CAPTURE_ISOLATION  The stream is capturing and the event was recorded
 *                                              outside the capture; the capture is invalidated
 *                                              (#67).
 * @return any other code                       The result of cuStreamWaitEvent, unchanged.
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
 * the wait (driver-semantics.md #28). The streams may be of different contexts and devices. If
 * `other` is capturing, `stream` joins its capture (#68).
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
 * Queue a function of the host: it is called when the stream comes to it, and later work waits
 * until it returns.
 *
 * It is called on a thread of the driver's, and not at all if the context has failed by then. It
 * must not call the driver (driver-semantics.md #57, #82), nor wait for work of the GPU. In a
 * capture it becomes a node of the graph, and is called at every launch.
 *
 * @param stream    Stream; not NULL.
 * @param function  Function to call.
 * @param data      Passed on to `function`; NULL allowed. It must live until then.
 *
 * @return CUDA_SUCCESS               The function is queued.
 * @return CUDA_ERROR_INVALID_HANDLE  `stream` is NULL or closed.
 * @return CUDA_ERROR_INVALID_VALUE   `function` is NULL.
 * @return any other code             The result of cuLaunchHostFunc, unchanged.
 *
 * Thread safety: any thread.
 * Context: needs none, but for a default stream (stream.h).
 * Driver calls: cuLaunchHostFunc.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_stream_launch_host_function(struct cushim_stream *stream,
                                                       CUhostFn function, void *data);

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

#ifdef __cplusplus
}
#endif

#endif
