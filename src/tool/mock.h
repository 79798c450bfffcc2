/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mock driver as the commands need it: in the place of the driver, and its settings checked for
 * a program that is to run on it. Where cushim is built without it, every function fails and says
 * so.
 */
#ifndef CUSHIM_TOOL_MOCK_H
#define CUSHIM_TOOL_MOCK_H

#include <stdbool.h>

#include "src/tool/commands.h"

/* Whether there is a mock driver at all. */
bool mock_is_built(void);

/* Take the mock driver as the driver, and initialise it. The report is filled in any case. */
bool mock_open(const struct arguments *arguments, struct cushim_report *report,
               struct failure *failure);

/* Release it, if it was opened. Misuse that it has noticed is a failure. */
bool mock_close(struct failure *failure);

/* One line that identifies the mock; NULL: it is not open. */
const char *mock_identity(void);

/*
 * The settings of the command line, a line for each; NULL: there are none. `before` are lines to
 * put in front, over which they go; NULL: there are none. Free it.
 */
char *mock_settings(const struct arguments *arguments, const char *before);

/*
 * Check the settings of the command line; then what a program would read: a file of settings, or
 * NULL, and settings, or NULL, which `where` names in messages. A mode in which nothing but the
 * program's own calls of cushim would move the clock is refused.
 */
bool mock_check(const struct arguments *arguments, const char *file, const char *settings,
                const char *where, struct failure *failure);

/* A profile has attributes and limits of numbers below these, and a name of so many bytes. */
enum { MOCK_ATTRIBUTES = 192, MOCK_LIMITS = 16, MOCK_NAME_BYTES = 256 };

#endif
