/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that look random and come again: the same from the same seed, on every machine. */
#ifndef CUSHIM_TESTS_HOSTILE_RANDOM_H
#define CUSHIM_TESTS_HOSTILE_RANDOM_H

#include <stdint.h>

struct random {
    uint64_t state;
};

/* Begin the numbers of one mutant. */
static inline struct random random_begin(uint64_t seed, uint64_t number)
{
    return (struct random){seed * 0xd1342543de82ef95u + number};
}

/* splitmix64: public domain, by its author's word. */
static inline uint64_t random_next(struct random *random)
{
    uint64_t bits = random->state += 0x9e3779b97f4a7c15u;

    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
    return bits ^ bits >> 31;
}

/* One of 0 to below - 1; `below` is not 0. */
static inline uint64_t random_below(struct random *random, uint64_t below)
{
    return random_next(random) % below;
}

#endif
