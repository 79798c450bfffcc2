/* SPDX-License-Identifier: Apache-2.0 */
/* A program that the command starts and waits for. Not on Windows. */
#ifndef CUSHIM_TOOL_SPAWN_H
#define CUSHIM_TOOL_SPAWN_H

#include "src/tool/failure.h"

/*
 * Start a program, which is searched as a shell does, and wait for its end. Meanwhile SIGINT and
 * SIGQUIT are the program's alone, and SIGTERM and SIGHUP are passed on to it. Returns what a shell
 * makes of its end, 128 more than the signal that has killed it; or the failure's status: 127 if
 * the program was not found, else 126.
 */
int spawn_and_wait(char **words, struct failure *failure);

#endif
