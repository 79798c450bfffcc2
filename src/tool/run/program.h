/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the program of `cushim run`, `cushim trace` and `cushim check` gets another libcuda.so.1, and
 * how it is started. The command sets environment variables in its own process before it starts the
 * program.
 */
#ifndef CUSHIM_TOOL_RUN_PROGRAM_H
#define CUSHIM_TOOL_RUN_PROGRAM_H

#include "src/tool/base/arguments.h"

/* `cushim run`, and check_posix.c: `cushim check` */
enum status command_run(const struct arguments *arguments);
enum status command_check(const struct arguments *arguments);

/* Join two texts, with another between them; free the result. */
char *program_join(const char *first, const char *between, const char *second);

/* Let the program find the mock driver, with the settings of the command line. */
bool program_takes_mock(const struct arguments *arguments, struct failure *failure);

/*
 * Let the program find the library that passes calls on to the real driver and injects the faults
 * of the command line. Returns false, with the reason in `failure`, if there is no such library or
 * driver.
 */
bool program_takes_driver(const struct arguments *arguments, struct failure *failure);

/*
 * Start the program without a driver, and print that nothing is traced or checked, with the reason
 * from `failure`. Returns only with a failure.
 */
enum status program_runs_alone(const struct arguments *arguments, const char *what,
                               struct failure *failure);

/*
 * Start a program, which is searched for as a shell does, and wait for its end (not on Windows).
 * Meanwhile SIGINT and SIGQUIT only affect the program, and SIGTERM and SIGHUP are passed on to it.
 * Returns its exit status as a shell would, 128 plus the signal if one has killed it; or the
 * failure's status: 127 if the program was not found, otherwise 126.
 */
int spawn_and_wait(char **words, struct failure *failure);

#endif
