/* SPDX-License-Identifier: Apache-2.0 */
/* Why the time between two events could not be told: each reason, of either event and of both. */
#include "event_world.h"

#include <string.h>

/* --- events in each state that has no time --- */

static struct cushim_event *make_null(void)
{
    return NULL;
}

static struct cushim_event *make_closed(void)
{
    struct cushim_event *event = event_make(NULL);

    event_record(event);
    cushim_event_close(event);
    return event;
}

static struct cushim_event *make_imported(void)
{
    const CUipcEventHandle handle = fake_ipc_handle();
    struct cushim_event *event;

    assert_int_equal(cushim_event_import(&event, world.context, &handle), CUDA_SUCCESS);
    event_record(event);
    return event;
}

static struct cushim_event *make_untimed(void)
{
    struct cushim_event *event = event_make(&untimed);

    event_record(event);
    return event;
}

static struct cushim_event *make_wrapped_as_untimed(void)
{
    struct cushim_event *event;

    assert_int_equal(cushim_event_wrap(&event,
                                       fake_foreign_event(world.handle, CU_EVENT_DISABLE_TIMING),
                                       NULL, &untimed),
                     CUDA_SUCCESS);
    event_record(event);
    return event;
}

static struct cushim_event *make_unrecorded(void)
{
    return event_make(NULL);
}

static struct cushim_event *make_wrapped_unrecorded(void)
{
    return event_wrap_unknown(0);
}

static struct cushim_event *make_wrapped_untimed(void)
{
    struct cushim_event *event = event_wrap_unknown(CU_EVENT_DISABLE_TIMING);

    event_record(event);
    return event;
}

/* A stream of the first context whose work does not end. */
static void record_behind_work(struct cushim_event *event)
{
    const CUstream handle = fake_foreign_stream(world.handle, 0);

    fake_stream_hold(world.handle, handle, FAKE_FOREVER);
    assert_int_equal(cushim_driver()->EventRecord((CUevent)event_fake(event), handle),
                     CUDA_SUCCESS);
}

static struct cushim_event *make_pending(void)
{
    struct cushim_event *event = event_make(NULL);

    record_behind_work(event);
    return event;
}

static struct cushim_event *make_wrapped_pending(void)
{
    struct cushim_event *event = event_wrap_unknown(0);

    record_behind_work(event);
    return event;
}

static struct cushim_event *record_in_capture(struct cushim_event *event, bool ended)
{
    const CUstream handle = fake_foreign_stream(world.handle, 0);

    event_begin_capture(handle, CU_STREAM_CAPTURE_MODE_GLOBAL);
    assert_int_equal(cushim_driver()->EventRecord((CUevent)event_fake(event), handle),
                     CUDA_SUCCESS);
    if (ended)
        event_end_capture(handle);
    return event;
}

static struct cushim_event *make_in_capture(void)
{
    return record_in_capture(event_make(NULL), false);
}

static struct cushim_event *make_wrapped_in_capture(void)
{
    return record_in_capture(event_wrap_unknown(0), false);
}

static struct cushim_event *make_after_capture(void)
{
    return record_in_capture(event_make(NULL), true);
}

static struct cushim_event *make_good(void)
{
    struct cushim_event *event = event_make(NULL);

    event_record(event);
    return event;
}

static const struct {
    struct cushim_event *(*make)(void);
    CUresult code;
    const char *reason, *cure;
} cases[] = {
    {make_null, 400, "NULL", "cushim_event_create"},
    {make_closed, 400, "been closed", "cushim_event_close"},
    {make_imported, 400, "imported from another process", "this process created"},
    {make_untimed, 400, "timing disabled", "without disable_timing"},
    {make_wrapped_as_untimed, 400, "timing disabled", "without disable_timing"},
    {make_unrecorded, 400, "not recorded", "cushim_event_record"},
    {make_wrapped_unrecorded, 400, "no time stamp", "Record"},
    {make_wrapped_untimed, 400, "no time stamp", "of your own"},
    {make_pending, 600, "still pending", "cushim_event_synchronize"},
    {make_wrapped_pending, 600, "still pending", "cushim_event_synchronize"},
    {make_in_capture, 907, "capture that is still active", "outside the capture"},
    {make_wrapped_in_capture, 907, "capture that is still active", "outside the capture"},
    {make_after_capture, 1, "capture that has ended", "again outside a capture"},
};

/* The words are there: whose fault it is first, and the driver was asked for nothing but times. */
static void assert_explained(struct cushim_event *start, struct cushim_event *end, size_t which,
                             const char *whose)
{
    float ms;
    const CUresult code = cushim_event_elapsed(start, end, &ms);
    const char *text;

    assert_int_equal(code, cases[which].code);
    fake_forget();
    text = cushim_event_explain(start, end, code);
    assert_memory_equal(text, whose, strlen(whose));
    assert_non_null(strstr(text, cases[which].reason));
    assert_non_null(strstr(text, cases[which].cure));
    assert_int_equal(text[strlen(text) - 1], '.');
    assert_int_equal(fake_calls(NULL), fake_calls("cuEventElapsedTime_v2"));
}

static void every_reason_is_told_of_start_end_and_both(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct cushim_event *good = make_good(), *one = cases[i].make(), *two = cases[i].make();

        assert_explained(one, good, i, "The start event ");
        assert_explained(good, one, i, "The end event ");
        assert_explained(one, two, i, "Both events ");
        assert_explained(one, one, i, "Both events ");
        event_drop(good);
        event_drop(one);
        event_drop(two);
    }
}

static void of_two_faults_that_of_start_is_told(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (size_t j = 0; j < COUNT(cases); j++) {
            struct cushim_event *start = cases[i].make(), *end = cases[j].make();
            float ms;
            const CUresult code = cushim_event_elapsed(start, end, &ms);
            const char *text = cushim_event_explain(start, end, code);

            if (code == cases[i].code)
                assert_non_null(strstr(text, cases[i].reason));
            else
                assert_non_null(strstr(text, cases[j].reason));
            event_drop(start);
            event_drop(end);
        }
    }
}

static void asking_does_not_invalidate_a_capture(void **state)
{
    const CUstream handle = fake_foreign_stream(world.handle, 0);
    struct cushim_event *captured = event_make(NULL), *good = make_good();
    float ms;

    (void)state;
    event_begin_capture(handle, CU_STREAM_CAPTURE_MODE_GLOBAL);
    assert_int_equal(cushim_driver()->EventRecord((CUevent)event_fake(captured), handle), 0);
    assert_int_equal(cushim_event_elapsed(good, captured, &ms), CUDA_ERROR_CAPTURED_EVENT);
    cushim_event_explain(good, captured, CUDA_ERROR_CAPTURED_EVENT);
    assert_int_equal(((struct fake_stream *)handle)->capture, CU_STREAM_CAPTURE_STATUS_ACTIVE);
    event_drop(captured);
    event_drop(good);
}

static void events_of_two_contexts_are_not_taken_for_unrecorded_ones(void **state)
{
    struct cushim_event *here = make_good(), *there = event_make_other(NULL);
    struct cushim_event *wrapped = NULL, *waiting = make_pending();
    float ms;

    (void)state;
    assert_int_equal(cushim_event_record(there, world.other_stream), CUDA_SUCCESS);
    assert_int_equal(cushim_event_wrap(&wrapped, (CUevent)event_fake(there), NULL, NULL), 0);
    assert_int_equal(cushim_event_elapsed(here, there, &ms), 400);
    assert_non_null(strstr(cushim_event_explain(here, there, 400), "different contexts"));
    assert_non_null(strstr(cushim_event_explain(wrapped, here, 400), "different contexts"));
    assert_non_null(strstr(cushim_event_explain(waiting, there, 400), "different contexts"));
    event_drop(here);
    event_drop(there);
    event_drop(wrapped);
    event_drop(waiting);
}

static void an_earlier_error_blames_neither(void **state)
{
    struct cushim_event *one = make_good(), *two = make_good();
    float ms;
    CUresult code;

    (void)state;
    fake_break_context(world.handle, CUDA_ERROR_LAUNCH_FAILED);
    code = cushim_event_elapsed(one, two, &ms);
    assert_int_equal(code, CUDA_ERROR_LAUNCH_FAILED);
    fake_forget();
    assert_non_null(strstr(cushim_event_explain(one, two, code), "Neither event is to blame"));
    assert_int_equal(fake_calls(NULL), 0);
    assert_non_null(strstr(cushim_event_explain(one, two, 400), "Neither event is to blame"));
    fake_break_context(world.handle, CUDA_SUCCESS);
    event_drop(one);
    event_drop(two);
}

static void a_fault_that_has_passed_is_told_as_such(void **state)
{
    struct cushim_event *one = make_good(), *two = make_good();
    static const CUresult passed[] = {400, 600, 907};

    (void)state;
    for (size_t i = 0; i < COUNT(passed); i++)
        assert_non_null(strstr(cushim_event_explain(one, two, passed[i]), "Ask again."));
    assert_non_null(strstr(cushim_event_explain(one, two, CUDA_ERROR_INVALID_VALUE), "was NULL"));
    event_drop(one);
    event_drop(two);
}

static void what_the_driver_knows_better_is_believed(void **state)
{
    struct cushim_event *start = event_make(NULL), *end = make_untimed();

    (void)state;
    assert_int_equal(cushim_driver()->EventRecord((CUevent)event_fake(start), world.stream_handle),
                     0);
    assert_false(cushim_event_is_recorded(start));
    assert_memory_equal(cushim_event_explain(start, end, 400), "The end event ", 14);
    event_drop(start);
    event_drop(end);
}

static void other_codes_get_their_advice(void **state)
{
    struct cushim_event *start = make_unrecorded(), *end = make_unrecorded();
    static const CUresult others[] = {3, 4, 34, 36, 201, 303, 709, 803, 999, 12345};

    (void)state;
    fake_forget();
    for (size_t i = 0; i < COUNT(others); i++)
        assert_string_equal(cushim_event_explain(start, end, others[i]),
                            cushim_error_advice(others[i]));
    assert_non_null(strstr(cushim_event_explain(start, end, CUDA_SUCCESS), "Nothing is wrong"));
    assert_int_equal(fake_calls(NULL), 0);
    assert_string_equal(cushim_event_explain(NULL, NULL, 600), cushim_error_advice(600));
    event_drop(start);
    event_drop(end);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, event_world_setup, event_world_teardown)
    const struct CMUnitTest tests[] = {
        TEST(every_reason_is_told_of_start_end_and_both),
        TEST(of_two_faults_that_of_start_is_told),
        TEST(asking_does_not_invalidate_a_capture),
        TEST(events_of_two_contexts_are_not_taken_for_unrecorded_ones),
        TEST(an_earlier_error_blames_neither),
        TEST(a_fault_that_has_passed_is_told_as_such),
        TEST(what_the_driver_knows_better_is_believed),
        TEST(other_codes_get_their_advice),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
