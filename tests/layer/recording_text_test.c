/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments that are seldom seen in a recording, and calls that it must not mix up. */
#include <string.h>

#include <cushim/fault.h>

#include "src/layer/watch.h"
#include "tests/layer/kit.h"

static char text[1 << 12];

static void assert_recorded(const char *line)
{
    assert_true(cushim_recording_text(layer, text, sizeof text) < sizeof text);
    if (!strstr(text, line))
        fail_msg("\"%s\" is not in:\n%s", line, text);
}

static void text_that_is_null_is_recorded_as_null(void **state)
{
    CUfunction function;

    (void)state;
    driver->ModuleGetFunction(&function, NULL, NULL);
    assert_recorded("cuModuleGetFunction(hfunc, hmod=NULL, name=NULL) = CUDA_ERROR_");
}

static void struct_that_is_passed_by_value_is_recorded_without_its_bytes(void **state)
{
    const CUipcEventHandle handle = {{0}};
    CUevent event;

    (void)state;
    driver->IpcOpenEventHandle(&event, handle);
    assert_recorded("cuIpcOpenEventHandle(phEvent, handle={...}) = CUDA_ERROR_");
}

static void number_with_a_point_is_recorded_with_as_few_digits_as_tell_it(void **state)
{
    (void)state;
    driver->TexRefSetMipmapLevelBias(NULL, 1.5f);
    driver->TexRefSetMipmapLevelBias(NULL, 0.1f);
    driver->TexRefSetMipmapLevelBias(NULL, -16777215.0f);
    assert_recorded("cuTexRefSetMipmapLevelBias(hTexRef=NULL, bias=1.5) = ");
    assert_recorded("cuTexRefSetMipmapLevelBias(hTexRef=NULL, bias=0.1) = ");
    assert_recorded("cuTexRefSetMipmapLevelBias(hTexRef=NULL, bias=-16777215) = ");
}

static void code_without_a_name_is_recorded_as_its_number(void **state)
{
    (void)state;
    OK(cushim_fault_parse(layer, "cuStreamQuery => return(9876)", NULL, 0));
    CODE((CUresult)9876, driver->StreamQuery(NULL));
    assert_recorded("cuStreamQuery(hStream=NULL) = 9876 (by a fault)");
}

/*
 * While one call is in the driver, another thread clears the recording and makes a call, which gets
 * its number. Here the driver's function does both.
 */
static CUresult CUDAAPI query_after_a_clear(CUstream stream)
{
    CUcontext context;

    (void)stream;
    cushim_recording_clear(layer);
    OK(driver->CtxGetCurrent(&context));
    return CUDA_ERROR_NOT_READY;
}

static void call_that_was_forgotten_does_not_end_another_one(void **state)
{
    struct cushim_recorded_call call = {.size = sizeof call};

    (void)state;
    cushim_recording_clear(layer);
    cushim_layer_next(layer)->StreamQuery = query_after_a_clear;
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(NULL));
    assert_int_equal(cushim_recording_count(layer), 1);
    OK(cushim_recording_get(layer, 0, &call));
    assert_string_equal(call.name, "cuCtxGetCurrent");
    assert_int_equal(call.code, CUDA_SUCCESS);
    assert_true(call.has_returned);
}

/* A kernel's function holds the mock: to record it would be to wait for ever. */
static unsigned answers;

static void query_in_a_kernel(const struct cushim_mock_launch *launch, void *data)
{
    (void)launch;
    *(CUresult *)data = driver->EventQuery(NULL);
    answers++;
}

static void call_within_a_kernel_is_not_recorded(void **state)
{
    CUresult answer = CUDA_SUCCESS;
    const struct cushim_mock_kernel kernel = {
        .size = sizeof kernel, .name = "cushim_test", .run = query_in_a_kernel, .data = &answer};
    static const char image[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                                ".visible .entry cushim_test() { ret; }\n";
    CUfunction function;
    CUmodule module;

    (void)state;
    OK(cushim_mock_kernel_register(mock, &kernel));
    OK(driver->ModuleLoadData(&module, image));
    OK(driver->ModuleGetFunction(&function, module, "cushim_test"));
    OK(driver->LaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    OK(cushim_mock_drain(mock));
    assert_int_equal(answers, 1);
    assert_int_not_equal(answer, CUDA_SUCCESS);
    assert_recorded("cuLaunchKernel(");
    assert_null(strstr(text, "cuEventQuery"));
    OK(driver->ModuleUnload(module));
}

/* --- without a test around it --- */

static void recording_that_was_stopped_records_no_more(void **state)
{
    struct cushim_layer *alone;
    struct cushim_mock *driver_alone;

    (void)state;
    OK(cushim_mock_create(NULL, &driver_alone));
    OK(cushim_layer_create(
        &(struct cushim_layer_options){.size = sizeof(struct cushim_layer_options),
                                       .table = cushim_mock_table(driver_alone)},
        &alone));
    OK(cushim_recording_start(alone, 8));
    OK(cushim_layer_table(alone)->Init(0));
    cushim_recording_stop(alone);
    OK(cushim_layer_table(alone)->Init(0));
    assert_int_equal(cushim_recording_count(alone), 1);
    assert_int_equal(cushim__watched[CUSHIM__SLOT(Init)], 0);
    OK(cushim_recording_start(alone, 8));
    OK(cushim_layer_table(alone)->Init(0));
    assert_int_equal(cushim_recording_count(alone), 1);
    cushim_layer_destroy(alone);
    OK(cushim_mock_destroy(driver_alone));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, kit_setup, kit_teardown)
    const struct CMUnitTest tests[] = {
        TEST(text_that_is_null_is_recorded_as_null),
        TEST(struct_that_is_passed_by_value_is_recorded_without_its_bytes),
        TEST(number_with_a_point_is_recorded_with_as_few_digits_as_tell_it),
        TEST(code_without_a_name_is_recorded_as_its_number),
        TEST(call_that_was_forgotten_does_not_end_another_one),
        TEST(call_within_a_kernel_is_not_recorded),
        cmocka_unit_test(recording_that_was_stopped_records_no_more),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
