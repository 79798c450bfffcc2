/* SPDX-License-Identifier: Apache-2.0 */
/* What a context is set to: asked and changed in that context, and not in the current one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <cushim/context_settings.h>

#include "fake.h"
#include "loader/codes.h"
#include "src/objects.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define IN_CONTEXT(call) "cuCtxPushCurrent_v2 " call " cuCtxPopCurrent_v2"

static struct cushim_context *context;
static struct fake_context *inside, *current;

/* What the functions write, so that one look tells whether any of it was written. */
static struct outputs {
    unsigned number;
    size_t size;
    CUfunc_cache cache;
    int least, greatest;
} out;

static int setup(void **state)
{
    const CUcontext handle = (fake_setup(state), fake_foreign_context(1));

    inside = (struct fake_context *)handle;
    assert_int_equal(cushim_context_wrap(&context, handle), CUDA_SUCCESS);
    fake_enter(fake_foreign_context(0));
    current = (struct fake_context *)fake_current();
    memset(&out, 0x5a, sizeof out);
    return 0;
}

static int teardown(void **state)
{
    cushim_context_release(context);
    return fake_teardown(state);
}

static CUresult api_version(void)
{
    return cushim_context_api_version(context, &out.number);
}

static CUresult flags(void)
{
    return cushim_context_flags(context, &out.number);
}

static CUresult set_flags(void)
{
    return cushim_context_set_flags(context, CU_CTX_SCHED_YIELD);
}

static CUresult limit(void)
{
    return cushim_context_limit(context, CU_LIMIT_STACK_SIZE, &out.size);
}

static CUresult set_limit(void)
{
    return cushim_context_set_limit(context, CU_LIMIT_STACK_SIZE, 2040);
}

static CUresult cache_config(void)
{
    return cushim_context_cache_config(context, &out.cache);
}

static CUresult set_cache_config(void)
{
    return cushim_context_set_cache_config(context, CU_FUNC_CACHE_PREFER_L1);
}

static CUresult stream_priority_range(void)
{
    return cushim_context_stream_priority_range(context, &out.least, &out.greatest);
}

static void flags_are_those_of_the_context(void **state)
{
    (void)state;
    assert_int_equal(set_flags(), CUDA_SUCCESS);
    assert_int_equal(inside->flags, CU_CTX_SCHED_YIELD);
    assert_int_equal(current->flags, 0);
    assert_int_equal(flags(), CUDA_SUCCESS);
    assert_int_equal(out.number, CU_CTX_SCHED_YIELD);
    assert_string_equal(fake_order(), IN_CONTEXT("cuCtxSetFlags") " " IN_CONTEXT("cuCtxGetFlags"));
}

static void flags_that_the_driver_refuses_are_its_answer(void **state)
{
    (void)state;
    assert_int_equal(cushim_context_set_flags(context, 3), CUDA_ERROR_INVALID_VALUE);
    fake_lack("cuCtxSetFlags");
    assert_int_equal(set_flags(), CUSHIM__REQUIRES_NEWER_DRIVER);
    assert_true(fake_stack_is_as_entered());
}

static void limits_are_those_of_the_context_as_the_driver_rounds_them(void **state)
{
    (void)state;
    assert_int_equal(limit(), CUDA_SUCCESS);
    assert_int_equal(out.size, 1024);
    assert_int_equal(set_limit(), CUDA_SUCCESS);
    assert_int_equal(current->limits[CU_LIMIT_STACK_SIZE], 1024);
    assert_int_equal(limit(), CUDA_SUCCESS);
    assert_int_equal(out.size, 2048);
    assert_int_equal(cushim_context_limit(context, (CUlimit)99, &out.size),
                     CUDA_ERROR_UNSUPPORTED_LIMIT);
    assert_int_equal(out.size, 2048);
}

static void the_cache_preference_is_the_contexts(void **state)
{
    (void)state;
    assert_int_equal(set_cache_config(), CUDA_SUCCESS);
    assert_int_equal(current->cache, CU_FUNC_CACHE_PREFER_NONE);
    assert_int_equal(cache_config(), CUDA_SUCCESS);
    assert_int_equal(out.cache, CU_FUNC_CACHE_PREFER_L1);
}

static void priorities_range_from_the_least_to_the_greatest(void **state)
{
    (void)state;
    assert_int_equal(stream_priority_range(), CUDA_SUCCESS);
    assert_int_equal(out.least, 0);
    assert_int_equal(out.greatest, -5);
    assert_string_equal(fake_order(), IN_CONTEXT("cuCtxGetStreamPriorityRange"));
}

static void the_api_version_is_asked_of_any_context(void **state)
{
    (void)state;
    assert_int_equal(api_version(), CUDA_SUCCESS);
    assert_int_equal(out.number, 3020);
    assert_string_equal(fake_order(), "cuCtxGetApiVersion");
}

static void a_missing_object_or_output_is_refused_before_any_call(void **state)
{
    const CUlimit stack = CU_LIMIT_STACK_SIZE;

    (void)state;
#define REFUSED(call, code) assert_int_equal(call, code)
    REFUSED(cushim_context_api_version(NULL, &out.number), CUDA_ERROR_INVALID_HANDLE);
    REFUSED(cushim_context_api_version(context, NULL), CUDA_ERROR_INVALID_VALUE);
    REFUSED(cushim_context_flags(NULL, &out.number), CUDA_ERROR_INVALID_HANDLE);
    REFUSED(cushim_context_flags(context, NULL), CUDA_ERROR_INVALID_VALUE);
    REFUSED(cushim_context_set_flags(NULL, 0), CUDA_ERROR_INVALID_HANDLE);
    REFUSED(cushim_context_limit(NULL, stack, &out.size), CUDA_ERROR_INVALID_HANDLE);
    REFUSED(cushim_context_limit(context, stack, NULL), CUDA_ERROR_INVALID_VALUE);
    REFUSED(cushim_context_set_limit(NULL, stack, 1), CUDA_ERROR_INVALID_HANDLE);
    REFUSED(cushim_context_cache_config(NULL, &out.cache), CUDA_ERROR_INVALID_HANDLE);
    REFUSED(cushim_context_cache_config(context, NULL), CUDA_ERROR_INVALID_VALUE);
    REFUSED(cushim_context_set_cache_config(NULL, CU_FUNC_CACHE_PREFER_L1),
            CUDA_ERROR_INVALID_HANDLE);
    REFUSED(cushim_context_stream_priority_range(NULL, &out.least, &out.greatest),
            CUDA_ERROR_INVALID_HANDLE);
    REFUSED(cushim_context_stream_priority_range(context, NULL, &out.greatest),
            CUDA_ERROR_INVALID_VALUE);
    REFUSED(cushim_context_stream_priority_range(context, &out.least, NULL),
            CUDA_ERROR_INVALID_VALUE);
#undef REFUSED
    assert_int_equal(fake_calls(NULL), 0);
}

static const struct function {
    CUresult (*call)(void);
    bool writes;
    unsigned driver_calls;
} functions[] = {
    {api_version, true, 1},       {flags, true, 3},
    {set_flags, false, 3},        {limit, true, 3},
    {set_limit, false, 3},        {cache_config, true, 3},
    {set_cache_config, false, 3}, {stream_priority_range, true, 3},
};

/* Calls a function; if that fails nothing may have been written. */
static CUresult body(void *data)
{
    const struct function *const *function = data;
    struct outputs before;
    CUresult code;

    memset(&out, 0x5a, sizeof out);
    before = out;
    code = (*function)->call();
    if (code || !(*function)->writes)
        assert_memory_equal(&out, &before, sizeof out);
    else
        assert_memory_not_equal(&out, &before, sizeof out);
    return code;
}

static void each_failing_call_is_reported_unchanged_and_leaves_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(functions); i++) {
        const struct function *function = &functions[i];

        assert_int_equal(fake_sweep(body, &function, NULL), function->driver_calls);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(flags_are_those_of_the_context),
        TEST(flags_that_the_driver_refuses_are_its_answer),
        TEST(limits_are_those_of_the_context_as_the_driver_rounds_them),
        TEST(the_cache_preference_is_the_contexts),
        TEST(priorities_range_from_the_least_to_the_greatest),
        TEST(the_api_version_is_asked_of_any_context),
        TEST(a_missing_object_or_output_is_refused_before_any_call),
        TEST(each_failing_call_is_reported_unchanged_and_leaves_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
