/* SPDX-License-Identifier: Apache-2.0 */
/* Which functions work where others do not: statements 2, 4, 9, 34, 57 and 82. */
#include <stdio.h>
#include <string.h>

#include "call_world.h"
#include "loader/symbols.h"

/* Whether exactly the functions of a list answer success. */
static void only(const unsigned *slots, size_t count, CUresult others)
{
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++) {
        bool listed = false;
        for (size_t i = 0; i < count; i++)
            listed = listed || slots[i] == slot;
        if (call(slot) != (listed ? CUDA_SUCCESS : others))
            fail_msg("%s: wrong", cushim__slot_name(slot));
    }
}

#define ONLY(others, ...)                 \
    only((const unsigned[]){__VA_ARGS__}, \
         sizeof((const unsigned[]){__VA_ARGS__}) / sizeof(unsigned), others)

static void before_cu_init_few_functions_work(void **state)
{
    (void)state;
    call_mock.initialised = false;
    ONLY(CUDA_ERROR_NOT_INITIALIZED, SLOT(Init), SLOT(DriverGetVersion), SLOT(GetErrorName),
         SLOT(GetErrorString), SLOT(GetProcAddress), SLOT(GetProcAddress_v2), SLOT(GetExportTable),
         SLOT(ProfilerInitialize));
}

static void before_cu_init_some_functions_look_at_their_arguments_first(void **state)
{
    static const unsigned slots[] = {SLOT(EventQuery), SLOT(EventElapsedTime),
                                     SLOT(EventElapsedTime_v2), SLOT(StreamCreate)};

    (void)state;
    call_mock.initialised = false;
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++) {
        assert_int_equal(CUDA_SUCCESS, cushim__call_enter(slots[i]));
        assert_int_equal(CUDA_ERROR_INVALID_HANDLE,
                         cushim__call_leave(slots[i], CUDA_ERROR_INVALID_HANDLE));
        assert_int_equal(CUDA_SUCCESS, cushim__call_enter(slots[i]));
        assert_int_equal(CUDA_ERROR_INVALID_VALUE,
                         cushim__call_leave(slots[i], CUDA_ERROR_INVALID_VALUE));
        assert_int_equal(CUDA_SUCCESS, cushim__call_enter(slots[i]));
        assert_int_equal(CUDA_ERROR_NOT_INITIALIZED,
                         cushim__call_leave(slots[i], CUDA_ERROR_INVALID_CONTEXT));
    }
    assert_int_equal(CUDA_ERROR_NOT_INITIALIZED, cushim__call_refuse(SLOT(StreamCreate)));
    assert_int_equal(call_lines, 0);
    assert_int_equal(call_passed_ns, 0);
}

static void in_a_forked_child_even_cu_init_is_refused(void **state)
{
    (void)state;
    call_mock.forked = true;
    ONLY(CUDA_ERROR_NOT_INITIALIZED, SLOT(DriverGetVersion), SLOT(GetErrorName),
         SLOT(GetErrorString), SLOT(GetProcAddress), SLOT(GetProcAddress_v2), SLOT(GetExportTable),
         SLOT(EventQuery), SLOT(ProfilerInitialize));
}

static void in_a_host_function_calls_are_not_permitted_but_for_some(void **state)
{
    static const unsigned allowed[] = {
        SLOT(DriverGetVersion), SLOT(EventQuery),        SLOT(EventRecord),
        SLOT(EventElapsedTime), SLOT(StreamGetFlags),    SLOT(EventElapsedTime_v2),
        SLOT(StreamQuery),      SLOT(StreamSynchronize),
    };
    static const unsigned refused[] = {
        SLOT(CtxGetCurrent), SLOT(DeviceGetCount), SLOT(EventCreate),
        SLOT(MemAlloc_v2),   SLOT(CtxSetCurrent),
    };

    (void)state;
    cushim__in_host_function = true;
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
        assert_int_equal(call(allowed[i]), CUDA_SUCCESS);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_int_equal(call(refused[i]), CUDA_ERROR_NOT_PERMITTED);
}

static void after_a_fault_most_calls_answer_it(void **state)
{
    static const unsigned faulty[] = {
        SLOT(EventQuery),      SLOT(EventSynchronize), SLOT(EventRecord),
        SLOT(EventCreate),     SLOT(EventElapsedTime), SLOT(EventElapsedTime_v2),
        SLOT(EventDestroy_v2), SLOT(StreamDestroy_v2), SLOT(MemAlloc_v2),
        SLOT(LaunchKernel),    SLOT(CtxSynchronize),   SLOT(StreamGetFlags),
    };
    static const unsigned healthy[] = {
        SLOT(CtxGetCurrent), SLOT(DeviceGetCount), SLOT(DevicePrimaryCtxRelease_v2),
        SLOT(Init),          SLOT(CtxSetCurrent),  SLOT(PointerGetAttribute),
        SLOT(CtxGetDevice),  SLOT(GraphCreate),    SLOT(DevicePrimaryCtxReset_v2),
    };

    (void)state;
    call_mock.fault = CUDA_ERROR_ILLEGAL_ADDRESS;
    for (size_t i = 0; i < sizeof faulty / sizeof *faulty; i++)
        assert_int_equal(call(faulty[i]), CUDA_ERROR_ILLEGAL_ADDRESS);
    for (size_t i = 0; i < sizeof healthy / sizeof *healthy; i++)
        assert_int_equal(call(healthy[i]), CUDA_SUCCESS);
}

static void after_a_fault_a_context_that_has_ended_is_the_answer(void **state)
{
    struct cushim__context context = {.alive = true};

    (void)state;
    call_mock.fault = CUDA_ERROR_ILLEGAL_ADDRESS;
    call_context = &context;
    assert_int_equal(call(SLOT(MemAlloc_v2)), CUDA_ERROR_ILLEGAL_ADDRESS);
    context.alive = false;
    assert_int_equal(call(SLOT(MemAlloc_v2)), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    assert_int_equal(call(SLOT(DeviceGetCount)), CUDA_SUCCESS);
}

static void twin_of_a_function_follows_the_same_rules(void **state)
{
    (void)state;
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++) {
        const char *name = cushim__slot_name(slot);
        const size_t length = strlen(name);
        char twin[80];
        if (!(cushim__symbols[slot].flags & CUSHIM__PER_THREAD))
            continue;
        snprintf(twin, sizeof twin, "%.*s", (int)(length - 5), name);
        for (unsigned other = 0; other < CUSHIM__SYMBOL_COUNT; other++) {
            if (strcmp(cushim__slot_name(other), twin) == 0 &&
                cushim__call_rules(other) != cushim__call_rules(slot))
                fail_msg("%s and %s", name, twin);
        }
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, call_begin, call_end)
    const struct CMUnitTest tests[] = {
        TEST(before_cu_init_few_functions_work),
        TEST(before_cu_init_some_functions_look_at_their_arguments_first),
        TEST(in_a_forked_child_even_cu_init_is_refused),
        TEST(in_a_host_function_calls_are_not_permitted_but_for_some),
        TEST(after_a_fault_most_calls_answer_it),
        TEST(after_a_fault_a_context_that_has_ended_is_the_answer),
        TEST(twin_of_a_function_follows_the_same_rules),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
