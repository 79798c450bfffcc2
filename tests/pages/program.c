/* SPDX-License-Identifier: Apache-2.0 */
/* The first program of docs/getting-started.md. */
#include <stdio.h>

#include <cushim/cushim.h>

int main(void)
{
    int devices;

    if (cushim_driver_init(NULL) == CUDA_SUCCESS &&
        cushim_driver()->DeviceGetCount(&devices) == CUDA_SUCCESS)
        printf("%d devices\n", devices);
    else
        printf("on the CPU\n");
    return 0;
}
