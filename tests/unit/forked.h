/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forked tests: each test that changes the state of its process runs in a child. It is written as
 * FORKED_TEST(name_of_a_fact) { ... }, and cmocka's assertions work in it as usual.
 */
#ifndef CUSHIM_TESTS_UNIT_FORKED_H
#define CUSHIM_TESTS_UNIT_FORKED_H

#include "tests/support/cmocka.h"

struct forked_body {
    const char *name;
    CMUnitTestFunction run;
};

#define FORKED_TEST(name)                                                                \
    static void name(void **state);                                                      \
    static struct forked_body name##_body = {#name, name};                               \
    __attribute__((constructor)) static void add_##name(void)                            \
    {                                                                                    \
        test_add((struct CMUnitTest){#name, forked_test_run, NULL, NULL, &name##_body}); \
    }                                                                                    \
    static void name(void **state)

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
