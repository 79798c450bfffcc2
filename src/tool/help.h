/* SPDX-License-Identifier: Apache-2.0 */
/* The manual. docs/cushim.1 says the same in the same words; a test compares them. */
#ifndef CUSHIM_TOOL_HELP_H
#define CUSHIM_TOOL_HELP_H

#include "src/tool/commands.h"

/* All of it. */
void help_manual(void);

/* One command's part. */
void help_command(const struct command_row *row);

/* Versions of the command, of the registry and of the headers that it was built with. */
void help_version(void);

#endif
