/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpu_test [--list] [--only NAME] [--library PATH]
 *
 * Runs every case on the driver of this machine, or on the one that PATH names, and prints a line
 * for each. NAME is that of a case or the beginning of several. Exit status 0 if all passed that
 * could be run, 1 if one failed, 77 if there is no driver or no device.
 *
 * A plain program: it needs nothing but the C library, so it can be carried to a machine
 * with a GPU.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "begin.h"
#include "cases.h"
#include "check.h"
#include "tests/support/process.h"

static const struct gpu_case *const groups[] = {
    device_cases,       context_cases,       context_setting_cases, stream_cases,
    stream_order_cases, stream_memory_cases, host_function_cases,   event_cases,
    event_state_cases,  event_time_cases,    event_ipc_cases,       event_pool_cases,
    explain_cases,      capture_cases,       capture_rule_cases,    fault_cases,
    process_cases,      orphan_cases,        orphan_deeds,          peers,
};
enum { GROUPS = sizeof groups / sizeof *groups, LISTED = GROUPS - 2 };

/* Whether there is something to test, and what: the first process of a run. */
static void look_at_driver(void)
{
    struct cushim_report report = {.size = sizeof report};
    CUresult code = begin_driver();
    char library[PATH_MAX], name[256];
    const char *file;
    int count = 0;

    OK(cushim_report_get(&report));
    if (code != CUDA_SUCCESS)
        skip("%s", report.reason);
    OK(cushim_device_count(&count));
    if (count == 0)
        skip("no device");
    OK(cushim_device_name(begin_device(), name, sizeof name));
    if (!realpath(report.library, library)) /* which says more: libcuda.so.580.159.04 */
        snprintf(library, sizeof library, "%s", report.library);
    file = strrchr(library, '/');
    detail("CUDA %d.%d (%s), %d device%s, the first: %s", report.driver_version / 1000,
           report.driver_version % 1000 / 10, file ? file + 1 : library, count,
           count == 1 ? "" : "s", name);
}

void case_run(const char *name)
{
    for (size_t i = 0; i < GROUPS; i++) {
        for (const struct gpu_case *row = groups[i]; row->name; row++) {
            if (strcmp(row->name, name) == 0) {
                row->run();
                pass();
            }
        }
    }
    if (strcmp(name, "driver") == 0) {
        look_at_driver();
        pass();
    }
    fail("there is no case %s", name);
}

/* Run a case and print its line; the answer is CASE_... */
static int report(const char *name)
{
    char output[4096];
    const struct process_end end = process_run(name, output, sizeof output);
    int result = end.exited ? end.status : CASE_FAILED;

    if (!end.exited)
        printf("FAIL  %s  %s %s\n", name, end.death, output);
    else if (result == CASE_PASSED)
        printf("ok    %s  %s\n", name, output);
    else if (result == CASE_SKIPPED)
        printf("skip  %s  %s\n", name, output);
    else
        printf("FAIL  %s  %s\n", name, output);
    fflush(stdout);
    return result;
}

static int run_all(const char *only)
{
    unsigned passed = 0, failed = 0, skipped = 0;
    char output[4096];
    const struct process_end end = process_run("driver", output, sizeof output);

    printf("%s\n", output);
    if (!end.exited || end.status != CASE_PASSED)
        return end.exited ? end.status : CASE_FAILED;
    for (size_t i = 0; i < LISTED; i++) {
        for (const struct gpu_case *row = groups[i]; row->name; row++) {
            int result;

            if (only && strncmp(row->name, only, strlen(only)) != 0)
                continue;
            result = report(row->name);
            passed += result == CASE_PASSED;
            skipped += result == CASE_SKIPPED;
            failed += result != CASE_PASSED && result != CASE_SKIPPED;
        }
    }
    printf("%u passed, %u failed, %u skipped\n", passed, failed, skipped);
    return failed > 0 || passed == 0 ? CASE_FAILED : CASE_PASSED;
}

static int usage(void)
{
    fprintf(stderr, "usage: gpu_test [--list] [--only NAME] [--library PATH]\n");
    return 2;
}

static void list(void)
{
    for (size_t i = 0; i < LISTED; i++) {
        for (const struct gpu_case *row = groups[i]; row->name; row++)
            puts(row->name);
    }
}

int main(int count, char **arguments)
{
    const char *only = NULL, *one = NULL;
    static char library[PATH_MAX];

    for (int i = 1; i < count; i += 2) {
        const char *value = i + 1 < count ? arguments[i + 1] : NULL;

        if (strcmp(arguments[i], "--list") == 0) {
            list();
            return CASE_PASSED;
        }
        if (!value)
            return usage();
        if (strcmp(arguments[i], "--only") == 0)
            only = value;
        else if (strcmp(arguments[i], "--run") == 0)
            one = value;
        else if (strcmp(arguments[i], "--library") != 0)
            return usage();
        else if (!(begin_library = realpath(value, library))) { /* a driver's path is absolute */
            fprintf(stderr, "gpu_test: there is no library at %s\n", value);
            return 2;
        }
    }
    process_arguments(
        (const char *[]){"gpu_test", begin_library ? "--library" : NULL, begin_library, NULL});
    if (one)
        case_run(one);
    return run_all(only);
}
