/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver for tests of the command. It has the calls that the command makes, as far as the CUDA
 * version FAKE_VERSION had them. tests/drivers/fake cannot replace it, because the command measures
 * with it: its calls keep track of handles, memory and a clock, and abort on misuse. This file has
 * the driver itself and its devices.
 */
#include <stdbool.h>
#include <stdio.h>

#include "control.h"

static bool is_initialised;

int fake_device_count(void)
{
    return (int)fake_setting("FAKE_DEVICES", 2);
}

int fake_check_device(const char *call, CUdevice device)
{
    if (!is_initialised)
        fake_misuse(call, "the driver is not initialised");
    /* A handle is not the ordinal. */
    if (device < 100 || device >= 100 + fake_device_count())
        fake_misuse(call, "no device handle");
    return device - 100;
}

EXPORT(cuDriverGetVersion, int *version)
{
    const CUresult fault = fake_enter("cuDriverGetVersion", "");
    if (!fault)
        *version = FAKE_VERSION;
    return fault;
}

EXPORT(cuInit, unsigned flags)
{
    CUresult fault = fake_enter("cuInit", "");
    if (flags)
        fake_misuse("cuInit", "flags");
    if (!fault)
        fault = (CUresult)fake_setting("FAKE_INIT", 0);
    is_initialised = !fault;
    return fault;
}

EXPORT(cuDeviceGetCount, int *count)
{
    const CUresult fault = fake_enter("cuDeviceGetCount", "");
    if (!is_initialised)
        return CUDA_ERROR_NOT_INITIALIZED;
    if (!fault)
        *count = fake_device_count();
    return fault;
}

EXPORT(cuDeviceGet, CUdevice *device, int ordinal)
{
    const CUresult fault = fake_enter("cuDeviceGet", "");
    if (fault)
        return fault;
    if (ordinal < 0 || ordinal >= fake_device_count())
        return CUDA_ERROR_INVALID_DEVICE;
    *device = 100 + ordinal;
    return CUDA_SUCCESS;
}

EXPORT(cuDeviceGetName, char *name, int length, CUdevice device)
{
    static const char *const names[] = {"Fake GPU", "Fake \"B\" \\ \xff MIG 1g.5gb", "", ""};
    const CUresult fault = fake_enter("cuDeviceGetName", "");
    const int number = fake_check_device("cuDeviceGetName", device);
    if (!fault)
        snprintf(name, (size_t)length, "%s", names[number]);
    return fault;
}

#if FAKE_VERSION >= 9020
static CUresult get_uuid(const char *call, CUuuid *uuid, CUdevice device)
{
    const CUresult fault = fake_enter(call, "");
    const int number = fake_check_device(call, device);
    for (int i = 0; i < 16 && !fault; i++)
        uuid->bytes[i] = (char)(17 * i + number);
    return fault;
}

EXPORT(cuDeviceGetUuid, CUuuid *uuid, CUdevice device)
{
    return get_uuid("cuDeviceGetUuid", uuid, device);
}
#endif

#if FAKE_VERSION >= 11040
EXPORT(cuDeviceGetUuid_v2, CUuuid *uuid, CUdevice device)
{
    return get_uuid("cuDeviceGetUuid_v2", uuid, device);
}
#endif

EXPORT(cuDeviceGetAttribute, int *value, CUdevice_attribute attribute, CUdevice device)
{
    const CUresult fault = fake_enter("cuDeviceGetAttribute", "");
    const int number = fake_check_device("cuDeviceGetAttribute", device);
    if (fault)
        return fault;
    if (attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
        *value = 9;
    else if (attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)
        *value = number;
    else if (attribute == CU_DEVICE_ATTRIBUTE_WARP_SIZE)
        *value = 32;
    else if (attribute == CU_DEVICE_ATTRIBUTE_PCI_BUS_ID)
        *value = 0x1b + number;
    else if (attribute == CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID)
        *value = 7;
    else if ((int)attribute == 190) /* newer than every header */
        *value = -190;
    else
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

EXPORT(cuDeviceTotalMem_v2, size_t *bytes, CUdevice device)
{
    const CUresult fault = fake_enter("cuDeviceTotalMem_v2", "");
    const int number = fake_check_device("cuDeviceTotalMem_v2", device);
    if (!fault)
        *bytes = (size_t)(number + 1) << 33;
    return fault;
}

EXPORT(cuDeviceGetPCIBusId, char *address, int length, CUdevice device)
{
    const CUresult fault = fake_enter("cuDeviceGetPCIBusId", "");
    const int number = fake_check_device("cuDeviceGetPCIBusId", device);
    if (!fault)
        snprintf(address, (size_t)length, "0000:%02X:00.0", 0x1b + number);
    return fault;
}
