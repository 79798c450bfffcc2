/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No host memory for an object: an answer, and nothing left behind (the linker puts a malloc() in
 * place that fails).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cushim/context.h>
#include <cushim/device.h>

#include "fake.h"

static bool is_empty;

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);

void *__wrap_malloc(size_t size)
{
    return is_empty ? NULL : __real_malloc(size);
}

static CUresult context_retain_primary(void)
{
    struct cushim_context *context;
    return cushim_context_retain_primary(&context, 0);
}

static CUresult context_create(void)
{
    struct cushim_context *context;
    return cushim_context_create(&context, 0, NULL);
}

static CUresult context_wrap(void)
{
    struct cushim_context *context;
    return cushim_context_wrap(&context, fake_current());
}

static CUresult context_wrap_current(void)
{
    struct cushim_context *context;
    return cushim_context_wrap_current(&context);
}

static CUresult device_stream_priority_range(void)
{
    int least, greatest;
    return cushim_device_stream_priority_range(0, &least, &greatest);
}

static CUresult (*const functions[])(void) = {
    context_retain_primary,       context_create, context_wrap, context_wrap_current,
    device_stream_priority_range,
};

static void no_memory_is_said_and_nothing_is_left(void **state)
{
    (void)state;
    fake_enter(fake_foreign_context(0));
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        CUresult code;

        is_empty = true;
        code = functions[i]();
        is_empty = false;
        assert_int_equal(code, CUDA_ERROR_OUT_OF_MEMORY);
        fake_assert_clean();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(no_memory_is_said_and_nothing_is_left, fake_setup,
                                        fake_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
