/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that processes share under a random name: a section of Windows. The name is there as long
 * as the one who made it keeps it, and those of other sessions do not see it.
 */
#ifndef CUSHIM_MOCK_MEMORY_SECTION_WINDOWS_H
#define CUSHIM_MOCK_MEMORY_SECTION_WINDOWS_H

#include <windows.h>

#include "src/mock/memory/pages.h"

/* The name of an object of a key, for people and CreateMutexA() and its like. */
enum { MOCK_SECTION_NAME = 96 };
void cushim__mock_section_name(char name[MOCK_SECTION_NAME], const char *what,
                               const unsigned char key[MOCK_PAGES_KEY_BYTES]);

/* Make one, zeroed, with a key that no other has. NULL: the system refuses. */
HANDLE cushim__mock_section_create(const char *what, unsigned char key[MOCK_PAGES_KEY_BYTES],
                                   size_t bytes);

/* Map what another process has made. NULL: it is not there. */
void *cushim__mock_section_find(const char *what, const unsigned char key[MOCK_PAGES_KEY_BYTES],
                                size_t *bytes);

#endif
