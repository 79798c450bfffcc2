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

/* The table whose slots the exported functions call. */
extern const struct cushim_table *cushim__exports;

/* The exported functions in slot order. */
extern const cushim_function cushim__exported[];

/*
 * Remove names from the symbols of this library, so that no lookup finds them: programs learn by
 * lookups what a driver has. Returns false if the system does not allow it.
 */
bool cushim__hide_symbols(bool (*is_hidden)(const char *name));

/* library.c or over_driver.c: called when the library is loaded, and when the process ends. */
void cushim__library_begin(void);
void cushim__library_end(void);

struct cushim_mock;

/*
 * Load the file of kernels that CUSHIM_MOCK_KERNELS names, if it names one. Returns false if the
 * file is refused; then `message` says why.
 */
bool cushim__library_kernels(struct cushim_mock *mock, char *message, size_t size);

/* Print which of the kernels of that file the program has not launched. */
void cushim__library_kernels_print_unused(void);

/* Whether CUSHIM_TRACE or CUSHIM_CHECK is for the mock; with CUSHIM_DRIVER, over_driver.c acts. */
bool cushim__library_is_asked(const char *variable);

/*
 * Begin a trace if the environment asks for one: CUSHIM_TRACE is the path, CUSHIM_TRACE_OPTIONS has
 * settings. Returns false if it is refused; then `message` says why.
 */
bool cushim__library_trace(const char *driver, int driver_version, char *message, size_t size);

/*
 * The same for a check: findings go to the file whose name is CUSHIM_CHECK and `.PID`,
 * CUSHIM_CHECK_OPTIONS has settings, and CUSHIM_CHECK_SUPPRESSIONS is the path of a file. A check
 * must not change the results of calls, so a refused check is left out, which is reported on
 * standard error and in the file of findings.
 */
void cushim__library_check(void);

/* The check of `cushim run`, whose findings go to the file of CUSHIM_MOCK_REPORT, if it is set. */
void cushim__library_check_run(bool has_leaks);

#endif
