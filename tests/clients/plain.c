/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A typical program: it opens libcuda.so.1 itself, knows nothing of cushim, and uses memory,
 * copies, streams and events. It prints the code of each call in order, and whether the bytes are
 * right. It prints no time and no address, so that a GPU and the mock give the same output.
 *
 * Exit status: 0 done; 1 no driver, or a symbol is missing.
 */
#define __CUDA_API_VERSION_INTERNAL /* declares each function under its exported name */
#include <cuda.h>

#include <dlfcn.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 1 << 20, HALF = BYTES / 2 };

/* Call a function of the driver, which is looked up for each call. */
#define CALL(name, ...) say(#name, ((__typeof__(&name))symbol(#name))(__VA_ARGS__))

static void *library;
static CUdevice device;
static CUcontext context;
static unsigned char *host, *back; /* pinned */
static sem_t entered, opened;

static void say(const char *what, CUresult code)
{
    printf("%s %d\n", what, (int)code);
}

static void is(const char *what, int truth)
{
    printf("  %s %s\n", what, truth ? "yes" : "no");
}

static void (*symbol(const char *name))(void)
{
    void (*function)(void);

    *(void **)&function = dlsym(library, name);
    if (function)
        return function;
    fprintf(stderr, "the driver has no %s\n", name);
    exit(1);
}

static void fill(unsigned char seed)
{
    for (int i = 0; i < BYTES; i++)
        host[i] = (unsigned char)(i * 7 + i / 4096 + seed);
    memset(back, 0, BYTES);
}

/* A host function that blocks its stream until the main thread opens the gate. */
static void CUDA_CB gate(void *data)
{
    (void)data;
    sem_post(&entered);
    while (sem_wait(&opened) != 0)
        ;
}

static void begin(void)
{
    const char *name = "";
    int count = 0, version = 0;

    CALL(cuDeviceGetCount, &count);
    CALL(cuDriverGetVersion, &version);
    is("version known", version >= 10000);
    CALL(cuInit, 1);
    CALL(cuInit, 0);
    CALL(cuInit, 0);
    CALL(cuDeviceGetCount, &count);
    is("a device", count > 0);
    CALL(cuDeviceGet, &device, -1);
    CALL(cuDeviceGet, &device, 0);
    CALL(cuGetErrorName, CUDA_ERROR_NOT_READY, &name);
    is("its name", name && strcmp(name, "CUDA_ERROR_NOT_READY") == 0);
    CALL(cuGetErrorName, (CUresult)12345, &name);
    is("no name", !name);
}

static void ask(void)
{
    size_t bytes = 0;
    int value = -1;

    CALL(cuDeviceTotalMem_v2, &bytes, device);
    is("memory", bytes > BYTES);
    CALL(cuDeviceGetAttribute, &value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device);
    is("warps of 32", value == 32);
    CALL(cuDeviceGetAttribute, &value, CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, device);
    is("one address space", value == 1);
    CALL(cuDeviceGetAttribute, &value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 99);
}

static void contexts(void)
{
    CUcontext current = NULL, own = NULL;
    CUstream stream = NULL;
    CUevent event = NULL;
    CUdevice its = -1;
    unsigned flags = 0;
    int active = 0;

    CALL(cuCtxGetCurrent, &current);
    is("none current", !current);
    CALL(cuStreamCreate, &stream, CU_STREAM_DEFAULT);
    CALL(cuEventCreate, &event, CU_EVENT_DEFAULT);
    CALL(cuCtxGetDevice, &its);
    CALL(cuCtxPopCurrent_v2, NULL);
    CALL(cuDevicePrimaryCtxRelease_v2, device);
    CALL(cuDevicePrimaryCtxRetain, &context, device);
    CALL(cuDevicePrimaryCtxGetState, device, &flags, &active);
    is("active", active);
    CALL(cuCtxPushCurrent_v2, context);
    CALL(cuCtxGetDevice, &its);
    is("same device", its == device);
    CALL(cuCtxCreate_v2, &own, CU_CTX_SCHED_BLOCKING_SYNC, device);
    CALL(cuCtxGetCurrent, &current);
    is("own current", current == own && own != context);
    CALL(cuCtxDestroy_v2, context);
    CALL(cuCtxDestroy_v2, own);
    CALL(cuCtxGetCurrent, &current);
    is("primary current", current == context);
    CALL(cuCtxPopCurrent_v2, NULL);
    CALL(cuCtxSetCurrent, context);
}

static void copies(void)
{
    CUdeviceptr first = 0, second = 0, base = 0;
    CUDA_MEMCPY2D part = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                          .dstMemoryType = CU_MEMORYTYPE_HOST,
                          .srcXInBytes = 3,
                          .srcY = 5,
                          .srcPitch = 1024,
                          .dstPitch = 100,
                          .WidthInBytes = 100,
                          .Height = 200};
    size_t size = 0;
    int wrong = 0;

    CALL(cuMemAlloc_v2, &first, 0);
    CALL(cuMemAlloc_v2, &first, BYTES);
    CALL(cuMemAlloc_v2, &second, BYTES);
    is("apart", first != second);
    CALL(cuMemHostAlloc, (void **)&host, BYTES, 0);
    CALL(cuMemHostAlloc, (void **)&back, BYTES, 0);
    CALL(cuMemGetAddressRange_v2, &base, &size, first + HALF + 1);
    is("its range", base == first && size == BYTES);
    fill(1);
    CALL(cuMemcpyHtoD_v2, first, host, BYTES);
    CALL(cuMemcpyDtoD_v2, second, first, BYTES);
    CALL(cuMemcpyDtoH_v2, back, second, BYTES);
    is("same bytes", memcmp(host, back, BYTES) == 0);
    CALL(cuMemsetD8_v2, second + 1, 0x5a, HALF);
    CALL(cuMemsetD32_v2, second + HALF + 4, 0x01020304, 1);
    CALL(cuMemcpyDtoH_v2, back, second, BYTES);
    for (int i = 1; i <= HALF; i++)
        wrong += back[i] != 0x5a;
    is("set", wrong == 0 && back[0] == host[0] && back[HALF + 4] == 4 && back[HALF + 7] == 1);
    is("no more than that", memcmp(host + HALF + 8, back + HALF + 8, HALF - 8) == 0);
    part.srcDevice = first;
    part.dstHost = back;
    CALL(cuMemcpy2D_v2, &part);
    for (int y = 0; y < 200; y++)
        wrong += memcmp(back + y * 100, host + (y + 5) * 1024 + 3, 100) != 0;
    is("same rectangle", wrong == 0);
    part.srcPitch = 50;
    CALL(cuMemcpy2D_v2, &part);
    CALL(cuMemFree_v2, first);
    CALL(cuMemFree_v2, second);
}

/* Two streams: the second one waits for an event of the first one, which a gate blocks. */
static void order(void)
{
    CUstream first = NULL, second = NULL, none = NULL;
    CUevent start = NULL, end = NULL, untimed = NULL;
    CUdeviceptr memory = 0;
    unsigned flags = 9;
    float ms = -1;

    CALL(cuStreamCreate, &first, CU_STREAM_NON_BLOCKING);
    CALL(cuStreamCreate, &second, CU_STREAM_NON_BLOCKING);
    CALL(cuStreamCreate, &none, 4);
    CALL(cuStreamGetFlags, first, &flags);
    is("flags kept", flags == CU_STREAM_NON_BLOCKING);
    CALL(cuEventCreate, &start, CU_EVENT_DEFAULT);
    CALL(cuEventCreate, &end, CU_EVENT_BLOCKING_SYNC);
    CALL(cuEventCreate, &untimed, CU_EVENT_DISABLE_TIMING);
    CALL(cuEventQuery, start);
    CALL(cuEventElapsedTime, &ms, start, end);
    CALL(cuMemAlloc_v2, &memory, BYTES);
    CALL(cuMemsetD8_v2, memory, 0, BYTES);
    CALL(cuCtxSynchronize, );
    fill(2);

    CALL(cuEventRecord, start, first);
    CALL(cuLaunchHostFunc, first, gate, NULL);
    CALL(cuMemcpyHtoDAsync_v2, memory, host, BYTES, first);
    CALL(cuEventRecord, end, first);
    CALL(cuStreamWaitEvent, second, end, 0);
    CALL(cuMemcpyDtoHAsync_v2, back, memory, BYTES, second);
    CALL(cuEventRecord, untimed, second);
    while (sem_wait(&entered) != 0)
        ;
    CALL(cuEventQuery, start);
    CALL(cuEventQuery, end);
    CALL(cuStreamQuery, first);
    CALL(cuStreamQuery, second);
    CALL(cuEventElapsedTime, &ms, start, end);
    is("nothing written", ms == -1 && back[1] == 0);
    sem_post(&opened);
    CALL(cuEventSynchronize, untimed);
    is("same bytes", memcmp(host, back, BYTES) == 0);
    CALL(cuStreamQuery, first);
    CALL(cuEventElapsedTime, &ms, start, end);
    is("time passed", ms > 0);
    CALL(cuEventElapsedTime, &ms, end, start);
    is("backwards", ms < 0);
    CALL(cuEventElapsedTime, &ms, start, untimed);
    CALL(cuEventElapsedTime, &ms, start, NULL);
    CALL(cuStreamWaitEvent, second, end, 2);
    CALL(cuMemsetD8Async, memory, 7, BYTES, second);
    CALL(cuStreamSynchronize, second);
    CALL(cuMemcpyDtoH_v2, back, memory, BYTES);
    is("set", back[0] == 7 && back[BYTES - 1] == 7);
    CALL(cuEventDestroy_v2, NULL);
    CALL(cuEventDestroy_v2, untimed);
    CALL(cuEventDestroy_v2, end);
    CALL(cuEventDestroy_v2, start);
    CALL(cuStreamDestroy_v2, NULL);
    CALL(cuStreamDestroy_v2, second);
    CALL(cuStreamDestroy_v2, first);
    CALL(cuMemFree_v2, memory);
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library || sem_init(&entered, 0, 0) != 0 || sem_init(&opened, 0, 0) != 0) {
        fprintf(stderr, "%s\n", library ? "no semaphores" : dlerror());
        return 1;
    }
    is("an unknown symbol found", dlsym(library, "cuNoSuchFunction") != NULL);
    begin();
    ask();
    contexts();
    copies();
    order();
    CALL(cuMemFreeHost, back);
    CALL(cuMemFreeHost, host);
    CALL(cuCtxSetCurrent, NULL);
    CALL(cuDevicePrimaryCtxRelease_v2, device);
    CALL(cuDevicePrimaryCtxRelease_v2, device);
    return 0;
}
