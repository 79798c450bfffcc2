/* SPDX-License-Identifier: Apache-2.0 */
/* What holds for every call, whatever its function: statements 2, 4, 9, 34, 57 and 82. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "loader/codes.h"
#include "loader/symbols.h"
#include "src/mock/call.h"
#include "src/mock/engine/engine.h"
#include "src/mock/world.h"

#define SLOT CUSHIM__SLOT

static struct cushim_mock mock;
static uint32_t call_ns[CUSHIM__SYMBOL_COUNT];
static uint64_t passed_ns;
static CUresult fault_while_passing;
static unsigned lines;
static char line[200], traced[200];

/* In place of the world's and of the engine's. */
struct cushim_mock *cushim__world;
CUresult cushim__no_world = CUDA_ERROR_DEINITIALIZED;

void cushim__engine_pass(uint64_t duration_ns)
{
    passed_ns += duration_ns;
    if (fault_while_passing != CUDA_SUCCESS)
        mock.fault = fault_while_passing;
}

void cushim__mock_log(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    lines++;
}

void cushim__trace(const char *what, const char *name, uint64_t stream, uint64_t operation,
                   CUresult code)
{
    snprintf(traced, sizeof traced, "%s %s %d %d %d", what, name, (int)stream, (int)operation,
             (int)code);
}

static void trace(void *data, const struct cushim_mock_trace *entry)
{
    (void)data;
    (void)entry;
}

/* A whole call whose function would succeed. */
static CUresult call(unsigned slot)
{
    const CUresult code = cushim__call_enter(slot);

    assert_string_equal(cushim__call_name(),
                        cushim__world ? cushim__symbol_names + cushim__symbols[slot].name : "");
    return cushim__call_leave(slot, code);
}

/* Nobody holds the lock: a call has ended. */
static bool is_free(void)
{
    if (pthread_mutex_trylock(&mock.lock) != 0)
        return false;
    pthread_mutex_unlock(&mock.lock);
    return true;
}

static int setup(void **state)
{
    static uint64_t serial;

    (void)state;
    memset(&mock, 0, sizeof mock);
    memset(call_ns, 0xff, sizeof call_ns);
    pthread_mutex_init(&mock.lock, NULL);
    mock.settings.driver_version = 13000;
    mock.settings.call_ns = call_ns;
    mock.settings.costs.call_ns = 100;
    mock.initialised = true;
    mock.serial = ++serial;
    cushim__world = &mock;
    passed_ns = lines = 0;
    line[0] = traced[0] = '\0';
    fault_while_passing = CUDA_SUCCESS;
    cushim__in_host_function = false;
    return 0;
}

static int teardown(void **state)
{
    const bool is_left = !is_free() || cushim__call_name()[0];

    (void)state;
    cushim__world = NULL;
    return is_left;
}

static void call_succeeds_and_is_counted(void **state)
{
    (void)state;
    assert_int_equal(call(SLOT(EventCreate)), CUDA_SUCCESS);
    assert_int_equal(call(SLOT(StreamCreate)), CUDA_SUCCESS);
    assert_int_equal(mock.calls, 2);
}

static void call_holds_the_lock_until_it_leaves(void **state)
{
    (void)state;
    assert_int_equal(cushim__call_enter(SLOT(EventCreate)), CUDA_SUCCESS);
    assert_false(is_free());
    assert_int_equal(cushim__call_leave(SLOT(EventCreate), CUDA_ERROR_UNKNOWN), CUDA_ERROR_UNKNOWN);
    assert_true(is_free());
}

static void without_a_mock_every_call_answers_that_there_is_none(void **state)
{
    (void)state;
    cushim__world = NULL;
    assert_int_equal(call(SLOT(Init)), CUDA_ERROR_DEINITIALIZED);
    assert_int_equal(call(SLOT(EventQuery)), CUDA_ERROR_DEINITIALIZED);
    assert_int_equal(cushim__call_refuse(SLOT(EventQuery)), CUDA_ERROR_DEINITIALIZED);
}

static void stub_answers_34_to_everything(void **state)
{
    (void)state;
    mock.settings.personality = CUSHIM__STUB;
    mock.initialised = false;
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++)
        assert_int_equal(call(slot), CUDA_ERROR_STUB_LIBRARY);
}

/* Whether exactly the functions of a list answer success. */
static void only(const unsigned *slots, size_t count, CUresult others)
{
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++) {
        bool listed = false;
        for (size_t i = 0; i < count; i++)
            listed = listed || slots[i] == slot;
        if (call(slot) != (listed ? CUDA_SUCCESS : others))
            fail_msg("%s: wrong", cushim__symbol_names + cushim__symbols[slot].name);
    }
}

#define ONLY(others, ...)                 \
    only((const unsigned[]){__VA_ARGS__}, \
         sizeof((const unsigned[]){__VA_ARGS__}) / sizeof(unsigned), others)

static void before_cu_init_few_functions_work(void **state)
{
    (void)state;
    mock.initialised = false;
    ONLY(CUDA_ERROR_NOT_INITIALIZED, SLOT(Init), SLOT(DriverGetVersion), SLOT(GetErrorName),
         SLOT(GetErrorString), SLOT(GetProcAddress), SLOT(GetProcAddress_v2), SLOT(GetExportTable));
}

static void before_cu_init_some_functions_look_at_their_arguments_first(void **state)
{
    static const unsigned slots[] = {SLOT(EventQuery), SLOT(EventElapsedTime),
                                     SLOT(EventElapsedTime_v2), SLOT(StreamCreate)};

    (void)state;
    mock.initialised = false;
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
    assert_int_equal(lines, 0);
    assert_int_equal(passed_ns, 0);
}

static void in_a_forked_child_even_cu_init_is_refused(void **state)
{
    (void)state;
    mock.forked = true;
    ONLY(CUDA_ERROR_NOT_INITIALIZED, SLOT(DriverGetVersion), SLOT(GetErrorName),
         SLOT(GetErrorString), SLOT(GetProcAddress), SLOT(GetProcAddress_v2), SLOT(GetExportTable),
         SLOT(EventQuery));
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
    mock.fault = CUDA_ERROR_ILLEGAL_ADDRESS;
    for (size_t i = 0; i < sizeof faulty / sizeof *faulty; i++)
        assert_int_equal(call(faulty[i]), CUDA_ERROR_ILLEGAL_ADDRESS);
    for (size_t i = 0; i < sizeof healthy / sizeof *healthy; i++)
        assert_int_equal(call(healthy[i]), CUDA_SUCCESS);
}

static void fault_that_comes_while_the_call_takes_its_time_is_its_answer(void **state)
{
    (void)state;
    fault_while_passing = CUDA_ERROR_LAUNCH_FAILED;
    assert_int_equal(call(SLOT(EventQuery)), CUDA_ERROR_LAUNCH_FAILED);
}

static void twin_of_a_function_follows_the_same_rules(void **state)
{
    (void)state;
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++) {
        const char *name = cushim__symbol_names + cushim__symbols[slot].name;
        const size_t length = strlen(name);
        char twin[80];
        if (!(cushim__symbols[slot].flags & CUSHIM__PER_THREAD))
            continue;
        snprintf(twin, sizeof twin, "%.*s", (int)(length - 5), name);
        for (unsigned other = 0; other < CUSHIM__SYMBOL_COUNT; other++) {
            if (strcmp(cushim__symbol_names + cushim__symbols[other].name, twin) == 0 &&
                cushim__call_rules(other) != cushim__call_rules(slot))
                fail_msg("%s and %s", name, twin);
        }
    }
}

static void symbol_that_came_later_answers_36(void **state)
{
    (void)state;
    mock.settings.driver_version = 12070;
    assert_int_equal(call(SLOT(EventElapsedTime)), CUDA_SUCCESS);
    assert_int_equal(call(SLOT(EventElapsedTime_v2)), CUSHIM__REQUIRES_NEWER_DRIVER);
    mock.settings.driver_version = 12080;
    assert_int_equal(call(SLOT(EventElapsedTime_v2)), CUDA_SUCCESS);
}

static void call_costs_what_is_set_for_it_or_for_all(void **state)
{
    (void)state;
    call(SLOT(EventQuery));
    assert_int_equal(passed_ns, 100);
    call_ns[SLOT(EventQuery)] = 7;
    call(SLOT(EventQuery));
    call(SLOT(EventCreate));
    assert_int_equal(passed_ns, 207);
    call_ns[SLOT(EventQuery)] = 0;
    call(SLOT(EventQuery));
    assert_int_equal(passed_ns, 207);
}

static void call_that_is_refused_early_and_one_in_a_host_function_cost_nothing(void **state)
{
    (void)state;
    cushim__in_host_function = true;
    call(SLOT(EventQuery));
    cushim__in_host_function = false;
    mock.initialised = false;
    call(SLOT(EventCreate));
    assert_int_equal(passed_ns, 0);
}

static void refusal_is_logged_once_per_function_and_mock(void **state)
{
    (void)state;
    assert_int_equal(cushim__call_refuse(SLOT(GraphCreate)), CUDA_ERROR_NOT_SUPPORTED);
    assert_non_null(strstr(line, "cuGraphCreate "));
    assert_int_equal(cushim__call_refuse(SLOT(GraphCreate)), CUDA_ERROR_NOT_SUPPORTED);
    assert_int_equal(lines, 1);
    assert_int_equal(cushim__call_refuse(SLOT(GraphDestroy)), CUDA_ERROR_NOT_SUPPORTED);
    assert_int_equal(lines, 2);
    mock.serial++;
    assert_int_equal(cushim__call_refuse(SLOT(GraphCreate)), CUDA_ERROR_NOT_SUPPORTED);
    assert_int_equal(lines, 3);
}

static void refused_function_answers_first_what_every_function_does(void **state)
{
    (void)state;
    mock.initialised = false;
    assert_int_equal(cushim__call_refuse(SLOT(GraphCreate)), CUDA_ERROR_NOT_INITIALIZED);
    assert_int_equal(lines, 0);
}

static void trace_is_told_of_every_call_and_its_answer(void **state)
{
    (void)state;
    call(SLOT(EventQuery));
    assert_string_equal(traced, "");
    mock.trace = trace;
    call(SLOT(EventQuery));
    assert_string_equal(traced, "call cuEventQuery 0 0 0");
    cushim__call_refuse(SLOT(GraphCreate));
    assert_string_equal(traced, "call cuGraphCreate 0 0 801");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(call_succeeds_and_is_counted),
        TEST(call_holds_the_lock_until_it_leaves),
        TEST(without_a_mock_every_call_answers_that_there_is_none),
        TEST(stub_answers_34_to_everything),
        TEST(before_cu_init_few_functions_work),
        TEST(before_cu_init_some_functions_look_at_their_arguments_first),
        TEST(in_a_forked_child_even_cu_init_is_refused),
        TEST(in_a_host_function_calls_are_not_permitted_but_for_some),
        TEST(after_a_fault_most_calls_answer_it),
        TEST(fault_that_comes_while_the_call_takes_its_time_is_its_answer),
        TEST(twin_of_a_function_follows_the_same_rules),
        TEST(symbol_that_came_later_answers_36),
        TEST(call_costs_what_is_set_for_it_or_for_all),
        TEST(call_that_is_refused_early_and_one_in_a_host_function_cost_nothing),
        TEST(refusal_is_logged_once_per_function_and_mock),
        TEST(refused_function_answers_first_what_every_function_does),
        TEST(trace_is_told_of_every_call_and_its_answer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
