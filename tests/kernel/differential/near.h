/* SPDX-License-Identifier: Apache-2.0 */
/* Results of approximate instructions. */
#ifndef CUSHIM_TESTS_KERNEL_DIFFERENTIAL_NEAR_H
#define CUSHIM_TESTS_KERNEL_DIFFERENTIAL_NEAR_H

#include "program.h"

/* Whether two results of a kernel differ by no more than the errors that are permitted. */
bool is_near(const struct kernel *kernel, uint64_t a, uint64_t b);

#endif
