/* SPDX-License-Identifier: Apache-2.0 */
/* cmocka, after the headers that it needs before it, and what most tests with it use. */
#ifndef CUSHIM_TESTS_SUPPORT_CMOCKA_H
#define CUSHIM_TESTS_SUPPORT_CMOCKA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A call that must answer this code. */
#define CODE(want, call) assert_int_equal((call), (want))
#define OK(call) CODE(CUDA_SUCCESS, call)

#endif
