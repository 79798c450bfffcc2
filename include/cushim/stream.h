/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Streams: queues of work for the GPU, each executed in order.
 *
 * `struct cushim_stream` is a reference-counted object around a CUstream: a stream that cushim
 * created, a borrowed one, or a default stream. Operations that are one call of the driver (flags,
 * priority, attributes, capture, values in memory) have no function here: call them through
 * cushim_driver() with the handle that cushim_stream_get_handle() returns; for a default stream, in
 * a scope of its context (context.h).
 *
 * A created stream belongs to its context and can be used whatever context is current
 * (driver-semantics.md #32). *Default streams* (NULL, the legacy and the per-thread one) are
 * different streams in every context. A default stream object with a context acts in that context
 * and then restores the current one: each call asks cuCtxGetCurrent, and pushes and pops the
 * context if it is not current. One without a context acts in the caller's current context, as the
 * driver does (#15, #51). If a function cannot restore the context, it returns that code, although
 * the work of the call is done; it destroys only a new stream, which the caller would not get.
 *
 * A stream is destroyed through the table that made it, whatever table is then current. All other
 * calls go through the current table, which must be the stream's (cushim_table_install()).
 *
 * Any function may also return the code of earlier asynchronous work that failed (#34;
 * cushim_error_sticky()). Every function refuses a closed stream with CUDA_ERROR_INVALID_HANDLE.
 *
 * Thread safety: any thread may use any stream, also concurrently. A program must not close a
 * stream, or release its last reference, while another thread uses it.
 *
 * A number such as #32 is a statement of driver-semantics.md, a page of cushim's documentation
 * (share/doc/cushim/docs/ of an installation).
 *
 * Unless a function says otherwise, any thread may call it; it needs no context and leaves the
 * current one alone; it calls no function of the driver; if it fails, it leaves its outputs
 * untouched. Since: 0.1.
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

/** A stream; see cushim_stream_create(). */
struct cushim_stream;

/**
 * How to create a stream. NULL, or zero in all members but `size`, means: non-blocking, priority 0.
 *
 * The default is not that of the driver: a non-blocking stream does not synchronise with the legacy
 * default stream, whereas a blocking stream and the legacy default stream wait for each other
 * (driver-semantics.md #54).
 */
struct cushim_stream_options {
    size_t size;              /**< `sizeof(struct cushim_stream_options)`. */
    int priority;             /**< Lower goes first. The driver clamps it to its range. */
    bool sync_with_legacy;    /**< CU_STREAM_DEFAULT instead of CU_STREAM_NON_BLOCKING. */
    unsigned char padding[3]; /**< Fills the struct; zero. */
};

/** A cushim_stream_options with the defaults. */
#define CUSHIM_STREAM_OPTIONS_INIT                      \
    {                                                   \
        sizeof(struct cushim_stream_options), 0, false, \
        {                                               \
            0                                           \
        }                                               \
    }

/**
 * Create a stream in a context.
 *
 * The driver clamps a priority outside the range of the device
 * (cushim_device_get_stream_priority_range()) without a failure (driver-semantics.md #50); the log
 * then gets a message with both priorities (log.h).
 *
 * @param context  Context to create it in; not NULL. The stream holds a reference.
 * @param options  How to create it; borrowed for the call. NULL: the defaults.
 * @param stream   Receives the stream with one reference; not NULL.
 *
 * @return CUDA_SUCCESS               The stream exists.
 * @return CUDA_ERROR_INVALID_HANDLE  `context` is NULL.
 * @return CUDA_ERROR_INVALID_VALUE   `stream` is NULL, or the options are invalid.
 * @return CUDA_ERROR_OUT_OF_MEMORY   The host's or the driver's memory ran out.
 * @return any other code             The driver's, unchanged; nothing is created.
 *
 * Context: acts in `context`, and restores the current one.
 * Driver calls: cuCtxGetCurrent, cuStreamCreateWithPriority; if the context is not current, the
 *               latter between cuCtxPushCurrent_v2 and cuCtxPopCurrent_v2; cuStreamDestroy_v2 if
 *               the pop fails; cuStreamGetPriority if the options name a priority other than 0.
 */
CUSHIM_API CUSHIM__CHECKED CUresult
cushim_stream_create(struct cushim_context *context, const struct cushim_stream_options *options,
                     struct cushim_stream **stream);

/**
 * Use a stream that other code owns. cushim never destroys it.
 *
 * @param handle   The driver's stream. It must outlive the object, or the object must be closed
 *                 first (cushim_stream_close()). NULL and CU_STREAM_LEGACY are the legacy default
 *                 stream; CU_STREAM_PER_THREAD is that of the calling thread.
 * @param context  The stream's context, if known; the object holds a reference. NULL: unknown, or
 *                 for a default stream the context that is current at each call.
 * @param stream   Receives the stream with one reference; not NULL.
 *
 * @return CUDA_SUCCESS              The object exists.
 * @return CUDA_ERROR_INVALID_VALUE  `stream` is NULL.
 * @return CUDA_ERROR_OUT_OF_MEMORY  The host's memory ran out.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_stream_wrap(CUstream handle,
                                                       struct cushim_context *context,
                                                       struct cushim_stream **stream);

/**
 * Get the legacy default stream of the current context, CU_STREAM_LEGACY.
 *
 * @return A constant object, which needs no release and allows any number of releases. Closing it
 *         has no effect. Never NULL.
 */
CUSHIM_API struct cushim_stream *cushim_stream_legacy(void);

/**
 * Get the per-thread default stream of the current context, CU_STREAM_PER_THREAD.
 *
 * @return A constant object, as from cushim_stream_legacy(). It means a different stream on every
 *         thread. Never NULL.
 */
CUSHIM_API struct cushim_stream *cushim_stream_per_thread(void);

/** Take one more reference. Returns `stream`, which may be NULL. */
CUSHIM_API struct cushim_stream *cushim_stream_retain(struct cushim_stream *stream);

/**
 * Release one reference. The last release ends the stream.
 *
 * The last release destroys a stream that cushim created. It does not wait for the stream's work,
 * which is still executed (driver-semantics.md #29). It does nothing to a wrapped stream.
 *
 * @param stream  Stream; NULL is a no-op.
 *
 * @return CUDA_SUCCESS    It was not the last reference, or the stream is destroyed; also if it had
 *                         ended before with its context or process (#17).
 * @return any other code  The result of cuStreamDestroy_v2, which is also logged (log.h), or of
 *                         ending the context, if this was its last reference. The object has ended
 *                         nevertheless.
 *
 * Driver calls: none or cuStreamDestroy_v2, and those that end the context.
 */
CUSHIM_API CUresult cushim_stream_release(struct cushim_stream *stream);

/**
 * Destroy the driver's stream now, but keep the object: its functions then return an error.
 *
 * A wrapped stream is not destroyed; the object only stops using it. To close again has no effect.
 * Each reference to the object must still be released.
 *
 * @param stream  Stream; not NULL.
 *
 * @return CUDA_SUCCESS               The stream is closed, now or before.
 * @return CUDA_ERROR_INVALID_HANDLE  `stream` is NULL.
 * @return any other code             As for cushim_stream_release(); the stream is closed.
 *
 * Thread safety: any thread; one of several concurrent calls destroys the stream.
 * Driver calls: none or cuStreamDestroy_v2.
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
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_stream_get_handle(const struct cushim_stream *stream,
                                                             CUstream *handle);

/**
 * Get the context that the stream was created in or wrapped with.
 *
 * @param stream   Stream, also a closed one; not NULL.
 * @param context  Receives the context, borrowed from the stream; not NULL. NULL if the stream was
 *                 wrapped without one, and for the constant default streams; call cuStreamGetCtx to
 *                 ask the driver.
 *
 * @return CUDA_SUCCESS               `*context` is written.
 * @return CUDA_ERROR_INVALID_HANDLE  `stream` is NULL.
 * @return CUDA_ERROR_INVALID_VALUE   `context` is NULL.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_stream_get_context(const struct cushim_stream *stream,
                                                              struct cushim_context **context);

/**
 * Query whether all work of the stream is done.
 *
 * @param stream  Stream; not NULL.
 *
 * @return CUDA_SUCCESS               Done.
 * @return CUDA_ERROR_NOT_READY       Not yet done; not a failure. The legacy default stream also
 *                                    returns this while a blocking stream has work
 *                                    (driver-semantics.md #54).
 * @return CUDA_ERROR_INVALID_HANDLE  `stream` is NULL or closed.
 * @return any other code             The result of cuStreamQuery, unchanged; it does not mean "not
 *                                    done". During a capture, a query may invalidate the capture
 *                                    (#64, #65).
 *
 * Context: needs none, except for a default stream (see above).
 * Driver calls: cuStreamQuery.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_stream_query(const struct cushim_stream *stream);

/**
 * Wait until all work of the stream is done.
 *
 * If the work never ends, the call never returns: see cushim_stream_synchronize_for(). Do not call
 * it from a host function of the same stream, which would wait for itself (driver-semantics.md
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
 * Context: needs none, except for a default stream (see above).
 * Driver calls: cuStreamSynchronize.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_stream_synchronize(struct cushim_stream *stream);

/**
 * Wait until all work of a stream is done, or until a timeout has passed.
 *
 * Polls with pauses that grow to 1 ms, so a hung kernel costs at most `timeout_ns`. The wait may or
 * may not include work that another thread queues meanwhile.
 *
 * @param stream      Stream; not NULL.
 * @param timeout_ns  Longest wait in nanoseconds of the monotonic clock; 0 queries once, UINT64_MAX
 *                    waits without limit.
 *
 * @return CUDA_SUCCESS               The stream was idle at some instant of the call.
 * @return CUDA_ERROR_TIMEOUT         The timeout has passed; the stream is still usable.
 * @return CUDA_ERROR_INVALID_HANDLE  `stream` is NULL or closed.
 * @return any other code             The result of cuStreamQuery, unchanged.
 *
 * Thread safety: any thread; blocks it.
 * Context: needs none, except for a default stream (see above).
 * Driver calls: cuStreamQuery.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_stream_synchronize_for(struct cushim_stream *stream,
                                                                  uint64_t timeout_ns);

/* --- order between streams: the GPU waits, no call here blocks the calling thread --- */

/**
 * Make all later work of a stream wait for an event.
 *
 * The event may belong to another context or device (driver-semantics.md #55, #81). The stream
 * waits for the newest record at the time of the call: a later record does not matter (#26), and
 * without a record the call has no effect (#23). For CU_EVENT_WAIT_EXTERNAL, in a capture (#55),
 * call StreamWaitEvent through the table.
 *
 * @param stream  Stream that is to wait; not NULL.
 * @param event   Event to wait for; not NULL.
 *
 * @return CUDA_SUCCESS                         Later work waits.
 * @return CUDA_ERROR_INVALID_HANDLE            `stream` or `event` is NULL or closed.
 * @return CUDA_ERROR_INVALID_VALUE             The event was last recorded in a capture that has
 *                                              ended (#71).
 * @return CUDA_ERROR_STREAM_CAPTURE_ISOLATION  The stream is capturing and the event was recorded
 *                                              outside the capture; the capture is invalidated
 *                                              (#67).
 * @return any other code                       The result of cuStreamWaitEvent, unchanged.
 *
 * Context: needs none, except for a default stream (stream.h).
 * Driver calls: cuStreamWaitEvent.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_stream_wait_event(struct cushim_stream *stream,
                                                             struct cushim_event *event);

/**
 * Make all later work of a stream wait for all work that another stream has so far.
 *
 * Records an event without timing on `other`, waits for it, and destroys it, which does not disturb
 * the wait (driver-semantics.md #28). The streams may belong to different contexts and devices. If
 * `other` is capturing, `stream` joins its capture (#68).
 *
 * @param stream  Stream that is to wait; not NULL.
 * @param other   Stream to wait for; not NULL.
 *
 * @return CUDA_SUCCESS                Later work waits.
 * @return CUDA_ERROR_INVALID_HANDLE   `stream` or `other` is NULL or closed.
 * @return CUDA_ERROR_INVALID_CONTEXT  `other` is a default stream, and no context is current.
 * @return CUDA_ERROR_OUT_OF_MEMORY    The host's or the driver's memory ran out.
 * @return any other code              The driver's, unchanged. If the event could not be destroyed,
 *                                     which is also logged (log.h), later work waits nevertheless.
 *
 * Context: acts in that of `other`, then needs none except for a default `stream` (stream.h);
 *          restores the current one.
 * Driver calls: those of cushim_event_create_recorded(), cuStreamWaitEvent, cuEventDestroy_v2.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_stream_wait_stream(struct cushim_stream *stream,
                                                              struct cushim_stream *other);

/**
 * Queue a host function. It is called when all earlier work of the stream is done, and later work
 * waits until it returns.
 *
 * The function is called on a thread of the driver, and not at all if the context has failed by
 * then. It must not call the driver (driver-semantics.md #57, #82), nor wait for work of the GPU.
 * In a capture, it becomes a node of the graph, and is called at every launch.
 *
 * @param stream    Stream; not NULL.
 * @param function  Function to call.
 * @param data      Passed on to `function`; NULL allowed. It must be valid until then.
 *
 * @return CUDA_SUCCESS               The function is queued.
 * @return CUDA_ERROR_INVALID_HANDLE  `stream` is NULL or closed.
 * @return CUDA_ERROR_INVALID_VALUE   `function` is NULL.
 * @return any other code             The result of cuLaunchHostFunc, unchanged.
 *
 * Context: needs none, except for a default stream (stream.h).
 * Driver calls: cuLaunchHostFunc.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_stream_launch_host_function(struct cushim_stream *stream,
                                                                       CUhostFn function,
                                                                       void *data);

/**
 * Get the device of a stream, with a driver of any version.
 *
 * @param stream  Stream; not NULL.
 * @param device  Receives the device; not NULL.
 *
 * @return CUDA_SUCCESS                `*device` is the device.
 * @return CUDA_ERROR_INVALID_HANDLE   `stream` is NULL or closed.
 * @return CUDA_ERROR_INVALID_VALUE    `device` is NULL.
 * @return CUDA_ERROR_INVALID_CONTEXT  `stream` is a default stream without a context, and none is
 *                                     current.
 * @return any other code              The driver's, unchanged.
 *
 * Context: needs none, except for a default stream (stream.h). Leaves the current one as it was.
 * Driver calls: for a stream with a context object those of cushim_context_get_device(). Otherwise
 *               cuStreamGetDevice; with drivers older than 12.8 then cuStreamGetCtx,
 *               cuCtxPushCurrent_v2, cuCtxGetDevice, cuCtxPopCurrent_v2.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_stream_get_device(const struct cushim_stream *stream,
                                                             CUdevice *device);

#ifdef __cplusplus
}
#endif

#endif
