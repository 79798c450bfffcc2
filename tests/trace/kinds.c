/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels from each function that launches them, and copies of each shape. */
#include "program.h"
#include "tests/support/structs.h"

enum { PITCH = 64 };

static char host[4096];

static void launch(CUfunction kernel, CUstream stream)
{
    const CUlaunchConfig config = {BLOCKS(4, 8), .sharedMemBytes = 64, .hStream = stream};

    check(cu->LaunchKernel(kernel, 2, 3, 1, 32, 2, 1, 128, stream, NULL, NULL), "cuLaunchKernel");
    check(cu->LaunchKernel_ptsz(kernel, 5, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL),
          "cuLaunchKernel_ptsz");
    check(cu->LaunchKernelEx(&config, kernel, NULL, NULL), "cuLaunchKernelEx");
}

static void copy_2d(CUdeviceptr memory, CUmemorytype from, CUmemorytype to)
{
    const CUDA_MEMCPY2D copy = {.srcMemoryType = from,
                                .srcHost = host,
                                .srcDevice = memory,
                                .srcPitch = PITCH,
                                .dstMemoryType = to,
                                .dstHost = host + 2048,
                                .dstDevice = memory + 2048,
                                .dstPitch = PITCH,
                                .WidthInBytes = 10,
                                .Height = 3};

    check(cu->Memcpy2D_v2(&copy), "cuMemcpy2D");
}

static void copy(CUdeviceptr memory, CUcontext context)
{
    const CUDA_MEMCPY3D copy = {FROM_DEVICE(memory, 0), TO_HOST(host, 0), .WidthInBytes = 4,
                                .Height = 3, .Depth = 2};
    const CUDA_MEMCPY3D_PEER between = {FROM_DEVICE(memory, 0),
                                        .srcContext = context,
                                        TO_DEVICE(memory + 2048, 0),
                                        .dstContext = context,
                                        .WidthInBytes = 5,
                                        .Height = 2,
                                        .Depth = 2};

    copy_2d(memory, CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_DEVICE);
    copy_2d(memory, CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_HOST);
    copy_2d(memory, CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_DEVICE);
    copy_2d(memory, CU_MEMORYTYPE_UNIFIED, CU_MEMORYTYPE_DEVICE);
    check(cu->Memcpy3D_v2(&copy), "cuMemcpy3D");
    check(cu->Memcpy3DPeer(&between), "cuMemcpy3DPeer");
}

/* Creates a context for the work, and destroys it. */
void queue_kinds(void)
{
    static const char image[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                                ".visible .entry traced() { ret; }\n";
    CUcontext context;
    CUdeviceptr memory;
    CUstream stream;
    CUmodule module;
    CUfunction kernel;

    begin();
    check(cu->CtxCreate_v2(&context, 0, 0), "cuCtxCreate");
    check(cu->StreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    check(cu->MemAlloc_v2(&memory, sizeof host), "cuMemAlloc");
    check(cu->ModuleLoadData(&module, image), "cuModuleLoadData");
    check(cu->ModuleGetFunction(&kernel, module, "traced"), "cuModuleGetFunction");
    launch(kernel, stream);
    copy(memory, context);
    check(cu->CtxSynchronize(), "cuCtxSynchronize");
    check(cu->ModuleUnload(module), "cuModuleUnload");
    check(cu->MemFree_v2(memory), "cuMemFree");
    check(cu->CtxDestroy_v2(context), "cuCtxDestroy");
}
