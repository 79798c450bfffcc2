/* SPDX-License-Identifier: Apache-2.0 */
/* Captures at their edges: streams that go, captures that meet, and what is told of edges. */
#include "tests/mock/world.h"

static void stream_that_joined_and_is_destroyed_leaves_its_work_unjoined(void **state)
{
    const CUstream stream = world_stream(), joined = world_stream();
    CUgraph graph = NULL;

    (void)state;
    capture_begin(stream);
    capture_work(stream);
    capture_tie(stream, joined);
    capture_work(joined);
    OK(driver->StreamDestroy_v2(joined));
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, driver->StreamEndCapture(stream, &graph));
    assert_null(graph);
    OK(driver->StreamDestroy_v2(stream));
}

static void two_captures_that_meet_are_both_spoilt(void **state)
{
    const CUstream one = world_stream(), other = world_stream();
    const CUevent event = world_event();
    CUgraph graph = NULL;

    (void)state;
    capture_begin(one);
    capture_begin(other);
    capture_work(one);
    OK(driver->EventRecord(event, one));
    CODE(CUDA_ERROR_STREAM_CAPTURE_MERGE, driver->StreamWaitEvent(other, event, 0));
    assert_int_equal(capture_status(one), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    assert_int_equal(capture_status(other), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    CODE(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, driver->StreamEndCapture(one, &graph));
    CODE(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, driver->StreamEndCapture(other, &graph));
    assert_null(graph);
    OK(driver->EventDestroy_v2(event));
    OK(driver->StreamDestroy_v2(other));
    OK(driver->StreamDestroy_v2(one));
}

static void legacy_stream_cannot_join_a_capture(void **state)
{
    const CUstream stream = world_stream();
    const CUevent event = world_event();
    CUgraph graph = NULL;

    (void)state;
    capture_begin(stream);
    capture_work(stream);
    OK(driver->EventRecord(event, stream));
    CODE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, driver->StreamWaitEvent(NULL, event, 0));
    assert_int_equal(capture_status(stream), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    CODE(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, driver->StreamEndCapture(stream, &graph));
    OK(driver->EventDestroy_v2(event));
    OK(driver->StreamDestroy_v2(stream));
}

/* A capture of another context is not spoilt. */
static void waiting_for_a_context_spoils_what_is_captured_in_it(void **state)
{
    const CUstream stream = world_stream();
    CUgraph graph = NULL;
    CUcontext context;

    (void)state;
    OK(driver->StreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(driver->CtxCreate_v2(&context, 0, 0));
    OK(driver->CtxSynchronize());
    assert_int_equal(capture_status(stream), CU_STREAM_CAPTURE_STATUS_ACTIVE);
    OK(driver->CtxPopCurrent_v2(NULL));
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, driver->CtxSynchronize());
    assert_int_equal(capture_status(stream), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    CODE(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, driver->StreamEndCapture(stream, &graph));
    OK(driver->CtxDestroy_v2(context));
    OK(driver->StreamDestroy_v2(stream));
}

static void edges_with_data_are_not_told_without_it(void **state)
{
    const CUgraphEdgeData *data = NULL;
    const CUgraphNode *nodes = NULL;
    const CUstream stream = world_stream();
    CUstreamCaptureStatus status = (CUstreamCaptureStatus)9;
    cuuint64_t id;
    CUgraph graph;
    size_t count = 0;

    (void)state;
    capture_begin(stream);
    OK(driver->StreamGetCaptureInfo_v3(stream, &status, &id, &graph, &nodes, &data, &count));
    assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
    assert_int_equal(count, 0);
    assert_null(data);
    capture_work(stream);
    OK(driver->StreamGetCaptureInfo_v3(stream, &status, &id, &graph, &nodes, &data, &count));
    assert_int_equal(count, 1);
    assert_non_null(data);
    assert_true(data[0].type == 0 && data[0].from_port == 0);
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->StreamGetCaptureInfo_v3(stream, &status, &id, &graph, NULL, &data, &count));
    graph = capture_end(stream);
    OK(driver->GraphDestroy(graph));
    OK(driver->StreamDestroy_v2(stream));
}

static void memory_of_a_pool_is_not_for_captures(void **state)
{
    const CUstream stream = world_stream(), free_stream = world_stream();
    CUgraph graph = NULL;
    CUdeviceptr memory = 0;

    (void)state;
    OK(driver->StreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    CODE(CUDA_ERROR_NOT_SUPPORTED, driver->MemAllocAsync(&memory, 64, stream));
    assert_int_equal(memory, 0);
    OK(driver->MemAllocAsync(&memory, 64, free_stream));
    OK(driver->MemFreeAsync(memory, free_stream));
    driver->StreamEndCapture(stream, &graph);
    if (graph)
        OK(driver->GraphDestroy(graph));
    OK(driver->StreamDestroy_v2(free_stream));
    OK(driver->StreamDestroy_v2(stream));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, world_auto, world_done)
    const struct CMUnitTest tests[] = {
        TEST(stream_that_joined_and_is_destroyed_leaves_its_work_unjoined),
        TEST(two_captures_that_meet_are_both_spoilt),
        TEST(legacy_stream_cannot_join_a_capture),
        TEST(waiting_for_a_context_spoils_what_is_captured_in_it),
        TEST(edges_with_data_are_not_told_without_it),
        TEST(memory_of_a_pool_is_not_for_captures),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
