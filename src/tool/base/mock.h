/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mock driver for the commands: in place of the driver, and with settings checked for a program
 * that is to run on it. If cushim is built without it, opening it and checking settings fail and
 * say so.
 */
#ifndef CUSHIM_TOOL_BASE_MOCK_H
#define CUSHIM_TOOL_BASE_MOCK_H

#include <stdbool.h>

#include "src/tool/base/arguments.h"

/* Whether cushim is built with the mock driver. */
bool mock_is_built(void);

/* Use the mock driver as the driver, and initialise it. The report is filled in any case. */
bool mock_open(const struct arguments *arguments, struct cushim_report *report,
               struct failure *failure);

/* Release the mock driver, if it was opened. Misuse that it has noticed is a failure. */
bool mock_close(struct failure *failure);

/* One line that identifies the mock; NULL if it is not open. */
const char *mock_identity(void);

/*
 * The settings of the command line, one per line, to be freed; NULL if there are none. `before`,
 * unless NULL, are lines to put in front, which the settings override.
 */
char *mock_settings(const struct arguments *arguments, const char *before);

/*
 * Check the settings of the command line, then those that a program would read: a file and a text,
 * each of which may be NULL; messages name the text as `where`. The mode `manual` is refused: its
 * clock moves only by calls of cushim, which an unmodified program does not make.
 */
bool mock_check(const struct arguments *arguments, const char *file, const char *settings,
                const char *where, struct failure *failure);

/* A profile's attributes and limits have numbers below these; MOCK_NAME_BYTES hold its name. */
enum { MOCK_ATTRIBUTES = 192, MOCK_LIMITS = 16, MOCK_NAME_BYTES = 256 };

#endif
