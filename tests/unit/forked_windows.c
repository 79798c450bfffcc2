/* SPDX-License-Identifier: Apache-2.0 */
#include "forked.h"

#include <signal.h>

#include "tests/support/replay_windows.h"
#include "tests/support/start_windows.h"

enum { WATCHDOG_SECONDS = 60, MOST_TEXT = 8192 };

#define ACCESS_VIOLATION 0xc0000005u
#define FIRST_EXCEPTION 0xc0000000u
#define LAST_EXCEPTION 0xcfffffffu

static bool is_exception(unsigned code)
{
    return code >= FIRST_EXCEPTION && code <= LAST_EXCEPTION;
}

/* A cmocka group of one test. */
static void run_alone(const struct forked_body *body)
{
    const struct CMUnitTest tests[] = {{body->name, body->run, NULL, NULL, NULL}};

    exit(cmocka_run_group_tests(tests, NULL, NULL));
}

void forked_test_run(void **state)
{
    const struct forked_body *body = *state;
    char text[MOST_TEXT];
    unsigned code;
    int answer;

    switch (replay_next(&answer)) {
    case REPLAY_PAST:
        return;
    case REPLAY_HERE:
        run_alone(body);
        return;
    case REPLAY_NEW:
        break;
    }
    code = replay_run(WATCHDOG_SECONDS, text, sizeof text);
    replay_answered(0);
    if (code != 0)
        fputs(text, stderr);
    if (is_exception(code) || code == START_TIMED_OUT)
        fail_msg("the child died: %#x", code);
    assert_int_equal(code, 0);
}

int forked_answer(int (*function)(void))
{
    char text[MOST_TEXT];
    unsigned code;
    int answer;

    switch (replay_next(&answer)) {
    case REPLAY_PAST:
        return answer;
    case REPLAY_HERE:
        exit(function());
    case REPLAY_NEW:
        break;
    }
    code = replay_run(WATCHDOG_SECONDS, text, sizeof text);
    return replay_answered(code == ACCESS_VIOLATION                        ? FORKED_DIED - SIGSEGV
                           : is_exception(code) || code == START_TIMED_OUT ? FORKED_DIED
                                                                           : (int)code);
}

bool forked_is_told_by_the_system(void)
{
    return false;
}
