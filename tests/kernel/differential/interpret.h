/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUSHIM_TESTS_KERNEL_DIFFERENTIAL_INTERPRET_H
#define CUSHIM_TESTS_KERNEL_DIFFERENTIAL_INTERPRET_H

#include "program.h"
#include "results.h"

/* Interpret one kernel, without a driver; returns its results, or the reason why there are none. */
enum outcome interpret_kernel(const struct programs *programs, size_t index, unsigned char *packed,
                              char *why, size_t room);

/* Interpret all kernels, and write a file of results. */
bool interpret_run(const struct programs *programs, const char *path);

#endif
