/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that every trace file must pass, whatever it contains. */
#ifndef CUSHIM_TESTS_TRACE_CHECK_H
#define CUSHIM_TESTS_TRACE_CHECK_H

#include <stdbool.h>

/*
 * Read the file at `path` and write all outputs. A failed check ends the process through CLAIM() of
 * tests/fuzz/fuzz.h. Returns false if the reader refuses the file.
 */
bool trace_check(const char *path);

#endif
