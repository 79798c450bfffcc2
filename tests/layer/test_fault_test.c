/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A test with faults: they take effect, what they answer is no error, and what never came is told.
 */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include <string.h>

#include <cushim/driver.h>
#include <cushim/fault.h>

#include "src/layer/recording/known.h"
#include "tests/layer/kit.h"

static void begin_with(const char *faults)
{
    kit_begin(&(struct cushim_test_options){.size = sizeof(struct cushim_test_options),
                                            .settings = "mode = manual",
                                            .faults = faults,
                                            .forbid_errors = true});
}

static void fault_of_the_options_takes_effect(void **state)
{
    CUdeviceptr memory = 0;

    (void)state;
    begin_with("cuMemAlloc_v2:nth=2 => return(OUT_OF_MEMORY)");
    kit_enter();
    OK(driver->MemAlloc_v2(&memory, 16));
    CODE(CUDA_ERROR_OUT_OF_MEMORY, driver->MemAlloc_v2(&(CUdeviceptr){0}, 16));
    OK(driver->MemFree_v2(memory));
    kit_leave();
    OK(kit_end());
    assert_string_equal(kit_text, "");
}

static void answer_of_a_fault_is_told_and_is_no_error(void **state)
{
    char text[2000];
    CUevent event;

    (void)state;
    begin_with("cuEventCreate:nth=1 => return(OUT_OF_MEMORY)\n"
               "cuEventDestroy_v2:nth=1 => return(INVALID_HANDLE)\n"
               "cuEventCreate:nth=1,phase=after => return(OUT_OF_MEMORY)");
    kit_enter();
    CODE(CUDA_ERROR_OUT_OF_MEMORY, driver->EventCreate(&event, 0));
    CODE(CUDA_ERROR_OUT_OF_MEMORY, driver->EventCreate(&event, 0));
    OK(driver->EventCreate(&event, 0));
    CODE(CUDA_ERROR_INVALID_HANDLE, driver->EventDestroy_v2(event));
    assert_int_equal(cushim__known_count().handles, 1); /* the context */
    cushim_recording_text(layer, text, sizeof text);
    assert_non_null(strstr(text, "4  t1  0 ns  cuEventCreate(phEvent, Flags=0) = "
                                 "CUDA_ERROR_OUT_OF_MEMORY (by a fault)\n"
                                 "5  t1  0 ns  cuEventCreate(phEvent, Flags=0) = "
                                 "CUDA_ERROR_OUT_OF_MEMORY (by a fault)\n"
                                 "6  t1  0 ns  cuEventCreate(phEvent -> event#1, Flags=0) = "
                                 "CUDA_SUCCESS\n"
                                 "7  t1  0 ns  cuEventDestroy_v2(hEvent=event#1) = "
                                 "CUDA_ERROR_INVALID_HANDLE (by a fault)\n"));
    kit_leave();
    if (kit_end() != CUDA_SUCCESS)
        fail_msg("%s", kit_text);
}

static void object_whose_destroying_failed_keeps_its_tag(void **state)
{
    char tag[CUSHIM_TAG_SIZE];
    CUevent event;

    (void)state;
    begin_with("cuEventDestroy_v2:nth=1 => return(UNKNOWN)");
    kit_enter();
    OK(driver->EventCreate(&event, 0));
    CODE(CUDA_ERROR_UNKNOWN, driver->EventDestroy_v2(event));
    assert_int_equal(cushim__known_count().handles, 1);
    OK(cushim_tag_get(layer, event, tag, sizeof tag));
    assert_string_equal(tag, "event#1");
    OK(driver->EventDestroy_v2(event));
    CODE(CUDA_ERROR_NOT_FOUND, cushim_tag_get(layer, event, tag, sizeof tag));
    kit_leave();
    OK(kit_end());
}

static void fault_that_never_came_is_told(void **state)
{
    (void)state;
    begin_with("cuEventCreate:nth=7 => return(OUT_OF_MEMORY)");
    CODE(CUDA_ERROR_ILLEGAL_STATE, kit_end());
    assert_string_equal(kit_text, "cuEventCreate:nth=7 => return(OUT_OF_MEMORY): never matched\n");
}

static void fault_of_another_abi_is_told_which_came(void **state)
{
    CUdeviceptr memory;

    (void)state;
    begin_with("cuMemAlloc:nth=1 => return(OUT_OF_MEMORY)\n"
               "cuMemFree_v2:nth=3 => return(UNKNOWN)");
    kit_enter();
    for (unsigned i = 0; i < 3; i++)
        OK(driver->MemAlloc_v2(&memory, 16));
    assert_string_equal(cushim_fault_unused(layer, 0),
                        "cuMemAlloc:nth=1 => return(OUT_OF_MEMORY): never matched; cuMemAlloc_v2 "
                        "came 3 times: <cuda.h> may mean that by cuMemAlloc");
    assert_string_equal(cushim_fault_unused(layer, 1),
                        "cuMemFree_v2:nth=3 => return(UNKNOWN): never matched");
    driver->MemFree(0);
    assert_string_equal(cushim_fault_unused(layer, 1),
                        "cuMemFree_v2:nth=3 => return(UNKNOWN): never matched; cuMemFree, another "
                        "ABI of it, came once");
    cushim_fault_clear(layer);
    kit_end();
}

static void faults_that_are_refused_are_told_with_their_place_and_leave_nothing(void **state)
{
    char message[200];
    struct cushim_test *test = NULL;
    const struct cushim_test_options options = {.size = sizeof options,
                                                .faults = "cuMemAlloc_v2 => return(OUT_OF_MEMROY)",
                                                .message = message,
                                                .message_size = sizeof message};

    CODE(CUDA_ERROR_INVALID_VALUE, cushim_test_begin(&options, &test));
    assert_string_equal(
        message,
        "faults:1:25: there is no error \"OUT_OF_MEMROY\"; did you mean \"OUT_OF_MEMORY\"?");
    assert_null(test);
    kit_gone(state);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, kit_gone)
    const struct CMUnitTest tests[] = {
        TEST(fault_of_the_options_takes_effect),
        TEST(answer_of_a_fault_is_told_and_is_no_error),
        TEST(object_whose_destroying_failed_keeps_its_tag),
        TEST(fault_that_never_came_is_told),
        TEST(fault_of_another_abi_is_told_which_came),
        TEST(faults_that_are_refused_are_told_with_their_place_and_leave_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
