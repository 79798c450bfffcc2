/* SPDX-License-Identifier: Apache-2.0 */
/* The primary context of each device, which retains count (statements 10 to 12). */
#include "src/mock/api/api.h"
#include "src/mock/api/context.h"
#include "src/mock/core/device.h"
#include "src/mock/core/state.h"

static bool is_active(const struct mock_device *device)
{
    return device->primary && device->primary->alive;
}

MOCK_EXACT(DevicePrimaryCtxRetain)(CUcontext *pctx, CUdevice dev)
{
    struct mock_device *device;
    CUresult code;

    if (!pctx)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__mock_device_find(dev, &device);
    if (code)
        return code;
    if (device->primary)
        cushim__mock_context_await_end(device->primary);
    /* After a fault a context that lives is retained, but none begins. */
    if (cushim__mock->fault && !is_active(device))
        return cushim__mock->fault;
    if (!device->primary) {
        device->primary = cushim__mock_context_create(device, device->primary_flags);
        if (!device->primary)
            return CUDA_ERROR_OUT_OF_MEMORY;
        device->primary->primary = true;
        device->primary->uses = 0;
    } else if (!device->primary->alive) {
        cushim__mock_context_begin(device->primary);
        device->primary->flags = device->primary_flags;
        device->primary->uses = 0;
    }
    device->primary->uses++;
    *pctx = device->primary->object.handle;
    return CUDA_SUCCESS;
}

MOCK_EXACT(DevicePrimaryCtxRelease_v2)(CUdevice dev)
{
    struct mock_device *device;
    CUresult code = cushim__mock_device_find(dev, &device);

    if (code)
        return code;
    if (device->primary)
        cushim__mock_context_await_end(device->primary);
    if (!device->primary || device->primary->uses == 0)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (--device->primary->uses == 0 && device->primary->alive)
        cushim__mock_context_end(device->primary);
    return CUDA_SUCCESS;
}

/* To the first ABI what was never retained is released. */
MOCK_EXACT(DevicePrimaryCtxRelease)(CUdevice dev)
{
    CUresult code = cushim__mock_DevicePrimaryCtxRelease_v2(dev);

    return code == CUDA_ERROR_INVALID_CONTEXT ? CUDA_SUCCESS : code;
}

/* A reset ends the context and keeps its count: a release after it answers success. */
MOCK_EXACT(DevicePrimaryCtxReset_v2)(CUdevice dev)
{
    struct mock_device *device;
    CUresult code = cushim__mock_device_find(dev, &device);

    if (code)
        return code;
    device->primary_flags = 0;
    if (is_active(device))
        cushim__mock_context_end(device->primary);
    return CUDA_SUCCESS;
}

MOCK_EXACT(DevicePrimaryCtxReset)(CUdevice dev)
{
    return cushim__mock_DevicePrimaryCtxReset_v2(dev);
}

MOCK_EXACT(DevicePrimaryCtxSetFlags_v2)(CUdevice dev, unsigned int flags)
{
    struct mock_device *device;
    CUresult code = cushim__mock_device_find(dev, &device);

    if (code)
        return code;
    if (!cushim__mock_context_flags_valid(flags) || (flags & CU_CTX_MAP_HOST))
        return CUDA_ERROR_INVALID_VALUE;
    device->primary_flags = flags;
    if (is_active(device))
        device->primary->flags = flags;
    return CUDA_SUCCESS;
}

MOCK_EXACT(DevicePrimaryCtxSetFlags)(CUdevice dev, unsigned int flags)
{
    struct mock_device *device;
    CUresult code = cushim__mock_device_find(dev, &device);

    if (code)
        return code;
    if (is_active(device))
        return CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE;
    return cushim__mock_DevicePrimaryCtxSetFlags_v2(dev, flags);
}

MOCK_EXACT(DevicePrimaryCtxGetState)(CUdevice dev, unsigned int *flags, int *active)
{
    struct mock_device *device;
    CUresult code;

    if (!flags || !active)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__mock_device_find(dev, &device);
    if (code)
        return code;
    *flags = device->primary_flags;
    *active = is_active(device);
    return CUDA_SUCCESS;
}
