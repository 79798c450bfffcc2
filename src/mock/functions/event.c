/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that create, record, query, await and time events (driver-semantics.md #19 to #32). */
#include "src/mock/event/event.h"

#include <stdlib.h>

#include "src/mock/context/context.h"
#include "src/mock/functions/functions.h"
#include "src/mock/stream/capture.h"
#include "src/mock/stream/stream.h"
#include "src/race/race.h"

enum { ALL_FLAGS = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS };

CUresult cushim__mock_EventCreate(struct mock_context *current, struct mock_event **event,
                                  unsigned int Flags)
{
    if (Flags > ALL_FLAGS ||
        ((Flags & CU_EVENT_INTERPROCESS) && !(Flags & CU_EVENT_DISABLE_TIMING)))
        return CUDA_ERROR_INVALID_VALUE;
    return cushim__mock_event_create(current, Flags, event);
}

/* A thread that waits for the event continues to wait for its record (driver-semantics.md #28). */
CUresult cushim__mock_EventDestroy_v2(struct mock_event *event)
{
    cushim__mock_event_destroy(event);
    return CUDA_SUCCESS;
}

/* Return whether the work is done, but a query is to report that later (adversarial mode). */
static bool is_hidden(const struct mock_event *event)
{
    return event->record && !event->record->shared &&
           cushim__mock_sim_delays_answer(event->record->time_ns);
}

/*
 * The mock does not know what other processes waited for before they recorded a shared event, so a
 * shared event orders all work.
 */
static void saw(const struct mock_event *event)
{
    cushim__mock_sim_end_reported();
    if (event->shared)
        cushim__race_saw_all();
    else if (event->record)
        cushim__race_saw(cushim__race_clock_retain(event->record->clock), true);
}

static CUresult check_capture(struct mock_event *event)
{
    return cushim__mock_captures || event->capture_state != MOCK_NOT_CAPTURED
               ? cushim__mock_capture_query_event(event)
               : CUDA_SUCCESS;
}

CUresult cushim__mock_EventQuery(struct mock_event *event)
{
    CUresult code = check_capture(event);

    if (code)
        return code;
    if (!cushim__mock_event_done(event) || is_hidden(event))
        return CUDA_ERROR_NOT_READY;
    saw(event);
    return CUDA_SUCCESS;
}

static bool record_is_done(const void *what)
{
    return cushim__mock_event_record_done(what);
}

static CUresult synchronize(const struct mock_event *event)
{
    struct mock_event_record *record;
    CUresult code;

    if (cushim__mock_event_done(event)) {
        saw(event);
        return CUDA_SUCCESS;
    }
    record = cushim__mock_event_newest(event);
    if (!record)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (record->shared) {
        code = cushim__mock_sim_wait_for_process(record_is_done, record);
        if (code == CUDA_SUCCESS)
            cushim__race_saw_all();
    } else {
        code = cushim__mock_sim_wait_until(record_is_done, record, record->stream, record->number);
        cushim__race_saw(cushim__race_clock_retain(record->clock), code == CUDA_SUCCESS);
    }
    cushim__mock_event_record_release(record);
    return code;
}

CUresult cushim__mock_EventSynchronize(struct mock_event *event)
{
    CUresult code = check_capture(event);

    return code ? code : synchronize(event);
}

/* The first ABI waits for the event even while other streams are captured. */
CUresult cushim__mock_EventDestroy(struct mock_event *event)
{
    const CUevent handle = event->object.handle;
    CUresult code = event->capture_state == MOCK_NOT_CAPTURED ? synchronize(event) : CUDA_SUCCESS;

    /* Other threads may have destroyed the event meanwhile. */
    if (code == CUDA_SUCCESS)
        code = cushim__mock_object_find(handle, MOCK_EVENT, &event);
    return code ? code : cushim__mock_EventDestroy_v2(event);
}

CUresult cushim__mock_StreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags)
{
    struct mock_stream *stream;
    struct mock_event *event;
    CUresult code = cushim__mock_stream_find(hStream, &stream);

    if (code != CUDA_SUCCESS)
        return code;
    if (!hEvent && Flags > CU_EVENT_WAIT_EXTERNAL)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__mock_object_find(hEvent, MOCK_EVENT, &event);
    if (code != CUDA_SUCCESS && !hEvent && stream->capture)
        stream->capture->invalidated = true;
    if (code == CUDA_SUCCESS && stream->kind == MOCK_LEGACY)
        code = cushim__mock_capture_legacy(stream);
    if (code == CUDA_SUCCESS && Flags > CU_EVENT_WAIT_EXTERNAL)
        code = CUDA_ERROR_INVALID_VALUE;
    if (code)
        return code;
    if (stream->capture || event->capture_state == MOCK_IN_CAPTURE)
        return cushim__mock_capture_wait(stream, event, Flags);
    if (event->capture_state == MOCK_WAS_CAPTURED)
        return CUDA_ERROR_INVALID_VALUE;
    if (Flags == CU_EVENT_WAIT_EXTERNAL)
        return CUDA_ERROR_ILLEGAL_STATE;
    return cushim__mock_stream_wait_event(stream, event);
}

static CUresult record_on(struct mock_event *event, struct mock_stream *stream)
{
    struct mock_event_record *record;
    void *operation = cushim__mock_event_operation(event, &record);
    CUresult code;

    if (!operation)
        return CUDA_ERROR_OUT_OF_MEMORY;
    cushim__mock_event_record_prepare(event, record, stream);
    code = cushim__mock_stream_submit(stream, operation);
    if (code == CUDA_SUCCESS)
        cushim__mock_event_record_submitted(event, record, stream);
    else
        cushim__mock_event_record_release(record);
    return code;
}

/*
 * Also cuEventRecord. Errors are checked in this order: a default stream, the event, a stream that
 * was created.
 */
CUresult cushim__mock_EventRecordWithFlags(CUevent hEvent, CUstream hStream, unsigned int flags)
{
    const bool is_default = cushim__mock_stream_is_default(hStream);
    struct mock_stream *stream;
    struct mock_event *event;
    CUresult code = CUDA_SUCCESS;

    if (is_default)
        code = cushim__mock_stream_find(hStream, &stream);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_object_find(hEvent, MOCK_EVENT, &event);
    if (code == CUDA_SUCCESS && flags > CU_EVENT_RECORD_EXTERNAL)
        code = CUDA_ERROR_INVALID_VALUE;
    if (code == CUDA_SUCCESS && !is_default)
        code = cushim__mock_object_find(hStream, MOCK_STREAM, &stream);
    if (code)
        return code;
    if (!cushim__mock_context_shares(event->object.context, stream->object.context) &&
        !(stream->capture && flags == CU_EVENT_RECORD_EXTERNAL))
        return CUDA_ERROR_INVALID_HANDLE;
    if (stream->capture)
        return cushim__mock_capture_record(stream, event, flags);
    if (flags == CU_EVENT_RECORD_EXTERNAL)
        return CUDA_ERROR_ILLEGAL_STATE;
    return record_on(event, stream);
}

/* The time between two events (driver-semantics.md #35 to #48, #84). */

enum { TICK_NS = 32 }; /* times are multiples of this */

static bool can_be_timed(const struct mock_event *event)
{
    return !event->imported && !(event->flags & CU_EVENT_DISABLE_TIMING);
}

static uint64_t later(uint64_t one, uint64_t other)
{
    return one > other ? one : other;
}

/* Also cuEventElapsedTime_v2. */
CUresult cushim__mock_EventElapsedTime(float *pMilliseconds, struct mock_event *start,
                                       struct mock_event *end)
{
    CUresult code = cushim__mock_capture_elapsed_event(start);
    int64_t ticks;

    if (code == CUDA_SUCCESS && !start->record)
        code = CUDA_ERROR_INVALID_HANDLE;
    if (code == CUDA_SUCCESS)
        code = cushim__mock_capture_elapsed_event(end);
    if (code)
        return code;
    if (!pMilliseconds || !can_be_timed(start) || !can_be_timed(end) || !end->record ||
        !cushim__mock_context_shares(start->object.context, end->object.context))
        return CUDA_ERROR_INVALID_HANDLE;
    if (!start->record->done || !end->record->done ||
        cushim__mock_sim_delays_answer(later(start->record->time_ns, end->record->time_ns)))
        return CUDA_ERROR_NOT_READY;
    cushim__mock_sim_end_reported();
    cushim__race_saw(cushim__race_clock_retain(start->record->clock), true);
    cushim__race_saw(cushim__race_clock_retain(end->record->clock), true);
    ticks = (int64_t)(end->record->time_ns / TICK_NS) - (int64_t)(start->record->time_ns / TICK_NS);
    *pMilliseconds = (float)((double)ticks * TICK_NS / 1e6);
    return CUDA_SUCCESS;
}
