/* SPDX-License-Identifier: Apache-2.0 */
/* What counts as an answer of the probe's process: only messages that the command itself writes. */

#include "tests/probe/probing.h"
#include "tests/support/cmocka.h"

enum {
    STAGES = PROBE_STAGE_DONE,
    MESSAGE = sizeof(struct probe_message),
    WHOLE = STAGES * MESSAGE
};

#define LIBRARY "/a \"b\\c\n.so"

/* The messages of the command about a driver with two devices, one for each stage. */
static struct probe_message messages[STAGES + 1];

static int begin(void **state)
{
    memset(messages, 0, sizeof messages);
    for (int i = 0; i < STAGES; i++) {
        memcpy(messages[i].mark, PROBE_MARK, sizeof messages[i].mark);
        messages[i].stage = i + 1;
        if (messages[i].stage >= PROBE_STAGE_INIT) {
            messages[i].driver_version = 12080;
            strcpy(messages[i].library, LIBRARY);
        }
    }
    messages[STAGES - 1].state = CUSHIM_STATE_READY;
    messages[STAGES - 1].device_count = 2;
    strcpy(messages[STAGES - 1].reason, "Because.");
    return 0;
}

#define TEST(name) TEST_BETWEEN(name, begin, NULL)

/* Read from memory of exactly this size, so that a sanitizer reports an access beyond it. */
static enum probe_answer read_bytes(size_t length, struct probe_result *result)
{
    char *bytes = malloc(length ? length : 1);
    enum probe_answer answer;

    assert_non_null(bytes);
    memcpy(bytes, messages, length);
    memset(result, 0x5a, sizeof *result);
    answer = probe_answer_read(bytes, length, result);
    free(bytes);
    return answer;
}

static void assert_garbage(size_t length, enum probe_stage stage)
{
    struct probe_result result;

    assert_int_equal(read_bytes(length, &result), PROBE_ANSWER_GARBAGE);
    assert_int_equal(result.stage, stage);
    assert_int_equal(result.state, CUSHIM_STATE_UNTRIED);
    assert_int_equal(result.device_count, 0);
    assert_string_equal(result.reason, "");
}

TEST(whole_answer_has_the_findings)
{
    struct probe_result result;

    assert_int_equal(read_bytes(WHOLE, &result), PROBE_ANSWER_WHOLE);
    assert_int_equal(result.stage, PROBE_STAGE_DONE);
    assert_int_equal(result.state, CUSHIM_STATE_READY);
    assert_int_equal(result.code, 0);
    assert_int_equal(result.driver_version, 12080);
    assert_int_equal(result.device_count, 2);
    assert_string_equal(result.library, LIBRARY);
    assert_string_equal(result.reason, "Because.");
    assert_string_equal(result.advice, "");
}

TEST(answer_that_breaks_off_names_the_stage_and_the_driver)
{
    struct probe_result result;

    for (size_t length = 0; length < WHOLE; length++) {
        const enum probe_stage stage = (enum probe_stage)(length / MESSAGE);

        assert_int_equal(read_bytes(length, &result), PROBE_ANSWER_CUT);
        assert_int_equal(result.stage, stage);
        assert_string_equal(result.library, stage >= PROBE_STAGE_INIT ? LIBRARY : "");
        assert_int_equal(result.state, CUSHIM_STATE_UNTRIED);
    }
}

/* Loading or cuInit may fail, and the driver may return any code. */
TEST(last_message_may_follow_each_stage_but_the_first)
{
    struct probe_result result;

    for (int stages = 1; stages < STAGES; stages++) {
        begin(NULL);
        messages[stages] = messages[STAGES - 1];
        if (stages < PROBE_STAGE_COUNT) {
            messages[stages].state = CUSHIM_STATE_INIT_FAILED;
            messages[stages].device_count = 0;
            messages[stages].code = -2147483647 - 1;
        }
        assert_int_equal(read_bytes((size_t)(stages + 1) * MESSAGE, &result), PROBE_ANSWER_WHOLE);
        assert_int_equal((int)result.code, messages[stages].code);
    }
    begin(NULL);
    messages[0] = messages[STAGES - 1];
    assert_garbage(MESSAGE, PROBE_STAGE_START);
}

TEST(stages_out_of_order_are_garbage)
{
    for (int i = 0; i < STAGES; i++) {
        for (int stage = -1; stage <= STAGES + 1; stage++) {
            begin(NULL);
            messages[i].stage = stage;
            if (stage != i + 1)
                assert_garbage(WHOLE, (enum probe_stage)i);
        }
    }
}

TEST(bytes_of_somebody_else_are_garbage)
{
    for (size_t i = 0; i < STAGES; i++) {
        for (size_t at = 0; at < sizeof messages[i].mark; at++) {
            begin(NULL);
            messages[i].mark[at] ^= 1;
            assert_garbage(WHOLE, (enum probe_stage)i);
            /* The same if the message ends there. */
            assert_garbage(i * MESSAGE + at + 1, (enum probe_stage)i);
        }
    }
}

TEST(bytes_behind_an_answer_make_it_garbage)
{
    assert_garbage(WHOLE + 1, PROBE_STAGE_COUNT);
    messages[STAGES] = messages[STAGES - 1];
    assert_garbage(WHOLE + MESSAGE, PROBE_STAGE_COUNT);
}

TEST(text_without_an_end_is_garbage)
{
    struct probe_message *last = &messages[STAGES - 1];

    memset(last->library, 'x', sizeof last->library);
    assert_garbage(WHOLE, PROBE_STAGE_COUNT);
    begin(NULL);
    memset(last->reason, 'x', sizeof last->reason);
    assert_garbage(WHOLE, PROBE_STAGE_COUNT);
    begin(NULL);
    memset(last->advice, 'x', sizeof last->advice);
    assert_garbage(WHOLE, PROBE_STAGE_COUNT);
}

TEST(findings_that_contradict_each_other_are_garbage)
{
    static const struct {
        int state, code, devices, version;
    } rows[] = {
        {CUSHIM_STATE_NOT_FOUND, 303, 0, 12080}, /* although the devices were counted */
        {CUSHIM_STATE_READY, 3, 2, 12080},       {CUSHIM_STATE_READY, 0, -1, 12080},
        {CUSHIM_STATE_READY, 0, 2, -1},          {-1, 1, 0, 12080},
        {CUSHIM_STATE_FORKED + 1, 1, 0, 12080},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct probe_message *last = &messages[STAGES - 1];

        last->state = rows[i].state;
        last->code = rows[i].code;
        last->device_count = rows[i].devices;
        last->driver_version = rows[i].version;
        assert_garbage(WHOLE, PROBE_STAGE_COUNT);
    }
    /* The states "ready" and "no code" before the devices were counted. */
    begin(NULL);
    messages[1] = messages[STAGES - 1];
    assert_garbage(2 * MESSAGE, PROBE_STAGE_LOAD);
    messages[1].state = CUSHIM_STATE_NOT_FOUND;
    messages[1].device_count = 0;
    assert_garbage(2 * MESSAGE, PROBE_STAGE_LOAD);
}
