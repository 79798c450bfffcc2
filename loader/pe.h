/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUSHIM_LOADER_PE_H
#define CUSHIM_LOADER_PE_H

#include <stdbool.h>

#include <cushim/report.h>

/*
 * Look at a library's file before Windows does: it has one code for every file that it refuses, and
 * the user needs to know what is wrong with this one. Returns false and writes the candidate's
 * outcome and message if the file cannot be a library for this process.
 */
bool cushim__pe_check(struct cushim_candidate *candidate, const wchar_t *path);

#endif
