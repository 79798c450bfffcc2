/* SPDX-License-Identifier: Apache-2.0 */
/* How commands get an initialised driver, or a failure with the reason, and its devices. */
#ifndef CUSHIM_TOOL_BASE_DRIVER_H
#define CUSHIM_TOOL_BASE_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cushim/device.h>

#include "loader/report.h"
#include "src/tool/base/arguments.h"
#include "src/tool/base/failure.h"

struct driver {
    struct cushim_report report;
    bool is_mock;         /* it is a mock driver: this process's, or a drop-in library */
    bool is_own;          /* it is the mock driver of this process */
    const char *identity; /* how a mock driver identifies itself; NULL if none is open */
    char why_mock[CUSHIM_REPORT_REASON_BYTES + 1]; /* the reason and a blank; empty if asked for */
};

/*
 * Make the path that the user has named absolute; NULL remains NULL. The loader refuses relative
 * paths, because the current folder may change, but not while a short command runs. The caller
 * frees `*memory`.
 */
const char *driver_library(const char *named, char **memory);

/*
 * Open the driver that the command line asks for. With `is_fallback_allowed`, open the mock driver
 * if there is no driver and none was named.
 */
bool driver_choose(struct driver *driver, const struct arguments *arguments,
                   bool is_fallback_allowed, struct failure *failure);

/* Whether the library that was opened is a mock driver, even if it could not be used. */
bool driver_is_mock(const struct cushim_report *report);

/* Close this process's mock driver, if open; misuse of it is printed on standard error. */
void driver_close(const struct driver *driver, struct failure *failure);

/* Print the first lines of a simulated result; nothing if it is not simulated. */
void driver_print_mock(const struct driver *driver);

/* Write the same as JSON members. */
void driver_json_mock(const struct driver *driver, struct json *json);

/* --- Devices --- */

struct device {
    int ordinal;
    CUdevice handle;
    char name[256];
    char uuid[CUSHIM_DEVICE_UUID_SIZE]; /* as nvidia-smi writes it; may be empty */
    int capability_major, capability_minor;
    size_t memory_bytes;
    char pci_address[32];
};

/* Count the devices. If there are none, that is a failure. */
bool device_count(int *count, struct failure *failure);

/* Get the handle and the name of a device. */
bool device_open(struct device *device, int ordinal, struct failure *failure);

/* Open the device that the user asked for with --device. */
bool device_choose(struct device *device, uint64_t ordinal, struct failure *failure);

/* Get the rest about an open device. */
bool device_describe(struct device *device, struct failure *failure);

#endif
