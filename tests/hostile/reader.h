/* SPDX-License-Identifier: Apache-2.0 */
/* What cushim reads of somebody else's in its own process, for mutants of it. */
#ifndef CUSHIM_TESTS_HOSTILE_READER_H
#define CUSHIM_TESTS_HOSTILE_READER_H

#include "tests/hostile/mutant.h"

enum { READER_MOST_ANSWERS = 24 };

struct reader {
    const char *name;
    struct victim *(*open)(const char *path);
    /*
     * Read one mutant. Returns which of the answers it got, or ends the program if that is wrong.
     */
    unsigned (*read)(const struct victim *victim, const struct mutant *mutant);
    /* Of one answer; NULL: there is no such one. */
    const char *(*answer)(unsigned index);
};

/* Say what is wrong with an answer, and end the program. */
void reader_fail(const char *what);

/* Read the mutants that the arguments of a program ask for, and print how many got which answer. */
int reader_main(const struct reader *const *readers, int argc, char **argv);

#endif
