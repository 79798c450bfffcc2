/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "loader/table_pages.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cushim/table.h>

/* Enough bytes to contain whole pages for one table, whatever the page size of the machine. */
#if defined(__x86_64__)
enum { LARGEST_PAGE = 4096 };
#else
enum { LARGEST_PAGE = 65536 };
#endif
enum { TABLE_BYTES = sizeof(struct cushim_table) / LARGEST_PAGE * LARGEST_PAGE + 2 * LARGEST_PAGE };

void *cushim__pages(enum cushim__pages which)
{
    static unsigned char tables[CUSHIM__PAGES_COUNT][TABLE_BYTES];
    unsigned char *bytes = tables[which];
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t start = ((uintptr_t)bytes + page - 1) / page * page;

    return page <= LARGEST_PAGE ? (void *)start : bytes;
}

bool cushim__pages_seal(void *memory, size_t size)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

    return page <= LARGEST_PAGE &&
           mprotect(memory, (size + page - 1) / page * page, PROT_READ) == 0;
}
