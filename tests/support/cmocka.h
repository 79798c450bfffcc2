/* SPDX-License-Identifier: Apache-2.0 */
/* cmocka with the headers that must come before it, and what most tests use with it. */
#ifndef CUSHIM_TESTS_SUPPORT_CMOCKA_H
#define CUSHIM_TESTS_SUPPORT_CMOCKA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A test has its parameter `state`, and a callback its `data`, whether it uses them or not. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Assert that a call returns this code. */
#define CODE(want, call) assert_int_equal((call), (want))
#define OK(call) CODE(CUDA_SUCCESS, call)

#endif
