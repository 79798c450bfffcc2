/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program for <cuda.h>: contexts and memory of every kind. It prints each call with its code, and
 * whether the bytes are right. It prints no time and no address, so that the output is the same
 * with every driver.
 *
 * Exit status: 0 done; 1 no driver or no device.
 */
#include <cuda.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 1 << 20, WIDTH = 100, HEIGHT = 37, ROW = 128 };

#define CALL(call) say(#call, call)
#define IS(condition) is(#condition, condition)

static CUdevice device;
static CUcontext context;
static unsigned char *host, *back; /* pageable */

static CUresult say(const char *what, CUresult code)
{
    const char *name = NULL;

    cuGetErrorName(code, &name);
    printf("%s: %d %s\n", what, (int)code, name ? name : "?");
    return code;
}

static void is(const char *what, int truth)
{
    printf("  %s: %s\n", what, truth ? "yes" : "no");
}

static void fill(unsigned char seed)
{
    for (int i = 0; i < BYTES; i++)
        host[i] = (unsigned char)(i * 13 + i / 4096 + seed);
    memset(back, 0, BYTES);
}

/* Whether all of these bytes have one value. */
static int all(const unsigned char *bytes, size_t count, unsigned char value)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != value)
            return 0;
    return 1;
}

static int begin(void)
{
    int count = 0, warp = 0, version = 0;
    size_t bytes = 0;
    char name[100] = "";

    if (CALL(cuInit(0)) != CUDA_SUCCESS)
        return 0;
    CALL(cuDriverGetVersion(&version));
    IS(version >= 11020);
    CALL(cuDeviceGetCount(&count));
    if (count == 0)
        return 0;
    CALL(cuDeviceGet(&device, -1));
    CALL(cuDeviceGet(&device, 0));
    CALL(cuDeviceGetName(name, sizeof name, device));
    IS(name[0] != '\0');
    CALL(cuDeviceTotalMem(&bytes, device));
    IS(bytes > 64 * BYTES);
    CALL(cuDeviceGetAttribute(&warp, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device));
    IS(warp == 32);
    CALL(cuDeviceGetAttribute(NULL, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device));
    host = malloc(BYTES);
    back = malloc(BYTES);
    return host && back;
}

static void contexts(void)
{
    CUcontext own = NULL, current = NULL;
    CUdeviceptr memory = 0;
    CUdevice its = -1;
    unsigned flags = 99;
    int active = -1;

    CALL(cuMemAlloc(&memory, BYTES));
    CALL(cuCtxGetDevice(&its));
    CALL(cuDevicePrimaryCtxGetState(device, &flags, &active));
    IS(active == 0);
    CALL(cuDevicePrimaryCtxRetain(&context, device));
    CALL(cuCtxSetCurrent(context));
#if CUDA_VERSION >= 13000
    CALL(cuCtxCreate(&own, NULL, CU_CTX_SCHED_BLOCKING_SYNC, device));
#else
    /* Before CUDA 13 the call has one parameter less, which the output does not show. */
    say("cuCtxCreate(&own, NULL, CU_CTX_SCHED_BLOCKING_SYNC, device)",
        cuCtxCreate(&own, CU_CTX_SCHED_BLOCKING_SYNC, device));
#endif
    CALL(cuCtxGetCurrent(&current));
    IS(current == own && own != context);
    CALL(cuCtxGetFlags(&flags));
    IS((flags & CU_CTX_SCHED_MASK) == CU_CTX_SCHED_BLOCKING_SYNC);
    CALL(cuMemAlloc(&memory, 1000));
    CALL(cuCtxPopCurrent(&current));
    IS(current == own);
    CALL(cuCtxDestroy(own));
    CALL(cuMemFree(memory));
    CALL(cuCtxGetCurrent(&current));
    IS(current == context);
    CALL(cuCtxDestroy(context));
    CALL(cuCtxPushCurrent(NULL));
    CALL(cuCtxGetDevice(&its));
    IS(its == device);
}

static void linear(void)
{
    CUdeviceptr first = 0, second = 0, base = 0;
    size_t size = 0, available = 0, total = 0;

    CALL(cuMemGetInfo(&available, &total));
    IS(available > 0 && available <= total);
    CALL(cuMemAlloc(&first, 0));
    CALL(cuMemAlloc(NULL, BYTES));
    CALL(cuMemAlloc(&first, (size_t)1 << 50));
    IS(first == 0);
    CALL(cuMemAlloc(&first, BYTES));
    CALL(cuMemAlloc(&second, BYTES));
    IS(first % 512 == 0 && second % 512 == 0 && first != second);
    CALL(cuMemGetAddressRange(&base, &size, second + BYTES - 1));
    IS(base == second && size == BYTES);
    fill(1);
    CALL(cuMemcpyHtoD(first, host, BYTES));
    CALL(cuMemcpyDtoD(second, first, BYTES));
    CALL(cuMemcpyDtoH(back, second, BYTES));
    IS(memcmp(host, back, BYTES) == 0);
    CALL(cuMemsetD8(second, 0x11, BYTES));
    CALL(cuMemsetD16(second + 256, 0x2222, 128));
    CALL(cuMemsetD32(second + 512, 0x33333333, 64));
    CALL(cuMemcpyDtoH(back, second, BYTES));
    IS(all(back, 256, 0x11) && all(back + 256, 256, 0x22) && all(back + 512, 256, 0x33));
    IS(all(back + 768, BYTES - 768, 0x11));
    CALL(cuMemcpy(second, first, BYTES / 2));
    CALL(cuMemcpyDtoH(back, second, BYTES));
    IS(memcmp(host, back, BYTES / 2) == 0 && all(back + BYTES / 2, BYTES / 2, 0x11));
    CALL(cuMemcpyDtoH(back, second, BYTES + 1));
    CALL(cuMemcpyDtoH(NULL, second, BYTES));
    CALL(cuMemcpyHtoD(0, host, BYTES));
    CALL(cuMemsetD16(second + 1, 0, 1));
    CALL(cuMemsetD32(second, 0, BYTES));
    CALL(cuMemFree(first + 512));
    CALL(cuMemFree(first));
    CALL(cuMemFree(first));
    CALL(cuMemFree(second));
    CALL(cuMemFree(0));
    CALL(cuMemGetAddressRange(&base, &size, second));
}

static void rectangles(void)
{
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcPitch = ROW,
                          .srcXInBytes = 5,
                          .srcY = 2,
                          .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                          .WidthInBytes = WIDTH,
                          .Height = HEIGHT};
    CUdeviceptr memory = 0;
    size_t pitch = 0;
    int same = 1;

    fill(2);
    CALL(cuMemAllocPitch(&memory, &pitch, WIDTH, HEIGHT, 3));
    IS(memory == 0 && pitch == 0);
    CALL(cuMemAllocPitch(&memory, &pitch, WIDTH, HEIGHT, 16));
    IS(pitch >= WIDTH && pitch % 512 == 0);
    CALL(cuMemsetD2D8(memory, pitch, 7, WIDTH, HEIGHT));
    copy.srcHost = host;
    copy.dstDevice = memory;
    copy.dstPitch = pitch;
    CALL(cuMemcpy2D(&copy));
    for (int y = 0; y < HEIGHT; y++)
        cuMemcpyDtoH(back + y * WIDTH, memory + (size_t)y * pitch, WIDTH);
    for (int y = 0; y < HEIGHT; y++)
        same &= memcmp(back + y * WIDTH, host + (y + 2) * ROW + 5, WIDTH) == 0;
    IS(same);
    copy.srcPitch = WIDTH;
    CALL(cuMemcpy2D(&copy));
    CALL(cuMemcpy2D(NULL));
    copy.srcPitch = ROW;
    copy.dstDevice = 0;
    CALL(cuMemcpy2DUnaligned(&copy));
    CALL(cuMemFree(memory));
}

static void arrays(void)
{
    CUDA_ARRAY_DESCRIPTOR shape = {
        .Width = 64, .Height = 16, .Format = CU_AD_FORMAT_UNSIGNED_INT8, .NumChannels = 4};
    CUDA_ARRAY_DESCRIPTOR reported;
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .WidthInBytes = 256,
                          .Height = 16};
    CUarray array = NULL;

    fill(3);
    memset(&reported, 0, sizeof reported);
    CALL(cuArrayCreate(&array, &shape));
    CALL(cuArrayGetDescriptor(&reported, array));
    IS(reported.Width == 64 && reported.Height == 16 && reported.NumChannels == 4);
    copy.srcHost = host;
    copy.dstArray = array;
    CALL(cuMemcpy2D(&copy));
    copy = (CUDA_MEMCPY2D){.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                           .srcArray = array,
                           .dstMemoryType = CU_MEMORYTYPE_HOST,
                           .dstHost = back,
                           .WidthInBytes = 256,
                           .Height = 16};
    CALL(cuMemcpy2D(&copy));
    IS(memcmp(host, back, 256 * 16) == 0);
    CALL(cuMemcpyHtoA(array, 16, host + 1000, 100));
    CALL(cuMemcpyAtoH(back, array, 0, 256));
    IS(memcmp(back + 16, host + 1000, 100) == 0 && memcmp(back, host, 16) == 0);
    CALL(cuMemcpyHtoA(array, 200, host, 100000));
    CALL(cuArrayDestroy(array));
    CALL(cuArrayDestroy(NULL));
    shape.NumChannels = 3;
    CALL(cuArrayCreate(&array, &shape));
}

static void pinned(void)
{
    unsigned char *locked = NULL, *managed = NULL, *mapped = malloc(2 * BYTES);
    CUdeviceptr address = 0;
    CUmemorytype type = (CUmemorytype)0;
    unsigned flags = 99, isManaged = 99;

    CALL(cuMemHostAlloc((void **)&locked, BYTES, CU_MEMHOSTALLOC_PORTABLE));
    CALL(cuMemHostGetFlags(&flags, locked));
    IS(flags == (CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP));
    CALL(cuMemHostGetDevicePointer(&address, locked + 10, 0));
    IS(address == (CUdeviceptr)locked + 10);
    CALL(cuMemHostGetDevicePointer(&address, host, 0));
    CALL(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)locked));
    IS(type == CU_MEMORYTYPE_HOST);
    CALL(cuMemsetD8((CUdeviceptr)locked, 0x44, BYTES));
    IS(all(locked, BYTES, 0x44));
    CALL(cuMemFreeHost(locked));
    CALL(cuMemFreeHost(host));
    CALL(cuMemHostRegister(mapped, BYTES, 0));
    CALL(cuMemHostRegister(mapped, BYTES, 0));
    CALL(cuMemHostUnregister(mapped));
    CALL(cuMemHostUnregister(mapped));
    CALL(cuMemAllocManaged((CUdeviceptr *)&managed, BYTES, CU_MEM_ATTACH_GLOBAL));
    CALL(cuPointerGetAttribute(&isManaged, CU_POINTER_ATTRIBUTE_IS_MANAGED, (CUdeviceptr)managed));
    IS(isManaged == 1);
    CALL(cuMemsetD8((CUdeviceptr)managed, 0x55, BYTES));
    CALL(cuCtxSynchronize());
    IS(all(managed, BYTES, 0x55));
    CALL(cuMemFree((CUdeviceptr)managed));
    free(mapped);
}

static void pools(void)
{
    CUmemPoolProps how = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                          .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    CUmemoryPool pool = NULL, current = NULL;
    CUdeviceptr first = 0, second = 0;
    CUstream stream = NULL;
    cuuint64_t threshold = BYTES;

    fill(4);
    CALL(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CALL(cuDeviceGetMemPool(&current, device));
    CALL(cuMemPoolCreate(&pool, &how));
    IS(pool != current);
    CALL(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
    CALL(cuMemAllocFromPoolAsync(&first, BYTES, pool, stream));
    CALL(cuMemAllocAsync(&second, BYTES, stream));
    CALL(cuMemcpyHtoDAsync(first, host, BYTES, stream));
    CALL(cuMemcpyDtoDAsync(second, first, BYTES, stream));
    CALL(cuMemFreeAsync(first, stream));
    CALL(cuMemcpyDtoHAsync(back, second, BYTES, stream));
    CALL(cuStreamSynchronize(stream));
    IS(memcmp(host, back, BYTES) == 0);
    CALL(cuMemFreeAsync(first, stream));
    CALL(cuMemPoolTrimTo(pool, 0));
    CALL(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
    IS(threshold == BYTES);
    CALL(cuMemAllocAsync(&first, 0, stream));
    CALL(cuMemFree(second));
    CALL(cuMemPoolDestroy(current));
    CALL(cuMemPoolDestroy(pool));
    CALL(cuStreamDestroy(stream));
}

int main(void)
{
    if (!begin())
        return 1;
    contexts();
    linear();
    rectangles();
    arrays();
    pinned();
    pools();
    CALL(cuCtxSetCurrent(NULL));
    CALL(cuCtxSynchronize());
    CALL(cuDevicePrimaryCtxRelease(device));
    CALL(cuDevicePrimaryCtxRelease(device));
    free(back);
    free(host);
    return 0;
}
