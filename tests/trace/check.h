/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that hold for every trace file, whatever it contains. */
#ifndef CUSHIM_TESTS_TRACE_CHECK_H
#define CUSHIM_TESTS_TRACE_CHECK_H

#include <stdbool.h>

/*
 * Read the file at `path` and write all outputs. A check that fails ends the process, by CLAIM() of
 * tests/fuzz/fuzz.h. False: the reader has refused the file.
 */
bool trace_check(const char *path);

#endif
