/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Libraries as the operating system has them.
 *
 *   library_posix.c, library_windows.c   open one, find its symbols, name its file
 *   look_elf.c, look_pe.c                a look at the file of a path before it is opened
 */
#ifndef CUSHIM_LOADER_LIBRARY_H
#define CUSHIM_LOADER_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include <cushim/report.h>
#include <cushim/table.h>

/*
 * Open the library of a candidate, for good. On failure returns NULL and writes the candidate's
 * outcome and message; on success leaves them alone.
 */
void *cushim__library_open(struct cushim_candidate *candidate);

/* A symbol of an open library; NULL: it has none. It is a cushim_resolver. */
cushim_function cushim__library_symbol(const char *symbol, void *library);

/* Path of an open library's file; an empty string if the system cannot say. */
void cushim__library_path(void *library, char *path, size_t size);

/* Path of the file that a function is in. Slower: the linker looks at all symbols of it. */
void cushim__function_path(cushim_function function, char *path, size_t size);

/* --- Linux: look_elf.c and library_posix.c --- */

/*
 * Whether the file at the candidate's path can be given to the linker. If not, writes the
 * candidate's outcome and message.
 */
bool cushim__elf_check(struct cushim_candidate *candidate);

/* What the error number of open() means for a candidate. */
enum cushim_outcome cushim__outcome_of_errno(int error);

/* --- Windows: look_pe.c --- */

/*
 * Check a PE file before it is loaded: Windows has one code for every file that it refuses, and the
 * user needs to know what is wrong with this one.
 */
bool cushim__pe_check(struct cushim_candidate *candidate, const wchar_t *path);

#endif
