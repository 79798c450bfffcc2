/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUSHIM_LOADER_ELF_H
#define CUSHIM_LOADER_ELF_H

#include <stdbool.h>

#include <cushim/report.h>

/*
 * Look at a library's file before the dynamic linker does.
 *
 * The linker's answer to a damaged file may be a signal: it maps segments that the file does not
 * have and touches them. And its words for a wrong architecture do not say which. Returns false
 * and writes the candidate's outcome and message if the file cannot be a library for this process.
 */
bool cushim__elf_check(struct cushim_candidate *candidate);

#endif
