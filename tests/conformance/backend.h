/* SPDX-License-Identifier: Apache-2.0 */
/* The driver under test: its table and its exported symbols. */
#ifndef CUSHIM_TESTS_CONFORMANCE_BACKEND_H
#define CUSHIM_TESTS_CONFORMANCE_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cushim/table.h>

/* The table of the driver under test. */
extern const struct cushim_table *cu;

/* The argument of --driver: `mock` (in this process), `real` (found by the loader), or a path. */
extern const char *backend_driver;

/* The argument of --stub: the toolkit's stub library, or NULL. */
extern const char *backend_stub;

/* The settings of a mock for processes that this one starts; NULL: none. */
#define BACKEND_SETTINGS "CUSHIM_MOCK_SETTINGS"

/* Open the driver. Returns NULL, or the reason of a failure. */
const char *backend_open(void);

/*
 * Load cushim's own table from the driver and initialise, for cases about cushim. Returns the
 * result of cushim_driver_init().
 */
CUresult backend_init_cushim(void);

/* Whether the driver is a mock, in this process or as a library. */
bool backend_is_mock(void);

/*
 * The clock for delays: the virtual clock of a mock in this process, or else the monotonic clock.
 */
uint64_t backend_now_ns(void);

/* The driver's file, or `mock`. */
const char *backend_name(void);

/* An exported symbol, or NULL. */
cushim_function backend_symbol(const char *name);

/* How many misuses a mock has reported: uses of handles that were destroyed or never existed. */
size_t backend_misuses(void);

#endif
