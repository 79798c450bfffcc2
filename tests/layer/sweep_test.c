/* SPDX-License-Identifier: Apache-2.0 */
/* The sweep: which calls fail in which run, and how the sweep ends. */

#include <cushim/testing/cmocka.h>

#include "sweep_fixture.h"

SWEEP_TEST(body_that_behaves_well_passes)
{
    sweep_assert_passed(sweep_once(NO_BUG));
    assert_string_equal(sweep_why, "");
    assert_int_equal(sweep_result.calls, SWEEP_CALLS);
    assert_int_equal(sweep_result.swept, 2 * SWEEP_CALLS);
    assert_int_equal(sweep_result.runs, 1 + 2 * (SWEEP_CALLS + 1));
    assert_int_equal(sweep_result.failures, 0);
}

SWEEP_TEST(pattern_says_what_is_failed)
{
    sweep_options.functions = "cuMem*";
    OK(sweep_once(NO_BUG));
    assert_int_equal(sweep_result.calls, 3);
    assert_int_equal(sweep_result.swept, 6);
}

SWEEP_TEST(sweep_that_fails_nothing_is_wrong)
{
    sweep_options.functions = "cuGraph*";
    sweep_assert_found(NO_BUG,
                       "no call of the body failed: it makes none that is meant, or fewer than "
                       "`first`\n");
}

SWEEP_TEST(one_run_can_be_seen_alone)
{
    sweep_options.first = sweep_options.last = 5;
    sweep_options.kinds = CUSHIM_SWEEP_FROM_THEN_ON;
    OK(sweep_once(NO_BUG));
    assert_int_equal(sweep_result.runs, 2);
    assert_int_equal(sweep_result.swept, 1);
}

SWEEP_TEST(each_variant_is_swept_and_named)
{
    static const char *const variants[] = {"schedule = lazy", "schedule = random\nseed = 7", NULL};

    sweep_options.settings = "devices = 2";
    sweep_options.variants = variants;
    OK(sweep_once(NO_BUG));
    assert_int_equal(sweep_result.swept, 2 * 2 * SWEEP_CALLS);
    sweep_options.kinds = CUSHIM_SWEEP_ONCE;
    sweep_options.functions = "cuEventRecord";
    CODE(CUDA_ERROR_ILLEGAL_STATE, sweep_once(IGNORES_THE_RECORD));
    assert_int_equal(sweep_result.failures, 2);
    CONTAINS(sweep_why, "; mock: devices = 2, schedule = lazy; this run alone");
    sweep_options.variants = variants + 1;
    CODE(CUDA_ERROR_ILLEGAL_STATE, sweep_once(IGNORES_THE_RECORD));
    CONTAINS(sweep_why, "; mock: devices = 2, schedule = random, seed = 7; this run");
}

static int answers_seen[8];
static size_t answers_count;

static int note_answers(void *data)
{
    const char *function = "";

    cushim_driver()->Init(0);
    cushim_sweep_injected(&function);
    if (function)
        answers_seen[answers_count++] = (int)cushim_sweep_injected(NULL);
    return 0;
}

SWEEP_TEST(given_codes_are_answered_each)
{
    static const CUresult codes[] = {CUDA_ERROR_NO_DEVICE, CUDA_ERROR_ECC_UNCORRECTABLE};

    sweep_options.codes = codes;
    sweep_options.code_count = 2;
    sweep_options.kinds = CUSHIM_SWEEP_ONCE;
    answers_count = 0;
    OK(cushim_sweep_run(&sweep_options, note_answers, NULL, NULL));
    assert_int_equal(answers_count, 2);
    assert_int_equal(answers_seen[0], CUDA_ERROR_NO_DEVICE);
    assert_int_equal(answers_seen[1], CUDA_ERROR_ECC_UNCORRECTABLE);
}

static int ask_version(void *data)
{
    int version;

    return cushim_driver()->Init(0) == CUDA_SUCCESS &&
           cushim_driver()->DriverGetVersion(&version) != CUDA_SUCCESS &&
           cushim_sweep_fail("the version is right");
}

SWEEP_TEST(function_that_only_reads_is_failed_by_its_name_alone)
{
    assert_int_equal(sweep_run(ask_version, NULL), CUDA_SUCCESS);
    assert_int_equal(sweep_result.calls, 1);
    sweep_options.limit = 2; /* the body makes fewer calls than this */
    sweep_options.functions = "cuDriverGetVersion";
    sweep_options.kinds = CUSHIM_SWEEP_ONCE;
    assert_int_equal(sweep_run(ask_version, NULL), CUDA_ERROR_ILLEGAL_STATE);
    assert_string_equal(sweep_why,
                        "call 2 of thread 1 (cuDriverGetVersion) answered CUDA_ERROR_UNKNOWN, "
                        "once: the body says: the version is right; this run alone: first = "
                        "last = 1, kinds = CUSHIM_SWEEP_ONCE\n");
}

static unsigned setups, teardowns;

static int count_setup(void *data)
{
    setups++;
    return cushim_driver()->Init(0) != CUDA_SUCCESS;
}

static void count_teardown(void *data)
{
    teardowns++;
}

/* A function that works in the context of its caller. */
static int use_context(void *data)
{
    CUstream stream = NULL;
    CUresult code = cushim_driver()->StreamCreate(&stream, 0);

    (void)data;
    if (code == CUDA_SUCCESS)
        code = cushim_driver()->StreamDestroy_v2(stream);
    return code != cushim_sweep_injected(NULL) && cushim_sweep_fail("the caller gets the code");
}

SWEEP_TEST(context_of_the_sweep_is_current_in_each_run)
{
    sweep_options.context = true;
    sweep_assert_passed(sweep_run(use_context, NULL));
    assert_int_equal(sweep_result.calls, 2);
    assert_int_equal(sweep_result.runs, 1 + 2 * (2 + 1));
}

SWEEP_TEST(error_is_named_if_no_call_is_failed)
{
    assert_int_equal(sweep_run(use_context, NULL), CUDA_ERROR_ILLEGAL_STATE);
    assert_string_equal(sweep_why,
                        "with no call failing, but call 1 of thread 1 (cuStreamCreate) answered "
                        "CUDA_ERROR_NOT_INITIALIZED: the body says: the caller gets the code\n");
}

static int refuse_setup(void *data)
{
    return 3;
}

SWEEP_TEST(calls_of_setup_and_teardown_are_not_failed)
{
    setups = teardowns = 0;
    sweep_options.setup = count_setup;
    sweep_options.teardown = count_teardown;
    OK(sweep_once(NO_BUG));
    assert_int_equal(sweep_result.calls, SWEEP_CALLS);
    assert_int_equal(setups, sweep_result.runs);
    assert_int_equal(teardowns, sweep_result.runs);
    sweep_options.setup = refuse_setup;
    CODE(CUDA_ERROR_ILLEGAL_STATE, sweep_once(NO_BUG));
    assert_string_equal(sweep_why, "the setup answered 3\n");
    assert_int_equal(sweep_result.runs, 0);
}

SWEEP_TEST(options_that_cannot_be_are_refused_by_name)
{
    static const CUresult nothing[] = {CUDA_SUCCESS};
    static const struct {
        struct cushim_sweep_options options;
        const char *why;
    } cases[] = {
        {{.kinds = (enum cushim_sweep_kind)4}, "kinds is none of enum cushim_sweep_kind\n"},
        {{.first = 3, .last = 2}, "first is behind last\n"},
        {{.limit = UINT64_MAX}, "limit is too large\n"},
        {{.codes = nothing}, "codes and code_count do not go together\n"},
        {{.code_count = 1}, "codes and code_count do not go together\n"},
        {{.codes = nothing, .code_count = 1},
         "codes has CUDA_SUCCESS in it, which is no failure\n"},
        {{.functions = "cuMme*"}, "functions is like the name of no function of the driver\n"},
        {{.functions = "cuMemFree*"},
         "functions is like those alone that give something back, which fail with fail_releases, "
         "or if they are named without a star\n"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sweep_options = cases[i].options;
        sweep_options.size = sizeof sweep_options;
        sweep_options.message = sweep_why;
        sweep_options.message_size = sizeof sweep_why;
        CODE(CUDA_ERROR_INVALID_VALUE, sweep_once(NO_BUG));
        assert_string_equal(sweep_why, cases[i].why);
    }
    sweep_setup(NULL);
    sweep_options.settings = "device = 1";
    CODE(CUDA_ERROR_INVALID_VALUE, sweep_once(NO_BUG));
    CONTAINS(sweep_why, "there is no key \"device\"");
    sweep_options.size = 1;
    CODE(CUDA_ERROR_INVALID_VALUE, sweep_once(NO_BUG));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_sweep_run(NULL, NULL, NULL, NULL));
}

SWEEP_TEST(mock_or_layer_of_somebody_else_is_not_taken)
{
    struct cushim_layer_options over = {.size = sizeof over};
    struct cushim_layer *layer = NULL;
    struct cushim_mock *mock = NULL;

    OK(cushim_mock_create(NULL, &mock));
    CODE(CUDA_ERROR_ALREADY_ACQUIRED, sweep_once(NO_BUG));
    assert_string_equal(sweep_why,
                        "there is a mock in this process: a sweep makes its own for each run, and "
                        "a test that has begun must have ended before\n");
    assert_ptr_equal(cushim_mock_current(), mock);
    over.table = sweep_options.table = cushim_mock_table(mock);
    OK(cushim_layer_create(&over, &layer));
    CODE(CUDA_ERROR_ALREADY_ACQUIRED, sweep_once(NO_BUG));
    assert_ptr_equal(cushim_layer_current(), layer);
    cushim_layer_destroy(layer);
    OK(cushim_mock_destroy(mock));
}

SWEEP_TEST(body_with_threads_is_swept)
{
    enum bug bug = NO_BUG;

    sweep_assert_passed(sweep_run(sweep_two_threads, &bug));
    assert_true(sweep_result.calls > SWEEP_CALLS); /* the number of their polls varies */
}

/* The table of a mock in the role of a driver: the sweep does not use the mock itself. */
SWEEP_TEST(table_of_ones_own_is_swept)
{
    struct cushim_mock *mock = NULL;
    const struct cushim_table *before = cushim_driver();

    OK(cushim_mock_create(NULL, &mock));
    sweep_options.table = cushim_mock_table(mock);
    sweep_assert_passed(sweep_once(NO_BUG));
    assert_int_equal(sweep_result.swept, 2 * SWEEP_CALLS);
    CODE(CUDA_ERROR_ILLEGAL_STATE, sweep_once(LEAKS_THE_EVENT));
    assert_int_equal(sweep_result.failures, 2);
    CONTAINS(sweep_why,
             "CUSHIM-leak-event: warning: event#1 is never destroyed; made by cuEventCreate");
    assert_ptr_equal(cushim_driver(), before);
    assert_ptr_equal(cushim_mock_current(), mock);
    OK(cushim_mock_destroy(mock));
    sweep_options.settings = "devices = 2";
    CODE(CUDA_ERROR_INVALID_VALUE, sweep_once(NO_BUG));
    assert_string_equal(sweep_why, "table goes without a mock, and so without settings\n");
}

/* The description of the current run, and its absence. */

static char printed[4000], first[400];

static void print_run(void *data, const char *run)
{
    const size_t used = strlen(printed);

    assert_ptr_equal(run, cushim_sweep_running());
    snprintf(printed + used, sizeof printed - used, "%s\n", run);
}

SWEEP_TEST(each_run_is_reported_before_its_call_fails)
{
    printed[0] = '\0';
    sweep_options.functions = "cuMemAlloc_v2";
    sweep_options.settings = "schedule = lazy";
    sweep_options.on_failure = print_run;
    OK(sweep_once(NO_BUG));
    assert_string_equal(
        printed,
        "call 5 of thread 1 (cuMemAlloc_v2) answered CUDA_ERROR_OUT_OF_MEMORY, once; mock: "
        "schedule = lazy; this run alone: first = last = 1, kinds = CUSHIM_SWEEP_ONCE\n"
        "call 5 of thread 1 (cuMemAlloc_v2) answered CUDA_ERROR_OUT_OF_MEMORY, as did all from "
        "then on; mock: schedule = lazy; this run alone: first = last = 1, kinds = "
        "CUSHIM_SWEEP_FROM_THEN_ON\n");
}

static int note_run(void *data)
{
    snprintf(first, sizeof first, "%s", cushim_sweep_running());
    return cushim_driver()->Init(0) != cushim_sweep_injected(NULL);
}

SWEEP_TEST(run_is_named_from_where_it_begins_to_where_it_ends)
{
    sweep_options.kinds = CUSHIM_SWEEP_ONCE;
    assert_null(cushim_sweep_running());
    OK(cushim_sweep_run(&sweep_options, note_run, NULL, NULL));
    assert_string_equal(first, "before the call that is to fail; this run alone: first = last = 2, "
                               "kinds = CUSHIM_SWEEP_ONCE");
    assert_null(cushim_sweep_running());
}

/*
 * For a sweep inside a body, the outer run has not ended, which is also the state after a longjmp()
 * out of a body.
 */
static int sweep_again(void *data)
{
    enum bug bug = NO_BUG;
    const CUresult code = cushim_driver()->Init(0);

    if (code != CUDA_SUCCESS)
        *(CUresult *)data = cushim_sweep_run(&sweep_options, sweep_body, &bug, NULL);
    return code != cushim_sweep_injected(NULL);
}

SWEEP_TEST(run_that_has_not_ended_is_why_there_is_no_other)
{
    const struct cushim_sweep_options once = {.size = sizeof once, .kinds = CUSHIM_SWEEP_ONCE};
    CUresult inner = CUDA_SUCCESS;

    OK(cushim_sweep_run(&once, sweep_again, &inner, NULL));
    assert_int_equal(inner, CUDA_ERROR_ALREADY_ACQUIRED);
    assert_string_equal(
        sweep_why, "a run of a sweep has not ended: a body must not sweep, nor be left by "
                   "longjmp(), as an assertion of cmocka leaves it and a crash that cmocka "
                   "catches; that run: call 1 of thread 1 (cuInit) answered CUDA_ERROR_UNKNOWN, "
                   "once; this run alone: first = last = 1, kinds = CUSHIM_SWEEP_ONCE\n");
}

SWEEP_TEST(what_is_not_understood_is_said)
{
    enum bug bug = NO_BUG;

    CODE(CUDA_ERROR_INVALID_VALUE, cushim_sweep_run(&sweep_options, NULL, NULL, NULL));
    assert_string_equal(sweep_why, "body is NULL\n");
    sweep_result.size = 1;
    assert_int_equal(sweep_run(sweep_body, &bug), CUDA_ERROR_INVALID_VALUE);
    assert_string_equal(sweep_why, "result has a size that is too small: set it to sizeof(struct "
                                   "cushim_sweep_result)\n");
    sweep_options.size++;
    CODE(CUDA_ERROR_INVALID_VALUE, sweep_once(NO_BUG));
    assert_string_equal(sweep_why, "options has a size that is none of struct "
                                   "cushim_sweep_options, or fields that this library does not "
                                   "know\n");
}
