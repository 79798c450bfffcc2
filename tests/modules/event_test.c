/* SPDX-License-Identifier: Apache-2.0 */
/* Events: their life, and what is known of them. */
#include "event_world.h"

#include <string.h>

static void a_wrapped_event_is_never_destroyed(void **state)
{
    const CUevent foreign = fake_foreign_event(world.handle, 0);
    struct cushim_event *event = NULL;

    (void)state;
    for (int i = 0; i < 2; i++) {
        CUevent handle = NULL;

        assert_int_equal(cushim_event_wrap(&event, foreign, world.context, NULL), CUDA_SUCCESS);
        assert_int_equal(cushim_event_handle(event, &handle), CUDA_SUCCESS);
        assert_ptr_equal(handle, foreign);
        assert_int_equal(i ? cushim_event_close(event) : CUDA_SUCCESS, CUDA_SUCCESS);
        event_drop(event);
    }
    assert_int_equal(fake_calls(NULL), 0);
}

static void a_wrapped_event_knows_what_it_was_told(void **state)
{
    const CUevent foreign = fake_foreign_event(world.handle, CU_EVENT_DISABLE_TIMING);
    struct cushim_event *event = NULL;
    unsigned flags = 99;
    CUdevice device = 99;

    (void)state;
    assert_int_equal(cushim_event_wrap(&event, foreign, NULL, NULL), CUDA_SUCCESS);
    assert_int_equal(cushim_event_flags(event, &flags), CUDA_ERROR_NOT_SUPPORTED);
    assert_int_equal(cushim_event_device(event, &device), CUDA_ERROR_NOT_SUPPORTED);
    assert_int_equal(flags, 99);
    assert_int_equal(device, 99);
    assert_null(cushim_event_context(event));
    assert_false(cushim_event_has_timing(event) || cushim_event_is_blocking_sync(event));
    event_drop(event);
    assert_int_equal(cushim_event_wrap(&event, foreign, world.context, &untimed), CUDA_SUCCESS);
    assert_int_equal(cushim_event_flags(event, &flags), CUDA_SUCCESS);
    assert_int_equal(flags, CU_EVENT_DISABLE_TIMING);
    assert_ptr_equal(cushim_event_context(event), world.context);
    event_drop(event);
}

static void the_last_release_destroys_once(void **state)
{
    struct cushim_event *event = event_make(NULL);

    (void)state;
    fake_forget();
    assert_ptr_equal(cushim_event_retain(event), event);
    event_drop(event);
    assert_int_equal(fake_calls(NULL), 0);
    event_drop(event);
    assert_string_equal(fake_order(), "cuEventDestroy_v2");
}

static void an_event_keeps_its_context_alive(void **state)
{
    struct cushim_context *context;
    struct cushim_event *event;

    (void)state;
    assert_int_equal(cushim_context_create(&context, 0, NULL), CUDA_SUCCESS);
    assert_int_equal(cushim_event_create(&event, context, NULL), CUDA_SUCCESS);
    assert_int_equal(cushim_context_release(context), CUDA_SUCCESS);
    fake_forget();
    event_drop(event);
    assert_string_equal(fake_order(), "cuEventDestroy_v2 cuCtxDestroy_v2");
}

static void a_closed_event_is_refused_everywhere(void **state)
{
    struct cushim_event *event = event_make(&interprocess), *good = event_make(NULL);
    CUipcEventHandle exported;
    float ms;

    (void)state;
    event_record(event);
    event_record(good);
    fake_forget();
    assert_int_equal(cushim_event_close(event), CUDA_SUCCESS);
    assert_int_equal(cushim_event_close(event), CUDA_SUCCESS);
    assert_string_equal(fake_order(), "cuEventDestroy_v2");
    assert_true(cushim_event_is_closed(event));
    assert_int_equal(cushim_event_record(event, world.stream), 400);
    assert_int_equal(cushim_event_record(event, cushim_stream_legacy()), 400);
    assert_int_equal(cushim_event_record_with_flags(event, world.stream, 1), 400);
    assert_string_equal(fake_order(), "cuEventDestroy_v2"); /* not even with NULL */
    assert_int_equal(cushim_event_query(event), 400);
    assert_int_equal(cushim_event_synchronize(event), 400);
    assert_int_equal(cushim_event_wait_for(event, 1000), 400);
    assert_int_equal(cushim_event_elapsed(event, good, &ms), 400);
    assert_int_equal(cushim_event_elapsed(good, event, &ms), 400);
    assert_int_equal(cushim_event_export(event, &exported), 400);
    assert_int_equal(cushim_event_handle(event, &(CUevent){NULL}), 400);
    assert_int_equal(cushim_event_device(event, &(CUdevice){0}), 400);
    assert_false(cushim_event_equal(event, event));
    assert_ptr_equal(cushim_event_context(event), world.context);
    event_drop(event);
    event_drop(good);
    assert_int_equal(fake_calls("cuEventDestroy_v2"), 2);
}

static void a_destroy_that_fails_is_told_unless_the_event_went_before(void **state)
{
    static const struct {
        CUresult driver, told;
    } cases[] = {{0, 0}, {4, 0}, {709, 0}, {3, 0}, {700, 700}, {999, 999}};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (int close = 0; close < 2; close++) {
            struct cushim_event *event = event_make(NULL);

            event_log_lines = 0;
            fake_fail("cuEventDestroy_v2", 1, cases[i].driver);
            assert_int_equal(close ? cushim_event_close(event) : cushim_event_release(event),
                             cases[i].told);
            assert_int_equal(event_log_lines, cases[i].told != 0);
            if (close)
                event_drop(event);
        }
    }
    assert_non_null(strstr(event_log_last, "cuEventDestroy_v2"));
    assert_int_equal(fake_live(FAKE_EVENT), 0);
}

static void an_event_of_a_destroyed_context_ends_quietly(void **state)
{
    struct cushim_context *wrapped;
    struct cushim_event *event;
    CUcontext handle;

    (void)state;
    assert_int_equal(cushim_driver()->CtxCreate_v2(&handle, 0, 0), CUDA_SUCCESS);
    assert_int_equal(cushim_context_wrap(&wrapped, handle), CUDA_SUCCESS);
    assert_int_equal(cushim_event_create(&event, wrapped, NULL), CUDA_SUCCESS);
    assert_int_equal(cushim_driver()->CtxDestroy_v2(handle), CUDA_SUCCESS);
    assert_int_equal(cushim_event_query(event), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    event_drop(event);
    cushim_context_release(wrapped);
    assert_int_equal(event_log_lines, 0);
}

static void device_and_equality(void **state)
{
    struct cushim_event *one = event_make(NULL), *other = event_make_other(NULL), *same = NULL;
    CUdevice device = 99;

    (void)state;
    assert_int_equal(cushim_event_device(one, &device), CUDA_SUCCESS);
    assert_int_equal(device, 0);
    assert_int_equal(cushim_event_device(other, &device), CUDA_SUCCESS);
    assert_int_equal(device, 1);
    assert_int_equal(cushim_event_wrap(&same, (CUevent)event_fake(one), NULL, NULL), CUDA_SUCCESS);
    assert_true(cushim_event_equal(one, same));
    assert_true(cushim_event_equal(one, one));
    assert_false(cushim_event_equal(one, other));
    event_drop(same);
    event_drop(one);
    event_drop(other);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, event_world_setup, event_world_teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_wrapped_event_is_never_destroyed),
        TEST(a_wrapped_event_knows_what_it_was_told),
        TEST(the_last_release_destroys_once),
        TEST(an_event_keeps_its_context_alive),
        TEST(a_closed_event_is_refused_everywhere),
        TEST(a_destroy_that_fails_is_told_unless_the_event_went_before),
        TEST(an_event_of_a_destroyed_context_ends_quietly),
        TEST(device_and_equality),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
