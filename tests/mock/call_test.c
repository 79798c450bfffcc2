/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The behaviour that all calls share: lock, cost in time, refusals, trace; and which functions work
 * in which state. Stubs replace the mock and the simulator and record how they were called.
 */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include <stdio.h>
#include <string.h>

#include "loader/symbols.h"
#include "loader/versions.h"
#include "src/driver_api/effects.h"
#include "src/mock/context/context.h"
#include "src/mock/core/state.h"
#include "src/mock/mock.h"
#include "src/mock/sim/sim.h"
#include "src/mock/stream/capture.h"
#include "tests/support/cmocka.h"

#define SLOT CUSHIM__SLOT

/* The mock that calls use; `cushim__mock` refers to it until a test changes that. */
static struct cushim_mock call_mock;

/* The cost of a call of each slot; UINT32_MAX: the default cost. */
static uint32_t call_ns[CUSHIM__SYMBOL_COUNT];

static uint64_t call_passed_ns;           /* the time that calls have consumed */
static CUresult call_fault_while_passing; /* a fault that occurs while the time passes */
static struct mock_context *call_context; /* the current one */
static unsigned call_lines;               /* of the log */
static char call_line[200];               /* the last log line */
static char call_traced[200];             /* the last line of the trace */

static CUresult call_forbidden; /* the result of the check for calls that captures forbid */

/* Stubs for the functions of captures, contexts and the simulator. */
struct mock_capture *cushim__mock_captures;
CUresult cushim__mock_capture_refuse_unsafe(void)
{
    return call_forbidden;
}

struct mock_context *cushim__mock_context_top(void)
{
    return call_context;
}

void cushim__mock_threads_sweep(void)
{
}

void cushim__mock_sim_elapse(uint64_t duration_ns)
{
    call_passed_ns += duration_ns;
    if (call_fault_while_passing != CUDA_SUCCESS)
        call_mock.sticky_error = call_fault_while_passing;
}

static void note_line(void *data, const char *line)
{
    (void)data;
    snprintf(call_line, sizeof call_line, "%s", line);
    call_lines++;
}

static void note_trace(void *data, const struct cushim_mock_trace *entry)
{
    (void)data;
    snprintf(call_traced, sizeof call_traced, "%s %s %d %d %d", entry->what, entry->name,
             (int)entry->stream, (int)entry->operation, (int)entry->code);
}

/* A complete call of a function that succeeds. */
static CUresult call(unsigned slot)
{
    const CUresult code = cushim__mock_call_enter(slot);

    assert_string_equal(cushim__mock_call_name(), cushim__mock ? cushim__slot_name(slot) : "");
    return cushim__mock_call_leave(slot, code);
}

/* Whether the call has ended, and so released the lock. */
static bool call_is_over(void)
{
    if (!cushim__lock_try(&call_mock.lock))
        return false;
    cushim__lock_release(&call_mock.lock);
    return true;
}

/* Create a mock after cuInit; at the end, no call may be in progress. */
static int call_begin(void **state)
{
    static uint64_t serial;

    (void)state;
    memset(&call_mock, 0, sizeof call_mock);
    memset(call_ns, 0xff, sizeof call_ns);
    call_mock.settings.driver_version = CUSHIM__NEWEST_VERSION;
    call_mock.settings.call_ns = call_ns;
    call_mock.settings.costs.call_ns = 100;
    call_mock.initialised = true;
    call_mock.log = note_line;
    call_mock.serial = ++serial;
    cushim__mock = &call_mock;
    call_passed_ns = call_lines = 0;
    call_line[0] = call_traced[0] = '\0';
    call_fault_while_passing = CUDA_SUCCESS;
    call_context = NULL;
    cushim__mock_call.in_host_function = false;
    return 0;
}

static int call_end(void **state)
{
    const bool is_left = !call_is_over() || cushim__mock_call_name()[0];

    (void)state;
    cushim__mock = NULL;
    return is_left;
}

static void call_succeeds_and_is_counted(void **state)
{
    (void)state;
    assert_int_equal(call(SLOT(EventCreate)), CUDA_SUCCESS);
    assert_int_equal(call(SLOT(StreamCreate)), CUDA_SUCCESS);
    assert_int_equal(call_mock.calls, 2);
}

static void call_holds_the_lock_until_it_leaves(void **state)
{
    (void)state;
    assert_int_equal(cushim__mock_call_enter(SLOT(EventCreate)), CUDA_SUCCESS);
    assert_false(call_is_over());
    assert_int_equal(cushim__mock_call_leave(SLOT(EventCreate), CUDA_ERROR_UNKNOWN),
                     CUDA_ERROR_UNKNOWN);
    assert_true(call_is_over());
}

static void without_a_mock_every_call_answers_that_there_is_none(void **state)
{
    (void)state;
    cushim__mock = NULL;
    assert_int_equal(call(SLOT(Init)), CUDA_ERROR_DEINITIALIZED);
    assert_int_equal(call(SLOT(EventQuery)), CUDA_ERROR_DEINITIALIZED);
    assert_int_equal(cushim__mock_call_refuse(SLOT(EventQuery)), CUDA_ERROR_DEINITIALIZED);
}

static void stub_answers_34_to_everything(void **state)
{
    (void)state;
    call_mock.settings.driver_state = MOCK_DRIVER_STUB;
    call_mock.initialised = false;
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++)
        assert_int_equal(call(slot), CUDA_ERROR_STUB_LIBRARY);
}

static void fault_that_comes_while_the_call_takes_its_time_is_its_answer(void **state)
{
    (void)state;
    call_fault_while_passing = CUDA_ERROR_LAUNCH_FAILED;
    assert_int_equal(call(SLOT(EventQuery)), CUDA_ERROR_LAUNCH_FAILED);
}

static void symbol_that_came_later_answers_36(void **state)
{
    (void)state;
    call_mock.settings.driver_version = 12070;
    assert_int_equal(call(SLOT(EventElapsedTime)), CUDA_SUCCESS);
    assert_int_equal(call(SLOT(EventElapsedTime_v2)), CUSHIM__REQUIRES_NEWER_DRIVER);
    call_mock.settings.driver_version = 12080;
    assert_int_equal(call(SLOT(EventElapsedTime_v2)), CUDA_SUCCESS);
}

static void call_costs_what_is_set_for_it_or_for_all(void **state)
{
    (void)state;
    call(SLOT(EventQuery));
    assert_int_equal(call_passed_ns, 100);
    call_ns[SLOT(EventQuery)] = 7;
    call(SLOT(EventQuery));
    call(SLOT(EventCreate));
    assert_int_equal(call_passed_ns, 207);
    call_ns[SLOT(EventQuery)] = 0;
    call(SLOT(EventQuery));
    assert_int_equal(call_passed_ns, 207);
}

static void call_that_is_refused_early_and_one_in_a_host_function_cost_nothing(void **state)
{
    (void)state;
    cushim__mock_call.in_host_function = true;
    call(SLOT(EventQuery));
    cushim__mock_call.in_host_function = false;
    call_mock.initialised = false;
    call(SLOT(EventCreate));
    assert_int_equal(call_passed_ns, 0);
}

static void refusal_is_logged_once_per_function_and_mock(void **state)
{
    (void)state;
    assert_int_equal(cushim__mock_call_refuse(SLOT(GraphCreate)), CUDA_ERROR_NOT_SUPPORTED);
    assert_non_null(strstr(call_line, "cuGraphCreate "));
    assert_int_equal(cushim__mock_call_refuse(SLOT(GraphCreate)), CUDA_ERROR_NOT_SUPPORTED);
    assert_int_equal(call_lines, 1);
    assert_int_equal(cushim__mock_call_refuse(SLOT(GraphDestroy)), CUDA_ERROR_NOT_SUPPORTED);
    assert_int_equal(call_lines, 2);
    memset(call_mock.logged, 0, sizeof call_mock.logged); /* as in a new mock */
    assert_int_equal(cushim__mock_call_refuse(SLOT(GraphCreate)), CUDA_ERROR_NOT_SUPPORTED);
    assert_int_equal(call_lines, 3);
}

static void refusal_in_a_capture_comes_first_if_the_call_is_unsafe(void **state)
{
    static struct mock_capture capture;
    const unsigned safe = SLOT(CtxGetDevice), unsafe = SLOT(MemFreeHost);

    (void)state;
    assert_int_equal(cushim__effects[safe].capture, CUSHIM__CALL_YES);
    assert_int_equal(cushim__effects[unsafe].capture, CUSHIM__CALL_UNSAFE);
    cushim__mock_captures = &capture;
    call_forbidden = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    assert_int_equal(cushim__mock_call_refuse(safe), CUDA_ERROR_NOT_SUPPORTED);
    call_lines = 0;
    assert_int_equal(cushim__mock_call_refuse(unsafe), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    assert_int_equal(call_lines, 0);
    call_forbidden = CUDA_SUCCESS;
    assert_int_equal(cushim__mock_call_refuse(unsafe), CUDA_ERROR_NOT_SUPPORTED);
    cushim__mock_captures = NULL;
}

static void call_superseded(unsigned slot, unsigned newer)
{
    assert_int_equal(cushim__mock_call_enter(slot), CUDA_SUCCESS);
    cushim__mock_call_superseded(slot, newer);
    cushim__mock_call_leave(slot, CUDA_SUCCESS);
}

static void superseded_abi_is_logged_once_per_function_and_mock(void **state)
{
    (void)state;
    call_superseded(SLOT(MemFree), SLOT(MemFree_v2));
    assert_string_equal(call_line,
                        "cuMemFree is the ABI of CUDA 2.0, replaced by cuMemFree_v2 in CUDA 3.2");
    call_superseded(SLOT(MemFree), SLOT(MemFree_v2));
    assert_int_equal(call_lines, 1);
    call_superseded(SLOT(MemAlloc), SLOT(MemAlloc_v2));
    assert_int_equal(call_lines, 2);
    memset(call_mock.logged, 0, sizeof call_mock.logged); /* as in a new mock */
    call_superseded(SLOT(MemFree), SLOT(MemFree_v2));
    assert_int_equal(call_lines, 3);
}

static void abi_is_not_superseded_in_a_driver_that_lacks_the_newer_one(void **state)
{
    (void)state;
    call_mock.settings.driver_version = 10020;
    call_superseded(SLOT(DevicePrimaryCtxReset), SLOT(DevicePrimaryCtxReset_v2));
    assert_int_equal(call_lines, 0);
    call_mock.settings.driver_version = 11000;
    call_superseded(SLOT(DevicePrimaryCtxReset), SLOT(DevicePrimaryCtxReset_v2));
    assert_int_equal(call_lines, 1);
}

static void refused_function_answers_first_what_every_function_does(void **state)
{
    (void)state;
    call_mock.initialised = false;
    assert_int_equal(cushim__mock_call_refuse(SLOT(GraphCreate)), CUDA_ERROR_NOT_INITIALIZED);
    assert_int_equal(call_lines, 0);
}

static void trace_has_every_call_and_its_answer(void **state)
{
    (void)state;
    call(SLOT(EventQuery));
    assert_string_equal(call_traced, "");
    call_mock.trace = note_trace;
    call(SLOT(EventQuery));
    assert_string_equal(call_traced, "call cuEventQuery 0 0 0");
    cushim__mock_call_refuse(SLOT(GraphCreate));
    assert_string_equal(call_traced, "call cuGraphCreate 0 0 801");
}

/*
 * Which functions work in which state: statements 2, 4, 9, 34, 57 and 82, and the codes that an
 * H200 returned (tests/conformance/states-h200-580.txt).
 */

/* Assert that exactly the listed functions succeed, and that all others return `others`. */
static void only(const unsigned *slots, size_t count, CUresult others)
{
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++) {
        bool listed = false;
        for (size_t i = 0; i < count; i++)
            listed = listed || slots[i] == slot;
        if (call(slot) != (listed ? CUDA_SUCCESS : others))
            fail_msg("%s returns the wrong code", cushim__slot_name(slot));
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
         SLOT(LogsCurrent), SLOT(LogsDumpToMemory), SLOT(ProfilerInitialize));
}

static void before_cu_init_some_functions_look_at_their_arguments_first(void **state)
{
    static const unsigned slots[] = {SLOT(EventQuery), SLOT(EventElapsedTime),
                                     SLOT(EventElapsedTime_v2), SLOT(StreamCreate)};

    (void)state;
    call_mock.initialised = false;
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++) {
        assert_int_equal(CUDA_SUCCESS, cushim__mock_call_enter(slots[i]));
        assert_int_equal(CUDA_ERROR_INVALID_HANDLE,
                         cushim__mock_call_leave(slots[i], CUDA_ERROR_INVALID_HANDLE));
        assert_int_equal(CUDA_SUCCESS, cushim__mock_call_enter(slots[i]));
        assert_int_equal(CUDA_ERROR_INVALID_VALUE,
                         cushim__mock_call_leave(slots[i], CUDA_ERROR_INVALID_VALUE));
        assert_int_equal(CUDA_SUCCESS, cushim__mock_call_enter(slots[i]));
        assert_int_equal(CUDA_ERROR_NOT_INITIALIZED,
                         cushim__mock_call_leave(slots[i], CUDA_ERROR_INVALID_CONTEXT));
    }
    assert_int_equal(CUDA_ERROR_NOT_INITIALIZED, cushim__mock_call_refuse(SLOT(StreamCreate)));
    assert_int_equal(call_lines, 0);
    assert_int_equal(call_passed_ns, 0);
}

static void in_a_forked_child_even_cu_init_is_refused(void **state)
{
    (void)state;
    call_mock.forked = true;
    ONLY(CUDA_ERROR_NOT_INITIALIZED, SLOT(DriverGetVersion), SLOT(GetErrorName),
         SLOT(GetErrorString), SLOT(GetProcAddress), SLOT(GetProcAddress_v2), SLOT(GetExportTable),
         SLOT(EventQuery), SLOT(LogsCurrent), SLOT(LogsDumpToMemory),
         SLOT(ThreadExchangeStreamCaptureMode), SLOT(ProfilerInitialize));
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
    cushim__mock_call.in_host_function = true;
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
        assert_int_equal(call(allowed[i]), CUDA_SUCCESS);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_int_equal(call(refused[i]), CUDA_ERROR_NOT_PERMITTED);
}

static void after_a_sticky_error_most_calls_return_it(void **state)
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
    call_mock.sticky_error = CUDA_ERROR_ILLEGAL_ADDRESS;
    for (size_t i = 0; i < sizeof faulty / sizeof *faulty; i++)
        assert_int_equal(call(faulty[i]), CUDA_ERROR_ILLEGAL_ADDRESS);
    for (size_t i = 0; i < sizeof healthy / sizeof *healthy; i++)
        assert_int_equal(call(healthy[i]), CUDA_SUCCESS);
}

static void after_a_sticky_error_a_context_that_has_ended_is_reported_first(void **state)
{
    struct mock_context context = {.alive = true};

    (void)state;
    call_mock.sticky_error = CUDA_ERROR_ILLEGAL_ADDRESS;
    call_context = &context;
    assert_int_equal(call(SLOT(MemAlloc_v2)), CUDA_ERROR_ILLEGAL_ADDRESS);
    context.alive = false;
    assert_int_equal(call(SLOT(MemAlloc_v2)), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    assert_int_equal(call(SLOT(DeviceGetCount)), CUDA_SUCCESS);
}

static bool follow_the_same_rules(unsigned slot, unsigned other)
{
    const struct cushim__effects *one = &cushim__effects[slot], *two = &cushim__effects[other];

    return one->init == two->init && one->callback == two->callback && one->sticky == two->sticky &&
           one->fork == two->fork && one->capture == two->capture;
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
            if (strcmp(cushim__slot_name(other), twin) == 0 && !follow_the_same_rules(other, slot))
                fail_msg("%s and %s follow different rules", name, twin);
        }
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, call_begin, call_end)
    const struct CMUnitTest tests[] = {
        TEST(call_succeeds_and_is_counted),
        TEST(call_holds_the_lock_until_it_leaves),
        TEST(without_a_mock_every_call_answers_that_there_is_none),
        TEST(stub_answers_34_to_everything),
        TEST(fault_that_comes_while_the_call_takes_its_time_is_its_answer),
        TEST(symbol_that_came_later_answers_36),
        TEST(call_costs_what_is_set_for_it_or_for_all),
        TEST(call_that_is_refused_early_and_one_in_a_host_function_cost_nothing),
        TEST(refusal_is_logged_once_per_function_and_mock),
        TEST(refusal_in_a_capture_comes_first_if_the_call_is_unsafe),
        TEST(superseded_abi_is_logged_once_per_function_and_mock),
        TEST(abi_is_not_superseded_in_a_driver_that_lacks_the_newer_one),
        TEST(refused_function_answers_first_what_every_function_does),
        TEST(trace_has_every_call_and_its_answer),
        TEST(before_cu_init_few_functions_work),
        TEST(before_cu_init_some_functions_look_at_their_arguments_first),
        TEST(in_a_forked_child_even_cu_init_is_refused),
        TEST(in_a_host_function_calls_are_not_permitted_but_for_some),
        TEST(after_a_sticky_error_most_calls_return_it),
        TEST(after_a_sticky_error_a_context_that_has_ended_is_reported_first),
        TEST(twin_of_a_function_follows_the_same_rules),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
