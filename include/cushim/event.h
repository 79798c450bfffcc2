/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Events: marks in the work of a stream that can be asked about, waited for and timed.
 *
 * event_pool.h reuses them.
 *
 * Objects are counted. One that cushim created owns its driver event and destroys it exactly once;
 * one that wraps a foreign event never does. A closed event is refused with
 * CUDA_ERROR_INVALID_HANDLE everywhere, or with the reason why there is no driver (any more).
 *
 * An event is destroyed through the table that made it, whatever table is current then: one that
 * outlives its mock can be released, and the release never reaches NVIDIA's driver. Recording,
 * asking and waiting go through the current table, which must be the event's
 * (cushim_table_install()).
 *
 * Any function may also return the code of earlier asynchronous work that failed
 * (driver-semantics.md #34; cushim_error_sticky()).
 *
 * Thread safety: any thread may use any event, also concurrently. Closing or releasing the last
 * reference while another thread uses the event is the caller's mistake.
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

/** An event; made by cushim_event_create() and its like. */
struct cushim_event;

/**
 * How to create an event (driver-semantics.md #19, #33). All-zero but for `size`, and NULL, mean:
 * timed, and waits spin.
 */
struct cushim_event_options {
    size_t size;         /**< `sizeof(struct cushim_event_options)`. */
    bool disable_timing; /**< CU_EVENT_DISABLE_TIMING: cheaper, and of no use for elapsed time. */
    bool blocking_sync;  /**< CU_EVENT_BLOCKING_SYNC: a thread that waits sleeps. */
    bool interprocess;   /**< CU_EVENT_INTERPROCESS: needs `disable_timing` too. */
};

/** A cushim_event_options with the defaults. */
#define CUSHIM_EVENT_OPTIONS_INIT                                \
    {                                                            \
        sizeof(struct cushim_event_options), false, false, false \
    }

/**
 * Create an event in a context.
 *
 * It belongs to that context for life (driver-semantics.md #21) and holds a reference to it. Not
 * recorded yet, it stands for no work: a query returns CUDA_SUCCESS (#23).
 *
 * @param context  Context to create it in; not NULL.
 * @param options  How to create it; borrowed for the call. NULL: the defaults.
 * @param event    Receives the event with one reference; not NULL.
 *
 * @return CUDA_SUCCESS               The event is there.
 * @return CUDA_ERROR_INVALID_HANDLE  `context` is NULL.
 * @return CUDA_ERROR_INVALID_VALUE   `event` is NULL, or the options are not understood, or
 *                                    `interprocess` is set without `disable_timing`.
 * @return CUDA_ERROR_OUT_OF_MEMORY   The host's or the driver's memory ran out.
 * @return any other code             The driver's, unchanged; nothing remains.
 *
 * Thread safety: any thread.
 * Context: acts in `context`, and puts the current one back.
 * Driver calls: cuCtxGetCurrent, cuEventCreate; if the context is not current, the latter between
 *               cuCtxPushCurrent_v2 and cuCtxPopCurrent_v2; cuEventDestroy_v2 if the pop fails.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_event_create(struct cushim_context *context,
                                        const struct cushim_event_options *options,
                                        struct cushim_event **event);

/**
 * Create an event and record it on a stream.
 *
 * The event belongs to the stream's context: the one of the stream object, otherwise the one that
 * the driver names for the stream, and for a default stream without a context of its own the
 * current one.
 *
 * @param stream   Stream to record on; not NULL.
 * @param options  As for cushim_event_create().
 * @param event    Receives the recorded event with one reference; not NULL.
 *
 * @return CUDA_SUCCESS                The event is there, and recorded.
 * @return CUDA_ERROR_INVALID_HANDLE   `stream` is NULL or closed.
 * @return CUDA_ERROR_INVALID_VALUE    As for cushim_event_create().
 * @return CUDA_ERROR_INVALID_CONTEXT  `stream` is a default stream, and no context is current.
 * @return CUDA_ERROR_OUT_OF_MEMORY    The host's or the driver's memory ran out.
 * @return any other code              The driver's, unchanged; nothing remains.
 *
 * Thread safety: any thread.
 * Context: acts in the stream's, and puts the current one back.
 * Driver calls: cuCtxGetCurrent, cuEventCreate, cuEventRecord; if the context is not current, the
 *               last two between cuCtxPushCurrent_v2 and cuCtxPopCurrent_v2; for a stream without a
 *               context object cuStreamGetCtx or cuCtxGetCurrent before them; cuEventDestroy_v2 if
 *               the record or the pop fails.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_event_create_recorded(struct cushim_stream *stream,
                                                 const struct cushim_event_options *options,
                                                 struct cushim_event **event);

/**
 * Use an event that somebody else owns. It is never destroyed by cushim.
 *
 * @param handle   The driver's event; not NULL. It must outlive the object, or cushim_event_close()
 *                 must come before its end.
 * @param context  Its context, if that is known; the object holds a reference. NULL: unknown.
 * @param known    How it was created, if that is known; borrowed for the call. NULL: unknown.
 * @param event    Receives the event with one reference; not NULL.
 *
 * @return CUDA_SUCCESS               The object is there.
 * @return CUDA_ERROR_INVALID_HANDLE  `handle` is NULL.
 * @return CUDA_ERROR_INVALID_VALUE   `event` is NULL, or `known` is not understood.
 * @return CUDA_ERROR_OUT_OF_MEMORY   The host's memory ran out.
 *
 * Thread safety: any thread.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: none.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_event_wrap(CUevent handle, struct cushim_context *context,
                                      const struct cushim_event_options *known,
                                      struct cushim_event **event);

/**
 * Take one more reference.
 *
 * @param event  Event; NULL allowed.
 * @return       `event`.
 *
 * Thread safety: any thread. Context: none needed. Driver calls: none. Since: 0.1.
 */
CUSHIM_API struct cushim_event *cushim_event_retain(struct cushim_event *event);

/**
 * Give one reference back. The last one ends the event.
 *
 * An event of cushim's own is destroyed, which neither waits for its work nor disturbs those who
 * wait for it (driver-semantics.md #28); one from a pool goes back there; a wrapped one is left
 * alone.
 *
 * @param event  Event; NULL is a no-op.
 *
 * @return CUDA_SUCCESS    It was not the last reference, or the event is gone; also when it had
 *                         gone before with its context or process (#17).
 * @return any other code  The result of cuEventDestroy_v2, also on the log (log.h); the
 *                         object is gone all the same. Or that of ending the context, if this was
 *                         its last reference.
 *
 * Thread safety: any thread.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: none or cuEventDestroy_v2, and what the end of the context takes.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_event_release(struct cushim_event *event);

/**
 * Destroy the driver's event now and keep the object, so that it is safe to hold.
 *
 * A wrapped event is only let go. Repeats do nothing. The object still needs its releases.
 *
 * @param event  Event; not NULL.
 *
 * @return CUDA_SUCCESS               The event is closed, now or before.
 * @return CUDA_ERROR_INVALID_HANDLE  `event` is NULL.
 * @return any other code             As for cushim_event_release(); the event is closed.
 *
 * Thread safety: any thread; of concurrent calls one destroys.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: none or cuEventDestroy_v2.
 * Since: 0.1.
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
 *
 * Thread safety: any thread. Context: none needed. Driver calls: none. Since: 0.1.
 */
CUSHIM_API CUresult cushim_event_handle(const struct cushim_event *event, CUevent *handle);

/**
 * Record the event on a stream: it stands for all work that the stream has got until now.
 *
 * Replaces what an earlier record stood for; those who wait already keep waiting for the old work
 * (driver-semantics.md #25, #26). On a capturing stream the record becomes part of the capture.
 *
 * @param event   Event; not NULL.
 * @param stream  Stream of the event's context; not NULL.
 *
 * @return CUDA_SUCCESS               The event is recorded.
 * @return CUDA_ERROR_INVALID_HANDLE  `event` or `stream` is NULL or closed, or they are of
 *                                    different contexts (#30).
 * @return any other code             The result of cuEventRecord, unchanged.
 *
 * Thread safety: any thread.
 * Context: needs none. On a default stream acts in the stream object's context if it has one,
 *          otherwise in the event's, otherwise in the current one, which must then be the event's
 *          (#31), and puts the current one back.
 * Driver calls: cuEventRecord; on default streams also cuCtxGetCurrent, and cuCtxPushCurrent_v2 and
 *               cuCtxPopCurrent_v2 if their context is not current.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_event_record(struct cushim_event *event, struct cushim_stream *stream);

/**
 * Record the event as cushim_event_record() does, with flags.
 *
 * @param event   Event; not NULL.
 * @param stream  Stream of the event's context; not NULL.
 * @param flags   CUevent_record_flags: CU_EVENT_RECORD_EXTERNAL makes the record a node of the
 *                graph that is captured, and is refused outside a capture with
 *                CUDA_ERROR_ILLEGAL_STATE (driver-semantics.md #56). 0: as cushim_event_record().
 *
 * @return As cushim_event_record(), of cuEventRecordWithFlags; CUDA_ERROR_INVALID_VALUE for unknown
 *         flags; CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER before CUDA 11.1 if `flags` is not 0.
 *
 * Thread safety: any thread.
 * Context: as cushim_event_record().
 * Driver calls: cuEventRecordWithFlags, or cuEventRecord; otherwise as cushim_event_record().
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_event_record_with_flags(struct cushim_event *event,
                                                   struct cushim_stream *stream, unsigned flags);

/**
 * Ask whether the recorded work is done.
 *
 * @param event  Event; not NULL.
 *
 * @return CUDA_SUCCESS               Done, or never recorded (driver-semantics.md #23, #24).
 * @return CUDA_ERROR_NOT_READY       Pending; no failure.
 * @return CUDA_ERROR_INVALID_HANDLE  `event` is NULL or closed.
 * @return any other code             The driver's, unchanged: never taken for "not done". Inside a
 *                                    capture see #63, #64: asking may invalidate it.
 *
 * Thread safety: any thread.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: cuEventQuery.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_event_query(const struct cushim_event *event);

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
 * Context: needs none, and leaves the current one alone.
 * Driver calls: cuEventSynchronize.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_event_synchronize(struct cushim_event *event);

/**
 * Wait until the recorded work is done, or until a time has passed.
 *
 * Polls with pauses that grow to 1 ms, so a hung kernel costs at most `timeout_ns`.
 *
 * @param event       Event; not NULL.
 * @param timeout_ns  Longest wait in nanoseconds of the monotonic clock; 0 looks once, UINT64_MAX
 *                    waits without end.
 *
 * @return CUDA_SUCCESS               Done, or never recorded.
 * @return CUDA_ERROR_TIMEOUT         The time is over; the event is still usable.
 * @return CUDA_ERROR_INVALID_HANDLE  `event` is NULL or closed.
 * @return any other code             The result of cuEventQuery, unchanged.
 *
 * Thread safety: any thread; blocks it.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: cuEventQuery.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_event_synchronize_for(struct cushim_event *event, uint64_t timeout_ns);

/*
 * --- what an event is ---
 *
 * The driver reports none of this: an event object remembers it, and cushim_event_explain() uses
 * it.
 */

/**
 * Get the context that the event belongs to.
 *
 * @param event  Event; NULL allowed.
 * @return       Borrowed from the event; NULL if it was wrapped without one, and for NULL.
 *
 * Thread safety: any thread. Context: none needed. Driver calls: none. Since: 0.1.
 */
CUSHIM_API struct cushim_context *cushim_event_context(const struct cushim_event *event);

/** What an event is, as the object knows it: the driver is not asked. */
struct cushim_event_info {
    size_t size; /**< Set to `sizeof(struct cushim_event_info)`. */

    /**
     * The CUevent_flags that it was created with: CU_EVENT_BLOCKING_SYNC and its like. For an
     * imported event, what it behaves as: CU_EVENT_DISABLE_TIMING and CU_EVENT_INTERPROCESS
     * (driver-semantics.md #76).
     */
    unsigned flags;

    bool has_flags;   /**< False: it was wrapped without `known`, and no driver reports it. */
    bool is_imported; /**< It came from another process by cushim_event_import(). */

    /**
     * It was recorded through cushim, since it was created, wrapped or acquired from a pool. What
     * was recorded by its handle, or in another process, is not seen.
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
 * Get what an event is.
 *
 * @param event  Event, also a closed one; not NULL.
 * @param info   Receives it, untouched on failure; not NULL, with its `size` set.
 *
 * @return CUDA_SUCCESS               `*info` is filled as far as its size reaches.
 * @return CUDA_ERROR_INVALID_HANDLE  `event` is NULL.
 * @return CUDA_ERROR_INVALID_VALUE   `info` is NULL, or its size is none that a version of cushim
 *                                    has.
 *
 * Thread safety: any thread. Context: none needed. Driver calls: none. Since: 0.1.
 */
CUSHIM_API CUresult cushim_event_info_get(const struct cushim_event *event,
                                          struct cushim_event_info *info);

/* --- the time between two events, and why there is none --- */

/**
 * Measure the time between two recorded events on the GPU's clock.
 *
 * Negative if `end` came first, 0 if both are one event (driver-semantics.md #39, #40). The
 * resolution is about half a microsecond (#46). Waits for nothing. Other streams' work may lie
 * between two events of one stream.
 *
 * @param start  Event recorded first; not NULL.
 * @param end    Event recorded last, of the same context; not NULL.
 * @param ms     Receives the time in milliseconds; not NULL.
 *
 * @return CUDA_SUCCESS               `ms` is written.
 * @return CUDA_ERROR_INVALID_HANDLE  An event is NULL, closed, not recorded, without timing or
 *                                    imported, or the two are of different contexts (#35, #36, #41,
 *                                    #43, #44, #76): cushim_event_explain() says which.
 * @return CUDA_ERROR_INVALID_VALUE   `ms` is NULL, or an event was last recorded in a capture that
 *                                    has ended (#71).
 * @return CUDA_ERROR_NOT_READY       An event is still pending (#37).
 * @return CUDA_ERROR_CAPTURED_EVENT  An event is recorded in a running capture (#63).
 * @return any other code             The driver's, unchanged. Ask for errors of pending work with
 *                                    cushim_event_query(): here they may go unnoticed (#47).
 *
 * Thread safety: any thread.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: cuEventElapsedTime_v2, or cuEventElapsedTime with drivers older than 12.8, which
 *               means the same and costs several times as much (#47, #48).
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_event_elapsed(const struct cushim_event *start,
                                         const struct cushim_event *end, float *ms);

/**
 * Explain why the time between two events is not available: the reason, the event and the remedy.
 *
 * For the code of a cushim_event_elapsed() that has just failed. What the objects do not know (the
 * state of wrapped events, what is pending, what is captured) is asked from the driver, in a way
 * that is harmless even during a capture: the time from an event to itself, never a query
 * (driver-semantics.md #39, #63). If the events have different faults, that of `start` is reported.
 *
 * @param start  The event that was given as start; NULL allowed.
 * @param end    The event that was given as end; NULL allowed.
 * @param code   What cushim_event_elapsed() returned.
 *
 * @return Static string: one sentence or two. For a code that says nothing about the events it is
 *         that of cushim_error_advice(). Never NULL.
 *
 * Thread safety: any thread; the text is about the events as they are now.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: none, or as cushim_event_elapsed().
 * Since: 0.1.
 */
CUSHIM_API const char *cushim_event_explain(const struct cushim_event *start,
                                            const struct cushim_event *end, CUresult code);

/*
 * --- events that two processes share ---
 *
 * One process creates an event with `interprocess` and `disable_timing`, exports it and sends the
 * 64 opaque bytes by any means; another one imports them. Either may record the event, and both may
 * query it and wait for it. The exporter must keep it until the importers are done: what they do
 * afterwards is undefined (driver-semantics.md #76). It works on Linux, with devices for which
 * cushim_device_supports_ipc_events() says yes (#77).
 */

/**
 * Give an event away to other processes.
 *
 * @param event   Event created here with `interprocess`; not NULL.
 * @param handle  Receives 64 bytes to send to them; not NULL.
 *
 * @return CUDA_SUCCESS                `handle` is written.
 * @return CUDA_ERROR_INVALID_HANDLE   `event` is NULL, closed, not interprocess, or imported itself
 *                                     (driver-semantics.md #74, #76).
 * @return CUDA_ERROR_INVALID_VALUE    `handle` is NULL.
 * @return CUDA_ERROR_INVALID_CONTEXT  The event was wrapped without a context, and none is current.
 * @return any other code              The result of cuIpcGetEventHandle, unchanged.
 *
 * Thread safety: any thread.
 * Context: acts in the event's, and puts the current one back; for an event that was wrapped
 *          without a context, in the current one.
 * Driver calls: cuCtxGetCurrent, cuIpcGetEventHandle; cuCtxPushCurrent_v2 and cuCtxPopCurrent_v2
 *               around the latter if the event's context is not current.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_event_export(const struct cushim_event *event, CUipcEventHandle *handle);

/**
 * Take an event that another process exported.
 *
 * It can be asked, waited for and recorded, but neither timed nor exported again
 * (driver-semantics.md #76).
 *
 * @param context  Context to open it in; not NULL. The event holds a reference.
 * @param handle   What the other process sent; borrowed for the call, not NULL.
 * @param event    Receives the event with one reference; not NULL.
 *
 * @return CUDA_SUCCESS                The event is there.
 * @return CUDA_ERROR_INVALID_HANDLE   `context` is NULL.
 * @return CUDA_ERROR_INVALID_VALUE    `event` or `handle` is NULL.
 * @return CUDA_ERROR_INVALID_CONTEXT  It was exported by this very process (#75).
 * @return CUDA_ERROR_MAP_FAILED       The bytes are not those of an event (#75).
 * @return CUDA_ERROR_OUT_OF_MEMORY    The host's memory ran out.
 * @return any other code              The driver's, unchanged; nothing remains.
 *
 * Thread safety: any thread.
 * Context: acts in `context`, and puts the current one back.
 * Driver calls: cuCtxGetCurrent, cuIpcOpenEventHandle; if the context is not current, the latter
 *               between cuCtxPushCurrent_v2 and cuCtxPopCurrent_v2; cuEventDestroy_v2 if the pop
 *               fails.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_event_import(struct cushim_context *context,
                                        const CUipcEventHandle *handle,
                                        struct cushim_event **event);

#ifdef __cplusplus
}
#endif

#endif
