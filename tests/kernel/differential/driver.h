/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUSHIM_TESTS_KERNEL_DIFFERENTIAL_DRIVER_H
#define CUSHIM_TESTS_KERNEL_DIFFERENTIAL_DRIVER_H

#include "program.h"

/* Execute all programs on the mock or on the driver of this machine, and write their results. */
bool driver_run(const struct programs *programs, const char *path, bool mock);

#endif
