/* SPDX-License-Identifier: Apache-2.0 */
/* What captures forbid, and what becomes of them when something they need is destroyed. */
#include <pthread.h>

#include "tests/mock/world.h"

static const CUstreamCaptureMode GLOBAL = CU_STREAM_CAPTURE_MODE_GLOBAL;
static const CUstreamCaptureMode THREAD_LOCAL = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
static const CUstreamCaptureMode RELAXED = CU_STREAM_CAPTURE_MODE_RELAXED;

static void drop(CUgraph graph)
{
    OK(driver->GraphDestroy(graph));
}

/* What another thread may do, by the modes of the capture and of that thread. */
static struct other {
    CUstreamCaptureMode mode, former;
    CUevent event;
    CUresult code;
} other;

static void *query_elsewhere(void *data)
{
    CUstreamCaptureMode mode = other.mode;

    other.code = driver->ThreadExchangeStreamCaptureMode(&mode);
    other.former = mode;
    if (other.code == CUDA_SUCCESS)
        other.code = driver->EventQuery(other.event);
    return data;
}

static void other_threads_are_bound_by_global_captures(void **state)
{
    static const struct {
        CUstreamCaptureMode capture, thread;
        CUresult code;
    } cases[] = {
        {CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_GLOBAL,
         CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED},
        {CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, CUDA_SUCCESS},
        {CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_RELAXED, CUDA_SUCCESS},
        {CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, CU_STREAM_CAPTURE_MODE_GLOBAL, CUDA_SUCCESS},
        {CU_STREAM_CAPTURE_MODE_RELAXED, CU_STREAM_CAPTURE_MODE_GLOBAL, CUDA_SUCCESS},
    };
    CUstream stream = world_stream();

    (void)state;
    other.event = world_event();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CUgraph graph = NULL;
        pthread_t thread;
        CUresult code;

        OK(driver->StreamBeginCapture_v2(stream, cases[i].capture));
        other.mode = cases[i].thread;
        assert_int_equal(pthread_create(&thread, NULL, query_elsewhere, NULL), 0);
        pthread_join(thread, NULL);
        assert_int_equal(other.code, cases[i].code);
        assert_int_equal(other.former, GLOBAL);
        code = driver->StreamEndCapture(stream, &graph);
        assert_int_equal(code, cases[i].code ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : 0);
        if (graph)
            drop(graph);
    }
    OK(driver->EventDestroy_v2(other.event));
    OK(driver->StreamDestroy_v2(stream));
}

static void own_captures_bind_unless_one_of_the_two_is_relaxed(void **state)
{
    const CUstreamCaptureMode modes[] = {GLOBAL, THREAD_LOCAL, RELAXED};
    CUstream stream = world_stream();
    CUevent event = world_event();

    (void)state;
    for (size_t capture = 0; capture < 3; capture++) {
        for (size_t thread = 0; thread < 3; thread++) {
            const bool relaxed = capture == 2 || thread == 2;
            CUstreamCaptureMode mode = modes[thread];
            CUgraph graph = NULL;

            OK(driver->StreamBeginCapture_v2(stream, modes[capture]));
            OK(driver->ThreadExchangeStreamCaptureMode(&mode));
            CODE(relaxed ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                 driver->EventQuery(event));
            OK(driver->ThreadExchangeStreamCaptureMode(&mode));
            driver->StreamEndCapture(stream, &graph);
            assert_int_equal(graph != NULL, relaxed);
            if (graph)
                drop(graph);
        }
    }
    OK(driver->EventDestroy_v2(event));
    OK(driver->StreamDestroy_v2(stream));
}

static void destroyed_stream_takes_its_capture_along(void **state)
{
    CUstream origin = world_stream(), fork = world_stream(), third = world_stream();
    CUevent event = world_event();

    (void)state;
    capture_begin(origin);
    capture_tie(origin, fork);
    OK(driver->EventRecord(event, origin));
    OK(driver->StreamDestroy_v2(origin));
    assert_int_equal(capture_status(fork), CU_STREAM_CAPTURE_STATUS_NONE);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->EventQuery(event));
    OK(driver->StreamQuery(third));
    OK(driver->EventDestroy_v2(event));
    OK(driver->StreamDestroy_v2(fork));
    OK(driver->StreamDestroy_v2(third));
}

static void destroyed_context_takes_its_captures_along(void **state)
{
    CUstream stream, other_stream = world_stream();
    CUcontext context;

    (void)state;
    OK(driver->CtxCreate_v2(&context, 0, 0));
    OK(driver->StreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    capture_begin(stream);
    capture_work(stream);
    OK(driver->CtxDestroy_v2(context));
    OK(driver->StreamQuery(other_stream)); /* nothing is captured any more */
    CODE(CUDA_ERROR_CONTEXT_IS_DESTROYED, driver->StreamDestroy_v2(stream));
    OK(driver->StreamDestroy_v2(other_stream));
}

static void node_of_a_capture_stays(void **state)
{
    CUstream stream = world_stream();
    CUstreamCaptureStatus active;
    const CUgraphNode *dependencies;
    CUgraph graph;
    size_t count;

    (void)state;
    capture_begin(stream);
    capture_work(stream);
    OK(driver->StreamGetCaptureInfo_v2(stream, &active, NULL, NULL, &dependencies, &count));
    CODE(CUDA_ERROR_ILLEGAL_STATE, driver->GraphDestroyNode(dependencies[0]));
    graph = capture_end(stream);
    OK(driver->GraphGetNodes(graph, NULL, &count));
    assert_int_equal(count, 1);
    drop(graph);
    OK(driver->StreamDestroy_v2(stream));
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, world_auto, world_done)
    const struct CMUnitTest tests[] = {
        CASE(other_threads_are_bound_by_global_captures),
        CASE(own_captures_bind_unless_one_of_the_two_is_relaxed),
        CASE(destroyed_stream_takes_its_capture_along),
        CASE(destroyed_context_takes_its_captures_along),
        CASE(node_of_a_capture_stays),
    };

    return cmocka_run_group_tests_name("capture rules", tests, NULL, NULL);
}
