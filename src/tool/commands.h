/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commands. Each prints its result or its failure and returns the exit status.
 *
 * Commands are rows: what starts them, the manual and the messages all go by them.
 */
#ifndef CUSHIM_TOOL_COMMANDS_H
#define CUSHIM_TOOL_COMMANDS_H

#include "src/tool/probe.h"

#include "src/tool/arguments.h"

struct command_row {
    enum command command;
    const char *name;
    const char *operands;    /* what stands behind the options in the manual; NULL: nothing */
    const char *description; /* sentences */
    enum status (*run)(const struct arguments *arguments);
};

extern const struct command_row commands[]; /* ends with a NULL name */

/* NULL: there is no such command. */
const struct command_row *commands_find(const char *name);

/* What a word in the place of a command may be: `info, probe, time, run, profile, symbols or help`. */
const char *commands_names(char *buffer, size_t size);

/* info.c */
enum status command_info(const struct arguments *arguments);

/* probe.c */
enum status command_probe(const struct arguments *arguments);

/*
 * Try the driver that the command line asks for in a process of its own, for `seconds`; 0: 10.
 * probe_run() says what is returned.
 */
CUresult probe_driver(const struct arguments *arguments, uint64_t seconds,
                      struct probe_result *probe);

/* The exit status for what a probe has found. */
enum status probe_status(const struct probe_result *probe);

/* profile.c */
enum status command_profile(const struct arguments *arguments);

/* time.c */
enum status command_time(const struct arguments *arguments);

/* run.c */
enum status command_run(const struct arguments *arguments);

/* symbols.c */
enum status command_symbols(const struct arguments *arguments);

#endif
