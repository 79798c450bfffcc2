/* SPDX-License-Identifier: Apache-2.0 */
/* Captures: begin, end, status, forks. Statements 61, 62, 68, 70-73. */
#include <pthread.h>

#include "cases.h"
#include "graph.h"

MEASURED_CASE(061, default_stream_is_not_captured)
{
    begin_context();
    for (unsigned i = 0; i < CAPTURE_MODES; i++) {
        CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
             cu->StreamBeginCapture_v2(NULL, capture_modes[i]));
        CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
             cu->StreamBeginCapture_v2(CU_STREAM_LEGACY, capture_modes[i]));
        OK(cu->StreamBeginCapture_v2(CU_STREAM_PER_THREAD, capture_modes[i]));
        capture_end(CU_STREAM_PER_THREAD);
    }
}

MEASURED_CASE(061, begin_is_checked)
{
    CUstream stream = begin_stream();

    CODE(CUDA_ERROR_INVALID_VALUE, cu->StreamBeginCapture_v2(stream, (CUstreamCaptureMode)3));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->StreamBeginCapture_v2(stream, (CUstreamCaptureMode)77));
    EQUAL(CU_STREAM_CAPTURE_STATUS_NONE, capture_status(stream));
    OK(cu->StreamBeginCapture_v2(stream, GLOBAL));
    CODE(CUDA_ERROR_ILLEGAL_STATE, cu->StreamBeginCapture_v2(stream, GLOBAL));
    CODE(CUDA_ERROR_ILLEGAL_STATE, cu->StreamBeginCapture_v2(stream, RELAXED));
    capture_end(stream); /* the first capture is active */
}

MEASURED_CASE(062, status_and_end_of_a_capture)
{
    CUgraph graph = NULL;
    CUstream stream = begin_stream();

    CODE(CUDA_ERROR_ILLEGAL_STATE, cu->StreamEndCapture(stream, &graph));
    CHECK(graph == NULL);
    EQUAL(0, capture_status(stream));
    capture_begin(stream, GLOBAL);
    EQUAL(1, capture_status(stream));
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cu->StreamQuery(stream));
    EQUAL(2, capture_status(stream));
    capture_invalidated(stream);
    CODE(CUDA_ERROR_ILLEGAL_STATE, cu->StreamEndCapture(stream, &graph));
    OK(cu->StreamQuery(stream));
    capture_begin(stream, GLOBAL); /* the stream can be captured again */
    capture_end(stream);
}

/* A capture that another thread ends. */
struct ending {
    CUstream stream;
    CUcontext context;
    CUgraph graph;
    CUresult code;
};

static void *end_elsewhere(void *data)
{
    struct ending *ending = data;

    if (cu->CtxSetCurrent(ending->context) == CUDA_SUCCESS)
        ending->code = cu->StreamEndCapture(ending->stream, &ending->graph);
    return NULL;
}

static void run_ending(struct ending *ending)
{
    pthread_t thread;

    ending->code = CUDA_ERROR_UNKNOWN;
    if (pthread_create(&thread, NULL, end_elsewhere, ending) != 0)
        fail("a thread cannot be created");
    pthread_join(thread, NULL);
}

MEASURED_CASE(070, another_thread_may_not_end_it)
{
    struct ending ending = {.context = begin_context()};
    CUgraph graph = NULL;

    ending.stream = begin_stream();
    for (unsigned i = 0; i < CAPTURE_MODES; i++) {
        ending.graph = NULL;
        capture_begin(ending.stream, capture_modes[i]);
        run_ending(&ending);
        if (capture_modes[i] == RELAXED) {
            OK(ending.code);
            CHECK(ending.graph != NULL);
            continue;
        }
        CODE(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, ending.code);
        EQUAL(CU_STREAM_CAPTURE_STATUS_NONE, capture_status(ending.stream));
        CODE(CUDA_ERROR_ILLEGAL_STATE, cu->StreamEndCapture(ending.stream, &graph));
    }
}

MEASURED_CASE(071, event_of_an_ended_capture_is_refused)
{
    CUstream stream = begin_stream(), other = begin_stream();
    CUevent event = begin_event(), done = begin_done();
    float ms = -7;

    capture_begin(stream, GLOBAL);
    OK(cu->EventRecord(event, stream));
    capture_end(stream);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->EventQuery(event));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->EventSynchronize(event));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->EventElapsedTime(&ms, done, event));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->EventElapsedTime_v2(&ms, event, done));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->EventElapsedTime(&ms, event, event));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->StreamWaitEvent(other, event, 0));
    CHECK(ms == -7);
    capture_begin(other, GLOBAL);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->StreamWaitEvent(other, event, 1));
    ONE_OF(cu->StreamEndCapture(other, &(CUgraph){NULL}), 0, 901);
    OK(cu->EventRecord(event, stream));
    OK(cu->EventSynchronize(event));
    OK(cu->EventQuery(event));
    OK(cu->EventElapsedTime(&ms, done, event));
    CHECK(ms > 0);
}

MEASURED_CASE(072, capturing_stream_can_be_destroyed)
{
    CUstream stream = begin_stream(), fork = begin_stream();
    CUevent event = begin_event();

    capture_begin(stream, GLOBAL);
    capture_join(stream, fork);
    OK(cu->EventRecord(event, stream));
    OK(cu->StreamDestroy_v2(stream));
    EQUAL(CU_STREAM_CAPTURE_STATUS_NONE, capture_status(fork));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->EventQuery(event));
    OK(cu->StreamQuery(fork));
}

MEASURED_CASE(072, mode_of_the_thread_is_exchanged)
{
    CUstreamCaptureMode mode = RELAXED;
    CUstream stream = begin_stream();
    CUevent done = begin_done();

    capture_begin(stream, GLOBAL);
    OK(cu->ThreadExchangeStreamCaptureMode(&mode));
    EQUAL(GLOBAL, mode);
    OK(cu->EventQuery(done)); /* allowed now, and does not invalidate */
    capture_active(stream);
    OK(cu->ThreadExchangeStreamCaptureMode(&mode));
    EQUAL(RELAXED, mode);
    capture_end(stream);
    for (int i = 0; i < CAPTURE_MODES * CAPTURE_MODES; i++) {
        const CUstreamCaptureMode captured = capture_modes[i / CAPTURE_MODES],
                                  own = capture_modes[i % CAPTURE_MODES];
        const bool relaxed = captured == RELAXED || own == RELAXED;

        mode = own;
        capture_begin(stream, captured);
        OK(cu->ThreadExchangeStreamCaptureMode(&mode));
        CODE(relaxed ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cu->EventQuery(done));
        OK(cu->ThreadExchangeStreamCaptureMode(&mode));
        (relaxed ? capture_end : capture_invalidated)(stream);
    }
    mode = (CUstreamCaptureMode)9; /* an unknown mode, which is accepted */
    OK(cu->ThreadExchangeStreamCaptureMode(&mode));
    EQUAL(GLOBAL, mode);
}

DOCUMENTED_CASE(073, capture_functions_answer_what_is_listed)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    const CUgraphNode *nodes = NULL;
    cuuint64_t id = 0;
    CUgraph graph = NULL;
    CUstream stream = begin_stream();
    size_t count = 0;

    ONE_OF(cu->StreamIsCapturing(stream, &status), 0, 4, 3, 1, 906);
    ONE_OF(cu->StreamIsCapturing(stream, NULL), 4, 3, 1, 906);
    ONE_OF(cu->StreamIsCapturing(NULL, &status), 0, 4, 3, 1, 906);
    ONE_OF(cu->StreamGetCaptureInfo_v2(stream, &status, &id, &graph, &nodes, &count), 0, 1, 906,
           402);
    ONE_OF(cu->StreamGetCaptureInfo_v2(stream, NULL, &id, &graph, &nodes, &count), 1, 906, 402);
    ONE_OF(cu->StreamUpdateCaptureDependencies(stream, NULL, 0, 0), 1, 401);
    ONE_OF(cu->StreamEndCapture(stream, NULL), 4, 3, 1, 401, 908); /* 401: statement 62 */
    capture_begin(stream, GLOBAL);
    ONE_OF(cu->StreamIsCapturing(stream, &status), 0);
    EQUAL(CU_STREAM_CAPTURE_STATUS_ACTIVE, status);
    OK(cu->LaunchHostFunc(stream, do_nothing, NULL));
    OK(cu->StreamGetCaptureInfo_v2(stream, &status, &id, &graph, &nodes, &count));
    EQUAL(CU_STREAM_CAPTURE_STATUS_ACTIVE, status);
    EQUAL(1, count);
    CHECK(id != 0 && graph != NULL && nodes != NULL);
    ONE_OF(cu->StreamUpdateCaptureDependencies(stream, NULL, 0, 77), 1, 401);
    OK(cu->StreamUpdateCaptureDependencies(stream, NULL, 0, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    OK(cu->StreamGetCaptureInfo_v2(stream, &status, &id, &graph, &nodes, &count));
    EQUAL(0, count);
    ONE_OF(cu->StreamEndCapture(stream, &graph), 0, 4, 3, 1, 908, 904);
}

/* Captures of several streams. Statement 68. */

/* Two streams, and the events that connect them. */
struct pair {
    CUstream origin, fork;
    CUevent forked, joined;
};

static struct pair begin_pair(void)
{
    struct pair pair;

    pair.origin = begin_stream();
    pair.fork = begin_stream();
    pair.forked = begin_event();
    pair.joined = begin_event();
    return pair;
}

/* Begin a capture of `origin`, let `fork` join it, and queue work in `fork`. */
static void begin_fork(const struct pair *pair)
{
    capture_begin(pair->origin, GLOBAL);
    OK(cu->EventRecord(pair->forked, pair->origin));
    EQUAL(CU_STREAM_CAPTURE_STATUS_NONE, capture_status(pair->fork));
    OK(cu->StreamWaitEvent(pair->fork, pair->forked, 0));
    capture_active(pair->fork);
    OK(cu->LaunchHostFunc(pair->fork, do_nothing, NULL));
}

static cuuint64_t capture_id(CUstream stream)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    cuuint64_t id = 0;

    MUST(cu->StreamGetCaptureInfo_v2(stream, &status, &id, NULL, NULL, NULL));
    return id;
}

DOCUMENTED_CASE(068, joined_fork_is_captured)
{
    struct pair pair = begin_pair();
    CUstream third = begin_stream();

    begin_fork(&pair);
    CHECK(capture_id(pair.origin) == capture_id(pair.fork));
    OK(cu->EventRecord(pair.joined, pair.fork));
    OK(cu->StreamWaitEvent(pair.origin, pair.joined, 0));
    capture_end(pair.origin);
    EQUAL(CU_STREAM_CAPTURE_STATUS_NONE, capture_status(pair.fork));
    OK(cu->StreamQuery(pair.fork));
    begin_fork(&pair);
    capture_join(pair.fork, third);
    OK(cu->LaunchHostFunc(third, do_nothing, NULL));
    capture_join(third, pair.origin); /* and so the work of the fork */
    graph_captured(pair.origin, "hh ab");
}

DOCUMENTED_CASE(068, unjoined_fork_is_904)
{
    struct pair pair = begin_pair();
    CUgraph graph = NULL;

    begin_fork(&pair);
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, cu->StreamEndCapture(pair.origin, &graph));
    CHECK(graph == NULL);
    EQUAL(CU_STREAM_CAPTURE_STATUS_NONE, capture_status(pair.origin));
    begin_fork(&pair);
    capture_join(pair.fork, pair.origin);
    OK(cu->LaunchHostFunc(pair.fork, do_nothing, NULL)); /* behind the join */
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, cu->StreamEndCapture(pair.origin, &graph));
    CHECK(graph == NULL);
}

DOCUMENTED_CASE(068, end_of_a_fork_is_903)
{
    struct pair pair = begin_pair();
    CUgraph graph = NULL;

    begin_fork(&pair);
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, cu->StreamEndCapture(pair.fork, &graph));
    CODE(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cu->StreamEndCapture(pair.origin, &graph));
    CHECK(graph == NULL);
    EQUAL(CU_STREAM_CAPTURE_STATUS_NONE, capture_status(pair.origin));
}

DOCUMENTED_CASE(068, two_captures_must_not_be_joined)
{
    struct pair pair = begin_pair();

    capture_begin(pair.origin, GLOBAL);
    capture_begin(pair.fork, GLOBAL);
    CHECK(capture_id(pair.origin) != capture_id(pair.fork));
    OK(cu->EventRecord(pair.forked, pair.origin));
    CODE(CUDA_ERROR_STREAM_CAPTURE_MERGE, cu->StreamWaitEvent(pair.fork, pair.forked, 0));
    capture_invalidated(pair.origin);
    capture_invalidated(pair.fork);
}
