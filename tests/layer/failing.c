/* SPDX-License-Identifier: Apache-2.0 */
/* Tests that fail, one for each name; failing_test.py compares their output. */
#include <stdio.h>
#include <string.h>

#include <cushim/driver.h>
#include <cushim/testing/cmocka.h>

static void enter(void)
{
    CUcontext context;

    assert_int_equal(cushim_driver()->Init(0), CUDA_SUCCESS);
    assert_int_equal(cushim_driver()->DevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
    assert_int_equal(cushim_driver()->CtxPushCurrent_v2(context), CUDA_SUCCESS);
}

static void leave(void)
{
    CUcontext context;

    assert_int_equal(cushim_driver()->CtxPopCurrent_v2(&context), CUDA_SUCCESS);
    assert_int_equal(cushim_driver()->DevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
}

static void nothing_fails(void **state)
{
    enter();
    leave();
}

/* The call site must refer to the line of the call. */
static void leak(void **state)
{
    CUdeviceptr address;

    enter();
    cushim_driver()->MemAlloc_v2(&address, 640); /* the leak */
    assert_int_equal(cushim_driver()->CtxSetCurrent(NULL), CUDA_SUCCESS);
}

static void expectation(void **state)
{
    const struct cushim_expectation twice = {
        .size = sizeof twice, .function = "cuEventCreate", .minimum = 2};

    assert_int_equal(cushim_layer_expect(cushim_test_layer(*state), &twice, NULL, 0), CUDA_SUCCESS);
    cushim_assert_verified(cushim_test_layer(*state));
}

static const struct cushim_test_options wrong = {.size = sizeof wrong, .settings = "mode = fast"};

/* Not valid options: the first member is no known size. */
static const size_t strange[16] = {7};
static const struct cushim_test_options sizeless = {.settings = "mode = manual"};

static const struct {
    const char *name;
    CMUnitTestFunction run;
    const void *options;
} failing[] = {
    {"nothing", nothing_fails, NULL},     {"leak", leak, NULL},
    {"expectation", expectation, NULL},   {"settings", nothing_fails, &wrong},
    {"strange", nothing_fails, &strange}, {"sizeless", nothing_fails, &sizeless},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof failing / sizeof *failing; i++) {
        const struct CMUnitTest tests[] = {
            {.name = failing[i].name,
             .test_func = failing[i].run,
             .setup_func = cushim_cmocka_begin,
             .teardown_func = cushim_cmocka_end,
             .initial_state = (void *)(uintptr_t)failing[i].options}};

        if (strcmp(argv[1], failing[i].name) == 0)
            return cmocka_run_group_tests(tests, NULL, NULL);
    }
    fprintf(stderr, "usage: failing NAME\n");
    return 2;
}
