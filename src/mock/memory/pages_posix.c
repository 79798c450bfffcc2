/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE
#include "src/mock/memory/pages.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

static void *map(size_t bytes, int protection)
{
    void *pages = mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return pages == MAP_FAILED ? NULL : pages;
}

size_t cushim__mock_pages_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

size_t cushim__mock_pages_lockable(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES);

    return pages > 0 ? (size_t)pages * cushim__mock_pages_size() : SIZE_MAX;
}

void *cushim__mock_pages_reserve(size_t bytes)
{
    return map(bytes, PROT_NONE);
}

void *cushim__mock_pages_take(size_t bytes)
{
    return map(bytes, PROT_READ | PROT_WRITE);
}

void cushim__mock_pages_release(void *pages, size_t bytes)
{
    munmap(pages, bytes);
}

void *cushim__mock_pages_room(size_t bytes)
{
    return cushim__mock_pages_take(bytes);
}

/* Linux promises more than it has: MAP_NORESERVE. */
bool cushim__mock_pages_back(void *pages, size_t bytes)
{
    (void)pages;
    (void)bytes;
    return true;
}

void cushim__mock_pages_empty(void *pages, size_t bytes)
{
    madvise(pages, bytes, MADV_DONTNEED);
}

bool cushim__mock_pages_mapped(const void *start, size_t bytes)
{
    enum { AT_ONCE = 1024 };
    const uintptr_t size = cushim__mock_pages_size(), end = (uintptr_t)start + bytes;
    unsigned char in_memory[AT_ONCE];

    if (end < (uintptr_t)start)
        return false;
    /* It fails for what is not mapped; which of it is in memory does not matter. */
    for (uintptr_t page = (uintptr_t)start & ~(size - 1); page < end; page += AT_ONCE * size) {
        const uintptr_t left = end - page;

        if (mincore((void *)page, left < AT_ONCE * size ? left : AT_ONCE * size, in_memory) != 0)
            return false;
    }
    return true;
}
