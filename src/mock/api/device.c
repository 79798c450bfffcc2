/* SPDX-License-Identifier: Apache-2.0 */
/* Devices: which exist, and what they can do. A device reports what its profile says. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "src/mock/api/api.h"
#include "src/mock/api/context.h"
#include "src/mock/api/copy.h"
#include "src/mock/core/device.h"
#include "src/mock/core/state.h"

/* Fail as for an unknown number, but log it once, since the profile may be incomplete. */
static CUresult lacks(int number)
{
    const char *name = cushim__mock_attribute_name(number);

    if (name && !cushim__mock->misses[number])
        cushim__mock_log("the profile \"%s\" does not have the attribute %s: "
                         "CUDA_ERROR_INVALID_VALUE (attribute.%s sets it)",
                         cushim__mock->settings.profile.name, name, name);
    cushim__mock->misses[number] = true;
    return CUDA_ERROR_INVALID_VALUE;
}

MOCK_EXACT(DeviceGet)(CUdevice *NOT_NULL device, int ordinal)
{
    struct mock_device *found;
    CUresult code = cushim__mock_device_find(ordinal, &found);

    if (code == CUDA_SUCCESS)
        *device = found->ordinal;
    return code;
}

MOCK_EXACT(DeviceGetCount)(int *NOT_NULL count)
{
    *count = cushim__mock_device_count();
    return CUDA_SUCCESS;
}

MOCK_EXACT(DeviceGetAttribute)(int *pi, CUdevice_attribute attrib, CUdevice dev)
{
    const struct mock_profile *profile = &cushim__mock->settings.profile;
    const int number = (int)attrib;
    struct mock_device *device;
    CUresult code;

    /* This is checked even before cuInit. */
    if (!pi)
        return CUDA_ERROR_INVALID_VALUE;
    if (!cushim__mock->initialised)
        return CUDA_ERROR_NOT_INITIALIZED;
    code = cushim__mock_device_find(dev, &device);
    if (code != CUDA_SUCCESS)
        return code;
    if (number < 0 || number >= MOCK_ATTRIBUTES_MAX)
        return CUDA_ERROR_INVALID_VALUE;
    /* The mock's devices have PCI addresses of their own, whatever the profile says. */
    if (number == CU_DEVICE_ATTRIBUTE_PCI_BUS_ID)
        *pi = (int)device->bus;
    else if (number == CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID ||
             number == CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID)
        *pi = 0;
    else if (profile->has_attribute[number])
        *pi = profile->attributes[number];
    else
        return lacks(number);
    return CUDA_SUCCESS;
}

MOCK_EXACT(DeviceGetProperties)(CUdevprop *NOT_NULL prop, struct mock_device *device)
{
    *prop = (CUdevprop){
        .maxThreadsPerBlock = cushim__mock_attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
        .maxThreadsDim = {cushim__mock_attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X),
                          cushim__mock_attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y),
                          cushim__mock_attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)},
        .maxGridSize = {cushim__mock_attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X),
                        cushim__mock_attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y),
                        cushim__mock_attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)},
        .sharedMemPerBlock =
            cushim__mock_attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK),
        .totalConstantMemory = cushim__mock_attribute(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY),
        .SIMDWidth = cushim__mock_attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE),
        .memPitch = cushim__mock_attribute(CU_DEVICE_ATTRIBUTE_MAX_PITCH),
        .regsPerBlock = cushim__mock_attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK),
        .clockRate = cushim__mock_attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE),
        .textureAlign = cushim__mock_attribute(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT),
    };
    return CUDA_SUCCESS;
}

MOCK_EXACT(DeviceComputeCapability)
(int *NOT_NULL major, int *NOT_NULL minor, struct mock_device *device)
{
    *major = cushim__mock_attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    *minor = cushim__mock_attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    return CUDA_SUCCESS;
}

MOCK_EXACT(DeviceTotalMem_v2)(size_t *NOT_NULL bytes, struct mock_device *device)
{
    *bytes = cushim__mock->settings.memory_bytes;
    return CUDA_SUCCESS;
}

/* The ABI of CUDA 2.0 has 32 bits. A larger size is reported as the largest that fits. */
MOCK_EXACT(DeviceTotalMem)(unsigned int *NOT_NULL bytes, const struct mock_device *device)
{
    const size_t all = cushim__mock->settings.memory_bytes;

    *bytes = all < UINT_MAX ? (unsigned)all : UINT_MAX;
    return CUDA_SUCCESS;
}

/* The measured limits are 4 GiB of texels, and 2^30 of them. */
MOCK_APPROXIMATE(DeviceGetTexture1DLinearMaxWidth, "formats of CUDA 11 and later are refused")
(size_t *NOT_NULL maxWidthInElements, const struct mock_device *device, CUarray_format format,
 unsigned int numChannels)
{
    const size_t bytes = cushim__mock_array_channel_bytes(format) * numChannels;
    const size_t most = (size_t)1 << 30;

    if ((numChannels != 1 && numChannels != 2 && numChannels != 4) || bytes == 0 ||
        format > CU_AD_FORMAT_FLOAT)
        return CUDA_ERROR_INVALID_VALUE;
    *maxWidthInElements = 4 * most / bytes < most ? 4 * most / bytes : most;
    return CUDA_SUCCESS;
}

/* An H200 has no kind of execution affinity, but the driver refuses no kind that is asked for. */
MOCK_EXACT(DeviceGetExecAffinitySupport)(int *NOT_NULL pi, const struct mock_device *device)
{
    *pi = 0;
    return CUDA_SUCCESS;
}

MOCK_EXACT(DeviceGetHostAtomicCapabilities)
(unsigned int *capabilities, const cushim_CUatomicOperation *operations, unsigned int count,
 CUdevice dev)
{
    struct mock_device *device;
    CUresult code;

    /* This is checked even before cuInit. */
    if (!capabilities || !operations || count == 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (!cushim__mock->initialised)
        return CUDA_ERROR_NOT_INITIALIZED;
    code = cushim__mock_device_find(dev, &device);
    if (code == CUDA_SUCCESS)
        memset(capabilities, 0, count * sizeof *capabilities);
    return code;
}

/* What identifies a device: name, UUID, address. */

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

/* The length is read as an unsigned number. */
MOCK_EXACT(DeviceGetName)(char *NOT_NULL name, struct mock_device *device, int len)
{
    const char *text = cushim__mock->settings.profile.name;
    const size_t room = (unsigned)len;
    size_t length = strlen(text);

    if (room == 0) {
        cushim__mock_misuse(CUSHIM__CHECK_NONE, "the driver crashes on a length of 0");
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (length >= room)
        length = room - 1;
    memcpy(name, text, length);
    name[length] = '\0';
    return CUDA_SUCCESS;
}

/* The second ABI is about MIG instances, which the mock does not have. */
MOCK_ALSO(DeviceGetUuid_v2)
MOCK_EXACT(DeviceGetUuid)(CUuuid *NOT_NULL uuid, struct mock_device *device)
{
    *uuid = device->uuid;
    return CUDA_SUCCESS;
}

/* Only Windows has LUIDs. */
MOCK_EXACT(DeviceGetLuid)
(char *NOT_NULL luid, unsigned int *NOT_NULL deviceNodeMask, const struct mock_device *device)
{
    return CUDA_ERROR_NOT_SUPPORTED;
}

MOCK_EXACT(DeviceGetPCIBusId)(char *NOT_NULL pciBusId, struct mock_device *device, int len)
{
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

/* NvSciSync belongs to other platforms: Linux drivers on a PC only check the arguments. */
MOCK_EXACT(DeviceGetNvSciSyncAttributes)(void *nvSciSyncAttrList, CUdevice dev, int flags)
{
    struct mock_device *device;
    CUresult code =
        nvSciSyncAttrList ? cushim__mock_device_find(dev, &device) : CUDA_ERROR_INVALID_HANDLE;

    if (code != CUDA_SUCCESS)
        return code;
    return flags == 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_NOT_SUPPORTED;
}

/* Peers: devices that reach each other's memory. */

/* Values of CUflushGPUDirectRDMAWritesTarget and -Scope, which older headers lack. */
enum { CURRENT_CONTEXT = 0, TO_OWNER = 100, TO_ALL_DEVICES = 200 };

/* Check that two devices are visible to the program, and differ. */
static CUresult find_pair(CUdevice one, CUdevice other)
{
    struct mock_device *device;
    CUresult code = cushim__mock_device_find(one, &device);

    if (code == CUDA_SUCCESS)
        code = cushim__mock_device_find(other, &device);
    return code == CUDA_SUCCESS && one == other ? CUDA_ERROR_INVALID_DEVICE : code;
}

MOCK_EXACT(DeviceCanAccessPeer)(int *NOT_NULL canAccessPeer, CUdevice dev, CUdevice peerDev)
{
    CUresult code = find_pair(dev, peerDev);

    /* A device is not its own peer, which here is an answer rather than an error. */
    if (code != CUDA_SUCCESS && (dev != peerDev || dev < 0 || dev >= cushim__mock_device_count()))
        return code;
    *canAccessPeer = dev != peerDev;
    return CUDA_SUCCESS;
}

MOCK_APPROXIMATE(DeviceGetP2PAttribute,
                 "of two devices only whether they reach each other was measured")
(int *NOT_NULL value, CUdevice_P2PAttribute attrib, CUdevice srcDevice, CUdevice dstDevice)
{
    CUresult code = find_pair(srcDevice, dstDevice);

    if (code != CUDA_SUCCESS)
        return code;
    if ((int)attrib < CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK ||
        (int)attrib > CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED)
        return CUDA_ERROR_INVALID_VALUE;
    /* The mock has neither native atomics nor access to arrays, and all ranks are 0. */
    *value = attrib == CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED;
    return CUDA_SUCCESS;
}

MOCK_APPROXIMATE(DeviceGetP2PAtomicCapabilities, "no device does atomics on another")
(unsigned int *capabilities, const cushim_CUatomicOperation *operations, unsigned int count,
 CUdevice srcDevice, CUdevice dstDevice)
{
    CUresult code;

    if (!capabilities || !operations || count == 0)
        return CUDA_ERROR_INVALID_VALUE;
    code = find_pair(srcDevice, dstDevice);
    if (code == CUDA_SUCCESS)
        memset(capabilities, 0, count * sizeof *capabilities);
    return code;
}

MOCK_APPROXIMATE(DeviceGetCliqueCount,
                 "no driver of this version was measured; devices are on no fabric")
(size_t *NOT_NULL count, const struct mock_device *device)
{
    *count = 0;
    return CUDA_SUCCESS;
}

MOCK_APPROXIMATE(DeviceGetCliqueInfo,
                 "no driver of this version was measured; devices are on no fabric")
(cushim_CUcliqueInfo *NOT_NULL cliqueInfo, size_t *NOT_NULL count, const struct mock_device *device)
{
    return cushim__mock_DeviceGetCliqueCount(count, device);
}

/* No other device writes into the mock's memory, so there is never anything to wait for. */
MOCK_EXACT(FlushGPUDirectRDMAWrites)
(struct mock_context *current, cushim_CUflushGPUDirectRDMAWritesTarget target,
 cushim_CUflushGPUDirectRDMAWritesScope scope)
{
    if ((int)target != CURRENT_CONTEXT || ((int)scope != TO_OWNER && (int)scope != TO_ALL_DEVICES))
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

/* Access of one device's contexts to another's memory. */

MOCK_APPROXIMATE(CtxEnablePeerAccess, "is kept, but copies between devices never need it")
(struct mock_context *current, const struct mock_context *other, unsigned int Flags)
{
    if (Flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (other->device == current->device)
        return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
    if (current->peers[other->device->ordinal])
        return CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
    current->peers[other->device->ordinal] = true;
    return CUDA_SUCCESS;
}

MOCK_EXACT(CtxDisablePeerAccess)
(struct mock_context *current, const struct mock_context *other)
{
    if (!current->peers[other->device->ordinal])
        return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
    current->peers[other->device->ordinal] = false;
    return CUDA_SUCCESS;
}
