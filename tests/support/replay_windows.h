/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Child processes without fork(): the program is started again with its own command line, and
 * silently repeats everything up to the call that creates the child. There it performs the child's
 * part and ends.
 *
 * So the part of a test before that call must be deterministic, except for the creation of files
 * (replay_is_repeating()). Earlier calls that create children return their recorded results.
 *
 * An elevated process first starts itself again without elevation, because the library would not
 * trust its environment.
 */
#ifndef CUSHIM_TESTS_SUPPORT_REPLAY_WINDOWS_H
#define CUSHIM_TESTS_SUPPORT_REPLAY_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>

enum replay {
    REPLAY_PAST, /* not yet at the child's call: return the recorded result */
    REPLAY_HERE, /* this process is the child of this call, and prints from now on */
    REPLAY_NEW,  /* the caller has to create the child */
};

/* The state of the replay at the next call that creates a child. */
enum replay replay_next(int *answer);

/*
 * Run the child of this call. Returns its exit code, or START_TIMED_OUT if it took too long; `text`
 * gets what it printed.
 */
unsigned replay_run(unsigned seconds, char *text, size_t size);

/* Record the result of the call, so that children of later calls can replay it. */
int replay_answered(int answer);

/* Whether this process repeats its parent's work; the parent's files then exist already. */
bool replay_is_repeating(void);

/* Start this program with other arguments, without replay. Returns its exit code. */
unsigned replay_restart(const char *const *arguments, unsigned seconds);

#endif
