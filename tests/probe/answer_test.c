/* SPDX-License-Identifier: Apache-2.0 */
/* What counts as an answer: nothing but what the command writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "src/base/text.h"
#include "src/tool/probe_answer.h"
#include "tests/probe/probing.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define LOADED(version, library) PROBE_LOADING PROBE_VERSION version PROBE_LIBRARY library
#define INITIALISING LOADED("12080", "\"/a \\\"b\\\\c\\u000a.so\"") PROBE_INITIALISING
#define FINDINGS(state, code, devices)                                    \
    "\"state\":\"" state "\",\"code\":" code ",\"device_count\":" devices \
    ",\"reason\":\"Because.\",\"advice\":\"\"}\n"

/* The path in there. */
#define OWN_LIBRARY "/a \"b\\c\n.so"

static const char usable[] = INITIALISING PROBE_COUNTING FINDINGS("ready", "0", "2");

static const struct {
    const char *text;
    enum probe_answer answer;
    enum probe_stage stage;
} texts[] = {
    {"", PROBE_ANSWER_CUT, PROBE_STAGE_START},
    {usable, PROBE_ANSWER_WHOLE, PROBE_STAGE_DONE},
    {PROBE_LOADING FINDINGS("not-found", "303", "0"), PROBE_ANSWER_WHOLE, PROBE_STAGE_DONE},
    {INITIALISING FINDINGS("no-device", "100", "0"), PROBE_ANSWER_WHOLE, PROBE_STAGE_DONE},
    {PROBE_LOADING, PROBE_ANSWER_CUT, PROBE_STAGE_LOAD},
    {PROBE_LOADING "\"", PROBE_ANSWER_CUT, PROBE_STAGE_LOAD},
    {INITIALISING, PROBE_ANSWER_CUT, PROBE_STAGE_INIT},
    {INITIALISING PROBE_COUNTING, PROBE_ANSWER_CUT, PROBE_STAGE_COUNT},
    /* A driver may answer any code. */
    {INITIALISING FINDINGS("init-failed", "-1", "0"), PROBE_ANSWER_WHOLE, PROBE_STAGE_DONE},
    {INITIALISING FINDINGS("init-failed", "-2147483648", "0"), PROBE_ANSWER_WHOLE,
     PROBE_STAGE_DONE},
    /* Of two minds. */
    {PROBE_LOADING FINDINGS("ready", "0", "2"), PROBE_ANSWER_GARBAGE, PROBE_STAGE_LOAD},
    {INITIALISING PROBE_COUNTING FINDINGS("not-found", "303", "0"), PROBE_ANSWER_GARBAGE,
     PROBE_STAGE_COUNT},
    {INITIALISING PROBE_COUNTING FINDINGS("ready", "3", "2"), PROBE_ANSWER_GARBAGE,
     PROBE_STAGE_COUNT},
    {PROBE_LOADING FINDINGS("not-found", "0", "0"), PROBE_ANSWER_GARBAGE, PROBE_STAGE_LOAD},
    /* Out of order. */
    {PROBE_LOADING PROBE_COUNTING, PROBE_ANSWER_GARBAGE, PROBE_STAGE_LOAD},
    {PROBE_INITIALISING, PROBE_ANSWER_GARBAGE, PROBE_STAGE_START},
    /* No numbers, no names, no texts. */
    {PROBE_LOADING FINDINGS("not-found", "-", "0"), PROBE_ANSWER_GARBAGE, PROBE_STAGE_LOAD},
    {PROBE_LOADING FINDINGS("not-found", "-0", "0"), PROBE_ANSWER_GARBAGE, PROBE_STAGE_LOAD},
    {PROBE_LOADING FINDINGS("not-found", "--1", "0"), PROBE_ANSWER_GARBAGE, PROBE_STAGE_LOAD},
    {PROBE_LOADING FINDINGS("not-found", "-2147483649", "0"), PROBE_ANSWER_GARBAGE,
     PROBE_STAGE_LOAD},
    {PROBE_LOADING FINDINGS("not-found", "303", "-1"), PROBE_ANSWER_GARBAGE, PROBE_STAGE_LOAD},
    {LOADED("-1", "\"/a\"") PROBE_INITIALISING, PROBE_ANSWER_GARBAGE, PROBE_STAGE_LOAD},
    {LOADED("12080", "/a") PROBE_INITIALISING, PROBE_ANSWER_GARBAGE, PROBE_STAGE_LOAD},
    {LOADED("12080", "\"/a\"") FINDINGS("not-found", "303", "0"), PROBE_ANSWER_GARBAGE,
     PROBE_STAGE_LOAD},
    {PROBE_LOADING FINDINGS("not-found", "0303", "0"), PROBE_ANSWER_GARBAGE, PROBE_STAGE_LOAD},
    {PROBE_LOADING FINDINGS("not-found", "99999999999999999999999", "0"), PROBE_ANSWER_GARBAGE,
     PROBE_STAGE_LOAD},
    {PROBE_LOADING FINDINGS("not-found", "", "0"), PROBE_ANSWER_GARBAGE, PROBE_STAGE_LOAD},
    {PROBE_LOADING FINDINGS("unknown", "303", "0"), PROBE_ANSWER_GARBAGE, PROBE_STAGE_LOAD},
    {PROBE_LOADING FINDINGS("a name that is longer than any other", "303", "0"),
     PROBE_ANSWER_GARBAGE, PROBE_STAGE_LOAD},
    {PROBE_LOADING FINDINGS("\\u0000", "303", "0"), PROBE_ANSWER_GARBAGE, PROBE_STAGE_LOAD},
    {PROBE_LOADING FINDINGS("not\\u002dfound", "303", "0"), PROBE_ANSWER_GARBAGE, PROBE_STAGE_LOAD},
    {PROBE_LOADING FINDINGS("\\n", "303", "0"), PROBE_ANSWER_GARBAGE, PROBE_STAGE_LOAD},
    {PROBE_LOADING FINDINGS("not-found\n", "303", "0"), PROBE_ANSWER_GARBAGE, PROBE_STAGE_LOAD},
    /* What other programs print. */
    {"y\ny\ny\n", PROBE_ANSWER_GARBAGE, PROBE_STAGE_START},
    {"{}\n", PROBE_ANSWER_GARBAGE, PROBE_STAGE_START},
    {"probe-child 1 0 \n", PROBE_ANSWER_GARBAGE, PROBE_STAGE_START},
    {"{\"cushim_probe\":1,\"loading\":true,", PROBE_ANSWER_GARBAGE, PROBE_STAGE_START},
};

static int tried;

/* From memory of exactly its size, so that a sanitizer sees who reads on. */
static enum probe_answer read_bytes(const void *bytes, size_t length, struct probe_result *probe)
{
    char *text = malloc(length + 1);
    enum probe_answer answer;

    assert_non_null(text);
    memcpy(text, bytes, length);
    text[length] = '\0';
    memset(probe, 0x5a, sizeof *probe);
    answer = probe_answer_read(text, length, probe);
    free(text);
    tried++;
    return answer;
}

static void assert_nothing_taken(const struct probe_result *probe)
{
    struct probe_result nothing = {.stage = probe->stage};

    /* What was reported before the driver was initialised stands. */
    if (probe->stage >= PROBE_STAGE_INIT) {
        nothing.driver_version = probe->driver_version;
        memcpy(nothing.library, probe->library, sizeof nothing.library);
        assert_true(strlen(probe->library) < sizeof probe->library);
    }
    /* Without the padding behind the last field. */
    assert_memory_equal(probe, &nothing,
                        offsetof(struct probe_result, advice) + sizeof nothing.advice);
}

static void each_text_is_what_it_is(void **state)
{
    struct probe_result probe;

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        const enum probe_answer answer = read_bytes(texts[i].text, strlen(texts[i].text), &probe);

        if (answer != texts[i].answer || probe.stage != texts[i].stage)
            print_message("%s\n", texts[i].text);
        assert_int_equal(answer, texts[i].answer);
        assert_int_equal(probe.stage, texts[i].stage);
        if (answer != PROBE_ANSWER_WHOLE)
            assert_nothing_taken(&probe);
    }
}

static void whole_answer_is_understood(void **state)
{
    struct probe_result probe;

    (void)state;
    assert_int_equal(read_bytes(usable, strlen(usable), &probe), PROBE_ANSWER_WHOLE);
    assert_int_equal(probe.state, CUSHIM_STATE_READY);
    assert_int_equal(probe.code, 0);
    assert_int_equal(probe.driver_version, 12080);
    assert_int_equal(probe.device_count, 2);
    assert_string_equal(probe.library, OWN_LIBRARY);
    assert_string_equal(probe.reason, "Because.");
    assert_string_equal(probe.advice, "");
}

/* What does something to a terminal is escaped on the way, whichever character it is. */
static void path_comes_through_as_it_was_written(void **state)
{
    static const char head[] = LOADED("13000", "");
    static const char tail[] = PROBE_INITIALISING FINDINGS("no-device", "100", "0");
    static const char *const paths[] = {
        "/a b.so",
        "/\x1b[2J.so",
        "/\x7f",
        "/\xc2\x85.so",
        "/\xd8\x9c.so",
        "/\xe2\x80\xae.so",
        "/\xc3\xa4\xe2\x82\xac\xf0\x9f\x90\xa7.so",
        "/\xc2\xa0",
        "/\"\\",
    };
    char line[1024];
    struct probe_result probe;

    (void)state;
    for (size_t i = 0; i < COUNT(paths); i++) {
        struct cushim__text text;

        cushim__text_begin(&text, line, sizeof line);
        cushim__text_add(&text, head);
        cushim__text_json(&text, paths[i]);
        cushim__text_add(&text, tail);
        assert_int_equal(read_bytes(line, strlen(line), &probe), PROBE_ANSWER_WHOLE);
        assert_string_equal(probe.library, paths[i]);
    }
}

static void answer_that_breaks_off_anywhere_is_cut(void **state)
{
    struct probe_result probe;

    (void)state;
    for (size_t length = 0; length < sizeof usable - 1; length++) {
        assert_int_equal(read_bytes(usable, length, &probe), PROBE_ANSWER_CUT);
        assert_nothing_taken(&probe);
        assert_int_equal(probe.stage >= PROBE_STAGE_INIT, length >= sizeof INITIALISING - 1);
        if (probe.stage >= PROBE_STAGE_INIT) {
            assert_int_equal(probe.driver_version, 12080);
            assert_string_equal(probe.library, OWN_LIBRARY);
        }
    }
}

static void bytes_behind_an_answer_make_it_garbage(void **state)
{
    static const char *const tails[] = {"\n", "x", " ", "}\n", usable};
    char text[2 * sizeof usable];
    struct probe_result probe;

    (void)state;
    for (size_t i = 0; i < COUNT(tails); i++) {
        snprintf(text, sizeof text, "%s%s", usable, tails[i]);
        assert_int_equal(read_bytes(text, strlen(text), &probe), PROBE_ANSWER_GARBAGE);
        assert_nothing_taken(&probe);
    }
    /* With the NUL that closes it. */
    assert_int_equal(read_bytes(usable, sizeof usable, &probe), PROBE_ANSWER_GARBAGE);
}

/* Inside of numbers and texts a byte may be another, and the answer is another then. */
static void byte_that_is_changed_never_changes_what_the_answer_is(void **state)
{
    struct probe_result probe;
    char text[sizeof usable];
    int whole = 0;

    (void)state;
    for (size_t at = 0; at < sizeof usable - 1; at++) {
        for (int byte = 0; byte < 256; byte++) {
            memcpy(text, usable, sizeof text);
            text[at] = (char)byte;
            if (read_bytes(text, sizeof usable - 1, &probe) != PROBE_ANSWER_WHOLE) {
                assert_nothing_taken(&probe);
                continue;
            }
            whole++;
            assert_int_equal(probe.state, CUSHIM_STATE_READY);
            assert_int_equal(probe.stage, PROBE_STAGE_DONE);
            assert_true(strlen(probe.library) < sizeof probe.library);
        }
    }
    assert_true(whole > 256);
}

static void text_that_is_too_long_is_garbage(void **state)
{
    static char text[PROBE_ANSWER_BYTES];
    static const char head[] = LOADED("13000", "\"");
    static const char tail[] = "\"" PROBE_INITIALISING FINDINGS("no-device", "100", "0");
    struct probe_result probe;

    (void)state;
    for (size_t length = PROBE_PATH_BYTES - 2; length < PROBE_PATH_BYTES + 2; length++) {
        memcpy(text, head, sizeof head);
        memset(text + sizeof head - 1, 'x', length);
        strcpy(text + sizeof head - 1 + length, tail);
        assert_int_equal(read_bytes(text, strlen(text), &probe),
                         length < PROBE_PATH_BYTES ? PROBE_ANSWER_WHOLE : PROBE_ANSWER_GARBAGE);
    }
}

static void random_bytes_are_garbage(void **state)
{
    uint32_t seed = 12345;
    unsigned char bytes[64];
    struct probe_result probe;

    (void)state;
    for (int turn = 0; turn < 20000; turn++) {
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (unsigned char)((seed = seed * 1664525 + 1013904223) >> 24);
        bytes[0] = (unsigned char)(bytes[0] == '{' ? 'x' : bytes[0]);
        assert_int_equal(read_bytes(bytes, sizeof bytes, &probe), PROBE_ANSWER_GARBAGE);
        assert_nothing_taken(&probe);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_text_is_what_it_is),
        cmocka_unit_test(whole_answer_is_understood),
        cmocka_unit_test(path_comes_through_as_it_was_written),
        cmocka_unit_test(answer_that_breaks_off_anywhere_is_cut),
        cmocka_unit_test(bytes_behind_an_answer_make_it_garbage),
        cmocka_unit_test(byte_that_is_changed_never_changes_what_the_answer_is),
        cmocka_unit_test(text_that_is_too_long_is_garbage),
        cmocka_unit_test(random_bytes_are_garbage),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);

    probing_count("answers read, cut and changed ones", tried);
    return failed;
}
