/* SPDX-License-Identifier: Apache-2.0 */
/* Devices of the fake driver. */
#include "fake.h"

#include <stdio.h>
#include <string.h>

enum { ATTRIBUTES = 160, UNKNOWN = -1 };

static int device_count;
static int attributes[FAKE_DEVICES][ATTRIBUTES];

/*
 * Attributes that differ from 0. The numbers of the last two mean other things, or nothing, in old
 * toolkit headers.
 */
static const struct {
    int attribute;
    int value;
} usual[] = {
    {CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0},
    {122, 1}, /* 64-bit stream memory operations */
    {125, 1}, /* interprocess events */
};

void fake_device_reset(void)
{
    device_count = FAKE_DEVICES;
    memset(attributes, 0, sizeof attributes);
    for (CUdevice device = 0; device < FAKE_DEVICES; device++) {
        for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
            attributes[device][usual[i].attribute] = usual[i].value;
    }
}

void fake_device_count(int count)
{
    device_count = count;
}

void fake_device_attribute(CUdevice device, int attribute, int value)
{
    attributes[device][attribute] = value;
}

/* Begin a call about a device that writes to `output`. */
static CUresult begin(const char *function, const void *output, CUdevice device)
{
    const CUresult code = fake_call(function);

    if (code)
        return code;
    if (!output)
        return CUDA_ERROR_INVALID_VALUE;
    return device >= 0 && device < device_count ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

static CUresult CUDAAPI get_count(int *count)
{
    const CUresult code = begin("cuDeviceGetCount", count, 0);

    if (code)
        return code;
    *count = device_count;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI get(CUdevice *device, int ordinal)
{
    const CUresult code = begin("cuDeviceGet", device, ordinal);

    if (code)
        return code;
    *device = ordinal;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI get_name(char *name, int size, CUdevice device)
{
    const CUresult code = begin("cuDeviceGetName", name, device);

    if (code)
        return code;
    if (size < 1)
        return CUDA_ERROR_INVALID_VALUE;
    snprintf(name, (size_t)size, "Fake GPU %d", device);
    return CUDA_SUCCESS;
}

static CUresult get_uuid(const char *function, CUuuid *uuid, CUdevice device)
{
    const CUresult code = begin(function, uuid, device);

    if (code)
        return code;
    for (int i = 0; i < 16; i++)
        uuid->bytes[i] = (char)(0xf0 + i);
    uuid->bytes[15] = (char)device;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI get_uuid_v2(CUuuid *uuid, CUdevice device)
{
    return get_uuid("cuDeviceGetUuid_v2", uuid, device);
}

static CUresult CUDAAPI get_uuid_v1(CUuuid *uuid, CUdevice device)
{
    return get_uuid("cuDeviceGetUuid", uuid, device);
}

static CUresult CUDAAPI get_pci_bus_id(char *address, int size, CUdevice device)
{
    const CUresult code = begin("cuDeviceGetPCIBusId", address, device);

    if (code)
        return code;
    if (size < 13)
        return CUDA_ERROR_INVALID_VALUE;
    snprintf(address, (size_t)size, "0000:%02X:00.0", 0x1b + device);
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI get_by_pci_bus_id(CUdevice *device, const char *address)
{
    const CUresult code = begin("cuDeviceGetByPCIBusId", device, 0);
    unsigned domain, bus, slot, function;

    if (code)
        return code;
    if (!address || sscanf(address, "%x:%x:%x.%x", &domain, &bus, &slot, &function) != 4)
        return CUDA_ERROR_INVALID_VALUE;
    if (domain || bus < 0x1b || (int)bus >= 0x1b + device_count || slot || function)
        return CUDA_ERROR_INVALID_DEVICE;
    *device = (CUdevice)(bus - 0x1b);
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI total_mem(size_t *bytes, CUdevice device)
{
    const CUresult code = begin("cuDeviceTotalMem_v2", bytes, device);

    if (code)
        return code;
    *bytes = (size_t)3 << 30;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI get_attribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    const CUresult code = begin("cuDeviceGetAttribute", value, device);

    if (code)
        return code;
    if ((int)attribute < 1 || (int)attribute >= ATTRIBUTES ||
        attributes[device][attribute] == UNKNOWN)
        return CUDA_ERROR_INVALID_VALUE;
    *value = attributes[device][attribute];
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI can_access_peer(int *can, CUdevice device, CUdevice peer)
{
    const CUresult code = begin("cuDeviceCanAccessPeer", can, device);

    if (code)
        return code;
    if (peer < 0 || peer >= device_count)
        return CUDA_ERROR_INVALID_DEVICE;
    *can = device != peer;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI get_p2p_attribute(int *value, CUdevice_P2PAttribute attribute,
                                          CUdevice device, CUdevice peer)
{
    const CUresult code = begin("cuDeviceGetP2PAttribute", value, device);

    if (code)
        return code;
    if ((int)attribute < 1 || (int)attribute > 5)
        return CUDA_ERROR_INVALID_VALUE;
    if (peer < 0 || peer >= device_count || peer == device)
        return CUDA_ERROR_INVALID_DEVICE;
    *value = attribute == CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED;
    return CUDA_SUCCESS;
}

const struct fake_function fake_device_functions[] = {
    FAKE_FUNCTION(DeviceGetCount, get_count),
    FAKE_FUNCTION(DeviceGet, get),
    FAKE_FUNCTION(DeviceGetName, get_name),
    FAKE_FUNCTION(DeviceGetUuid_v2, get_uuid_v2),
    FAKE_FUNCTION(DeviceGetUuid, get_uuid_v1),
    FAKE_FUNCTION(DeviceGetPCIBusId, get_pci_bus_id),
    FAKE_FUNCTION(DeviceGetByPCIBusId, get_by_pci_bus_id),
    FAKE_FUNCTION(DeviceTotalMem_v2, total_mem),
    FAKE_FUNCTION(DeviceGetAttribute, get_attribute),
    FAKE_FUNCTION(DeviceCanAccessPeer, can_access_peer),
    FAKE_FUNCTION(DeviceGetP2PAttribute, get_p2p_attribute),
    FAKE_END,
};
