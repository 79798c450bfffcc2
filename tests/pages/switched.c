/* SPDX-License-Identifier: Apache-2.0 */
/* The program of README.md after it is converted. */
#include <stdio.h>

#include <cushim/cushim.h> /* needs no driver to link, start or run */

static void run_on_gpu(int devices)
{
    printf("on the GPU: %d\n", devices);
}

static void run_on_cpu(void)
{
    puts("on the CPU");
}

int main(void)
{
    int devices = 0;
    if (cushim_driver_init(NULL) == CUDA_SUCCESS &&
        cushim_driver()->DeviceGetCount(&devices) == CUDA_SUCCESS)
        run_on_gpu(devices);
    else
        run_on_cpu();
    return 0;
}
