/* SPDX-License-Identifier: Apache-2.0 */
/* A program to trace: see program.c. */
#ifndef CUSHIM_TESTS_TRACE_PROGRAM_H
#define CUSHIM_TESTS_TRACE_PROGRAM_H

#include <cushim/cushim.h>

extern const struct cushim_table *cu;

/* Exit if a call has failed. */
void check(CUresult code, const char *what);

/* Load the driver and make the primary context current. */
CUcontext begin(void);

/* Do what the argument `plain` does. */
void plain(void);

void name_ranges(void);
void queue_kinds(void);

#endif
