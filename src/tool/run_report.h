/* SPDX-License-Identifier: Apache-2.0 */
/* What the mock driver has found in the processes of a program that `cushim run` starts. */
#ifndef CUSHIM_TOOL_RUN_REPORT_H
#define CUSHIM_TOOL_RUN_REPORT_H

#include "src/tool/commands.h"

/*
 * Start the program, wait for it, and write the report that the arguments ask for. Returns what the
 * command exits with: the program's status, or that for findings.
 */
int run_reported(const struct arguments *arguments, struct failure *failure);

#endif
