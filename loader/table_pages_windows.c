/* SPDX-License-Identifier: Apache-2.0 */
#define _WIN32_WINNT 0x0602
#include "loader/table_pages.h"

#include <stdint.h>
#include <windows.h>

#include <cushim/driver.h>

enum { PAGE = 4096 };
enum { TABLE_BYTES = sizeof(struct cushim_table) / PAGE * PAGE + 2 * PAGE };

void *cushim__pages(enum cushim__pages which)
{
    static unsigned char tables[CUSHIM__PAGES_COUNT][TABLE_BYTES];

    return (void *)(((uintptr_t)tables[which] + PAGE - 1) / PAGE * PAGE);
}

bool cushim__pages_seal(void *memory, size_t size)
{
    DWORD former;

    return VirtualProtect(memory, (size + PAGE - 1) / PAGE * PAGE, PAGE_READONLY, &former);
}

/*
 * The pointer through which code reaches a variable of a DLL. For programs that link the DLL, the
 * linker makes it; programs that link the static library use this one and need no macro to choose.
 */
extern const struct cushim_table **const __imp_cushim_current_table;
const struct cushim_table **const __imp_cushim_current_table = &cushim_current_table;
