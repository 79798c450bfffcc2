/* SPDX-License-Identifier: Apache-2.0 */
/* What holds of every trace file, whatever is in it. */
#ifndef CUSHIM_TESTS_TRACE_CHECK_H
#define CUSHIM_TESTS_TRACE_CHECK_H

#include <stdbool.h>

/*
 * Read the file at `path` and make all outputs of it: what does not hold ends the process, as
 * CLAIM() of tests/fuzz/fuzz.h. False: it was refused.
 */
bool trace_check(const char *path);

#endif
