/* SPDX-License-Identifier: Apache-2.0 */
/* Misuse that is inserted into a random program. */
#ifndef CUSHIM_TESTS_CHECK_INJECTED_H
#define CUSHIM_TESTS_CHECK_INJECTED_H

#include "tests/check/random_program.h"

/* A misuse, and its effect on the program. */
struct injected {
    const char *id;
    void (*inject)(struct random_program *program);
    bool is_lost; /* the context is lost, so no calls may follow */
};

/* A NULL id ends the array. */
extern const struct injected injected[];

#endif
