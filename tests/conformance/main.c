/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conformance: whether a driver answers as docs/driver-semantics.md says. See usage() below, and
 * cases.h for what a case is.
 *
 * A plain program: it needs nothing but the C library, so it can be carried to a machine with a
 * GPU. Exit status 0 if all passed, 1 if not, 2 for wrong arguments, 77 if there is no driver or no
 * device to test.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "cases.h"
#include "check.h"
#include "file.h"
#include "tally.h"
#include "tests/support/environment.h"
#include "tests/support/process.h"

/* The first process of a run: says what is tested. */
#define IDENTIFY "identify"
#define IS_MOCK "mock: "

static const struct {
    const char *name, *help;
} usages[] = {
    {"--driver=mock|real|PATH", "the mock in this process; the driver; a library (default: mock)"},
    {"--only=PREFIX", "only cases whose names begin so, as 024"},
    {"--list", "name the cases, and run none"},
    {"--json", "print JSON"},
    {"--settings=TEXT", "settings of the mock, lines of key = value"},
    {"--stub=PATH", "the toolkit's stub library, for statement 4"},
    {"--seconds=NUMBER", "how long a case may take (default: 30)"},
    {"--help", "print this"},
};

static void usage(FILE *file)
{
    fprintf(file, "usage: conformance [OPTION]...\n");
    for (size_t i = 0; i < sizeof usages / sizeof *usages; i++)
        fprintf(file, "  %-24s  %s\n", usages[i].name, usages[i].help);
}

static _Noreturn void identify(void)
{
    int version = 0, devices = 0;

    if (cu->Init(0) != CUDA_SUCCESS || cu->DeviceGetCount(&devices) != CUDA_SUCCESS || devices == 0)
        skip("cuInit answers %d, and there are %d devices", (int)cu->Init(0), devices);
    cu->DriverGetVersion(&version);
    detail("%sCUDA %d.%d, %s, %d device%s", backend_is_mock() ? IS_MOCK : "", version / 1000,
           version % 1000 / 10, backend_name(), devices, devices == 1 ? "" : "s");
    pass();
}

static void list(const char *only)
{
    for (const struct conformance_case *const *group = groups; *group; group++) {
        for (const struct conformance_case *row = *group; row->name; row++) {
            if (strncmp(row->name, only, strlen(only)) == 0)
                puts(row->name);
        }
    }
}

/* Every statement has a case, up to the highest that has one, or there is nothing to rely on. */
static bool is_complete(void)
{
    bool found[STATEMENTS_END] = {false}, complete = true;
    unsigned highest = 0;

    for (const struct conformance_case *const *group = groups; *group; group++) {
        for (const struct conformance_case *row = *group; row->name; row++) {
            const unsigned statement = case_statement(row);

            if (statement >= STATEMENTS_END)
                continue;
            found[statement] = true;
            highest = statement > highest ? statement : highest;
        }
    }
    for (unsigned statement = 1; statement <= highest; statement++) {
        if (!found[statement])
            fprintf(stderr, "conformance: statement %u has no case\n", statement);
        complete = complete && found[statement];
    }
    return complete;
}

/*
 * The next process finds these settings. The user's come first, so that messages number their lines
 * right. A mock need not say what it is: that is asked.
 */
static void prepare(const char *settings, const char *more)
{
    char all[4096];

    snprintf(all, sizeof all, "%s\n%s\nquiet = yes\n", settings, more ? more : "");
    environment_set(BACKEND_SETTINGS, all);
}

/* Run one case in a process, with the environment that its row asks for. */
static void run(const struct conformance_case *row, unsigned kind, const char *settings)
{
    char output[16384], name[256] = "";
    enum outcome outcome = FAILED;
    unsigned assertions;
    struct process_end end;

    prepare(settings, row->settings);
    if (row->environment) {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(row->environment, "="), row->environment);
        environment_set(name, row->environment + strlen(name) + 1);
    }
    end = process_run(row->name, output, sizeof output);
    if (row->environment)
        environment_set(name, NULL);

    assertions = check_count(output);
    if (!end.exited) {
        size_t length = strlen(output);

        snprintf(output + length, sizeof output - length, "%s%s", length > 0 ? "; " : "",
                 end.death);
    } else if (end.status == CASE_SKIPPED) {
        outcome = row->may_skip & kind ? SKIPPED : FAILED;
    } else if (end.status == CASE_PASSED && assertions > 0) {
        outcome = PASSED;
    }
    tally_add(row, outcome, assertions, output);
}

static void run_statement(unsigned statement, unsigned kind, const char *only, const char *settings)
{
    for (const struct conformance_case *const *group = groups; *group; group++) {
        for (const struct conformance_case *row = *group; row->name; row++) {
            if (case_statement(row) != statement || strncmp(row->name, only, strlen(only)) != 0)
                continue;
            if (case_applies(row, kind))
                run(row, kind, settings);
        }
    }
}

static int run_all(const char *only, bool json, const char *settings)
{
    char output[4096];
    struct process_end end;
    unsigned kind;

    prepare(settings, NULL);
    end = process_run(IDENTIFY, output, sizeof output);
    if (!is_complete())
        return CASE_FAILED;
    if (!end.exited || end.status != CASE_PASSED) {
        fprintf(stderr, "conformance: %s\n", output);
        return end.exited ? end.status : CASE_FAILED;
    }
    kind = strncmp(output, IS_MOCK, strlen(IS_MOCK)) == 0 ? ON_MOCK : ON_GPU;
    tally_begin(json, output);
    for (unsigned statement = 1; statement < STATEMENTS_END; statement++)
        run_statement(statement, kind, only, settings);
    return tally_end(*only ? 0 : kind) ? CASE_PASSED : CASE_FAILED;
}

/* The value of `argument` if it is this option, else NULL. */
static const char *value_of(const char *argument, const char *option)
{
    const size_t length = strlen(option);

    return strncmp(argument, option, length) == 0 && argument[length] == '=' ? argument + length + 1
                                                                             : NULL;
}

/* Every process of a run is given the driver and the stub. */
static bool hand_on(void)
{
    static char driver[FILE_PATH_BYTES + 16], stub[FILE_PATH_BYTES + 16];
    static char path[FILE_PATH_BYTES];
    const char *arguments[] = {"conformance", driver, backend_stub ? stub : NULL, NULL};

    if (strcmp(backend_driver, "mock") != 0 && strcmp(backend_driver, "real") != 0) {
        if (!file_absolute(backend_driver, path)) { /* so that the loader searches nowhere else */
            fprintf(stderr, "conformance: there is no library at %s\n", backend_driver);
            return false;
        }
        backend_driver = path;
    }
    snprintf(driver, sizeof driver, "--driver=%s", backend_driver);
    snprintf(stub, sizeof stub, "--stub=%s", backend_stub ? backend_stub : "");
    process_arguments(arguments);
    return true;
}

static _Noreturn void run_here(const char *name)
{
    const char *refused;

    process_begin();
    refused = backend_open();
    if (refused && !backend_is_mock() && strcmp(backend_driver, "real") == 0)
        skip("%s", refused); /* there is no driver */
    if (refused)
        fail("%s", refused);
    if (strcmp(name, IDENTIFY) == 0)
        identify();
    case_run(name);
}

int main(int count, char **arguments)
{
    const char *only = "", *one = NULL, *settings = "";
    bool json = false, listed = false;

    for (int i = 1; i < count; i++) {
        const char *argument = arguments[i], *value;

        if (strcmp(argument, "--help") == 0) {
            usage(stdout);
            return 0;
        } else if (strcmp(argument, "--list") == 0) {
            listed = true;
        } else if (strcmp(argument, "--json") == 0) {
            json = true;
        } else if ((value = value_of(argument, "--driver"))) {
            backend_driver = value;
        } else if ((value = value_of(argument, "--only"))) {
            only = value;
        } else if ((value = value_of(argument, "--settings"))) {
            settings = value;
        } else if ((value = value_of(argument, "--stub"))) {
            backend_stub = value;
        } else if ((value = value_of(argument, "--seconds"))) {
            process_patience((unsigned)strtoul(value, NULL, 10));
        } else if (strcmp(argument, "--run") == 0 && i + 1 < count) {
            one = arguments[++i];
        } else {
            usage(stderr);
            return 2;
        }
    }
    if (listed) {
        list(only);
        return 0;
    }
    if (!hand_on())
        return 2;
    if (one)
        run_here(one);
    return run_all(only, json, settings);
}
