/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUSHIM_TESTS_KERNEL_DIFFERENTIAL_INTERPRET_H
#define CUSHIM_TESTS_KERNEL_DIFFERENTIAL_INTERPRET_H

#include "program.h"
#include "results.h"

/* One kernel by the interpreter, without a driver: its results, or why there are none. */
enum outcome interpret_kernel(const struct programs *programs, size_t index, unsigned char *packed,
                              char *why, size_t room);

/* All of them, into a file of results. */
bool interpret_run(const struct programs *programs, const char *path);

#endif
