/* SPDX-License-Identifier: Apache-2.0 */
/* What the shared library of the mock exports; generated. */
#ifndef CUSHIM_LIBRARY_LIBRARY_H
#define CUSHIM_LIBRARY_LIBRARY_H

#include <stdbool.h>

#include <cushim/table.h>

/* Where the exported functions lead: the mock's table, or one that wraps it. */
extern const struct cushim_table *cushim__exports;

/* The exported functions in slot order. */
extern const cushim_function cushim__exported[];

/*
 * Take what came after a version out of this library's own symbols, so that no lookup finds it any
 * more: programs try names to learn what a driver has. False: the system does not let us.
 */
bool cushim__hide_later(int version);

/* The number of this process. */
unsigned long cushim__library_process(void);

/* How the library begins with its process, and ends with it: the system calls both. */

/* library.c */
void cushim__library_begin(void);
void cushim__library_end(void);

/* Where the system has mapped the library. Windows only. */
const char *cushim__library_base(void);

#endif
