/* SPDX-License-Identifier: Apache-2.0 */
/* Expectations of one ABI of a function where another comes. */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include "tests/layer/expectation_world.h"

static void expect_named(const char *function)
{
    const struct cushim_expectation once = {.size = sizeof once, .function = function};

    OK(cushim_expect(layer, &once, NULL, 0));
}

static void allocate(unsigned times)
{
    CUdeviceptr memory;

    for (unsigned i = 0; i < times; i++) {
        OK(driver->MemAlloc_v2(&memory, 16));
        OK(driver->MemFree_v2(memory));
    }
}

static void expectation_of_another_abi_is_told_which_came(void **state)
{
    (void)state;
    expect_named("cuMemAlloc");
    allocate(3);
    assert_said("expected exactly once: cuMemAlloc(dptr, bytesize); it came 0 times\n"
                "  cuMemAlloc_v2 came 3 times: <cuda.h> may mean that by cuMemAlloc\n");
    cushim_expectations_clear(layer);
    expect_named("cuEventElapsedTime_v2");
    assert_said("expected exactly once: cuEventElapsedTime_v2(pMilliseconds, hStart, hEnd); it "
                "came 0 times\n");
    CODE(CUDA_ERROR_INVALID_HANDLE, driver->EventElapsedTime(NULL, NULL, NULL));
    assert_said("expected exactly once: cuEventElapsedTime_v2(pMilliseconds, hStart, hEnd); it "
                "came 0 times\n"
                "  cuEventElapsedTime, another ABI of it, came once\n");
    cushim_expectations_clear(layer);
}

static void expectation_that_came_says_nothing_of_other_abis(void **state)
{
    (void)state;
    expect_named("cuMemAlloc_v2");
    driver->MemAlloc(NULL, 16);
    allocate(2);
    cushim_expectations_clear(layer);
    expect_named("cuMemAlloc*");
    driver->MemAllocPitch(NULL, NULL, 1, 1, 4);
    assert_verified();
    cushim_expectations_clear(layer);
}

static void call_that_is_expected_is_none_of_what_is_forbidden(void **state)
{
    (void)state;
    OK(cushim_forbid(layer, "cuMemAlloc", NULL, 0));
    expect_named("cuMemAlloc_v2");
    allocate(1);
    assert_verified();
    cushim_expectations_clear(layer);
}

static void forbidding_another_abi_alone_is_a_failure(void **state)
{
    (void)state;
    OK(cushim_forbid(layer, "cuMemAlloc", NULL, 0));
    assert_verified();
    allocate(3);
    assert_said("forbidden: cuMemAlloc; it came 0 times\n"
                "  cuMemAlloc_v2 came 3 times: <cuda.h> may mean that by cuMemAlloc\n");
    cushim_expectations_clear(layer);
    OK(cushim_forbid(layer, "cuMemAlloc_v2", NULL, 0));
    driver->MemAlloc(NULL, 16);
    assert_verified();
    cushim_expectations_clear(layer);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, expectation_setup, expectation_teardown)
    const struct CMUnitTest tests[] = {
        TEST(expectation_of_another_abi_is_told_which_came),
        TEST(expectation_that_came_says_nothing_of_other_abis),
        TEST(forbidding_another_abi_alone_is_a_failure),
        TEST(call_that_is_expected_is_none_of_what_is_forbidden),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
