/* SPDX-License-Identifier: Apache-2.0 */
/* Devices of the driver, and what it tells of them. */
#ifndef CUSHIM_TOOL_DEVICE_H
#define CUSHIM_TOOL_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cushim/device.h>

#include "src/tool/failure.h"
#include "src/tool/json.h"

struct device {
    int ordinal;
    CUdevice handle;
    char name[256];
    char uuid[CUSHIM_UUID_TEXT_SIZE]; /* as nvidia-smi writes it; empty: the driver cannot tell */
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

/* A described device, as lines and as an element of an array. */
void device_print(const struct device *device);
void device_json(const struct device *device, struct json *json);

#endif
