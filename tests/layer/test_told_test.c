/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a test in words: more than is told one by one, and what has no tag. */
#include <string.h>

#include "tests/layer/kit.h"

static int begin(void **state)
{
    (void)state;
    kit_begin(&(struct cushim_test_options){.size = sizeof(struct cushim_test_options)});
    OK(driver->Init(0));
    return 0;
}

static void of_many_violations_the_first_are_told_and_the_rest_counted(void **state)
{
    (void)state;
    for (uintptr_t i = 1; i <= 20; i++)
        CODE(CUDA_ERROR_INVALID_HANDLE, driver->EventQuery((CUevent)(0x1000 + i)));
    CODE(CUDA_ERROR_ILLEGAL_STATE, kit_end());
    assert_non_null(strstr(kit_text, "20 violations of the driver's rules:\n"
                                     "  cuEventQuery: 0x1001 never was a handle\n"));
    assert_non_null(strstr(kit_text, "  cuEventQuery: 0x1008 never was a handle\n  and 12 more\n"));
    assert_null(strstr(kit_text, "0x1009"));
}

static void eight_violations_are_all_told(void **state)
{
    (void)state;
    for (uintptr_t i = 1; i <= 8; i++)
        CODE(CUDA_ERROR_INVALID_HANDLE, driver->EventQuery((CUevent)(0x1000 + i)));
    CODE(CUDA_ERROR_ILLEGAL_STATE, kit_end());
    assert_non_null(strstr(kit_text, "0x1008 never was a handle\n"));
    assert_null(strstr(kit_text, " more"));
}

/* Made below the layer, as by a library that has the driver from elsewhere. */
static void context_without_a_tag_that_is_left_current_is_told(void **state)
{
    CUcontext context;

    (void)state;
    OK(cushim_layer_wrapped(layer)->CtxCreate_v2(&context, 0, 0));
    CODE(CUDA_ERROR_ILLEGAL_STATE, kit_end());
    assert_string_equal(kit_text, "a context is left current for this thread\n");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, begin)
    const struct CMUnitTest tests[] = {
        TEST(of_many_violations_the_first_are_told_and_the_rest_counted),
        TEST(eight_violations_are_all_told),
        TEST(context_without_a_tag_that_is_left_current_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
