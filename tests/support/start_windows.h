/* SPDX-License-Identifier: Apache-2.0 */
/* Processes on Windows: started, awaited, and what is known of their end. */
#ifndef CUSHIM_TESTS_SUPPORT_START_WINDOWS_H
#define CUSHIM_TESTS_SUPPORT_START_WINDOWS_H

#include <stdbool.h>
#include <wchar.h>

/* What a process that lasts too long ends with: the tests' own number. */
enum { START_TIMED_OUT = 0x54494d45 };

/*
 * Start a command with these handles as its standard streams (NULL: this process's) and no more of
 * ours. With `limited`, it has no more rights than its user's other programs. Returns its handle,
 * or NULL.
 */
void *start_command(const wchar_t *command, void *input, void *output, void *error, bool limited);

/* Wait for its end, which is brought about after so many seconds, and let go of it. */
unsigned start_await(void *process, unsigned seconds);

/*
 * Whether this process has more rights than its user's others: then the library does not trust its
 * environment.
 */
bool start_is_elevated(void);

#endif
