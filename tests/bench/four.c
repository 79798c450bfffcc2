/* SPDX-License-Identifier: Apache-2.0 */
/* A program that uses four functions of the driver: how large it gets. */
#include <cushim/driver.h>

int main(void)
{
    const struct cushim_table *driver = cushim_driver();
    CUdeviceptr address;
    int devices;

    return driver->Init(0) != CUDA_SUCCESS || driver->DeviceGetCount(&devices) != CUDA_SUCCESS ||
           driver->MemAlloc_v2(&address, 1) != CUDA_SUCCESS ||
           driver->MemFree_v2(address) != CUDA_SUCCESS;
}
