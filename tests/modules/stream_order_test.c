/* SPDX-License-Identifier: Apache-2.0 */
/* Streams that wait for events and for each other; and host functions. */
#include "../support/event_info.h"
#include "testkit.h"

/* --- events --- */

TEST(wait_event_has_no_flags_on_any_stream)
{
    struct cushim_stream *of_context = testkit_stream(DEFAULT_OF_CONTEXT);
    struct cushim_event *event = testkit_event(NULL);

    OK(cushim_stream_wait_event(testkit.stream, event));
    assert_int_equal(testkit_argument("cuStreamWaitEvent", "Flags"), 0);
    testkit_forget();
    OK(cushim_stream_wait_event(of_context, event));
    assert_int_equal(testkit_argument("cuStreamWaitEvent", "Flags"), 0);
    assert_calls(IN_FIRST("cuStreamWaitEvent"));
    OK(cushim_event_release(event));
    OK(cushim_stream_release(of_context));
}

TEST(closed_and_null_events_are_refused_on_any_stream)
{
    struct cushim_event *event = testkit_event(NULL);

    OK(cushim_event_close(event));
    testkit_enter(NULL); /* the driver would refuse its missing context first */
    for (enum testkit_stream_kind kind = 0; kind < KINDS; kind++) {
        struct cushim_stream *stream = testkit_stream(kind);

        CODE(CUDA_ERROR_INVALID_HANDLE, cushim_stream_wait_event(stream, event));
        CODE(CUDA_ERROR_INVALID_HANDLE, cushim_event_record(event, stream));
        testkit_forget();
        CODE(CUDA_ERROR_INVALID_HANDLE, cushim_stream_wait_event(stream, NULL));
        CODE(CUDA_ERROR_INVALID_HANDLE, cushim_event_record(NULL, stream));
        assert_calls("");
        OK(cushim_stream_release(stream));
    }
    OK(cushim_event_release(event));
}

/* --- streams --- */

TEST(wait_stream_holds_up_until_the_other_is_done)
{
    for (enum testkit_stream_kind kind = 0; kind < DEFAULT_BARE; kind++) {
        struct cushim_stream *other = testkit_stream(kind);

        testkit_hold(testkit.first, testkit_handle(other));
        OK(cushim_stream_wait_stream(testkit.other, other));
        CODE(CUDA_ERROR_NOT_READY, cushim_stream_query(testkit.other));
        testkit_resume();
        OK(cushim_stream_query(testkit.other));
        OK(cushim_stream_release(other));
    }
}

TEST(wait_stream_takes_an_event_without_timing)
{
    OK(cushim_stream_wait_stream(testkit.other, testkit.stream));
    assert_int_equal(testkit_argument("cuEventCreate", "Flags"), CU_EVENT_DISABLE_TIMING);
    assert_calls(IN_FIRST("cuEventCreate cuEventRecord") " cuStreamWaitEvent cuEventDestroy_v2");
}

TEST(default_streams_of_the_current_context_can_wait_and_be_waited_for)
{
    testkit_hold(testkit.current, CU_STREAM_PER_THREAD);
    OK(cushim_stream_wait_stream(testkit.stream, cushim_stream_per_thread()));
    CODE(CUDA_ERROR_NOT_READY, cushim_stream_query(testkit.stream));
    OK(cushim_stream_wait_stream(cushim_stream_legacy(), testkit.stream));
    CODE(CUDA_ERROR_NOT_READY, cushim_stream_query(cushim_stream_legacy()));
    testkit_resume();
    OK(cushim_stream_query(cushim_stream_legacy()));
    testkit_enter(NULL);
    CODE(CUDA_ERROR_INVALID_CONTEXT,
         cushim_stream_wait_stream(testkit.stream, cushim_stream_legacy()));
}

TEST(wait_stream_refuses_closed_ones_before_any_driver_call)
{
    const CUresult refused = CUDA_ERROR_INVALID_HANDLE;

    OK(cushim_stream_close(testkit.other));
    CODE(refused, cushim_stream_wait_stream(testkit.other, testkit.stream));
    CODE(refused, cushim_stream_wait_stream(testkit.stream, testkit.other));
    assert_calls("");
}

TEST(wait_stream_returns_the_first_failure_and_logs_that_of_destroy)
{
    testkit_fault("cuEventDestroy_v2:phase=after => return(UNKNOWN)");
    CODE(CUDA_ERROR_UNKNOWN, cushim_stream_wait_stream(testkit.other, testkit.stream));
    assert_int_equal(testkit.log_lines, 1);
    testkit_fault("cuStreamWaitEvent => return(LAUNCH_FAILED)");
    CODE(CUDA_ERROR_LAUNCH_FAILED, cushim_stream_wait_stream(testkit.other, testkit.stream));
    assert_int_equal(testkit.log_lines, 2);
}

/* --- host functions --- */

static void CUDA_CB do_nothing(void *data)
{
}

TEST(host_function_of_a_default_stream_is_queued_in_its_context)
{
    struct cushim_stream *stream = testkit_stream(DEFAULT_OF_CONTEXT);

    OK(cushim_stream_launch_host_function(stream, do_nothing, NULL));
    assert_calls(IN_FIRST("cuLaunchHostFunc"));
    OK(cushim_stream_release(stream));
}
