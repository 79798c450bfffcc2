/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tool/device.h"

#include <stdio.h>
#include <string.h>

#include <cushim/driver.h>
#include <cushim/error.h>

#include "src/tool/driver.h"
#include "src/tool/output.h"

/* As nvidia-smi and CUDA_VISIBLE_DEVICES write it. */
static void write_uuid(struct device *device, const CUuuid *uuid)
{
    const char *prefix = strstr(device->name, " MIG ") ? "MIG" : "GPU";
    char digits[2 * sizeof uuid->bytes + 1];

    for (size_t i = 0; i < sizeof uuid->bytes; i++)
        snprintf(digits + 2 * i, 3, "%02x", (unsigned char)uuid->bytes[i]);
    snprintf(device->uuid, sizeof device->uuid, "%s-%.8s-%.4s-%.4s-%.4s-%.12s", prefix, digits,
             digits + 8, digits + 12, digits + 16, digits + 20);
}

/* Drivers before CUDA 9.2 cannot tell it, which is no failure. */
static bool read_uuid(struct device *device, struct failure *failure)
{
    CUuuid uuid;

    if (driver_has("cuDeviceGetUuid_v2")) {
        if (!failure_check(failure, "cuDeviceGetUuid_v2",
                           cushim_driver()->DeviceGetUuid_v2(&uuid, device->handle)))
            return false;
    } else if (driver_has("cuDeviceGetUuid")) {
        if (!failure_check(failure, "cuDeviceGetUuid",
                           cushim_driver()->DeviceGetUuid(&uuid, device->handle)))
            return false;
    } else {
        return true;
    }
    write_uuid(device, &uuid);
    return true;
}

static bool read_attribute(const struct device *device, CUdevice_attribute attribute, int *value,
                           struct failure *failure)
{
    return failure_check(failure, "cuDeviceGetAttribute",
                         cushim_driver()->DeviceGetAttribute(value, attribute, device->handle));
}

bool device_count(int *count, struct failure *failure)
{
    if (!failure_check(failure, "cuDeviceGetCount", cushim_driver()->DeviceGetCount(count)))
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
    return failure_check(failure, "cuDeviceGet",
                         cushim_driver()->DeviceGet(&device->handle, ordinal)) &&
           failure_check(failure, "cuDeviceGetName",
                         cushim_driver()->DeviceGetName(device->name, sizeof device->name - 1,
                                                        device->handle));
}

bool device_describe(struct device *device, struct failure *failure)
{
    return read_uuid(device, failure) &&
           read_attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                          &device->capability_major, failure) &&
           read_attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
                          &device->capability_minor, failure) &&
           failure_check(
               failure, "cuDeviceTotalMem_v2",
               cushim_driver()->DeviceTotalMem_v2(&device->memory_bytes, device->handle)) &&
           failure_check(failure, "cuDeviceGetPCIBusId",
                         cushim_driver()->DeviceGetPCIBusId(
                             device->pci_address, sizeof device->pci_address - 1, device->handle));
}

void device_print(const struct device *device)
{
    output_line("device", "%d: %s", device->ordinal, device->name);
    output_line("uuid", "%s", device->uuid[0] ? device->uuid : "not known to this driver");
    output_line("capability", "%d.%d", device->capability_major, device->capability_minor);
    output_bytes("memory", device->memory_bytes, "");
    output_line("pci", "%s", device->pci_address);
}

void device_json(const struct device *device, struct json *json)
{
    char capability[32];

    snprintf(capability, sizeof capability, "%d.%d", device->capability_major,
             device->capability_minor);
    json_open(json, NULL, '{');
    json_integer(json, "ordinal", device->ordinal);
    json_string(json, "name", device->name);
    if (device->uuid[0])
        json_string(json, "uuid", device->uuid);
    else
        json_null(json, "uuid");
    json_string(json, "compute_capability", capability);
    json_size(json, "memory_bytes", device->memory_bytes);
    json_string(json, "pci_address", device->pci_address);
    json_close(json, '}');
}
