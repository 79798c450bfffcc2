/* SPDX-License-Identifier: Apache-2.0 */
/* Streams that wait for events, for one another and for values; functions of the host between. */
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
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
