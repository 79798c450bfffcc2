/* SPDX-License-Identifier: Apache-2.0 */
/* A program that uses few functions of cushim; the test looks at what is linked to it. */
#include <stdio.h>

#include "cushim.h"

int main(void)
{
    const CUresult code = cushim_driver_init(NULL);
    int devices = 0;
    char name[100] = "";

    if (code != CUDA_SUCCESS || cushim_driver()->DeviceGetCount(&devices) != CUDA_SUCCESS ||
        cushim_driver()->DeviceGetName(name, sizeof name, 0) != CUDA_SUCCESS)
        return 1;
    printf("%d devices; the first is %s\n", devices, name);
    return 0;
}
