/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A build without the execution of kernels: images are read, and launches of unregistered kernels
 * are refused.
 */

#include "tests/mock/fixture.h"

static const char image[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n"
    ".visible .global .u32 value = 7;\n"
    ".func (.reg .u32 result) twice(.reg .u32 a, .param .u64 b) { add.u32 result, a, a; ret; }\n"
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
    logged[0] = '\0';
    return kernel_begin("mode = manual", image);
}

#define TEST(name) TEST_BETWEEN(name, begin, fixture_done)

TEST(kernel_that_is_not_registered_is_refused_with_the_reason)
{
    CUdeviceptr address = 0;
    uint32_t value = 0;
    void *parameters[] = {&address, &value};

    cushim_mock_set_log(fixture_mock, keep, NULL);
    CODE(CUDA_ERROR_NOT_SUPPORTED, kernel_launch(kernel_find("unknown"), parameters, NULL));
    assert_string_equal(logged,
                        "the kernel 'unknown' is not registered, and this mock was built without "
                        "the execution of kernels: CUDA_ERROR_NOT_SUPPORTED (register it, with "
                        "cushim run by --kernels; or build cushim with -Dkernels=enabled)");
    assert_int_equal(fixture_state().pending, 0);
}

TEST(image_declares_what_it_does_elsewhere)
{
    CUdeviceptr address;
    size_t bytes, offset;
    uint32_t value;
    int shared;

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
