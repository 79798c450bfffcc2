/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows promises no more memory than it can hold, in RAM and page files, so what is not needed
 * yet is reserved, and committed later.
 */
#include "src/mock/memory/pages.h"

#include <stdint.h>

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

bool cushim__mock_pages_mapped(const void *start, size_t bytes)
{
    const uintptr_t end = (uintptr_t)start + bytes;
    uintptr_t at = (uintptr_t)start;
    MEMORY_BASIC_INFORMATION part;

    while (at < end) {
        if (!VirtualQuery((const void *)at, &part, sizeof part) || part.State != MEM_COMMIT)
            return false;
        at = (uintptr_t)part.BaseAddress + part.RegionSize;
    }
    return end >= (uintptr_t)start;
}
