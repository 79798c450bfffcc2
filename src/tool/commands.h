/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commands, their options and the words of the user. Commands and options are rows
 * (arguments.c) by which the parser and the messages go.
 */
#ifndef CUSHIM_TOOL_COMMANDS_H
#define CUSHIM_TOOL_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/tool/failure.h"
#include "src/tool/probe.h"

/* Commands that take options; a set of them is their sum. */
enum command {
    COMMAND_INFO = 1,
    COMMAND_TIME = 2,
    COMMAND_RUN = 4,
    COMMAND_PROFILE = 8,
    COMMAND_PROBE = 16,
    COMMAND_SYMBOLS = 32,
    COMMAND_TRACE = 64,
    COMMAND_SYMBOLIZE = 128,
    COMMAND_CHECK = 256,
    COMMANDS_OF_DRIVER = COMMAND_INFO | COMMAND_TIME | COMMAND_PROFILE,
    COMMANDS_ALL = COMMANDS_OF_DRIVER | COMMAND_RUN | COMMAND_PROBE | COMMAND_SYMBOLS |
                   COMMAND_SYMBOLIZE | COMMAND_TRACE | COMMAND_CHECK,
};

enum option_kind {
    OPTION_FLAG,
    OPTION_PATH,
    OPTION_NUMBER,
    OPTION_SIZE,
    OPTION_VERSION, /* of CUDA: 12.8 is 12080 */
    OPTION_SETTING, /* of the mock driver, a trace or a check, whose own parser reads it */
};

struct option {
    const char *name; /* with its dashes */
    enum option_kind kind;
    unsigned commands;         /* that have it */
    size_t field;              /* offset in struct arguments, of a type that the kind implies */
    uint64_t minimum, maximum; /* of a number or size */
    const char *expected;      /* what a path, setting or version is, for messages */
    const char *key; /* of a setting: its key, which a flag turns on; NULL: the value has it */
};

extern const struct option command_options[]; /* ends with a NULL name */

/* The command line. Texts are NULL where they were not given. */
struct arguments {
    bool json;
    bool help;
    bool mock;
    bool quiet;
    const char *library; /* of symbols: its operand */
    const char *config;
    const char *name;
    const char *output;
    bool convert;              /* of trace: not a program, but a file that one has written */
    const char *trace;         /* of trace convert: the file */
    char *settings;            /* of the mock driver, a line each; to be freed */
    const char *first_setting; /* the name of the first option that has set one */
    char *faults;         /* rules, a line each, which are among the settings too; to be freed */
    char *trace_settings; /* of a trace, a line each; to be freed */
    char *check_settings; /* of a check, a line each; to be freed */
    const char *suppressions; /* of check: a file */
    bool real;                /* of run: over the real driver */
    const char *kernels;      /* of run: a library */
    char **program;           /* of run: the words that start it, NULL behind the last */
    char **files;             /* of symbolize: its operands, behind its options */
    int file_count;
    const char *report;    /* of run and check */
    uint64_t error_status; /* of run and check; 0: not given */
    uint64_t bytes;        /* 0: not given */
    uint64_t repeat;
    uint64_t device;
    uint64_t timeout;      /* seconds; 0: not given */
    uint64_t since, until; /* versions of CUDA; 0: not given */
};

struct command_row {
    enum command command;
    const char *name;
    enum status (*run)(const struct arguments *arguments);
};

extern const struct command_row commands[]; /* ends with a NULL name */

/* --- arguments.c --- */

/*
 * Read the words behind the command's name. The defaults stand where an option is not given; of
 * an option that is given twice, the last counts. `json` is right after a failure, too.
 */
bool arguments_read(struct arguments *arguments, const struct command_row *row, int count,
                    char **words, struct failure *failure);

/* --- The manual, which manual.py makes of docs/cushim.1 --- */

struct manual {
    const char *command;      /* empty: the whole manual */
    const char *const *lines; /* ends with NULL */
};

extern const struct manual manuals[];

/* --- The commands, a file each. Each prints its result or its failure. --- */

enum status command_check(const struct arguments *arguments);
enum status command_info(const struct arguments *arguments);
enum status command_probe(const struct arguments *arguments);
enum status command_profile(const struct arguments *arguments);
enum status command_run(const struct arguments *arguments);
enum status command_symbolize(const struct arguments *arguments);
enum status command_symbols(const struct arguments *arguments);
enum status command_time(const struct arguments *arguments);
enum status command_trace(const struct arguments *arguments);

/*
 * Try the driver that the command line asks for in a process of its own, for `seconds`; 0: 10.
 * The codes are those of probe_run().
 */
CUresult probe_driver(const struct arguments *arguments, uint64_t seconds,
                      struct probe_result *result);

/* The exit status for the result of a probe. */
enum status probe_status(const struct probe_result *result);

#endif
