/* SPDX-License-Identifier: Apache-2.0 */
/* Creating events. */
#include "event_world.h"

static void create_makes_an_unrecorded_timed_event_in_the_context(void **state)
{
    struct cushim_event *event = NULL;
    unsigned flags = 99;

    (void)state;
    fake_enter(world.other_handle);
    assert_int_equal(cushim_event_create(&event, world.context, NULL), CUDA_SUCCESS);
    assert_string_equal(fake_order(), "cuCtxPushCurrent_v2 cuEventCreate cuCtxPopCurrent_v2");
    assert_ptr_equal(event_fake(event)->object.context, world.handle);
    assert_ptr_equal(cushim_event_context(event), world.context);
    assert_int_equal(cushim_event_flags(event, &flags), CUDA_SUCCESS);
    assert_int_equal(flags, CU_EVENT_DEFAULT);
    assert_true(cushim_event_has_timing(event));
    assert_false(cushim_event_is_recorded(event));
    assert_false(cushim_event_is_closed(event));
    assert_ptr_equal(fake_current(), world.other_handle);
    event_drop(event);
}

static void options_become_the_drivers_flags(void **state)
{
    static const struct {
        struct cushim_event_options options;
        unsigned flags;
    } cases[] = {
        {{sizeof cases[0].options, false, false, false}, 0},
        {{sizeof cases[0].options, false, true, false}, CU_EVENT_BLOCKING_SYNC},
        {{sizeof cases[0].options, true, false, false}, CU_EVENT_DISABLE_TIMING},
        {{sizeof cases[0].options, true, false, true}, 6},
        {{sizeof cases[0].options, true, true, true}, 7},
        {{sizeof(size_t), true, true, true}, 0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct cushim_event *event = event_make(&cases[i].options);
        unsigned flags = 99;

        assert_int_equal(cushim_event_flags(event, &flags), CUDA_SUCCESS);
        assert_int_equal(flags, cases[i].flags);
        assert_int_equal(event_fake(event)->flags, cases[i].flags);
        assert_int_equal(cushim_event_has_timing(event), !(flags & CU_EVENT_DISABLE_TIMING));
        assert_int_equal(cushim_event_is_blocking_sync(event),
                         (flags & CU_EVENT_BLOCKING_SYNC) != 0);
        assert_int_equal(cushim_event_is_interprocess(event), (flags & CU_EVENT_INTERPROCESS) != 0);
        event_drop(event);
    }
}

static void options_that_are_not_understood_are_refused(void **state)
{
    struct {
        struct cushim_event_options known;
        unsigned char unknown[8];
    } longer = {.known = {.size = sizeof longer}};
    const struct cushim_event_options nothing = {.size = 0};
    struct cushim_event *event = NULL;
    const CUevent handle = fake_foreign_event(world.handle, 0);

    (void)state;
    assert_int_equal(cushim_event_create(&event, world.context, &longer.known), CUDA_SUCCESS);
    event_drop(event);
    event = NULL;
    fake_forget();
    longer.unknown[3] = 1;
    for (int i = 0; i < 2; i++) {
        const struct cushim_event_options *bad = i ? &nothing : &longer.known;

        assert_int_equal(cushim_event_create(&event, world.context, bad), 1);
        assert_int_equal(cushim_event_create_recorded(&event, world.stream, bad), 1);
        assert_int_equal(cushim_event_wrap(&event, handle, NULL, bad), 1);
    }
    assert_null(event);
    assert_int_equal(fake_calls(NULL), 0);
}

static void interprocess_with_timing_gets_the_drivers_refusal(void **state)
{
    const struct cushim_event_options both = {.size = sizeof both, .interprocess = true};
    struct cushim_event *event = (struct cushim_event *)&both;

    (void)state;
    assert_int_equal(cushim_event_create(&event, world.context, &both), CUDA_ERROR_INVALID_VALUE);
    assert_ptr_equal(event, &both);
    assert_int_equal(fake_calls("cuEventCreate"), 1);
}

static void missing_arguments_are_refused_before_any_driver_call(void **state)
{
    struct cushim_event *event = event_make(NULL), *none = NULL;
    const CUevent handle = (CUevent)event_fake(event);

    (void)state;
    fake_forget();
    assert_int_equal(cushim_event_create(&none, NULL, NULL), 400);
    assert_int_equal(cushim_event_create(NULL, world.context, NULL), 1);
    assert_int_equal(cushim_event_create_recorded(&none, NULL, NULL), 400);
    assert_int_equal(cushim_event_create_recorded(NULL, world.stream, NULL), 1);
    assert_int_equal(cushim_event_wrap(&none, NULL, NULL, NULL), 400);
    assert_int_equal(cushim_event_wrap(NULL, handle, NULL, NULL), 1);
    assert_int_equal(cushim_event_close(NULL), 400);
    assert_int_equal(cushim_event_handle(NULL, &(CUevent){NULL}), 400);
    assert_int_equal(cushim_event_handle(event, NULL), 1);
    assert_int_equal(cushim_event_device(NULL, &(CUdevice){0}), 400);
    assert_int_equal(cushim_event_device(event, NULL), 1);
    assert_int_equal(cushim_event_flags(NULL, &(unsigned){0}), 400);
    assert_int_equal(cushim_event_flags(event, NULL), 1);
    assert_int_equal(cushim_event_record(NULL, world.stream), 400);
    assert_int_equal(cushim_event_record(event, NULL), 400);
    assert_int_equal(cushim_event_record_with_flags(NULL, world.stream, 1), 400);
    assert_int_equal(cushim_event_record_with_flags(event, NULL, 1), 400);
    assert_int_equal(cushim_event_query(NULL), 400);
    assert_int_equal(cushim_event_synchronize(NULL), 400);
    assert_int_equal(cushim_event_wait_for(NULL, 0), 400);
    assert_int_equal(cushim_event_release(NULL), CUDA_SUCCESS);
    assert_null(cushim_event_retain(NULL));
    assert_null(cushim_event_context(NULL));
    assert_false(cushim_event_has_timing(NULL) || cushim_event_is_blocking_sync(NULL) ||
                 cushim_event_is_interprocess(NULL) || cushim_event_is_imported(NULL) ||
                 cushim_event_is_recorded(NULL) || cushim_event_is_closed(NULL) ||
                 cushim_event_equal(NULL, NULL) || cushim_event_equal(event, NULL));
    assert_null(none);
    assert_int_equal(fake_calls(NULL), 0);
    event_drop(event);
}

static void create_that_cannot_put_the_context_back_says_so_and_leaves_nothing(void **state)
{
    struct cushim_event *event = NULL;

    (void)state;
    fake_fail("cuCtxPopCurrent_v2", 1, CUDA_ERROR_UNKNOWN);
    assert_int_equal(cushim_event_create(&event, world.context, NULL), CUDA_ERROR_UNKNOWN);
    assert_null(event);
    assert_int_equal(fake_live(FAKE_EVENT), 0);
    assert_ptr_equal(fake_pop(), world.handle);
}

static void create_that_fails_twice_returns_the_first_and_logs_the_second(void **state)
{
    struct cushim_event *event = NULL;

    (void)state;
    fake_break_context(world.handle, CUDA_ERROR_LAUNCH_FAILED);
    fake_fail("cuCtxPopCurrent_v2", 1, CUDA_ERROR_UNKNOWN);
    assert_int_equal(cushim_event_create(&event, world.context, NULL), CUDA_ERROR_LAUNCH_FAILED);
    assert_null(event);
    assert_int_equal(event_log_lines, 1);
    fake_pop();
}

static void without_memory_nothing_is_created(void **state)
{
    const CUevent handle = fake_foreign_event(world.handle, 0);
    struct cushim_event *event = NULL;

    (void)state;
    event_lack_memory(1);
    assert_int_equal(cushim_event_create(&event, world.context, NULL), CUDA_ERROR_OUT_OF_MEMORY);
    assert_int_equal(cushim_event_create_recorded(&event, world.stream, NULL),
                     CUDA_ERROR_OUT_OF_MEMORY);
    assert_int_equal(cushim_event_wrap(&event, handle, NULL, NULL), CUDA_ERROR_OUT_OF_MEMORY);
    assert_null(event);
    assert_int_equal(fake_calls(NULL), 0);
}

/* --- creating and recording --- */

static void create_recorded_records_in_the_streams_context(void **state)
{
    struct cushim_event *event = NULL;

    (void)state;
    fake_enter(world.other_handle);
    assert_int_equal(cushim_event_create_recorded(&event, world.stream, NULL), CUDA_SUCCESS);
    assert_string_equal(fake_order(),
                        "cuCtxPushCurrent_v2 cuEventCreate cuEventRecord cuCtxPopCurrent_v2");
    assert_true(cushim_event_is_recorded(event));
    assert_true(event_fake(event)->recorded);
    assert_ptr_equal(event_fake(event)->stream, world.stream_handle);
    assert_ptr_equal(cushim_event_context(event), world.context);
    event_drop(event);
}

static void create_recorded_on_a_default_stream_uses_the_current_context(void **state)
{
    struct cushim_event *event = NULL;
    CUcontext handle = NULL;

    (void)state;
    assert_int_equal(cushim_event_create_recorded(&event, cushim_stream_legacy(), NULL), 201);
    assert_null(event);
    fake_enter(world.other_handle);
    fake_lack("cuStreamGetCtx"); /* a driver before 9.2 */
    assert_int_equal(cushim_event_create_recorded(&event, cushim_stream_legacy(), NULL), 0);
    assert_ptr_equal(event_fake(event)->object.context, world.other_handle);
    assert_int_equal(cushim_context_handle(cushim_event_context(event), &handle), CUDA_SUCCESS);
    assert_ptr_equal(handle, world.other_handle);
    event_drop(event);
}

static void create_recorded_asks_the_driver_for_an_unknown_context(void **state)
{
    struct cushim_stream *stream;
    struct cushim_event *event = NULL;

    (void)state;
    assert_int_equal(cushim_stream_wrap(&stream, world.stream_handle, NULL), CUDA_SUCCESS);
    fake_enter(world.other_handle);
    assert_int_equal(cushim_event_create_recorded(&event, stream, NULL), CUDA_SUCCESS);
    assert_ptr_equal(event_fake(event)->object.context, world.handle);
    assert_non_null(cushim_event_context(event));
    event_drop(event);
    cushim_stream_release(stream);
}

static void create_recorded_that_cannot_record_leaves_nothing(void **state)
{
    struct cushim_event *event = NULL;

    (void)state;
    fake_fail("cuEventRecord", 1, CUDA_ERROR_UNKNOWN);
    assert_int_equal(cushim_event_create_recorded(&event, world.stream, NULL), CUDA_ERROR_UNKNOWN);
    assert_null(event);
    assert_int_equal(fake_calls("cuEventDestroy_v2"), 1);
    fake_forget();
    cushim_stream_close(world.stream);
    assert_int_equal(cushim_event_create_recorded(&event, world.stream, NULL), 400);
    assert_int_equal(fake_calls(NULL), 0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, event_world_setup, event_world_teardown)
    const struct CMUnitTest tests[] = {
        TEST(create_makes_an_unrecorded_timed_event_in_the_context),
        TEST(options_become_the_drivers_flags),
        TEST(options_that_are_not_understood_are_refused),
        TEST(interprocess_with_timing_gets_the_drivers_refusal),
        TEST(missing_arguments_are_refused_before_any_driver_call),
        TEST(create_that_cannot_put_the_context_back_says_so_and_leaves_nothing),
        TEST(create_that_fails_twice_returns_the_first_and_logs_the_second),
        TEST(without_memory_nothing_is_created),
        TEST(create_recorded_records_in_the_streams_context),
        TEST(create_recorded_on_a_default_stream_uses_the_current_context),
        TEST(create_recorded_asks_the_driver_for_an_unknown_context),
        TEST(create_recorded_that_cannot_record_leaves_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
