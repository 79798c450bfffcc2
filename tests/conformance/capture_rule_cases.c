/* SPDX-License-Identifier: Apache-2.0 */
/* What a capture allows, and what invalidates it. Statements 63-67, 69, and the rule of 58. */
#include "backend.h"
#include "begin.h"
#include "cases.h"
#include "check.h"
#include "graph.h"

static void captured_event_must_not_be_asked(void)
{
    CUstream stream;
    CUevent event, done;

    begin_context();
    stream = begin_stream();
    event = begin_event();
    done = begin_done();
    for (unsigned i = 0; i < CAPTURE_MODES; i++) {
        float ms = -7;

        capture_begin(stream, capture_modes[i]);
        OK(cu->EventRecord(event, stream));
        CODE(CUDA_ERROR_CAPTURED_EVENT, cu->EventElapsedTime(&ms, done, event));
        CODE(CUDA_ERROR_CAPTURED_EVENT, cu->EventElapsedTime_v2(&ms, event, done));
        CODE(CUDA_ERROR_CAPTURED_EVENT, cu->EventElapsedTime(&ms, event, event));
        CHECK(ms == -7);
        capture_active(stream);
        CODE(CUDA_ERROR_CAPTURED_EVENT, cu->EventQuery(event));
        capture_invalidated(stream);
        capture_begin(stream, capture_modes[i]);
        OK(cu->EventRecord(event, stream));
        CODE(CUDA_ERROR_CAPTURED_EVENT, cu->EventSynchronize(event));
        capture_invalidated(stream);
    }
}

/* In a new capture of `stream`, this call answers 900 and invalidates it. */
#define INVALIDATES(stream, mode, call)                                                \
    (capture_begin(stream, mode), CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, (call)), \
     capture_invalidated(stream))

static void strict_modes_forbid_every_question(void)
{
    CUdeviceptr memory = 0;
    CUstream stream, other;
    CUevent done, event;

    begin_context();
    stream = begin_stream();
    other = begin_stream();
    done = begin_done();
    event = begin_done();
    for (unsigned i = 0; i < 2; i++) {
        const CUstreamCaptureMode mode = capture_modes[i];
        float ms = -7;

        INVALIDATES(stream, mode, cu->EventQuery(done));
        INVALIDATES(stream, mode, cu->EventSynchronize(done));
        INVALIDATES(stream, mode, cu->StreamQuery(other));
        INVALIDATES(stream, mode, cu->StreamSynchronize(other));
        INVALIDATES(stream, mode, cu->StreamQuery(stream));
        INVALIDATES(stream, mode, cu->StreamSynchronize(stream));
        INVALIDATES(stream, mode, cu->CtxSynchronize());
        INVALIDATES(stream, mode, cu->MemAlloc_v2(&memory, 4096));
        EQUAL(0, memory);
        capture_begin(stream, mode);
        OK(cu->EventElapsedTime(&ms, done, event));
        OK(cu->EventElapsedTime_v2(&ms, done, event));
        CHECK(ms >= 0);
        capture_end(stream);
    }
}

static void relaxed_mode_allows_questions_on_others(void)
{
    CUdeviceptr memory = 0;
    CUstream stream, other;
    CUevent done;

    begin_context();
    stream = begin_stream();
    other = begin_stream();
    done = begin_done();
    capture_begin(stream, RELAXED);
    OK(cu->EventQuery(done));
    OK(cu->EventSynchronize(done));
    OK(cu->StreamQuery(other));
    OK(cu->StreamSynchronize(other));
    OK(cu->MemAlloc_v2(&memory, 4096));
    CHECK(memory != 0);
    capture_end(stream);
    INVALIDATES(stream, RELAXED, cu->StreamQuery(stream));
    INVALIDATES(stream, RELAXED, cu->StreamSynchronize(stream));
    INVALIDATES(stream, RELAXED, cu->CtxSynchronize());
}

static void every_mode_allows_what_does_not_ask(void)
{
    CUevent unrecorded, outside, inside, shared;
    CUstream stream, other;
    CUipcEventHandle handle;

    begin_context();
    stream = begin_stream();
    other = begin_stream();
    unrecorded = begin_event();
    outside = begin_event();
    inside = begin_event();
    shared = begin_event_with(CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING);
    for (unsigned i = 0; i < CAPTURE_MODES; i++) {
        CUstream made_stream = NULL;
        CUevent made = NULL;

        capture_begin(stream, capture_modes[i]);
        OK(cu->EventCreate(&made, 0));
        OK(cu->EventDestroy_v2(made));
        OK(cu->StreamCreate(&made_stream, CU_STREAM_NON_BLOCKING));
        OK(cu->LaunchHostFunc(stream, do_nothing, NULL));
        OK(cu->StreamWaitEvent(stream, unrecorded, 0));
        OK(cu->EventRecord(outside, other));
        OK(cu->EventRecordWithFlags(inside, stream, 1));
        OK(cu->StreamWaitEvent(stream, outside, 1));
        OK(cu->IpcGetEventHandle(&handle, shared));
        capture_end(stream);
    }
}

static void external_events_live_outside_the_graph(void)
{
    CUevent before, start, end;
    CUstream stream, outside;
    CUgraphExec exec = NULL;
    CUgraph graph = NULL;
    struct latch latch;
    float ms = -7;

    begin_context();
    stream = begin_stream();
    outside = begin_stream();
    before = begin_event();
    start = begin_event();
    end = begin_event();
    capture_begin(stream, GLOBAL);
    OK(cu->StreamWaitEvent(stream, before, 1));
    OK(cu->EventRecordWithFlags(start, stream, 1));
    OK(cu->LaunchHostFunc(stream, do_nothing, NULL));
    OK(cu->EventRecordWithFlags(end, stream, 1));
    capture_active(stream);
    OK(cu->StreamEndCapture(stream, &graph));
    MUST(cu->GraphInstantiateWithFlags(&exec, graph, 0));
    latch = latch_shut(outside);
    OK(cu->EventRecord(before, outside));
    OK(cu->GraphLaunch(exec, stream));
    for (int i = 0; i < 100; i++)
        CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(stream));
    latch_open(&latch);
    OK(cu->StreamSynchronize(stream));
    OK(cu->EventQuery(start));
    OK(cu->EventQuery(end));
    OK(cu->EventElapsedTime(&ms, start, end));
    CHECK(ms >= 0);
}

static void wait_for_the_outside_spoils_it(void)
{
    CUstream stream;
    CUevent done;

    begin_context();
    stream = begin_stream();
    done = begin_done();
    for (unsigned i = 0; i < CAPTURE_MODES; i++) {
        capture_begin(stream, capture_modes[i]);
        CODE(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, cu->StreamWaitEvent(stream, done, 0));
        capture_invalidated(stream);
    }
}

static void legacy_stream_spoils_a_blocking_one(void)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    CUstream blocking;
    CUevent event;

    begin_context();
    blocking = begin_blocking_stream();
    event = begin_event();
    capture_begin(blocking, GLOBAL);
    CODE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cu->StreamIsCapturing(NULL, &status));
    CODE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cu->EventRecord(event, NULL));
    capture_invalidated(blocking);
    capture_begin(blocking, GLOBAL);
    CODE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cu->StreamQuery(NULL));
    capture_invalidated(blocking);
    capture_begin(blocking, RELAXED);
    CODE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cu->EventRecord(event, CU_STREAM_LEGACY));
    capture_invalidated(blocking);
}

static void legacy_stream_spares_a_non_blocking_one(void)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
    CUstream stream;
    CUevent event;

    begin_context();
    stream = begin_stream();
    event = begin_event();
    capture_begin(stream, GLOBAL);
    OK(cu->StreamIsCapturing(NULL, &status));
    EQUAL(CU_STREAM_CAPTURE_STATUS_NONE, status);
    OK(cu->EventRecord(event, NULL));
    capture_active(stream);
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cu->StreamQuery(NULL));
    capture_invalidated(stream);
}

static void CUDA_CB called_back(CUstream stream, CUresult status, void *data)
{
    (void)stream, (void)status, (void)data;
}

static void callback_spoils_a_capture(void)
{
    CUstream stream;

    begin_context();
    stream = begin_stream();
    for (unsigned i = 0; i < CAPTURE_MODES; i++)
        INVALIDATES(stream, capture_modes[i], cu->StreamAddCallback(stream, called_back, NULL, 0));
}

const struct conformance_case capture_rule_cases[] = {
    DOCUMENTED_CASE("058_callback_spoils_a_capture", callback_spoils_a_capture),
    MEASURED_CASE("063_captured_event_must_not_be_asked", captured_event_must_not_be_asked),
    MEASURED_CASE("064_strict_modes_forbid_every_question", strict_modes_forbid_every_question),
    MEASURED_CASE("065_relaxed_mode_allows_questions_on_others",
                  relaxed_mode_allows_questions_on_others),
    MEASURED_CASE("066_every_mode_allows_what_does_not_ask", every_mode_allows_what_does_not_ask),
    MEASURED_CASE("066_external_events_live_outside_the_graph",
                  external_events_live_outside_the_graph),
    DOCUMENTED_CASE("067_wait_for_the_outside_spoils_it", wait_for_the_outside_spoils_it),
    DOCUMENTED_CASE("069_legacy_stream_spoils_a_blocking_one", legacy_stream_spoils_a_blocking_one),
    MEASURED_CASE("069_legacy_stream_spares_a_non_blocking_one",
                  legacy_stream_spares_a_non_blocking_one),
    {.name = NULL},
};
