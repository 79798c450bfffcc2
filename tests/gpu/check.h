/* SPDX-License-Identifier: Apache-2.0 */
/* What a case says: that something holds, what it measured, that it cannot be done here. */
#ifndef CUSHIM_TESTS_GPU_CHECK_H
#define CUSHIM_TESTS_GPU_CHECK_H

#include <stdbool.h>

#include <cuda.h>

#include "tests/support/verdict.h"

/*
 * A call answers a code. A driver that answers CALL_REQUIRES_NEWER_DRIVER or NOT_SUPPORTED where
 * something else is wanted makes the case a skipped one.
 */
void check_code(const char *file, int line, const char *text, CUresult got, CUresult want);
void check_true(const char *file, int line, const char *text, bool holds);

#define CODE(want, call) check_code(__FILE__, __LINE__, #call, (call), (CUresult)(want))
#define OK(call) CODE(CUDA_SUCCESS, call)
#define CHECK(condition) check_true(__FILE__, __LINE__, #condition, (condition))

#endif
