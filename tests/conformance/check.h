/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Assertions of cases. A failed assertion is printed, and the case continues, because later results
 * help to explain the failure.
 */
#ifndef CUSHIM_TESTS_CONFORMANCE_CHECK_H
#define CUSHIM_TESTS_CONFORMANCE_CHECK_H

#include <stdbool.h>

#include <cuda.h>

#include "tests/support/verdict.h"

/* Call all of these only on the case's own thread. */
bool check_code(int line, const char *text, CUresult got, CUresult want);
bool check_one_of(int line, const char *text, CUresult got, const int *list);
bool check_number(int line, const char *text, long long got, long long want);
bool check_true(int line, const char *text, bool holds);

/* For preparations, not counted as an assertion; a failure ends the case. */
void check_begin(int line, const char *text, CUresult got);

/*
 * Assert that a call returns a code, succeeds, reports a wrong argument, or returns a code of a
 * list.
 */
#define CODE(want, call) check_code(__LINE__, #call, (call), (CUresult)(want))
#define OK(call) CODE(CUDA_SUCCESS, call)
#define REFUSED(call) CODE(CUDA_ERROR_INVALID_VALUE, call)
#define ONE_OF(call, ...) check_one_of(__LINE__, #call, (call), (const int[]){__VA_ARGS__, -1})

/* Assert that an integer has a value, or that a condition holds. */
#define EQUAL(want, value) check_number(__LINE__, #value, (long long)(value), (long long)(want))
#define CHECK(condition) check_true(__LINE__, #condition, (condition))

#define MUST(call) check_begin(__LINE__, #call, (call))

/* The length of an array, such as the rows of a case. */
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Add assertions that another process of the case has made. */
void check_add(unsigned assertions);

/* End the case with the result of its assertions, and print their number. */
_Noreturn void check_end(void);

/* The same in another process of the case, which prints no number. */
_Noreturn void check_peer_end(void);

/*
 * Remove the number of assertions from the end of a process's output. 0: the process did not
 * finish.
 */
unsigned check_count(char *output);

#endif
