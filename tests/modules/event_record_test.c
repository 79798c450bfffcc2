/* SPDX-License-Identifier: Apache-2.0 */
/* Events: recording, asking and waiting. */
#include "event_world.h"

/* --- recording --- */

static void record_remembers_what_the_driver_took(void **state)
{
    struct cushim_event *event = event_make(NULL);

    (void)state;
    fake_forget();
    fake_fail("cuEventRecord", 1, CUDA_ERROR_UNKNOWN);
    assert_int_equal(cushim_event_record(event, world.stream), CUDA_ERROR_UNKNOWN);
    assert_false(cushim_event_is_recorded(event));
    assert_int_equal(cushim_event_record(event, world.other_stream), CUDA_ERROR_INVALID_HANDLE);
    assert_false(cushim_event_is_recorded(event));
    assert_int_equal(cushim_event_record(event, world.stream), CUDA_SUCCESS);
    assert_true(cushim_event_is_recorded(event));
    assert_string_equal(fake_order(), "cuEventRecord cuEventRecord cuEventRecord");
    event_drop(event);
}

static void record_on_a_closed_stream_is_refused(void **state)
{
    struct cushim_event *event = event_make(NULL);

    (void)state;
    cushim_stream_close(world.stream);
    fake_forget();
    assert_int_equal(cushim_event_record(event, world.stream), 400);
    assert_int_equal(cushim_event_record_with_flags(event, world.stream, 0), 400);
    assert_int_equal(fake_calls(NULL), 0);
    event_drop(event);
}

static void record_on_a_default_stream_acts_in_the_events_context(void **state)
{
    struct cushim_stream *const streams[] = {cushim_stream_legacy(), cushim_stream_per_thread()};

    (void)state;
    fake_enter(world.other_handle);
    for (size_t i = 0; i < COUNT(streams); i++) {
        struct cushim_event *event = event_make(NULL);

        fake_forget();
        assert_int_equal(cushim_event_record(event, streams[i]), CUDA_SUCCESS);
        assert_string_equal(fake_order(), "cuCtxPushCurrent_v2 cuEventRecord cuCtxPopCurrent_v2");
        assert_ptr_equal(event_fake(event)->stream->object.context, world.handle);
        assert_true(cushim_event_is_recorded(event));
        event_drop(event);
    }
}

static void record_on_a_default_stream_prefers_the_streams_context(void **state)
{
    struct cushim_event *event = event_make(NULL), *unknown = event_wrap_unknown(0);
    struct cushim_stream *stream;

    (void)state;
    assert_int_equal(cushim_stream_wrap(&stream, CU_STREAM_LEGACY, world.other), CUDA_SUCCESS);
    assert_int_equal(cushim_event_record(event, stream), CUDA_ERROR_INVALID_HANDLE);
    cushim_stream_release(stream);
    fake_enter(world.handle);
    fake_forget();
    assert_int_equal(cushim_event_record(unknown, cushim_stream_legacy()), CUDA_SUCCESS);
    assert_string_equal(fake_order(), "cuEventRecord");
    event_drop(event);
    event_drop(unknown);
}

static void record_that_cannot_put_the_context_back_says_so(void **state)
{
    struct cushim_event *event = event_make(NULL);

    (void)state;
    fake_fail("cuCtxPopCurrent_v2", 1, CUDA_ERROR_UNKNOWN);
    assert_int_equal(cushim_event_record(event, cushim_stream_legacy()), CUDA_ERROR_UNKNOWN);
    fake_pop();
    event_drop(event);
}

static void record_flags_go_to_the_driver(void **state)
{
    struct cushim_event *event = event_make(NULL);

    (void)state;
    fake_forget();
    assert_int_equal(cushim_event_record_with_flags(event, world.stream, 0), CUDA_SUCCESS);
    assert_int_equal(cushim_event_record_with_flags(event, world.stream, 1), 401);
    assert_int_equal(cushim_event_record_with_flags(event, world.stream, 2), 1);
    assert_int_equal(cushim_event_record_with_flags(event, cushim_stream_legacy(), 1), 401);
    event_begin_capture(world.stream_handle, CU_STREAM_CAPTURE_MODE_RELAXED);
    assert_int_equal(cushim_event_record_with_flags(event, world.stream, 1), CUDA_SUCCESS);
    event_end_capture(world.stream_handle);
    assert_int_equal(fake_calls("cuEventRecord"), 1);
    assert_int_equal(fake_calls("cuEventRecordWithFlags"), 4);
    fake_lack("cuEventRecordWithFlags");
    assert_int_equal(cushim_event_record_with_flags(event, world.stream, 0), CUDA_SUCCESS);
    assert_int_equal(cushim_event_record_with_flags(event, world.stream, 1), 36);
    event_drop(event);
}

/* --- asking and waiting --- */

static void query_has_three_answers(void **state)
{
    struct cushim_event *event = event_make(NULL);

    (void)state;
    assert_int_equal(cushim_event_query(event), CUDA_SUCCESS);
    fake_stream_hold(world.handle, world.stream_handle, FAKE_FOREVER);
    event_record(event);
    assert_int_equal(cushim_event_query(event), CUDA_ERROR_NOT_READY);
    fake_stream_go(world.handle, world.stream_handle);
    assert_int_equal(cushim_event_query(event), CUDA_SUCCESS);
    fake_break_context(world.handle, CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(cushim_event_query(event), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(cushim_event_synchronize(event), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(cushim_event_wait_for(event, UINT64_MAX), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(cushim_event_release(event), CUDA_ERROR_ILLEGAL_ADDRESS);
}

static void synchronize_waits_for_the_work(void **state)
{
    struct cushim_event *event = event_make(NULL);

    (void)state;
    assert_int_equal(cushim_event_synchronize(event), CUDA_SUCCESS);
    fake_stream_hold(world.handle, world.stream_handle, FAKE_FOREVER);
    event_record(event);
    assert_int_equal(cushim_event_synchronize(event), CUDA_SUCCESS);
    assert_int_equal(cushim_event_query(event), CUDA_SUCCESS);
    event_drop(event);
}

static void wait_for_ends_with_the_work_or_the_time(void **state)
{
    struct cushim_event *event = event_make(NULL);

    (void)state;
    fake_stream_hold(world.handle, world.stream_handle, FAKE_FOREVER);
    event_record(event);
    fake_forget();
    assert_int_equal(cushim_event_wait_for(event, 0), CUDA_ERROR_TIMEOUT);
    assert_int_equal(fake_calls("cuEventQuery"), 1);
    assert_int_equal(cushim_event_wait_for(event, 2000000), CUDA_ERROR_TIMEOUT);
    assert_int_equal(cushim_event_query(event), CUDA_ERROR_NOT_READY);
    fake_stream_hold(world.handle, world.stream_handle, 20);
    assert_int_equal(cushim_event_wait_for(event, UINT64_MAX), CUDA_SUCCESS);
    assert_int_equal(cushim_event_wait_for(event, 0), CUDA_SUCCESS);
    event_drop(event);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, event_world_setup, event_world_teardown)
    const struct CMUnitTest tests[] = {
        TEST(record_remembers_what_the_driver_took),
        TEST(record_on_a_closed_stream_is_refused),
        TEST(record_on_a_default_stream_acts_in_the_events_context),
        TEST(record_on_a_default_stream_prefers_the_streams_context),
        TEST(record_that_cannot_put_the_context_back_says_so),
        TEST(record_flags_go_to_the_driver),
        TEST(query_has_three_answers),
        TEST(synchronize_waits_for_the_work),
        TEST(wait_for_ends_with_the_work_or_the_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
