/* SPDX-License-Identifier: Apache-2.0 */
#define _CRT_RAND_S
#include <stdlib.h>

#include "src/mock/memory/section_windows.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static bool fill_random(unsigned char *bytes, size_t count)
{
    unsigned number;

    for (size_t i = 0; i < count; i += sizeof number) {
        if (rand_s(&number) != 0)
            return false;
        memcpy(bytes + i, &number, sizeof number);
    }
    return true;
}

void cushim__mock_section_name(char name[MOCK_SECTION_NAME], const char *what,
                               const unsigned char key[MOCK_SECTION_KEY_BYTES])
{
    int length = snprintf(name, MOCK_SECTION_NAME, "Local\\cushim-%.16s-", what);

    for (size_t i = 0; i < MOCK_SECTION_KEY_BYTES; i++)
        length += snprintf(name + length, 3, "%02x", key[i]);
}

HANDLE cushim__mock_section_create(const char *what, unsigned char key[MOCK_SECTION_KEY_BYTES],
                                   size_t bytes)
{
    char name[MOCK_SECTION_NAME];

    if (!fill_random(key, MOCK_SECTION_KEY_BYTES))
        return NULL;
    cushim__mock_section_name(name, what, key);
    return CreateFileMappingA(INVALID_HANDLE_VALUE, NULL, PAGE_READWRITE,
                              (DWORD)((uint64_t)bytes >> 32), (DWORD)bytes, name);
}

void *cushim__mock_section_find(const char *what, const unsigned char key[MOCK_SECTION_KEY_BYTES],
                                size_t *bytes)
{
    char name[MOCK_SECTION_NAME];
    MEMORY_BASIC_INFORMATION view;
    HANDLE section;
    void *pages;

    cushim__mock_section_name(name, what, key);
    section = OpenFileMappingA(FILE_MAP_READ | FILE_MAP_WRITE, FALSE, name);
    if (!section)
        return NULL;
    pages = MapViewOfFile(section, FILE_MAP_READ | FILE_MAP_WRITE, 0, 0, 0);
    CloseHandle(section); /* the name goes with its maker */
    if (!pages)
        return NULL;
    if (!VirtualQuery(pages, &view, sizeof view)) {
        UnmapViewOfFile(pages);
        return NULL;
    }
    *bytes = view.RegionSize;
    return pages;
}
