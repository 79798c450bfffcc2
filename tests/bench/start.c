/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program costs that has cushim and hardly uses it. By itself it does nothing: it could make
 * the CALL, and ends without. With FOUR it uses four functions of the driver, and its size matters.
 * With EMPTY it is a library with nothing in it.
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
