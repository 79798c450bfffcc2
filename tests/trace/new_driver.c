/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver with functions that are not in the registry: cuGetProcAddress finds names that contain
 * `New`.
 */
#include <string.h>

#include <cushim/slots.h>

CUresult cuGetProcAddress_v2(const char *name, void **function, int version, cuuint64_t flags,
                             cushim_CUdriverProcAddressQueryResult *status);

static CUresult first(void)
{
    return CUDA_SUCCESS;
}

static CUresult second(void)
{
    return CUDA_SUCCESS;
}

CUresult cuInit(unsigned int flags)
{
    (void)flags;
    return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version)
{
    *version = 13000;
    return CUDA_SUCCESS;
}

CUresult cuGetProcAddress_v2(const char *name, void **function, int version, cuuint64_t flags,
                             cushim_CUdriverProcAddressQueryResult *status)
{
    CUresult (*found)(void) = strchr(name, '2') ? second : first;

    (void)version;
    (void)flags;
    *function = NULL;
    if (strstr(name, "New"))
        memcpy(function, &found, sizeof found);
    if (status)
        *status = (cushim_CUdriverProcAddressQueryResult)(*function ? 0 : 1);
    return CUDA_SUCCESS;
}
