/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Children without a fork: the program is started anew with its own command line, and repeats in
 * silence what it did up to the call that makes the child. There it does the child's part and ends.
 *
 * So what a test does before that call has to come to the same each time; files are the exception
 * (replay_is_repeating()). Calls that come before it answer what they answered at first.
 *
 * A process that is elevated starts itself anew without that first, since the library would not
 * trust its environment.
 */
#ifndef CUSHIM_TESTS_SUPPORT_REPLAY_WINDOWS_H
#define CUSHIM_TESTS_SUPPORT_REPLAY_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>

enum replay {
    REPLAY_PAST, /* another call is meant: give the answer of the recording */
    REPLAY_HERE, /* this process is the child of this call; it is heard from now on */
    REPLAY_NEW,  /* the child is still to be made */
};

/* What is the case at the next call that makes a child. */
enum replay replay_next(int *answer);

/*
 * Make the child of this call. Returns what it ended with: START_TIMED_OUT if it took longer; what
 * it printed is in `text`.
 */
unsigned replay_run(unsigned seconds, char *text, size_t size);

/* What the call answers in the end, for the children of later calls. */
int replay_answered(int answer);

/* Whether this process repeats what its parent did: the files that it would make are there. */
bool replay_is_repeating(void);

/* Start this program with other arguments, as no child. Returns what it ended with. */
unsigned replay_restart(const char *const *arguments, unsigned seconds);

#endif
