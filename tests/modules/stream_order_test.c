/* SPDX-License-Identifier: Apache-2.0 */
/* Streams that wait for events and for one another, and functions of the host between. */
#include "stream_world.h"

#include <string.h>

static void hold(struct cushim_stream *stream)
{
    fake_stream_hold(world.handle, stream_handle(stream), FAKE_FOREVER);
}

static void go(struct cushim_stream *stream)
{
    fake_stream_go(world.handle, stream_handle(stream));
}

/* --- events --- */

static void wait_event_holds_a_stream_up_until_the_event_is_done(void **state)
{
    struct cushim_stream *stream = stream_create_other(), *other = stream_create();

    (void)state;
    assert_int_equal(cushim_stream_wait_event(stream, world.event, 0), CUDA_SUCCESS);
    assert_int_equal(cushim_stream_query(stream), CUDA_SUCCESS);
    hold(other);
    assert_int_equal(cushim_stream_record(other, world.event), CUDA_SUCCESS);
    assert_true(cushim_event_is_recorded(world.event));
    fake_forget();
    assert_int_equal(cushim_stream_wait_event(stream, world.event, 0), CUDA_SUCCESS);
    assert_string_equal(fake_order(), "cuStreamWaitEvent");
    assert_int_equal(cushim_stream_query(stream), CUDA_ERROR_NOT_READY);
    go(other);
    assert_int_equal(cushim_stream_query(stream), CUDA_SUCCESS);
    stream_drop(stream);
    stream_drop(other);
}

static void wait_event_passes_flags_on(void **state)
{
    struct cushim_stream *stream = stream_create(), *of_context = stream_default();
    CUgraph graph = NULL;

    (void)state;
    assert_int_equal(cushim_stream_wait_event(stream, world.event, 1), CUDA_ERROR_ILLEGAL_STATE);
    assert_int_equal(cushim_stream_wait_event(stream, world.event, 2), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cushim_stream_wait_event(of_context, world.event, 2),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cushim_stream_begin_capture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), 0);
    assert_int_equal(cushim_stream_wait_event(stream, world.event, CU_EVENT_WAIT_EXTERNAL), 0);
    assert_int_equal(cushim_stream_end_capture(stream, &graph), CUDA_SUCCESS);
    assert_int_equal(cushim_driver()->GraphDestroy(graph), CUDA_SUCCESS);
    stream_drop(stream);
    stream_drop(of_context);
}

static void closed_and_null_events_are_refused_on_any_stream(void **state)
{
    (void)state;
    fake_enter(NULL); /* the driver would speak of that first */
    cushim_event_close(world.event);
    for (enum stream_kind kind = 0; kind < STREAM_KINDS; kind++) {
        struct cushim_stream *stream = stream_make(kind);

        assert_int_equal(cushim_stream_wait_event(stream, world.event, 0),
                         CUDA_ERROR_INVALID_HANDLE);
        assert_int_equal(cushim_stream_record(stream, world.event), CUDA_ERROR_INVALID_HANDLE);
        fake_forget();
        assert_int_equal(cushim_stream_wait_event(stream, NULL, 0), CUDA_ERROR_INVALID_HANDLE);
        assert_int_equal(cushim_stream_record(stream, NULL), CUDA_ERROR_INVALID_HANDLE);
        assert_int_equal(fake_calls(NULL), 0);
        stream_drop(stream);
    }
}

/* --- streams --- */

static void wait_stream_holds_up_until_the_other_is_done(void **state)
{
    (void)state;
    for (enum stream_kind kind = 0; kind < DEFAULT_BARE; kind++) {
        struct cushim_stream *stream = stream_create_other(), *other = stream_make(kind);

        hold(other);
        assert_int_equal(cushim_stream_wait_stream(stream, other), CUDA_SUCCESS);
        assert_int_equal(fake_live(FAKE_EVENT), 0);
        assert_ptr_equal(fake_current(), world.current);
        assert_int_equal(cushim_stream_query(stream), CUDA_ERROR_NOT_READY);
        go(other);
        assert_int_equal(cushim_stream_query(stream), CUDA_SUCCESS);
        stream_drop(stream);
        stream_drop(other);
    }
}

static void wait_stream_of_a_created_stream_is_six_driver_calls(void **state)
{
    struct cushim_stream *stream = stream_create(), *other = stream_create();

    (void)state;
    fake_forget();
    assert_int_equal(cushim_stream_wait_stream(stream, other), CUDA_SUCCESS);
    assert_string_equal(fake_order(),
                        "cuCtxPushCurrent_v2 cuEventCreate cuEventRecord cuCtxPopCurrent_v2 "
                        "cuStreamWaitEvent cuEventDestroy_v2");
    stream_drop(stream);
    stream_drop(other);
}

static unsigned flags_of_last_event;

static void see_flags(struct fake_object *object, void *data)
{
    if (!object->foreign && !*(bool *)data)
        flags_of_last_event = ((struct fake_event *)object)->flags;
    *(bool *)data |= !object->foreign;
}

static void wait_stream_takes_no_time_stamp(void **state)
{
    struct cushim_stream *stream = stream_create(), *other = stream_create();
    bool seen = false;

    (void)state;
    assert_int_equal(cushim_stream_wait_stream(stream, other), CUDA_SUCCESS);
    fake_each(FAKE_EVENT, see_flags, &seen);
    assert_true(seen);
    assert_int_equal(flags_of_last_event, CU_EVENT_DISABLE_TIMING);
    stream_drop(stream);
    stream_drop(other);
}

static void default_streams_of_the_current_context_can_wait_and_be_waited_for(void **state)
{
    struct cushim_stream *stream = stream_create();

    (void)state;
    fake_stream_hold(world.current, CU_STREAM_PER_THREAD, FAKE_FOREVER);
    assert_int_equal(cushim_stream_wait_stream(stream, cushim_stream_per_thread()), CUDA_SUCCESS);
    assert_int_equal(cushim_stream_query(stream), CUDA_ERROR_NOT_READY);
    assert_int_equal(cushim_stream_wait_stream(cushim_stream_legacy(), stream), CUDA_SUCCESS);
    assert_int_equal(cushim_stream_query(cushim_stream_legacy()), CUDA_ERROR_NOT_READY);
    fake_stream_go(world.current, CU_STREAM_PER_THREAD);
    assert_int_equal(cushim_stream_query(cushim_stream_legacy()), CUDA_SUCCESS);
    fake_enter(NULL);
    assert_int_equal(cushim_stream_wait_stream(stream, cushim_stream_legacy()),
                     CUDA_ERROR_INVALID_CONTEXT);
    stream_drop(stream);
}

static void wait_stream_refuses_null_and_closed_before_any_driver_call(void **state)
{
    struct cushim_stream *stream = stream_create(), *closed = stream_create();

    (void)state;
    cushim_stream_close(closed);
    fake_forget();
    assert_int_equal(cushim_stream_wait_stream(NULL, stream), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cushim_stream_wait_stream(stream, NULL), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cushim_stream_wait_stream(closed, stream), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cushim_stream_wait_stream(stream, closed), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(fake_calls(NULL), 0);
    stream_drop(stream);
    stream_drop(closed);
}

static void wait_stream_tells_the_first_failure_and_logs_the_other(void **state)
{
    struct cushim_stream *stream = stream_create(), *other = stream_create();

    (void)state;
    fake_fail("cuEventDestroy_v2", 1, CUDA_ERROR_UNKNOWN);
    assert_int_equal(cushim_stream_wait_stream(stream, other), CUDA_ERROR_UNKNOWN);
    assert_int_equal(stream_log_lines, 1);
    fake_fail_from("cuStreamWaitEvent", 1, CUDA_ERROR_LAUNCH_FAILED);
    assert_int_equal(cushim_stream_wait_stream(stream, other), CUDA_ERROR_LAUNCH_FAILED);
    assert_int_equal(stream_log_lines, 1);
    assert_int_equal(fake_live(FAKE_EVENT), 0);
    stream_drop(stream);
    stream_drop(other);
}

/* --- functions of the host --- */

static char story[64];
static char a[] = "a", b[] = "b", c[] = "c";

static void CUDA_CB tell(void *data)
{
    strcat(story, data);
}

static void CUDA_CB tell_status(CUstream stream, CUresult status, void *data)
{
    (void)stream;
    strcat(story, status ? "!" : "");
    strcat(story, data);
}

static void host_functions_are_called_in_order_when_their_turn_comes(void **state)
{
    (void)state;
    for (enum stream_kind kind = 0; kind < DEFAULT_BARE; kind++) {
        struct cushim_stream *stream = stream_make(kind);

        story[0] = '\0';
        hold(stream);
        assert_int_equal(cushim_stream_launch_host_function(stream, tell, a), CUDA_SUCCESS);
        assert_int_equal(cushim_stream_add_callback(stream, tell_status, b), CUDA_SUCCESS);
        assert_int_equal(cushim_stream_launch_host_function(stream, tell, c), CUDA_SUCCESS);
        assert_string_equal(story, "");
        assert_int_equal(cushim_stream_query(stream), CUDA_ERROR_NOT_READY);
        assert_int_equal(cushim_stream_synchronize(stream), CUDA_SUCCESS);
        assert_string_equal(story, "abc");
        stream_drop(stream);
    }
}

static void only_callbacks_are_told_of_a_failure(void **state)
{
    struct cushim_stream *stream = stream_create();

    (void)state;
    story[0] = '\0';
    hold(stream);
    assert_int_equal(cushim_stream_launch_host_function(stream, tell, a), CUDA_SUCCESS);
    assert_int_equal(cushim_stream_add_callback(stream, tell_status, b), CUDA_SUCCESS);
    fake_break_context(world.handle, CUDA_ERROR_LAUNCH_FAILED);
    go(stream);
    assert_string_equal(story, "!b");
    assert_int_equal(cushim_stream_launch_host_function(stream, tell, c), CUDA_ERROR_LAUNCH_FAILED);
    fake_break_context(world.handle, CUDA_SUCCESS);
    stream_drop(stream);
}

static void null_functions_are_refused_by_the_driver(void **state)
{
    struct cushim_stream *stream = stream_create();

    (void)state;
    assert_int_equal(cushim_stream_launch_host_function(stream, NULL, NULL),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cushim_stream_add_callback(stream, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    stream_drop(stream);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, stream_world_setup, stream_world_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(wait_event_holds_a_stream_up_until_the_event_is_done),
        TEST(wait_event_passes_flags_on),
        TEST(closed_and_null_events_are_refused_on_any_stream),
        TEST(wait_stream_holds_up_until_the_other_is_done),
        TEST(wait_stream_of_a_created_stream_is_six_driver_calls),
        TEST(wait_stream_takes_no_time_stamp),
        TEST(default_streams_of_the_current_context_can_wait_and_be_waited_for),
        TEST(wait_stream_refuses_null_and_closed_before_any_driver_call),
        TEST(wait_stream_tells_the_first_failure_and_logs_the_other),
        TEST(host_functions_are_called_in_order_when_their_turn_comes),
        TEST(only_callbacks_are_told_of_a_failure),
        TEST(null_functions_are_refused_by_the_driver),
    };

    return cmocka_run_group_tests_name("stream_order", tests, NULL, NULL);
}
