/* SPDX-License-Identifier: Apache-2.0 */
/* Processes on Windows: start a process, wait for it, and get its exit code. */
#ifndef CUSHIM_TESTS_SUPPORT_START_WINDOWS_H
#define CUSHIM_TESTS_SUPPORT_START_WINDOWS_H

#include <stdbool.h>
#include <wchar.h>

/* The exit code that marks a timeout; only the tests use this number. */
enum { START_TIMED_OUT = 0x54494d45 };

/*
 * Start a command with these handles as its standard streams (NULL: those of this process). It
 * inherits no other handle. With `limited`, it has only the rights of the user's other programs.
 * Returns the process handle, or NULL.
 */
void *start_command(const wchar_t *command, void *input, void *output, void *error, bool limited);

/* Wait for the end of a process, end it after this many seconds, and close its handle. */
unsigned start_await(void *process, unsigned seconds);

/* Whether this process is elevated; the library then does not trust its environment. */
bool start_is_elevated(void);

#endif
