/* SPDX-License-Identifier: Apache-2.0 */
/* The start of a driver (statements 1 to 3 and 83). */
#include <stdlib.h>

#include "src/base/system.h"
#include "src/mock/api/api.h"
#include "src/mock/core/device.h"
#include "src/mock/core/state.h"

MOCK_EXACT(Init)(unsigned int Flags)
{
    struct cushim_mock *mock = cushim__mock;
    CUresult code;
    char *visible;

    if (Flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (mock->initialised)
        return CUDA_SUCCESS;
    if (mock->settings.personality == MOCK_NO_DEVICE)
        return CUDA_ERROR_NO_DEVICE;
    if (mock->settings.personality == MOCK_VERSION_MISMATCH)
        return CUDA_ERROR_SYSTEM_DRIVER_MISMATCH;
    if (!cushim__variable("CUDA_VISIBLE_DEVICES", &visible))
        return CUDA_ERROR_OUT_OF_MEMORY;
    code = cushim__mock_devices_show(mock, visible);
    free(visible);
    mock->initialised = code == CUDA_SUCCESS;
    return code;
}

MOCK_EXACT(DriverGetVersion)(int *driverVersion)
{
    if (!driverVersion)
        return CUDA_ERROR_INVALID_VALUE;
    *driverVersion = cushim__mock->settings.driver_version;
    return CUDA_SUCCESS;
}
