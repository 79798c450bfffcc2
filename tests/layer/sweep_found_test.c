/* SPDX-License-Identifier: Apache-2.0 */
/* The bugs that a sweep finds, and how it reports them. */

#include <cushim/testing/test.h>

#include "sweep_fixture.h"

#ifdef _WIN32
#define PROGRAM "sweep_found_test.exe"
#else
#define PROGRAM "sweep_found_test"
#endif
#if UNWINDS
#define PLACE PROGRAM "+0x"
#else
#define PLACE "an unknown place" /* the toolchain cannot unwind */
#endif

/*
 * Replace each offset in a file by `+0x`, and a sequence of them by one, because they depend on the
 * build.
 */
static void blur_places(char *text)
{
    char *to = text;

    while (*text) {
        const bool is_place = strncmp(text, "+0x", 3) == 0;

        if (is_place)
            text += 3 + strspn(text + 3, "0123456789abcdef");
        if (is_place) {
            memcpy(to, "+0x", 3);
            to += 3;
            while (*text == ' ')
                text += strcspn(text + 1, " ;,\n") + 1;
            continue;
        }
        *to++ = *text++;
    }
    *to = '\0';
}

SWEEP_TEST(leak_is_found_although_its_context_is_gone)
{
    sweep_options.kinds = CUSHIM_SWEEP_ONCE;
    CODE(CUDA_ERROR_ILLEGAL_STATE, sweep_once(LEAKS_THE_EVENT));
    blur_places(sweep_why);
    assert_string_equal(
        sweep_why,
        "call 7 of thread 1 (cuMemsetD8Async) answered CUDA_ERROR_UNKNOWN, once: "
        "CUSHIM-leak-event: warning: event#1 is never destroyed; made by cuEventCreate, call 6 of "
        "thread 1, at " PLACE
        "; rule: It stays until its context is destroyed. (driver-semantics.md, statement 21); "
        "cure: Destroy each event that the program creates.; this run alone: first = last = 6, "
        "kinds = CUSHIM_SWEEP_ONCE\n");
}

SWEEP_TEST(ignored_error_is_found)
{
    sweep_options.kinds = CUSHIM_SWEEP_ONCE;
    sweep_assert_found(
        IGNORES_THE_RECORD,
        "call 8 of thread 1 (cuEventRecord) answered CUDA_ERROR_UNKNOWN, once: the body "
        "answered 1; this run alone: first = last = 7, kinds = CUSHIM_SWEEP_ONCE\n");
}

SWEEP_TEST(handle_destroyed_twice_is_found)
{
    sweep_options.kinds = CUSHIM_SWEEP_ONCE;
    CODE(CUDA_ERROR_ILLEGAL_STATE, sweep_once(DESTROYS_TWICE));
    assert_int_equal(sweep_result.failures, 1);
    CONTAINS(sweep_why, "call 8 of thread 1 (cuEventRecord) answered "
                        "CUDA_ERROR_UNKNOWN, once: CUSHIM-destroyed-twice: error: "
                        "cuEventDestroy_v2 is given event#1, which was destroyed; ");
    CONTAINS(sweep_why, "; this run alone: first = last = 7, kinds = CUSHIM_SWEEP_ONCE\n");
}

SWEEP_TEST(memory_freed_twice_is_found)
{
    sweep_options.kinds = CUSHIM_SWEEP_ONCE;
    sweep_options.fail_releases = false;
    sweep_options.functions = "cuMemset*";
    CODE(CUDA_ERROR_ILLEGAL_STATE, sweep_once(FREES_TWICE));
    CONTAINS(sweep_why, "once: CUSHIM-memory-freed-twice: error: memory#1 is freed ");
    sweep_options.forbid_errors = true;
    CODE(CUDA_ERROR_ILLEGAL_STATE, sweep_once(FREES_TWICE));
    assert_int_equal(sweep_result.failures, 1);
    CONTAINS(sweep_why, "once: error that nothing expects: call 10 of thread 1: "
                        "cuMemFree_v2(dptr=");
    CONTAINS(sweep_why, ") = CUDA_ERROR_INVALID_VALUE; CUSHIM-memory-freed-twice: ");
}

SWEEP_TEST(forbidden_errors_are_not_those_that_the_sweep_gives)
{
    sweep_options.forbid_errors = true;
    sweep_assert_passed(sweep_once(NO_BUG));
    assert_int_equal(sweep_result.swept, 2 * SWEEP_CALLS);
}

SWEEP_TEST(errors_that_a_scope_expects_may_come)
{
    sweep_options.forbid_errors = true;
    sweep_options.functions = "cuMemset*";
    sweep_assert_passed(sweep_once(FREES_TWICE_AND_EXPECTS_IT));
    sweep_options.functions = NULL; /* the sweep also fails the second free, so there is no error */
    sweep_assert_passed(sweep_once(FREES_TWICE_AND_EXPECTS_IT));
}

SWEEP_TEST(context_left_on_the_stack_is_found)
{
    sweep_options.kinds = CUSHIM_SWEEP_ONCE;
    sweep_options.functions = "cuMemAlloc_v2";
    sweep_assert_found(
        LEAVES_THE_CONTEXT,
        "call 5 of thread 1 (cuMemAlloc_v2) answered CUDA_ERROR_OUT_OF_MEMORY, once: a "
        "context is left current; this run alone: first = last = 1, kinds = "
        "CUSHIM_SWEEP_ONCE\n");
}

SWEEP_TEST(context_may_be_left_if_that_is_said)
{
    sweep_options.kinds = CUSHIM_SWEEP_ONCE;
    sweep_options.functions = "cuMemAlloc_v2";
    sweep_options.leaves_context = true;
    OK(sweep_once(LEAVES_THE_CONTEXT));
}

SWEEP_TEST(endless_poll_is_stopped_and_named)
{
    sweep_options.limit = 100;
    sweep_options.functions = "cuEventQuery";
    sweep_options.first = sweep_options.last = 1;
    sweep_options.kinds = CUSHIM_SWEEP_FROM_THEN_ON;
    sweep_assert_found(
        POLLS_FOR_EVER,
        "call 9 of thread 1 (cuEventQuery) answered CUDA_ERROR_UNKNOWN, as did all from "
        "then on: the body did not end within 100 calls; the next was cuEventQuery; this "
        "run alone: first = last = 1, kinds = CUSHIM_SWEEP_FROM_THEN_ON\n");
    sweep_setup(NULL);
    sweep_options.limit = 100;
    sweep_options.kinds = CUSHIM_SWEEP_ONCE;
    sweep_assert_found(POLLS_ON_ERRORS_ONLY,
                       "with no call failing: the body did not end within 100 "
                       "calls; the next was cuEventQuery\n");
}

SWEEP_TEST(loop_that_nothing_ends_is_ended)
{
    sweep_options.limit = 100;
    sweep_options.kinds = CUSHIM_SWEEP_ONCE;
    sweep_options.functions = "cuEventRecord";
    CODE(CUDA_ERROR_ILLEGAL_STATE, sweep_once(NEVER_ENDS));
    CONTAINS(sweep_why, "the body did not end within 100 calls; the next was cuEventQuery");
}

SWEEP_TEST(body_that_fails_by_itself_is_not_swept)
{
    sweep_assert_found(FAILS_BY_ITSELF, "with no call failing: the body answered 1\n");
    assert_int_equal(sweep_result.runs, 1);
}

SWEEP_TEST(what_the_body_says_is_reported)
{
    sweep_options.kinds = CUSHIM_SWEEP_ONCE;
    sweep_assert_found(
        REPORTS_WHAT_IS_WRONG,
        "call 6 of thread 1 (cuEventCreate) answered CUDA_ERROR_OUT_OF_MEMORY, once: the "
        "body says: there is an event; this run alone: first = last = 5, kinds = "
        "CUSHIM_SWEEP_ONCE\n");
}

SWEEP_TEST(failures_are_counted_and_the_first_kept)
{
    sweep_options.message_size = 900;
    CODE(CUDA_ERROR_ILLEGAL_STATE, sweep_once(ALWAYS_WRONG_IF_FAILED));
    assert_int_equal(sweep_result.failures, 2 * SWEEP_CALLS);
    CONTAINS(sweep_why, "call 1 of thread 1 (cuInit)");
    CONTAINS(sweep_why, "call 5 of thread 1 (cuMemAlloc_v2)");
    LACKS(sweep_why, "call 6 of thread 1 (");
    CONTAINS(sweep_why, "\nand 18 more\n");
    sweep_options.message = NULL;
    CODE(CUDA_ERROR_ILLEGAL_STATE, sweep_once(ALWAYS_WRONG_IF_FAILED));
}

/*
 * The report of several runs: what is the same is printed once, and differences are printed
 * separately.
 */

static char expected[100];

static unsigned count_of(const char *text)
{
    unsigned count = 0;

    for (const char *at = sweep_why; (at = strstr(at, text)); at++)
        count++;
    return count;
}

SWEEP_TEST(same_leak_in_many_runs_has_one_line)
{
    static const char *const variants[] = {"schedule = eager", "schedule = lazy", NULL};

    sweep_options.variants = variants;
    CODE(CUDA_ERROR_ILLEGAL_STATE, sweep_once(LEAKS_IF_FAILED));
    assert_int_equal(count_of("call 7 of thread 1 ("), 1);
    assert_int_equal(count_of("\n"), 1);
    assert_true(sweep_result.failures > 6);
    snprintf(expected, sizeof expected, "kinds = CUSHIM_SWEEP_ONCE; and in %u other runs\n",
             (unsigned)sweep_result.failures - 1);
    CONTAINS(sweep_why, expected);
}

/* Makes one call less if the first fails, and leaks an event if a call has failed. */
static int leak_by_this_call_or_that(void *data)
{
    int count;
    CUevent event;
    volatile CUresult code = cushim_driver()->DeviceGetCount(&count); /* one call site */

    if (code == CUDA_SUCCESS)
        code = cushim_driver()->DeviceGetCount(&count);
    if (cushim_driver()->EventCreate(&event, 0) == CUDA_SUCCESS && code == CUDA_SUCCESS)
        cushim_driver()->EventDestroy_v2(event);
    return 0;
}

SWEEP_TEST(number_of_the_call_is_not_the_call_site)
{
    sweep_options.kinds = CUSHIM_SWEEP_ONCE;
    sweep_options.setup = sweep_make_current;
    sweep_options.teardown = sweep_end_current;
    assert_int_equal(sweep_run(leak_by_this_call_or_that, NULL), CUDA_ERROR_ILLEGAL_STATE);
    assert_int_equal(sweep_result.failures, 2);
    assert_int_equal(count_of("\n"), 1);
    CONTAINS(sweep_why, "(cuDeviceGetCount)");
}

SWEEP_TEST(one_more_run_is_reported_as_one)
{
    sweep_options.functions = "cuMemset*";
    CODE(CUDA_ERROR_ILLEGAL_STATE, sweep_once(LEAKS_THE_EVENT));
    assert_int_equal(sweep_result.failures, 2);
    assert_int_equal(count_of("\n"), 1);
    CONTAINS(sweep_why, "CUSHIM_SWEEP_ONCE; and in 1 other run\n");
}

SWEEP_TEST(what_the_body_says_is_reported_for_each_call)
{
    CODE(CUDA_ERROR_ILLEGAL_STATE, sweep_once(ALWAYS_WRONG_IF_FAILED));
    assert_int_equal(sweep_result.failures, 2 * SWEEP_CALLS);
    assert_int_equal(count_of("\n"), SWEEP_CALLS);
    assert_int_equal(count_of("; and in 1 other run\n"), SWEEP_CALLS);
}

/* A small buffer is filled, and nothing is written beyond it. */
SWEEP_TEST(message_of_any_size_is_filled_and_no_more)
{
    sweep_options.functions = "cuMem*";
    for (size_t size = 1; size < 1000; size += 13) {
        memset(sweep_why, '#', sizeof sweep_why);
        sweep_options.message_size = size;
        CODE(CUDA_ERROR_ILLEGAL_STATE, sweep_once(ALWAYS_WRONG_IF_FAILED));
        assert_true(strlen(sweep_why) < size);
        assert_int_equal(sweep_why[size], '#');
    }
}

/* Sweeps with polls of many handles, and reports of wrong contexts and tables. */

enum { EVENTS = 18, DISTINGUISHED = 16, ROUNDS = 3 };

static unsigned events_polled;

static CUresult poll_all(const CUevent *events)
{
    CUresult first = CUDA_SUCCESS;

    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < events_polled; i++) {
            const CUresult code = cushim_driver()->EventQuery(events[i]);

            first = first ? first : code;
        }
    }
    return first;
}

static int poll_in_turns(void *data)
{
    CUevent events[EVENTS] = {NULL};
    CUresult code = CUDA_SUCCESS;

    for (unsigned i = 0; i < events_polled && code == CUDA_SUCCESS; i++)
        code = cushim_driver()->EventCreate(&events[i], 0);
    if (code == CUDA_SUCCESS)
        code = poll_all(events);
    for (unsigned i = 0; i < events_polled && events[i]; i++)
        cushim_driver()->EventDestroy_v2(events[i]);
    return code != cushim_sweep_injected(NULL);
}

/* How many polls count, when each of `handles` handles is polled three times. */
static uint64_t polls_counted(unsigned handles)
{
    events_polled = handles;
    sweep_options.functions = "cuEventQuery";
    sweep_options.kinds = CUSHIM_SWEEP_ONCE;
    sweep_options.setup = sweep_make_current;
    sweep_options.teardown = sweep_end_current;
    sweep_assert_passed(sweep_run(poll_in_turns, NULL));
    return sweep_result.calls;
}

SWEEP_TEST(polls_in_turns_count_twice_for_each_handle)
{
    assert_int_equal(polls_counted(2), 2 * 2);
    assert_int_equal(polls_counted(DISTINGUISHED), DISTINGUISHED * 2);
}

SWEEP_TEST(polls_of_more_handles_than_are_distinguished_all_count)
{
    assert_int_equal(polls_counted(EVENTS), DISTINGUISHED * 2 + (EVENTS - DISTINGUISHED) * ROUNDS);
}

/* --- contexts --- */

static CUcontext other;

static int make_two_contexts(void *data)
{
    return cushim_driver()->Init(0) || cushim_driver()->CtxCreate_v2(&other, 0, 0) ||
           sweep_make_current(data);
}

static void drop_two_contexts(void *data)
{
    sweep_end_current(data);
    cushim_driver()->CtxDestroy_v2(other);
}

static int set_other(void *data)
{
    return cushim_driver()->CtxSetCurrent(other) != cushim_sweep_injected(NULL);
}

SWEEP_TEST(other_context_left_current_is_found)
{
    sweep_options.setup = make_two_contexts;
    sweep_options.teardown = drop_two_contexts;
    sweep_options.kinds = CUSHIM_SWEEP_ONCE;
    assert_int_equal(sweep_run(set_other, NULL), CUDA_ERROR_ILLEGAL_STATE);
    CONTAINS(sweep_why, "another context is current than before");
    sweep_options.leaves_context = true;
    assert_int_equal(sweep_run(set_other, NULL), CUDA_SUCCESS);
}

/* --- tables --- */

SWEEP_TEST(table_that_cannot_be_installed_is_not_swept)
{
    const struct cushim_table *const before = cushim_driver();
    static struct cushim_table empty;

    empty.size = sizeof empty;
    sweep_options.table = &empty;
    assert_int_equal(sweep_run(poll_in_turns, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_string_equal(sweep_why, "no mock or no layer can be made: CUDA_ERROR_INVALID_VALUE\n");
    assert_ptr_equal(cushim_driver(), before);
}
