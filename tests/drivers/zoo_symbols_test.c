/* SPDX-License-Identifier: Apache-2.0 */
/* Drivers of several versions and with gaps: which symbols are found, what takes their place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cushim/cushim.h>

#include "loader/codes.h"
#include "loader/system.h"
#include "tests/drivers/route.h"
#include "tests/support/calls.h"
#include "tests/support/child.h"
#include "tests/support/folder.h"
#include "tests/support/symbols.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct driver {
    const char *file;
    int version;
    const char *lacks; /* besides what is newer than the version; NULL: nothing */
    bool behind;       /* all but three symbols behind cuGetProcAddress_v2 */
    bool only_required;
} drivers[] = {
    {"complete", 13000, NULL, false, false},
    {"cuda-12.8", 12080, NULL, false, false},
    {"cuda-12.2", 12020, NULL, false, false},
    {"cuda-11.0", 11000, NULL, false, false},
    {"cuda-10.0", 10000, NULL, false, false},
    {"without-elapsed-v2", 13000, "cuEventElapsedTime_v2", false, false},
    {"without-mem-alloc-v2", 13000, "cuMemAlloc_v2", false, false},
    {"only-required", 13000, NULL, false, true},
    {"behind", 13000, NULL, true, false},
    {"behind-12.2", 12020, NULL, true, false},
};

static const char *zoo;

static const char *path_of(const char *file)
{
    static char path[FOLDER_PATH_BYTES];

    snprintf(path, sizeof path, "%s/%s" LIBRARY_SUFFIX, zoo, file);
    return path;
}

static struct cushim_report load(const char *file)
{
    struct cushim_report report = {.size = sizeof report};
    struct cushim_load_options options;

    route_prepare(ROUTE_OPTION, path_of(file), &options);
    check_int(cushim_load(&options), CUDA_SUCCESS);
    check_int(cushim_report_get(&report), CUDA_SUCCESS);
    return report;
}

static bool is_required(const char *symbol)
{
    return strcmp(symbol, "cuInit") == 0 || strcmp(symbol, "cuDriverGetVersion") == 0;
}

/* What even a driver exports that hides the rest behind cuGetProcAddress_v2. */
static bool is_exported(const struct driver *driver, const char *symbol)
{
    return !driver->behind || is_required(symbol) || strcmp(symbol, "cuGetProcAddress_v2") == 0;
}

/* Whether a driver has a symbol, by what the registry says of its age alone. */
static bool has(const struct driver *driver, size_t index)
{
    const char *symbol = cushim_symbol_name(index);

    if (driver->only_required)
        return is_required(symbol);
    return cushim_symbol_since(index) <= driver->version &&
           !(driver->lacks && strcmp(driver->lacks, symbol) == 0);
}

static enum cushim_symbol_state expected_state(const struct driver *driver, size_t index)
{
    const char *symbol = cushim_symbol_name(index);

    if (has(driver, index))
        return is_exported(driver, symbol) ? CUSHIM_SYMBOL_FOUND
                                           : CUSHIM_SYMBOL_FOUND_BY_PROC_ADDRESS;
    if (strcmp(symbol, "cuEventElapsedTime_v2") == 0 && !driver->only_required)
        return CUSHIM_SYMBOL_FALLEN_BACK;
    return strcmp(symbol, "cuWGLGetDevice") == 0 && !cushim__system_is_windows
               ? CUSHIM_SYMBOL_FOREIGN
               : CUSHIM_SYMBOL_MISSING;
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

/* What the slot answers in a driver whose symbols answer their numbers. */
static CUresult expected_answer(enum cushim_symbol_state state, size_t index)
{
    switch (state) {
    case CUSHIM_SYMBOL_FOUND:
    case CUSHIM_SYMBOL_FOUND_BY_PROC_ADDRESS:
        return (CUresult)(100000 + index);
    case CUSHIM_SYMBOL_FALLEN_BACK:
        return (CUresult)(100000 + symbol_number(cushim_symbol_fallback(index)));
    default:
        return CUSHIM__REQUIRES_NEWER_DRIVER;
    }
}

static void find_what_its_version_has(const void *data)
{
    const struct driver *driver = data;
    const struct cushim_report report = load(driver->file);
    struct cushim_symbol_counts expected = {0};

    check_int(report.driver_version, driver->version);
    for (size_t i = 0; i < cushim_symbol_count(); i++) {
        const enum cushim_symbol_state state = expected_state(driver, i);
        count(i < CORE_SYMBOLS ? &expected.core : &expected.interop, state);
        if (cushim_symbol_state(i) != state)
            child_fail("%s is in state %d, not %d\n", cushim_symbol_name(i), cushim_symbol_state(i),
                       state);
    }
    check_int(expected.core.total, CORE_SYMBOLS);
    check_tally(&report.symbols.core, &expected.core);
    check_tally(&report.symbols.interop, &expected.interop);
}

static void reach_their_own_symbols(const void *data)
{
    static char memory[CUSHIM_CALL_BYTES];
    const struct driver *driver = data;

    load(driver->file);
    for (size_t i = 0; i < cushim_symbol_count(); i++) {
        const CUresult expected = expected_answer(expected_state(driver, i), i);
        CUresult answer;
        if (is_required(cushim_symbol_name(i)) ||
            (driver->behind && is_exported(driver, cushim_symbol_name(i))))
            continue; /* they do their work */
        answer = cushim_calls[i](cushim_driver(), memory);
        if (answer != expected)
            child_fail("%s answers %d, not %d\n", cushim_symbol_name(i), (int)answer,
                       (int)expected);
        check_int(cushim_symbol_missed(i), expected == CUSHIM__REQUIRES_NEWER_DRIVER);
    }
}

static void run_for_all(child_body body)
{
    unsigned failures = 0;

    for (size_t i = 0; i < COUNT(drivers); i++)
        failures += !child_passes(drivers[i].file, body, &drivers[i]);
    assert_int_equal(failures, 0);
}

static void each_driver_has_the_symbols_of_its_version(void **state)
{
    (void)state;
    run_for_all(find_what_its_version_has);
}

static void each_slot_reaches_its_own_symbol_or_fallback_or_refuses(void **state)
{
    (void)state;
    run_for_all(reach_their_own_symbols);
}

static void read_of_the_fallback(const void *data)
{
    char text[16384], json[131072];
    const struct cushim_report report = load(data);

    check_int(report.symbols.core.fallen_back, 1);
    check(cushim_report_text(&report, text, sizeof text) < sizeof text);
    check_contains(text, "1 fallen back");
    check_contains(text, "cuEventElapsedTime_v2 -> cuEventElapsedTime\n");
    check(cushim_report_json(&report, json, sizeof json) < sizeof json);
    check_contains(json, "cuEventElapsedTime_v2");
}

static void the_report_tells_of_the_fallback(void **state)
{
    (void)state;
    assert_true(child_passes("without-elapsed-v2", read_of_the_fallback, "without-elapsed-v2"));
    assert_true(child_passes("cuda-11.0", read_of_the_fallback, "cuda-11.0"));
}

static void read_of_the_missing(const void *data)
{
    char text[16384];
    const struct cushim_report report = load(data);

    check_int(report.symbols.core.missing, 1);
    cushim_report_text(&report, text, sizeof text);
    check_contains(text, "missing     cuMemAlloc_v2\n");
    check(!strstr(text, "called"));
    check_int(cushim_driver()->MemAlloc_v2(NULL, 0), CUSHIM__REQUIRES_NEWER_DRIVER);
    cushim_report_text(&report, text, sizeof text);
    check_contains(text, "missed      cuMemAlloc_v2, which this driver lacks (since CUDA 3.2)\n");
}

static void the_report_names_what_is_missing_and_what_was_called_in_vain(void **state)
{
    (void)state;
    assert_true(child_passes("without-mem-alloc-v2", read_of_the_missing, "without-mem-alloc-v2"));
}

static const struct demand {
    const char *title, *file;
    int minimum;
    CUresult code;
} demands[] = {
    {"the same version", "cuda-12.2", 12020, 0}, {"one older", "cuda-12.2", 12010, 0},
    {"one newer", "cuda-12.2", 12030, 36},       {"newer than any", "complete", 99000, 36},
    {"13 of 12.8", "cuda-12.8", 13000, 36},
};

static void demand_a_version(const void *data)
{
    const struct demand *demand = data;
    struct cushim_report report = {.size = sizeof report};
    struct cushim_load_options options;

    route_prepare(ROUTE_OPTION, path_of(demand->file), &options);
    options.minimum_version = demand->minimum;
    check_int(cushim_load(&options), demand->code);
    check_int(cushim_init(&options), demand->code);
    check_int(cushim_report_get(&report), CUDA_SUCCESS);
    check_int(report.minimum_version, demand->minimum);
    if (demand->code == CUDA_SUCCESS) {
        check_int(report.state, CUSHIM_STATE_READY);
    } else {
        check_int(report.state, CUSHIM_STATE_TOO_OLD);
        check_int(report.candidates[0].outcome, CUSHIM_OUTCOME_TOO_OLD);
        check_contains(report.reason, "older than the");
        check_contains(report.advice, "Update the NVIDIA driver");
        check_int(cushim_driver()->EventQuery(NULL), 36);
    }
}

static void a_driver_below_the_stated_minimum_is_too_old(void **state)
{
    unsigned failures = 0;

    (void)state;
    for (size_t i = 0; i < COUNT(demands); i++)
        failures += !child_passes(demands[i].title, demand_a_version, &demands[i]);
    assert_int_equal(failures, 0);
}

static void demand_more_later(const void *data)
{
    const struct cushim_load_options more = {.size = sizeof more, .minimum_version = 12080};
    struct cushim_report report = load(data);

    check_int(cushim_load(&more), CUSHIM__REQUIRES_NEWER_DRIVER);
    check_int(cushim_report_get(&report), CUDA_SUCCESS);
    check_int(report.state, CUSHIM_STATE_LOADED);
    check_int(cushim_driver()->EventQuery(NULL), 100000 + symbol_number("cuEventQuery"));
}

static void a_later_demand_for_more_leaves_the_driver_loaded(void **state)
{
    (void)state;
    assert_true(child_passes("cuda-12.2", demand_more_later, "cuda-12.2"));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_driver_has_the_symbols_of_its_version),
        cmocka_unit_test(each_slot_reaches_its_own_symbol_or_fallback_or_refuses),
        cmocka_unit_test(the_report_tells_of_the_fallback),
        cmocka_unit_test(the_report_names_what_is_missing_and_what_was_called_in_vain),
        cmocka_unit_test(a_driver_below_the_stated_minimum_is_too_old),
        cmocka_unit_test(a_later_demand_for_more_leaves_the_driver_loaded),
    };

    if (argc != 2)
        return EXIT_FAILURE;
    zoo = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
