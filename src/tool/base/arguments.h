/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line. Options are rows of a table in arguments.c, and commands are rows of one in
 * main.c; the parser and the messages use both.
 */
#ifndef CUSHIM_TOOL_BASE_ARGUMENTS_H
#define CUSHIM_TOOL_BASE_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/tool/base/failure.h"

/* Commands that take options, as bits. */
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
    OPTION_DURATION, /* in nanoseconds */
    OPTION_VERSION,  /* of CUDA: 12.8 is 12080 */
    OPTION_SETTING,  /* of the mock driver, a trace or a check, whose own parser reads it */
};

struct option {
    const char *name; /* with its dashes */
    enum option_kind kind;
    unsigned commands;         /* bits of enum command: those that have the option */
    size_t field;              /* offset in struct arguments; the kind implies the type */
    uint64_t minimum, maximum; /* of a number or a size */
    const char *expected;      /* what a path, setting or version is, for messages */
    const char *key; /* of a setting: its key, which a flag turns on; NULL if the value has it */
};

extern const struct option command_options[]; /* ends with a NULL name */

/* The command line. Texts are NULL where they were not given. */
struct arguments {
    bool json;
    bool help;
    bool mock;
    bool is_mock_allowed; /* of probe */
    bool has_uuids;       /* of info, for the report */
    char *folders;        /* of info: more folders to look in for libcuda.so.1; to be freed */
    bool quiet;
    const char *library; /* --library, or --folder of symbolize */
    const char *config;
    const char *name;
    const char *output;
    bool convert;              /* of trace: convert a file, instead of starting a program */
    const char *trace;         /* of trace convert: the file */
    char *settings;            /* of the mock driver, one per line; to be freed */
    const char *first_setting; /* the first option that has set one, unless it is a fault */
    char *faults;              /* fault rules, one per line, also among the settings; to be freed */
    char *trace_settings;      /* of a trace, one per line; to be freed */
    char *check_settings;      /* of a check, one per line; to be freed */
    const char *suppressions;  /* of check: a file */
    bool real;                 /* of run: over the real driver */
    const char *kernels;       /* of run: a shared library of kernels */
    char **program;            /* the program to start and its arguments; ends with NULL */
    char **files;              /* of symbolize and symbols: their operands */
    int file_count;
    const char *report;    /* of run, check and info */
    uint64_t error_status; /* of run and check; 0 if not given */
    uint64_t bytes;        /* 0 if not given */
    uint64_t repeat;
    uint64_t device;
    uint64_t timeout_ns;         /* 0 if not given */
    uint64_t since, until, cuda; /* versions of CUDA; 0 if not given */
};

struct command_row {
    enum command command;
    const char *name;
    enum status (*run)(const struct arguments *arguments);
};

/*
 * Read the words after the command's name. Options that are not given have their defaults; if one
 * is given twice, the last counts. `json` is right even after a failure.
 */
bool arguments_read(struct arguments *arguments, const struct command_row *row, int count,
                    char **words, struct failure *failure);

#endif
