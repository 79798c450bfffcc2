/* SPDX-License-Identifier: Apache-2.0 */
/* What the shared library of the mock exports; generated. */
#ifndef CUSHIM_MOCK_LIBRARY_EXPORTS_H
#define CUSHIM_MOCK_LIBRARY_EXPORTS_H

#include <cushim/table.h>

/* Where the exported functions lead: the mock's table, or one that wraps it. */
extern const struct cushim_table *cushim__exports;

/* The exported functions in slot order. */
extern const cushim_function cushim__exported[];

#endif
