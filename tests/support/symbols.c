/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/symbols.h"
#include "tests/support/symbols.h"

#include <stdlib.h>
#include <string.h>

#include <cushim/table.h>

bool symbol_is_interop(size_t number)
{
    static const char *const words[] = {"GL", "Egl", "VDPAU"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strstr(cushim__symbol_name(number), words[i]))
            return true;
    }
    return false;
}

size_t symbol_core_count(void)
{
    size_t count = 0;

    for (size_t i = 0; i < cushim_symbol_count(); i++)
        count += !symbol_is_interop(i);
    return count;
}

size_t symbol_number(const char *name)
{
    for (size_t i = 0; i < cushim_symbol_count(); i++) {
        if (strcmp(cushim__symbol_name(i), name) == 0)
            return i;
    }
    abort();
}
