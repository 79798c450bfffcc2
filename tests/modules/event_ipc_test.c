/* SPDX-License-Identifier: Apache-2.0 */
/* Events that two processes share, as far as one process can see it. */
#include "event_world.h"

#include <string.h>

static void export_gives_the_drivers_bytes(void **state)
{
    struct cushim_event *event = event_make(&interprocess);
    CUipcEventHandle handle, none;

    (void)state;
    memset(&handle, 0, sizeof handle);
    memset(&none, 0, sizeof none);
    fake_enter(world.other_handle);
    fake_forget();
    assert_int_equal(cushim_event_export(event, &handle), CUDA_SUCCESS);
    assert_string_equal(fake_order(), "cuCtxPushCurrent_v2 cuIpcGetEventHandle cuCtxPopCurrent_v2");
    assert_memory_not_equal(&handle, &none, sizeof none);
    event_drop(event);
}

static void export_of_an_event_without_a_context_acts_in_the_current_one(void **state)
{
    struct cushim_event *event = event_wrap_unknown(6);
    CUipcEventHandle handle;

    (void)state;
    assert_int_equal(cushim_event_export(event, &handle), CUDA_ERROR_INVALID_CONTEXT);
    fake_enter(world.handle);
    fake_forget();
    assert_int_equal(cushim_event_export(event, &handle), CUDA_SUCCESS);
    assert_string_equal(fake_order(), "cuIpcGetEventHandle");
    event_drop(event);
}

static void export_that_fails_leaves_the_bytes_alone(void **state)
{
    struct cushim_event *local = event_make(NULL), *shared = event_make(&interprocess);
    CUipcEventHandle handle, before;

    (void)state;
    memset(&handle, 0x5a, sizeof handle);
    before = handle;
    assert_int_equal(cushim_event_export(local, &handle), CUDA_ERROR_INVALID_HANDLE);
    fake_fail("cuCtxPopCurrent_v2", 1, CUDA_ERROR_UNKNOWN);
    assert_int_equal(cushim_event_export(shared, &handle), CUDA_ERROR_UNKNOWN);
    fake_pop();
    fake_forget();
    assert_int_equal(cushim_event_export(NULL, &handle), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cushim_event_export(shared, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(fake_calls(NULL), 0);
    assert_memory_equal(&handle, &before, sizeof before);
    event_drop(local);
    event_drop(shared);
}

static void import_opens_in_the_context(void **state)
{
    const CUipcEventHandle handle = fake_ipc_handle();
    struct cushim_event *event = NULL;
    unsigned flags = 99;

    (void)state;
    fake_enter(world.other_handle);
    assert_int_equal(cushim_event_import(&event, world.context, &handle), CUDA_SUCCESS);
    assert_string_equal(fake_order(),
                        "cuCtxPushCurrent_v2 cuIpcOpenEventHandle cuCtxPopCurrent_v2");
    assert_ptr_equal(event_fake(event)->object.context, world.handle);
    assert_ptr_equal(cushim_event_context(event), world.context);
    assert_true(cushim_event_is_imported(event));
    assert_true(cushim_event_is_interprocess(event));
    assert_false(cushim_event_has_timing(event));
    assert_false(cushim_event_is_recorded(event));
    assert_int_equal(cushim_event_flags(event, &flags), CUDA_SUCCESS);
    assert_int_equal(flags, CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS);
    fake_forget();
    event_drop(event);
    assert_string_equal(fake_order(), "cuEventDestroy_v2");
}

static void an_imported_event_works_but_for_timing_and_export(void **state)
{
    const CUipcEventHandle handle = fake_ipc_handle();
    struct cushim_event *event = NULL;
    CUipcEventHandle again;
    float ms;

    (void)state;
    assert_int_equal(cushim_event_import(&event, world.context, &handle), CUDA_SUCCESS);
    assert_int_equal(cushim_event_record(event, world.stream), CUDA_SUCCESS);
    assert_int_equal(cushim_event_query(event), CUDA_SUCCESS);
    assert_int_equal(cushim_event_synchronize(event), CUDA_SUCCESS);
    assert_int_equal(cushim_event_elapsed(event, event, &ms), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cushim_event_export(event, &again), CUDA_ERROR_INVALID_HANDLE);
    event_drop(event);
}

static void import_that_fails_leaves_nothing(void **state)
{
    const CUipcEventHandle good = fake_ipc_handle(), garbage = {"garbage"};
    struct cushim_event *event = NULL, *own = event_make(&interprocess);
    CUipcEventHandle ours;

    (void)state;
    assert_int_equal(cushim_event_export(own, &ours), CUDA_SUCCESS);
    assert_int_equal(cushim_event_import(&event, world.context, &garbage), CUDA_ERROR_MAP_FAILED);
    assert_int_equal(cushim_event_import(&event, world.context, &ours), CUDA_ERROR_INVALID_CONTEXT);
    fake_fail("cuCtxPopCurrent_v2", 1, CUDA_ERROR_UNKNOWN);
    assert_int_equal(cushim_event_import(&event, world.context, &good), CUDA_ERROR_UNKNOWN);
    fake_pop();
    event_drop(own);
    assert_int_equal(fake_live(FAKE_EVENT), 0);
    fake_forget();
    assert_int_equal(cushim_event_import(&event, NULL, &good), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cushim_event_import(NULL, world.context, &good), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cushim_event_import(&event, world.context, NULL), CUDA_ERROR_INVALID_VALUE);
    event_lack_memory(1);
    assert_int_equal(cushim_event_import(&event, world.context, &good), CUDA_ERROR_OUT_OF_MEMORY);
    assert_null(event);
    assert_int_equal(fake_calls(NULL), 0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, event_world_setup, event_world_teardown)
    const struct CMUnitTest tests[] = {
        TEST(export_gives_the_drivers_bytes),
        TEST(export_of_an_event_without_a_context_acts_in_the_current_one),
        TEST(export_that_fails_leaves_the_bytes_alone),
        TEST(import_opens_in_the_context),
        TEST(an_imported_event_works_but_for_timing_and_export),
        TEST(import_that_fails_leaves_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
