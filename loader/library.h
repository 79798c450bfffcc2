/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries as the operating system has them: how a driver is opened, and what is asked of it. */
#ifndef CUSHIM_LOADER_LIBRARY_H
#define CUSHIM_LOADER_LIBRARY_H

#include <stddef.h>

#include <cushim/report.h>
#include <cushim/table.h>

/*
 * Open the library of a candidate, for good. On failure returns NULL and writes the candidate's
 * outcome and message; on success leaves them alone.
 */
void *cushim__library_open(struct cushim_candidate *candidate);

/* Open a library that the process has mapped already; NULL if it has not. */
void *cushim__library_mapped(const char *name);

cushim_function cushim__library_symbol(void *library, const char *symbol);

/* Path of the library that a function lives in; an empty string if the system cannot tell. */
void cushim__library_path(cushim_function function, char *path, size_t size);

#endif
