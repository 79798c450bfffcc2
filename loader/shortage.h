/* SPDX-License-Identifier: Apache-2.0 */
/* Shortage: what the process, or its system, has run out of where a library cannot be opened. */
#ifndef CUSHIM_LOADER_SHORTAGE_H
#define CUSHIM_LOADER_SHORTAGE_H

#include <cushim/report.h>

/* NO_DESCRIPTOR or NO_MEMORY by a number of errno; NOT_LOADABLE: it is none of these. */
enum cushim_outcome cushim__shortage_of(int error);

/*
 * The same by the dynamic linker's words in English. Where they leave it open why a file was not
 * mapped, the system is asked for as much address space.
 */
enum cushim_outcome cushim__shortage_told(const char *message);

#endif
