/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events that two processes share, as far as one process can test them; the time between two
 * events, and why it cannot be measured: each reason, for either event and for both.
 */
#include "../support/event_info.h"
#include "src/objects/objects.h"
#include "testkit.h"

static const char manual[] = "mode = manual\ncost.launch = 0 ns\ncost.record = 0 ns";
static const char older_driver[] = "schedule = eager\ndriver_version = 12.0";

#define EXPLAINED(f) TEST_BETWEEN(f, setup, teardown)

TEST(export_acts_in_the_events_context)
{
    struct cushim_event *event = testkit_event(&testkit_interprocess);
    CUipcEventHandle handle, none;

    memset(&handle, 0, sizeof handle);
    memset(&none, 0, sizeof none);
    testkit_forget();
    OK(cushim_event_export(event, &handle));
    assert_calls(IN_FIRST("cuIpcGetEventHandle"));
    assert_memory_not_equal(&handle, &none, sizeof none);
    OK(cushim_event_release(event));
}

TEST(export_of_an_event_without_a_context_acts_in_the_current_one)
{
    struct cushim_event *event = NULL;
    CUipcEventHandle handle;

    OK(cushim_event_wrap(testkit_foreign_event(6), NULL, NULL, &event));
    testkit_enter(testkit.first);
    OK(cushim_event_export(event, &handle));
    assert_calls("cuIpcGetEventHandle");
    OK(cushim_event_release(event));
}

TEST(imported_event_has_no_timing_and_is_destroyed_by_its_last_release)
{
    struct cushim_event *event = testkit_imported_event();
    unsigned flags = 99;

    assert_calls(IN_FIRST("cuIpcOpenEventHandle"));
    assert_ptr_equal(event_context(event), testkit.one);
    assert_true(event_is_imported(event));
    assert_false(event_is_recorded(event));
    OK(event_flags(event, &flags));
    assert_int_equal(flags, CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS);
    OK(cushim_event_record(event, testkit.stream));
    OK(cushim_event_query(event));
    testkit_forget();
    OK(cushim_event_release(event));
    assert_calls("cuEventDestroy_v2");
}

/* In the sweep, the driver refuses the import, so it does not cover this. */
TEST(import_that_cannot_put_the_context_back_leaves_nothing)
{
    struct cushim_event *event = NULL;
    const CUipcEventHandle handle = {{0}};

    OK(cushim_event_release(testkit_imported_event()));
    testkit_forget();
    testkit_fault("cuCtxPopCurrent_v2:nth=1,phase=after => return(UNKNOWN)");
    CODE(CUDA_ERROR_UNKNOWN, cushim_event_import(testkit.one, &handle, &event));
    assert_null(event);
    assert_calls(IN_FIRST("cuIpcOpenEventHandle") " cuEventDestroy_v2");
}

/* --- events in each state without a time --- */

enum origin { NO_EVENT, OWN, IMPORTED, WRAPPED_AS_UNTIMED, UNKNOWN };
enum phase { UNRECORDED, RECORDED, CLOSED, PENDING, IN_CAPTURE, AFTER_CAPTURE };

static const struct row {
    enum origin origin;
    unsigned flags; /* the driver's */
    enum phase phase;
    CUresult code;
    const char *reason, *cure;
} rows[] = {
    {NO_EVENT, 0, RECORDED, 400, "NULL", "cushim_event_create"},
    {OWN, 0, CLOSED, 400, "been closed", "cushim_event_close"},
    {IMPORTED, 0, RECORDED, 400, "imported from another process", "this process created"},
    {OWN, 2, RECORDED, 400, "timing disabled", "without disable_timing"},
    {WRAPPED_AS_UNTIMED, 2, RECORDED, 400, "timing disabled", "without disable_timing"},
    {OWN, 0, UNRECORDED, 400, "not recorded", "cushim_event_record"},
    {UNKNOWN, 0, UNRECORDED, 400, "no time stamp", "Record"},
    {UNKNOWN, 2, RECORDED, 400, "no time stamp", "of your own"},
    {OWN, 0, PENDING, 600, "still pending", "cushim_event_synchronize"},
    {UNKNOWN, 0, PENDING, 600, "still pending", "cushim_event_synchronize"},
    {OWN, 0, IN_CAPTURE, 907, "capture that is still active", "outside the capture"},
    {UNKNOWN, 0, IN_CAPTURE, 907, "capture that is still active", "outside the capture"},
    {OWN, 0, AFTER_CAPTURE, 1, "capture that has ended", "again outside a capture"},
};

static const struct row good_row = {OWN, 0, RECORDED, CUDA_SUCCESS, NULL, NULL};

/* One stream for each state, so that recorded events are complete and pending ones are not. */
static struct streams {
    CUstream pending, capturing, captured;
} streams;

static CUstream new_stream(void)
{
    CUstream stream = NULL;

    OK(testkit.driver->CtxSetCurrent(testkit.first));
    OK(testkit.driver->StreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(testkit.driver->CtxSetCurrent(testkit.current));
    return stream;
}

static int setup(void **state)
{
    const int code = testkit_setup(state);

    streams = (struct streams){new_stream(), new_stream(), new_stream()};
    testkit_hold(testkit.first, streams.pending);
    OK(testkit.driver->StreamBeginCapture_v2(streams.capturing, CU_STREAM_CAPTURE_MODE_RELAXED));
    return code;
}

static int teardown(void **state)
{
    CUgraph graph = NULL;

    testkit.driver->StreamEndCapture(streams.capturing, &graph);
    return testkit_teardown(state);
}

static void record(const struct cushim_event *event, enum phase phase)
{
    CUgraph graph;
    CUstream stream = phase == PENDING         ? streams.pending
                      : phase == IN_CAPTURE    ? streams.capturing
                      : phase == AFTER_CAPTURE ? streams.captured
                                               : testkit.stream_handle;

    if (phase == AFTER_CAPTURE)
        OK(testkit.driver->StreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(testkit.driver->EventRecord(testkit_event_handle(event), stream));
    if (phase == AFTER_CAPTURE)
        OK(testkit.driver->StreamEndCapture(stream, &graph));
}

static struct cushim_event *make(const struct row *row)
{
    struct cushim_event *event = NULL;

    switch (row->origin) {
    case NO_EVENT:
        return NULL;
    case OWN:
        event = testkit_event(row->flags ? &testkit_untimed : NULL);
        break;
    case IMPORTED:
        event = testkit_imported_event();
        break;
    default:
        OK(cushim_event_wrap(testkit_foreign_event(row->flags), NULL,
                             row->origin == UNKNOWN ? NULL : &testkit_untimed, &event));
    }
    if (row->phase != UNRECORDED)
        record(event, row->phase);
    if (row->phase == CLOSED)
        OK(cushim_event_close(event));
    return event;
}

/* --- explanations --- */

/*
 * The explanation begins with the event at fault, and cushim has asked the driver only for times.
 */
static void assert_explained(struct cushim_event *start, struct cushim_event *end,
                             const struct row *row, const char *whose)
{
    struct cushim_recorded_call call = {.size = sizeof call};
    const char *text;
    float ms;

    CODE(row->code, cushim_event_get_elapsed(start, end, &ms));
    testkit_forget();
    text = cushim_event_explanation(start, end, row->code);
    assert_memory_equal(text, whose, strlen(whose));
    CONTAINS(text, row->reason);
    CONTAINS(text, row->cure);
    assert_int_equal(text[strlen(text) - 1], '.');
    for (size_t i = 0; cushim_recording_get_call(testkit.layer, i, &call) == CUDA_SUCCESS; i++)
        assert_string_equal(call.name, i == 0 && !(start && end) ? "cuDriverGetVersion"
                                                                 : "cuEventElapsedTime_v2");
}

EXPLAINED(every_reason_is_given_for_start_end_and_both)
{
    testkit_stop_check();
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct cushim_event *good = make(&good_row), *one = make(&rows[i]), *two = make(&rows[i]);

        assert_explained(one, good, &rows[i], "The start event ");
        assert_explained(good, one, &rows[i], "The end event ");
        assert_explained(one, two, &rows[i], "Both events ");
        assert_explained(one, one, &rows[i], "Both events ");
        OK(cushim_event_release(good));
        OK(cushim_event_release(one));
        OK(cushim_event_release(two));
    }
}

EXPLAINED(of_two_faults_that_of_start_is_explained)
{
    testkit_stop_check();
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (size_t j = 0; j < COUNT(rows); j++) {
            struct cushim_event *start = make(&rows[i]), *end = make(&rows[j]);
            float ms;
            const CUresult code = cushim_event_get_elapsed(start, end, &ms);
            const struct row *row = code == rows[i].code ? &rows[i] : &rows[j];

            CONTAINS(cushim_event_explanation(start, end, code), row->reason);
            OK(cushim_event_release(start));
            OK(cushim_event_release(end));
        }
    }
}

EXPLAINED(events_of_two_contexts_are_not_taken_for_unrecorded_ones)
{
    static const struct row pending = {OWN, 0, PENDING, CUDA_ERROR_NOT_READY, NULL, NULL};
    struct cushim_event *here = make(&good_row), *waiting = make(&pending);
    struct cushim_event *there = NULL, *wrapped = NULL;
    float ms;

    testkit_stop_check();
    OK(cushim_event_create_recorded(testkit.other, NULL, &there));
    OK(cushim_event_wrap(testkit_event_handle(there), NULL, NULL, &wrapped));
    CODE(400, cushim_event_get_elapsed(here, there, &ms));
    CONTAINS(cushim_event_explanation(here, there, 400), "different contexts");
    CONTAINS(cushim_event_explanation(wrapped, here, 400), "different contexts");
    CONTAINS(cushim_event_explanation(waiting, there, 400), "different contexts");
    OK(cushim_event_release(here));
    OK(cushim_event_release(there));
    OK(cushim_event_release(wrapped));
    OK(cushim_event_release(waiting));
}

EXPLAINED(earlier_error_blames_neither_event)
{
    struct cushim_event *one = make(&good_row), *two = make(&good_row);
    float ms;

    testkit_stop_check();
    testkit_fault("cuEventElapsedTime_v2:nth=1 => sticky(LAUNCH_FAILED)");
    CODE(CUDA_ERROR_LAUNCH_FAILED, cushim_event_get_elapsed(one, two, &ms));
    testkit_forget();
    CONTAINS(cushim_event_explanation(one, two, CUDA_ERROR_LAUNCH_FAILED),
             "Neither event is to blame");
    assert_calls("");
    CONTAINS(cushim_event_explanation(one, two, 400), "Neither event is to blame");
    CODE(CUDA_ERROR_LAUNCH_FAILED, cushim_event_release(one));
    CODE(CUDA_ERROR_LAUNCH_FAILED, cushim_event_release(two));
}

EXPLAINED(fault_that_has_passed_is_explained_as_such)
{
    static const CUresult passed[] = {400, 600, 907};
    struct cushim_event *one = make(&good_row), *two = make(&good_row);

    for (size_t i = 0; i < COUNT(passed); i++)
        CONTAINS(cushim_event_explanation(one, two, passed[i]), "Ask again.");
    CONTAINS(cushim_event_explanation(one, two, CUDA_ERROR_INVALID_VALUE), "was NULL");
    OK(cushim_event_release(one));
    OK(cushim_event_release(two));
}

EXPLAINED(record_past_the_modules_counts)
{
    struct cushim_event *start = testkit_event(NULL), *end = testkit_event(&testkit_untimed);

    record(start, RECORDED);
    assert_false(event_is_recorded(start));
    assert_memory_equal(cushim_event_explanation(start, end, 400), "The end event ", 14);
    OK(cushim_event_release(start));
    OK(cushim_event_release(end));
}

EXPLAINED(other_codes_get_their_advice)
{
    static const CUresult others[] = {3, 4, 34, 36, 201, 303, 709, 803, 999, 12345};
    struct cushim_event *start = testkit_event(NULL), *end = testkit_event(NULL);

    testkit_forget();
    for (size_t i = 0; i < COUNT(others); i++)
        assert_string_equal(cushim_event_explanation(start, end, others[i]),
                            cushim_error_advice(others[i]));
    CONTAINS(cushim_event_explanation(start, end, CUDA_SUCCESS), "Nothing is wrong");
    assert_calls("");
    assert_string_equal(cushim_event_explanation(NULL, NULL, 600), cushim_error_advice(600));
    OK(cushim_event_release(start));
    OK(cushim_event_release(end));
}

TEST_WITH(elapsed_is_in_milliseconds_and_signed, manual)
{
    struct cushim_event *start = testkit_event(NULL), *end = testkit_event(NULL);
    float ms = 99;

    OK(cushim_event_record(start, testkit.stream));
    cushim_mock_drain(testkit.mock);
    cushim_mock_advance(testkit.mock, 2500000);
    OK(cushim_event_record(end, testkit.stream));
    cushim_mock_drain(testkit.mock);
    testkit_forget();
    OK(cushim_event_get_elapsed(start, end, &ms));
    assert_true(ms == 2.5f);
    OK(cushim_event_get_elapsed(end, start, &ms));
    assert_true(ms == -2.5f);
    OK(cushim_event_get_elapsed(end, end, &ms));
    assert_true(ms == 0);
    assert_calls("cuEventElapsedTime_v2 cuEventElapsedTime_v2 cuEventElapsedTime_v2");
    OK(cushim_event_release(start));
    OK(cushim_event_release(end));
}

TEST(without_either_function_the_newer_one_is_named)
{
    struct cushim_event *event = testkit_event(NULL);
    float ms = 99;

    OK(cushim_event_record(event, testkit.stream));
    testkit_fault("cuEventElapsedTime* => missing");
    CODE(36, cushim_event_get_elapsed(event, event, &ms));
    assert_string_equal(cushim__event_elapsed_function(), "cuEventElapsedTime_v2");
    OK(cushim_event_release(event));
}

TEST_WITH(table_of_an_older_driver_measures_with_the_older_function, older_driver)
{
    struct cushim_table older = {.size = sizeof older};
    struct cushim_event *event = testkit_event(NULL);
    float ms = 99;

    OK(cushim_event_record(event, testkit.stream));
    assert_string_equal(cushim__event_elapsed_function(), "cuEventElapsedTime_v2");
    OK(cushim_table_fill(&older, cushim_mock_symbol, testkit.mock, NULL));
    OK(cushim_table_install(&older, NULL));
    assert_string_equal(cushim__event_elapsed_function(), "cuEventElapsedTime");
    OK(cushim_event_get_elapsed(event, event, &ms));
    assert_true(ms == 0);
    OK(cushim_table_install(cushim_layer_table(testkit.layer), NULL));
    OK(cushim_event_release(event));
}

/* The last test, because a process loads a driver only once. */
TEST_WITH(loaded_driver_that_is_older_measures_with_the_older_function, older_driver)
{
    struct cushim_load_options options = {
        .size = sizeof options, .resolver = cushim_mock_symbol, .resolver_data = testkit.mock};

    OK(cushim_table_install(NULL, NULL));
    assert_string_equal(cushim__event_elapsed_function(), "cuEventElapsedTime_v2");
    OK(cushim_driver_load(&options));
    assert_string_equal(cushim__event_elapsed_function(), "cuEventElapsedTime");
    OK(cushim_table_install(cushim_layer_table(testkit.layer), NULL));
    assert_string_equal(cushim__event_elapsed_function(), "cuEventElapsedTime_v2");
}
