/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expectations in words: each kind of matcher, numbers with a sign, odd codes, calls too long to be
 * told whole.
 */
#include <string.h>

#include <cushim/fault.h>

#include "tests/layer/expectation_world.h"

static void matchers_are_told_as_they_were_written(void **state)
{
    (void)state;
    EXPECT(.function = "cuModuleGetFunction",
           .arguments = {cushim_match_not_null(), [2] = cushim_match_text("one\ntwo")});
    EXPECT(.function = "cuDeviceGetName",
           .arguments = {
               [1] = cushim_match_range((uint64_t)-2, 7), [2] = cushim_match_equal((uint64_t)-1)});
    assert_said("expected exactly once: cuModuleGetFunction(hfunc=not NULL, hmod, "
                "name=\"one?two\"); it came 0 times\n"
                "expected exactly once: cuDeviceGetName(name, len=-2 to 7, dev=-1); it came 0 "
                "times\n");
}

static void code_without_a_name_is_told_by_its_number(void **state)
{
    (void)state;
    EXPECT(.function = "cuEventQuery", .match_code = true, .code = (CUresult)12345);
    assert_said("expected exactly once: cuEventQuery(hEvent) = 12345; it came 0 times\n");
}

static void of_calls_that_come_too_early_the_first_is_told(void **state)
{
    (void)state;
    EXPECT(.function = "cuEventQuery", .in_order = true);
    EXPECT(.function = "cuStreamQuery", .minimum = 2, .in_order = true);
    OK(driver->StreamQuery(stream));
    OK(driver->StreamQuery(CU_STREAM_LEGACY));
    OK(driver->EventQuery(first));
    assert_said("out of order: cuStreamQuery(hStream) came before cuEventQuery(hEvent)\n"
                "  it is call 7 of thread 1: cuStreamQuery(hStream=stream#1) = CUDA_SUCCESS\n");
}

static void call_too_long_to_be_told_whole_ends_in_dots(void **state)
{
    const unsigned most = 4294967295u;
    const char *told, *end;

    (void)state;
    OK(cushim_tag_name(layer, stream, "stream-of-thirty-one-characters"));
    OK(cushim_forbid(layer, "cuLaunchKernel", NULL, 0));
    OK(cushim_fault_parse(layer, "* => return(LAUNCH_INCOMPATIBLE_TEXTURING)", NULL, 0));
    driver->LaunchKernel(NULL, most, most, most, most, most, most, most, stream, NULL, NULL);
    cushim_fault_clear(layer);
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_layer_verify(layer, said, sizeof said));
    told = strstr(said, "call 7 of thread 1: cuLaunchKernel(f=NULL, gridDimX=4294967295, ");
    assert_non_null(told);
    end = strchr(told, '\n');
    assert_non_null(end);
    assert_int_equal(end - told, 319);
    assert_memory_equal(end - 3, "...", 3);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, expectation_setup, expectation_teardown)
    const struct CMUnitTest tests[] = {
        TEST(matchers_are_told_as_they_were_written),
        TEST(code_without_a_name_is_told_by_its_number),
        TEST(of_calls_that_come_too_early_the_first_is_told),
        TEST(call_too_long_to_be_told_whole_ends_in_dots),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
