/* SPDX-License-Identifier: Apache-2.0 */
/* Devices: which exist, and what they can do. A device reports what its profile says. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "src/mock/context/context.h"
#include "src/mock/copy/array.h"
#include "src/mock/core/device.h"
#include "src/mock/core/state.h"
#include "src/mock/functions/functions.h"

/* Fail as for an unknown number, but log it once, since the profile may be incomplete. */
static CUresult lacks(int number)
{
    const char *name = cushim__mock_attribute_name(number);

    if (name && !cushim__mock->misses[number])
        cushim__mock_log("the program is not wrong: only the profile \"%s\" does not say what %s "
                         "is, so the query returns CUDA_ERROR_INVALID_VALUE; attribute.%s sets it",
                         cushim__mock->settings.profile.name, name, name);
    cushim__mock->misses[number] = true;
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cushim__mock_DeviceGet(CUdevice *device, int ordinal)
{
    struct mock_device *found;
    CUresult code = cushim__mock_device_find(ordinal, &found);

    if (code == CUDA_SUCCESS)
        *device = found->ordinal;
    return code;
}

CUresult cushim__mock_DeviceGetCount(int *count)
{
    *count = cushim__mock_device_count();
    return CUDA_SUCCESS;
}

CUresult cushim__mock_DeviceGetAttribute(int *pi, CUdevice_attribute attrib, CUdevice dev)
{
    const struct mock_profile *profile = &cushim__mock->settings.profile;
    const int number = (int)attrib;
    struct mock_device *device;
    CUresult code;

    /* This is checked even before cuInit. */
    if (!pi)
        return CUDA_ERROR_INVALID_VALUE;
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

CUresult cushim__mock_DeviceGetProperties(CUdevprop *prop)
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

CUresult cushim__mock_DeviceComputeCapability(int *major, int *minor)
{
    *major = cushim__mock_attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    *minor = cushim__mock_attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    return CUDA_SUCCESS;
}

CUresult cushim__mock_DeviceTotalMem_v2(size_t *bytes)
{
    *bytes = cushim__mock->settings.memory_bytes;
    return CUDA_SUCCESS;
}

/* The ABI of CUDA 2.0 has 32 bits. A larger size is reported as the largest that fits. */
CUresult cushim__mock_DeviceTotalMem(unsigned int *bytes)
{
    const size_t all = cushim__mock->settings.memory_bytes;

    *bytes = all < UINT_MAX ? (unsigned)all : UINT_MAX;
    return CUDA_SUCCESS;
}

/* The measured limits are 4 GiB of texels, and 2^30 of them. */
CUresult cushim__mock_DeviceGetTexture1DLinearMaxWidth(size_t *maxWidthInElements,
                                                       CUarray_format format,
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
CUresult cushim__mock_DeviceGetExecAffinitySupport(int *pi)
{
    *pi = 0;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_DeviceGetHostAtomicCapabilities(unsigned int *capabilities,
                                                      const cushim_CUatomicOperation *operations,
                                                      unsigned int count, CUdevice dev)
{
    struct mock_device *device;
    CUresult code;

    /* This is checked even before cuInit. */
    if (!capabilities || !operations || count == 0)
        return CUDA_ERROR_INVALID_VALUE;
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
CUresult cushim__mock_DeviceGetName(char *name, int len)
{
    const char *text = cushim__mock->settings.profile.name;
    const size_t room = (unsigned)len;
    size_t length = strlen(text);

    if (room == 0) {
        cushim__mock_misuse(CUSHIM__MOCK_FOUND_UNDEFINED, "the driver crashes on a length of 0");
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (length >= room)
        length = room - 1;
    memcpy(name, text, length);
    name[length] = '\0';
    return CUDA_SUCCESS;
}

/* Also cuDeviceGetUuid_v2. The second ABI is about MIG instances, which the mock does not have. */
CUresult cushim__mock_DeviceGetUuid(CUuuid *uuid, struct mock_device *device)
{
    *uuid = device->uuid;
    return CUDA_SUCCESS;
}

/* Only Windows has LUIDs. */
CUresult cushim__mock_DeviceGetLuid(void)
{
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cushim__mock_DeviceGetPCIBusId(char *pciBusId, int len, struct mock_device *device)
{
    if (len < (int)PCI_TEXT)
        return CUDA_ERROR_INVALID_VALUE;
    snprintf(pciBusId, PCI_TEXT, "0000:%02X:00.0", device->bus);
    return CUDA_SUCCESS;
}

CUresult cushim__mock_DeviceGetByPCIBusId(CUdevice *dev, const char *pciBusId)
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
CUresult cushim__mock_DeviceGetNvSciSyncAttributes(void *nvSciSyncAttrList, CUdevice dev, int flags)
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

CUresult cushim__mock_DeviceCanAccessPeer(int *canAccessPeer, CUdevice dev, CUdevice peerDev)
{
    CUresult code = find_pair(dev, peerDev);

    /* A device is not its own peer, which here is an answer rather than an error. */
    if (code != CUDA_SUCCESS && (dev != peerDev || dev < 0 || dev >= cushim__mock_device_count()))
        return code;
    *canAccessPeer = dev != peerDev;
    return CUDA_SUCCESS;
}

/* CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED, which old headers lack. */
enum { ONLY_SOME_ATOMICS = 5 };

CUresult cushim__mock_DeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attrib,
                                            CUdevice srcDevice, CUdevice dstDevice)
{
    CUresult code = find_pair(srcDevice, dstDevice);

    if (code != CUDA_SUCCESS)
        return code;
    if ((int)attrib < CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK || (int)attrib > ONLY_SOME_ATOMICS)
        return CUDA_ERROR_INVALID_VALUE;
    /* Access, native atomics and access to arrays; all ranks are 0 (driver-semantics.md #194). */
    *value = attrib != CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK && (int)attrib != ONLY_SOME_ATOMICS;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_DeviceGetP2PAtomicCapabilities(unsigned int *capabilities,
                                                     const cushim_CUatomicOperation *operations,
                                                     unsigned int count, CUdevice srcDevice,
                                                     CUdevice dstDevice)
{
    CUresult code;

    if (!capabilities || !operations || count == 0)
        return CUDA_ERROR_INVALID_VALUE;
    code = find_pair(srcDevice, dstDevice);
    if (code == CUDA_SUCCESS)
        memset(capabilities, 0, count * sizeof *capabilities);
    return code;
}

CUresult cushim__mock_DeviceGetCliqueCount(size_t *count)
{
    *count = 0;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_DeviceGetCliqueInfo(size_t *count)
{
    return cushim__mock_DeviceGetCliqueCount(count);
}

/* No other device writes into the mock's memory, so there is never anything to wait for. */
CUresult cushim__mock_FlushGPUDirectRDMAWrites(cushim_CUflushGPUDirectRDMAWritesTarget target,
                                               cushim_CUflushGPUDirectRDMAWritesScope scope)
{
    if ((int)target != CURRENT_CONTEXT || ((int)scope != TO_OWNER && (int)scope != TO_ALL_DEVICES))
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

/* Access of one device's contexts to another's memory. */

CUresult cushim__mock_CtxEnablePeerAccess(struct mock_context *current,
                                          const struct mock_context *other, unsigned int Flags)
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

CUresult cushim__mock_CtxDisablePeerAccess(struct mock_context *current,
                                           const struct mock_context *other)
{
    if (!current->peers[other->device->ordinal])
        return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
    current->peers[other->device->ordinal] = false;
    return CUDA_SUCCESS;
}
