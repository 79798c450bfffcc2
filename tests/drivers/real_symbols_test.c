/* SPDX-License-Identifier: Apache-2.0 */
/* NVIDIA's own drivers: what each exports is what the registry says of its version. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <dlfcn.h>

#include "loader/symbols.h"
#include "tests/drivers/real.h"
#include "tests/support/child.h"
#include "tests/support/symbols.h"

static void *load(const struct generation *generation)
{
    struct cushim_load_options options;

    route_prepare(ROUTE_OPTION, real_library(generation), &options);
    check_int(cushim_load(&options), CUDA_SUCCESS);
    return route_open(real_library(generation));
}

/* What stands in a slot of the current table. */
static cushim_function slot(size_t index)
{
    cushim_function function;

    memcpy(&function, (const char *)cushim_driver() + sizeof(size_t) + index * sizeof function,
           sizeof function);
    return function;
}

static void compare_with_registry(const struct generation *generation, enum route route)
{
    void *library = load(generation);
    unsigned exported[2] = {0, 0};
    struct cushim_report report = {.size = sizeof report};

    (void)route;
    for (size_t i = 0; i < cushim_symbol_count(); i++) {
        const char *symbol = cushim_symbol_name(i);
        const bool found = dlsym(library, symbol) != NULL;
        exported[i >= CORE_SYMBOLS] += found;
        if (found != real_has(generation, i))
            child_fail("%s (since %d) is %sexported\n", symbol, cushim_symbol_since(i),
                       found ? "" : "not ");
    }
    check_int(exported[0], generation->exported);

    check_int(cushim_report_get(&report), CUDA_SUCCESS);
    check_int(report.symbols.core.total, CORE_SYMBOLS);
    check_int(report.symbols.core.found, exported[0]);
    check_int(report.symbols.core.fallen_back, 1);
    check_int(report.symbols.core.missing, CORE_SYMBOLS - 1 - exported[0]);
    check_int(report.symbols.interop.found, exported[1]);
    check_int(report.symbols.interop.missing,
              cushim_symbol_count() - CORE_SYMBOLS - 1 - exported[1]);
    check_int(report.symbols.core.by_proc_address + report.symbols.interop.by_proc_address, 0);
}

static enum cushim_symbol_state expected_state(const struct generation *generation, size_t index)
{
    const char *symbol = cushim_symbol_name(index);

    if (real_has(generation, index))
        return CUSHIM_SYMBOL_FOUND;
    if (strcmp(symbol, "cuEventElapsedTime_v2") == 0)
        return CUSHIM_SYMBOL_FALLEN_BACK;
    return strcmp(symbol, "cuWGLGetDevice") == 0 ? CUSHIM_SYMBOL_FOREIGN : CUSHIM_SYMBOL_MISSING;
}

static void compare_slots(const struct generation *generation, enum route route)
{
    void *library = load(generation);
    struct cushim_table table = {.size = sizeof table};

    (void)route;
    for (size_t i = 0; i < cushim_symbol_count(); i++) {
        const char *symbol = cushim_symbol_name(i);
        const enum cushim_symbol_state state = cushim_symbol_state(i);
        if (state != expected_state(generation, i))
            child_fail("%s is in state %d\n", symbol, (int)state);
        if (state == CUSHIM_SYMBOL_FOUND && slot(i) != route_resolve(symbol, library))
            child_fail("the slot of %s is another function\n", symbol);
    }
    check_int(cushim_table_fill_library(&table, library, NULL), CUDA_SUCCESS);
    check(memcmp(&table, cushim_driver(), sizeof table) == 0);
}

static void look_at_elapsed_time(const struct generation *generation, enum route route)
{
    void *library = load(generation);
    const cushim_function old = route_resolve("cuEventElapsedTime", library);
    struct cushim_report report = {.size = sizeof report};
    char text[16384];

    (void)route;
    check(old != NULL);
    check(slot(symbol_number("cuEventElapsedTime_v2")) == old);
    check(slot(symbol_number("cuEventElapsedTime")) == old);
    check_int(cushim_report_get(&report), CUDA_SUCCESS);
    check(cushim_report_text(&report, text, sizeof text) < sizeof text);
    check_contains(text, "cuEventElapsedTime_v2 -> cuEventElapsedTime\n");
}

/* The question as the loader asks it: the base name, at exactly the version of the row. */
static cushim_function ask(cushim_function proc_address, size_t index)
{
    const struct cushim__symbol *symbol = &cushim__symbols[index];
    void *found = NULL;
    cushim_function function = NULL;
    int status = -1;
    char base[256];

    snprintf(base, sizeof base, "%.*s", symbol->base_length, cushim_symbol_name(index));
    if (((CUresult(CUDAAPI *)(const char *, void **, int, uint64_t, int *))proc_address)(
            base, &found, symbol->since, symbol->flags & CUSHIM__PER_THREAD ? 2 : 1, &status) ||
        status != 0)
        return NULL;
    memcpy(&function, &found, sizeof function);
    return function;
}

static void ask_proc_address(const struct generation *generation, enum route route)
{
    void *library = load(generation);
    const cushim_function proc_address = route_resolve("cuGetProcAddress_v2", library);

    (void)route;
    check_int(proc_address != NULL, generation->version >= 12000);
    for (size_t i = 0; proc_address && i < cushim_symbol_count(); i++) {
        if (cushim_symbol_since(i) <= generation->version &&
            ask(proc_address, i) != route_resolve(cushim_symbol_name(i), library))
            child_fail("%s is another function by cuGetProcAddress\n", cushim_symbol_name(i));
    }
}

enum { COMPARE_WITH_REGISTRY, COMPARE_SLOTS, LOOK_AT_ELAPSED_TIME, ASK_PROC_ADDRESS };

static const real_visit visits[] = {
    [COMPARE_WITH_REGISTRY] = compare_with_registry,
    [COMPARE_SLOTS] = compare_slots,
    [LOOK_AT_ELAPSED_TIME] = look_at_elapsed_time,
    [ASK_PROC_ADDRESS] = ask_proc_address,
};

static void every_generation_exports_what_the_registry_says(void **state)
{
    (void)state;
    assert_int_equal(real_each(COMPARE_WITH_REGISTRY, ROUTE_OPTION), 0);
}

static void every_slot_is_the_export_of_exactly_its_name(void **state)
{
    (void)state;
    assert_int_equal(real_each(COMPARE_SLOTS, ROUTE_OPTION), 0);
}

static void elapsed_time_falls_back_to_the_older_one_and_the_report_says_so(void **state)
{
    (void)state;
    assert_int_equal(real_each(LOOK_AT_ELAPSED_TIME, ROUTE_OPTION), 0);
}

static void the_proc_address_of_each_row_at_its_version_is_its_export(void **state)
{
    (void)state;
    assert_int_equal(real_each(ASK_PROC_ADDRESS, ROUTE_OPTION), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_generation_exports_what_the_registry_says),
        cmocka_unit_test(every_slot_is_the_export_of_exactly_its_name),
        cmocka_unit_test(elapsed_time_falls_back_to_the_older_one_and_the_report_says_so),
        cmocka_unit_test(the_proc_address_of_each_row_at_its_version_is_its_export),
    };
    const int status = real_begin(argc, argv, visits);

    return status ? status : cmocka_run_group_tests(tests, NULL, NULL);
}
