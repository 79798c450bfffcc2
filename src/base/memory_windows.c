/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pages are checked first, since Wine also copies memory that must not be read. After that,
 * ReadProcessMemory() does not crash if another thread frees the pages meanwhile.
 */
#include "src/base/system.h"

#include <stdint.h>

#include <windows.h>

static bool may_be_read(const MEMORY_BASIC_INFORMATION *part)
{
    return part->State == MEM_COMMIT && !(part->Protect & (PAGE_NOACCESS | PAGE_GUARD));
}

bool cushim__host_read(void *to, const void *from, size_t bytes)
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
