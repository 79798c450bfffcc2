/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUSHIM_TESTS_KERNEL_DIFFERENTIAL_COMPARE_H
#define CUSHIM_TESTS_KERNEL_DIFFERENTIAL_COMPARE_H

#include "program.h"

/* Print the differences between two files of results. Returns true if there is none. */
bool compare_results(const struct programs *programs, const char *path, const char *other);

/* Print digests of the results, and some of the approximate results. */
bool compare_digest(const struct programs *programs, const char *path);

/* Compare a file of results with digests. */
bool compare_check(const struct programs *programs, const char *path, const char *digests);

#endif
