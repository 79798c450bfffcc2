/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program of `cushim run`, `cushim trace` and `cushim check`: how it gets another libcuda.so.1,
 * by variables of the environment, which the command sets in its own process before it starts the
 * program; and how it is started.
 */
#ifndef CUSHIM_TOOL_PROGRAM_H
#define CUSHIM_TOOL_PROGRAM_H

#include "src/tool/commands.h"

/* Two texts as one, with something between them; free it. */
char *program_join(const char *first, const char *between, const char *second);

/* Put the mock driver there, with the settings of the command line. */
bool program_takes_mock(const struct arguments *arguments, struct failure *failure);

/*
 * Put the library there that hands calls on to the real driver, and injects the faults of the
 * command line. False, and a failure with its reason: there is no such library, or no driver.
 */
bool program_takes_driver(const struct arguments *arguments, struct failure *failure);

/*
 * Start the program where there is no driver: nothing is traced or checked, and that is said with
 * the reason, which `failure` has. Returns only with a failure.
 */
enum status program_runs_alone(const struct arguments *arguments, const char *what,
                               struct failure *failure);

/*
 * Start a program, which is searched as a shell does, and wait for its end (not on Windows).
 * Meanwhile SIGINT and SIGQUIT are the program's alone, and SIGTERM and SIGHUP are passed on to it.
 * Returns what a shell makes of its end, 128 more than the signal that has killed it; or the
 * failure's status: 127 if the program was not found, else 126.
 */
int spawn_and_wait(char **words, struct failure *failure);

#endif
