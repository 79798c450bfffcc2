/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mutants of a victim, by number.
 *
 * First come those that follow from its fields: each field set to each of some values, each row of
 * a table put over each other one, the file cut short at each field and made longer. What follows
 * is random, and named by the seed besides.
 */
#ifndef CUSHIM_TESTS_HOSTILE_MUTANT_H
#define CUSHIM_TESTS_HOSTILE_MUTANT_H

#include "tests/hostile/victim.h"

enum { MUTANT_MOST_MORE = 65536, MUTANT_WORDS = 256 };

struct mutant {
    unsigned char *bytes; /* room for the victim's and MUTANT_MOST_MORE */
    size_t size;
    char words[MUTANT_WORDS]; /* what is different */
};

/* How many there are that are not random. */
uint64_t mutant_count(const struct victim *victim);

struct mutant mutant_begin(const struct victim *victim);
void mutant_make(struct mutant *mutant, const struct victim *victim, uint64_t seed,
                 uint64_t number);
void mutant_end(struct mutant *mutant);

#endif
