/* SPDX-License-Identifier: Apache-2.0 */
/* A group that is written as users write theirs. */
#include <cushim/cmocka.h>
#include <cushim/driver.h>

static const struct cushim_test_options two_devices = {.size = sizeof two_devices,
                                                       .settings = "devices = 2"};

static void test_has_a_mock_and_a_layer(void **state)
{
    int count;

    assert_ptr_equal(cushim_test_mock(*state), cushim_mock_current());
    assert_ptr_equal(cushim_test_layer(*state), cushim_layer_current());
    assert_int_equal(cushim_driver()->Init(0), CUDA_SUCCESS);
    assert_int_equal(cushim_driver()->DeviceGetCount(&count), CUDA_SUCCESS);
    assert_int_equal(count, 1);
    assert_int_equal(cushim_recording_count(cushim_test_layer(*state)), 2);
}

static void options_are_the_initial_state(void **state)
{
    int count;

    (void)state;
    assert_int_equal(cushim_driver()->Init(0), CUDA_SUCCESS);
    assert_int_equal(cushim_driver()->DeviceGetCount(&count), CUDA_SUCCESS);
    assert_int_equal(count, 2);
}

static void expectations_are_verified_in_the_test(void **state)
{
    struct cushim_layer *layer = cushim_test_layer(*state);
    const struct cushim_expectation once = {.size = sizeof once, .function = "cuInit"};

    assert_int_equal(cushim_expect(layer, &once, NULL, 0), CUDA_SUCCESS);
    assert_int_equal(cushim_driver()->Init(0), CUDA_SUCCESS);
    cushim_assert_verified(layer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_has_a_mock_and_a_layer, cushim_cmocka_begin,
                                        cushim_cmocka_end),
        cmocka_unit_test_prestate_setup_teardown(options_are_the_initial_state, cushim_cmocka_begin,
                                                 cushim_cmocka_end,
                                                 (void *)(uintptr_t)&two_devices),
        cmocka_unit_test_setup_teardown(expectations_are_verified_in_the_test, cushim_cmocka_begin,
                                        cushim_cmocka_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
