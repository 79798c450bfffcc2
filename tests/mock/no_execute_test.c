/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A build without the execution of kernels: images are read, and launches of unregistered kernels
 * are refused.
 */
#include <stdio.h>
#include <string.h>

#include "tests/mock/fixture.h"

static const char image[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n"
    ".visible .global .u32 value = 7;\n"
    ".func (.reg .u32 result) twice(.reg .u32 a, .param .u64 b) { add.u32 result, a, a; ret; }\n"
    ".visible .entry known(.param .u64 p) { ret; }\n"
    ".visible .entry unknown(.param .u64 p, .param .u32 v) {\n"
    ".shared .b32 own[16];\n.reg .b32 %r<2>;\nno.such.instruction %r1;\nret;\n}\n";

static char logged[600];

static void keep(void *data, const char *text)
{
    (void)data;
    snprintf(logged, sizeof logged, "%s", text);
}

static int begin(void **state)
{
    (void)state;
    logged[0] = '\0';
    return kernel_begin("mode = manual", image);
}

static void kernel_that_is_not_registered_is_refused_with_the_reason(void **state)
{
    CUdeviceptr address = 0;
    uint32_t value = 0;
    void *parameters[] = {&address, &value};

    (void)state;
    cushim_mock_set_log(fixture_mock, keep, NULL);
    CODE(CUDA_ERROR_NOT_SUPPORTED, kernel_launch(kernel_find("unknown"), parameters, NULL));
    assert_string_equal(logged,
                        "the kernel 'unknown' is not registered, and this mock was built without "
                        "the execution of kernels: CUDA_ERROR_NOT_SUPPORTED (register it, with "
                        "cushim run by --kernels; or build cushim with -Dkernels=enabled)");
    assert_int_equal(fixture_state().pending, 0);
}

static void registered_kernel_runs(void **state)
{
    const struct cushim_mock_kernel kernel = {.size = sizeof kernel, .name = "known"};
    CUdeviceptr address = 0;
    void *parameters[] = {&address};

    (void)state;
    OK(cushim_mock_register_kernel(fixture_mock, &kernel));
    OK(kernel_launch(kernel_find("known"), parameters, NULL));
    OK(cushim_mock_drain(fixture_mock));
}

static void image_declares_what_it_does_elsewhere(void **state)
{
    CUdeviceptr address;
    size_t bytes, offset;
    uint32_t value;
    int shared;

    (void)state;
    OK(driver->ModuleGetGlobal_v2(&address, &bytes, kernel_module, "value"));
    assert_int_equal(bytes, 4);
    memcpy(&value, cushim_mock_memory(fixture_mock, address, 4), sizeof value);
    assert_int_equal(value, 7);
    OK(driver->FuncGetParamInfo(kernel_find("unknown"), 1, &offset, &bytes));
    assert_int_equal(offset, 8);
    assert_int_equal(bytes, 4);
    OK(driver->FuncGetAttribute(&shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
                                kernel_find("unknown")));
    assert_int_equal(shared, 64);
}

static void setting_that_asks_for_execution_makes_no_mock(void **state)
{
    const struct cushim_mock_options options = {.size = sizeof options,
                                                .settings = "unregistered_kernels = execute"};
    struct cushim_mock *mock = NULL;

    (void)state;
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_mock_create(&options, &mock));
    assert_null(mock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(kernel_that_is_not_registered_is_refused_with_the_reason,
                                        begin, kernel_end),
        cmocka_unit_test_setup_teardown(registered_kernel_runs, begin, kernel_end),
        cmocka_unit_test_setup_teardown(image_declares_what_it_does_elsewhere, begin, kernel_end),
        cmocka_unit_test(setting_that_asks_for_execution_makes_no_mock),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
