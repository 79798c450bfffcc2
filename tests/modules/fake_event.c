/* SPDX-License-Identifier: Apache-2.0 */
/* Events of the fake driver: driver semantics, sections 3, 4, 5 and 8. */
#include "fake.h"

#include <stdatomic.h>
#include <string.h>

/* What an exported event's 64 bytes hold; the rest is zero. */
struct ticket {
    char mark[16];
    bool elsewhere; /* exported by another process */
};

static const char mark[16] = "event to share";
static atomic_uint_fast64_t now_ns;

void fake_event_reset(void)
{
    atomic_store(&now_ns, 0);
}

void fake_advance_ns(uint64_t duration_ns)
{
    atomic_fetch_add(&now_ns, duration_ns);
}

uint64_t fake_now_ns(void)
{
    return atomic_load(&now_ns);
}

CUevent fake_foreign_event(CUcontext context, unsigned flags)
{
    struct fake_event *event = fake_new(sizeof *event, FAKE_EVENT, (struct fake_context *)context);

    event->object.foreign = true;
    event->flags = flags;
    return (CUevent)event;
}

CUipcEventHandle fake_ipc_handle(void)
{
    struct ticket ticket = {.elsewhere = true};
    CUipcEventHandle handle = {{0}};

    memcpy(ticket.mark, mark, sizeof mark);
    memcpy(&handle, &ticket, sizeof ticket);
    return handle;
}

/* Whether the capture in which an event was recorded still goes on. */
static bool is_in_capture(const struct fake_event *event)
{
    return event->captured && event->stream->capture != CU_STREAM_CAPTURE_STATUS_NONE &&
           event->stream->capture_id == event->capture_id;
}

/* What asking about or waiting for an event answers for captures (statements 63, 64, 71). */
static CUresult look(struct fake_event *event)
{
    struct fake_stream nobody = {.handle = CU_STREAM_PER_THREAD};

    if (is_in_capture(event)) {
        fake_capture_look(event->stream);
        return CUDA_ERROR_CAPTURED_EVENT;
    }
    return event->captured ? CUDA_ERROR_INVALID_VALUE : fake_capture_look(&nobody);
}

static bool is_pending(const struct fake_event *event)
{
    return event->recorded && event->stream && fake_stream_pending(event->stream);
}

static CUresult CUDAAPI create(CUevent *handle, unsigned flags)
{
    const unsigned interprocess = CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING;
    const CUresult code = fake_call("cuEventCreate");
    struct fake_context *context;
    struct fake_event *event;
    CUresult used;

    if (code)
        return code;
    if (!handle || flags > 7 ||
        ((flags & CU_EVENT_INTERPROCESS) && (flags & interprocess) != interprocess))
        return CUDA_ERROR_INVALID_VALUE;
    used = fake_use_current(&context);
    if (used)
        return used;
    event = fake_new(sizeof *event, FAKE_EVENT, context);
    event->flags = flags;
    *handle = (CUevent)event;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI destroy(CUevent handle)
{
    const CUresult code = fake_call("cuEventDestroy_v2");
    struct fake_event *event;
    CUresult ended;

    if (!handle)
        return CUDA_ERROR_INVALID_HANDLE;
    event = fake_find(FAKE_EVENT, handle, "cuEventDestroy_v2");
    ended = fake_end(&event->object, "cuEventDestroy_v2");
    return code ? code : ended;
}

/* Begin a call that uses an event. */
static CUresult begin(const char *function, CUevent handle, struct fake_event **event)
{
    const CUresult code = fake_call(function);

    if (code)
        return code;
    if (!handle)
        return CUDA_ERROR_INVALID_HANDLE;
    *event = fake_find(FAKE_EVENT, handle, function);
    return fake_use(&(*event)->object);
}

static CUresult record(const char *function, CUevent handle, CUstream stream_handle, unsigned flags)
{
    struct fake_event *event;
    struct fake_stream *stream;
    CUresult code = begin(function, handle, &event);
    bool captured;

    if (code)
        return code;
    code = fake_use_stream(stream_handle, &stream, function);
    if (code)
        return code;
    if (flags > CU_EVENT_RECORD_EXTERNAL)
        return CUDA_ERROR_INVALID_VALUE;
    if (stream->object.context != event->object.context)
        return CUDA_ERROR_INVALID_HANDLE;
    code = fake_capture_work(stream, &captured);
    if (code)
        return code;
    if (flags && !captured)
        return CUDA_ERROR_ILLEGAL_STATE;
    if (flags)
        return CUDA_SUCCESS; /* a node of the graph; the event itself is not touched */
    event->recorded = true;
    event->stream = stream;
    event->captured = captured;
    event->capture_id = stream->capture_id;
    event->time_ns = fake_now_ns();
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI record_plain(CUevent handle, CUstream stream)
{
    return record("cuEventRecord", handle, stream, 0);
}

static CUresult CUDAAPI record_with_flags(CUevent handle, CUstream stream, unsigned flags)
{
    return record("cuEventRecordWithFlags", handle, stream, flags);
}

static CUresult CUDAAPI query(CUevent handle)
{
    struct fake_event *event;
    CUresult code = begin("cuEventQuery", handle, &event);

    if (!code)
        code = look(event);
    if (code)
        return code;
    return is_pending(event) ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

static CUresult CUDAAPI synchronize(CUevent handle)
{
    struct fake_event *event;
    CUresult code = begin("cuEventSynchronize", handle, &event);

    if (!code)
        code = look(event);
    if (code)
        return code;
    if (event->stream)
        fake_stream_finish(event->stream);
    return CUDA_SUCCESS;
}

static bool has_time(const struct fake_event *event)
{
    return event->recorded && !event->imported && !(event->flags & CU_EVENT_DISABLE_TIMING);
}

static CUresult elapsed(const char *function, float *ms, CUevent start_handle, CUevent end_handle)
{
    struct fake_event *start, *end;
    CUresult code = begin(function, start_handle, &start);

    if (code)
        return code;
    if (!end_handle)
        return CUDA_ERROR_INVALID_HANDLE;
    end = fake_find(FAKE_EVENT, end_handle, function);
    code = fake_use(&end->object);
    if (code)
        return code;
    if (!ms || !has_time(start) || !has_time(end) || start->object.context != end->object.context)
        return CUDA_ERROR_INVALID_HANDLE;
    if (is_in_capture(start) || is_in_capture(end))
        return CUDA_ERROR_CAPTURED_EVENT;
    if (start->captured || end->captured)
        return CUDA_ERROR_INVALID_VALUE;
    if (is_pending(start) || is_pending(end))
        return CUDA_ERROR_NOT_READY;
    *ms = (float)((double)(int64_t)(end->time_ns - start->time_ns) / 1e6);
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI elapsed_v2(float *ms, CUevent start, CUevent end)
{
    return elapsed("cuEventElapsedTime_v2", ms, start, end);
}

static CUresult CUDAAPI elapsed_v1(float *ms, CUevent start, CUevent end)
{
    return elapsed("cuEventElapsedTime", ms, start, end);
}

static CUresult CUDAAPI ipc_get(CUipcEventHandle *handle, CUevent event_handle)
{
    const CUresult code = fake_call("cuIpcGetEventHandle");
    CUipcEventHandle exported = fake_ipc_handle();
    struct fake_context *context;
    struct fake_event *event;
    struct ticket ticket;
    CUresult used;

    if (code)
        return code;
    if (!handle || !event_handle)
        return CUDA_ERROR_INVALID_VALUE;
    event = fake_find(FAKE_EVENT, event_handle, "cuIpcGetEventHandle");
    used = fake_use(&event->object);
    if (!used)
        used = fake_use_current(&context); /* not in the reference; measured */
    if (used)
        return used;
    if (!(event->flags & CU_EVENT_INTERPROCESS) || event->imported)
        return CUDA_ERROR_INVALID_HANDLE;
    memcpy(&ticket, &exported, sizeof ticket);
    ticket.elsewhere = false;
    memcpy(&exported, &ticket, sizeof ticket);
    *handle = exported;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI ipc_open(CUevent *handle, CUipcEventHandle exported)
{
    const CUresult code = fake_call("cuIpcOpenEventHandle");
    struct fake_context *context;
    struct fake_event *event;
    struct ticket ticket;
    CUresult used;

    if (code)
        return code;
    if (!handle)
        return CUDA_ERROR_INVALID_VALUE;
    used = fake_use_current(&context);
    if (used)
        return used;
    memcpy(&ticket, &exported, sizeof ticket);
    if (memcmp(ticket.mark, mark, sizeof mark) != 0)
        return CUDA_ERROR_MAP_FAILED;
    if (!ticket.elsewhere)
        return CUDA_ERROR_INVALID_CONTEXT;
    event = fake_new(sizeof *event, FAKE_EVENT, context);
    event->flags = CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
    event->imported = true;
    *handle = (CUevent)event;
    return CUDA_SUCCESS;
}

const struct fake_function fake_event_functions[] = {
    FAKE_FUNCTION(EventCreate, create),
    FAKE_FUNCTION(EventDestroy_v2, destroy),
    FAKE_FUNCTION(EventRecord, record_plain),
    FAKE_FUNCTION(EventRecordWithFlags, record_with_flags),
    FAKE_FUNCTION(EventQuery, query),
    FAKE_FUNCTION(EventSynchronize, synchronize),
    FAKE_FUNCTION(EventElapsedTime_v2, elapsed_v2),
    FAKE_FUNCTION(EventElapsedTime, elapsed_v1),
    FAKE_FUNCTION(IpcGetEventHandle, ipc_get),
    FAKE_FUNCTION(IpcOpenEventHandle, ipc_open),
    FAKE_END,
};
