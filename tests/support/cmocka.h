/* SPDX-License-Identifier: Apache-2.0 */
/* cmocka with the headers that must come before it, and what most tests use with it. */
#ifndef CUSHIM_TESTS_SUPPORT_CMOCKA_H
#define CUSHIM_TESTS_SUPPORT_CMOCKA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A test has its parameter `state`, and a callback its `data`, whether it uses them or not. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/*
 * The tests of a program: TEST_BETWEEN(name_of_a_fact, setup, teardown) { ... }. They run in the
 * order in which they are written. A program needs a main() only if there is more to do.
 */
#define TEST_BETWEEN(name, setup, teardown) TEST_FROM(name, setup, teardown, NULL)
#define TEST_ALONE(name) TEST_BETWEEN(name, NULL, NULL)

/* The same with an initial state, for the setup. */
#define TEST_FROM(name, setup, teardown, initial_state)                                     \
    static void name(void **state);                                                         \
    __attribute__((constructor)) static void add_##name(void)                               \
    {                                                                                       \
        test_add((struct CMUnitTest){#name, name, setup, teardown, (void *)initial_state}); \
    }                                                                                       \
    static void name(void **state)

void test_add(struct CMUnitTest test);

/* Run the tests between the setup and the teardown of the group; returns the exit status. */
int run_all_tests(CMFixtureFunction setup, CMFixtureFunction teardown);

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Assert that a call returns this code. */
#define CODE(want, call) assert_int_equal((call), (want))
#define OK(call) CODE(CUDA_SUCCESS, call)

/* Assert that a text has this part, or has it not. */
#define CONTAINS(text, part) assert_non_null(strstr(text, part))
#define LACKS(text, part) assert_null(strstr(text, part))

#endif
