/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUSHIM_LOADER_SEARCH_H
#define CUSHIM_LOADER_SEARCH_H

#include <stdbool.h>

#include <cushim/report.h>

/*
 * Look at the file that the dynamic linker's search would come upon, as cushim__elf_check() looks
 * at one that is named: the search maps a truncated file too, and waits at a pipe.
 *
 * Returns false, and writes the candidate's outcome and message, if that file must not be opened. A
 * library for another architecture is passed over by the linker as well; it is noted in
 * `passed_over`, whose path is empty otherwise. What the linker's cache leads to outside the
 * folders that the system tells of is not seen here.
 */
bool cushim__search_check(struct cushim_candidate *candidate, struct cushim_candidate *passed_over);

/* Open the library of this name, without a folder, that the process has mapped; NULL: none. */
void *cushim__search_mapped(const char *name);

/* Give a candidate of the search the outcome of a file that it leads to, and name the file. */
void cushim__search_adopt(struct cushim_candidate *candidate, const struct cushim_candidate *file);

#endif
