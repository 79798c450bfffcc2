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
enum command { COMMAND_INFO = 1, COMMAND_TIME = 2 };

enum option_kind { OPTION_FLAG, OPTION_PATH, OPTION_NUMBER, OPTION_SIZE };

struct option {
    const char *name;  /* with its dashes */
    const char *value; /* what stands for its value in the manual; NULL: it takes none */
    enum option_kind kind;
    unsigned commands;         /* that have it */
    size_t field;              /* offset in struct arguments; the kind says of which type */
    uint64_t minimum, maximum; /* of a number or size */
    const char *help;          /* sentences */
};

extern const struct option arguments_options[]; /* ends with a NULL name */

struct arguments {
    bool json;
    bool help;
    const char *library; /* NULL: not given */
    uint64_t bytes;
    uint64_t repeat;
    uint64_t device;
};

const char *arguments_command_name(enum command command);

/*
 * Read the words behind the command's name. The defaults stand where an option is not given; of
 * an option that is given twice, the last counts. `json` is right after a failure, too.
 */
bool arguments_read(struct arguments *arguments, enum command command, int count, char **words,
                    struct failure *failure);

#endif
