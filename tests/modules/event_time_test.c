/* SPDX-License-Identifier: Apache-2.0 */
/* The time between two events. */
#include "event_world.h"

static void elapsed_is_in_milliseconds_and_signed(void **state)
{
    struct cushim_event *start = event_make(NULL), *end = event_make(NULL);
    float ms = 99;

    (void)state;
    event_record(start);
    fake_advance_ns(2500000);
    event_record(end);
    fake_forget();
    assert_int_equal(cushim_event_elapsed(start, end, &ms), CUDA_SUCCESS);
    assert_true(ms == 2.5f);
    assert_int_equal(cushim_event_elapsed(end, start, &ms), CUDA_SUCCESS);
    assert_true(ms == -2.5f);
    assert_int_equal(cushim_event_elapsed(end, end, &ms), CUDA_SUCCESS);
    assert_true(ms == 0);
    assert_string_equal(fake_order(),
                        "cuEventElapsedTime_v2 cuEventElapsedTime_v2 cuEventElapsedTime_v2");
    event_drop(start);
    event_drop(end);
}

static void elapsed_that_fails_leaves_the_result_alone(void **state)
{
    struct cushim_event *start = event_make(NULL), *end = event_make(NULL);
    float ms = 99;

    (void)state;
    event_record(start);
    assert_int_equal(cushim_event_elapsed(start, end, &ms), 400);
    event_record(end);
    fake_forget();
    assert_int_equal(cushim_event_elapsed(NULL, end, &ms), 400);
    assert_int_equal(cushim_event_elapsed(start, NULL, &ms), 400);
    assert_int_equal(cushim_event_elapsed(start, end, NULL), 1);
    assert_int_equal(fake_calls(NULL), 0);
    fake_fail(NULL, 1, CUDA_ERROR_UNKNOWN);
    assert_int_equal(cushim_event_elapsed(start, end, &ms), CUDA_ERROR_UNKNOWN);
    assert_true(ms == 99);
    event_drop(start);
    event_drop(end);
}

static void elapsed_falls_back_on_older_drivers_and_tells(void **state)
{
    struct cushim_event *event = event_make(NULL);
    float ms = 99;

    (void)state;
    event_record(event);
    assert_string_equal(cushim_event_elapsed_function(), "cuEventElapsedTime_v2");
    fake_lack("cuEventElapsedTime_v2");
    assert_string_equal(cushim_event_elapsed_function(), "cuEventElapsedTime");
    fake_forget();
    assert_int_equal(cushim_event_elapsed(event, event, &ms), CUDA_SUCCESS);
    assert_string_equal(fake_order(), "cuEventElapsedTime");
    assert_true(ms == 0);
    event_drop(event);
}

static void without_either_function_the_refusal_is_told(void **state)
{
    struct cushim_event *event = event_make(NULL);
    float ms = 99;

    (void)state;
    event_record(event);
    fake_lack("cuEventElapsedTime_v2");
    fake_lack("cuEventElapsedTime");
    assert_int_equal(cushim_event_elapsed(event, event, &ms), 36);
    assert_string_equal(cushim_event_elapsed_function(), "cuEventElapsedTime_v2");
    event_drop(event);
}

/* The loader's own driver, older than 12.8: the same file's functions, by another way in. */
static cushim_function older_driver(const char *symbol, void *data)
{
    const struct cushim_table *fake = data;

    switch (symbol[2]) {
    case 'I':
        return (cushim_function)fake->Init;
    case 'D':
        return (cushim_function)fake->DriverGetVersion;
    default:
        return symbol[7] == 'E' && symbol[18] == '\0' ? (cushim_function)fake->EventElapsedTime
                                                      : NULL;
    }
}

static void the_loaded_driver_tells_by_its_symbols(void **state)
{
    struct cushim_load_options options = {.size = sizeof options};
    const struct cushim_table *fake;

    (void)state;
    assert_int_equal(cushim_table_install(NULL, &fake), CUDA_SUCCESS);
    options.resolver = older_driver;
    options.resolver_data = (void *)(uintptr_t)fake;
    assert_string_equal(cushim_event_elapsed_function(), "cuEventElapsedTime_v2");
    assert_int_equal(cushim_load(&options), CUDA_SUCCESS);
    assert_string_equal(cushim_event_elapsed_function(), "cuEventElapsedTime");
    assert_int_equal(cushim_table_install(fake, NULL), CUDA_SUCCESS);
    assert_string_equal(cushim_event_elapsed_function(), "cuEventElapsedTime_v2");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, event_world_setup, event_world_teardown)
    const struct CMUnitTest tests[] = {
        TEST(elapsed_is_in_milliseconds_and_signed),
        TEST(elapsed_that_fails_leaves_the_result_alone),
        TEST(elapsed_falls_back_on_older_drivers_and_tells),
        TEST(without_either_function_the_refusal_is_told),
        TEST(the_loaded_driver_tells_by_its_symbols),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
