/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cost for a program that contains cushim and hardly uses it. Without options it does nothing:
 * it contains the CALL, but ends without making it. With FOUR it uses four functions of the driver,
 * and its size is measured. With EMPTY it is a library without contents.
 */
int bench_empty(void);

#ifdef EMPTY
int bench_empty(void)
{
    return 0;
}
#else
#include <cushim/cushim.h>

#ifndef CALL
#define CALL 0
#endif

int main(int count, char **words)
{
    (void)words;
#ifdef FOUR
    const struct cushim_table *driver = cushim_driver();
    CUdeviceptr address;

    return driver->Init(0) != CUDA_SUCCESS || driver->DeviceGetCount(&count) != CUDA_SUCCESS ||
           driver->MemAlloc_v2(&address, 1) != CUDA_SUCCESS ||
           driver->MemFree_v2(address) != CUDA_SUCCESS;
#else
    return count > 1 ? (int)(CALL) : 0;
#endif
}
#endif
