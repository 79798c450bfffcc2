/* SPDX-License-Identifier: Apache-2.0 */
/* Events: creating, wrapping and releasing them, recording, querying and waiting. */
#include "../support/event_info.h"
#include "testkit.h"

/* --- creating --- */

TEST(create_makes_an_unrecorded_timed_event_in_the_context)
{
    struct cushim_event *event = NULL;
    unsigned flags = 99;

    OK(cushim_event_create(testkit.one, NULL, &event));
    assert_calls(IN_FIRST("cuEventCreate"));
    assert_ptr_equal(event_context(event), testkit.one);
    OK(event_flags(event, &flags));
    assert_int_equal(flags, CU_EVENT_DEFAULT);
    assert_false(event_is_recorded(event));
    assert_false(event_is_closed(event));
    assert_false(event_is_imported(event));
    OK(cushim_event_release(event));
}

/* tests/conformance/cushim_event_cases.c has all options. */
TEST(options_beyond_their_size_are_not_read)
{
    const struct cushim_event_options options = {
        .size = sizeof(size_t), .disable_timing = true, .blocking_sync = true};
    struct cushim_event *event = testkit_event(&options);
    unsigned flags = 99;

    OK(event_flags(event, &flags));
    assert_int_equal(flags, CU_EVENT_DEFAULT);
    assert_int_equal(testkit_argument("cuEventCreate", "Flags"), CU_EVENT_DEFAULT);
    OK(cushim_event_release(event));
}

TEST(unknown_options_are_refused_unless_zero)
{
    struct {
        struct cushim_event_options known;
        unsigned char unknown[8];
    } longer = {.known = {.size = sizeof longer}};
    const struct cushim_event_options nothing = {.size = 0};
    const CUevent handle = testkit_foreign_event(0);
    struct cushim_event_info info = {.size = 1};
    struct cushim_event *event = NULL;

    OK(cushim_event_create(testkit.one, &longer.known, &event));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_event_get_info(event, &info));
    OK(cushim_event_release(event));
    event = NULL;
    testkit_forget();
    longer.unknown[3] = 1;
    for (int i = 0; i < 2; i++) {
        const struct cushim_event_options *bad = i ? &nothing : &longer.known;

        CODE(CUDA_ERROR_INVALID_VALUE, cushim_event_create(testkit.one, bad, &event));
        CODE(CUDA_ERROR_INVALID_VALUE, cushim_event_create_recorded(testkit.stream, bad, &event));
        CODE(CUDA_ERROR_INVALID_VALUE, cushim_event_wrap(handle, NULL, bad, &event));
    }
    assert_null(event);
    assert_calls("");
}

TEST(create_recorded_on_a_default_stream_uses_the_current_context)
{
    struct cushim_event *event = NULL;
    CUcontext handle = NULL;

    OK(cushim_event_create_recorded(cushim_stream_legacy(), NULL, &event));
    assert_calls("cuCtxGetCurrent cuCtxGetCurrent cuEventCreate cuEventRecord");
    OK(cushim_context_get_handle(event_context(event), &handle));
    assert_ptr_equal(handle, testkit.current);
    OK(cushim_event_release(event));
    testkit_enter(NULL);
    event = NULL;
    CODE(CUDA_ERROR_INVALID_CONTEXT,
         cushim_event_create_recorded(cushim_stream_legacy(), NULL, &event));
    assert_null(event);
}

TEST(create_recorded_asks_the_driver_for_an_unknown_context)
{
    struct cushim_stream *stream = testkit_stream(WRAPPED_BARE);
    struct cushim_event *event = NULL;

    OK(cushim_event_create_recorded(stream, NULL, &event));
    assert_calls("cuStreamGetCtx " IN_FIRST("cuEventCreate cuEventRecord"));
    assert_non_null(event_context(event));
    OK(cushim_event_release(event));
    OK(cushim_stream_release(stream));
}

/* --- wrapping --- */

TEST(wrapped_event_is_never_destroyed)
{
    const CUevent foreign = testkit_foreign_event(0);
    struct cushim_event *event = NULL;

    for (int i = 0; i < 2; i++) {
        OK(cushim_event_wrap(foreign, testkit.one, NULL, &event));
        assert_ptr_equal(testkit_event_handle(event), foreign);
        OK(i ? cushim_event_close(event) : CUDA_SUCCESS);
        OK(cushim_event_release(event));
    }
    assert_calls("");
}

TEST(wrapped_event_knows_what_the_caller_says)
{
    const CUevent foreign = testkit_foreign_event(CU_EVENT_DISABLE_TIMING);
    struct cushim_event *event = NULL;
    unsigned flags = 99;

    OK(cushim_event_wrap(foreign, NULL, NULL, &event));
    CODE(CUDA_ERROR_NOT_SUPPORTED, event_flags(event, &flags));
    assert_int_equal(flags, 99);
    assert_null(event_context(event));
    OK(cushim_event_release(event));
    OK(cushim_event_wrap(foreign, testkit.one, &testkit_untimed, &event));
    OK(event_flags(event, &flags));
    assert_int_equal(flags, CU_EVENT_DISABLE_TIMING);
    assert_ptr_equal(event_context(event), testkit.one);
    OK(cushim_event_release(event));
}

/* --- releasing --- */

TEST(last_release_destroys_once)
{
    struct cushim_event *event = testkit_event(NULL);

    testkit_forget();
    assert_ptr_equal(cushim_event_retain(event), event);
    OK(cushim_event_release(event));
    assert_calls("");
    OK(cushim_event_release(event));
    assert_calls("cuEventDestroy_v2");
}

TEST(event_keeps_its_context_alive)
{
    struct cushim_context *context;
    struct cushim_event *event;

    OK(cushim_context_create(0, NULL, &context));
    OK(cushim_event_create(context, NULL, &event));
    OK(cushim_context_release(context));
    testkit_forget();
    OK(cushim_event_release(event));
    assert_calls("cuEventDestroy_v2 cuCtxDestroy_v2");
}

TEST(close_destroys_once_and_the_event_is_refused_from_then_on)
{
    struct cushim_event *event = testkit_event(&testkit_interprocess), *good = testkit_event(NULL);
    const CUresult refused = CUDA_ERROR_INVALID_HANDLE;
    CUipcEventHandle exported;
    CUevent handle;
    float ms;

    OK(cushim_event_record(event, testkit.stream));
    OK(cushim_event_record(good, testkit.stream));
    testkit_forget();
    OK(cushim_event_close(event));
    OK(cushim_event_close(event));
    assert_calls("cuEventDestroy_v2");
    assert_true(event_is_closed(event));
    CODE(refused, cushim_event_record(event, testkit.stream));
    CODE(refused, cushim_event_record(event, cushim_stream_legacy()));
    CODE(refused, cushim_event_export(event, &exported));
    CODE(refused, cushim_event_get_handle(event, &handle));
    assert_calls(""); /* not even with NULL */
    CODE(refused, cushim_event_query(event));
    CODE(refused, cushim_event_synchronize(event));
    CODE(refused, cushim_event_synchronize_for(event, 1000));
    CODE(refused, cushim_event_get_elapsed(event, good, &ms));
    CODE(refused, cushim_event_get_elapsed(good, event, &ms));
    assert_ptr_equal(event_context(event), testkit.one);
    testkit_forget();
    OK(cushim_event_release(event));
    assert_calls("");
    OK(cushim_event_release(good));
}

TEST(event_of_a_destroyed_context_ends_quietly)
{
    struct cushim_context *wrapped;
    struct cushim_event *event;

    OK(cushim_context_wrap(testkit.second, &wrapped));
    OK(cushim_event_create(wrapped, NULL, &event));
    OK(testkit.driver->CtxDestroy_v2(testkit.second));
    CODE(CUDA_ERROR_CONTEXT_IS_DESTROYED, cushim_event_query(event));
    OK(cushim_event_release(event));
    OK(cushim_context_release(wrapped));
    assert_int_equal(testkit.log_lines, 0);
}

/* --- recording --- */

TEST(record_remembers_what_the_driver_took)
{
    struct cushim_event *event = testkit_event(NULL);

    testkit_forget();
    testkit_fault("cuEventRecord:nth=1 => return(UNKNOWN)");
    CODE(CUDA_ERROR_UNKNOWN, cushim_event_record(event, testkit.stream));
    assert_false(event_is_recorded(event));
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_event_record(event, testkit.other));
    assert_false(event_is_recorded(event));
    OK(cushim_event_record(event, testkit.stream));
    assert_true(event_is_recorded(event));
    OK(cushim_event_record(event, testkit.stream));
    assert_calls("cuEventRecord cuEventRecord cuEventRecord cuEventRecord");
    OK(cushim_event_release(event));
}

TEST(record_on_a_closed_stream_is_refused)
{
    struct cushim_event *event = testkit_event(NULL);

    OK(cushim_stream_close(testkit.stream));
    testkit_forget();
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_event_record(event, testkit.stream));
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_event_create_recorded(testkit.stream, NULL, &event));
    assert_calls("");
    OK(cushim_event_release(event));
}

TEST(record_on_a_default_stream_acts_in_the_streams_context_or_the_events)
{
    struct cushim_event *event = testkit_event(NULL), *unknown = NULL;
    struct cushim_stream *of_second = NULL;

    testkit_stop_check();
    OK(cushim_stream_wrap(CU_STREAM_LEGACY, testkit.two, &of_second));
    OK(cushim_event_wrap(testkit_foreign_event(0), NULL, NULL, &unknown));
    testkit_forget();
    OK(cushim_event_record(event, cushim_stream_legacy()));
    assert_calls(IN_FIRST("cuEventRecord"));
    OK(cushim_event_record(event, cushim_stream_per_thread()));
    assert_calls(IN_FIRST("cuEventRecord"));
    assert_true(event_is_recorded(event));
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_event_record(event, of_second));
    assert_calls("cuCtxGetCurrent cuCtxPushCurrent_v2(second) cuEventRecord cuCtxPopCurrent_v2");
    testkit_enter(testkit.first);
    OK(cushim_event_record(unknown, cushim_stream_legacy()));
    assert_calls("cuEventRecord");
    OK(cushim_stream_release(of_second));
    OK(cushim_event_release(unknown));
    OK(cushim_event_release(event));
}

/* --- querying and waiting --- */

TEST(query_has_three_answers)
{
    struct cushim_event *event = testkit_event(NULL);

    OK(cushim_event_query(event));
    testkit_hold(testkit.first, testkit.stream_handle);
    OK(cushim_event_record(event, testkit.stream));
    CODE(CUDA_ERROR_NOT_READY, cushim_event_query(event));
    testkit_resume();
    OK(cushim_event_query(event));
    testkit_fault("cuEventQuery:nth=1 => sticky(ILLEGAL_ADDRESS)");
    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, cushim_event_query(event));
    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, cushim_event_synchronize(event));
    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, cushim_event_synchronize_for(event, UINT64_MAX));
    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, cushim_event_release(event));
}

/* --- arguments --- */
