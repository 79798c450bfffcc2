/* SPDX-License-Identifier: Apache-2.0 */
/* The manual, and the commands that are one file each. */
#ifndef CUSHIM_TOOL_COMMANDS_H
#define CUSHIM_TOOL_COMMANDS_H

#include "src/tool/base/arguments.h"

/* --- The manual, which manual.py generates from docs/cushim.1 --- */

struct manual {
    const char *command;      /* empty for the overview */
    const char *const *lines; /* ends with NULL */
};

extern const struct manual manuals[];

/* --- Each command prints its result or its failure. --- */

enum status command_probe(const struct arguments *arguments);
enum status command_profile(const struct arguments *arguments);
enum status command_symbols(const struct arguments *arguments);
enum status symbols_names(const struct arguments *arguments); /* with --cuda */
enum status command_time(const struct arguments *arguments);

#endif
