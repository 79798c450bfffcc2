/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tool/base/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cushim/driver.h>
#include <cushim/error.h>

#include "loader/loader.h"
#include "src/base/system.h"
#include "src/tool/base/mock.h"
#include "src/tool/base/output.h"
#include "src/tool/base/system.h"

/* Whether there is no driver, and not just because a named library is missing. */
static bool is_without_driver(const struct arguments *arguments, const struct cushim_report *report)
{
    const char *named = getenv("CUSHIM_LIBRARY");

    if (arguments->library)
        return false;
    return report->state == CUSHIM_STATE_DISABLED ||
           (report->state == CUSHIM_STATE_NOT_FOUND && !(named && *named));
}

const char *driver_library(const char *named, char **memory)
{
    *memory = named && named[0] && !cushim__system_path_is_absolute(named)
                  ? system_absolute_path(named)
                  : NULL;
    return *memory ? *memory : named;
}

/* Load and initialise the driver. The report is filled in any case. */
static bool open_driver(const char *named, struct cushim_report *report, struct failure *failure)
{
    struct cushim_load_options options = {.size = sizeof options};
    char *memory;

    options.library = driver_library(named, &memory);
    cushim_driver_init(&options);
    free(memory);

    *report = (struct cushim_report){.code = CUDA_SUCCESS};
    cushim__report_get(report);
    if (report->state == CUSHIM_STATE_READY)
        return true;
    failure_from_report(failure, report);
    return false;
}

/* If a mock has no device, its settings are the cause, and not the GPUs of the machine. */
static void advise_on_mock(struct driver *driver, struct failure *failure)
{
    static const char advice[] = "This is the mock driver: set devices to 1 or more, and "
                                 "driver_state to normal, and unset CUDA_VISIBLE_DEVICES.";

    if (!driver->is_mock || driver->report.state != CUSHIM_STATE_NO_DEVICE)
        return;
    snprintf(driver->report.advice, sizeof driver->report.advice, "%s", advice);
    snprintf(failure->advice, sizeof failure->advice, "%s", advice);
}

/* Open the mock driver of this process in place of another driver. */
static bool open_own(struct driver *driver, const struct arguments *arguments,
                     struct failure *failure)
{
    const bool is_open = mock_open(arguments, &driver->report, failure);

    driver->is_mock = driver->is_own = true;
    driver->identity = mock_identity();
    advise_on_mock(driver, failure);
    return is_open;
}

/*
 * The library that was opened, even if it is no driver. A file that was not opened may be a pipe.
 */
static const char *opened(const struct cushim_report *report)
{
    const struct cushim__candidate *candidate =
        report->candidate_count ? cushim__deciding_candidate(report) : NULL;

    return !report->library[0] && candidate &&
                   (candidate->code != CUDA_SUCCESS || candidate->version)
               ? candidate->path
               : report->library;
}

/* The function by which a drop-in library, such as that of `cushim run`, identifies itself. */
static system_function identity_of(const struct cushim_report *report)
{
    return system_library_function(opened(report), "cushim_mock_identity");
}

/* Ask a library whether it is a mock driver. */
static void ask_library(struct driver *driver)
{
    const char *(*identity)(void) = NULL;
    const system_function function = identity_of(&driver->report);

    if (!function)
        return;
    memcpy(&identity, &function, sizeof identity);
    driver->is_mock = true;
    driver->identity = identity();
}

bool driver_choose(struct driver *driver, const struct arguments *arguments,
                   bool is_fallback_allowed, struct failure *failure)
{
    bool is_open;

    *driver = (struct driver){0};
    if (arguments->mock)
        return open_own(driver, arguments, failure);
    is_open = open_driver(arguments->library, &driver->report, failure);
    ask_library(driver);
    advise_on_mock(driver, failure);
    if (is_open)
        return true;
    if (!is_fallback_allowed || !mock_is_built() || !is_without_driver(arguments, &driver->report))
        return false;
    snprintf(driver->why_mock, sizeof driver->why_mock, "%s ", driver->report.reason);
    *failure = (struct failure){0};
    return open_own(driver, arguments, failure);
}

bool driver_is_mock(const struct cushim_report *report)
{
    return identity_of(report) != NULL;
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
    json_string(json, "mock", driver->identity);
}

/* Drivers before CUDA 9.2 have no function for UUIDs, which is not a failure. */
static bool read_uuid(struct device *device, struct failure *failure)
{
    CUuuid uuid;
    const CUresult code = cushim_device_get_uuid(device->handle, &uuid);

    if (code == CUSHIM__REQUIRES_NEWER_DRIVER)
        return true;
    if (!failure_check(failure, "cushim_device_get_uuid", code))
        return false;
    cushim_device_format_uuid(&uuid, device->uuid);
    /* nvidia-smi and CUDA_VISIBLE_DEVICES write the UUID of a part of a device like this. */
    if (strstr(device->name, " MIG "))
        memcpy(device->uuid, "MIG", 3);
    return true;
}

bool device_count(int *count, struct failure *failure)
{
    if (!DRIVER_CALLED(failure, DeviceGetCount, count))
        return false;
    if (*count > 0)
        return true;
    failure_set(failure, STATUS_NO_DEVICE, cushim_error_advice(CUDA_ERROR_NO_DEVICE),
                "The driver is initialised but has no device.");
    return false;
}

bool device_open(struct device *device, int ordinal, struct failure *failure)
{
    *device = (struct device){.ordinal = ordinal};
    return DRIVER_CALLED(failure, DeviceGet, &device->handle, ordinal) &&
           DRIVER_CALLED(failure, DeviceGetName, device->name, (int)sizeof device->name,
                         device->handle);
}

bool device_choose(struct device *device, uint64_t ordinal, struct failure *failure)
{
    int count = 0;

    if (!device_count(&count, failure))
        return false;
    if (ordinal >= (uint64_t)count) {
        failure_set(failure, STATUS_USAGE, "List the devices with `cushim info`.",
                    "--device is out of range with '%d': expected %s%d, for the driver has %d "
                    "device%s",
                    (int)ordinal, count > 1 ? "0 to " : "", count - 1, count, count > 1 ? "s" : "");
        return false;
    }
    return device_open(device, (int)ordinal, failure);
}

bool device_describe(struct device *device, struct failure *failure)
{
    return read_uuid(device, failure) &&
           DRIVER_CALLED(failure, DeviceGetAttribute, &device->capability_major,
                         CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device->handle) &&
           DRIVER_CALLED(failure, DeviceGetAttribute, &device->capability_minor,
                         CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device->handle) &&
           DRIVER_CALLED(failure, DeviceTotalMem_v2, &device->memory_bytes, device->handle) &&
           DRIVER_CALLED(failure, DeviceGetPCIBusId, device->pci_address,
                         (int)sizeof device->pci_address, device->handle);
}
