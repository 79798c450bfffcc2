/* SPDX-License-Identifier: Apache-2.0 */
/* What a case asserts. A failed assertion is printed, and the case goes on: it says more so. */
#ifndef CUSHIM_TESTS_CONFORMANCE_CHECK_H
#define CUSHIM_TESTS_CONFORMANCE_CHECK_H

#include <stdbool.h>

#include <cuda.h>

#include "tests/support/verdict.h"

/* All may be called on the case's own thread only. */
bool check_code(int line, const char *text, CUresult got, CUresult want);
bool check_one_of(int line, const char *text, CUresult got, const int *list);
bool check_number(int line, const char *text, long long got, long long want);
bool check_true(int line, const char *text, bool holds);

/* Not an assertion: what a case needs to begin at all, or it fails here. */
void check_begin(int line, const char *text, CUresult got);

/* A call answers a code, success, that an argument is wrong, or one of a list. */
#define CODE(want, call) check_code(__LINE__, #call, (call), (CUresult)(want))
#define OK(call) CODE(CUDA_SUCCESS, call)
#define REFUSED(call) CODE(CUDA_ERROR_INVALID_VALUE, call)
#define ONE_OF(call, ...) check_one_of(__LINE__, #call, (call), (const int[]){__VA_ARGS__, -1})

/* An integer has a value; a condition holds. */
#define EQUAL(want, value) check_number(__LINE__, #value, (long long)(value), (long long)(want))
#define CHECK(condition) check_true(__LINE__, #condition, (condition))

#define MUST(call) check_begin(__LINE__, #call, (call))

/* The length of an array, as of the rows of a case. */
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Assertions of another process of the case. */
void check_add(unsigned assertions);

/* End the case by what its assertions came to, and print their number. */
_Noreturn void check_end(void);

/* The same in another process of the case, which reports no number. */
_Noreturn void check_peer_end(void);

/* Take the number off the end of what a process has said. 0: it did not come to its end. */
unsigned check_count(char *output);

#endif
