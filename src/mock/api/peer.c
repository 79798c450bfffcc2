/* SPDX-License-Identifier: Apache-2.0 */
/* Peers: devices that reach each other's memory. */
#include <string.h>

#include "src/mock/api/api.h"
#include "src/mock/api/context.h"
#include "src/mock/core/device.h"

/* Of CUflushGPUDirectRDMAWritesTarget and -Scope, which older headers do not know. */
enum { CURRENT_CONTEXT = 0, TO_OWNER = 100, TO_ALL_DEVICES = 200 };

/* Two devices that the program sees, and that differ. */
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

    /* To itself a device is no peer, which here is an answer and no mistake. */
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
    switch ((int)attrib) {
    case CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED:
        *value = 1;
        return CUDA_SUCCESS;
    case CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED:
    case CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED: /* the mock does neither */
    case CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK:
        *value = 0;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
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
