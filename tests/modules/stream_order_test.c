/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams that wait for events and for each other, which also forks and joins captures; and host
 * functions.
 */
#include "../support/event_info.h"
#include "testkit.h"

/* --- events --- */

TEST(wait_event_holds_a_stream_up_until_the_event_is_done)
{
    struct cushim_stream *other = testkit_stream(CREATED);
    struct cushim_event *event = testkit_event(NULL);

    OK(cushim_stream_wait_event(testkit.other, event));
    OK(cushim_stream_query(testkit.other));
    testkit_hold(testkit.first, testkit_handle(other));
    OK(cushim_event_record(event, other));
    assert_true(event_is_recorded(event));
    testkit_forget();
    OK(cushim_stream_wait_event(testkit.other, event));
    assert_calls("cuStreamWaitEvent");
    CODE(CUDA_ERROR_NOT_READY, cushim_stream_query(testkit.other));
    testkit_resume();
    OK(cushim_stream_query(testkit.other));
    OK(cushim_event_release(event));
    OK(cushim_stream_release(other));
}

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

static char called[2];

static void CUDA_CB call(void *data)
{
    called[0] = *(const char *)data;
}

TEST(host_function_is_called_with_its_data)
{
    char a[] = "a";

    testkit_hold(testkit.first, testkit.stream_handle);
    OK(cushim_stream_launch_host_function(testkit.stream, call, a));
    assert_calls("cuLaunchHostFunc");
    assert_string_equal(called, "");
    testkit_resume();
    assert_string_equal(called, "a");
}

TEST(host_function_of_a_default_stream_is_queued_in_its_context)
{
    struct cushim_stream *stream = testkit_stream(DEFAULT_OF_CONTEXT);

    OK(cushim_stream_launch_host_function(stream, call, called));
    assert_calls(IN_FIRST("cuLaunchHostFunc"));
    OK(cushim_stream_release(stream));
}

/* --- captures --- */

static CUstreamCaptureStatus status_of(const struct cushim_stream *stream, cuuint64_t *id)
{
    CUstreamCaptureStatus status = (CUstreamCaptureStatus)9;

    OK(cushim_driver()->StreamGetCaptureInfo(testkit_handle(stream), &status, id));
    return status;
}

TEST(wait_stream_forks_and_joins_a_capture)
{
    struct cushim_stream *origin = testkit_stream(CREATED), *fork = testkit_stream(CREATED);
    cuuint64_t id = 0, its = 1;
    CUgraph graph = NULL;

    OK(cushim_driver()->StreamBeginCapture_v2(testkit_handle(origin),
                                              CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cushim_stream_wait_stream(fork, origin));
    assert_int_equal(status_of(origin, &id), CU_STREAM_CAPTURE_STATUS_ACTIVE);
    assert_int_equal(status_of(fork, &its), CU_STREAM_CAPTURE_STATUS_ACTIVE);
    assert_true(id == its);
    OK(cushim_stream_wait_stream(origin, fork));
    OK(cushim_driver()->StreamEndCapture(testkit_handle(origin), &graph));
    OK(cushim_driver()->GraphDestroy(graph));
    assert_int_equal(status_of(fork, &its), CU_STREAM_CAPTURE_STATUS_NONE);
    OK(cushim_stream_release(origin));
    OK(cushim_stream_release(fork));
}
