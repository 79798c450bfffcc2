/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contexts as the first ABIs have them: counted uses, and a stack that shares none. Whether a
 * driver of today answers so was not measured: on an H200 none was made beside a primary context.
 */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include <stdio.h>

#include "tests/mock/world.h"

static CUcontext current(void)
{
    CUcontext context;

    OK(driver->CtxGetCurrent(&context));
    return context;
}

static void the_last_detach_destroys(void **state)
{
    CUcontext primary, context, again = NULL;

    (void)state;
    world_begin("");
    primary = current();
    OK(driver->CtxCreate(&context, 0, 0));
    OK(driver->CtxAttach(&again, 0));
    assert_ptr_equal(again, context);
    OK(driver->CtxDetach(context));
    assert_ptr_equal(current(), context);
    OK(driver->CtxSynchronize());
    OK(driver->CtxDetach(context));
    assert_ptr_equal(current(), primary);
    CODE(CUDA_ERROR_CONTEXT_IS_DESTROYED, driver->CtxDetach(context));
    world_end();
}

static void attach_and_detach_refuse_what_is_wrong(void **state)
{
    CUcontext primary, context, untouched = (CUcontext)7;

    (void)state;
    world_begin("");
    primary = current();
    CODE(CUDA_ERROR_INVALID_VALUE, driver->CtxAttach(NULL, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->CtxAttach(&untouched, 1));
    OK(driver->CtxCreate(&context, 0, 0));
    CODE(CUDA_ERROR_INVALID_CONTEXT, driver->CtxDetach(primary));
    CODE(CUDA_ERROR_INVALID_CONTEXT, driver->CtxDetach(NULL));
    OK(driver->CtxDetach(context));
    OK(driver->CtxDetach(primary)); /* it is not counted */
    assert_ptr_equal(current(), primary);
    OK(driver->CtxPopCurrent(NULL));
    CODE(CUDA_ERROR_INVALID_CONTEXT, driver->CtxAttach(&untouched, 0));
    assert_ptr_equal(untouched, (CUcontext)7);
    OK(driver->CtxPushCurrent(primary));
    world_end();
}

static void only_the_current_one_is_destroyed(void **state)
{
    CUcontext primary, context;

    (void)state;
    world_begin("");
    primary = current();
    OK(driver->CtxCreate(&context, 0, 0));
    OK(driver->CtxPushCurrent_v2(primary));
    CODE(CUDA_ERROR_INVALID_CONTEXT, driver->CtxDestroy(context));
    CODE(CUDA_ERROR_INVALID_CONTEXT, driver->CtxDestroy(primary));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->CtxDestroy(NULL));
    OK(driver->CtxPopCurrent(NULL));
    OK(driver->CtxDestroy(context));
    CODE(CUDA_ERROR_CONTEXT_IS_DESTROYED, driver->CtxDestroy(context));
    world_end();
}

static void one_that_is_on_a_stack_is_not_pushed(void **state)
{
    CUcontext context, popped = NULL;

    (void)state;
    world_begin("");
    OK(driver->CtxCreate(&context, 0, 0));
    CODE(CUDA_ERROR_INVALID_CONTEXT, driver->CtxPushCurrent(context));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->CtxPushCurrent(NULL));
    OK(driver->CtxPopCurrent(&popped));
    assert_ptr_equal(popped, context);
    OK(driver->CtxPushCurrent(context));
    OK(driver->CtxDestroy(context));
    CODE(CUDA_ERROR_CONTEXT_IS_DESTROYED, driver->CtxPushCurrent(context));
    world_end();
}

static void the_abi_of_its_creation_is_told(void **state)
{
    CUcontext context;
    unsigned version = 0;

    (void)state;
    world_begin("");
    OK(driver->CtxCreate(&context, 0, 0));
    OK(driver->CtxGetApiVersion(context, &version));
    assert_int_equal(version, 3010);
    OK(driver->CtxDestroy(context));
    OK(driver->CtxCreate_v3(&context, NULL, 0, 0, 0));
    OK(driver->CtxGetApiVersion(context, &version));
    assert_int_equal(version, 3020);
    OK(driver->CtxDestroy_v2(context));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->CtxCreate_v3(&context, NULL, 1, 0, 0));
    world_end();
}

/* The lines of the mock's log. */
struct lines {
    unsigned count;
    char last[100];
};

static void note(void *data, const char *line)
{
    struct lines *lines = data;

    lines->count++;
    snprintf(lines->last, sizeof lines->last, "%s", line);
}

static void first_call_of_a_superseded_abi_is_logged(void **state)
{
    struct lines lines = {0};
    CUcontext context;

    (void)state;
    world_begin("");
    cushim_mock_log_set(world, note, &lines);
    OK(driver->CtxCreate_v2(&context, 0, 0));
    OK(driver->CtxDestroy_v2(context));
    assert_int_equal(lines.count, 0);
    for (unsigned i = 0; i < 2; i++) {
        OK(driver->CtxCreate_v2(&context, 0, 0));
        OK(driver->CtxDestroy(context));
        assert_int_equal(lines.count, 1);
    }
    assert_string_equal(lines.last, "cuCtxDestroy is the ABI of CUDA 2.0, replaced by "
                                    "cuCtxDestroy_v2 in CUDA 4.0");
    cushim_mock_log_set(world, NULL, NULL);
    world_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_detach_destroys),
        cmocka_unit_test(attach_and_detach_refuse_what_is_wrong),
        cmocka_unit_test(only_the_current_one_is_destroyed),
        cmocka_unit_test(one_that_is_on_a_stack_is_not_pushed),
        cmocka_unit_test(the_abi_of_its_creation_is_told),
        cmocka_unit_test(first_call_of_a_superseded_abi_is_logged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
