/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/child.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/support/replay_windows.h"
#include "tests/support/start_windows.h"

enum { MOST_TEXT = 8192 };

static void say_how(const char *title, unsigned code, const char *text)
{
    if (code == START_TIMED_OUT)
        fprintf(stderr, "%s: no end after %d s\n", title, CHILD_SECONDS);
    else if (code >= 0xc0000000u)
        fprintf(stderr, "%s: killed by exception %#x\n", title, code);
    else
        fprintf(stderr, "%s: exit status %u\n", title, code);
    if (text[0])
        fprintf(stderr, "%s: it printed: %s\n", title, text);
}

bool child_passes(const char *title, child_body body, const void *data)
{
    char text[MOST_TEXT];
    unsigned code;
    int answer;

    switch (replay_next(&answer)) {
    case REPLAY_PAST:
        return answer;
    case REPLAY_HERE:
        body(data);
        child_end();
    case REPLAY_NEW:
        break;
    }
    code = replay_run(CHILD_SECONDS, text, sizeof text);
    if (code == 0 && !text[0])
        return replay_answered(true);
    say_how(title, code, text);
    return replay_answered(false);
}

void child_restart(const char *const *arguments)
{
    exit((int)replay_restart(arguments, CHILD_SECONDS));
}
