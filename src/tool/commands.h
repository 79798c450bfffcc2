/* SPDX-License-Identifier: Apache-2.0 */
/* The commands. Each prints its result or its failure and returns the exit status. */
#ifndef CUSHIM_TOOL_COMMANDS_H
#define CUSHIM_TOOL_COMMANDS_H

#include "src/tool/arguments.h"

/* info.c */
enum status command_info(const struct arguments *arguments);

/* time.c */
enum status command_time(const struct arguments *arguments);

#endif
