/* SPDX-License-Identifier: Apache-2.0 */
/* Symbols by number: what the registry says of them, and what the loaded driver made of them. */
#include <stdatomic.h>

#include <cushim/symbol.h>

#include "loader/codes.h"
#include "loader/loader.h"
#include "loader/symbols.h"
#include "loader/tables.h"

static unsigned char states[CUSHIM__SYMBOL_COUNT];
static atomic_bool missed[CUSHIM__SYMBOL_COUNT];

unsigned char *cushim__symbol_states(void)
{
    return states;
}

CUSHIM__CALLED_BY_THUNKS CUresult cushim__missing(unsigned symbol)
{
    atomic_store_explicit(&missed[symbol], true, memory_order_relaxed);
    return CUSHIM__REQUIRES_NEWER_DRIVER;
}

size_t cushim_symbol_count(void)
{
    return CUSHIM__SYMBOL_COUNT;
}

const char *cushim_symbol_name(size_t index)
{
    if (index >= CUSHIM__SYMBOL_COUNT)
        return "";
    return cushim__slot_name(index);
}

int cushim_symbol_since(size_t index)
{
    return index < CUSHIM__SYMBOL_COUNT ? cushim__symbols[index].since : 0;
}

const char *cushim_symbol_fallback(size_t index)
{
    if (index >= CUSHIM__SYMBOL_COUNT || cushim__symbols[index].fallback == CUSHIM__NO_FALLBACK)
        return "";
    return cushim_symbol_name(cushim__symbols[index].fallback);
}

enum cushim_symbol_state cushim_symbol_state(size_t index)
{
    /* The states are complete before a driver's table is published, and not touched after. */
    if (index >= CUSHIM__SYMBOL_COUNT || !cushim__was_loaded())
        return CUSHIM_SYMBOL_UNKNOWN;
    return (enum cushim_symbol_state)states[index];
}

bool cushim_symbol_missed(size_t index)
{
    return index < CUSHIM__SYMBOL_COUNT &&
           atomic_load_explicit(&missed[index], memory_order_relaxed);
}
