/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/memory.h"

#include <stdint.h>
#include <string.h>

#include <windows.h>

/* Windows never maps the first 64 KiB. */
void *memory_nowhere(void)
{
    return (void *)(uintptr_t)0x1000;
}

bool memory_is_readable(const volatile void *address)
{
    return !IsBadReadPtr((const void *)(uintptr_t)address, 1); /* tries to read */
}

unsigned char *memory_at_an_end(const void *bytes, size_t size, struct memory_map *map)
{
    SYSTEM_INFO info;
    size_t whole;

    GetSystemInfo(&info);
    whole = (size + info.dwPageSize - 1) / info.dwPageSize * info.dwPageSize;
    map->bytes = whole + info.dwPageSize;
    map->start = VirtualAlloc(NULL, map->bytes, MEM_RESERVE, PAGE_NOACCESS);
    if (!map->start || !VirtualAlloc(map->start, whole, MEM_COMMIT, PAGE_READWRITE))
        return NULL;
    return memcpy((char *)map->start + whole - size, bytes, size);
}

void memory_free(const struct memory_map *map)
{
    VirtualFree(map->start, 0, MEM_RELEASE);
}
