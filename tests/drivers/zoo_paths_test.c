/* SPDX-License-Identifier: Apache-2.0 */
/* What may stand where the path of a driver is expected, and is no path or none that will do. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <unistd.h>

#include <cushim/cushim.h>

#include "tests/drivers/route.h"
#include "tests/support/child.h"
#include "tests/support/folder.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *zoo;
static char zoo_driver[FOLDER_PATH_BYTES];

static const struct words {
    const char *path;
    const char *message;
} words[] = {
    {DRIVER_LIBRARY, "the path is not absolute"},
    {"complete" LIBRARY_SUFFIX, "the path is not absolute"},
    {"./complete" LIBRARY_SUFFIX, "the path is not absolute"},
    {"None", "the path is not absolute"},
    {" none", "the path is not absolute"},
};

struct visit {
    const char *path, *message;
    enum route route;
};

static struct cushim_report check_refused(const struct visit *visit)
{
    struct cushim_report report = {.size = sizeof report};
    struct cushim_load_options options;

    route_prepare(visit->route, visit->path, &options);
    check_int(cushim_load(&options), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    check_int(cushim_init(&options), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    check_int(cushim_driver()->EventQuery(NULL), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    check_int(cushim_report_get(&report), CUDA_SUCCESS);
    check_int(report.state, CUSHIM_STATE_NOT_LOADABLE);
    check_int(report.candidate_count, 1);
    check_int(report.candidates[0].origin, route_origin(visit->route));
    check_int(report.candidates[0].outcome, CUSHIM_OUTCOME_REFUSED);
    check_text(report.candidates[0].message, visit->message);
    check_contains(report.reason, visit->message);
    check_contains(report.advice, "Give the absolute path of the driver library");
    return report;
}

/* In the folder of the zoo, where a relative path would lead to a driver. */
static void load_words(const void *data)
{
    const struct visit *visit = data;
    struct cushim_report report;

    check(chdir(zoo) == 0);
    report = check_refused(visit);
    check_text(report.candidates[0].path, visit->path);
}

static void load_all(enum route route)
{
    unsigned failures = 0;

    for (size_t i = 0; i < COUNT(words); i++) {
        const struct visit visit = {words[i].path, words[i].message, route};
        failures += !child_passes(words[i].path, load_words, &visit);
    }
    assert_int_equal(failures, 0);
}

static void load_empty(const void *data)
{
    const enum route *route = data;
    const struct visit visit = {
        "",
        *route == ROUTE_ENVIRONMENT ? "CUSHIM_LIBRARY is set, but empty" : "the path is empty",
        *route,
    };
    const struct cushim_report report = check_refused(&visit);
    char reason[CUSHIM_REPORT_REASON_BYTES];

    snprintf(reason, sizeof reason, "The driver library cannot be opened: %s.", visit.message);
    check_text(report.reason, reason);
    check_text(report.candidates[0].path, "");
}

static void an_empty_path_is_told_by_where_it_comes_from(void **state)
{
    const enum route option = ROUTE_OPTION, environment = ROUTE_ENVIRONMENT;

    (void)state;
    assert_true(child_passes("empty by option", load_empty, &option));
    assert_true(child_passes("empty by environment", load_empty, &environment));
}

static void only_an_absolute_path_is_taken_from_an_option(void **state)
{
    (void)state;
    load_all(ROUTE_OPTION);
}

static void only_an_absolute_path_is_taken_from_the_environment(void **state)
{
    (void)state;
    load_all(ROUTE_ENVIRONMENT);
}

static void load_option_none(const void *data)
{
    const struct visit visit = {"none", "the path is not absolute", ROUTE_OPTION};

    (void)data;
    check_refused(&visit);
}

static void the_word_none_means_nothing_in_an_option(void **state)
{
    (void)state;
    assert_true(child_passes("none by option", load_option_none, NULL));
}

static void load_disabled(const void *data)
{
    const char *path = data;
    struct cushim_report report = {.size = sizeof report};
    struct cushim_load_options options;

    route_prepare(ROUTE_ENVIRONMENT, "none", &options);
    check_int(cushim_load(NULL), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    check_int(cushim_init(NULL), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    check_int(cushim_driver()->EventQuery(NULL), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    check_int(cushim_report_get(&report), CUDA_SUCCESS);
    check_int(report.state, CUSHIM_STATE_DISABLED);
    check_int(report.candidate_count, 1);
    check_int(report.candidates[0].outcome, CUSHIM_OUTCOME_DISABLED);
    check_contains(report.reason, "CUSHIM_LIBRARY=none");
    check_contains(report.advice, "Unset CUSHIM_LIBRARY");

    /* Who names a driver in the program means it. */
    options.library = path;
    check_int(cushim_load(&options), CUDA_SUCCESS);
    check_int(cushim_report_get(&report), CUDA_SUCCESS);
    check_int(report.state, CUSHIM_STATE_LOADED);
}

static void the_word_none_disables_the_driver_but_not_an_option(void **state)
{
    (void)state;
    assert_true(child_passes("none", load_disabled, zoo_driver));
}

static void load_long_path(const void *data)
{
    char path[CUSHIM_REPORT_PATH_BYTES + 100];
    const struct visit visit = {path, "the path is too long", *(const enum route *)data};
    struct cushim_report report;

    memset(path, 'x', sizeof path - 1);
    memcpy(path, PATH_ROOT "/", sizeof PATH_ROOT);
    path[sizeof path - 1] = '\0';
    report = check_refused(&visit);
    check_int(strlen(report.candidates[0].path), CUSHIM_REPORT_PATH_BYTES - 1);
    check_contains(report.candidates[0].path, "xxx...");
}

static void a_path_that_no_report_can_hold_is_refused(void **state)
{
    const enum route option = ROUTE_OPTION, environment = ROUTE_ENVIRONMENT;

    (void)state;
    assert_true(child_passes("by option", load_long_path, &option));
    assert_true(child_passes("by environment", load_long_path, &environment));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_an_absolute_path_is_taken_from_an_option),
        cmocka_unit_test(only_an_absolute_path_is_taken_from_the_environment),
        cmocka_unit_test(an_empty_path_is_told_by_where_it_comes_from),
        cmocka_unit_test(the_word_none_means_nothing_in_an_option),
        cmocka_unit_test(the_word_none_disables_the_driver_but_not_an_option),
        cmocka_unit_test(a_path_that_no_report_can_hold_is_refused),
    };

    if (argc != 2)
        return EXIT_FAILURE;
    zoo = argv[1];
    snprintf(zoo_driver, sizeof zoo_driver, "%s/complete" LIBRARY_SUFFIX, zoo);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
