/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forked tests: each test that changes the state of its process runs in a child.
 *
 *     const struct CMUnitTest tests[] = {forked_test(name), ...};
 *
 * cmocka's assertions work in a forked_test() as usual.
 */
#ifndef CUSHIM_TESTS_UNIT_FORKED_H
#define CUSHIM_TESTS_UNIT_FORKED_H

#include <stdbool.h>

#include "tests/support/cmocka.h"

struct forked_body {
    const char *name;
    CMUnitTestFunction run;
};

/* A row for cmocka's table: `body` runs in a child. */
#define forked_test(body)                                         \
    {                                                             \
#body, forked_test_run, NULL, NULL, &(struct forked_body) \
        {                                                         \
#body, body                                           \
        }                                                         \
    }
void forked_test_run(void **state);

/* forked_answer() returns this if the child died, less the number of the signal, if any. */
enum { FORKED_DIED = -1000 };

/* Fork, call `function` in the child outside of cmocka, and return its result. */
int forked_answer(int (*function)(void));

/*
 * Does the system report the history of a process's memory? Windows does not, and user-mode
 * emulators synthesise /proc/self/stat with zeros for the fields that they do not know.
 */
bool forked_is_told_by_the_system(void);

#endif
