/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows commits no more memory than RAM and page files can hold, so memory that is not needed yet
 * is only reserved, and committed later.
 */
#define _CRT_RAND_S
#include "src/mock/memory/pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <windows.h>

size_t cushim__mock_pages_size(void)
{
    SYSTEM_INFO info;

    GetSystemInfo(&info);
    return info.dwPageSize;
}

size_t cushim__mock_pages_lockable(void)
{
    MEMORYSTATUSEX status = {.dwLength = sizeof status};

    return GlobalMemoryStatusEx(&status) ? (size_t)status.ullTotalPhys : SIZE_MAX;
}

void *cushim__mock_pages_reserve(size_t bytes)
{
    return VirtualAlloc(NULL, bytes, MEM_RESERVE, PAGE_NOACCESS);
}

void *cushim__mock_pages_take(size_t bytes)
{
    return VirtualAlloc(NULL, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void cushim__mock_pages_release(void *pages, size_t bytes)
{
    (void)bytes;
    VirtualFree(pages, 0, MEM_RELEASE);
}

void *cushim__mock_pages_room(size_t bytes)
{
    return cushim__mock_pages_reserve(bytes);
}

bool cushim__mock_pages_back(void *pages, size_t bytes)
{
    return VirtualAlloc(pages, bytes, MEM_COMMIT, PAGE_READWRITE) != NULL;
}

void cushim__mock_pages_empty(void *pages, size_t bytes)
{
    VirtualFree(pages, bytes, MEM_DECOMMIT);
}

bool cushim__mock_pages_mapped(const void *start, size_t bytes, bool writable, bool *lacks)
{
    const DWORD write = PAGE_READWRITE | PAGE_WRITECOPY | PAGE_EXECUTE_READWRITE |
                        PAGE_EXECUTE_WRITECOPY,
                read = write | PAGE_READONLY | PAGE_EXECUTE_READ;
    const uintptr_t end = (uintptr_t)start + bytes;
    uintptr_t at = (uintptr_t)start;
    MEMORY_BASIC_INFORMATION part;

    (void)lacks;
    while (at < end) {
        if (!VirtualQuery((const void *)at, &part, sizeof part) || part.State != MEM_COMMIT ||
            !(part.Protect & (writable ? write : read)))
            return false;
        at = (uintptr_t)part.BaseAddress + part.RegionSize;
    }
    return end >= (uintptr_t)start;
}

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
                               const unsigned char key[MOCK_PAGES_KEY_BYTES])
{
    int length = snprintf(name, MOCK_SECTION_NAME, "Local\\cushim-%.16s-", what);

    for (size_t i = 0; i < MOCK_PAGES_KEY_BYTES; i++)
        length += snprintf(name + length, 3, "%02x", key[i]);
}

/*
 * Processes share pages in a section. It is mapped elsewhere, since Windows before version 1803 of
 * 10 cannot replace pages that are committed.
 */

static const char what[] = "memory";

enum { PIECE = 64 << 10 };

/* Windows promises that only 32 bits of a handle are significant. */
static HANDLE section_of(const struct mock_shared_pages *shared)
{
    return (HANDLE)(intptr_t)shared->file;
}

/* Zeros are not copied, so that pages that were never touched stay so. */
static void copy_in(char *view, const char *pages, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += PIECE) {
        const size_t count = bytes - at < PIECE ? bytes - at : PIECE;

        if (!cushim__mock_bytes_are_zero(pages + at, count))
            memcpy(view + at, pages + at, count);
    }
}

/* The name exists as long as its creator keeps the section; other sessions do not see it. */
static HANDLE create_section(unsigned char key[MOCK_PAGES_KEY_BYTES], size_t bytes)
{
    char name[MOCK_SECTION_NAME];

    if (!fill_random(key, MOCK_PAGES_KEY_BYTES))
        return NULL;
    cushim__mock_section_name(name, what, key);
    return CreateFileMappingA(INVALID_HANDLE_VALUE, NULL, PAGE_READWRITE,
                              (DWORD)((uint64_t)bytes >> 32), (DWORD)bytes, name);
}

void *cushim__mock_pages_share(void *pages, size_t bytes, struct mock_shared_pages *shared)
{
    HANDLE section = create_section(shared->key, bytes);
    void *view;

    if (!section)
        return NULL;
    view = MapViewOfFile(section, FILE_MAP_READ | FILE_MAP_WRITE, 0, 0, bytes);
    if (!view) {
        CloseHandle(section);
        return NULL;
    }
    copy_in(view, pages, bytes);
    cushim__mock_pages_empty(pages, bytes);
    shared->process = (int32_t)GetCurrentProcessId();
    shared->file = (int32_t)(intptr_t)section;
    return view;
}

/* The original pages have been empty since they were shared. */
void cushim__mock_pages_unshare(void *pages, void *moved, size_t bytes,
                                const struct mock_shared_pages *shared)
{
    (void)pages;
    (void)bytes;
    UnmapViewOfFile(moved);
    CloseHandle(section_of(shared));
}

bool cushim__mock_pages_are_own(const struct mock_shared_pages *shared)
{
    return shared->process == (int32_t)GetCurrentProcessId();
}

void *cushim__mock_pages_find(const struct mock_shared_pages *shared, size_t *bytes, int *file)
{
    char name[MOCK_SECTION_NAME];
    MEMORY_BASIC_INFORMATION view;
    HANDLE section;
    void *pages;

    (void)file;
    cushim__mock_section_name(name, what, shared->key);
    section = OpenFileMappingA(FILE_MAP_READ | FILE_MAP_WRITE, FALSE, name);
    if (!section)
        return NULL;
    pages = MapViewOfFile(section, FILE_MAP_READ | FILE_MAP_WRITE, 0, 0, 0);
    CloseHandle(section); /* the name ends with its creator's handle */
    if (!pages)
        return NULL;
    if (!VirtualQuery(pages, &view, sizeof view)) {
        UnmapViewOfFile(pages);
        return NULL;
    }
    *bytes = view.RegionSize;
    return pages;
}

void cushim__mock_pages_lose(void *pages, size_t bytes)
{
    (void)bytes;
    UnmapViewOfFile(pages);
}

/* Only Windows 10 1803 and later have this, and the mock does not use it. */

void *cushim__mock_pages_take_many(size_t bytes, const void *label, size_t label_bytes, int *file)
{
    (void)bytes;
    (void)label;
    (void)label_bytes;
    (void)file;
    return NULL;
}

bool cushim__mock_pages_open(int file, void *label, size_t label_bytes, void **pages, size_t *bytes)
{
    (void)file;
    (void)label;
    (void)label_bytes;
    (void)pages;
    (void)bytes;
    return false;
}

int cushim__mock_pages_descriptor(int file)
{
    (void)file;
    return -1;
}

void cushim__mock_pages_close(int file)
{
    (void)file;
}

bool cushim__mock_pages_put(void *pages, size_t bytes, void *reserved)
{
    (void)pages;
    (void)bytes;
    (void)reserved;
    return false;
}

void cushim__mock_pages_remove(void *reserved, size_t bytes)
{
    (void)reserved;
    (void)bytes;
}

bool cushim__mock_pages_reserve_at(void *address, size_t bytes)
{
    (void)address;
    (void)bytes;
    return false;
}

size_t cushim__mock_file_bytes(int file)
{
    (void)file;
    return 0;
}

void *cushim__mock_file_map(int file, size_t bytes)
{
    (void)file;
    (void)bytes;
    return NULL;
}
