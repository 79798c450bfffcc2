/* SPDX-License-Identifier: Apache-2.0 */
/* What a sweep finds of what is planted, and says of it. */
#include <string.h>

#include <cushim/test.h>

#include "sweep_world.h"

#ifdef _WIN32
#define PROGRAM "sweep_found_test.exe"
#else
#define PROGRAM "sweep_found_test"
#endif
#if UNWINDS
#define PLACE PROGRAM "+0x"
#else
#define PLACE "an unknown place" /* the toolchain cannot tell */
#endif

/*
 * `text` with each offset in a file as one `+0x`, and a row of them as one: they are the build's.
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

static void leak_is_found_although_its_context_is_gone(void **state)
{
    (void)state;
    sweep_options.kinds = CUSHIM_SWEEP_ONCE;
    assert_int_equal(sweep_once(LEAKS_THE_EVENT), CUDA_ERROR_ILLEGAL_STATE);
    blur_places(sweep_why);
    assert_string_equal(
        sweep_why, "call 6 of the body (cuMemsetD8Async) answered CUDA_ERROR_UNKNOWN, once: 1 "
                   "event not given back: event#1, by cuEventCreate, call 6 of thread 1, at " PLACE
                   "; this run alone: first = last = 6, kinds = CUSHIM_SWEEP_ONCE\n");
}

static void ignored_error_is_found(void **state)
{
    (void)state;
    sweep_options.kinds = CUSHIM_SWEEP_ONCE;
    sweep_assert_found(
        IGNORES_THE_RECORD,
        "call 7 of the body (cuEventRecord) answered CUDA_ERROR_UNKNOWN, once: the body "
        "answered 1; this run alone: first = last = 7, kinds = CUSHIM_SWEEP_ONCE\n");
}

static void handle_destroyed_twice_is_found(void **state)
{
    (void)state;
    sweep_options.kinds = CUSHIM_SWEEP_ONCE;
    sweep_assert_found(
        DESTROYS_TWICE,
        "call 7 of the body (cuEventRecord) answered CUDA_ERROR_UNKNOWN, once: violation: "
        "cuEventDestroy_v2: the handle 0x6d63180001000002 is that of an event that was "
        "destroyed; this run alone: first = last = 7, kinds = CUSHIM_SWEEP_ONCE\n");
}

static void memory_freed_twice_is_found_on_request(void **state)
{
    (void)state;
    sweep_options.kinds = CUSHIM_SWEEP_ONCE;
    sweep_options.fail_releases = false;
    sweep_options.functions = "cuMemset*";
    assert_int_equal(sweep_once(FREES_TWICE), CUDA_SUCCESS);
    sweep_options.forbid_errors = true;
    assert_int_equal(sweep_once(FREES_TWICE), CUDA_ERROR_ILLEGAL_STATE);
    assert_int_equal(sweep_result.failures, 1);
    assert_non_null(strstr(sweep_why, "once: error that nothing expects: call 10 of thread 1: "
                                      "cuMemFree_v2(dptr="));
    assert_non_null(strstr(sweep_why, ") = CUDA_ERROR_INVALID_VALUE; this run alone"));
}

static void forbidden_errors_are_not_those_that_the_sweep_gives(void **state)
{
    (void)state;
    sweep_options.forbid_errors = true;
    if (sweep_once(NO_BUG) != CUDA_SUCCESS)
        fail_msg("%s", sweep_why);
    assert_int_equal(sweep_result.swept, 2 * SWEEP_CALLS);
}

static void errors_that_a_scope_expects_may_come(void **state)
{
    (void)state;
    sweep_options.forbid_errors = true;
    sweep_options.functions = "cuMemset*";
    if (sweep_once(FREES_TWICE_AND_EXPECTS_IT) != CUDA_SUCCESS)
        fail_msg("%s", sweep_why);
    sweep_options.functions = NULL; /* the second free fails by the sweep: none comes */
    if (sweep_once(FREES_TWICE_AND_EXPECTS_IT) != CUDA_SUCCESS)
        fail_msg("%s", sweep_why);
}

static void context_left_on_the_stack_is_found(void **state)
{
    (void)state;
    sweep_options.kinds = CUSHIM_SWEEP_ONCE;
    sweep_options.functions = "cuMemAlloc_v2";
    sweep_assert_found(
        LEAVES_THE_CONTEXT,
        "call 1 of the body (cuMemAlloc_v2) answered CUDA_ERROR_OUT_OF_MEMORY, once: a "
        "context is left current; this run alone: first = last = 1, kinds = "
        "CUSHIM_SWEEP_ONCE\n");
}

static void context_may_be_left_if_that_is_said(void **state)
{
    (void)state;
    sweep_options.kinds = CUSHIM_SWEEP_ONCE;
    sweep_options.functions = "cuMemAlloc_v2";
    sweep_options.leaves_context = true;
    assert_int_equal(sweep_once(LEAVES_THE_CONTEXT), CUDA_SUCCESS);
}

static void endless_poll_is_stopped_and_named(void **state)
{
    (void)state;
    sweep_options.limit = 100;
    sweep_options.functions = "cuEventQuery";
    sweep_options.first = sweep_options.last = 1;
    sweep_options.kinds = CUSHIM_SWEEP_FROM_THEN_ON;
    sweep_assert_found(
        POLLS_FOR_EVER,
        "call 1 of the body (cuEventQuery) answered CUDA_ERROR_UNKNOWN, as did all from "
        "then on: the body did not end within 100 calls; the next was cuEventQuery; this "
        "run alone: first = last = 1, kinds = CUSHIM_SWEEP_FROM_THEN_ON\n");
    sweep_setup(NULL);
    sweep_options.limit = 100;
    sweep_options.kinds = CUSHIM_SWEEP_ONCE;
    sweep_assert_found(POLLS_ON_ERRORS_ONLY,
                       "with no call failing: the body did not end within 100 "
                       "calls; the next was cuEventQuery\n");
}

static void loop_that_nothing_ends_is_left(void **state)
{
    (void)state;
    sweep_options.limit = 100;
    sweep_options.kinds = CUSHIM_SWEEP_ONCE;
    sweep_options.functions = "cuEventRecord";
    assert_int_equal(sweep_once(NEVER_ENDS), CUDA_ERROR_ILLEGAL_STATE);
    assert_non_null(
        strstr(sweep_why, "the body did not end within 100 calls; the next was cuEventQuery"));
}

static void body_that_fails_by_itself_is_not_swept(void **state)
{
    (void)state;
    sweep_assert_found(FAILS_BY_ITSELF, "with no call failing: the body answered 1\n");
    assert_int_equal(sweep_result.runs, 1);
}

static void what_the_body_says_is_told(void **state)
{
    (void)state;
    sweep_options.kinds = CUSHIM_SWEEP_ONCE;
    sweep_assert_found(
        TELLS_WHAT_IS_WRONG,
        "call 5 of the body (cuEventCreate) answered CUDA_ERROR_OUT_OF_MEMORY, once: the "
        "body says: there is an event; this run alone: first = last = 5, kinds = "
        "CUSHIM_SWEEP_ONCE\n");
}

static void failures_are_counted_and_the_first_kept(void **state)
{
    (void)state;
    sweep_options.message_size = 900;
    assert_int_equal(sweep_once(ALWAYS_WRONG_IF_FAILED), CUDA_ERROR_ILLEGAL_STATE);
    assert_int_equal(sweep_result.failures, 2 * SWEEP_CALLS);
    assert_non_null(strstr(sweep_why, "call 1 of the body (cuInit)"));
    assert_non_null(strstr(sweep_why, "call 4 of the body (cuMemAlloc_v2)"));
    assert_null(strstr(sweep_why, "call 5 of the body"));
    assert_non_null(strstr(sweep_why, "\nand 18 more\n"));
    sweep_options.message = NULL;
    assert_int_equal(sweep_once(ALWAYS_WRONG_IF_FAILED), CUDA_ERROR_ILLEGAL_STATE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SWEEP_TEST(leak_is_found_although_its_context_is_gone),
        SWEEP_TEST(ignored_error_is_found),
        SWEEP_TEST(handle_destroyed_twice_is_found),
        SWEEP_TEST(memory_freed_twice_is_found_on_request),
        SWEEP_TEST(forbidden_errors_are_not_those_that_the_sweep_gives),
        SWEEP_TEST(errors_that_a_scope_expects_may_come),
        SWEEP_TEST(context_left_on_the_stack_is_found),
        SWEEP_TEST(context_may_be_left_if_that_is_said),
        SWEEP_TEST(endless_poll_is_stopped_and_named),
        SWEEP_TEST(loop_that_nothing_ends_is_left),
        SWEEP_TEST(body_that_fails_by_itself_is_not_swept),
        SWEEP_TEST(what_the_body_says_is_told),
        SWEEP_TEST(failures_are_counted_and_the_first_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
