/* SPDX-License-Identifier: Apache-2.0 */
#include "cmocka.h"

static struct CMUnitTest tests[256];
static size_t count;

void test_add(struct CMUnitTest test)
{
    if (count == COUNT(tests))
        abort();
    tests[count++] = test;
}

int run_all_tests(CMFixtureFunction setup, CMFixtureFunction teardown)
{
    if (count == 0)
        return EXIT_FAILURE;
    return _cmocka_run_group_tests("tests", tests, count, setup, teardown);
}
