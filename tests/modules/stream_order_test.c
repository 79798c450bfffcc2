/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams that wait for events, for one another and for values; functions of the host between. And
 * captures: what the stream module begins it can end, and nothing is left behind.
 */
#include "testkit.h"

/* --- events --- */

static void wait_event_holds_a_stream_up_until_the_event_is_done(void **state)
{
    struct cushim_stream *other = kit_stream(CREATED);
    struct cushim_event *event = kit_event(NULL);

    (void)state;
    OK(cushim_stream_wait_event(kit.other, event, 0));
    OK(cushim_stream_query(kit.other));
    kit_hold(kit.first, kit_handle(other));
    OK(cushim_stream_record(other, event));
    assert_true(cushim_event_is_recorded(event));
    kit_forget();
    OK(cushim_stream_wait_event(kit.other, event, 0));
    assert_calls("cuStreamWaitEvent");
    CODE(CUDA_ERROR_NOT_READY, cushim_stream_query(kit.other));
    kit_resume();
    OK(cushim_stream_query(kit.other));
    OK(cushim_event_release(event));
    OK(cushim_stream_release(other));
}

static void wait_event_passes_flags_on(void **state)
{
    struct cushim_stream *of_context = kit_stream(DEFAULT_OF_CONTEXT);
    struct cushim_event *event = kit_event(NULL);

    (void)state;
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_stream_wait_event(kit.stream, event, 2));
    assert_int_equal(kit_argument("cuStreamWaitEvent", "Flags"), 2);
    kit_forget();
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_stream_wait_event(of_context, event, 2));
    assert_int_equal(kit_argument("cuStreamWaitEvent", "Flags"), 2);
    assert_calls(IN_FIRST("cuStreamWaitEvent"));
    OK(cushim_event_release(event));
    OK(cushim_stream_release(of_context));
}

static void closed_and_null_events_are_refused_on_any_stream(void **state)
{
    struct cushim_event *event = kit_event(NULL);

    (void)state;
    OK(cushim_event_close(event));
    kit_enter(NULL); /* of which the driver would speak first */
    for (enum kit_stream_kind kind = 0; kind < KINDS; kind++) {
        struct cushim_stream *stream = kit_stream(kind);

        CODE(CUDA_ERROR_INVALID_HANDLE, cushim_stream_wait_event(stream, event, 0));
        CODE(CUDA_ERROR_INVALID_HANDLE, cushim_stream_record(stream, event));
        kit_forget();
        CODE(CUDA_ERROR_INVALID_HANDLE, cushim_stream_wait_event(stream, NULL, 0));
        CODE(CUDA_ERROR_INVALID_HANDLE, cushim_stream_record(stream, NULL));
        assert_calls("");
        OK(cushim_stream_release(stream));
    }
    OK(cushim_event_release(event));
}

/* --- streams --- */

static void wait_stream_holds_up_until_the_other_is_done(void **state)
{
    (void)state;
    for (enum kit_stream_kind kind = 0; kind < DEFAULT_BARE; kind++) {
        struct cushim_stream *other = kit_stream(kind);

        kit_hold(kit.first, kit_handle(other));
        OK(cushim_stream_wait_stream(kit.other, other));
        CODE(CUDA_ERROR_NOT_READY, cushim_stream_query(kit.other));
        kit_resume();
        OK(cushim_stream_query(kit.other));
        OK(cushim_stream_release(other));
    }
}

static void wait_stream_takes_an_event_without_timing(void **state)
{
    (void)state;
    OK(cushim_stream_wait_stream(kit.other, kit.stream));
    assert_int_equal(kit_argument("cuEventCreate", "Flags"), CU_EVENT_DISABLE_TIMING);
    assert_calls(IN_FIRST("cuEventCreate cuEventRecord") " cuStreamWaitEvent cuEventDestroy_v2");
}

static void default_streams_of_the_current_context_can_wait_and_be_waited_for(void **state)
{
    (void)state;
    kit_hold(kit.current, CU_STREAM_PER_THREAD);
    OK(cushim_stream_wait_stream(kit.stream, cushim_stream_per_thread()));
    CODE(CUDA_ERROR_NOT_READY, cushim_stream_query(kit.stream));
    OK(cushim_stream_wait_stream(cushim_stream_legacy(), kit.stream));
    CODE(CUDA_ERROR_NOT_READY, cushim_stream_query(cushim_stream_legacy()));
    kit_resume();
    OK(cushim_stream_query(cushim_stream_legacy()));
    kit_enter(NULL);
    CODE(CUDA_ERROR_INVALID_CONTEXT, cushim_stream_wait_stream(kit.stream, cushim_stream_legacy()));
}

static void wait_stream_refuses_null_and_closed_before_any_driver_call(void **state)
{
    const CUresult refused = CUDA_ERROR_INVALID_HANDLE;

    (void)state;
    OK(cushim_stream_close(kit.other));
    CODE(refused, cushim_stream_wait_stream(NULL, kit.stream));
    CODE(refused, cushim_stream_wait_stream(kit.stream, NULL));
    CODE(refused, cushim_stream_wait_stream(kit.other, kit.stream));
    CODE(refused, cushim_stream_wait_stream(kit.stream, kit.other));
    assert_calls("");
}

static void wait_stream_returns_the_first_failure_and_logs_that_of_destroy(void **state)
{
    (void)state;
    kit_fault("cuEventDestroy_v2:phase=after => return(UNKNOWN)");
    CODE(CUDA_ERROR_UNKNOWN, cushim_stream_wait_stream(kit.other, kit.stream));
    assert_int_equal(kit.log_lines, 1);
    kit_fault("cuStreamWaitEvent => return(LAUNCH_FAILED)");
    CODE(CUDA_ERROR_LAUNCH_FAILED, cushim_stream_wait_stream(kit.other, kit.stream));
    assert_int_equal(kit.log_lines, 2);
}

/* --- functions of the host --- */

static char called[8];

static void CUDA_CB call(void *data)
{
    called[0] = *(const char *)data;
}

static void CUDA_CB call_back(CUstream stream, CUresult status, void *data)
{
    called[1] = stream == kit.stream_handle && !status ? *(const char *)data : '!';
}

static void host_functions_are_called_with_their_data(void **state)
{
    char a[] = "a", b[] = "b";

    (void)state;
    kit_hold(kit.first, kit.stream_handle);
    OK(cushim_stream_launch_host_function(kit.stream, call, a));
    OK(cushim_stream_add_callback(kit.stream, call_back, b));
    assert_calls("cuLaunchHostFunc cuStreamAddCallback");
    assert_string_equal(called, "");
    kit_resume();
    assert_string_equal(called, "ab");
}

/* --- values in memory --- */

static void memory_operations_reach_the_driver_with_their_arguments(void **state)
{
    const cuuint64_t value = UINT64_C(1) << 40 | 7;
    struct cushim_stream *stream = kit_stream(DEFAULT_OF_CONTEXT);
    _Atomic cuuint64_t *memory = NULL;
    CUdeviceptr address;

    (void)state;
    OK(kit.driver->MemHostAlloc((void **)(uintptr_t)&memory, 2 * sizeof *memory, 0));
    address = (CUdeviceptr)(uintptr_t)memory;
    memory[0] = UINT64_MAX;
    OK(cushim_stream_write_value32(stream, address, 7, 0));
    assert_calls(IN_FIRST("cuStreamWriteValue32_v2"));
    OK(cushim_stream_write_value64(stream, address + sizeof *memory, value, 0));
    assert_calls(IN_FIRST("cuStreamWriteValue64_v2"));
    assert_true(memory[0] == (UINT64_MAX << 32 | 7) && memory[1] == value);
    OK(cushim_stream_wait_value32(stream, address, 7, CU_STREAM_WAIT_VALUE_EQ));
    assert_calls(IN_FIRST("cuStreamWaitValue32_v2"));
    OK(cushim_stream_query(stream));
    kit_forget();
    OK(cushim_stream_wait_value64(stream, address + sizeof *memory, value + 1,
                                  CU_STREAM_WAIT_VALUE_GEQ));
    assert_calls(IN_FIRST("cuStreamWaitValue64_v2"));
    CODE(CUDA_ERROR_NOT_READY, cushim_stream_query(stream));
    memory[1]++;
    OK(cushim_stream_query(stream));
    OK(cushim_stream_release(stream));
}

static void flags_of_memory_operations_reach_the_driver(void **state)
{
    const CUdeviceptr address = 8;

    (void)state;
    cushim_stream_wait_value32(kit.stream, address, 0, 4);
    assert_int_equal(kit_argument("cuStreamWaitValue32_v2", "flags"), 4);
    cushim_stream_wait_value64(kit.stream, address, 0, 4);
    assert_int_equal(kit_argument("cuStreamWaitValue64_v2", "flags"), 4);
    cushim_stream_write_value32(kit.stream, address, 0, 2);
    assert_int_equal(kit_argument("cuStreamWriteValue32_v2", "flags"), 2);
    cushim_stream_write_value64(kit.stream, address, 0, 2);
    assert_int_equal(kit_argument("cuStreamWriteValue64_v2", "flags"), 2);
}

static CUstreamCaptureStatus status_of(struct cushim_stream *stream, cuuint64_t *id)
{
    CUstreamCaptureStatus status = (CUstreamCaptureStatus)9;

    OK(cushim_stream_capture_status(stream, &status, id));
    return status;
}

static void end(struct cushim_stream *stream)
{
    CUgraph graph = NULL;

    OK(cushim_stream_end_capture(stream, &graph));
    OK(cushim_driver()->GraphDestroy(graph));
}

static void capture_of_each_kind_of_stream_makes_a_graph(void **state)
{
    (void)state;
    for (int mode = 0; mode <= CU_STREAM_CAPTURE_MODE_RELAXED; mode++) {
        for (enum kit_stream_kind kind = 0; kind < KINDS; kind++) {
            struct cushim_stream *stream = kit_stream(kind);

            assert_int_equal(status_of(stream, NULL), CU_STREAM_CAPTURE_STATUS_NONE);
            OK(cushim_stream_begin_capture(stream, (CUstreamCaptureMode)mode));
            assert_int_equal(kit_argument("cuStreamBeginCapture_v2", "mode"), mode);
            assert_int_equal(status_of(stream, NULL), CU_STREAM_CAPTURE_STATUS_ACTIVE);
            end(stream);
            assert_int_equal(status_of(stream, NULL), CU_STREAM_CAPTURE_STATUS_NONE);
            OK(cushim_stream_release(stream));
        }
    }
}

static void status_has_the_id_of_an_active_capture_only(void **state)
{
    struct cushim_stream *one = kit_stream(CREATED), *other = kit_stream(CREATED);
    cuuint64_t id = 9, its = 9;
    CUgraph graph = NULL;

    (void)state;
    kit_forget();
    assert_int_equal(status_of(one, &id), CU_STREAM_CAPTURE_STATUS_NONE);
    assert_true(id == 0);
    assert_calls("cuStreamGetCaptureInfo");
    OK(cushim_stream_begin_capture(one, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(cushim_stream_begin_capture(other, CU_STREAM_CAPTURE_MODE_RELAXED));
    assert_int_equal(status_of(one, &id), CU_STREAM_CAPTURE_STATUS_ACTIVE);
    assert_int_equal(status_of(other, &its), CU_STREAM_CAPTURE_STATUS_ACTIVE);
    assert_true(id && its && id != its);
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cushim_stream_query(one));
    assert_int_equal(status_of(one, &id), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    assert_true(id == 0);
    CODE(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cushim_stream_end_capture(one, &graph));
    assert_null(graph);
    end(other);
    OK(cushim_stream_release(one));
    OK(cushim_stream_release(other));
}

static void wait_stream_forks_and_joins_a_capture(void **state)
{
    struct cushim_stream *origin = kit_stream(CREATED), *fork = kit_stream(CREATED);
    cuuint64_t id = 0, its = 0;

    (void)state;
    OK(cushim_stream_begin_capture(origin, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cushim_stream_wait_stream(fork, origin));
    assert_int_equal(status_of(origin, &id), CU_STREAM_CAPTURE_STATUS_ACTIVE);
    assert_int_equal(status_of(fork, &its), CU_STREAM_CAPTURE_STATUS_ACTIVE);
    assert_true(id == its);
    OK(cushim_stream_wait_stream(origin, fork));
    end(origin);
    assert_int_equal(status_of(fork, NULL), CU_STREAM_CAPTURE_STATUS_NONE);
    OK(cushim_stream_release(origin));
    OK(cushim_stream_release(fork));
}

static void exchange_puts_a_mode_in_the_place_of_the_former(void **state)
{
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;

    (void)state;
    OK(cushim_stream_exchange_capture_mode(&mode));
    assert_int_equal(mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
    OK(cushim_stream_exchange_capture_mode(&mode));
    assert_int_equal(mode, CU_STREAM_CAPTURE_MODE_RELAXED);
}

static void capture_whose_begin_answers_an_error_has_ended(void **state)
{
    struct cushim_stream *stream = kit_stream(DEFAULT_OF_CONTEXT);

    (void)state;
    kit_fault("cuCtxPopCurrent_v2:nth=1 => return(UNKNOWN)");
    CODE(CUDA_ERROR_UNKNOWN, cushim_stream_begin_capture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    kit_enter(kit.current);
    assert_int_equal(status_of(stream, NULL), CU_STREAM_CAPTURE_STATUS_NONE);
    OK(cushim_stream_release(stream));
}

static void graph_whose_end_answers_an_error_is_destroyed(void **state)
{
    struct cushim_stream *stream = kit_stream(DEFAULT_OF_CONTEXT);
    CUgraph graph = NULL;

    (void)state;
    OK(cushim_stream_begin_capture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    kit_fault("cuCtxPopCurrent_v2:nth=1,phase=after => return(UNKNOWN)");
    kit_forget();
    CODE(CUDA_ERROR_UNKNOWN, cushim_stream_end_capture(stream, &graph));
    assert_calls(IN_FIRST("cuStreamEndCapture") " cuGraphDestroy");
    assert_null(graph);
    OK(cushim_stream_release(stream));
}

static void failing_push_begins_and_ends_no_capture(void **state)
{
    struct cushim_stream *stream = kit_stream(DEFAULT_OF_CONTEXT);
    CUgraph graph = NULL;

    (void)state;
    kit_fault("cuCtxPushCurrent_v2:nth=1 => return(UNKNOWN)");
    CODE(CUDA_ERROR_UNKNOWN, cushim_stream_begin_capture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(cushim_stream_begin_capture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    kit_fault("cuCtxPushCurrent_v2:nth=1 => return(UNKNOWN)");
    CODE(CUDA_ERROR_UNKNOWN, cushim_stream_end_capture(stream, &graph));
    assert_null(graph);
    end(stream);
    OK(cushim_stream_release(stream));
}

static void missing_arguments_are_refused_before_any_driver_call(void **state)
{
    CUgraph graph;
    cuuint64_t id = 9;

    (void)state;
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_stream_end_capture(NULL, &graph));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_stream_end_capture(kit.stream, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_stream_capture_status(kit.stream, NULL, &id));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_stream_exchange_capture_mode(NULL));
    assert_int_equal(id, 9);
    assert_calls("");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(wait_event_holds_a_stream_up_until_the_event_is_done),
        TEST(wait_event_passes_flags_on),
        TEST(closed_and_null_events_are_refused_on_any_stream),
        TEST(wait_stream_holds_up_until_the_other_is_done),
        TEST(wait_stream_takes_an_event_without_timing),
        TEST(default_streams_of_the_current_context_can_wait_and_be_waited_for),
        TEST(wait_stream_refuses_null_and_closed_before_any_driver_call),
        TEST(wait_stream_returns_the_first_failure_and_logs_that_of_destroy),
        TEST(host_functions_are_called_with_their_data),
        TEST(memory_operations_reach_the_driver_with_their_arguments),
        TEST(flags_of_memory_operations_reach_the_driver),
        TEST(capture_of_each_kind_of_stream_makes_a_graph),
        TEST(status_has_the_id_of_an_active_capture_only),
        TEST(wait_stream_forks_and_joins_a_capture),
        TEST(exchange_puts_a_mode_in_the_place_of_the_former),
        TEST(capture_whose_begin_answers_an_error_has_ended),
        TEST(graph_whose_end_answers_an_error_is_destroyed),
        TEST(failing_push_begins_and_ends_no_capture),
        TEST(missing_arguments_are_refused_before_any_driver_call),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
