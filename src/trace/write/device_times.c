/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device times. A mock reports itself when it did the work. Over a real driver, events are recorded
 * and read (events.c), but not while any stream is captured: an event would become a node of
 * the graph, and reading one would make the capture fail.
 */
#include <stdlib.h>

#include "src/layer/layer.h"
#include "src/trace/roles.h"
#include "src/trace/write/writer.h"

enum { CAPTURES = 256 }; /* at the same time */

static struct cushim__lock lock;    /* held to change the list of captures */
static CUstream captured[CAPTURES]; /* the streams on which captures were begun */
static unsigned captures;

/* --- times that a mock reports --- */

enum { QUEUED = 1 << 16 };

static struct queued {
    uint64_t number;
    struct trace_record *work;
} * queued; /* by the number of the operation; used under the mock's lock */

/* The work of the call that this thread is in, and how many operations the call has queued. */
static _Thread_local struct trace_record *queuing;
static _Thread_local unsigned queued_count;

/* A captured call queues no work; the launch of the graph does. */
static bool is_captured(CUstream stream)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;

    return cushim__layer_next.StreamIsCapturing(stream, &status) == CUDA_SUCCESS &&
           status != CU_STREAM_CAPTURE_STATUS_NONE;
}

static void note_queued(uint64_t number)
{
    if (!queuing)
        return;
    queued[number % QUEUED] = (struct queued){number, queuing};
    queued_count++;
}

/* The operations of a graph are one piece of work, from the first start to the last end. */
static void note_ended(uint64_t number, uint64_t began_ns, uint64_t ended_ns)
{
    struct queued *entry = &queued[number % QUEUED];

    if (entry->number != number || !entry->work)
        return;
    if (entry->work->began_ns == 0 || began_ns < entry->work->began_ns)
        entry->work->began_ns = began_ns;
    if (ended_ns > entry->work->ended_ns)
        entry->work->ended_ns = ended_ns;
    entry->work = NULL;
}

void cushim__trace_time_queue(struct trace_record *work)
{
    queuing = cushim__layer_mock ? work : NULL;
    queued_count = 0;
}

/* Work that queued no operation was executed in the call itself. */
static void end_queuing(const struct cushim__call *call, CUresult answer)
{
    struct trace_record *work = call->traced.work;

    queuing = NULL;
    if (!work || queued_count > 0 || answer != CUDA_SUCCESS || is_captured(call->traced.stream))
        return;
    work->began_ns = call->traced.record->began_ns;
    work->ended_ns = call->traced.record->ended_ns;
}

/* --- captures --- */

static bool is_capturing(void)
{
    return __atomic_load_n(&captures, __ATOMIC_RELAXED) > 0;
}

static void note_capture(const struct cushim__call *call, unsigned roles, CUresult answer)
{
    /* The legacy default stream cannot be captured, so NULL is the per-thread one. */
    const CUstream stream =
        call->values[0] ? (CUstream)(uintptr_t)call->values[0] : CU_STREAM_PER_THREAD;
    unsigned i = 0, count;

    cushim__lock_take(&lock);
    count = captures;
    while (i < count && captured[i] != stream)
        i++;
    if (roles & TRACE_BEGINS_CAPTURE && answer == CUDA_SUCCESS && count < CAPTURES)
        captured[count++] = stream;
    /* With these two errors the capture continues; with any other, it has failed and ended. */
    else if (roles & TRACE_ENDS_CAPTURE && i < count && answer != CUDA_ERROR_ILLEGAL_STATE &&
             answer != CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD)
        captured[i] = captured[--count];
    __atomic_store_n(&captures, count, __ATOMIC_RELAXED);
    cushim__lock_release(&lock);
}

/* --- the calls of the program --- */

static void start_on_mock(struct trace_work *work)
{
    int device = -1;

    work->context = (uintptr_t)cushim__layer_mock->current(&device);
    work->device = (uint32_t)device;
}

void cushim__trace_time_start(struct cushim__traced *traced, struct trace_work *work)
{
    traced->stream = (CUstream)(uintptr_t)work->stream;
    if (cushim__layer_mock)
        start_on_mock(work);
    else if (!is_capturing())
        cushim__trace_pair_start(traced, work);
}

void cushim__trace_time_before(const struct cushim__call *call, unsigned roles)
{
    if (cushim__layer_mock)
        return;
    if (roles & TRACE_DESTROYS_CONTEXT)
        cushim__trace_context_destroyed((CUcontext)(uintptr_t)call->values[0], !is_capturing());
    else if (roles & TRACE_RELEASES_PRIMARY && !is_capturing())
        cushim__trace_primary_releasing((CUdevice)call->values[0]);
}

void cushim__trace_time_end(struct cushim__call *call, unsigned roles, CUresult answer)
{
    if (cushim__layer_mock) {
        end_queuing(call, answer);
        return;
    }
    if (call->traced.context)
        cushim__trace_pair_end(&call->traced, answer);
    else if (call->traced.work && answer == CUDA_SUCCESS && !is_captured(call->traced.stream))
        cushim__trace_count_untimed(1);
    if (roles & (TRACE_BEGINS_CAPTURE | TRACE_ENDS_CAPTURE))
        note_capture(call, roles, answer);
    if (answer != CUDA_SUCCESS)
        return;
    if (roles & TRACE_WAITS && !is_capturing())
        cushim__trace_pairs_read();
    else if (roles & TRACE_RETAINS_PRIMARY)
        cushim__trace_primary_retained((CUdevice)call->values[1],
                                       *(const CUcontext *)(uintptr_t)call->values[0]);
    else if (roles & TRACE_RELEASES_PRIMARY)
        cushim__trace_primary_released((CUdevice)call->values[0]);
}

/* --- start and end --- */

bool cushim__trace_times_begin(void)
{
    captures = 0;
    if (!cushim__layer_mock)
        return true;
    queued = calloc(QUEUED, sizeof *queued);
    if (!queued)
        return false;
    __atomic_store_n(&cushim__operation_ended, note_ended, __ATOMIC_RELEASE);
    __atomic_store_n(&cushim__operation_submitted, note_queued, __ATOMIC_RELEASE);
    return true;
}

static void do_nothing(void)
{
}

void cushim__trace_times_finish(struct trace_header *header, bool is_alone)
{
    __atomic_store_n(&cushim__operation_submitted, NULL, __ATOMIC_RELEASE);
    __atomic_store_n(&cushim__operation_ended, NULL, __ATOMIC_RELEASE);
    if (cushim__layer_mock)
        cushim__layer_mock->alone(do_nothing); /* waits for operations that are in the hooks */
    free(queued);
    queued = NULL;
    cushim__trace_events_finish(header, !is_capturing(), is_alone);
}

void cushim__trace_times_forget(void)
{
    lock = (struct cushim__lock){0}; /* a thread of the parent may hold it */
    captures = 0;
    cushim__trace_events_forget();
}
