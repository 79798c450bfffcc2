/* SPDX-License-Identifier: Apache-2.0 */
/* A driver whose constructor calls cushim, from inside the load of itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <cushim/cushim.h>

#include "tests/drivers/route.h"
#include "tests/support/child.h"
#include "tests/support/folder.h"
#include "tests/support/symbols.h"

static char path[FOLDER_PATH_BYTES];

static struct {
    unsigned times;
    CUresult call, load, init, report;
    enum cushim_state state;
} seen;

/* Exported: the constructor looks for it. */
void zoo_reenter(void);

__attribute__((visibility("default"))) void zoo_reenter(void)
{
    struct cushim_report report = {.size = sizeof report};
    int devices = 0;

    seen.times++;
    seen.call = cushim_driver()->DeviceGetCount(&devices);
    seen.load = cushim_load(NULL);
    seen.init = cushim_init(NULL);
    seen.report = cushim_report_get(&report);
    seen.state = report.state;
}

static void check_seen(void)
{
    struct cushim_report report = {.size = sizeof report};

    check_int(seen.times, 1);
    check_int(seen.call, CUDA_ERROR_NOT_INITIALIZED);
    check_int(seen.load, CUDA_ERROR_NOT_INITIALIZED);
    check_int(seen.init, CUDA_ERROR_NOT_INITIALIZED);
    check_int(seen.report, CUDA_SUCCESS);
    check_int(seen.state, CUSHIM_STATE_UNTRIED);
    check_int(cushim_report_get(&report), CUDA_SUCCESS);
    check_int(report.state, CUSHIM_STATE_LOADED);
    check_int(report.symbols.core.found, CORE_SYMBOLS);
}

static void load_by_a_call(const void *data)
{
    struct cushim_load_options unused;

    (void)data;
    route_prepare(ROUTE_ENVIRONMENT, path, &unused);
    check(cushim_driver()->EventQuery(NULL) > 100000);
    check_seen();
}

static void load_by_load(const void *data)
{
    struct cushim_load_options options;

    (void)data;
    route_prepare(ROUTE_OPTION, path, &options);
    check_int(cushim_load(&options), CUDA_SUCCESS);
    check_seen();
}

static void load_by_init(const void *data)
{
    struct cushim_load_options options;
    struct cushim_report report = {.size = sizeof report};

    (void)data;
    route_prepare(ROUTE_OPTION, path, &options);
    check_int(cushim_init(&options), CUDA_SUCCESS);
    check_int(seen.init, CUDA_ERROR_NOT_INITIALIZED);
    check_int(cushim_report_get(&report), CUDA_SUCCESS);
    check_int(report.state, CUSHIM_STATE_READY);
}

static void a_constructor_that_calls_back_gets_3_during_a_first_call(void **state)
{
    (void)state;
    assert_true(child_passes("by a call", load_by_a_call, NULL));
}

static void a_constructor_that_calls_back_gets_3_during_a_load(void **state)
{
    (void)state;
    assert_true(child_passes("by cushim_load", load_by_load, NULL));
}

static void a_constructor_that_calls_back_gets_3_during_an_initialisation(void **state)
{
    (void)state;
    assert_true(child_passes("by cushim_init", load_by_init, NULL));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_constructor_that_calls_back_gets_3_during_a_first_call),
        cmocka_unit_test(a_constructor_that_calls_back_gets_3_during_a_load),
        cmocka_unit_test(a_constructor_that_calls_back_gets_3_during_an_initialisation),
    };

    if (argc != 2)
        return EXIT_FAILURE;
    snprintf(path, sizeof path, "%s/reenters" LIBRARY_SUFFIX, argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
