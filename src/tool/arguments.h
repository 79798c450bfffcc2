/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line: which options there are, and what the user said.
 *
 * Options are rows. The parser, the manual and the test of the man page all go by them.
 */
#ifndef CUSHIM_TOOL_ARGUMENTS_H
#define CUSHIM_TOOL_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/tool/failure.h"

/* Commands that take options; a set of them is their sum. */
enum command {
    COMMAND_INFO = 1,
    COMMAND_TIME = 2,
    COMMAND_RUN = 4,
    COMMAND_PROFILE = 8,
    COMMAND_PROBE = 16,
    COMMAND_SYMBOLS = 32,
};

enum option_kind {
    OPTION_FLAG,
    OPTION_PATH,
    OPTION_NUMBER,
    OPTION_SIZE,
    OPTION_VERSION, /* of CUDA: 12.8 is 12080 */
    OPTION_SETTING, /* of the mock driver: read by its own parser */
};

struct option {
    const char *name;  /* with its dashes */
    const char *value; /* what stands for its value in the manual; NULL: it takes none */
    enum option_kind kind;
    unsigned commands;         /* that have it */
    size_t field;              /* offset in struct arguments; the kind says of which type */
    uint64_t minimum, maximum; /* of a number or size */
    const char *expected;      /* of a path, setting or version: what it is, for messages */
    const char *key;           /* of a setting: its key; NULL: it stands in the value */
    bool is_repeated;          /* may be given often; of others, the last counts */
    const char *help;          /* sentences */
};

/* One setting of the mock driver, as it was given. */
struct setting {
    const struct option *option;
    const char *value;
};

extern const struct option arguments_options[]; /* ends with a NULL name */

struct arguments {
    bool json;
    bool help;
    bool mock;
    bool quiet;
    const char *library; /* NULL: not given; of symbols: its operand */
    const char *config;  /* NULL: not given */
    const char *name;    /* NULL: not given */
    const char *output;  /* NULL: not given */
    struct setting *settings;
    size_t setting_count;
    char **program; /* of run: the words that start it, NULL behind the last; NULL: none */
    uint64_t bytes; /* 0: not given */
    uint64_t repeat;
    uint64_t device;
    uint64_t timeout;      /* seconds; 0: not given */
    uint64_t since, until; /* versions of CUDA; 0: not given */
};

/*
 * Read the words behind the command's name. The defaults stand where an option is not given; of
 * an option that is given twice, the last counts. `json` is right after a failure, too.
 */
bool arguments_read(struct arguments *arguments, enum command command, int count, char **words,
                    struct failure *failure);

void arguments_free(struct arguments *arguments);

#endif
