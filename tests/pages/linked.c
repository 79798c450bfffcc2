/* SPDX-License-Identifier: Apache-2.0 */
/* The program of README.md before it is converted. */
#include <stdio.h>

#include <cuda.h> /* needs -lcuda, and does not start without a driver */

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
    if (cuInit(0) == CUDA_SUCCESS && cuDeviceGetCount(&devices) == CUDA_SUCCESS)
        run_on_gpu(devices);
    else
        run_on_cpu();
    return 0;
}
