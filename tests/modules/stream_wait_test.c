/* SPDX-License-Identifier: Apache-2.0 */
/* Asking whether a stream is done and waiting for that, in which context, and for how long. */
#include "stream_world.h"

#include "loader/system.h"

static void query_has_three_answers(void **state)
{
    (void)state;
    for (enum stream_kind kind = 0; kind < DEFAULT_BARE; kind++) {
        struct cushim_stream *stream = stream_make(kind);

        assert_int_equal(cushim_stream_query(stream), CUDA_SUCCESS);
        fake_stream_hold(world.handle, stream_handle(stream), FAKE_FOREVER);
        assert_int_equal(cushim_stream_query(stream), CUDA_ERROR_NOT_READY);
        fake_stream_go(world.handle, stream_handle(stream));
        assert_int_equal(cushim_stream_query(stream), CUDA_SUCCESS);
        fake_fail("cuStreamQuery", 1, CUDA_ERROR_LAUNCH_FAILED);
        assert_int_equal(cushim_stream_query(stream), CUDA_ERROR_LAUNCH_FAILED);
        stream_drop(stream);
    }
}

static void query_of_a_created_stream_is_one_driver_call(void **state)
{
    struct cushim_stream *stream = stream_create();

    (void)state;
    fake_forget();
    assert_int_equal(cushim_stream_query(stream), CUDA_SUCCESS);
    assert_string_equal(fake_order(), "cuStreamQuery");
    stream_drop(stream);
}

static void default_stream_acts_in_its_own_context(void **state)
{
    static const CUstream handles[] = {NULL, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD};

    (void)state;
    for (size_t i = 0; i < COUNT(handles); i++) {
        struct cushim_stream *stream = NULL;

        assert_int_equal(cushim_stream_wrap(&stream, handles[i], world.context), CUDA_SUCCESS);
        fake_stream_hold(world.handle, handles[i], FAKE_FOREVER);
        fake_forget();
        assert_int_equal(cushim_stream_query(stream), CUDA_ERROR_NOT_READY);
        assert_string_equal(fake_order(), "cuCtxPushCurrent_v2 cuStreamQuery cuCtxPopCurrent_v2");
        assert_ptr_equal(fake_current(), world.current);
        assert_int_equal(cushim_stream_synchronize(stream), CUDA_SUCCESS);
        assert_int_equal(cushim_stream_query(stream), CUDA_SUCCESS);
        stream_drop(stream);
    }
}

static void default_stream_without_a_context_acts_in_the_current_one(void **state)
{
    struct cushim_stream *stream = stream_make(DEFAULT_BARE);

    (void)state;
    fake_stream_hold(world.current, CU_STREAM_PER_THREAD, FAKE_FOREVER);
    fake_forget();
    assert_int_equal(cushim_stream_query(stream), CUDA_ERROR_NOT_READY);
    assert_string_equal(fake_order(), "cuStreamQuery");
    fake_stream_go(world.current, CU_STREAM_PER_THREAD);
    fake_enter(NULL);
    assert_int_equal(cushim_stream_query(stream), CUDA_ERROR_INVALID_CONTEXT);
    stream_drop(stream);
}

static void query_tells_that_the_context_was_not_put_back(void **state)
{
    static const struct {
        CUresult query, answer;
        unsigned lines;
    } cases[] = {
        {CUDA_SUCCESS, CUDA_ERROR_UNKNOWN, 0},
        {CUDA_ERROR_NOT_READY, CUDA_ERROR_UNKNOWN, 0},
        {CUDA_ERROR_LAUNCH_FAILED, CUDA_ERROR_LAUNCH_FAILED, 1},
    };
    struct cushim_stream *stream = stream_default();

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        stream_log_lines = 0;
        if (cases[i].query == CUDA_ERROR_NOT_READY)
            fake_stream_hold(world.handle, CU_STREAM_PER_THREAD, FAKE_FOREVER);
        fake_break_context(world.handle, i == 2 ? cases[i].query : CUDA_SUCCESS);
        fake_fail("cuCtxPopCurrent_v2", 1, CUDA_ERROR_UNKNOWN);
        assert_int_equal(cushim_stream_query(stream), cases[i].answer);
        assert_int_equal(stream_log_lines, cases[i].lines);
        fake_stack_put_back();
    }
    stream_drop(stream);
}

static void wait_for_looks_once_without_a_timeout(void **state)
{
    struct cushim_stream *stream = stream_create();

    (void)state;
    fake_forget();
    assert_int_equal(cushim_stream_wait_for(stream, 0), CUDA_SUCCESS);
    fake_stream_hold(world.handle, stream_handle(stream), FAKE_FOREVER);
    assert_int_equal(cushim_stream_wait_for(stream, 0), CUDA_ERROR_TIMEOUT);
    assert_string_equal(fake_order(), "cuStreamQuery cuStreamQuery");
    assert_int_equal(cushim_stream_query(stream), CUDA_ERROR_NOT_READY);
    stream_drop(stream);
}

static void wait_for_ends_when_the_work_does(void **state)
{
    (void)state;
    for (enum stream_kind kind = 0; kind < DEFAULT_BARE; kind++) {
        struct cushim_stream *stream = stream_make(kind);

        fake_stream_hold(world.handle, stream_handle(stream), 10);
        assert_int_equal(cushim_stream_wait_for(stream, UINT64_MAX), CUDA_SUCCESS);
        stream_drop(stream);
    }
    assert_int_equal(fake_calls("cuStreamQuery"), 11 * DEFAULT_BARE);
}

static void wait_for_ends_at_its_deadline(void **state)
{
    const uint64_t timeout_ns = 2 * 1000 * 1000;
    struct cushim_stream *stream = stream_create();
    uint64_t start;

    (void)state;
    fake_stream_hold(world.handle, stream_handle(stream), FAKE_FOREVER);
    start = cushim__clock_ns();
    assert_int_equal(cushim_stream_wait_for(stream, timeout_ns), CUDA_ERROR_TIMEOUT);
    assert_true(cushim__clock_ns() - start >= timeout_ns);
    stream_drop(stream);
}

static void wait_for_ends_with_the_first_failure(void **state)
{
    struct cushim_stream *stream = stream_default();

    (void)state;
    fake_stream_hold(world.handle, CU_STREAM_PER_THREAD, FAKE_FOREVER);
    fake_fail("cuStreamQuery", 3, CUDA_ERROR_LAUNCH_FAILED);
    assert_int_equal(cushim_stream_wait_for(stream, UINT64_MAX), CUDA_ERROR_LAUNCH_FAILED);
    fake_fail("cuCtxPopCurrent_v2", 3, CUDA_ERROR_UNKNOWN);
    assert_int_equal(cushim_stream_wait_for(stream, UINT64_MAX), CUDA_ERROR_UNKNOWN);
    fake_stack_put_back();
    stream_drop(stream);
}

static void waiting_in_a_capture_answers_as_the_driver_does(void **state)
{
    struct cushim_stream *capturing = stream_create(), *stream = stream_create();
    CUstreamCaptureStatus status;
    CUgraph graph = NULL;

    (void)state;
    assert_int_equal(cushim_stream_begin_capture(capturing, CU_STREAM_CAPTURE_MODE_RELAXED), 0);
    assert_int_equal(cushim_stream_query(stream), CUDA_SUCCESS);
    assert_int_equal(cushim_stream_synchronize(stream), CUDA_SUCCESS);
    assert_int_equal(cushim_stream_query(capturing), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    assert_int_equal(cushim_stream_capture_status(capturing, &status, NULL), CUDA_SUCCESS);
    assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    assert_int_equal(cushim_stream_end_capture(capturing, &graph),
                     CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    stream_drop(stream);
    stream_drop(capturing);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, stream_world_setup, stream_world_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(query_has_three_answers),
        TEST(query_of_a_created_stream_is_one_driver_call),
        TEST(default_stream_acts_in_its_own_context),
        TEST(default_stream_without_a_context_acts_in_the_current_one),
        TEST(query_tells_that_the_context_was_not_put_back),
        TEST(wait_for_looks_once_without_a_timeout),
        TEST(wait_for_ends_when_the_work_does),
        TEST(wait_for_ends_at_its_deadline),
        TEST(wait_for_ends_with_the_first_failure),
        TEST(waiting_in_a_capture_answers_as_the_driver_does),
    };

    return cmocka_run_group_tests_name("stream_wait", tests, NULL, NULL);
}
