/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver as the commands need it: initialised, or a failure with the reason; and its devices.
 */
#ifndef CUSHIM_TOOL_DRIVER_H
#define CUSHIM_TOOL_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cushim/device.h>

#include "loader/report.h"
#include "src/tool/commands.h"
#include "src/tool/failure.h"

struct driver {
    struct cushim_report report;
    bool is_mock;         /* it is a mock driver: of this process, or a library like cushim's */
    bool is_own;          /* it is the mock driver of this process */
    const char *identity; /* how a mock driver identifies itself; NULL: it is none, or not open */
    char why_mock[CUSHIM_REPORT_REASON_BYTES + 1]; /* why no other, and a blank; empty: asked for */
};

/*
 * The path to load for one that the user named, or NULL. The loader refuses relative paths, since
 * folders change; a command is short. Free `*memory` afterwards.
 */
const char *driver_library(const char *named, char **memory);

/*
 * Open the driver that the command line asks for. `is_fallback_allowed`: where there is none and
 * none was named, open the mock driver.
 */
bool driver_choose(struct driver *driver, const struct arguments *arguments,
                   bool is_fallback_allowed, struct failure *failure);

/* Close it again if it is the mock driver; its misuse is printed on standard error. */
void driver_close(const struct driver *driver, struct failure *failure);

/* The first lines of a result that is simulated; nothing if it is not. */
void driver_print_mock(const struct driver *driver);

/* The same as members. */
void driver_json_mock(const struct driver *driver, struct json *json);

/* --- Devices --- */

struct device {
    int ordinal;
    CUdevice handle;
    char name[256];
    char uuid[CUSHIM_UUID_TEXT_SIZE]; /* as nvidia-smi writes it; may be empty */
    int capability_major, capability_minor;
    size_t memory_bytes;
    char pci_address[32];
};

/* How many devices there are. None is a failure. */
bool device_count(int *count, struct failure *failure);

/* Handle and name of a device. */
bool device_open(struct device *device, int ordinal, struct failure *failure);

/* The one that the user asked for by --device. */
bool device_choose(struct device *device, uint64_t ordinal, struct failure *failure);

/* The rest, of a device that is open. */
bool device_describe(struct device *device, struct failure *failure);

#endif
