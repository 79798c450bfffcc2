/* SPDX-License-Identifier: Apache-2.0 */
/* Misuse that is put into a random program. */
#ifndef CUSHIM_TESTS_CHECK_INJECTED_H
#define CUSHIM_TESTS_CHECK_INJECTED_H

#include "tests/check/random_program.h"

/* A misuse, and how its program goes on. */
struct injected {
    const char *id;
    void (*inject)(struct random_program *program);
    bool is_lost; /* the context is lost: nothing is called after it */
};

/* Up to a NULL id. */
extern const struct injected injected[];

#endif
