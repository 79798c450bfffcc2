/* SPDX-License-Identifier: Apache-2.0 */
/* Fault rules: their text, what is refused and where, and when a rule fires. */

#include <cushim/testing/layer.h>

#include "fixture.h"
#include "loader/versions.h"
#include "src/layer/fault.h"
#include "src/layer/layer.h"

static char message[400];

static CUresult read(struct cushim__fault_rule *rule, const char *text)
{
    struct cushim__lines lines;

    cushim__lines_begin(&lines, text, "faults", message, sizeof message);
    return cushim__fault_rule_parse(rule, &(struct cushim__word){text, strlen(text)}, &lines);
}

#define TEST(name) TEST_BETWEEN(name, layer_setup, layer_teardown)

/* The members of a parsed rule, and its original text. */
TEST_ALONE(rule_is_read_by_its_parts)
{
    static const struct {
        const char *text;
        struct cushim__fault_rule rule;
    } cases[] = {
        {"cuMemAlloc_v2@dev0:nth=3 => return(OUT_OF_MEMORY)",
         {.site = "cuMemAlloc_v2", .device = 0, .nth = 3, .code = CUDA_ERROR_OUT_OF_MEMORY}},
        {"cuMem*:p=0.01,times=2 => sticky(ECC_UNCORRECTABLE)",
         {.site = "cuMem*",
          .device = -1,
          .probability = 10000000,
          .times = 2,
          .effect = CUSHIM__FAULT_STICKY,
          .code = CUDA_ERROR_ECC_UNCORRECTABLE}},
        {"*:after=4,every=3,p=0.5,seed=7,times=1,phase=after => return(600)",
         {.site = "*",
          .device = -1,
          .after = 4,
          .every = 3,
          .probability = 500000000,
          .seed = 7,
          .times = 1,
          .phase = CUSHIM__FAULT_AFTER,
          .code = CUDA_ERROR_NOT_READY}},
        {"cuInit\t=>\tout_of_memory",
         {.site = "cuInit", .device = -1, .code = CUDA_ERROR_OUT_OF_MEMORY}},
        {"cuInit:phase=before => return( CUDA_ERROR_NO_DEVICE )",
         {.site = "cuInit", .device = -1, .code = CUDA_ERROR_NO_DEVICE}},
        {"cuInit => return(9999)", {.site = "cuInit", .device = -1, .code = (CUresult)9999}},
        {"cuInit=>lost",
         {.site = "cuInit",
          .device = -1,
          .effect = CUSHIM__FAULT_LOST,
          .code = CUDA_ERROR_UNKNOWN}},
        {"cuInit => lost(ILLEGAL_ADDRESS)",
         {.site = "cuInit",
          .device = -1,
          .effect = CUSHIM__FAULT_LOST,
          .code = CUDA_ERROR_ILLEGAL_ADDRESS}},
        {"cuInit => delay(1500 ns)",
         {.site = "cuInit", .device = -1, .effect = CUSHIM__FAULT_DELAY, .delay_ns = 1500}},
        {"cuInit => delay(2000us)",
         {.site = "cuInit", .device = -1, .effect = CUSHIM__FAULT_DELAY, .delay_ns = 2000000}},
        {"cuInit => delay(1000 s)",
         {.site = "cuInit",
          .device = -1,
          .effect = CUSHIM__FAULT_DELAY,
          .delay_ns = 1000000000000}},
        {"cuGraph* => missing",
         {.site = "cuGraph*", .device = -1, .effect = CUSHIM__FAULT_MISSING}},
        {"* => older(11.8)",
         {.site = "*", .device = -1, .effect = CUSHIM__FAULT_OLDER, .version = 11080}},
        {"* => older(11080)",
         {.site = "*", .device = -1, .effect = CUSHIM__FAULT_OLDER, .version = 11080}},
        {"op.*@dev63 : every = 2 , times = 5 => delay(1 us)",
         {.site = "op.*",
          .is_operation = true,
          .device = 63,
          .every = 2,
          .times = 5,
          .effect = CUSHIM__FAULT_DELAY,
          .delay_ns = 1000}},
        {"op.kernel => hang",
         {.site = "op.kernel", .is_operation = true, .device = -1, .effect = CUSHIM__FAULT_HANG}},
        {"cuInit:p=1.000000000 => hang",
         {.site = "cuInit",
          .device = -1,
          .probability = CUSHIM__FAULT_CERTAIN,
          .effect = CUSHIM__FAULT_HANG}},
        {"cuInit:p=0.000000001 => hang",
         {.site = "cuInit", .device = -1, .probability = 1, .effect = CUSHIM__FAULT_HANG}},
        {"cuInit:p=.25 => hang",
         {.site = "cuInit", .device = -1, .probability = 250000000, .effect = CUSHIM__FAULT_HANG}},
        {"cuInit:nth=18446744073709551615 => hang",
         {.site = "cuInit", .device = -1, .nth = UINT64_MAX, .effect = CUSHIM__FAULT_HANG}},
    };
    struct cushim__fault_rule rule;

    for (size_t i = 0; i < COUNT(cases); i++) {
        if (read(&rule, cases[i].text) != CUDA_SUCCESS)
            fail_msg("%s: %s", cases[i].text, message);
        assert_string_equal(message, "");
        assert_string_equal(rule.text, cases[i].text);
        rule.parts = 0;
        memset(rule.text, 0, sizeof rule.text);
        assert_memory_equal(&rule, &cases[i].rule, sizeof rule);
    }
}

TEST_ALONE(longest_rule_has_room)
{
    static const char site[] = "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags";
    char text[CUSHIM__FAULT_TEXT + 1], long_site[CUSHIM__FAULT_SITE];
    struct cushim__fault_rule rule;

    memset(long_site, '*', sizeof long_site - 1);
    long_site[sizeof long_site - 1] = '\0';
    memcpy(long_site, site, sizeof site - 1);
    snprintf(text, sizeof text,
             "%s@dev63:after=18446744073709551615,every=18446744073709551615,p=0.123456789,"
             "seed=18446744073709551615,times=18446744073709551615,phase=after => "
             "sticky(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED)",
             long_site);
    assert_int_equal(read(&rule, text), CUDA_SUCCESS);
    assert_string_equal(rule.text, text);
}

TEST_ALONE(longer_text_of_a_rule_is_cut_where_it_is_shown)
{
    char text[2 * CUSHIM__FAULT_TEXT];
    struct cushim__fault_rule rule;

    snprintf(text, sizeof text, "cuInit%*s=> hang", CUSHIM__FAULT_TEXT, "");
    assert_int_equal(read(&rule, text), CUDA_SUCCESS);
    assert_int_equal(rule.effect, CUSHIM__FAULT_HANG);
    assert_int_equal(strlen(rule.text), CUSHIM__FAULT_TEXT - 1);
}

TEST_ALONE(what_cannot_be_is_refused_where_it_stands)
{
    static const char *const rules[][2] = {
        {"", "1: a rule is `site => effect`"},
        {"cuInit", "7: a rule is `site => effect`"},
        {"cuInit:nth=3", "13: a rule is `site => effect`"},
        {"cuInit -> return(UNKNOWN)", "8: \"=>\" is missing: a rule is `site => effect`"},
        {"cuInit:nth=3 return(UNKNOWN)", "20: \"=>\" is missing: a rule is `site => effect`"},
        {"=> hang", "1: a rule is `site => effect`"},
        {"cuInit =>", "10: behind => comes an effect"},
        {"cuMemAloc_v2 => hang",
         "1: there is no function \"cuMemAloc_v2\"; did you mean \"cuMemAlloc_v2\"?"},
        {"gibberish_of_all_kinds => hang", "1: there is no function \"gibberish_of_all_kinds\""},
        {"cu Init => hang", "1: there is no function \"cu Init\"; did you mean \"cuInit\"?"},
        {"cuFoo* => hang", "1: no function is like \"cuFoo*\""},
        {"op.cpy => hang", "4: there is no kind of operations \"cpy\"; did you mean \"copy\"?"},
        {"op.c* => hang", "4: there is no kind of operations \"c*\""},
        {"op. => hang", "4: there is no kind of operations \"\""},
        {"cuInit@gpu0 => hang",
         "8: what follows \"@\" is dev and a number from 0 to 63, not \"gpu0\""},
        {"cuInit@dev => hang",
         "8: what follows \"@\" is dev and a number from 0 to 63, not \"dev\""},
        {"cuInit@dev64 => hang",
         "8: what follows \"@\" is dev and a number from 0 to 63, not \"dev64\""},
        {"cuInit@ => hang", "8: what follows \"@\" is dev and a number from 0 to 63, not \"\""},
        {"cuInit: => hang", "8: there is no condition \"\""},
        {"cuInit:evry=3 => hang", "8: there is no condition \"evry\"; did you mean \"every\"?"},
        {"cuInit:after=1,,every=2 => hang", "16: there is no condition \"\""},
        {"cuInit:nth => hang", "8: nth lacks its value"},
        {"cuInit:nth= => hang", "8: nth lacks its value"},
        {"cuInit:nth=0 => hang", "12: nth is a whole number from 1 on, below 2^64, not \"0\""},
        {"cuInit:nth=3x => hang", "12: nth is a whole number from 1 on, below 2^64, not \"3x\""},
        {"cuInit:times=-1 => hang",
         "14: times is a whole number from 1 on, below 2^64, not \"-1\""},
        {"cuInit:nth=18446744073709551616 => hang",
         "12: nth is a whole number from 1 on, below 2^64, not \"18446744073709551616\""},
        {"cuInit:every=2,every=2 => hang", "16: every is said twice"},
        {"cuInit:p=0 => hang",
         "10: p is above 0 and at most 1, with 9 decimals at most, as 0.01, not \"0\""},
        {"cuInit:p=1.1 => hang",
         "10: p is above 0 and at most 1, with 9 decimals at most, as 0.01, not \"1.1\""},
        {"cuInit:p=0.0000000001 => hang",
         "10: p is above 0 and at most 1, with 9 decimals at most, as 0.01, not \"0.0000000001\""},
        {"cuInit:p=1e-3 => hang",
         "10: p is above 0 and at most 1, with 9 decimals at most, as 0.01, not \"1e-3\""},
        {"cuInit:p=. => hang",
         "10: p is above 0 and at most 1, with 9 decimals at most, as 0.01, not \".\""},
        {"cuInit:p=11 => hang",
         "10: p is above 0 and at most 1, with 9 decimals at most, as 0.01, not \"11\""},
        {"cuInit:phase=during => hang", "14: phase is before or after, not \"during\""},
        {"cuInit:nth=2,after=3 => hang",
         "14: nth means one match alone, so after does not go with it"},
        {"cuInit:times=2,nth=2 => hang",
         "8: nth means one match alone, so times does not go with it"},
        {"cuInit:nth=2,every=3 => hang",
         "14: nth means one match alone, so every does not go with it"},
        {"cuInit:p=0.5,nth=2 => hang", "8: nth means one match alone, so p does not go with it"},
        {"cuInit:seed=2 => hang", "8: seed is that of p, which is not said"},
        {"cuInit => retrun(1)", "11: there is no effect \"retrun\"; did you mean \"return\"?"},
        {"cuInit => return", "11: return lacks its argument, as in return(OUT_OF_MEMORY)"},
        {"cuInit => delay", "11: delay lacks its argument, as in delay(5 ms)"},
        {"cuInit => return(OUT_OF_MEMROY)",
         "18: there is no error \"OUT_OF_MEMROY\"; did you mean \"OUT_OF_MEMORY\"?"},
        {"cuInit => return(CUDA_ERROR_OUT_OF_MEMROY)",
         "18: there is no error \"CUDA_ERROR_OUT_OF_MEMROY\"; did you mean \"OUT_OF_MEMORY\"?"},
        {"cuInit => return(CUDA_SUCCESS)", "18: there is no error \"CUDA_SUCCESS\""},
        {"cuInit => return()",
         "18: the code is an error by its name or by its number from 1 to 9999, not \"\""},
        {"cuInit => return(0)",
         "18: the code is an error by its name or by its number from 1 to 9999, not \"0\""},
        {"cuInit => sticky(10000)",
         "18: the code is an error by its name or by its number from 1 to 9999, not \"10000\""},
        {"cuInit => delay(0)",
         "17: the delay is a duration from 1 ns to 1000 s, as 5 ms, not \"0\""},
        {"cuInit => delay(5)", "17: the delay is a duration from 1 ns to 1000 s, as 5 ms, not "
                               "\"5\"; did you mean \"5 s\", \"5 ms\" or \"5 ns\"?"},
        {"cuInit => delay(1001 s)",
         "17: the delay is a duration from 1 ns to 1000 s, as 5 ms, not \"1001 s\""},
        {"cuInit => delay(5 min)",
         "17: the delay is a duration from 1 ns to 1000 s, as 5 ms, not \"5 min\""},
        {"cuInit => older(9.2)",
         "17: the version is one of CUDA from 10.0 to " CUSHIM__NEWEST_VERSION_TEXT
         ", as 11.8 or 11080, not \"9.2\""},
        {"cuInit => older(99.0)",
         "17: the version is one of CUDA from 10.0 to " CUSHIM__NEWEST_VERSION_TEXT
         ", as 11.8 or 11080, not \"99.0\""},
        {"cuInit => hang(1)", "15: hang takes nothing in parentheses"},
        {"cuInit => out_of_memory()", "24: out_of_memory takes nothing in parentheses"},
        {"cuInit => return(1", "19: the argument lacks its closing parenthesis"},
        {"cuInit => return(1) twice", "21: \"twice\" is behind the rule"},
        {"cuInit => hang twice", "11: there is no effect \"hang twice\""},
        {"cuInit => return(1))", "20: \")\" is behind the rule"},
        {"op.copy => return(1)", "12: an operation can have sticky, lost, delay or hang"},
        {"op.copy => missing", "12: an operation can have sticky, lost, delay or hang"},
        {"op.copy => older(12.0)", "12: an operation can have sticky, lost, delay or hang"},
        {"op.copy:phase=before => hang", "9: phase is of calls, and an operation is none"},
        {"cuInit:times=3 => missing",
         "8: missing and older hold from the beginning, so they take no conditions"},
        {"cuInit:phase=after => older(12.0)",
         "8: missing and older hold from the beginning, so they take no conditions"},
        {"cuInit@dev1 => missing", "8: missing and older are of the driver, not of a device"},
    };
    struct cushim__fault_rule rule;
    char expected[300];

    for (size_t i = 0; i < COUNT(rules); i++) {
        assert_int_equal(read(&rule, rules[i][0]), CUDA_ERROR_INVALID_VALUE);
        snprintf(expected, sizeof expected, "faults:1:%s", rules[i][1]);
        if (strcmp(message, expected) != 0)
            fail_msg("%s: %s", rules[i][0], message);
    }
}

TEST_ALONE(site_that_is_too_long_is_refused)
{
    char text[CUSHIM__FAULT_SITE + 16];
    struct cushim__fault_rule rule;

    memset(text, '*', CUSHIM__FAULT_SITE);
    memcpy(text + CUSHIM__FAULT_SITE, " => hang", sizeof " => hang");
    assert_int_equal(read(&rule, text), CUDA_ERROR_INVALID_VALUE);
    assert_string_equal(message, "faults:1:1: a site is at most 95 characters long");
    assert_int_equal(read(&rule, text + 1), CUDA_SUCCESS);
}

/* Any byte at any place of a rule: the parser returns, and gives a reason if it refuses. */
TEST_ALONE(any_bytes_are_read_or_refused)
{
    static const char good[] = "cuMem*@dev1:after=3,p=0.5 => return(OUT_OF_MEMORY)";
    struct cushim__fault_rule rule;
    char text[sizeof good];

    for (size_t at = 0; at < sizeof good - 1; at++) {
        for (int byte = 1; byte < 256; byte++) {
            memcpy(text, good, sizeof good);
            text[at] = (char)byte;
            if (read(&rule, text) != CUDA_SUCCESS)
                assert_memory_equal(message, "faults:1:", 9);
        }
    }
}

/* Whether each of the first matches fires, as a text of `.` and `!`. */
static void run(const char *rule_text, char *fired, size_t matches)
{
    struct cushim__fault_rule rule;
    struct cushim__fault_state counted = {.matched = 0};

    assert_int_equal(read(&rule, rule_text), CUDA_SUCCESS);
    counted.random = rule.seed;
    for (size_t i = 0; i < matches; i++) {
        const bool is_due = cushim__fault_match(&counted, &rule);

        counted.fired += is_due;
        fired[i] = is_due ? '!' : '.';
    }
    fired[matches] = '\0';
    assert_int_equal(counted.matched, matches);
}

TEST_ALONE(conditions_say_which_matches_fire)
{
    static const char *const rules[][2] = {
        {"* => hang", "!!!!!!!!!!"},         {"*:nth=1 => hang", "!........."},
        {"*:nth=10 => hang", ".........!"},  {"*:nth=11 => hang", ".........."},
        {"*:after=3 => hang", "...!!!!!!!"}, {"*:every=3 => hang", "..!..!..!."},
        {"*:every=1 => hang", "!!!!!!!!!!"}, {"*:after=2,every=3 => hang", "....!..!.."},
        {"*:times=2 => hang", "!!........"}, {"*:after=1,every=2,times=3 => hang", "..!.!.!..."},
        {"*:p=1 => hang", "!!!!!!!!!!"},     {"*:p=1,times=1 => hang", "!........."},
    };
    char fired[11];

    for (size_t i = 0; i < COUNT(rules); i++) {
        run(rules[i][0], fired, 10);
        assert_string_equal(fired, rules[i][1]);
    }
}

TEST_ALONE(probability_goes_by_the_seed_alone)
{
    char first[2001], second[2001];
    size_t count = 0;

    run("*:p=0.1,seed=5 => hang", first, 2000);
    run("*:p=0.1,seed=5 => hang", second, 2000);
    assert_string_equal(first, second);
    run("*:p=0.1,seed=6 => hang", second, 2000);
    assert_string_not_equal(first, second);
    for (size_t i = 0; i < 2000; i++)
        count += first[i] == '!';
    assert_in_range(count, 150, 250);
}

/* The rules of a layer: how they are added, listed and removed. */

/* The text of a rule of the layer, as it was given; NULL: there are fewer rules. */
static const char *rule_text(size_t index)
{
    return index < cushim__faults.count ? cushim__faults.rules[index].text : NULL;
}

/* Assert that these rules are refused with this message. */
static void assert_refused(struct cushim_layer *layer, const char *rules, const char *why)
{
    CODE(CUDA_ERROR_INVALID_VALUE,
         cushim_fault_add_rules(layer, rules, fault_message, sizeof fault_message));
    assert_string_equal(fault_message, why);
}

TEST(rules_are_reported_and_so_is_which_never_fired)
{
    fault_add(state, "# a comment\n"
                     "\n"
                     "cuMemAlloc_v2:nth=30 => out_of_memory   # and one behind a rule\n"
                     "cuEventQuery:nth=1=>return(999)\n"
                     "cuEventQuery:nth=9 => hang\n"
                     "cuInit => return(1)\n");
    assert_string_equal(rule_text(0), "cuMemAlloc_v2:nth=30 => out_of_memory");
    assert_string_equal(rule_text(1), "cuEventQuery:nth=1=>return(999)");
    assert_null(rule_text(4));
    for (int i = 0; i < 4; i++)
        fault_allocate();
    fault_query();
    assert_string_equal(cushim_fault_unused(*state, 0),
                        "cuMemAlloc_v2:nth=30 => out_of_memory: matched 4 times, never fired");
    assert_string_equal(cushim_fault_unused(*state, 1),
                        "cuEventQuery:nth=9 => hang: matched once, never fired");
    assert_string_equal(cushim_fault_unused(*state, 2), "cuInit => return(1): never matched");
    assert_null(cushim_fault_unused(*state, 3));
    cushim_fault_clear(*state);
    assert_null(cushim_fault_unused(*state, 0));
    assert_null(rule_text(0));
    assert_int_equal(cushim__subscribed[CUSHIM__SLOT(EventQuery)], 0);
}

TEST(text_with_one_wrong_line_adds_nothing)
{
    assert_refused(*state,
                   "cuInit => hang\n"
                   "# a comment\n"
                   "  cuMemAlloc_v2 => return(OUT_OF_MEMROY)\n",
                   "faults:3:27: there is no error \"OUT_OF_MEMROY\"; did you mean "
                   "\"OUT_OF_MEMORY\"?");
    assert_null(rule_text(0));
    assert_refused(*state, "cuInit => ha\x01ng", "faults:1:13: a control character, of code 1");
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_fault_add_rules(*state, "cuInit", NULL, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_fault_add_rules(*state, NULL, NULL, 0));
}

TEST(more_than_64_rules_are_refused)
{
    char text[66 * 32] = "";

    for (int i = 0; i < 65; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "cuInit:nth=%d => hang\n", i + 1);
    assert_refused(*state, text, "faults:65:1: there are 64 rules already");
    assert_null(rule_text(0));
    strrchr(text, ':')[-6] = '\0';
    fault_add(state, text);
    assert_non_null(rule_text(63));
    assert_refused(*state, "cuInit => hang", "faults:1:1: there are 64 rules already");
}

TEST(operation_without_a_mock_is_refused)
{
    assert_refused(*state, "op.copy => hang",
                   "faults:1:1: operations are a mock's, and there is none");
}

TEST(seed_decides_which_calls_a_probability_takes)
{
    uint64_t fired[3];

    fault_add(state, "cuEventQuery:p=0.5,seed=1 => delay(1 ns)");
    fault_add(state, "cuEventQuery:p=0.5,seed=2 => delay(1 ns)\n"
                     "cuEventQuery:p=0.5,seed=1 => delay(1 ns)");
    for (int i = 0; i < 500; i++)
        fault_query();
    for (size_t i = 0; i < 3; i++)
        fired[i] = cushim_fault_fired(*state, i);
    assert_int_equal(fired[0], fired[2]);
    assert_int_not_equal(fired[0], fired[1]);
}

TEST(rules_end_with_their_layer)
{
    fault_let_all_succeed(*state);
    fault_add(state, "cuEventQuery => sticky(ILLEGAL_ADDRESS)");
    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, fault_query());
    cushim_layer_destroy(*state);
    assert_int_equal(layer_setup(state), 0);
    assert_null(rule_text(0));
    OK(fault_query());
    OK(fault_allocate());
}
