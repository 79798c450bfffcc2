/* SPDX-License-Identifier: Apache-2.0 */
/* Primary contexts of the fake driver: driver semantics, statements 10 to 12. */
#include "fake.h"

#include <string.h>

static struct {
    struct fake_context *context;
    unsigned references;
    unsigned flags;
} primary[FAKE_DEVICES];

void fake_primary_reset(void)
{
    memset(primary, 0, sizeof primary);
}

bool fake_is_primary(const struct fake_context *context)
{
    return primary[context->device].context == context;
}

unsigned fake_primary_references(CUdevice device)
{
    return primary[device].references;
}

static CUresult CUDAAPI primary_retain(CUcontext *handle, CUdevice device)
{
    const CUresult code = fake_call("cuDevicePrimaryCtxRetain");

    if (code)
        return code;
    if (!handle)
        return CUDA_ERROR_INVALID_VALUE;
    if (!fake_is_device(device))
        return CUDA_ERROR_INVALID_DEVICE;
    if (!primary[device].context) {
        primary[device].context = fake_context_new(device, 0);
        primary[device].context->object.foreign = true; /* the device's own; counted apart */
    }
    if (!primary[device].references++)
        primary[device].context->flags = primary[device].flags;
    *handle = (CUcontext)primary[device].context;
    return CUDA_SUCCESS;
}

static CUresult primary_release(CUdevice device, CUresult code)
{
    if (!fake_is_device(device))
        return CUDA_ERROR_INVALID_DEVICE;
    if (!primary[device].references)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (!--primary[device].references)
        fake_end_children(primary[device].context);
    return code;
}

static CUresult CUDAAPI primary_release_v2(CUdevice device)
{
    return primary_release(device, fake_call("cuDevicePrimaryCtxRelease_v2"));
}

static CUresult CUDAAPI primary_release_v1(CUdevice device)
{
    return primary_release(device, fake_call("cuDevicePrimaryCtxRelease"));
}

static CUresult CUDAAPI primary_get_state(CUdevice device, unsigned *flags, int *active)
{
    const CUresult code = fake_call("cuDevicePrimaryCtxGetState");

    if (code)
        return code;
    if (!flags || !active)
        return CUDA_ERROR_INVALID_VALUE;
    if (!fake_is_device(device))
        return CUDA_ERROR_INVALID_DEVICE;
    *flags = primary[device].flags;
    *active = primary[device].references > 0;
    return CUDA_SUCCESS;
}

static CUresult primary_set_flags(CUdevice device, unsigned flags, bool while_active, CUresult code)
{
    if (code)
        return code;
    if (!fake_is_device(device))
        return CUDA_ERROR_INVALID_DEVICE;
    if (!fake_are_flags(flags))
        return CUDA_ERROR_INVALID_VALUE;
    if (primary[device].references && !while_active)
        return CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE;
    primary[device].flags = flags;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI primary_set_flags_v2(CUdevice device, unsigned flags)
{
    return primary_set_flags(device, flags, true, fake_call("cuDevicePrimaryCtxSetFlags_v2"));
}

static CUresult CUDAAPI primary_set_flags_v1(CUdevice device, unsigned flags)
{
    return primary_set_flags(device, flags, false, fake_call("cuDevicePrimaryCtxSetFlags"));
}

static CUresult primary_reset(CUdevice device, CUresult code)
{
    if (code)
        return code;
    if (!fake_is_device(device))
        return CUDA_ERROR_INVALID_DEVICE;
    if (primary[device].context)
        fake_end_children(primary[device].context);
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI primary_reset_v2(CUdevice device)
{
    return primary_reset(device, fake_call("cuDevicePrimaryCtxReset_v2"));
}

static CUresult CUDAAPI primary_reset_v1(CUdevice device)
{
    return primary_reset(device, fake_call("cuDevicePrimaryCtxReset"));
}

const struct fake_function fake_primary_functions[] = {
    FAKE_FUNCTION(DevicePrimaryCtxRetain, primary_retain),
    FAKE_FUNCTION(DevicePrimaryCtxRelease_v2, primary_release_v2),
    FAKE_FUNCTION(DevicePrimaryCtxRelease, primary_release_v1),
    FAKE_FUNCTION(DevicePrimaryCtxGetState, primary_get_state),
    FAKE_FUNCTION(DevicePrimaryCtxSetFlags_v2, primary_set_flags_v2),
    FAKE_FUNCTION(DevicePrimaryCtxSetFlags, primary_set_flags_v1),
    FAKE_FUNCTION(DevicePrimaryCtxReset_v2, primary_reset_v2),
    FAKE_FUNCTION(DevicePrimaryCtxReset, primary_reset_v1),
    FAKE_END,
};
