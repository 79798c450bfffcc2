/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The smallest test of GPU code that needs no GPU.
 *
 *     cc first_test.c $(pkg-config --cflags --libs cushim-mock)
 *
 * Built with -DWITH_BUG, the tested function forgets to destroy an event.
 */
#include <stdio.h>

#include <cushim/cushim.h>
#include <cushim/testing/test.h>

/* The tested function: fill memory with the GPU, and wait for it. */
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
#ifndef WITH_BUG
    if (event)
        driver->EventDestroy_v2(event);
#endif
    return code;
}

int main(void)
{
    const struct cushim_test_options options = {.size = sizeof options, .context = true};
    struct cushim_test *test = NULL;
    char text[4096], last = 0;
    CUdeviceptr memory = 0;
    CUresult code;

    /* From here on cushim_driver() is a simulated GPU, and a context of it is current. */
    if (cushim_test_begin(&options, &test) != CUDA_SUCCESS)
        return 1;
    cushim_driver()->MemAlloc_v2(&memory, 100);
    code = fill(memory, 7, 100);
    cushim_driver()->MemcpyDtoH_v2(&last, memory + 99, 1);
    cushim_driver()->MemFree_v2(memory);

    /* Everything that was created has to be released. */
    if (cushim_test_end(test, text, sizeof text) != CUDA_SUCCESS) {
        printf("%s", text);
        return 1;
    }
    return code != CUDA_SUCCESS || last != 7;
}
