/* SPDX-License-Identifier: Apache-2.0 */
/* What the programs of this folder are told on their command lines. */
#ifndef CUSHIM_TESTS_HOSTILE_SETTINGS_H
#define CUSHIM_TESTS_HOSTILE_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

/* The options that all have, for their usage texts. */
#define SETTINGS_USAGE                                                               \
    "  --count N     how many; 0, the default: all that are not random\n"            \
    "  --first N     the number of the first (0)\n"                                  \
    "  --step N      only each Nth number (1)\n"                                     \
    "  --seed S      of the random ones (1)\n"                                       \
    "  --show WORD   print the mutants that end so: a word of a line of the table\n" \
    "  --keep FILE   write the last mutant there\n"

struct settings {
    const char *victim; /* the file of which mutants are made */
    const char *show, *keep, *way;
    uint64_t count, first, step, seed;
};

/* False: they are not understood. */
bool settings_read(struct settings *settings, int argc, char **argv);

/* Print a usage text. Returns the exit status of a program that does nothing else. */
int settings_explain(const char *usage, int argc, char **argv);

/* Write a file, or end the program. */
void settings_write(const char *path, const void *bytes, uint64_t size);

#endif
