/* SPDX-License-Identifier: Apache-2.0 */
/* The time between two events. */
#include "testkit.h"

static void elapsed_is_in_milliseconds_and_signed(void **state)
{
    struct cushim_event *start = kit_event(NULL), *end = kit_event(NULL);
    float ms = 99;

    (void)state;
    OK(cushim_event_record(start, kit.stream));
    cushim_mock_drain(kit.mock);
    cushim_mock_advance(kit.mock, 2500000);
    OK(cushim_event_record(end, kit.stream));
    cushim_mock_drain(kit.mock);
    kit_forget();
    OK(cushim_event_elapsed(start, end, &ms));
    assert_true(ms == 2.5f);
    OK(cushim_event_elapsed(end, start, &ms));
    assert_true(ms == -2.5f);
    OK(cushim_event_elapsed(end, end, &ms));
    assert_true(ms == 0);
    assert_calls("cuEventElapsedTime_v2 cuEventElapsedTime_v2 cuEventElapsedTime_v2");
    OK(cushim_event_release(start));
    OK(cushim_event_release(end));
}

static void elapsed_refuses_null_before_any_driver_call(void **state)
{
    struct cushim_event *event = kit_event(NULL);
    float ms = 99;

    (void)state;
    kit_forget();
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_event_elapsed(NULL, event, &ms));
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_event_elapsed(event, NULL, &ms));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_event_elapsed(event, event, NULL));
    assert_calls("");
    assert_true(ms == 99);
    OK(cushim_event_release(event));
}

static void without_either_function_the_newer_one_is_named(void **state)
{
    struct cushim_event *event = kit_event(NULL);
    float ms = 99;

    (void)state;
    OK(cushim_event_record(event, kit.stream));
    kit_fault("cuEventElapsedTime* => missing");
    CODE(36, cushim_event_elapsed(event, event, &ms));
    assert_string_equal(cushim_event_elapsed_function(), "cuEventElapsedTime_v2");
    OK(cushim_event_release(event));
}

static void table_of_an_older_driver_measures_with_the_older_function(void **state)
{
    struct cushim_table older = {.size = sizeof older};
    struct cushim_event *event = kit_event(NULL);
    float ms = 99;

    (void)state;
    OK(cushim_event_record(event, kit.stream));
    assert_string_equal(cushim_event_elapsed_function(), "cuEventElapsedTime_v2");
    OK(cushim_table_fill(&older, cushim_mock_symbol, kit.mock, NULL));
    OK(cushim_table_install(&older, NULL));
    assert_string_equal(cushim_event_elapsed_function(), "cuEventElapsedTime");
    OK(cushim_event_elapsed(event, event, &ms));
    assert_true(ms == 0);
    OK(cushim_table_install(cushim_layer_table(kit.layer), NULL));
    OK(cushim_event_release(event));
}

/* A process loads once, so this is the last test. */
static void loaded_driver_that_is_older_measures_with_the_older_function(void **state)
{
    struct cushim_load_options options = {
        .size = sizeof options, .resolver = cushim_mock_symbol, .resolver_data = kit.mock};

    (void)state;
    OK(cushim_table_install(NULL, NULL));
    assert_string_equal(cushim_event_elapsed_function(), "cuEventElapsedTime_v2");
    OK(cushim_load(&options));
    assert_string_equal(cushim_event_elapsed_function(), "cuEventElapsedTime");
    OK(cushim_table_install(cushim_layer_table(kit.layer), NULL));
    assert_string_equal(cushim_event_elapsed_function(), "cuEventElapsedTime_v2");
}

int main(void)
{
    static const char manual[] = "mode = manual\ncost.launch = 0 ns\ncost.record = 0 ns";
    static const char older[] = "schedule = eager\ndriver_version = 12.0";
    const struct CMUnitTest tests[] = {
        TEST_WITH(elapsed_is_in_milliseconds_and_signed, manual),
        TEST(elapsed_refuses_null_before_any_driver_call),
        TEST(without_either_function_the_newer_one_is_named),
        TEST_WITH(table_of_an_older_driver_measures_with_the_older_function, older),
        TEST_WITH(loaded_driver_that_is_older_measures_with_the_older_function, older),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
