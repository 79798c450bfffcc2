/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filling a table: by exact name, then by cuGetProcAddress_v2, then by fallback.
 *
 * The exported name is the ABI, so it comes first. cuGetProcAddress_v2 comes second, and is called
 * only with the version that introduced the ABI. For a later version it may return a newer ABI; for
 * one above the driver's it returns an older ABI (525 to 555) or fails for every name (580), and it
 * often succeeds with NULL.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "loader/library.h"
#include "loader/loader.h"
#include "loader/symbols.h"
#include "src/base/system.h"

#define FIRST_SLOT (sizeof(size_t))

/* cuGetProcAddress_v2, in types that every toolkit header has. */
typedef CUresult(CUDAAPI *proc_address)(const char *symbol, void **function, int version,
                                        uint64_t flags, int *status);

enum { LEGACY_STREAM = 1, PER_THREAD_STREAM = 2 };

struct finder {
    const struct cushim__source *source;
    proc_address proc_address; /* NULL if the driver has none */
};

static cushim_function find_by_name(const struct finder *finder,
                                    const struct cushim__symbol *symbol)
{
    return finder->source->resolver(cushim__symbol_names + symbol->name, finder->source->data);
}

static cushim_function find_by_proc_address(const struct finder *finder,
                                            const struct cushim__symbol *symbol)
{
    char base[UINT8_MAX + 1];
    void *found = NULL;
    cushim_function function = NULL;
    int status = -1;

    if (!finder->proc_address || symbol->since > finder->source->version)
        return NULL;
    memcpy(base, cushim__symbol_names + symbol->name, symbol->base_length);
    base[symbol->base_length] = '\0';
    if (finder->proc_address(base, &found, symbol->since,
                             symbol->flags & CUSHIM__PER_THREAD ? PER_THREAD_STREAM : LEGACY_STREAM,
                             &status) ||
        status != 0)
        return NULL;
    memcpy(&function, &found, sizeof function);
    return function;
}

/* Find the function for a symbol's slot. Returns NULL if there is none. */
static cushim_function find(const struct finder *finder, const struct cushim__symbol *symbol,
                            enum cushim_symbol_state *state)
{
    const bool is_foreign = symbol->flags & CUSHIM__WINDOWS && !cushim__system_is_windows;
    cushim_function function = is_foreign ? NULL : find_by_name(finder, symbol);

    *state = CUSHIM_SYMBOL_FOUND;
    if (is_foreign) {
        *state = CUSHIM_SYMBOL_FOREIGN;
        return NULL;
    }
    if (!function) {
        function = find_by_proc_address(finder, symbol);
        *state = CUSHIM_SYMBOL_FOUND_BY_PROC_ADDRESS;
    }
    if (!function && symbol->fallback != CUSHIM__NO_FALLBACK) {
        const struct cushim__symbol *fallback = &cushim__symbols[symbol->fallback];
        function = find_by_name(finder, fallback);
        if (!function)
            function = find_by_proc_address(finder, fallback);
        *state = CUSHIM_SYMBOL_FALLEN_BACK;
    }
    if (!function)
        *state = CUSHIM_SYMBOL_MISSING;
    return function;
}

/* Add up the symbols of each state; foreign ones are not counted. */
static struct cushim_symbol_tally tally_of(const unsigned *states)
{
    struct cushim_symbol_tally tally = {
        .found = states[CUSHIM_SYMBOL_FOUND] + states[CUSHIM_SYMBOL_FOUND_BY_PROC_ADDRESS],
        .by_proc_address = states[CUSHIM_SYMBOL_FOUND_BY_PROC_ADDRESS],
        .fallen_back = states[CUSHIM_SYMBOL_FALLEN_BACK],
        .missing = states[CUSHIM_SYMBOL_MISSING],
    };

    tally.total = tally.found + tally.fallen_back + tally.missing;
    return tally;
}

const char *cushim__source_open(struct cushim__source *source)
{
    source->init = source->resolver("cuInit", source->data);
    if (!source->init)
        return "cuInit";
    source->driver_get_version = source->resolver("cuDriverGetVersion", source->data);
    return source->driver_get_version ? NULL : "cuDriverGetVersion";
}

CUresult cushim__source_query_version(struct cushim__source *source)
{
    const CUresult code =
        ((CUresult(CUDAAPI *)(int *))source->driver_get_version)(&source->version);

    if (code != CUDA_SUCCESS)
        source->version = 0;
    return code;
}

void cushim__fill(struct cushim_table *table, const struct cushim__source *source,
                  struct cushim_symbol_counts *counts, unsigned char *states)
{
    const unsigned slots = (unsigned)((table->size - FIRST_SLOT) / sizeof(cushim_function));
    unsigned core[CUSHIM_SYMBOL_FOREIGN + 1] = {0}, interop[CUSHIM_SYMBOL_FOREIGN + 1] = {0};
    struct finder finder = {.source = source};

    finder.proc_address = (proc_address)source->resolver("cuGetProcAddress_v2", source->data);

    for (unsigned i = 0; i < slots; i++) {
        const struct cushim__symbol *symbol = &cushim__symbols[i];
        enum cushim_symbol_state state;
        cushim_function function = find(&finder, symbol, &state);

        if (!function)
            function = cushim__without_driver(i, cushim__missing_function(i));
        memcpy((char *)table + FIRST_SLOT + i * sizeof function, &function, sizeof function);
        (symbol->flags & CUSHIM__INTEROP ? interop : core)[state]++;
        if (states)
            states[i] = (unsigned char)state;
    }
    counts->core = tally_of(core);
    counts->interop = tally_of(interop);
}

CUresult cushim_table_fill(struct cushim_table *table, cushim_resolver resolver, void *data,
                           struct cushim_symbol_counts *counts)
{
    struct cushim__source source = {.resolver = resolver, .data = data};
    struct cushim_symbol_counts unwanted;

    if (!table || !resolver || table->size < FIRST_SLOT + sizeof(cushim_function))
        return CUDA_ERROR_INVALID_VALUE;
    if (cushim__source_open(&source))
        return CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND;
    cushim__source_query_version(&source);
    if (table->size > sizeof *table)
        table->size = sizeof *table;
    cushim__fill(table, &source, counts ? counts : &unwanted, NULL);
    return CUDA_SUCCESS;
}

CUresult cushim_table_fill_library(struct cushim_table *table, void *library,
                                   struct cushim_symbol_counts *counts)
{
    if (!library)
        return CUDA_ERROR_INVALID_VALUE;
    return cushim_table_fill(table, cushim__library_symbol, library, counts);
}
