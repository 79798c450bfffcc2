/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUSHIM_TESTS_KERNEL_DIFFERENTIAL_CHECK_H
#define CUSHIM_TESTS_KERNEL_DIFFERENTIAL_CHECK_H

#include "program.h"

/* Print digests of the results, and some of the approximate results. */
bool digest_all(const struct programs *programs, bool mock);

/* Print the text of a program, and the operands and results of each thread. */
bool show_one(const struct programs *programs, bool mock, const char *name);

/* Compare the results with a file of digests. */
bool check_all(const struct programs *programs, bool mock, const char *path);

#endif
