/* SPDX-License-Identifier: Apache-2.0 */
/* How a device is told from others: name, UUID, address. */
#include <stdio.h>
#include <string.h>

#include "src/mock/api/api.h"
#include "src/mock/core/device.h"
#include "src/mock/core/state.h"

enum { PCI_TEXT = sizeof "0000:00:00.0" };

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* Read digits up to a separator. Returns what follows them, or NULL if there are none. */
static const char *read_number(const char *text, unsigned *number)
{
    const char *next = text;

    for (*number = 0; digit(*next) >= 0 && *number < 0x10000; next++)
        *number = *number << 4 | (unsigned)digit(*next);
    return next > text ? next : NULL;
}

/* Read `[domain:]bus:device[.function]`. */
static bool read_address(const char *text, unsigned part[4])
{
    unsigned count = 0, number[3];

    do {
        text = read_number(count ? text + 1 : text, &number[count]);
        count++;
    } while (text && *text == ':' && count < 3);
    if (!text || count < 2)
        return false;
    part[0] = count == 3 ? number[0] : 0;
    part[1] = number[count - 2];
    part[2] = number[count - 1];
    part[3] = 0;
    if (*text == '.')
        text = read_number(text + 1, &part[3]);
    return text && !*text;
}

/* The length is read as if it had no sign. */
MOCK_EXACT(DeviceGetName)(char *name, int len, CUdevice dev)
{
    const char *text = cushim__mock->settings.profile.name;
    const size_t room = (unsigned)len;
    const size_t length = strlen(text);
    struct mock_device *device;
    CUresult code;

    if (!name)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__mock_device_find(dev, &device);
    if (code != CUDA_SUCCESS)
        return code;
    if (room == 0) {
        cushim__mock_misuse("the driver crashes on a length of 0");
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (length < room) {
        memcpy(name, text, length + 1);
    } else {
        memcpy(name, text, room - 1);
        name[room - 1] = '\0';
    }
    return CUDA_SUCCESS;
}

MOCK_EXACT(DeviceGetUuid)(CUuuid *uuid, CUdevice dev)
{
    struct mock_device *device;
    CUresult code;

    if (!uuid)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__mock_device_find(dev, &device);
    if (code == CUDA_SUCCESS)
        *uuid = device->uuid;
    return code;
}

/* The mock has no MIG instances, of which this one would tell. */
MOCK_EXACT(DeviceGetUuid_v2)(CUuuid *uuid, CUdevice dev)
{
    return cushim__mock_DeviceGetUuid(uuid, dev);
}

/* LUIDs are of Windows. */
MOCK_EXACT(DeviceGetLuid)(char *luid, unsigned int *deviceNodeMask, CUdevice dev)
{
    struct mock_device *device;
    CUresult code;

    if (!luid || !deviceNodeMask)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__mock_device_find(dev, &device);
    return code == CUDA_SUCCESS ? CUDA_ERROR_NOT_SUPPORTED : code;
}

MOCK_EXACT(DeviceGetPCIBusId)(char *pciBusId, int len, CUdevice dev)
{
    struct mock_device *device;
    CUresult code;

    if (!pciBusId)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__mock_device_find(dev, &device);
    if (code != CUDA_SUCCESS)
        return code;
    if (len < (int)PCI_TEXT)
        return CUDA_ERROR_INVALID_VALUE;
    snprintf(pciBusId, PCI_TEXT, "0000:%02X:00.0", device->bus);
    return CUDA_SUCCESS;
}

MOCK_EXACT(DeviceGetByPCIBusId)(CUdevice *dev, const char *pciBusId)
{
    unsigned part[4];

    if (!dev || !pciBusId || !read_address(pciBusId, part))
        return CUDA_ERROR_INVALID_VALUE;
    for (int i = 0; i < cushim__mock_device_count(); i++) {
        if (part[0] == 0 && part[1] == cushim__mock->devices[i].bus && part[2] == 0 &&
            part[3] == 0) {
            *dev = i;
            return CUDA_SUCCESS;
        }
    }
    return CUDA_ERROR_INVALID_DEVICE;
}

/* NvSciSync is of other platforms: Linux drivers on a PC check the arguments and do no more. */
MOCK_EXACT(DeviceGetNvSciSyncAttributes)(void *nvSciSyncAttrList, CUdevice dev, int flags)
{
    struct mock_device *device;
    CUresult code;

    if (!nvSciSyncAttrList)
        return CUDA_ERROR_INVALID_HANDLE;
    code = cushim__mock_device_find(dev, &device);
    if (code != CUDA_SUCCESS)
        return code;
    return flags == 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_NOT_SUPPORTED;
}
