/* SPDX-License-Identifier: Apache-2.0 */
/* The process of a probe: it opens and initialises the driver, and answers in one line. */
#ifndef CUSHIM_TOOL_PROBE_CHILD_H
#define CUSHIM_TOOL_PROBE_CHILD_H

#include <stdbool.h>
#include <stddef.h>

#include "src/tool/failure.h"

/*
 * Do what probe_run() has started this process for: no command for people, and not in the
 * manual. Comes back only if the words behind the first are none that it gives.
 */
enum status probe_child(int count, char **words);

/* --- probe_child_posix.c, probe_child_windows.c --- */

/*
 * Keep standard output for the answer alone: the driver gets others, which lead nowhere, and no
 * descriptor of the caller's. The process ends when the caller does, and leaves no core file.
 */
bool probe_channel_open(void);

/* False: the driver has closed the channel, or put something else in its place. */
bool probe_channel_write(const char *text, size_t length);

#endif
