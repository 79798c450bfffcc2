/* SPDX-License-Identifier: Apache-2.0 */
#include "src/base/system.h"

#include <malloc.h>
#include <stdint.h>

#include <windows.h>

void *cushim__system_allocate(size_t alignment, size_t bytes)
{
    return _aligned_malloc(bytes, alignment);
}

void cushim__system_free(void *memory)
{
    _aligned_free(memory);
}

static bool may_be_read(const MEMORY_BASIC_INFORMATION *part)
{
    return part->State == MEM_COMMIT && !(part->Protect & (PAGE_NOACCESS | PAGE_GUARD));
}

/*
 * The pages are checked first, since Wine also copies memory that must not be read. After that,
 * ReadProcessMemory() does not crash if another thread frees the pages meanwhile.
 */
bool cushim__system_read_memory(void *to, const void *from, size_t bytes)
{
    const uintptr_t end = (uintptr_t)from + bytes;
    uintptr_t at = (uintptr_t)from;
    MEMORY_BASIC_INFORMATION part;
    SIZE_T copied = 0;

    if (end < at)
        return false;
    while (at < end) {
        if (!VirtualQuery((const void *)at, &part, sizeof part) || !may_be_read(&part))
            return false;
        at = (uintptr_t)part.BaseAddress + part.RegionSize;
    }
    return ReadProcessMemory(GetCurrentProcess(), from, to, bytes, &copied) && copied == bytes;
}
