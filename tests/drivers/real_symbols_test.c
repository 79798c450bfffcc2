/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NVIDIA's own drivers: each exports what the registry says for its version. The codes that cushim
 * returns itself have a name and a text, whether the driver knows them or not.
 */
#define _GNU_SOURCE

#include <dlfcn.h>

#include <cushim/cuda.h>

#include "loader/symbols.h"
#include "tests/drivers/real.h"
#include "tests/support/child.h"
#include "tests/support/cmocka.h"
#include "tests/support/symbols.h"

static void *load(const struct generation *generation)
{
    struct cushim_load_options options;

    route_prepare(ROUTE_OPTION, real_library(generation), &options);
    check_int(cushim_driver_load(&options), CUDA_SUCCESS);
    return route_open(real_library(generation));
}

static cushim_function slot(const struct cushim_table *table, size_t index)
{
    cushim_function function;

    memcpy(&function, (const char *)table + sizeof(size_t) + index * sizeof function,
           sizeof function);
    return function;
}

static enum cushim_symbol_state expected_state(const struct generation *generation, size_t index)
{
    const char *symbol = cushim__symbol_name(index);

    if (real_has(generation, index))
        return CUSHIM_SYMBOL_FOUND;
    if (strcmp(symbol, "cuEventElapsedTime_v2") == 0)
        return CUSHIM_SYMBOL_FALLEN_BACK;
    return strcmp(symbol, "cuWGLGetDevice") == 0 ? CUSHIM_SYMBOL_FOREIGN : CUSHIM_SYMBOL_MISSING;
}

/*
 * A slot has the export of exactly its name, or that of its fallback, or the function for a missing
 * symbol.
 */
static void check_symbol(const struct generation *generation, void *library,
                         const struct cushim_table *table, size_t index)
{
    const char *symbol = cushim__symbol_name(index);
    const enum cushim_symbol_state state = cushim__symbol_state(index);
    const cushim_function export = route_resolve(symbol, library);

    if (real_has(generation, index) != (export != NULL))
        child_fail("%s (since %d) is %sexported\n", symbol, cushim__symbol_since(index),
                   export ? "" : "not ");
    if (state != expected_state(generation, index))
        child_fail("%s is in state %d\n", symbol, (int)state);
    if (export ? slot(table, index) != export
               : state == CUSHIM_SYMBOL_FALLEN_BACK &&
                     slot(table, index) != route_resolve(cushim__symbol_fallback(index), library))
        child_fail("the slot of %s is another function\n", symbol);
}

/* The loader's lookup: the base name, with exactly the version of the row. */
static cushim_function ask(cushim_function proc_address, size_t index)
{
    const struct cushim__symbol *symbol = &cushim__symbols[index];
    void *found = NULL;
    cushim_function function = NULL;
    int status = -1;
    char base[256];

    snprintf(base, sizeof base, "%.*s", symbol->base_length, cushim__symbol_name(index));
    if (((CUresult(CUDAAPI *)(const char *, void **, int, uint64_t, int *))proc_address)(
            base, &found, symbol->since, symbol->flags & CUSHIM__PER_THREAD ? 2 : 1, &status) ||
        status != 0)
        return NULL;
    memcpy(&function, &found, sizeof function);
    return function;
}

static void ask_for_each_symbol(const struct generation *generation, void *library)
{
    const cushim_function proc_address = route_resolve("cuGetProcAddress_v2", library);

    check_int(proc_address != NULL, generation->version >= 12000);
    for (size_t i = 0; proc_address && i < cushim_symbol_count(); i++) {
        if (cushim__symbol_since(i) <= generation->version &&
            ask(proc_address, i) != route_resolve(cushim__symbol_name(i), library))
            child_fail("%s is another function by cuGetProcAddress\n", cushim__symbol_name(i));
    }
}

/* Returns for how many of these codes there is no answer, which is checked if there is one. */
static unsigned count_unknown(CUresult(CUDAAPI *name)(CUresult code, const char **text),
                              CUresult(CUDAAPI *string)(CUresult code, const char **text))
{
    static const int codes[] = {3, 34, 36, 302, 303, 909};
    unsigned unknown = 0;

    for (size_t i = 0; i < COUNT(codes); i++) {
        const CUresult code = (CUresult)codes[i];
        const char *its_name = NULL, *its_text = NULL;

        check_int(name(code, &its_name), string(code, &its_text));
        check((its_name != NULL) == (its_text != NULL));
        unknown += !its_name;
        check(!its_name || (strcmp(its_name, cushim_error_name(code)) == 0 && *its_text));
    }
    return unknown;
}

static void check_texts(const struct cushim_table *lazy, struct cushim_table *filled)
{
    const struct cushim_table *const driver = cushim_driver();

    /* None of them knows 36, and the older ones lack others. */
    check(count_unknown(filled->GetErrorName, filled->GetErrorString) > 0);
    check_int(count_unknown(driver->GetErrorName, driver->GetErrorString), 0);
    check_int(count_unknown(lazy->GetErrorName, lazy->GetErrorString), 0);
    check_int(count_unknown(cuGetErrorName, cuGetErrorString), 0);
    filled->size -= sizeof(cushim_function); /* a shorter table, of which there will be a copy */
    check_int(cushim_table_install(filled, NULL), CUDA_SUCCESS);
    check(cushim_driver() != filled && cushim_driver() != driver);
    check_int(count_unknown(cuGetErrorName, cuGetErrorString), 0);
    check_int(cushim_table_install(NULL, NULL), CUDA_SUCCESS);
}

static void compare_with_registry(const struct generation *generation, enum route route)
{
    const struct cushim_table *const lazy = cushim_driver();
    void *library = load(generation);
    const struct cushim_report report = route_report();
    struct cushim_table table = {.size = sizeof table};

    check_int(cushim_table_fill_library(&table, library, NULL), CUDA_SUCCESS);
    check_texts(lazy, &table);
    table.size = sizeof table;
    for (size_t i = 0; i < cushim_symbol_count(); i++)
        check_symbol(generation, library, &table, i);
    check_int(report.symbols.core.total, symbol_core_count());
    check_int(report.symbols.core.found, generation->exported);
    check_int(report.symbols.core.fallen_back, 1);
    check_int(report.symbols.core.missing, symbol_core_count() - 1 - generation->exported);
    check_int(report.symbols.core.by_proc_address + report.symbols.interop.by_proc_address, 0);
    /* The loader's own functions, which call the driver's. */
    table.Init = cushim_driver()->Init;
    table.GetErrorName = cushim_driver()->GetErrorName;
    table.GetErrorString = cushim_driver()->GetErrorString;
    check(memcmp(&table, cushim_driver(), sizeof table) == 0);
    ask_for_each_symbol(generation, library);
}

TEST_ALONE(generation_exports_what_the_registry_says_and_finds_it_by_proc_address)
{
    assert_int_equal(real_each(ROUTE_OPTION), 0);
}

int main(int argc, char **argv)
{
    const int status = real_begin(argc, argv, compare_with_registry);

    return status ? status : run_all_tests(NULL, NULL);
}
