/* SPDX-License-Identifier: Apache-2.0 */
#include "src/mock/api/symbol.h"

#include <stdlib.h>
#include <string.h>

#include "loader/symbols.h"
#include "src/base/layer_host.h"
#include "src/base/system.h"
#include "src/mock/api/table.h"
#include "src/mock/core/state.h"

static cushim_function in_table(unsigned slot)
{
    cushim_function function;

    memcpy(&function, cushim__table_slot(cushim_mock_table(cushim_mock_current()), slot),
           sizeof function);
    return function;
}

cushim_function (*cushim__mock_symbol_source)(unsigned slot) = in_table;

static int compare(const void *name, const void *slot)
{
    return strcmp(name, cushim__slot_name(*(const uint16_t *)slot));
}

unsigned cushim__mock_symbol_slot(const char *name)
{
    const uint16_t *slot = bsearch(name, cushim__mock_by_name, CUSHIM__SYMBOL_COUNT,
                                   sizeof *cushim__mock_by_name, compare);

    return slot ? *slot : CUSHIM__SYMBOL_COUNT;
}

bool cushim__mock_symbol_exists(unsigned slot, int version)
{
    return cushim__symbols[slot].since <= version && !cushim__fault_hides(slot) &&
           (cushim__host_is_windows || !(cushim__symbols[slot].flags & CUSHIM__WINDOWS));
}

cushim_function cushim_mock_symbol(const char *symbol, void *mock)
{
    const struct cushim_mock *world = mock;
    const unsigned slot = symbol ? cushim__mock_symbol_slot(symbol) : CUSHIM__SYMBOL_COUNT;

    if (!world || slot == CUSHIM__SYMBOL_COUNT ||
        !cushim__mock_symbol_exists(slot, world->settings.driver_version))
        return NULL;
    return cushim__mock_symbol_source(slot);
}
