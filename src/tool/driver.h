/* SPDX-License-Identifier: Apache-2.0 */
/* The driver as the commands need it: initialised, or a failure that says why not. */
#ifndef CUSHIM_TOOL_DRIVER_H
#define CUSHIM_TOOL_DRIVER_H

#include <stdbool.h>

#include <cushim/report.h>

#include "src/tool/failure.h"

/*
 * Load and initialise the driver. `library` is the path that the user named, relative ones too, or
 * NULL. The report is filled in any case.
 */
bool driver_open(const char *library, struct cushim_report *report, struct failure *failure);

#endif
