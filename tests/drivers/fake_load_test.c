/* SPDX-License-Identifier: Apache-2.0 */
/* The result of loading each fake driver by each route: codes, report, calls. */
#include <stdatomic.h>

#include <cushim/cushim.h>

#include "loader/symbols.h"
#include "loader/versions.h"
#include "src/base/system.h"
#include "tests/drivers/route.h"
#include "tests/support/child.h"
#include "tests/support/cmocka.h"
#include "tests/support/folder.h"
#include "tests/support/library.h"
#include "tests/support/symbols.h"

/* Windows does not report which library is missing. */
#if defined(_WIN32)
#define MISSING_HELPER "The driver library cannot be opened"
#else
#define MISSING_HELPER "libfake-helper.so.7"
#endif

static const struct driver {
    const char *file;
    CUresult code;           /* of cushim_driver_load() */
    enum cushim_state state; /* after the load; if it succeeds, after cushim_driver_init() */
    enum cushim_outcome outcome;
    const char *reason, *advice; /* parts of the report in that state */
    CUresult init_code;          /* of cushim_driver_init(), if the load succeeds */
    int minimum;                 /* the version that the load requires */
} drivers[] = {
    {"complete", 0, CUSHIM_STATE_READY, CUSHIM_OUTCOME_LOADED,
     "CUDA " CUSHIM__NEWEST_VERSION_TEXT " is loaded and initialised.", "", 0, 0},
    {"behind", 0, CUSHIM_STATE_READY, CUSHIM_OUTCOME_LOADED, "CUDA 13.0 is loaded and", "", 0, 0},
    {"cuda-12.2", 0, CUSHIM_STATE_READY, CUSHIM_OUTCOME_LOADED, "CUDA 12.2 is loaded and", "", 0,
     12020},
    {"cuda-12.2", 36, CUSHIM_STATE_TOO_OLD, CUSHIM_OUTCOME_TOO_OLD,
     "it is a driver for CUDA 12.2, older than the 12.3 needed.", "Update the NVIDIA driver", 0,
     12030},
    {"init-minus-1", 0, CUSHIM_STATE_INIT_FAILED, CUSHIM_OUTCOME_LOADED, "but cuInit returned -1 ",
     ".", (CUresult)-1, 0},
    {"init-100", 0, CUSHIM_STATE_NO_DEVICE, CUSHIM_OUTCOME_LOADED,
     "but cuInit returned 100 CUDA_ERROR_NO_DEVICE", "nvidia-smi", 100, 0},
    {"init-803", 0, CUSHIM_STATE_KERNEL_MISMATCH, CUSHIM_OUTCOME_LOADED,
     "but cuInit returned 803 CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "after an update of the", 803, 0},
    {"init-804", 0, CUSHIM_STATE_INIT_FAILED, CUSHIM_OUTCOME_LOADED,
     "but cuInit returned 804 CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", ".", 804, 0},
    {"init-999", 0, CUSHIM_STATE_INIT_FAILED, CUSHIM_OUTCOME_LOADED,
     "but cuInit returned 999 CUDA_ERROR_UNKNOWN", ".", 999, 0},
    {"stub", 34, CUSHIM_STATE_STUB, CUSHIM_OUTCOME_STUB,
     "link-time stub, not a driver: ", "linking only", 0, 0},
    {"no-init", 302, CUSHIM_STATE_NOT_A_DRIVER, CUSHIM_OUTCOME_NOT_A_DRIVER,
     "it has no symbol cuInit.", DRIVER_LIBRARY, 0, 0},
    {"no-version", 302, CUSHIM_STATE_NOT_A_DRIVER, CUSHIM_OUTCOME_NOT_A_DRIVER,
     "it has no symbol cuDriverGetVersion.", DRIVER_LIBRARY, 0, 0},
    {"version-minus-1", (CUresult)-1, CUSHIM_STATE_DRIVER_ERROR, CUSHIM_OUTCOME_DRIVER_ERROR,
     "cuDriverGetVersion returned -1 ", ".", 0, 0},
    {"version-999", 999, CUSHIM_STATE_DRIVER_ERROR, CUSHIM_OUTCOME_DRIVER_ERROR,
     "cuDriverGetVersion returned 999 (CUDA_ERROR_UNKNOWN)", ".", 0, 0},
    {"reports-0", 999, CUSHIM_STATE_DRIVER_ERROR, CUSHIM_OUTCOME_DRIVER_ERROR,
     "cuDriverGetVersion returned the version 0 (CUDA_ERROR_UNKNOWN)", ".", 0, 0},
    {"reports-minus-1", 999, CUSHIM_STATE_DRIVER_ERROR, CUSHIM_OUTCOME_DRIVER_ERROR,
     "cuDriverGetVersion returned the version -1 (CUDA_ERROR_UNKNOWN)", ".", 0, 0},
    {"needs-helper", 303, CUSHIM_STATE_NOT_LOADABLE, CUSHIM_OUTCOME_LACKS_LIBRARY, MISSING_HELPER,
     "Install the library", 0, 0},
#if defined(__GLIBC__)
    {"unresolved", 303, CUSHIM_STATE_NOT_LOADABLE, CUSHIM_OUTCOME_NOT_LOADABLE,
     "fake_driver_nobody_has_this", "Reinstall", 0, 0},
#elif defined(__ELF__) /* a DLL names its imports when it is linked */
    {"unresolved", 303, CUSHIM_STATE_NOT_LOADABLE, CUSHIM_OUTCOME_OTHER_C_LIBRARY,
     "fake_driver_nobody_has_this", "Build this program for glibc", 0, 0},
#endif
};

/* One case: a driver and a route. */
struct visit {
    const struct driver *driver;
    enum route route;
    char path[FOLDER_PATH_BYTES];
};

static const char *fake_folder;

static struct visit visit_of(size_t index, enum route route)
{
    struct visit made = {.driver = &drivers[index], .route = route};

    snprintf(made.path, sizeof made.path, "%s/%s" LIBRARY_SUFFIX, fake_folder, drivers[index].file);
    return made;
}

/* Give each driver a folder in which it has the name that a search looks for. */
static int make_folders(void **state)
{
    folder_create(state);
    for (size_t i = 0; i < COUNT(drivers); i++) {
        char name[128];
        snprintf(name, sizeof name, "%zu", i);
        folder_subfolder(name);
        snprintf(name, sizeof name, "%zu/" DRIVER_LIBRARY, i);
        folder_link(name, visit_of(i, ROUTE_OPTION).path);
    }
    return 0;
}

static void check_candidate(const struct visit *visit, const struct cushim_report *report)
{
    const struct cushim__candidate *candidate = &report->candidates[0];
    const bool is_search = visit->route == ROUTE_SEARCH || visit->route == ROUTE_OPENED;

    /* After a failure, a search continues with the well-known places. */
    check(report->candidate_count == 1 || (is_search && visit->driver->code));
    check_int(candidate->origin, route_origin(visit->route));
    check_int(candidate->outcome, visit->driver->outcome);
    check_text(candidate->path, visit->route == ROUTE_RESOLVER ? ""
                                : is_search                    ? DRIVER_LIBRARY
                                                               : visit->path);
}

static void check_load(const struct visit *visit, const struct cushim_load_options *options)
{
    const struct driver *driver = visit->driver;
    struct cushim_report report = route_report();

    check_int(report.state, CUSHIM_STATE_UNTRIED);
    check_int(cushim_driver_load(options), driver->code);
    report = route_report();
    check_int(report.code, driver->code);
    check_int(report.minimum_version, driver->minimum);
    check_candidate(visit, &report);
    if (driver->code == CUDA_SUCCESS) {
        const atomic_uint *init_calls =
            library_symbol(route_open(visit->path), "fake_driver_init_calls");
        check_int(report.state, CUSHIM_STATE_LOADED);
        check_contains(report.reason, "is loaded.");
        check_text(report.advice, "");
        check(cushim__system_path_is_same_file(report.library, visit->path));
        check_int(cushim_driver()->EventQuery(NULL), 100000 + symbol_number("cuEventQuery"));
        check_int(atomic_load(init_calls), 0);
    } else {
        check_text(report.library, "");
        check_int(report.driver_version, 0);
        check_int(report.symbols.core.total, 0);
        check_int(cushim_driver()->EventQuery(NULL), driver->code);
    }
}

static void check_init(const struct visit *visit, const struct cushim_load_options *options)
{
    const struct driver *driver = visit->driver;
    const CUresult code = driver->code ? driver->code : driver->init_code;
    struct cushim_report report;

    check_int(cushim_driver_init(options), code);
    report = route_report();
    check_int(report.state, driver->state);
    check_int(report.code, code);
    check_contains(report.reason, driver->reason);
    check_contains(report.advice, driver->advice);
    check_int(report.advice[0] == '\0', driver->advice[0] == '\0');
    check_int(report.init_process != 0, report.state == CUSHIM_STATE_READY);
}

static void load_and_initialise(const void *data)
{
    const struct visit *visit = data;
    struct cushim_load_options options;

    route_prepare(visit->route, visit->path, &options);
    options.minimum_version = visit->driver->minimum;
    check_load(visit, &options);
    check_init(visit, &options);
}

/* The dynamic linker reads LD_LIBRARY_PATH when a process starts. */
static void restart_to_search(const void *data)
{
    const struct visit *visit = data;
    char index[16];
    const char *const arguments[] = {fake_folder, index, NULL};

    snprintf(index, sizeof index, "%d", (int)(visit->driver - drivers));
    route_restart(folder_path(index), arguments);
}

static void load_all(enum route route)
{
    unsigned failures = 0;

    for (size_t i = 0; i < COUNT(drivers); i++) {
        const struct visit visit = visit_of(i, route);
        char title[96];

        snprintf(title, sizeof title, "%s by %s", drivers[i].file, route_name(route));
        /* The program itself could not open these files. */
        if (drivers[i].code != 303 || route != ROUTE_RESOLVER)
            failures += !child_passes(
                title, route == ROUTE_SEARCH ? restart_to_search : load_and_initialise, &visit);
    }
    assert_int_equal(failures, 0);
}

TEST_ALONE(driver_by_option_environment_or_resolver_has_its_outcome)
{
    load_all(ROUTE_OPTION);
    load_all(ROUTE_ENVIRONMENT);
    load_all(ROUTE_RESOLVER);
}

TEST_ALONE(driver_by_search_has_its_outcome)
{
    if (!route_can_search)
        skip();
    if (route_machine_has_driver()) {
        print_message("skipped: a driver of this machine would follow one that fails\n");
        skip();
    }
    load_all(ROUTE_SEARCH);
}

TEST_ALONE(driver_that_the_program_has_opened_is_the_one_that_is_loaded)
{
    struct visit visit = visit_of(0, ROUTE_OPENED);

#if defined(__linux__) && !defined(__GLIBC__)
    print_message("skipped: musl knows a library that is open by its file alone\n");
    skip();
#endif
    snprintf(visit.path, sizeof visit.path, "%s", folder_path("0/" DRIVER_LIBRARY));
    assert_true(child_passes("opened", load_and_initialise, &visit));
}

static void load_disabled(const void *data)
{
    struct cushim_report report;
    struct cushim_load_options options;

    route_prepare(ROUTE_ENVIRONMENT, "none", &options);
    check_int(cushim_driver_init(NULL), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    check_int(cushim_driver()->EventQuery(NULL), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    report = route_report();
    check_int(report.state, CUSHIM_STATE_DISABLED);
    check_int(report.candidate_count, 1);
    check_int(report.candidates[0].outcome, CUSHIM_OUTCOME_DISABLED);
    check_contains(report.reason, "CUSHIM_LIBRARY=none");
    check_contains(report.advice, "Unset CUSHIM_LIBRARY");
    /* A driver that the program names is used in spite of the variable. */
    options.library = data;
    check_int(cushim_driver_load(&options), CUDA_SUCCESS);
    check_int(route_report().state, CUSHIM_STATE_LOADED);
}

TEST_ALONE(the_word_none_disables_the_driver_but_not_an_option)
{
    const struct visit visit = visit_of(0, ROUTE_OPTION);

    assert_true(child_passes("none", load_disabled, visit.path));
}

/* The results in the constructor of the driver `reenters`. */
static struct {
    unsigned times;
    CUresult call, load, init;
    enum cushim_state state;
} got;

/* Exported so that the constructor finds it. */
void fake_driver_opened(void);

__attribute__((visibility("default"))) void fake_driver_opened(void)
{
    int devices = 0;

    got.times++;
    got.call = cushim_driver()->DeviceGetCount(&devices);
    got.load = cushim_driver_load(NULL);
    got.init = cushim_driver_init(NULL);
    got.state = route_report().state;
}

static void load_by_call(const struct cushim_load_options *options)
{
    check(cushim_driver()->EventQuery(NULL) > 100000);
}

static void load_by_load(const struct cushim_load_options *options)
{
    check_int(cushim_driver_load(options), CUDA_SUCCESS);
}

static void load_by_init(const struct cushim_load_options *options)
{
    check_int(cushim_driver_init(options), CUDA_SUCCESS);
}

static void (*const loads[])(const struct cushim_load_options *) = {load_by_call, load_by_load,
                                                                    load_by_init};

static void load_reentrant(const void *data)
{
    const size_t way = *(const size_t *)data;
    struct cushim_load_options options;
    char path[FOLDER_PATH_BYTES];

    snprintf(path, sizeof path, "%s/reenters" LIBRARY_SUFFIX, fake_folder);
    route_prepare(ROUTE_ENVIRONMENT, path, &options);
    loads[way](&options);
    check_int(got.times, 1);
    check_int(got.call, CUDA_ERROR_NOT_INITIALIZED);
    check_int(got.load, CUDA_ERROR_NOT_INITIALIZED);
    check_int(got.init, CUDA_ERROR_NOT_INITIALIZED);
    check_int(got.state, CUSHIM_STATE_UNTRIED);
    check_int(route_report().symbols.core.found, symbol_core_count());
}

TEST_ALONE(call_from_a_constructor_of_the_driver_returns_3_during_the_load)
{
    for (size_t way = 0; way < COUNT(loads); way++)
        assert_true(child_passes("reenters", load_reentrant, &way));
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return EXIT_FAILURE;
    fake_folder = argv[1];
    if (argc == 3) {
        const struct visit visit = visit_of((size_t)atoi(argv[2]), ROUTE_SEARCH);
        load_and_initialise(&visit);
        child_end();
    }
    return run_all_tests(make_folders, folder_remove);
}
