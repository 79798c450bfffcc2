/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mock as a shared library: the exports of each version for programs that open it, and that the
 * loader recognises it as a driver.
 */

#include <cushim/driver.h>
#include <cushim/report.h>
#include <cushim/table.h>

#include "loader/symbols.h"
#include "loader/versions.h"
#include "src/base/system.h"
#include "tests/support/child.h"
#include "tests/support/cmocka.h"
#include "tests/support/environment.h"
#include "tests/support/library.h"

static const char *library;

static const struct version {
    const char *settings;
    int number;
} versions[] = {
    {"quiet = yes\ndriver_version = 10.0", 10000},
    {"quiet = yes\ndriver_version = 11.2", 11020},
    {"quiet = yes\ndriver_version = 12.0", 12000},
    {"quiet = yes\ndriver_version = 12.7", 12070},
    {"quiet = yes\ndriver_version = 12.8", 12080},
    {"quiet = yes", 13000},
    {"quiet = yes\ndriver_version = " CUSHIM__NEWEST_VERSION_TEXT, CUSHIM__NEWEST_VERSION},
};

static bool is_expected(size_t index, int version)
{
    return cushim__symbol_since(index) <= version &&
           (cushim__system_is_windows || strcmp(cushim__symbol_name(index), "cuWGLGetDevice") != 0);
}

static void *open_with(const char *settings)
{
    void *opened;

    environment_set("CUSHIM_MOCK_SETTINGS", settings);
    environment_set("CUSHIM_MOCK_CONFIG", NULL);
    opened = library_open(library);
    if (!opened)
        child_fail("%s\n", library_error());
    return opened;
}

/* A function of the opened library; the child fails if it is missing. */
static cushim_function function_of(void *opened, const char *symbol)
{
    void *found = library_symbol(opened, symbol);
    cushim_function function;

    if (!found)
        child_fail("no %s\n", symbol);
    memcpy(&function, &found, sizeof function);
    return function;
}

static void look_up_all(const void *data)
{
    const struct version *version = data;
    void *opened = open_with(version->settings);
    int reported = 0;

    for (size_t i = 0; i < cushim_symbol_count(); i++) {
        const char *symbol = cushim__symbol_name(i);
        const bool found = library_symbol(opened, symbol) != NULL;
        if (found != is_expected(i, version->number))
            child_fail("%s (since %d) is %sfound\n", symbol, cushim__symbol_since(i),
                       found ? "" : "not ");
    }
    check_int(((CUresult(CUDAAPI *)(int *))function_of(opened, "cuDriverGetVersion"))(&reported),
              0);
    check_int(reported, version->number);
}

TEST_ALONE(each_version_exports_the_symbols_of_the_registry_up_to_it)
{
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        assert_true(child_passes(versions[i].settings, look_up_all, &versions[i]));
}

static void ask_for_addresses(const void *data)
{
    void *opened = open_with(versions[2].settings), *found = NULL;
    const cushim_function ask = function_of(opened, "cuGetProcAddress_v2");
    int status = 77;

    check_int(((CUresult(CUDAAPI *)(const char *, void **, int, cuuint64_t, int *))ask)(
                  "cuMemAlloc", &found, 12000, 0, &status),
              0);
    check(found == library_symbol(opened, "cuMemAlloc_v2"));
    check_int(((CUresult(CUDAAPI *)(const char *, void **, int, cuuint64_t, int *))ask)(
                  "cuGreenCtxCreate", &found, 12000, 0, &status),
              0);
    check(!found && status == 1);
}

TEST_ALONE(proc_address_gives_the_exported_functions)
{
    assert_true(child_passes("proc address", ask_for_addresses, NULL));
}

static void load_it(const void *data)
{
    const struct version *version = data;
    const struct cushim_load_options options = {.size = sizeof options, .library = library};
    struct cushim_symbol_counts symbols;
    struct cushim_report *report;
    int devices = 0;

    environment_set("CUSHIM_MOCK_SETTINGS", version->settings);
    check_int(cushim_driver_load(&options), CUDA_SUCCESS);
    check_int(cushim_report_create(&report), CUDA_SUCCESS);
    check_int(cushim_report_driver_version(report), version->number);
    check_int(cushim_report_get_symbol_counts(report, &symbols), CUDA_SUCCESS);
    check_int(symbols.core.by_proc_address + symbols.interop.by_proc_address, 0);
    check_int(symbols.core.fallen_back, version->number < 12080);
    cushim_report_destroy(report);
    check_int(cushim_driver()->Init(0), CUDA_SUCCESS);
    check_int(cushim_driver()->DeviceGetCount(&devices), CUDA_SUCCESS);
    check_int(devices, 1);
    if (version->number < 11020)
        check_int(cushim_driver()->MemAllocAsync(NULL, 1, NULL), CUSHIM__REQUIRES_NEWER_DRIVER);
}

TEST_ALONE(loader_takes_it_for_a_driver_of_its_version)
{
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        assert_true(child_passes(versions[i].settings, load_it, &versions[i]));
}

static void close_and_call(const void *data)
{
    void *opened = open_with("quiet = yes");
    const cushim_function init = function_of(opened, "cuInit");

    library_close(opened);
    check_int(((CUresult(CUDAAPI *)(unsigned))init)(0), CUDA_SUCCESS);
}

TEST_ALONE(library_that_is_closed_stays)
{
    assert_true(child_passes("close", close_and_call, NULL));
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    library = argv[1];
    return run_all_tests(NULL, NULL);
}
