/* SPDX-License-Identifier: Apache-2.0 */
/* What the command needs of the operating system: system_posix.c. */
#ifndef CUSHIM_TOOL_SYSTEM_H
#define CUSHIM_TOOL_SYSTEM_H

#include <stdbool.h>

/*
 * Call first of all. If the caller of the command has closed a standard stream, the next file to be
 * opened would get its number: a device of the driver's, and our output would go there.
 */
void system_hold_streams(void);

/* The absolute form of a path, also of one that leads nowhere. Free it; NULL without memory. */
char *system_absolute_path(const char *path);

bool system_error_is_terminal(void);

/* Seconds of a clock that only goes forward. */
double system_seconds(void);

#endif
