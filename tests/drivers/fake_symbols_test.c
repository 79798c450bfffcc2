/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drivers of several versions and with missing symbols: which symbols are found, what replaces the
 * others, and the result of calling every slot of every kind of table.
 */

#include <cushim/cushim.h>

#include "loader/loader.h"
#include "loader/versions.h"
#include "src/base/system.h"
#include "tests/drivers/route.h"
#include "tests/support/calls.h"
#include "tests/support/child.h"
#include "tests/support/cmocka.h"
#include "tests/support/folder.h"
#include "tests/support/symbols.h"

/* Each first call needs a process of its own, so only one in this many slots is tested. */
enum { FIRST_CALL_STRIDE = 29 };

static const struct driver {
    const char *file;
    int version;
    const char *lacks; /* in addition to newer symbols; NULL: nothing */
    bool behind;       /* all but three symbols are found only through cuGetProcAddress_v2 */
    bool only_required;
} drivers[] = {
    {"complete", CUSHIM__NEWEST_VERSION, NULL, false, false},
    {"cuda-13.0", 13000, NULL, false, false},
    {"cuda-12.8", 12080, NULL, false, false},
    {"cuda-12.2", 12020, NULL, false, false},
    {"cuda-10.0", 10000, NULL, false, false},
    {"without-elapsed-v2", 13000, "cuEventElapsedTime_v2", false, false},
    {"without-mem-alloc-v2", 13000, "cuMemAlloc_v2", false, false},
    {"only-required", 13000, NULL, false, true},
    {"behind", 13000, NULL, true, false},
    {"behind-12.2", 12020, NULL, true, false},
};

static const char *fake_folder;
static char memory[CUSHIM_CALL_BYTES];

static const char *path_of(const char *file)
{
    static char path[FOLDER_PATH_BYTES];

    snprintf(path, sizeof path, "%s/%s" LIBRARY_SUFFIX, fake_folder, file);
    return path;
}

/* Name a driver for a load without options, such as that by a first call. */
static void name_driver(const char *path)
{
    struct cushim_load_options unused;

    route_prepare(ROUTE_ENVIRONMENT, path, &unused);
}

static struct cushim_report load(const char *file)
{
    name_driver(path_of(file));
    check_int(cushim_driver_load(NULL), CUDA_SUCCESS);
    return route_report();
}

static bool is(size_t index, const char *symbol)
{
    return strcmp(cushim__symbol_name(index), symbol) == 0;
}

static bool is_required(size_t index)
{
    return is(index, "cuInit") || is(index, "cuDriverGetVersion");
}

/* These two functions work without a driver. */
static bool is_error_text(size_t index)
{
    return is(index, "cuGetErrorName") || is(index, "cuGetErrorString");
}

/* Whether a driver has a symbol, judging only by the symbol's version in the registry. */
static bool has(const struct driver *driver, size_t index)
{
    if (driver->only_required)
        return is_required(index);
    return cushim__symbol_since(index) <= driver->version &&
           !(driver->lacks && is(index, driver->lacks));
}

static enum cushim_symbol_state expected_state(const struct driver *driver, size_t index)
{
    if (is(index, "cuWGLGetDevice") && !cushim__system_is_windows)
        return CUSHIM_SYMBOL_FOREIGN; /* the loader does not look for it either */
    if (has(driver, index))
        return !driver->behind || is_required(index) || is(index, "cuGetProcAddress_v2")
                   ? CUSHIM_SYMBOL_FOUND
                   : CUSHIM_SYMBOL_FOUND_BY_PROC_ADDRESS;
    if (is(index, "cuEventElapsedTime_v2") && !driver->only_required)
        return CUSHIM_SYMBOL_FALLEN_BACK;
    return CUSHIM_SYMBOL_MISSING;
}

static void count(struct cushim_symbol_tally *tally, enum cushim_symbol_state state)
{
    tally->total += state != CUSHIM_SYMBOL_FOREIGN;
    tally->found += state == CUSHIM_SYMBOL_FOUND || state == CUSHIM_SYMBOL_FOUND_BY_PROC_ADDRESS;
    tally->by_proc_address += state == CUSHIM_SYMBOL_FOUND_BY_PROC_ADDRESS;
    tally->fallen_back += state == CUSHIM_SYMBOL_FALLEN_BACK;
    tally->missing += state == CUSHIM_SYMBOL_MISSING;
}

static void check_tally(const struct cushim_symbol_tally *actual,
                        const struct cushim_symbol_tally *expected)
{
    check_int(actual->total, expected->total);
    check_int(actual->found, expected->found);
    check_int(actual->by_proc_address, expected->by_proc_address);
    check_int(actual->fallen_back, expected->fallen_back);
    check_int(actual->missing, expected->missing);
}

static void check_counts(const struct driver *driver, const struct cushim_symbol_counts *counts)
{
    struct cushim_symbol_counts expected = {0};

    for (size_t i = 0; i < cushim_symbol_count(); i++)
        count(symbol_is_interop(i) ? &expected.interop : &expected.core, expected_state(driver, i));
    check_tally(&counts->core, &expected.core);
    check_tally(&counts->interop, &expected.interop);
}

static void compare_states(const void *data)
{
    const struct driver *driver = data;
    const struct cushim_report report = load(driver->file);

    check_int(report.driver_version, driver->version);
    for (size_t i = 0; i < cushim_symbol_count(); i++) {
        const enum cushim_symbol_state state = expected_state(driver, i);
        if (cushim__symbol_state(i) != state)
            child_fail("%s is in state %d, not %d\n", cushim__symbol_name(i),
                       cushim__symbol_state(i), state);
    }
    check_counts(driver, &report.symbols);
}

/* The result of a slot for a driver whose functions return their numbers. */
static CUresult expected_code(const struct driver *driver, size_t index)
{
    switch (expected_state(driver, index)) {
    case CUSHIM_SYMBOL_FOUND:
    case CUSHIM_SYMBOL_FOUND_BY_PROC_ADDRESS:
        return is_required(index) ? CUDA_SUCCESS : (CUresult)(100000 + index);
    case CUSHIM_SYMBOL_FALLEN_BACK:
        return (CUresult)(100000 + symbol_number(cushim__symbol_fallback(index)));
    default:
        return is_error_text(index) ? CUDA_SUCCESS : CUSHIM__REQUIRES_NEWER_DRIVER;
    }
}

static void check_call(const struct cushim_table *table, size_t index, CUresult expected)
{
    const CUresult code = cushim_calls[index](table, memory);

    if (code != expected)
        child_fail("%s returns %d, not %d\n", cushim__symbol_name(index), (int)code, (int)expected);
}

static void call_every_slot(const struct driver *driver, const struct cushim_table *table)
{
    for (size_t i = 0; i < cushim_call_count; i++) {
        const CUresult code = expected_code(driver, i);

        if (driver->behind && is(i, "cuGetProcAddress_v2"))
            continue; /* this one does its real work */
        check(!cushim__symbol_missed(i));
        check_call(table, i, code);
        check_int(cushim__symbol_missed(i), code == CUSHIM__REQUIRES_NEWER_DRIVER);
    }
}

static void call_loaded_table(const void *data)
{
    const struct driver *driver = data;

    load(driver->file);
    call_every_slot(driver, cushim_driver());
}

static void call_filled_table(const void *data)
{
    const struct driver *driver = data;
    struct cushim_table table = {.size = sizeof table};
    struct cushim_symbol_counts counts;

    check_int(cushim_table_fill_library(&table, route_open(path_of(driver->file)), &counts), 0);
    check_counts(driver, &counts);
    call_every_slot(driver, &table);
    check(cushim_driver() == &cushim__lazy_table);
}

static void call_lazy_table(const void *data)
{
    name_driver(path_of("complete"));
    check(cushim_driver() == &cushim__lazy_table);
    call_every_slot(data, &cushim__lazy_table);
    check(cushim_driver() != &cushim__lazy_table);
}

static void run_for_all(child_body body)
{
    unsigned failures = 0;

    for (size_t i = 0; i < COUNT(drivers); i++)
        failures += !child_passes(drivers[i].file, body, &drivers[i]);
    assert_int_equal(failures, 0);
}

TEST_ALONE(driver_has_the_symbols_of_its_version)
{
    run_for_all(compare_states);
}

TEST_ALONE(slot_of_the_loaded_table_reaches_its_symbol_or_fallback_or_returns_36)
{
    run_for_all(call_loaded_table);
}

TEST_ALONE(slot_of_a_filled_table_reaches_its_symbol_or_fallback_or_returns_36)
{
    run_for_all(call_filled_table);
}

TEST_ALONE(slot_of_the_lazy_table_reaches_its_symbol)
{
    assert_true(child_passes("lazy-load table", call_lazy_table, &drivers[0]));
}

static void check_absent(const struct cushim_table *table, size_t index)
{
    check_call(table, index,
               is_error_text(index) ? CUDA_SUCCESS : CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    check(!cushim__symbol_missed(index));
}

/* Both the current table and the lazy-load table, which a layer may still call. */
static void call_absent_tables(const void *data)
{
    name_driver("none");
    for (size_t i = 0; i < cushim_call_count; i++) {
        check_absent(&cushim__lazy_table, i);
        check_absent(cushim_driver(), i);
    }
    check(!cushim__own_table());
}

TEST_ALONE(slot_without_a_driver_returns_303_but_for_the_texts_of_errors)
{
    assert_true(child_passes("absent table", call_absent_tables, NULL));
}

static void call_first(const void *data)
{
    const size_t *index = data;

    name_driver(path_of("complete"));
    check_call(cushim_driver(), *index, expected_code(&drivers[0], *index));
}

static void call_first_without_a_driver(const void *data)
{
    const size_t *index = data;

    name_driver("none");
    check_absent(cushim_driver(), *index);
}

TEST_ALONE(slot_that_is_called_first_loads_the_driver)
{
    unsigned failures = 0;

    for (size_t i = 0; i < cushim_call_count; i += FIRST_CALL_STRIDE) {
        failures += !child_passes(cushim__symbol_name(i), call_first, &i);
        failures += !child_passes(cushim__symbol_name(i), call_first_without_a_driver, &i);
    }
    assert_int_equal(failures, 0);
}

static void read_report(const void *data)
{
    static char text[16384], json[131072];
    struct cushim_report report = load("cuda-10.0");

    check_int(report.symbols.core.fallen_back, 1);
    check(cushim__report_text(&report, text, sizeof text) < sizeof text);
    check_contains(text, "1 fallen back");
    check_contains(text, "cuEventElapsedTime_v2 -> cuEventElapsedTime\n");
    check_contains(text, " newer than this driver");
    check(!strstr(text, "missed"));
    check(cushim__report_json(&report, json, sizeof json) < sizeof json);
    check_contains(json, "cuEventElapsedTime_v2");
    check_int(cushim_driver()->MemAllocAsync(NULL, 0, NULL), CUSHIM__REQUIRES_NEWER_DRIVER);
    cushim__report_text(&report, text, sizeof text);
    check_contains(text,
                   "missed      cuMemAllocAsync, which this driver lacks (since CUDA 11.2)\n");
}

TEST_ALONE(report_names_what_has_fallen_back_and_what_was_called_and_missing)
{
    assert_true(child_passes("report", read_report, NULL));
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return EXIT_FAILURE;
    fake_folder = argv[1];
    return run_all_tests(NULL, NULL);
}
