/* SPDX-License-Identifier: Apache-2.0 */
#include <cushim/primary_context.h>

#include "loader/codes.h"
#include "src/objects.h"

/* Drivers before CUDA 11.0 have only the ABIs that 11.0 replaced. */
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif

CUresult cushim__primary_release(CUdevice device)
{
    const CUresult code = cushim_driver()->DevicePrimaryCtxRelease_v2(device);

    return code == CUSHIM__REQUIRES_NEWER_DRIVER ? cushim_driver()->DevicePrimaryCtxRelease(device)
                                                 : code;
}

CUresult cushim_primary_context_state(CUdevice device, unsigned *flags, bool *active)
{
    unsigned its_flags = 0;
    int is_active = 0;
    CUresult code;

    if (!flags && !active)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim_driver()->DevicePrimaryCtxGetState(device, &its_flags, &is_active);
    if (code != CUDA_SUCCESS)
        return code;
    if (flags)
        *flags = its_flags;
    if (active)
        *active = is_active != 0;
    return CUDA_SUCCESS;
}

CUresult cushim_primary_context_set_flags(CUdevice device, unsigned flags)
{
    const CUresult code = cushim_driver()->DevicePrimaryCtxSetFlags_v2(device, flags);

    return code == CUSHIM__REQUIRES_NEWER_DRIVER
               ? cushim_driver()->DevicePrimaryCtxSetFlags(device, flags)
               : code;
}

CUresult cushim_primary_context_reset(CUdevice device)
{
    const CUresult code = cushim_driver()->DevicePrimaryCtxReset_v2(device);

    return code == CUSHIM__REQUIRES_NEWER_DRIVER ? cushim_driver()->DevicePrimaryCtxReset(device)
                                                 : code;
}
