/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The libraries that programs load in place of the driver: over the mock (library.c), and over a
 * real driver (over_driver.c). Each exports the whole driver API, generated from the registry.
 */
#ifndef CUSHIM_LIBRARY_LIBRARY_H
#define CUSHIM_LIBRARY_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include <cushim/table.h>

/* Where the exported functions lead. */
extern const struct cushim_table *cushim__exports;

/* The exported functions in slot order. */
extern const cushim_function cushim__exported[];

/*
 * Take names out of this library's own symbols, so that no lookup finds them any more: programs try
 * names to learn what a driver has. False: the system does not let us.
 */
bool cushim__hide_symbols(bool (*is_hidden)(const char *name));

/* How the library begins with its process, and ends with it: the system calls both. */

/* library.c or over_driver.c */
void cushim__library_begin(void);
void cushim__library_end(void);

/* Where the system has mapped the library. Windows only. */
const char *cushim__library_base(void);

/* Whether CUSHIM_TRACE or CUSHIM_CHECK asks the mock for it. */
bool cushim__library_is_asked(const char *variable);

/*
 * Begin the trace that the environment asks for, if it does: CUSHIM_TRACE is the path, and
 * CUSHIM_TRACE_OPTIONS has settings. False: it is refused, and `message` says why.
 */
bool cushim__library_trace(const char *driver, int driver_version, char *message, size_t size);

/*
 * The same of a check: CUSHIM_CHECK is the file that findings are written to, with `.PID`, and
 * CUSHIM_CHECK_OPTIONS has settings. A check must not change what calls answer: one that is refused
 * is left out, on standard error and in that file.
 */
void cushim__library_check(void);

#endif
