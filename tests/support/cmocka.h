/* SPDX-License-Identifier: Apache-2.0 */
/* cmocka with the headers that must come before it, and what most tests use with it. */
#ifndef CUSHIM_TESTS_SUPPORT_CMOCKA_H
#define CUSHIM_TESTS_SUPPORT_CMOCKA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/*
 * The tests of a file: TEST_BETWEEN(name_of_a_fact, setup, teardown) { ... }. They run in the order in
 * which they are written, when main() calls run_all_tests().
 */
#define TEST_BETWEEN(name, setup, teardown) TEST_FROM(name, setup, teardown, NULL)
#define TEST_ALONE(name) TEST_BETWEEN(name, NULL, NULL)

/* The same with an initial state, for the setup. */
#define TEST_FROM(name, setup, teardown, initial_state)                                     \
    static void name(void **state);                                                         \
    __attribute__((constructor)) static void add_##name(void)                               \
    {                                                                                       \
        add_test((struct CMUnitTest){#name, name, setup, teardown, (void *)initial_state}); \
    }                                                                                       \
    static void name(void **state)

static struct CMUnitTest tests_of_file[64];
static size_t test_count;

__attribute__((unused)) static void add_test(struct CMUnitTest test)
{
    if (test_count == sizeof tests_of_file / sizeof tests_of_file[0])
        abort();
    tests_of_file[test_count++] = test;
}

/* Run the tests between the setup and the teardown of the group; returns the exit status. */
__attribute__((unused)) static int run_all_tests(CMFixtureFunction setup,
                                                 CMFixtureFunction teardown)
{
    return _cmocka_run_group_tests("tests", tests_of_file, test_count, setup, teardown);
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Assert that a call returns this code. */
#define CODE(want, call) assert_int_equal((call), (want))
#define OK(call) CODE(CUDA_SUCCESS, call)

#endif
