/* SPDX-License-Identifier: Apache-2.0 */
/* Events that two processes share, as far as one process can see it. */
#include "testkit.h"

#include <string.h>

static void export_acts_in_the_events_context(void **state)
{
    struct cushim_event *event = kit_event(&kit_interprocess);
    CUipcEventHandle handle, none;

    (void)state;
    memset(&handle, 0, sizeof handle);
    memset(&none, 0, sizeof none);
    kit_forget();
    OK(cushim_event_export(event, &handle));
    assert_calls(IN_FIRST("cuIpcGetEventHandle"));
    assert_memory_not_equal(&handle, &none, sizeof none);
    OK(cushim_event_release(event));
}

static void export_of_an_event_without_a_context_acts_in_the_current_one(void **state)
{
    struct cushim_event *event = NULL;
    CUipcEventHandle handle;

    (void)state;
    OK(cushim_event_wrap(&event, kit_foreign_event(6), NULL, NULL));
    kit_enter(kit.first);
    OK(cushim_event_export(event, &handle));
    assert_calls("cuIpcGetEventHandle");
    OK(cushim_event_release(event));
}

static void imported_event_has_no_timing_and_is_destroyed_by_its_last_release(void **state)
{
    struct cushim_event *event = kit_imported_event();
    unsigned flags = 99;

    (void)state;
    assert_calls(IN_FIRST("cuIpcOpenEventHandle"));
    assert_ptr_equal(cushim_event_context(event), kit.one);
    assert_true(cushim_event_is_imported(event));
    assert_true(cushim_event_is_interprocess(event));
    assert_false(cushim_event_has_timing(event));
    assert_false(cushim_event_is_recorded(event));
    OK(cushim_event_flags(event, &flags));
    assert_int_equal(flags, CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS);
    OK(cushim_event_record(event, kit.stream));
    OK(cushim_event_query(event));
    kit_forget();
    OK(cushim_event_release(event));
    assert_calls("cuEventDestroy_v2");
}

/* The sweep has an import that the driver refuses, and so none of this. */
static void import_that_cannot_put_the_context_back_leaves_nothing(void **state)
{
    struct cushim_event *event = NULL;
    const CUipcEventHandle handle = {{0}};

    (void)state;
    OK(cushim_event_release(kit_imported_event()));
    kit_forget();
    kit_fault("cuCtxPopCurrent_v2:nth=1,phase=after => return(UNKNOWN)");
    CODE(CUDA_ERROR_UNKNOWN, cushim_event_import(&event, kit.one, &handle));
    assert_null(event);
    assert_calls(IN_FIRST("cuIpcOpenEventHandle") " cuEventDestroy_v2");
}

static void missing_arguments_are_refused_before_any_driver_call(void **state)
{
    struct cushim_event *shared = kit_event(&kit_interprocess), *event = NULL;
    CUipcEventHandle handle;

    (void)state;
    memset(&handle, 0, sizeof handle);
    kit_forget();
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_event_export(NULL, &handle));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_event_export(shared, NULL));
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_event_import(&event, NULL, &handle));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_event_import(NULL, kit.one, &handle));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_event_import(&event, kit.one, NULL));
    assert_null(event);
    assert_calls("");
    OK(cushim_event_release(shared));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(export_acts_in_the_events_context),
        TEST(export_of_an_event_without_a_context_acts_in_the_current_one),
        TEST(imported_event_has_no_timing_and_is_destroyed_by_its_last_release),
        TEST(import_that_cannot_put_the_context_back_leaves_nothing),
        TEST(missing_arguments_are_refused_before_any_driver_call),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
