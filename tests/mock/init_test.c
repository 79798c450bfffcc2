/* SPDX-License-Identifier: Apache-2.0 */
/* The start of the driver, and what works before it. */
#include <string.h>

#include "tests/mock/world.h"

static void init_takes_no_flags_and_may_be_repeated(void **state)
{
    int version = -5;

    (void)state;
    bare_create("driver_version = 12.2");
    CODE(CUDA_ERROR_INVALID_VALUE, driver->Init(1));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->DriverGetVersion(NULL));
    OK(driver->DriverGetVersion(&version));
    assert_int_equal(version, 12020);
    OK(driver->Init(0));
    OK(driver->Init(0));
    bare_end();
}

static void before_init_only_some_arguments_are_looked_at(void **state)
{
    unsigned capabilities = 5;
    int value = -5;

    (void)state;
    bare_create(NULL);
    CODE(CUDA_ERROR_NOT_INITIALIZED, driver->DeviceGetCount(NULL));
    CODE(CUDA_ERROR_NOT_INITIALIZED, driver->DeviceGetCount(&value));
    CODE(CUDA_ERROR_NOT_INITIALIZED, driver->DeviceGet(NULL, 0));
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->DeviceGetAttribute(NULL, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
    CODE(CUDA_ERROR_NOT_INITIALIZED,
         driver->DeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->DeviceGetHostAtomicCapabilities(&capabilities, NULL, 0, 0));
    assert_int_equal(value, -5);
    assert_int_equal(capabilities, 5);
    bare_end();
}

static void personalities_decide_what_init_answers(void **state)
{
    static const struct {
        const char *settings;
        CUresult code;
    } cases[] = {
        {"personality = no-device", CUDA_ERROR_NO_DEVICE},
        {"devices = 0", CUDA_ERROR_NO_DEVICE},
        {"personality = version-mismatch", CUDA_ERROR_SYSTEM_DRIVER_MISMATCH},
        {"personality = stub", CUDA_ERROR_STUB_LIBRARY},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const bool is_stub = cases[i].code == CUDA_ERROR_STUB_LIBRARY;
        int value = -5;
        bare_create(cases[i].settings);
        CODE(cases[i].code, driver->Init(0));
        CODE(cases[i].code, driver->Init(0));
        CODE(is_stub ? CUDA_ERROR_STUB_LIBRARY : CUDA_ERROR_NOT_INITIALIZED,
             driver->DeviceGetCount(&value));
        CODE(is_stub ? CUDA_ERROR_STUB_LIBRARY : CUDA_SUCCESS, driver->DriverGetVersion(&value));
        assert_int_equal(value, is_stub ? -5 : 13000);
        bare_end();
    }
}

static void codes_are_named_and_explained(void **state)
{
    static const int unknown[] = {917, 12345, -1};
    const char *text = "#";

    (void)state;
    bare_create(NULL);
    OK(driver->GetErrorName(CUDA_ERROR_NOT_READY, &text));
    assert_string_equal(text, "CUDA_ERROR_NOT_READY");
    OK(driver->GetErrorString(CUDA_SUCCESS, &text));
    assert_true(strlen(text) > 5);
    for (size_t i = 0; i < COUNT(unknown); i++) {
        text = "#";
        CODE(CUDA_ERROR_INVALID_VALUE, driver->GetErrorName((CUresult)unknown[i], &text));
        assert_null(text);
        text = "#";
        CODE(CUDA_ERROR_INVALID_VALUE, driver->GetErrorString((CUresult)unknown[i], &text));
        assert_null(text);
    }
    bare_end();
}

static void a_text_without_a_place_is_a_violation(void **state)
{
    (void)state;
    bare_create(NULL);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GetErrorName(CUDA_SUCCESS, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GetErrorString(CUDA_SUCCESS, NULL));
    assert_non_null(cushim_mock_violation(world, 1));
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_mock_destroy(world));
    world = NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BARE_TEST(init_takes_no_flags_and_may_be_repeated),
        BARE_TEST(before_init_only_some_arguments_are_looked_at),
        BARE_TEST(personalities_decide_what_init_answers),
        BARE_TEST(codes_are_named_and_explained),
        BARE_TEST(a_text_without_a_place_is_a_violation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
