/* SPDX-License-Identifier: Apache-2.0 */
#include <cushim/device.h>

#include <limits.h>
#include <string.h>

#include <cushim/context.h>

#include "loader/codes.h"
#include "loader/system.h"
#include "src/objects.h"

/* By number: toolkit headers before 12.0 have no name for it. */
enum { IPC_EVENT_SUPPORTED = 125 };

CUresult cushim_device_get_by_uuid(const CUuuid *uuid, CUdevice *device)
{
    int count;
    CUresult code;

    if (!device || !uuid)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim_driver()->DeviceGetCount(&count);
    for (int ordinal = 0; code == CUDA_SUCCESS && ordinal < count; ordinal++) {
        CUdevice candidate;
        CUuuid its;

        code = cushim_driver()->DeviceGet(&candidate, ordinal);
        if (code == CUDA_SUCCESS)
            code = cushim_device_uuid(candidate, &its);
        if (code == CUDA_SUCCESS && memcmp(its.bytes, uuid->bytes, sizeof its.bytes) == 0) {
            *device = candidate;
            return CUDA_SUCCESS;
        }
    }
    return code == CUDA_SUCCESS ? CUDA_ERROR_INVALID_DEVICE : code;
}

CUresult cushim_device_uuid(CUdevice device, CUuuid *uuid)
{
    CUresult code;

    if (!uuid)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim_driver()->DeviceGetUuid_v2(uuid, device);
    return code == CUSHIM__REQUIRES_NEWER_DRIVER ? cushim_driver()->DeviceGetUuid(uuid, device)
                                                 : code;
}

static CUresult attribute(CUdevice device, CUdevice_attribute number, int *value)
{
    return cushim_driver()->DeviceGetAttribute(value, number, device);
}

CUresult cushim_device_stream_priority_range(CUdevice device, int *least, int *greatest)
{
    struct cushim_context_scope scope;
    struct cushim_context *primary;
    int its_least, its_greatest;
    CUresult code, released;

    if (!least || !greatest)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim_context_retain_primary(device, &primary);
    if (code != CUDA_SUCCESS)
        return code;
    code = cushim__context_enter(primary, &scope);
    if (code == CUDA_SUCCESS)
        code = cushim__context_leave(
            &scope, cushim_driver()->CtxGetStreamPriorityRange(&its_least, &its_greatest));
    released = cushim_context_release(primary);
    if (code != CUDA_SUCCESS)
        return code;
    if (released != CUDA_SUCCESS)
        return released;
    *least = its_least;
    *greatest = its_greatest;
    return CUDA_SUCCESS;
}

CUresult cushim_device_supports_ipc_events(CUdevice device, bool *supported)
{
    int value, unified, integrated;
    CUresult code;

    if (!supported)
        return CUDA_ERROR_INVALID_VALUE;
    code = attribute(device, (CUdevice_attribute)IPC_EVENT_SUPPORTED, &value);
    if (code == CUDA_ERROR_INVALID_VALUE) { /* a driver that does not know the attribute */
        code = attribute(device, CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, &unified);
        if (code == CUDA_SUCCESS)
            code = attribute(device, CU_DEVICE_ATTRIBUTE_INTEGRATED, &integrated);
        if (code == CUDA_SUCCESS)
            value = !cushim__system_is_windows && unified && !integrated;
    }
    if (code == CUDA_SUCCESS)
        *supported = value != 0;
    return code;
}
