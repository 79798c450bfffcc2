/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that does not use cushim, with a kernel that the mock driver cannot execute. Test it
 * with a host function in place of the kernel, which is in a separate library:
 *
 *     cc scale.c -I/usr/local/cuda/include -lcuda -o scale
 *     cc -shared -fPIC scale_kernels.c $(pkg-config --cflags cushim-mock) -o scale_kernels.so
 *     cushim run --kernels ./scale_kernels.so -- ./scale
 *
 * Exit status 0 with the sum of the scaled numbers, or 1 with the call that failed.
 */
#include <stdio.h>
#include <stdlib.h>

#include <cuda.h>

enum { COUNT = 1000 };

/* The mock lacks an instruction of this kernel. */
static const char image[] = ".version 8.0\n"
                            ".target sm_90a\n"
                            ".address_size 64\n"
                            ".visible .entry scale(.param .u64 numbers, .param .u32 count,\n"
                            "                      .param .f32 factor)\n"
                            "{\n"
                            "    wgmma.fence.sync.aligned;\n"
                            "    ret;\n"
                            "}\n";

static void check(CUresult code, const char *what)
{
    if (code == CUDA_SUCCESS)
        return;
    fprintf(stderr, "%s answered %d\n", what, (int)code);
    exit(1);
}

int main(void)
{
    static float numbers[COUNT];
    unsigned count = COUNT;
    float factor = 2, sum = 0;
    CUdeviceptr memory;
    CUcontext context;
    CUmodule module;
    CUfunction kernel;
    void *parameters[] = {&memory, &count, &factor};

    for (int i = 0; i < COUNT; i++)
        numbers[i] = (float)i;
    check(cuInit(0), "cuInit");
    check(cuDevicePrimaryCtxRetain(&context, 0), "cuDevicePrimaryCtxRetain");
    check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    check(cuModuleLoadData(&module, image), "cuModuleLoadData");
    check(cuModuleGetFunction(&kernel, module, "scale"), "cuModuleGetFunction");
    check(cuMemAlloc(&memory, sizeof numbers), "cuMemAlloc");
    check(cuMemcpyHtoD(memory, numbers, sizeof numbers), "cuMemcpyHtoD");
    check(cuLaunchKernel(kernel, 8, 1, 1, 128, 1, 1, 0, NULL, parameters, NULL), "cuLaunchKernel");
    check(cuMemcpyDtoH(numbers, memory, sizeof numbers), "cuMemcpyDtoH");
    for (int i = 0; i < COUNT; i++)
        sum += numbers[i];
    check(cuMemFree(memory), "cuMemFree");
    check(cuModuleUnload(module), "cuModuleUnload");
    check(cuDevicePrimaryCtxRelease(0), "cuDevicePrimaryCtxRelease");
    printf("sum %.0f\n", (double)sum);
    return 0;
}
