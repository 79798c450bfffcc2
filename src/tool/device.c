/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tool/device.h"

#include <stdio.h>
#include <string.h>

#include <cushim/driver.h>
#include <cushim/error.h>

#include "loader/codes.h"
#include "src/tool/output.h"

/* Drivers before CUDA 9.2 cannot tell it, which is no failure. */
static bool read_uuid(struct device *device, struct failure *failure)
{
    CUuuid uuid;
    const CUresult code = cushim_device_uuid(device->handle, &uuid);

    if (code == CUSHIM__REQUIRES_NEWER_DRIVER)
        return true;
    if (!failure_check(failure, "cushim_device_uuid", code))
        return false;
    cushim_uuid_format(&uuid, device->uuid);
    /* As nvidia-smi and CUDA_VISIBLE_DEVICES write that of a part of a device. */
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
