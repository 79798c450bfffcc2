/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The smallest test of GPU code that needs no GPU.
 *
 *     cc first_test.c $(pkg-config --cflags --libs cushim-mock)
 *
 * Built with -DPLANTED_BUG, the function that is tested forgets an event.
 */
#include <stdio.h>

#include <cushim/cushim.h>
#include <cushim/test.h>

/* What is tested: fill memory by the GPU, and wait for it. */
static CUresult fill(CUdeviceptr memory, unsigned char value, size_t bytes)
{
    const struct cushim_table *driver = cushim_driver();
    CUevent event = NULL;
    CUresult code = driver->EventCreate(&event, CU_EVENT_DISABLE_TIMING);

    if (code == CUDA_SUCCESS)
        code = driver->MemsetD8Async(memory, value, bytes, NULL);
    if (code == CUDA_SUCCESS)
        code = driver->EventRecord(event, NULL);
    if (code == CUDA_SUCCESS)
        code = driver->EventSynchronize(event);
#ifndef PLANTED_BUG
    if (event)
        driver->EventDestroy_v2(event);
#endif
    return code;
}

int main(void)
{
    struct cushim_test *test;
    char text[4096], last = 0;
    CUcontext context;
    CUdeviceptr memory;

    cushim_test_begin(NULL, &test); /* from here on cushim_driver() is a simulated GPU */
    cushim_driver()->Init(0);
    cushim_driver()->CtxCreate_v2(&context, 0, 0);
    cushim_driver()->MemAlloc_v2(&memory, 100);
    if (fill(memory, 7, 100) != CUDA_SUCCESS)
        return 1;
    cushim_driver()->MemcpyDtoH_v2(&last, memory + 99, 1);
    cushim_driver()->MemFree_v2(memory);
    if (cushim_test_end(test, text, sizeof text) != CUDA_SUCCESS) /* nothing may be left */
        printf("%s", text);
    else
        puts("passed");
    return last != 7 || text[0];
}
