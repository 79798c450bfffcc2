/* SPDX-License-Identifier: Apache-2.0 */
/* Capture: begin, end, status; events of the outside world in a graph. Statements 61, 62, 70-72. */
#include <pthread.h>

#include "begin.h"
#include "capture.h"
#include "cases.h"
#include "check.h"
#include "gate.h"

static void begin_is_checked(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *stream = begin_stream(context);
    CUgraph graph = NULL;
    cuuint64_t id = 0;

    make_current(context);
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
         cushim_stream_begin_capture(cushim_stream_legacy(), CU_STREAM_CAPTURE_MODE_GLOBAL));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_stream_begin_capture(stream, (CUstreamCaptureMode)7));
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_stream_end_capture(stream, &graph));
    CHECK(capture_status(stream) == CU_STREAM_CAPTURE_STATUS_NONE);
    OK(cushim_stream_begin_capture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CODE(CUDA_ERROR_ILLEGAL_STATE,
         cushim_stream_begin_capture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CHECK(capture_id(stream, &id) == CU_STREAM_CAPTURE_STATUS_ACTIVE && id != 0);
    capture_end(stream);

    OK(cushim_stream_begin_capture(cushim_stream_per_thread(), CU_STREAM_CAPTURE_MODE_GLOBAL));
    CHECK(capture_status(cushim_stream_per_thread()) == CU_STREAM_CAPTURE_STATUS_ACTIVE);
    capture_end(cushim_stream_per_thread());
}

static void default_stream_of_a_context_is_captured(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *bound = NULL;

    OK(cushim_stream_wrap(&bound, CU_STREAM_PER_THREAD, context));
    OK(cushim_stream_begin_capture(bound, CU_STREAM_CAPTURE_MODE_RELAXED));
    CHECK(capture_status(bound) == CU_STREAM_CAPTURE_STATUS_ACTIVE);
    capture_end(bound);
    CHECK(current_context() == NULL);
}

static void invalidated_capture_ends_without_a_graph(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *stream = begin_stream(context);
    CUgraph graph = (CUgraph)&graph;

    OK(cushim_stream_begin_capture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cushim_stream_query(stream));
    CHECK(capture_status(stream) == CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    CODE(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cushim_stream_end_capture(stream, &graph));
    CHECK(graph == (CUgraph)&graph);
    CHECK(capture_status(stream) == CU_STREAM_CAPTURE_STATUS_NONE);
    OK(cushim_stream_query(stream));
}

static void graph_waits_for_and_records_events_of_the_outside(void)
{
    enum { BYTES = 4096 };
    const struct cushim_table *driver = cushim_driver();
    struct cushim_context *context = begin_context();
    struct cushim_stream *stream = begin_stream(context), *outside = begin_stream(context);
    struct cushim_event *before = begin_event(context), *start = begin_event(context);
    struct cushim_event *end = begin_event(context);
    CUdeviceptr memory = begin_memory(context, BYTES);
    unsigned char bytes[BYTES] = {0};
    struct gate gate = GATE;
    CUgraphExec graph_exec = NULL;
    CUgraph graph = NULL;
    float ms = -7;

    driver = cushim_driver();
    OK(cushim_stream_begin_capture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cushim_stream_wait_event(stream, before, 1 /* CU_EVENT_WAIT_EXTERNAL */));
    OK(cushim_event_record_with_flags(start, stream, 1 /* CU_EVENT_RECORD_EXTERNAL */));
    queue_fill(stream, memory, BYTES);
    OK(cushim_event_record_with_flags(end, stream, 1));
    CHECK(capture_status(stream) == CU_STREAM_CAPTURE_STATUS_ACTIVE);
    OK(cushim_stream_end_capture(stream, &graph));

    make_current(context);
    OK(driver->GraphInstantiateWithFlags(&graph_exec, graph, 0));
    gate_shut(&gate, outside);
    OK(cushim_event_record(before, outside));
    OK(driver->GraphLaunch(graph_exec, raw_stream(stream)));
    CODE(CUDA_ERROR_NOT_READY, cushim_stream_query(stream));
    CODE(CUDA_ERROR_TIMEOUT, cushim_stream_wait_for(stream, 2000000));
    detail("end event %d while the graph is held up", (int)cushim_event_query(end));
    gate_open(&gate);
    OK(cushim_stream_synchronize(stream));
    OK(cushim_event_query(start));
    OK(cushim_event_query(end));
    OK(cushim_event_elapsed(start, end, &ms));
    CHECK(ms >= 0);
    OK(driver->MemcpyDtoH_v2(bytes, memory, BYTES));
    CHECK(bytes[0] == 7 && bytes[BYTES - 1] == 7);
    detail("inside the graph %.4f ms", (double)ms);
    OK(driver->GraphExecDestroy(graph_exec));
    OK(driver->GraphDestroy(graph));
}

static struct cushim_stream *ended_elsewhere;
static CUresult ended_elsewhere_code;

static void *end_elsewhere(void *data)
{
    CUgraph graph = NULL;

    ended_elsewhere_code = cushim_stream_end_capture(ended_elsewhere, &graph);
    return data;
}

static void another_thread_may_not_end_it(void)
{
    struct cushim_context *context = begin_context();
    CUgraph graph = NULL;
    pthread_t thread;

    ended_elsewhere = begin_stream(context);
    OK(cushim_stream_begin_capture(ended_elsewhere, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    CHECK(pthread_create(&thread, NULL, end_elsewhere, NULL) == 0);
    pthread_join(thread, NULL);
    CODE(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, ended_elsewhere_code);
    CHECK(capture_status(ended_elsewhere) == CU_STREAM_CAPTURE_STATUS_NONE);
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_stream_end_capture(ended_elsewhere, &graph));

    OK(cushim_stream_begin_capture(ended_elsewhere, CU_STREAM_CAPTURE_MODE_RELAXED));
    CHECK(pthread_create(&thread, NULL, end_elsewhere, NULL) == 0);
    pthread_join(thread, NULL);
    OK(ended_elsewhere_code);
}

static void event_of_an_ended_capture_is_refused(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *stream = begin_stream(context);
    struct cushim_event *event = begin_event(context), *good = begin_event(context);
    float ms = -7;

    OK(cushim_event_record(good, stream));
    OK(cushim_stream_synchronize(stream));
    OK(cushim_stream_begin_capture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cushim_event_record(event, stream));
    capture_end(stream);
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_event_query(event));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_event_synchronize(event));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_event_wait_for(event, 1000000));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_event_elapsed(good, event, &ms));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_event_elapsed(event, event, &ms));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_stream_wait_event(stream, event, 0));
    CHECK(ms == -7);
    OK(cushim_event_record(event, stream));
    OK(cushim_event_synchronize(event));
    OK(cushim_event_elapsed(good, event, &ms));
    CHECK(ms > 0);
}

static void capturing_stream_is_released(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *stream = begin_stream(context);

    OK(cushim_stream_begin_capture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cushim_stream_release(stream));
}

static void mode_of_the_thread_is_exchanged(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *stream = begin_stream(context);
    struct cushim_event *event = begin_event(context);
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;

    OK(cushim_event_record(event, stream));
    OK(cushim_stream_synchronize(stream));
    OK(cushim_stream_begin_capture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cushim_stream_exchange_capture_mode(&mode));
    CHECK(mode == CU_STREAM_CAPTURE_MODE_GLOBAL);
    OK(cushim_event_query(event)); /* allowed now, and harmless */
    CHECK(capture_status(stream) == CU_STREAM_CAPTURE_STATUS_ACTIVE);
    OK(cushim_stream_exchange_capture_mode(&mode));
    CHECK(mode == CU_STREAM_CAPTURE_MODE_RELAXED);
    capture_end(stream);
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_stream_exchange_capture_mode(NULL));
    mode = (CUstreamCaptureMode)9; /* none, and accepted */
    OK(cushim_stream_exchange_capture_mode(&mode));
    CHECK(mode == CU_STREAM_CAPTURE_MODE_GLOBAL);
}

const struct gpu_case capture_cases[] = {
    {"capture_61_62_begin_is_checked", begin_is_checked},
    {"capture_61_default_stream_of_a_context", default_stream_of_a_context_is_captured},
    {"capture_62_invalidated_ends_without_a_graph", invalidated_capture_ends_without_a_graph},
    {"capture_66_external_events_in_a_graph", graph_waits_for_and_records_events_of_the_outside},
    {"capture_70_another_thread_may_not_end_it", another_thread_may_not_end_it},
    {"capture_71_event_of_an_ended_one_is_refused", event_of_an_ended_capture_is_refused},
    {"capture_72_capturing_stream_is_released", capturing_stream_is_released},
    {"capture_72_mode_of_the_thread_is_exchanged", mode_of_the_thread_is_exchanged},
    {NULL, NULL},
};
