/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared libraries, by operating system.
 *
 *   library_posix.c, library_windows.c   where to find the driver, and what is in a library
 *   look_elf.c, look_pe.c                check a file before it is opened
 */
#ifndef CUSHIM_LOADER_LIBRARY_H
#define CUSHIM_LOADER_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "loader/report.h"
#include <cushim/table.h>

/* A name or path to try for the driver. */
struct cushim__place {
    enum cushim_origin origin;
    const char *path;
};

/* The names and paths to try if none is given, in order, ending with a NULL path. */
extern const struct cushim__place cushim__places[];

/*
 * Open the library of a candidate. On failure, returns NULL and writes the candidate's outcome and
 * message; on success, leaves them alone.
 */
void *cushim__library_open(struct cushim__candidate *candidate);

/* Close a library that has turned out not to be a driver. */
void cushim__library_close(void *library);

/* Find a symbol of an open library; NULL if it has none. This is a cushim_resolver. */
cushim_function cushim__library_symbol(const char *symbol, void *library);

/* Path of an open library's file; an empty string if the system does not know it. */
void cushim__library_path(void *library, char *path, size_t size);

/* Path of the file that contains a function. Slower: the linker searches all of its symbols. */
void cushim__function_path(cushim_function function, char *path, size_t size);

/*
 * Path of another file that is in the process under the name of a driver, beside the one that
 * `library` is the path of; an empty string if there is none.
 */
void cushim__other_driver(const char *library, char *path, size_t size);

/* --- Linux: look_elf.c and library_posix.c --- */

/*
 * Check whether the file at the candidate's path can be passed to the linker. If not, write the
 * candidate's outcome and message.
 */
bool cushim__elf_check(struct cushim__candidate *candidate);

/* What the error number of open() means for a candidate. */
enum cushim_outcome cushim__outcome_of_errno(int error);

/* --- Windows: look_pe.c --- */

/*
 * Check a PE file before it is loaded. Windows has a single code for all files that it refuses, and
 * the user needs the reason.
 */
bool cushim__pe_check(struct cushim__candidate *candidate, const wchar_t *path);

#endif
