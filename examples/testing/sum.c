/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that does not use cushim: it opens the driver by name, copies numbers to the GPU and
 * back, and adds them. Test it unmodified:
 *
 *     cc sum.c -I/usr/local/cuda/include -ldl -o sum
 *     cushim run -- ./sum
 *     cushim run --fault 'cuMemAlloc:nth=2 => return(OUT_OF_MEMORY)' -- ./sum
 *
 * Built with -DWITH_BUG, it prints the call that failed, continues, and ends with success and a
 * wrong sum.
 *
 * Exit status 0 with the sum, or 1 with the call that failed.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda.h>

enum { HALVES = 2, HALF = 500 };

/* The functions of the driver that it uses. */
static struct {
    CUresult (*init)(unsigned flags);
    CUresult (*context_retain)(CUcontext *context, CUdevice device);
    CUresult (*context_set)(CUcontext context);
    CUresult (*context_release)(CUdevice device);
    CUresult (*memory_allocate)(CUdeviceptr *memory, size_t bytes);
    CUresult (*memory_upload)(CUdeviceptr memory, const void *source, size_t bytes);
    CUresult (*memory_download)(void *target, CUdeviceptr memory, size_t bytes);
    CUresult (*memory_free)(CUdeviceptr memory);
} driver;

static const struct {
    const char *symbol;
    void *function; /* receives its address */
} functions[] = {
    {"cuInit", &driver.init},
    {"cuDevicePrimaryCtxRetain", &driver.context_retain},
    {"cuCtxSetCurrent", &driver.context_set},
    {"cuDevicePrimaryCtxRelease_v2", &driver.context_release},
    {"cuMemAlloc_v2", &driver.memory_allocate},
    {"cuMemcpyHtoD_v2", &driver.memory_upload},
    {"cuMemcpyDtoH_v2", &driver.memory_download},
    {"cuMemFree_v2", &driver.memory_free},
};

static void open_driver(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);

    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *function = library ? dlsym(library, functions[i].symbol) : NULL;

        if (!function) {
            fprintf(stderr, "there is no driver with %s\n", functions[i].symbol);
            exit(1);
        }
        memcpy(functions[i].function, &function, sizeof function);
    }
}

static void check(CUresult code, const char *what)
{
    if (code == CUDA_SUCCESS)
        return;
    fprintf(stderr, "%s answered %d\n", what, (int)code);
#ifndef WITH_BUG
    exit(1);
#endif
}

/* Copy numbers to the GPU, and others back from it. */
static void move(int *to, const int *from, size_t bytes)
{
    CUdeviceptr memory = 0;

    check(driver.memory_allocate(&memory, bytes), "cuMemAlloc");
    check(driver.memory_upload(memory, from, bytes), "cuMemcpyHtoD");
    check(driver.memory_download(to, memory, bytes), "cuMemcpyDtoH");
    check(driver.memory_free(memory), "cuMemFree");
}

int main(void)
{
    static int numbers[HALVES * HALF], moved[HALVES * HALF];
    CUcontext context;
    long sum = 0;

    open_driver();
    check(driver.init(0), "cuInit");
    check(driver.context_retain(&context, 0), "cuDevicePrimaryCtxRetain");
    check(driver.context_set(context), "cuCtxSetCurrent");
    for (int i = 0; i < HALVES * HALF; i++)
        numbers[i] = i;
    for (int half = 0; half < HALVES; half++)
        move(moved + half * HALF, numbers + half * HALF, HALF * sizeof *numbers);
    for (int i = 0; i < HALVES * HALF; i++)
        sum += moved[i];
    check(driver.context_release(0), "cuDevicePrimaryCtxRelease");
    printf("sum %ld\n", sum);
    return 0;
}
