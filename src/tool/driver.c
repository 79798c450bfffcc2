/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tool/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cushim/driver.h>

#include "loader/loader.h"
#include "loader/system.h"
#include "src/tool/mock.h"
#include "src/tool/output.h"
#include "src/tool/system.h"

/* Whether there is no driver at all, and nobody has named one that is not there. */
static bool is_without_driver(const struct arguments *arguments, const struct cushim_report *report)
{
    const char *named = getenv("CUSHIM_LIBRARY");

    if (arguments->library)
        return false;
    return report->state == CUSHIM_STATE_DISABLED ||
           (report->state == CUSHIM_STATE_NOT_FOUND && !(named && *named));
}

/*
 * Load and initialise the driver. `library` is the path that the user named, relative ones too, or
 * NULL. The report is filled in any case.
 */
static bool open_driver(const char *library, struct cushim_report *report, struct failure *failure)
{
    struct cushim_load_options options = {.size = sizeof options, .library = library};
    char *absolute = NULL;

    /* The loader refuses relative paths, since folders change; a command is short. */
    if (library && library[0] && !cushim__path_is_absolute(library)) {
        absolute = system_absolute_path(library);
        if (absolute)
            options.library = absolute;
    }
    cushim_driver_init(&options);
    free(absolute);

    *report = (struct cushim_report){.code = CUDA_SUCCESS};
    cushim__report_get(report);
    if (report->state == CUSHIM_STATE_READY)
        return true;
    failure_from_report(failure, report);
    return false;
}

/* Of a mock driver that fails as it was told, the advice is on its settings, not on the machine. */
static void advise(struct driver *driver, struct failure *failure)
{
    const char *advice;

    if (driver->report.state == CUSHIM_STATE_NO_DEVICE)
        advice = "The settings ask for no device (devices, personality, CUDA_VISIBLE_DEVICES).";
    else if (driver->report.state == CUSHIM_STATE_STUB)
        advice =
            "The settings ask for the toolkit's stub (personality = stub): normal is a driver.";
    else if (driver->report.state == CUSHIM_STATE_KERNEL_MISMATCH)
        advice = "The settings ask for a kernel module of another release (personality = "
                 "version-mismatch): normal is a driver.";
    else
        return;
    snprintf(driver->report.advice, sizeof driver->report.advice, "%s", advice);
    snprintf(failure->advice, sizeof failure->advice, "%s", advice);
}

/* The mock driver of this process, in the place of another. */
static bool open_own(struct driver *driver, const struct arguments *arguments,
                     struct failure *failure)
{
    const bool is_open = mock_open(arguments, &driver->report, failure);

    driver->is_mock = driver->is_own = true;
    driver->identity = mock_identity();
    advise(driver, failure);
    return is_open;
}

/* The library that was opened, whether it will do as a driver or not. Another may be a pipe. */
static const char *opened(const struct cushim_report *report)
{
    const struct cushim__candidate *candidate =
        report->candidate_count ? cushim__deciding_candidate(report) : NULL;

    return !report->library[0] && candidate &&
                   (candidate->code != CUDA_SUCCESS || candidate->version)
               ? candidate->path
               : report->library;
}

/* A library that tells it is a mock driver, as that of `cushim run` does. */
static void ask_library(struct driver *driver, struct failure *failure)
{
    const char *(*identity)(void) = NULL;
    const system_function function =
        system_library_function(opened(&driver->report), "cushim_mock_identity");

    if (!function)
        return;
    memcpy(&identity, &function, sizeof identity);
    driver->is_mock = true;
    driver->identity = identity();
    advise(driver, failure);
}

bool driver_choose(struct driver *driver, const struct arguments *arguments,
                   bool is_fallback_allowed, struct failure *failure)
{
    bool is_open;

    *driver = (struct driver){0};
    if (arguments->mock)
        return open_own(driver, arguments, failure);
    is_open = open_driver(arguments->library, &driver->report, failure);
    ask_library(driver, failure);
    if (is_open)
        return true;
    if (!is_fallback_allowed || !mock_is_built() || !is_without_driver(arguments, &driver->report))
        return false;
    snprintf(driver->why_mock, sizeof driver->why_mock, "%s ", driver->report.reason);
    *failure = (struct failure){0};
    return open_own(driver, arguments, failure);
}

void driver_close(const struct driver *driver, struct failure *failure)
{
    const bool is_first = failure->status == STATUS_DONE;

    if (driver->is_own && !mock_close(failure) && is_first)
        failure_print(failure);
}

void driver_print_mock(const struct driver *driver)
{
    if (!driver->is_mock)
        return;
    output_line("simulated", "%sThe times are virtual: this is cushim's mock driver, not a GPU.",
                driver->why_mock);
    if (driver->identity)
        output_line("mock", "%s", driver->identity);
}

void driver_json_mock(const struct driver *driver, struct json *json)
{
    json_bool(json, "simulated", driver->is_mock);
    if (driver->identity)
        json_string(json, "mock", driver->identity);
    else
        json_null(json, "mock");
}
