/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUSHIM_TESTS_KERNEL_DIFFERENTIAL_RUN_H
#define CUSHIM_TESTS_KERNEL_DIFFERENTIAL_RUN_H

#include "program.h"

/*
 * What to do with the results of a kernel, packed; or with the reason why there are none, and then
 * `results` is NULL. It is called in a child process, in the order of the programs.
 */
typedef void visitor(const struct programs *programs, size_t kernel, const unsigned char *results,
                     const char *why);

/* Execute programs on the mock or on the driver of this machine; an empty `only` means all. */
bool run(const struct programs *programs, bool mock, const char *only, visitor *visit);

/* Memory that child processes share, all zero. */
void *must_share(size_t bytes);

#endif
