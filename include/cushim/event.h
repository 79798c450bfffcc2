/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Events: marks in the work of a stream that a program can query, wait for and time.
 *
 * A pool reuses events (event_pool.h).
 *
 * Objects are reference-counted. An event that cushim created owns its driver event and destroys it
 * exactly once; an event that wraps a foreign one never destroys it. Every function refuses a
 * closed event with CUDA_ERROR_INVALID_HANDLE, or with the reason why there is no driver (any
 * more).
 *
 * An event is destroyed through the table that made it, whatever table is then current: you can
 * release an event that outlives its mock, and the release never reaches NVIDIA's driver. Records,
 * queries and waits go through the current table, which must be the event's
 * (cushim_table_install()).
 *
 * Any function may also return the code of earlier asynchronous work that failed
 * (driver-semantics.md #34; cushim_error_sticky()).
 *
 * Thread safety: any thread may use any event, also concurrently. A program must not close an
 * event, or release its last reference, while another thread uses it.
 *
 * A number such as #34 is a statement of driver-semantics.md, a page of cushim's documentation
 * (share/doc/cushim/docs/ of an installation).
 *
 * Unless a function says otherwise, any thread may call it; it needs no context and leaves the
 * current one alone; it calls no function of the driver; if it fails, it leaves its outputs
 * untouched. Since: 0.1.
 */
#ifndef CUSHIM_EVENT_H
#define CUSHIM_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

#include <cushim/api.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cushim_context;
struct cushim_stream;

/** An event; see cushim_event_create(). */
struct cushim_event;

/**
 * How to create an event (driver-semantics.md #19, #33). NULL, or zero in all members but `size`,
 * means: timed, and waits spin.
 */
struct cushim_event_options {
    size_t size;              /**< `sizeof(struct cushim_event_options)`. */
    bool disable_timing;      /**< CU_EVENT_DISABLE_TIMING: cheaper, but has no elapsed time. */
    bool blocking_sync;       /**< CU_EVENT_BLOCKING_SYNC: a thread that waits sleeps. */
    bool interprocess;        /**< CU_EVENT_INTERPROCESS: needs `disable_timing` too. */
    unsigned char padding[5]; /**< Fills the struct; zero. */
};

/** A cushim_event_options with the defaults. */
#define CUSHIM_EVENT_OPTIONS_INIT                                 \
    {                                                             \
        sizeof(struct cushim_event_options), false, false, false, \
        {                                                         \
            0                                                     \
        }                                                         \
    }

/**
 * Create an event in a context.
 *
 * The event belongs to that context for life (driver-semantics.md #21) and holds a reference to it.
 * Until it is recorded, it stands for no work: a query returns CUDA_SUCCESS (#23).
 *
 * @param context  Context to create it in; not NULL.
 * @param options  How to create it; borrowed for the call. NULL: the defaults.
 * @param event    Receives the event with one reference; not NULL.
 *
 * @return CUDA_SUCCESS               The event exists.
 * @return CUDA_ERROR_INVALID_HANDLE  `context` is NULL.
 * @return CUDA_ERROR_INVALID_VALUE   `event` is NULL, or the options are invalid, or
 *                                    `interprocess` is set without `disable_timing`.
 * @return CUDA_ERROR_OUT_OF_MEMORY   The host's or the driver's memory ran out.
 * @return any other code             The driver's, unchanged; nothing is created.
 *
 * Context: acts in `context`, and restores the current one.
 * Driver calls: cuCtxGetCurrent, cuEventCreate; if the context is not current, the latter between
 *               cuCtxPushCurrent_v2 and cuCtxPopCurrent_v2; cuEventDestroy_v2 if the pop fails.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_event_create(struct cushim_context *context,
                                                        const struct cushim_event_options *options,
                                                        struct cushim_event **event);

/**
 * Create an event and record it on a stream.
 *
 * The event belongs to the stream's context: the context of the stream object, or else the context
 * that the driver returns for the stream, or, for a default stream without a context, the current
 * one.
 *
 * @param stream   Stream to record on; not NULL.
 * @param options  As for cushim_event_create().
 * @param event    Receives the recorded event with one reference; not NULL.
 *
 * @return CUDA_SUCCESS                The event exists and is recorded.
 * @return CUDA_ERROR_INVALID_HANDLE   `stream` is NULL or closed.
 * @return CUDA_ERROR_INVALID_VALUE    As for cushim_event_create().
 * @return CUDA_ERROR_INVALID_CONTEXT  `stream` is a default stream, and no context is current.
 * @return CUDA_ERROR_OUT_OF_MEMORY    The host's or the driver's memory ran out.
 * @return any other code              The driver's, unchanged; nothing is created.
 *
 * Context: acts in the stream's, and restores the current one.
 * Driver calls: cuCtxGetCurrent, cuEventCreate, cuEventRecord; if the context is not current, the
 *               last two between cuCtxPushCurrent_v2 and cuCtxPopCurrent_v2; for a stream without a
 *               context object cuStreamGetCtx or cuCtxGetCurrent before them; cuEventDestroy_v2 if
 *               the record or the pop fails.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_event_create_recorded(
    struct cushim_stream *stream, const struct cushim_event_options *options,
    struct cushim_event **event);

/**
 * Use an event that other code owns. cushim never destroys it.
 *
 * @param handle   The driver's event; not NULL. It must outlive the object, or the object must be
 *                 closed first (cushim_event_close()).
 * @param context  The event's context, if known; the object holds a reference. NULL: unknown.
 * @param known    How the event was created, if known; borrowed for the call. NULL: unknown.
 * @param event    Receives the event with one reference; not NULL.
 *
 * @return CUDA_SUCCESS               The object exists.
 * @return CUDA_ERROR_INVALID_HANDLE  `handle` is NULL.
 * @return CUDA_ERROR_INVALID_VALUE   `event` is NULL, or `known` is invalid.
 * @return CUDA_ERROR_OUT_OF_MEMORY   The host's memory ran out.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_event_wrap(CUevent handle,
                                                      struct cushim_context *context,
                                                      const struct cushim_event_options *known,
                                                      struct cushim_event **event);

/** Take one more reference. Returns `event`, which may be NULL. */
CUSHIM_API struct cushim_event *cushim_event_retain(struct cushim_event *event);

/**
 * Release one reference. The last release ends the event.
 *
 * The last release destroys an event that cushim created; this neither waits for its work nor
 * disturbs other waits for it (driver-semantics.md #28). It returns an event of a pool to the pool,
 * and does nothing to a wrapped one.
 *
 * @param event  Event; NULL is a no-op.
 *
 * @return CUDA_SUCCESS    It was not the last reference, or the event is destroyed; also if it had
 *                         ended before with its context or process (#17).
 * @return any other code  The result of cuEventDestroy_v2, which is also logged (log.h), or of
 *                         ending the context, if this was its last reference. The object has ended
 *                         nevertheless.
 *
 * Driver calls: none or cuEventDestroy_v2, and those that end the context.
 */
CUSHIM_API CUresult cushim_event_release(struct cushim_event *event);

/**
 * Destroy the driver's event now, but keep the object: its functions then return an error.
 *
 * A wrapped event is not destroyed; the object only stops using it. To close again has no effect.
 * Each reference to the object must still be released.
 *
 * @param event  Event; not NULL.
 *
 * @return CUDA_SUCCESS               The event is closed, now or before.
 * @return CUDA_ERROR_INVALID_HANDLE  `event` is NULL.
 * @return any other code             As for cushim_event_release(); the event is closed.
 *
 * Thread safety: any thread; one of several concurrent calls destroys the event.
 * Driver calls: none or cuEventDestroy_v2.
 */
CUSHIM_API CUresult cushim_event_close(struct cushim_event *event);

/**
 * Get the driver's handle, for calls through the table.
 *
 * @param event   Event; not NULL.
 * @param handle  Receives the handle, borrowed from the event; not NULL.
 *
 * @return CUDA_SUCCESS               `handle` is written.
 * @return CUDA_ERROR_INVALID_HANDLE  `event` is NULL or closed.
 * @return CUDA_ERROR_INVALID_VALUE   `handle` is NULL.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_event_get_handle(const struct cushim_event *event,
                                                            CUevent *handle);

/**
 * Record the event on a stream: it then stands for all work that the stream has so far.
 *
 * Replaces an earlier record; waits that began before keep waiting for the old work
 * (driver-semantics.md #25, #26). On a capturing stream the record becomes part of the capture; for
 * CU_EVENT_RECORD_EXTERNAL (#56) call EventRecordWithFlags through the table.
 *
 * @param event   Event; not NULL.
 * @param stream  Stream of the event's context; not NULL.
 *
 * @return CUDA_SUCCESS               The event is recorded.
 * @return CUDA_ERROR_INVALID_HANDLE  `event` or `stream` is NULL or closed, or they belong to
 *                                    different contexts (#30).
 * @return any other code             The result of cuEventRecord, unchanged.
 *
 * Context: needs none. On a default stream, acts in the stream object's context if it has one,
 *          otherwise in the event's, otherwise in the current one, which must then be the event's
 *          (#31); restores the current one.
 * Driver calls: cuEventRecord; on default streams also cuCtxGetCurrent, and cuCtxPushCurrent_v2 and
 *               cuCtxPopCurrent_v2 if their context is not current.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_event_record(struct cushim_event *event,
                                                        struct cushim_stream *stream);

/**
 * Query whether the recorded work is done.
 *
 * @param event  Event; not NULL.
 *
 * @return CUDA_SUCCESS               Done, or never recorded (driver-semantics.md #23, #24).
 * @return CUDA_ERROR_NOT_READY       Pending; not a failure.
 * @return CUDA_ERROR_INVALID_HANDLE  `event` is NULL or closed.
 * @return any other code             The driver's, unchanged; it does not mean "not done". During a
 *                                    capture, a query may invalidate the capture (#63, #64).
 *
 * Driver calls: cuEventQuery.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_event_query(const struct cushim_event *event);

/**
 * Wait until the recorded work is done.
 *
 * The thread spins, or sleeps if the event was created with `blocking_sync` (driver-semantics.md
 * #33). If the work never ends, the call never returns: see cushim_event_synchronize_for().
 *
 * @param event  Event; not NULL.
 *
 * @return CUDA_SUCCESS               Done, or never recorded.
 * @return CUDA_ERROR_INVALID_HANDLE  `event` is NULL or closed.
 * @return any other code             The result of cuEventSynchronize, unchanged.
 *
 * Thread safety: any thread; blocks it.
 * Driver calls: cuEventSynchronize.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_event_synchronize(struct cushim_event *event);

/**
 * Wait until the recorded work is done, or until a timeout has passed.
 *
 * Polls with pauses that grow to 1 ms, so a hung kernel costs at most `timeout_ns`.
 *
 * @param event       Event; not NULL.
 * @param timeout_ns  Longest wait in nanoseconds of the monotonic clock; 0 queries once, UINT64_MAX
 *                    waits without limit.
 *
 * @return CUDA_SUCCESS               Done, or never recorded.
 * @return CUDA_ERROR_TIMEOUT         The timeout has passed; the event is still usable.
 * @return CUDA_ERROR_INVALID_HANDLE  `event` is NULL or closed.
 * @return any other code             The result of cuEventQuery, unchanged.
 *
 * Thread safety: any thread; blocks it.
 * Driver calls: cuEventQuery.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_event_synchronize_for(struct cushim_event *event,
                                                                 uint64_t timeout_ns);

/*
 * --- properties of an event ---
 *
 * The driver reports none of these: an event object remembers them, and
 * cushim_event_explanation() uses them.
 */

/**
 * Get the context that the event belongs to.
 *
 * @param event    Event, also a closed one; not NULL.
 * @param context  Receives the context, borrowed from the event; NULL if the event was wrapped
 *                 without one. Not NULL.
 *
 * @return CUDA_SUCCESS               `*context` is written.
 * @return CUDA_ERROR_INVALID_HANDLE  `event` is NULL.
 * @return CUDA_ERROR_INVALID_VALUE   `context` is NULL.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_event_get_context(const struct cushim_event *event,
                                                             struct cushim_context **context);

/** Properties of an event that the object knows without the driver. */
struct cushim_event_info {
    size_t size; /**< Set to `sizeof(struct cushim_event_info)`. */

    /**
     * The CUevent_flags that it was created with, such as CU_EVENT_BLOCKING_SYNC. An imported event
     * has the flags that it behaves like: CU_EVENT_DISABLE_TIMING and CU_EVENT_INTERPROCESS
     * (driver-semantics.md #76).
     */
    unsigned flags;

    bool has_flags;   /**< False: it was wrapped without `known`, and no driver reports the flags.
                           */
    bool is_imported; /**< It was imported from another process (cushim_event_import()). */

    /**
     * It was recorded through cushim since it was created, wrapped or acquired from a pool. cushim
     * does not see records by its handle, or in another process.
     */
    bool is_recorded;

    bool is_closed; /**< cushim_event_close() was called. */
};

/** A cushim_event_info to be filled. */
#define CUSHIM_EVENT_INFO_INIT                                          \
    {                                                                   \
        sizeof(struct cushim_event_info), 0, false, false, false, false \
    }

/**
 * Get the properties of an event.
 *
 * @param event  Event, also a closed one; not NULL.
 * @param info   Receives the properties; not NULL, with its `size` set.
 *
 * @return CUDA_SUCCESS               `*info` is filled as far as its size reaches.
 * @return CUDA_ERROR_INVALID_HANDLE  `event` is NULL.
 * @return CUDA_ERROR_INVALID_VALUE   `info` is NULL, or its size is not that of any version of
 *                                    cushim.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_event_get_info(const struct cushim_event *event,
                                                          struct cushim_event_info *info);

/* --- the time between two events, and why there is none --- */

/**
 * Measure the time between two recorded events on the GPU's clock.
 *
 * The time is negative if `end` came first, and 0 if both are the same event (driver-semantics.md
 * #39, #40). The resolution is about half a microsecond (#46). The function does not wait. Work of
 * other streams may lie between two events of one stream.
 *
 * @param start  Event recorded first; not NULL.
 * @param end    Event recorded last, of the same context; not NULL.
 * @param ms     Receives the time in milliseconds; not NULL.
 *
 * @return CUDA_SUCCESS               `ms` is written.
 * @return CUDA_ERROR_INVALID_HANDLE  An event is NULL, closed, not recorded, without timing or
 *                                    imported, or the two belong to different contexts (#35, #36,
 *                                    #41, #43, #44, #76): cushim_event_explanation() says which.
 * @return CUDA_ERROR_INVALID_VALUE   `ms` is NULL, or an event was last recorded in a capture that
 *                                    has ended (#71).
 * @return CUDA_ERROR_NOT_READY       An event is still pending (#37).
 * @return CUDA_ERROR_CAPTURED_EVENT  An event is recorded in an active capture (#63).
 * @return any other code             The driver's, unchanged. Find errors of pending work with
 *                                    cushim_event_query(): this function may not report them (#47).
 *
 * Driver calls: cuEventElapsedTime_v2, or cuEventElapsedTime with drivers older than 12.8, which
 *               does the same and takes several times as long (#47, #48).
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_event_get_elapsed(const struct cushim_event *start,
                                                             const struct cushim_event *end,
                                                             float *ms);

/**
 * Get the reason why the time between two events is not available, the event and the remedy.
 *
 * Explains the code of a cushim_event_get_elapsed() that has just failed. If the objects do not
 * know the reason (the state of wrapped events, pending or captured work), the function asks the
 * driver in a way that is harmless even during a capture: it uses the time from an event to itself,
 * never a query (driver-semantics.md #39, #63). If the events have different faults, it reports
 * that of `start`.
 *
 * @param start  The event that was passed as `start`; NULL allowed.
 * @param end    The event that was passed as `end`; NULL allowed.
 * @param code   The code that cushim_event_get_elapsed() returned.
 *
 * @return Static string of one or two sentences. For a code that does not concern the events, it is
 *         that of cushim_error_advice(). If an event is NULL and there is no driver, it says what
 *         to do about that. Never NULL.
 *
 * Thread safety: any thread; the text describes the current state of the events.
 * Driver calls: none, or as cushim_event_get_elapsed(); cuDriverGetVersion if an event is NULL.
 */
CUSHIM_API const char *cushim_event_explanation(const struct cushim_event *start,
                                                const struct cushim_event *end, CUresult code);

/*
 * --- events that two processes share ---
 *
 * One process creates an event with `interprocess` and `disable_timing`, exports it and sends the
 * 64 opaque bytes by any means; another process imports them. Both may record the event, query it
 * and wait for it. The exporter must keep the event until the importers are done; later operations
 * of the importers are undefined (driver-semantics.md #76). This works on Linux, with devices for
 * which cushim_device_get_ipc_event_support() returns true (#77).
 */

/**
 * Export an event to other processes.
 *
 * @param event   Event created here with `interprocess`; not NULL.
 * @param handle  Receives 64 bytes to send to these; not NULL.
 *
 * @return CUDA_SUCCESS                `handle` is written.
 * @return CUDA_ERROR_INVALID_HANDLE   `event` is NULL, closed, not interprocess, or imported itself
 *                                     (driver-semantics.md #74, #76).
 * @return CUDA_ERROR_INVALID_VALUE    `handle` is NULL.
 * @return CUDA_ERROR_INVALID_CONTEXT  The event was wrapped without a context, and none is current.
 * @return any other code              The result of cuIpcGetEventHandle, unchanged.
 *
 * Context: acts in the event's, and restores the current one; acts in the current one if the event
 *          was wrapped without a context.
 * Driver calls: cuCtxGetCurrent, cuIpcGetEventHandle; cuCtxPushCurrent_v2 and cuCtxPopCurrent_v2
 *               around the latter if the event's context is not current.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_event_export(const struct cushim_event *event,
                                                        CUipcEventHandle *handle);

/**
 * Import an event that another process exported.
 *
 * You can query, wait for and record the event, but neither time nor export it (driver-semantics.md
 * #76).
 *
 * @param context  Context to open it in; not NULL. The event holds a reference.
 * @param handle   The bytes that the other process sent; borrowed for the call, not NULL.
 * @param event    Receives the event with one reference; not NULL.
 *
 * @return CUDA_SUCCESS                The event exists.
 * @return CUDA_ERROR_INVALID_HANDLE   `context` is NULL.
 * @return CUDA_ERROR_INVALID_VALUE    `event` or `handle` is NULL.
 * @return CUDA_ERROR_INVALID_CONTEXT  This process itself exported the event (#75).
 * @return CUDA_ERROR_MAP_FAILED       The bytes are not those of an event (#75).
 * @return CUDA_ERROR_OUT_OF_MEMORY    The host's memory ran out.
 * @return any other code              The driver's, unchanged; nothing is created.
 *
 * Context: acts in `context`, and restores the current one.
 * Driver calls: cuCtxGetCurrent, cuIpcOpenEventHandle; if the context is not current, the latter
 *               between cuCtxPushCurrent_v2 and cuCtxPopCurrent_v2; cuEventDestroy_v2 if the pop
 *               fails.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_event_import(struct cushim_context *context,
                                                        const CUipcEventHandle *handle,
                                                        struct cushim_event **event);

#ifdef __cplusplus
}
#endif

#endif
