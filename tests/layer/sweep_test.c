/* SPDX-License-Identifier: Apache-2.0 */
/* The sweep: which calls fail in which run, how it ends, and what it finds of what is planted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <cushim/driver.h>
#include <cushim/layer.h>
#include <cushim/mock.h>
#include <cushim/sweep.h>

#include "sweep_bodies.h"

/* What sweep_body() calls, with two polls. */
enum { CALLS = 13 };

#ifdef _WIN32
#define PROGRAM "sweep_test.exe"
#else
#define PROGRAM "sweep_test"
#endif
#if UNWINDS
#define PLACE PROGRAM "+0x"
#else
#define PLACE "an unknown place" /* the toolchain cannot tell */
#endif

static char why[8000];
static struct cushim_sweep_options options;
static struct cushim_sweep_result result;

static int setup(void **state)
{
    (void)state;
    why[0] = '\0';
    options = (struct cushim_sweep_options){
        .size = sizeof options, .message = why, .message_size = sizeof why};
    result = (struct cushim_sweep_result){.size = sizeof result};
    return 0;
}

/* Nothing is left of a sweep. */
static int teardown(void **state)
{
    (void)state;
    assert_null(cushim_layer_current());
    assert_null(cushim_mock_current());
    return 0;
}

static CUresult sweep(enum bug bug)
{
    return cushim_sweep(&options, sweep_body, &bug, &result);
}

/* One run is wrong, and this is the line that says so. */
static void assert_found(enum bug bug, const char *line)
{
    assert_int_equal(sweep(bug), CUDA_ERROR_ILLEGAL_STATE);
    assert_string_equal(why, line);
    assert_int_equal(result.failures, 1);
}

static void body_that_behaves_well_passes(void **state)
{
    (void)state;
    if (sweep(NO_BUG) != CUDA_SUCCESS)
        fail_msg("%s", why);
    assert_string_equal(why, "");
    assert_int_equal(result.calls, CALLS);
    assert_int_equal(result.swept, 2 * CALLS);
    assert_int_equal(result.runs, 1 + 2 * (CALLS + 1));
    assert_int_equal(result.failures, 0);
}

/* `text` with each offset in a file as one `+0x`, and a row of them as one: they are the build's. */
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
    options.kinds = CUSHIM_SWEEP_ONCE;
    assert_int_equal(sweep(LEAKS_THE_EVENT), CUDA_ERROR_ILLEGAL_STATE);
    blur_places(why);
    assert_string_equal(
        why, "call 6 of the body (cuMemsetD8Async) answered CUDA_ERROR_UNKNOWN, once: 1 "
             "event not given back: event#1, by cuEventCreate, call 6 of thread 1, at " PLACE
             "; this run alone: first = last = 6, kinds = CUSHIM_SWEEP_ONCE\n");
}

static void ignored_error_is_found(void **state)
{
    (void)state;
    options.kinds = CUSHIM_SWEEP_ONCE;
    assert_found(IGNORES_THE_RECORD,
                 "call 7 of the body (cuEventRecord) answered CUDA_ERROR_UNKNOWN, once: the body "
                 "answered 1; this run alone: first = last = 7, kinds = CUSHIM_SWEEP_ONCE\n");
}

static void handle_destroyed_twice_is_found(void **state)
{
    (void)state;
    options.kinds = CUSHIM_SWEEP_ONCE;
    assert_found(DESTROYS_TWICE,
                 "call 7 of the body (cuEventRecord) answered CUDA_ERROR_UNKNOWN, once: violation: "
                 "cuEventDestroy_v2: the handle 0x6d63180001000002 is that of an event that was "
                 "destroyed; this run alone: first = last = 7, kinds = CUSHIM_SWEEP_ONCE\n");
}

static void context_left_on_the_stack_is_found(void **state)
{
    (void)state;
    options.kinds = CUSHIM_SWEEP_ONCE;
    options.functions = "cuMemAlloc_v2";
    assert_found(LEAVES_THE_CONTEXT,
                 "call 1 of the body (cuMemAlloc_v2) answered CUDA_ERROR_OUT_OF_MEMORY, once: a "
                 "context is left current; this run alone: first = last = 1, kinds = "
                 "CUSHIM_SWEEP_ONCE\n");
}

static void context_may_be_left_if_that_is_said(void **state)
{
    (void)state;
    options.kinds = CUSHIM_SWEEP_ONCE;
    options.functions = "cuMemAlloc_v2";
    options.leaves_context = true;
    assert_int_equal(sweep(LEAVES_THE_CONTEXT), CUDA_SUCCESS);
}

static void endless_poll_is_stopped_and_named(void **state)
{
    (void)state;
    options.limit = 100;
    options.functions = "cuEventQuery";
    options.first = options.last = 1;
    options.kinds = CUSHIM_SWEEP_FROM_THEN_ON;
    assert_found(POLLS_FOR_EVER,
                 "call 1 of the body (cuEventQuery) answered CUDA_ERROR_UNKNOWN, as did all from "
                 "then on: the body did not end within 100 calls; the next was cuEventQuery; this "
                 "run alone: first = last = 1, kinds = CUSHIM_SWEEP_FROM_THEN_ON\n");
    setup(NULL);
    options.limit = 100;
    options.kinds = CUSHIM_SWEEP_ONCE;
    assert_found(POLLS_ON_ERRORS_ONLY, "with no call failing: the body did not end within 100 "
                                       "calls; the next was cuEventQuery\n");
}

static void loop_that_nothing_ends_is_left(void **state)
{
    (void)state;
    options.limit = 100;
    options.kinds = CUSHIM_SWEEP_ONCE;
    options.functions = "cuEventRecord";
    assert_int_equal(sweep(NEVER_ENDS), CUDA_ERROR_ILLEGAL_STATE);
    assert_non_null(
        strstr(why, "the body did not end within 100 calls; the next was cuEventQuery"));
}

static void body_that_fails_by_itself_is_not_swept(void **state)
{
    (void)state;
    assert_found(FAILS_BY_ITSELF, "with no call failing: the body answered 1\n");
    assert_int_equal(result.runs, 1);
}

static void what_the_body_says_is_told(void **state)
{
    (void)state;
    options.kinds = CUSHIM_SWEEP_ONCE;
    assert_found(TELLS_WHAT_IS_WRONG,
                 "call 5 of the body (cuEventCreate) answered CUDA_ERROR_OUT_OF_MEMORY, once: the "
                 "body says: there is an event; this run alone: first = last = 5, kinds = "
                 "CUSHIM_SWEEP_ONCE\n");
}

static void failures_are_counted_and_the_first_kept(void **state)
{
    (void)state;
    options.message_size = 700;
    assert_int_equal(sweep(ALWAYS_WRONG_IF_FAILED), CUDA_ERROR_ILLEGAL_STATE);
    assert_int_equal(result.failures, 2 * CALLS);
    assert_non_null(strstr(why, "call 1 of the body (cuInit)"));
    assert_non_null(strstr(why, "call 4 of the body (cuMemAlloc_v2)"));
    assert_null(strstr(why, "call 5 of the body"));
    assert_non_null(strstr(why, "\nand 22 more\n"));
    options.message = NULL;
    assert_int_equal(sweep(ALWAYS_WRONG_IF_FAILED), CUDA_ERROR_ILLEGAL_STATE);
}

static void pattern_says_what_is_failed(void **state)
{
    (void)state;
    options.functions = "cuMem*";
    assert_int_equal(sweep(NO_BUG), CUDA_SUCCESS);
    assert_int_equal(result.calls, 3);
    assert_int_equal(result.swept, 6);
}

static void sweep_that_fails_nothing_is_wrong(void **state)
{
    (void)state;
    options.functions = "cuGraph*";
    assert_found(NO_BUG, "no call of the body failed: it makes none that is meant, or fewer than "
                         "`first`\n");
}

static void one_run_can_be_seen_alone(void **state)
{
    (void)state;
    options.first = options.last = 5;
    options.kinds = CUSHIM_SWEEP_FROM_THEN_ON;
    assert_int_equal(sweep(NO_BUG), CUDA_SUCCESS);
    assert_int_equal(result.runs, 2);
    assert_int_equal(result.swept, 1);
}

static void each_variant_is_swept_and_named(void **state)
{
    static const char *const variants[] = {"schedule = lazy", "schedule = random\nseed = 7", NULL};

    (void)state;
    options.settings = "devices = 2";
    options.variants = variants;
    assert_int_equal(sweep(NO_BUG), CUDA_SUCCESS);
    assert_int_equal(result.swept, 2 * 2 * CALLS);
    options.kinds = CUSHIM_SWEEP_ONCE;
    options.functions = "cuEventRecord";
    assert_int_equal(sweep(IGNORES_THE_RECORD), CUDA_ERROR_ILLEGAL_STATE);
    assert_int_equal(result.failures, 2);
    assert_non_null(strstr(why, "; mock: devices = 2, schedule = lazy; this run alone"));
    assert_non_null(strstr(why, "; mock: devices = 2, schedule = random, seed = 7; this run"));
}

static int answers_seen[8];
static size_t answers_count;

static int note_answers(void *data)
{
    const char *function = "";

    (void)data;
    cushim_driver()->Init(0);
    cushim_sweep_injected(&function);
    if (function)
        answers_seen[answers_count++] = (int)cushim_sweep_injected(NULL);
    return 0;
}

static void given_codes_are_answered_each(void **state)
{
    static const CUresult codes[] = {CUDA_ERROR_NO_DEVICE, CUDA_ERROR_ECC_UNCORRECTABLE};

    (void)state;
    options.codes = codes;
    options.code_count = 2;
    options.kinds = CUSHIM_SWEEP_ONCE;
    answers_count = 0;
    assert_int_equal(cushim_sweep(&options, note_answers, NULL, NULL), CUDA_SUCCESS);
    assert_int_equal(answers_count, 2);
    assert_int_equal(answers_seen[0], CUDA_ERROR_NO_DEVICE);
    assert_int_equal(answers_seen[1], CUDA_ERROR_ECC_UNCORRECTABLE);
}

static int ask_version(void *data)
{
    int version;

    (void)data;
    return cushim_driver()->Init(0) == CUDA_SUCCESS &&
           cushim_driver()->DriverGetVersion(&version) != CUDA_SUCCESS &&
           cushim_sweep_wrong("the version is told");
}

static void function_that_only_reads_is_failed_by_its_name_alone(void **state)
{
    (void)state;
    assert_int_equal(cushim_sweep(&options, ask_version, NULL, &result), CUDA_SUCCESS);
    assert_int_equal(result.calls, 1);
    options.limit = 2; /* which it does not pass */
    options.functions = "cuDriverGetVersion";
    options.kinds = CUSHIM_SWEEP_ONCE;
    assert_int_equal(cushim_sweep(&options, ask_version, NULL, &result), CUDA_ERROR_ILLEGAL_STATE);
    assert_string_equal(why, "call 1 of the body (cuDriverGetVersion) answered CUDA_ERROR_UNKNOWN, "
                             "once: the body says: the version is told; this run alone: first = "
                             "last = 1, kinds = CUSHIM_SWEEP_ONCE\n");
}

static int allocate(void *data)
{
    CUcontext context;

    return cushim_driver()->Init(0) || cushim_driver()->DevicePrimaryCtxRetain(&context, 0) ||
           cushim_driver()->CtxSetCurrent(context) || cushim_driver()->MemAlloc_v2(data, 4096);
}

/* What a capture that has failed leaves: no graph. */
static int capture(void *data)
{
    struct cushim_mock_state before = {.size = sizeof before}, after = before;
    CUgraph graph = NULL;
    CUstream stream;

    (void)data;
    if (cushim_driver()->StreamCreate(&stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS)
        return 0;
    cushim_mock_state_get(cushim_mock_current(), &before);
    cushim_driver()->StreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
    if (cushim_driver()->StreamEndCapture(stream, &graph) == CUDA_SUCCESS)
        cushim_driver()->GraphDestroy(graph);
    else if (graph)
        cushim_sweep_wrong("there is no graph");
    cushim_mock_state_get(cushim_mock_current(), &after);
    cushim_driver()->StreamDestroy_v2(stream);
    return before.handles == after.handles ? 0 : cushim_sweep_wrong("the graph is gone");
}

static void capture_that_fails_to_end_leaves_no_graph(void **state)
{
    CUdeviceptr memory;

    (void)state;
    options.setup = allocate;
    if (cushim_sweep(&options, capture, &memory, &result) != CUDA_SUCCESS)
        fail_msg("%s", why);
    assert_int_equal(result.calls, 5);
}

/* Two streams write to the same memory, and nobody waits for them. */
static int write_and_leave(void *data)
{
    CUdeviceptr *memory = data;
    CUstream one, other;

    if (cushim_driver()->StreamCreate(&one, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS)
        return 0;
    if (cushim_driver()->StreamCreate(&other, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS) {
        cushim_driver()->MemsetD8Async(*memory, 1, 4096, one);
        cushim_driver()->MemsetD8Async(*memory, 2, 4096, other);
        cushim_driver()->StreamDestroy_v2(other);
    }
    cushim_driver()->StreamDestroy_v2(one);
    return 0;
}

static void missing_wait_and_pending_work_are_found(void **state)
{
    CUdeviceptr memory;

    (void)state;
    options.settings = "mode = manual\nraces = report";
    options.setup = allocate;
    assert_int_equal(cushim_sweep(&options, write_and_leave, &memory, &result),
                     CUDA_ERROR_ILLEGAL_STATE);
    assert_non_null(strstr(why, "with no call failing: 2 operations are pending; race: set "));
    assert_non_null(strstr(why, "; mock: mode = manual, races = report\n"));
    assert_int_equal(result.failures, 1);
}

static unsigned setups, teardowns;

static int count_setup(void *data)
{
    (void)data;
    setups++;
    return cushim_driver()->Init(0) != CUDA_SUCCESS;
}

static void count_teardown(void *data)
{
    (void)data;
    teardowns++;
}

static int refuse_setup(void *data)
{
    (void)data;
    return 3;
}

static int retain_and_current(void *data)
{
    CUcontext context;

    (void)data;
    return cushim_driver()->Init(0) || cushim_driver()->DevicePrimaryCtxRetain(&context, 0) ||
           cushim_driver()->CtxSetCurrent(context);
}

/* Its reference is left if there is no memory. */
static int retain_once_more(void *data)
{
    CUcontext context;
    CUdeviceptr memory;

    (void)data;
    cushim_driver()->DevicePrimaryCtxRetain(&context, 0);
    if (cushim_driver()->MemAlloc_v2(&memory, 1) != CUDA_SUCCESS)
        return 0;
    cushim_driver()->MemFree_v2(memory);
    cushim_driver()->DevicePrimaryCtxRelease_v2(0);
    return 0;
}

static void release_twice(void *data)
{
    (void)data;
    cushim_driver()->DevicePrimaryCtxRelease_v2(0);
    cushim_driver()->DevicePrimaryCtxRelease_v2(0);
}

static void calls_of_setup_and_teardown_are_not_failed(void **state)
{
    (void)state;
    setups = teardowns = 0;
    options.setup = count_setup;
    options.teardown = count_teardown;
    assert_int_equal(sweep(NO_BUG), CUDA_SUCCESS);
    assert_int_equal(result.calls, CALLS);
    assert_int_equal(setups, result.runs);
    assert_int_equal(teardowns, result.runs);
    options.setup = refuse_setup;
    assert_int_equal(sweep(NO_BUG), CUDA_ERROR_ILLEGAL_STATE);
    assert_string_equal(why, "the setup answered 3\n");
    assert_int_equal(result.runs, 0);
}

static void options_that_cannot_be_are_refused_by_name(void **state)
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
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        options = cases[i].options;
        options.size = sizeof options;
        options.message = why;
        options.message_size = sizeof why;
        assert_int_equal(sweep(NO_BUG), CUDA_ERROR_INVALID_VALUE);
        assert_string_equal(why, cases[i].why);
    }
    setup(NULL);
    options.settings = "device = 1";
    assert_int_equal(sweep(NO_BUG), CUDA_ERROR_INVALID_VALUE);
    assert_non_null(strstr(why, "there is no key \"device\""));
    options.size = 1;
    assert_int_equal(sweep(NO_BUG), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cushim_sweep(NULL, NULL, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
}

static void mock_or_layer_of_somebody_else_is_not_taken(void **state)
{
    struct cushim_mock *mock = NULL;

    (void)state;
    assert_int_equal(cushim_mock_create(NULL, &mock), CUDA_SUCCESS);
    assert_int_equal(sweep(NO_BUG), CUDA_ERROR_ALREADY_ACQUIRED);
    assert_ptr_equal(cushim_mock_current(), mock);
    assert_int_equal(cushim_mock_destroy(mock), CUDA_SUCCESS);
}

static void body_with_threads_is_swept(void **state)
{
    enum bug bug = NO_BUG;

    (void)state;
    if (cushim_sweep(&options, sweep_two_threads, &bug, &result) != CUDA_SUCCESS)
        fail_msg("%s", why);
    assert_true(result.calls > CALLS); /* how often they poll is theirs */
}

/* The table of a mock stands for a driver: nobody asks the mock. */
static void table_of_ones_own_is_swept(void **state)
{
    struct cushim_mock *mock = NULL;
    const struct cushim_table *before = cushim_driver();

    (void)state;
    assert_int_equal(cushim_mock_create(NULL, &mock), CUDA_SUCCESS);
    options.table = cushim_mock_table(mock);
    if (sweep(NO_BUG) != CUDA_SUCCESS)
        fail_msg("%s", why);
    assert_int_equal(result.swept, 2 * CALLS);
    assert_int_equal(sweep(LEAKS_THE_EVENT), CUDA_ERROR_ILLEGAL_STATE);
    assert_int_equal(result.failures, 2);
    assert_non_null(strstr(why, "1 event not given back: event#1, by cuEventCreate"));
    assert_ptr_equal(cushim_driver(), before);
    assert_ptr_equal(cushim_mock_current(), mock);
    assert_int_equal(cushim_mock_destroy(mock), CUDA_SUCCESS);
    options.settings = "devices = 2";
    assert_int_equal(sweep(NO_BUG), CUDA_ERROR_INVALID_VALUE);
    assert_string_equal(why, "table goes without a mock, and so without settings\n");
}

static void reference_on_a_context_is_a_leak(void **state)
{
    (void)state;
    options.functions = "cuMemAlloc_v2";
    options.kinds = CUSHIM_SWEEP_ONCE;
    options.setup = retain_and_current;
    options.teardown = release_twice;
    assert_int_equal(cushim_sweep(&options, retain_once_more, NULL, &result),
                     CUDA_ERROR_ILLEGAL_STATE);
    assert_non_null(
        strstr(why, "the primary context of device 0 is retained and not released; this run"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(body_that_behaves_well_passes),
        TEST(leak_is_found_although_its_context_is_gone),
        TEST(ignored_error_is_found),
        TEST(handle_destroyed_twice_is_found),
        TEST(context_left_on_the_stack_is_found),
        TEST(context_may_be_left_if_that_is_said),
        TEST(endless_poll_is_stopped_and_named),
        TEST(loop_that_nothing_ends_is_left),
        TEST(body_that_fails_by_itself_is_not_swept),
        TEST(what_the_body_says_is_told),
        TEST(failures_are_counted_and_the_first_kept),
        TEST(pattern_says_what_is_failed),
        TEST(sweep_that_fails_nothing_is_wrong),
        TEST(one_run_can_be_seen_alone),
        TEST(each_variant_is_swept_and_named),
        TEST(given_codes_are_answered_each),
        TEST(function_that_only_reads_is_failed_by_its_name_alone),
        TEST(capture_that_fails_to_end_leaves_no_graph),
        TEST(missing_wait_and_pending_work_are_found),
        TEST(calls_of_setup_and_teardown_are_not_failed),
        TEST(options_that_cannot_be_are_refused_by_name),
        TEST(mock_or_layer_of_somebody_else_is_not_taken),
        TEST(body_with_threads_is_swept),
        TEST(table_of_ones_own_is_swept),
        TEST(reference_on_a_context_is_a_leak),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
