/* SPDX-License-Identifier: Apache-2.0 */
/* Pages from the operating system, backed only once they are touched. */
#ifndef CUSHIM_MOCK_MEMORY_PAGES_H
#define CUSHIM_MOCK_MEMORY_PAGES_H

#include <stdbool.h>
#include <stddef.h>

/* The size of one, in bytes. */
size_t cushim__mock_pages_size(void);

/* How much memory the machine has: what may be page-locked at most. */
size_t cushim__mock_pages_lockable(void);

/* Addresses that nobody can read or write. NULL: there is no room. */
void *cushim__mock_pages_reserve(size_t bytes);

/* Zeroed memory. NULL: out of memory. */
void *cushim__mock_pages_take(size_t bytes);

/* The end of what reserve, take or room gave. */
void cushim__mock_pages_release(void *pages, size_t bytes);

/*
 * Room for memory that is not needed at once. A part of it can be used once the system has promised
 * to back it, which is zero then. NULL, or false: out of memory.
 */
void *cushim__mock_pages_room(size_t bytes);
bool cushim__mock_pages_back(void *pages, size_t bytes);

/* Forget what is in a part of such room: it is unbacked again. */
void cushim__mock_pages_empty(void *pages, size_t bytes);

/* Whether all pages that the bytes touch are mapped: reading them does not fault for that. */
bool cushim__mock_pages_mapped(const void *start, size_t bytes);

#endif
