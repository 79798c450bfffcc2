/* SPDX-License-Identifier: Apache-2.0 */
/* The driver under test, as a table and by exact symbols. */
#ifndef CUSHIM_TESTS_CONFORMANCE_BACKEND_H
#define CUSHIM_TESTS_CONFORMANCE_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cushim/table.h>

/* The table of the driver under test. */
extern const struct cushim_table *cu;

/* What --driver named: `mock` (in this process), `real` (by the loader), or a path. */
extern const char *backend_driver;

/* What --stub named: the toolkit's link-time stub library, or NULL. */
extern const char *backend_stub;

/* Settings of a mock, for the processes that this one starts; NULL: none. */
#define BACKEND_SETTINGS "CUSHIM_MOCK_SETTINGS"

/* Open the driver. Returns NULL, or why it cannot be had. */
const char *backend_open(void);

/*
 * Load cushim's own table from it and initialise, for cases about cushim; cushim_driver_init()'s
 * answer.
 */
CUresult backend_init_cushim(void);

/* Whether it is a mock, in this process or a library. */
bool backend_is_mock(void);

/* The clock that delays are made by: a mock's in this process, else the monotonic one. */
uint64_t backend_now_ns(void);

/* Its file, or `mock`. */
const char *backend_name(void);

/* An exported symbol; NULL if there is none of this name. */
cushim_function backend_symbol(const char *name);

/* How many misuses a mock has seen: uses of handles that were destroyed or never existed. */
size_t backend_misuses(void);

#endif
