/* SPDX-License-Identifier: Apache-2.0 */
/* Why the time between two events could not be measured: each reason, of either event and of both. */
#include "testkit.h"

#include <string.h>

/* --- events in each state that has no time --- */

enum origin { NO_EVENT, OWN, IMPORTED, WRAPPED_AS_UNTIMED, UNKNOWN };
enum phase { UNRECORDED, RECORDED, CLOSED, PENDING, IN_CAPTURE, AFTER_CAPTURE };

static const struct row {
    enum origin origin;
    unsigned flags; /* of the driver */
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

/* One stream for each state, so that recorded events are done and pending ones are not. */
static struct streams {
    CUstream pending, capturing, captured;
} streams;

static CUstream new_stream(void)
{
    CUstream stream = NULL;

    OK(kit.driver->CtxSetCurrent(kit.first));
    OK(kit.driver->StreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(kit.driver->CtxSetCurrent(kit.current));
    return stream;
}

static int setup(void **state)
{
    const int code = kit_setup(state);

    streams = (struct streams){new_stream(), new_stream(), new_stream()};
    kit_hold(kit.first, streams.pending);
    OK(kit.driver->StreamBeginCapture_v2(streams.capturing, CU_STREAM_CAPTURE_MODE_RELAXED));
    return code;
}

static int teardown(void **state)
{
    CUgraph graph = NULL;

    kit.driver->StreamEndCapture(streams.capturing, &graph);
    return kit_teardown(state);
}

static void record(const struct cushim_event *event, enum phase phase)
{
    CUgraph graph;
    CUstream stream = phase == PENDING         ? streams.pending
                      : phase == IN_CAPTURE    ? streams.capturing
                      : phase == AFTER_CAPTURE ? streams.captured
                                               : kit.stream_handle;

    if (phase == AFTER_CAPTURE)
        OK(kit.driver->StreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(kit.driver->EventRecord(kit_event_handle(event), stream));
    if (phase == AFTER_CAPTURE)
        OK(kit.driver->StreamEndCapture(stream, &graph));
}

static struct cushim_event *make(const struct row *row)
{
    struct cushim_event *event = NULL;

    switch (row->origin) {
    case NO_EVENT:
        return NULL;
    case OWN:
        event = kit_event(row->flags ? &kit_untimed : NULL);
        break;
    case IMPORTED:
        event = kit_imported_event();
        break;
    default:
        OK(cushim_event_wrap(&event, kit_foreign_event(row->flags), NULL,
                             row->origin == UNKNOWN ? NULL : &kit_untimed));
    }
    if (row->phase != UNRECORDED)
        record(event, row->phase);
    if (row->phase == CLOSED)
        OK(cushim_event_close(event));
    return event;
}

/* --- explanations --- */

/* The words are there: whose fault it is first, and the driver was asked for nothing but times. */
static void assert_explained(struct cushim_event *start, struct cushim_event *end,
                             const struct row *row, const char *whose)
{
    struct cushim_recorded_call call = {.size = sizeof call};
    const char *text;
    float ms;

    CODE(row->code, cushim_event_elapsed(start, end, &ms));
    kit_forget();
    text = cushim_event_explain(start, end, row->code);
    assert_memory_equal(text, whose, strlen(whose));
    assert_non_null(strstr(text, row->reason));
    assert_non_null(strstr(text, row->cure));
    assert_int_equal(text[strlen(text) - 1], '.');
    for (size_t i = 0; cushim_recording_get(kit.layer, i, &call) == CUDA_SUCCESS; i++)
        assert_string_equal(call.name, "cuEventElapsedTime_v2");
}

static void every_reason_is_given_for_start_end_and_both(void **state)
{
    (void)state;
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

static void of_two_faults_that_of_start_is_explained(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (size_t j = 0; j < COUNT(rows); j++) {
            struct cushim_event *start = make(&rows[i]), *end = make(&rows[j]);
            float ms;
            const CUresult code = cushim_event_elapsed(start, end, &ms);
            const struct row *row = code == rows[i].code ? &rows[i] : &rows[j];

            assert_non_null(strstr(cushim_event_explain(start, end, code), row->reason));
            OK(cushim_event_release(start));
            OK(cushim_event_release(end));
        }
    }
}

static void explaining_does_not_invalidate_a_global_capture(void **state)
{
    struct cushim_event *captured = kit_event(NULL), *good = make(&good_row);
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    const CUstream stream = new_stream();
    CUgraph graph;

    (void)state;
    OK(kit.driver->StreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(kit.driver->EventRecord(kit_event_handle(captured), stream));
    cushim_event_explain(good, captured, CUDA_ERROR_CAPTURED_EVENT);
    OK(kit.driver->StreamIsCapturing(stream, &status));
    assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
    OK(kit.driver->StreamEndCapture(stream, &graph));
    OK(cushim_event_release(captured));
    OK(cushim_event_release(good));
}

static void events_of_two_contexts_are_not_taken_for_unrecorded_ones(void **state)
{
    static const struct row pending = {OWN, 0, PENDING, CUDA_ERROR_NOT_READY, NULL, NULL};
    struct cushim_event *here = make(&good_row), *waiting = make(&pending);
    struct cushim_event *there = NULL, *wrapped = NULL;
    float ms;

    (void)state;
    OK(cushim_event_create_recorded(&there, kit.other, NULL));
    OK(cushim_event_wrap(&wrapped, kit_event_handle(there), NULL, NULL));
    CODE(400, cushim_event_elapsed(here, there, &ms));
    assert_non_null(strstr(cushim_event_explain(here, there, 400), "different contexts"));
    assert_non_null(strstr(cushim_event_explain(wrapped, here, 400), "different contexts"));
    assert_non_null(strstr(cushim_event_explain(waiting, there, 400), "different contexts"));
    OK(cushim_event_release(here));
    OK(cushim_event_release(there));
    OK(cushim_event_release(wrapped));
    OK(cushim_event_release(waiting));
}

static void earlier_error_blames_neither_event(void **state)
{
    struct cushim_event *one = make(&good_row), *two = make(&good_row);
    float ms;

    (void)state;
    kit_fault("cuEventElapsedTime_v2:nth=1 => sticky(LAUNCH_FAILED)");
    CODE(CUDA_ERROR_LAUNCH_FAILED, cushim_event_elapsed(one, two, &ms));
    kit_forget();
    assert_non_null(strstr(cushim_event_explain(one, two, CUDA_ERROR_LAUNCH_FAILED),
                           "Neither event is to blame"));
    assert_calls("");
    assert_non_null(strstr(cushim_event_explain(one, two, 400), "Neither event is to blame"));
    CODE(CUDA_ERROR_LAUNCH_FAILED, cushim_event_release(one));
    CODE(CUDA_ERROR_LAUNCH_FAILED, cushim_event_release(two));
}

static void fault_that_has_passed_is_explained_as_such(void **state)
{
    static const CUresult passed[] = {400, 600, 907};
    struct cushim_event *one = make(&good_row), *two = make(&good_row);

    (void)state;
    for (size_t i = 0; i < COUNT(passed); i++)
        assert_non_null(strstr(cushim_event_explain(one, two, passed[i]), "Ask again."));
    assert_non_null(strstr(cushim_event_explain(one, two, CUDA_ERROR_INVALID_VALUE), "was NULL"));
    OK(cushim_event_release(one));
    OK(cushim_event_release(two));
}

static void record_past_the_modules_counts(void **state)
{
    struct cushim_event *start = kit_event(NULL), *end = kit_event(&kit_untimed);

    (void)state;
    record(start, RECORDED);
    assert_false(cushim_event_is_recorded(start));
    assert_memory_equal(cushim_event_explain(start, end, 400), "The end event ", 14);
    OK(cushim_event_release(start));
    OK(cushim_event_release(end));
}

static void other_codes_get_their_advice(void **state)
{
    static const CUresult others[] = {3, 4, 34, 36, 201, 303, 709, 803, 999, 12345};
    struct cushim_event *start = kit_event(NULL), *end = kit_event(NULL);

    (void)state;
    kit_forget();
    for (size_t i = 0; i < COUNT(others); i++)
        assert_string_equal(cushim_event_explain(start, end, others[i]),
                            cushim_error_advice(others[i]));
    assert_non_null(strstr(cushim_event_explain(start, end, CUDA_SUCCESS), "Nothing is wrong"));
    assert_calls("");
    assert_string_equal(cushim_event_explain(NULL, NULL, 600), cushim_error_advice(600));
    OK(cushim_event_release(start));
    OK(cushim_event_release(end));
}

#define EXPLAINED(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLAINED(every_reason_is_given_for_start_end_and_both),
        EXPLAINED(of_two_faults_that_of_start_is_explained),
        EXPLAINED(explaining_does_not_invalidate_a_global_capture),
        EXPLAINED(events_of_two_contexts_are_not_taken_for_unrecorded_ones),
        EXPLAINED(earlier_error_blames_neither_event),
        EXPLAINED(fault_that_has_passed_is_explained_as_such),
        EXPLAINED(record_past_the_modules_counts),
        EXPLAINED(other_codes_get_their_advice),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
