/* SPDX-License-Identifier: Apache-2.0 */
/* Symbols by number: their registry data, and their state in the loaded driver. */
#include <stdatomic.h>
#include <string.h>

#include <cushim/table.h>

#include "loader/loader.h"
#include "loader/symbols.h"
#include "src/base/options.h"

static atomic_bool missed[CUSHIM__SYMBOL_COUNT];

/* The code 36 alone does not say which symbol is missing. */
static void log_missing(unsigned symbol)
{
    const int since = cushim__symbols[symbol].since;
    const struct cushim__loaded *driver = cushim__loaded_driver();
    /* A table that the program has filled may belong to another driver. */
    const int version = driver && driver->states[symbol] == CUSHIM_SYMBOL_MISSING
                            ? driver->report.driver_version
                            : 0;

    if (version)
        cushim__log("%s was called, but the driver lacks it: it came with CUDA %d.%d, and the "
                    "driver is for CUDA %d.%d",
                    cushim__symbol_name(symbol), since / 1000, since % 1000 / 10, version / 1000,
                    version % 1000 / 10);
    else
        cushim__log("%s was called, but the driver lacks it: it came with CUDA %d.%d",
                    cushim__symbol_name(symbol), since / 1000, since % 1000 / 10);
}

CUSHIM__CALLED_BY_THUNKS CUresult cushim__missing(unsigned symbol)
{
    if (!atomic_load_explicit(&missed[symbol], memory_order_relaxed) &&
        !atomic_exchange(&missed[symbol], true))
        log_missing(symbol);
    return CUSHIM__REQUIRES_NEWER_DRIVER;
}

size_t cushim_symbol_count(void)
{
    return CUSHIM__SYMBOL_COUNT;
}

const char *cushim__symbol_name(size_t index)
{
    if (index >= CUSHIM__SYMBOL_COUNT)
        return "";
    return cushim__slot_name((unsigned)index);
}

int cushim__symbol_since(size_t index)
{
    return index < CUSHIM__SYMBOL_COUNT ? cushim__symbols[index].since : 0;
}

const char *cushim__symbol_fallback(size_t index)
{
    if (index >= CUSHIM__SYMBOL_COUNT || cushim__symbols[index].fallback == CUSHIM__NO_FALLBACK)
        return "";
    return cushim__symbol_name(cushim__symbols[index].fallback);
}

enum cushim_symbol_state cushim__symbol_state(size_t index)
{
    const struct cushim__loaded *driver = cushim__loaded_driver();

    if (index >= CUSHIM__SYMBOL_COUNT || !driver)
        return CUSHIM_SYMBOL_UNKNOWN;
    return (enum cushim_symbol_state)driver->states[index];
}

bool cushim__symbol_missed(size_t index)
{
    return index < CUSHIM__SYMBOL_COUNT &&
           atomic_load_explicit(&missed[index], memory_order_relaxed);
}

/* An installed table may pass calls on, so its slots do not show what is missing. */
static bool is_usable(size_t index, int version)
{
    const unsigned fallback = cushim__symbols[index].fallback;

    switch (cushim__is_installed() ? CUSHIM_SYMBOL_UNKNOWN : cushim__symbol_state(index)) {
    case CUSHIM_SYMBOL_FOUND:
    case CUSHIM_SYMBOL_FOUND_BY_PROC_ADDRESS:
    case CUSHIM_SYMBOL_FALLEN_BACK:
        return true;
    case CUSHIM_SYMBOL_UNKNOWN:
        return version >= cushim__symbol_since(index) ||
               (fallback != CUSHIM__NO_FALLBACK && version >= cushim__symbol_since(fallback));
    default:
        return false;
    }
}

bool cushim_driver_has(const char *symbol, int version)
{
    unsigned index = 0;
    int its = 0;

    if (!symbol)
        return false;
    while (index < CUSHIM__SYMBOL_COUNT && strcmp(cushim__slot_name(index), symbol) != 0)
        index++;
    if (index == CUSHIM__SYMBOL_COUNT) {
        cushim__log("cushim_driver_has: cushim knows no symbol of the driver with the name '%s'",
                    symbol);
        return false;
    }
    return cushim_driver()->DriverGetVersion(&its) == CUDA_SUCCESS && its >= version &&
           is_usable(index, its);
}

CUresult cushim_symbol_get(size_t index, struct cushim_symbol *symbol)
{
    struct cushim_symbol known = {.size = sizeof known};

    if (index >= CUSHIM__SYMBOL_COUNT)
        return CUDA_ERROR_INVALID_VALUE;
    known.name = cushim__symbol_name(index);
    known.fallback = cushim__symbol_fallback(index);
    known.since = cushim__symbol_since(index);
    known.state = cushim__symbol_state(index);
    known.is_missed = cushim__symbol_missed(index);
    return cushim__options_write(symbol, &known) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
