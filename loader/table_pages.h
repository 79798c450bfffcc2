/* SPDX-License-Identifier: Apache-2.0 */
/* Memory for the tables that are filled while the process runs, and then made read-only. */
#ifndef CUSHIM_LOADER_TABLE_PAGES_H
#define CUSHIM_LOADER_TABLE_PAGES_H

#include <stdbool.h>
#include <stddef.h>

enum cushim__pages { CUSHIM__PAGES_DRIVER, CUSHIM__PAGES_ABSENT, CUSHIM__PAGES_COUNT };

/* Static memory for a table. It shares no page with other data, and is the same at every call. */
void *cushim__pages(enum cushim__pages which);

/* Make a table read-only. Returns false if the system refuses; then the table stays writable. */
bool cushim__pages_seal(void *memory, size_t size);

#endif
