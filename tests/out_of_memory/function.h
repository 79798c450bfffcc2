/* SPDX-License-Identifier: Apache-2.0 */
/* Public functions, in calls that succeed if nothing is denied. */
#ifndef CUSHIM_TESTS_OOM_FUNCTION_H
#define CUSHIM_TESTS_OOM_FUNCTION_H

#include <cushim/cushim.h>

#include "tests/support/then.h"

struct function {
    const char *names;      /* the functions that the row calls, separated by blanks */
    CUresult (*call)(void); /* returns the first code other than success; leaves nothing */
    CUresult also;          /* a further code that it may return if memory runs out */
};

/* A row without names ends each table. */
extern const struct function loader_functions[]; /* each in its own process */
extern const struct function mock_functions[];
extern const struct function testkit_functions[];

#endif
