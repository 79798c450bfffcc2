/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forked tests: what changes the state of a process runs in a process of its own.
 *
 *     const struct CMUnitTest tests[] = {forked_test(name), ...};
 *
 * cmocka's assertions work in a forked_test() as usual.
 */
#ifndef CUSHIM_TESTS_UNIT_FORKED_H
#define CUSHIM_TESTS_UNIT_FORKED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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

/* What forked_answer() returns, less the number of the signal, if the child died of one. */
enum { FORKED_DIED = -1000 };

/* Fork, call `function` in the child without cmocka around it, and return its answer. */
int forked_answer(int (*function)(void));

#endif
