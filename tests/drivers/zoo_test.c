/* SPDX-License-Identifier: Apache-2.0 */
/* The zoo of drivers: what a load of each comes to, what the report says, and what calls answer. */
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
#include "tests/support/child.h"
#include "tests/support/folder.h"
#include "tests/support/library.h"
#include "tests/support/symbols.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { NO_TABLE = 1, NOT_OPENABLE = 2, NO_EVENT_QUERY = 4 };

static const struct driver {
    const char *file;
    CUresult code; /* of the load */
    enum cushim_state state;
    enum cushim_outcome outcome;
    const char *reason; /* words of it after the load */
    CUresult init_code; /* of cushim_init(), and what is the case after it */
    enum cushim_state init_state;
    const char *init_reason;
    const char *advice; /* after cushim_init() */
    int flags;
} drivers[] = {
    {"complete", 0, CUSHIM_STATE_LOADED, CUSHIM_OUTCOME_LOADED, "CUDA 13.0 is loaded.", 0,
     CUSHIM_STATE_READY, "CUDA 13.0 is loaded and initialised.", "", 0},
    {"cuda-10.0", 0, CUSHIM_STATE_LOADED, CUSHIM_OUTCOME_LOADED, "CUDA 10.0 is loaded.", 0,
     CUSHIM_STATE_READY, "CUDA 10.0 is loaded and initialised.", "", 0},
    {"cuda-12.8", 0, CUSHIM_STATE_LOADED, CUSHIM_OUTCOME_LOADED, "CUDA 12.8 is loaded.", 0,
     CUSHIM_STATE_READY, "CUDA 12.8 is loaded and initialised.", "", 0},
    {"cuda-11.0", 0, CUSHIM_STATE_LOADED, CUSHIM_OUTCOME_LOADED, "CUDA 11.0 is loaded.", 0,
     CUSHIM_STATE_READY, "CUDA 11.0 is loaded and initialised.", "", 0},
    {"cuda-12.2", 0, CUSHIM_STATE_LOADED, CUSHIM_OUTCOME_LOADED, "CUDA 12.2 is loaded.", 0,
     CUSHIM_STATE_READY, "CUDA 12.2 is loaded and initialised.", "", 0},
    {"without-elapsed-v2", 0, CUSHIM_STATE_LOADED, CUSHIM_OUTCOME_LOADED, "CUDA 13.0 is loaded.", 0,
     CUSHIM_STATE_READY, "CUDA 13.0 is loaded and initialised.", "", 0},
    {"without-mem-alloc-v2", 0, CUSHIM_STATE_LOADED, CUSHIM_OUTCOME_LOADED, "CUDA 13.0 is loaded.",
     0, CUSHIM_STATE_READY, "CUDA 13.0 is loaded and initialised.", "", 0},
    {"behind", 0, CUSHIM_STATE_LOADED, CUSHIM_OUTCOME_LOADED, "CUDA 13.0 is loaded.", 0,
     CUSHIM_STATE_READY, "CUDA 13.0 is loaded and initialised.", "", 0},
    {"only-required", 0, CUSHIM_STATE_LOADED, CUSHIM_OUTCOME_LOADED, "CUDA 13.0 is loaded.", 0,
     CUSHIM_STATE_READY, "CUDA 13.0 is loaded and initialised.", "", NO_EVENT_QUERY},
    {"init-minus-1", 0, CUSHIM_STATE_LOADED, CUSHIM_OUTCOME_LOADED, "CUDA 13.0 is loaded.",
     (CUresult)-1, CUSHIM_STATE_INIT_FAILED, "but cuInit returned -1 ", ".", 0},
    {"init-100", 0, CUSHIM_STATE_LOADED, CUSHIM_OUTCOME_LOADED, "CUDA 13.0 is loaded.", 100,
     CUSHIM_STATE_NO_DEVICE, "but cuInit returned 100 CUDA_ERROR_NO_DEVICE", "nvidia-smi", 0},
    {"init-803", 0, CUSHIM_STATE_LOADED, CUSHIM_OUTCOME_LOADED, "CUDA 13.0 is loaded.", 803,
     CUSHIM_STATE_KERNEL_MISMATCH, "but cuInit returned 803 CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
     "of the same release", 0},
    {"init-804", 0, CUSHIM_STATE_LOADED, CUSHIM_OUTCOME_LOADED, "CUDA 13.0 is loaded.", 804,
     CUSHIM_STATE_INIT_FAILED, "but cuInit returned 804 CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
     ".", 0},
    {"init-999", 0, CUSHIM_STATE_LOADED, CUSHIM_OUTCOME_LOADED, "CUDA 13.0 is loaded.", 999,
     CUSHIM_STATE_INIT_FAILED, "but cuInit returned 999 CUDA_ERROR_UNKNOWN", ".", 0},
    {"stub", 34, CUSHIM_STATE_STUB, CUSHIM_OUTCOME_STUB, "link-time stub and no driver: ", 34,
     CUSHIM_STATE_STUB, "link-time stub", "linking only", 0},
    {"no-init", 302, CUSHIM_STATE_NOT_A_DRIVER, CUSHIM_OUTCOME_NOT_A_DRIVER,
     "it has no symbol cuInit.", 302, CUSHIM_STATE_NOT_A_DRIVER, "cuInit", DRIVER_LIBRARY,
     NO_TABLE},
    {"no-version", 302, CUSHIM_STATE_NOT_A_DRIVER, CUSHIM_OUTCOME_NOT_A_DRIVER,
     "it has no symbol cuDriverGetVersion.", 302, CUSHIM_STATE_NOT_A_DRIVER, "cuDriverGetVersion",
     DRIVER_LIBRARY, NO_TABLE},
    {"version-minus-1", (CUresult)-1, CUSHIM_STATE_DRIVER_ERROR, CUSHIM_OUTCOME_DRIVER_ERROR,
     "cuDriverGetVersion returned -1 ", (CUresult)-1, CUSHIM_STATE_DRIVER_ERROR,
     "cannot tell its version", ".", 0},
    {"version-999", 999, CUSHIM_STATE_DRIVER_ERROR, CUSHIM_OUTCOME_DRIVER_ERROR,
     "cuDriverGetVersion returned 999 (CUDA_ERROR_UNKNOWN)", 999, CUSHIM_STATE_DRIVER_ERROR,
     "cannot tell its version", ".", 0},
    {"version-3", 3, CUSHIM_STATE_DRIVER_ERROR, CUSHIM_OUTCOME_DRIVER_ERROR,
     "cuDriverGetVersion returned 3 (CUDA_ERROR_NOT_INITIALIZED)", 3, CUSHIM_STATE_DRIVER_ERROR,
     "cannot tell its version", ".", 0},
    {"helped", 303, CUSHIM_STATE_NOT_LOADABLE, CUSHIM_OUTCOME_LACKS_LIBRARY, HELPER_LIBRARY, 303,
     CUSHIM_STATE_NOT_LOADABLE, HELPER_LIBRARY, "Install the library", NOT_OPENABLE},
#if defined(__GLIBC__)
    {"unresolved", 303, CUSHIM_STATE_NOT_LOADABLE, CUSHIM_OUTCOME_NOT_LOADABLE,
     "zoo_nobody_has_this", 303, CUSHIM_STATE_NOT_LOADABLE, "zoo_nobody_has_this", "Reinstall",
     NOT_OPENABLE},
#elif defined(__ELF__) /* a DLL names what it needs when it is linked */
    {"unresolved", 303, CUSHIM_STATE_NOT_LOADABLE, CUSHIM_OUTCOME_OTHER_C_LIBRARY,
     "zoo_nobody_has_this", 303, CUSHIM_STATE_NOT_LOADABLE, "zoo_nobody_has_this",
     "Build this program for glibc", NOT_OPENABLE},
#endif
};

/* One case: a driver, by a route. */
struct visit {
    const struct driver *driver;
    enum route route;
    char path[FOLDER_PATH_BYTES];
    char title[96];
};

static const char *zoo;

static struct visit visit_of(size_t index, enum route route)
{
    struct visit made = {.driver = &drivers[index], .route = route};

    if (route == ROUTE_MAPPED && route_maps_by_file_name) {
        char name[128];
        snprintf(name, sizeof name, "%s/" DRIVER_LIBRARY, drivers[index].file);
        snprintf(made.path, sizeof made.path, "%s", folder_path(name));
    } else {
        snprintf(made.path, sizeof made.path, "%s/%s" LIBRARY_SUFFIX, zoo, drivers[index].file);
    }
    snprintf(made.title, sizeof made.title, "%s by %s", drivers[index].file, route_name(route));
    return made;
}

/* A folder for each driver, where it has the name by which one is searched. */
static int make_folders(void **state)
{
    folder_create(state);
    for (size_t i = 0; i < COUNT(drivers); i++) {
        char name[128];
        folder_subfolder(drivers[i].file);
        snprintf(name, sizeof name, "%s/" DRIVER_LIBRARY, drivers[i].file);
        folder_link(name, visit_of(i, ROUTE_OPTION).path);
    }
    return 0;
}

static struct cushim_report report_now(void)
{
    struct cushim_report report = {.size = sizeof report};

    check_int(cushim_report_get(&report), CUDA_SUCCESS);
    return report;
}

/* What EventQuery answers once the driver is loaded: each symbol of the zoo answers its number. */
static CUresult answer_of_event_query(const struct driver *driver)
{
    size_t index = 0;

    if (driver->flags & NO_EVENT_QUERY)
        return CUSHIM__REQUIRES_NEWER_DRIVER;
    while (index < cushim_symbol_count() && strcmp(cushim_symbol_name(index), "cuEventQuery") != 0)
        index++;
    check(index < cushim_symbol_count());
    return (CUresult)(100000 + index);
}

static void check_candidate(const struct visit *visit, const struct cushim_report *report)
{
    const struct cushim_candidate *candidate = &report->candidates[0];

    check(report->candidate_count >= 1);
    if (visit->driver->code == CUDA_SUCCESS || visit->route == ROUTE_OPTION ||
        visit->route == ROUTE_ENVIRONMENT || visit->route == ROUTE_RESOLVER)
        check_int(report->candidate_count, 1);
    check_int(candidate->origin, route_origin(visit->route));
    check_int(candidate->outcome, visit->driver->outcome);
    check_text(candidate->path, visit->route == ROUTE_RESOLVER ? ""
                                : visit->route == ROUTE_SEARCH || visit->route == ROUTE_MAPPED
                                    ? DRIVER_LIBRARY
                                    : visit->path);
}

static void check_load(const struct visit *visit, const struct cushim_load_options *options)
{
    const struct driver *driver = visit->driver;
    struct cushim_report report = report_now();

    check_int(report.state, CUSHIM_STATE_UNTRIED);
    check_int(cushim_load(options), driver->code);
    report = report_now();
    check_int(report.state, driver->state);
    check_int(report.code, driver->code);
    check_contains(report.reason, driver->reason);
    check_candidate(visit, &report);
    if (driver->code == CUDA_SUCCESS) {
        const unsigned *init_calls = library_symbol(route_open(visit->path), "zoo_init_calls");
        check_text(report.advice, "");
        check(cushim__path_is_same_file(report.library, visit->path));
        check_int(cushim_driver()->EventQuery(NULL), answer_of_event_query(driver));
        check_int(*init_calls, 0);
    } else {
        check_contains(report.advice, driver->advice);
        check_text(report.library, "");
        check_int(report.driver_version, 0);
        check_int(report.symbols.core.total, 0);
        check_int(cushim_driver()->EventQuery(NULL), driver->code);
    }
}

static void check_init(const struct visit *visit, const struct cushim_load_options *options)
{
    const struct driver *driver = visit->driver;
    struct cushim_report report;

    check_int(cushim_init(options), driver->init_code);
    report = report_now();
    check_int(report.state, driver->init_state);
    check_int(report.code, driver->init_code);
    check_contains(report.reason, driver->init_reason);
    check_contains(report.advice, driver->advice);
    check_int(report.init_process != 0, report.state == CUSHIM_STATE_READY);
}

static void load_and_initialise(const void *data)
{
    const struct visit *visit = data;
    struct cushim_load_options options;

    route_prepare(visit->route, visit->path, &options);
    check_load(visit, &options);
    check_init(visit, &options);
}

/* The dynamic linker reads its path when a process starts. */
static void start_anew_to_search(const void *data)
{
    const struct visit *visit = data;
    const char *file = visit->driver->file;
    char index[16];
    const char *const arguments[] = {zoo, "search", index, NULL};

    snprintf(index, sizeof index, "%d", (int)(visit->driver - drivers));
    route_restart(folder_path(file), arguments);
}

static void visit_all(enum route route)
{
    unsigned failures = 0;

    for (size_t i = 0; i < COUNT(drivers); i++) {
        const struct visit made = visit_of(i, route);
        if (drivers[i].flags & NOT_OPENABLE && (route == ROUTE_MAPPED || route == ROUTE_RESOLVER))
            continue;
        failures += !child_passes(
            made.title, route == ROUTE_SEARCH ? start_anew_to_search : load_and_initialise, &made);
    }
    assert_int_equal(failures, 0);
}

static void every_driver_is_told_apart_by_option(void **state)
{
    (void)state;
    visit_all(ROUTE_OPTION);
}

static void every_driver_is_told_apart_by_environment(void **state)
{
    (void)state;
    visit_all(ROUTE_ENVIRONMENT);
}

static void every_driver_is_told_apart_by_resolver(void **state)
{
    (void)state;
    visit_all(ROUTE_RESOLVER);
}

static void every_driver_is_told_apart_if_mapped_before(void **state)
{
    (void)state;
    if (route_search_has_another()) {
        print_message("a driver of this machine would follow one that fails\n");
        skip();
    }
    visit_all(ROUTE_MAPPED);
}

static void every_driver_is_told_apart_by_search(void **state)
{
    (void)state;
    if (route_search_has_another()) {
        print_message("a driver of this machine would follow one that fails\n");
        skip();
    }
    visit_all(ROUTE_SEARCH);
}

static void fill_own_tables(const void *data)
{
    const struct visit *visit = data;
    const CUresult code = visit->driver->flags & NO_TABLE ? 302 : 0;
    void *library = route_open(visit->path);
    struct cushim_table found = {.size = sizeof found}, opened = {.size = sizeof opened};
    struct cushim_symbol_counts counts = {0};
    struct cushim_report report;

    check_int(cushim_table_fill(&found, route_resolve, library, &counts), code);
    check_int(cushim_table_fill_library(&opened, library, NULL), code);
    check(memcmp(&found, &opened, sizeof found) == 0);
    if (code == CUDA_SUCCESS) {
        check_int(opened.EventQuery(NULL),
                  visit->driver->code == 34 ? 34 : answer_of_event_query(visit->driver));
        check_int(counts.core.total, CORE_SYMBOLS);
    } else {
        check(!opened.EventQuery);
    }
    report = report_now();
    check_int(report.state, CUSHIM_STATE_UNTRIED);
}

static void every_driver_fills_a_table_of_the_callers_or_is_refused(void **state)
{
    unsigned failures = 0;

    (void)state;
    for (size_t i = 0; i < COUNT(drivers); i++) {
        const struct visit made = visit_of(i, ROUTE_RESOLVER);
        if (!(drivers[i].flags & NOT_OPENABLE))
            failures += !child_passes(drivers[i].file, fill_own_tables, &made);
    }
    assert_int_equal(failures, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_driver_is_told_apart_by_option),
        cmocka_unit_test(every_driver_is_told_apart_by_environment),
        cmocka_unit_test(every_driver_is_told_apart_by_resolver),
        cmocka_unit_test(every_driver_is_told_apart_if_mapped_before),
        cmocka_unit_test(every_driver_fills_a_table_of_the_callers_or_is_refused),
        cmocka_unit_test(every_driver_is_told_apart_by_search), /* the last: see below */
    };
    const size_t count = COUNT(tests) - !route_can_search;

    if (argc < 2)
        return EXIT_FAILURE;
    zoo = argv[1];
    if (argc == 4) {
        const struct visit made = visit_of((size_t)atoi(argv[3]), ROUTE_SEARCH);
        load_and_initialise(&made);
        child_end();
    }
    return _cmocka_run_group_tests("zoo", tests, count, make_folders, folder_remove);
}
