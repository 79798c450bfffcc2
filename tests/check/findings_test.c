/* SPDX-License-Identifier: Apache-2.0 */
/* How check treats its findings: call sites, counts, suppressions, expectations and verdicts. */

#include <cushim/testing/check.h>

#include "src/base/system.h"
#include "src/check/check.h"
#include "tests/layer/testkit.h"

static char said[8192], message[300];

static int setup(void **state)
{
    testkit_begin(&(struct cushim_test_options){
        .size = sizeof(struct cushim_test_options), .settings = "mode = auto", .context = true});
    return 0;
}

static int teardown(void **state)
{
    if (testkit && testkit_end() != CUDA_SUCCESS)
        fail_msg("%s", testkit_text);
    return 0;
}

static CUresult start(const char *settings, const char *suppressions)
{
    return cushim_check_start(
        layer, &(struct cushim_check_options){.size = sizeof(struct cushim_check_options),
                                              .settings = settings,
                                              .suppressions = suppressions,
                                              .message = message,
                                              .message_size = sizeof message});
}

static CUevent destroyed_event(void)
{
    CUevent event;

    OK(driver->EventCreate(&event, 0));
    OK(driver->EventDestroy_v2(event));
    return event;
}

static void query_destroyed_event(void)
{
    CODE(CUDA_ERROR_INVALID_HANDLE, driver->EventQuery(destroyed_event()));
}

/* Stop check, and assert that the findings contain all of these texts. */
static void assert_said(const char *const *parts)
{
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_check_stop(layer, said, sizeof said));
    for (; *parts; parts++) {
        if (!strstr(said, *parts))
            fail_msg("'%s' is not in: %s", *parts, said);
    }
}

#define TEST(name) TEST_BETWEEN(name, setup, teardown)

TEST(finding_has_the_call_its_objects_life_the_rule_and_the_cure)
{
    static const char *const parts[] = {
        "CUSHIM-event-destroyed: error: cuEventQuery is given event#1, which was destroyed",
        "; in cuEventQuery(hEvent=destroyed event#1), call 6 of thread 1, at ",
        "; made by cuEventCreate, call 4 of thread 1, at ",
        "; ended by cuEventDestroy_v2, call 5 of thread 1, at ",
        "; rule: The driver crashes or returns 709. (driver-semantics.md, statement 78)",
        "; cure: Destroy an event only after the last call that uses it",
        NULL};

    OK(start(NULL, NULL));
    query_destroyed_event();
    assert_said(parts);
}

TEST(place_is_found_once_however_often_it_is_there)
{
    static const char *const parts[] = {"; 3 times\n", NULL};

    OK(start(NULL, NULL));
    /* Volatile, so that the compiler does not unroll the loop to three call sites. */
    for (volatile int i = 0; i < 3; i++)
        query_destroyed_event();
    assert_int_equal(cushim_check_count(layer, NULL), 1);
    query_destroyed_event();
    assert_int_equal(cushim_check_count(layer, NULL), UNWINDS ? 2 : 1);
    assert_int_equal(cushim_check_count(layer, "CUSHIM-stream-destroyed"), 0);
    if (UNWINDS)
        assert_said(parts);
    else
        CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_check_stop(layer, NULL, 0));
}

TEST(suppressed_finding_is_not_reported)
{
    static const char *const suppressions[] = {
        "CUSHIM-event-destroyed",
        "CUSHIM-event-* cuEventQuery",
        "# a comment\n\nCUSHIM-* * *findings_test*\n",
        "CUSHIM-stream-destroyed\nCUSHIM-event-destroyed cuEvent*",
    };

    for (size_t i = 0; i < COUNT(suppressions) - !UNWINDS; i++) {
        OK(start(NULL, suppressions[i]));
        query_destroyed_event();
        assert_int_equal(cushim_check_count(layer, NULL), 0);
        OK(cushim_check_stop(layer, said, sizeof said));
        assert_string_equal(said, "");
    }
}

TEST(suppression_of_something_else_changes_nothing)
{
    static const char *const suppressions[] = {
        "CUSHIM-stream-destroyed",
        "CUSHIM-event-destroyed cuEventRecord",
        "CUSHIM-event-destroyed cuEventQuery libnothing.so*",
    };

    for (size_t i = 0; i < COUNT(suppressions); i++) {
        OK(start(NULL, suppressions[i]));
        query_destroyed_event();
        CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_check_stop(layer, said, sizeof said));
    }
}

/* Query a destroyed event from a thousand call sites. */
static void query_in_a_thousand_places(CUevent event)
{
#define TEN(call) call call call call call call call call call call
    TEN(TEN(TEN(driver->EventQuery(event);)))
#undef TEN
}

static unsigned mores;

static void count_more(const char *text)
{
    mores += strstr(text, "more than 1000 findings were made") != NULL;
}

TEST(suppressed_findings_leave_room_for_others)
{
    if (!UNWINDS)
        skip(); /* without unwinding, a function is one call site */
    OK(start(NULL, "CUSHIM-event-destroyed cuEventQuery"));
    query_in_a_thousand_places(destroyed_event());
    query_in_a_thousand_places(destroyed_event());
    CODE(CUDA_ERROR_INVALID_HANDLE, driver->EventSynchronize(destroyed_event()));
    assert_int_equal(cushim_check_count(layer, NULL), 1);
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_check_stop(layer, NULL, 0));
}

TEST(more_than_is_kept_is_said_once)
{
    if (!UNWINDS)
        skip(); /* without unwinding, a function is one call site */
    mores = 0;
    OK(start(NULL, NULL));
    cushim__check_options.print = count_more;
    query_in_a_thousand_places(destroyed_event());
    assert_int_equal(cushim_check_count(layer, NULL), 1000);
    assert_int_equal(mores, 0);
    query_in_a_thousand_places(destroyed_event());
    assert_int_equal(cushim_check_count(layer, NULL), 1000);
    assert_int_equal(mores, 1);
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_check_stop(layer, NULL, 0));
}

/* After exec(), the process has the report file of the previous program. */
TEST(report_keeps_what_stands_in_it)
{
    char name[300], program[100], expected[300], text[8192];
    size_t length;
    FILE *file;

    cushim__system_program_name(program, sizeof program);
    CONTAINS(program, "findings");
    snprintf(expected, sizeof expected,
             "earlier\tone\nprogram\t%s\nCUSHIM-event-destroyed\terror\t3\terror: ", program);
    snprintf(name, sizeof name, "check-findings-report.%lu",
             (unsigned long)cushim__system_process_id());
    file = fopen(name, "w");
    assert_non_null(file);
    fputs("earlier\tone\n", file);
    fclose(file);
    OK(start(NULL, NULL));
    cushim__check_options.report = "check-findings-report";
    for (volatile int i = 0; i < 3; i++)
        query_destroyed_event();
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_check_stop(layer, NULL, 0));
    file = fopen(name, "r");
    assert_non_null(file);
    length = fread(text, 1, sizeof text - 1, file);
    text[length] = '\0';
    fclose(file);
    remove(name);
    assert_ptr_equal(strstr(text, expected), text);
    CONTAINS(text, "; 3 times\n");
    LACKS(strstr(text, "CUSHIM-") + 1, "CUSHIM-");
}

TEST(expected_findings_are_no_failure)
{
    OK(start("expect = CUSHIM-event-destroyed:1", NULL));
    query_destroyed_event();
    OK(cushim_check_stop(layer, said, sizeof said));
}

TEST(other_number_of_findings_than_expected_is_a_failure)
{
    static const char *const fewer[] = {
        "1 finding of CUSHIM-stream-destroyed was expected, and there are 0\n", NULL};
    static const char *const more[] = {
        "CUSHIM-event-destroyed: error: ",
        "0 findings of CUSHIM-event-destroyed were expected, and there is 1\n", NULL};

    OK(start("expect = CUSHIM-stream-destroyed:1", NULL));
    assert_said(fewer);
    OK(start("expect = CUSHIM-event-destroyed:0", NULL));
    query_destroyed_event();
    assert_said(more);
}

TEST(level_leaves_out_what_is_below_it)
{
    char memory[64];

    for (int is_error = 0; is_error < 2; is_error++) {
        OK(start(is_error ? "level = error" : NULL, NULL));
        OK(driver->MemHostRegister_v2(memory, sizeof memory, 0));
        OK(driver->MemHostUnregister(memory));
        CODE(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, driver->MemHostUnregister(memory));
        CODE(is_error ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_STATE,
             cushim_check_stop(layer, said, sizeof said));
    }
}

TEST(findings_are_in_the_verdict_of_a_test)
{
    OK(start(NULL, NULL));
    query_destroyed_event();
    CODE(CUDA_ERROR_ILLEGAL_STATE, testkit_end());
    CONTAINS(testkit_text, "cushim: error: CUSHIM-event-destroyed: ");
}

TEST(leak_does_not_say_that_its_object_was_ended)
{
    CUcontext context;

    OK(start("leaks = on", NULL));
    OK(driver->DevicePrimaryCtxRetain(&context, 0));
    OK(driver->DevicePrimaryCtxRelease_v2(0));
    OK(driver->DevicePrimaryCtxRetain(&context, 0));
    assert_said((const char *const[]){"CUSHIM-leak-context", NULL});
    LACKS(said, "ended by");
    OK(driver->DevicePrimaryCtxRelease_v2(0));
}

TEST(call_that_a_fault_answers_has_ended_nothing)
{
    CUevent event;

    OK(start(NULL, NULL));
    OK(cushim_fault_add_rules(layer, "cuEventDestroy_v2:nth=1 => return(NOT_PERMITTED)", NULL, 0));
    OK(driver->EventCreate(&event, 0));
    CODE(CUDA_ERROR_NOT_PERMITTED, driver->EventDestroy_v2(event));
    OK(driver->EventQuery(event));
    OK(driver->EventDestroy_v2(event));
    OK(cushim_check_stop(layer, said, sizeof said));
}

TEST(options_that_mean_nothing_are_refused_with_their_place)
{
    static const struct {
        const char *settings, *suppressions, *message;
    } rows[] = {
        {"level = all", NULL, "settings:1:9: level is error, warning or advice"},
        {"leaks = yes", NULL, "settings:1:9: leaks is on or off"},
        {"\nlet_through = 1", NULL, "settings:2:15: let_through is on or off"},
        {"promise = new", NULL,
         "settings:1:11: promise is a version of CUDA, such as 12.2, not \"new\""},
        {"expect = CUSHIM-event-destroyed", NULL, "settings:1:10: expect is an id and a number"},
        {"expect = CUSHIM-nothing:1", NULL, "settings:1:10: there is no id \"CUSHIM-nothing\""},
        {"speed = 1", NULL, "settings:1:1: there is no setting \"speed\" of a check"},
        {NULL, "CUSHIM-nothing", "suppressions:1:1: there is no id CUSHIM-nothing"},
        {NULL, "\nCUSHIM-* a b c", "suppressions:2:14: a line has an id, a function and a frame"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        CODE(CUDA_ERROR_INVALID_VALUE, start(rows[i].settings, rows[i].suppressions));
        if (strncmp(message, rows[i].message, strlen(rows[i].message)) != 0)
            fail_msg("%s: %s", rows[i].message, message);
    }
    OK(start(NULL, NULL));
    CODE(CUDA_ERROR_ALREADY_ACQUIRED, start(NULL, NULL));
    OK(cushim_check_stop(layer, NULL, 0));
    OK(cushim_check_stop(layer, NULL, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_check_stop(NULL, NULL, 0));
    assert_int_equal(cushim_check_count(layer, NULL), 0);
}
