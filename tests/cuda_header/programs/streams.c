/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program for <cuda.h>: modules, kernels, streams, events and host functions. It prints each call
 * with its code, and whether the order is right. It prints no time and no address, so that the
 * output is the same with every driver. A blocking host function keeps work pending while the
 * program queries it.
 *
 * Exit status: 0 done; 1 no driver or no device.
 */
#include <cuda.h>

#include <semaphore.h>
#include <stdio.h>
#include <string.h>

enum { BYTES = 1 << 18 };

#define CALL(call) say(#call, call)
#define IS(condition) is(#condition, condition)

/* cushim's mock knows these kernels by their names. */
static const char image[] = ".version 6.0\n"
                            ".target sm_50\n"
                            ".address_size 64\n"
                            ".visible .global .align 8 .u64 answer = 42;\n"
                            ".visible .entry cushim_nothing()\n{\n    ret;\n}\n"
                            ".visible .entry cushim_spin(.param .u64 ns)\n{\n"
                            "    .reg .u64 %most, %start, %now, %took;\n"
                            "    .reg .pred %early;\n"
                            "    ld.param.u64 %most, [ns];\n"
                            "    mov.u64 %start, %globaltimer;\n"
                            "again:\n"
                            "    mov.u64 %now, %globaltimer;\n"
                            "    sub.u64 %took, %now, %start;\n"
                            "    setp.lt.u64 %early, %took, %most;\n"
                            "    @%early bra again;\n"
                            "    ret;\n}\n"
                            ".visible .entry cushim_fault()\n{\n"
                            "    .reg .u64 %address;\n"
                            "    .reg .u32 %value;\n"
                            "    mov.u64 %address, 16;\n"
                            "    mov.u32 %value, 1;\n"
                            "    st.global.u32 [%address], %value;\n"
                            "    ret;\n}\n";

/* Driver functions by their addresses, as in a wrapper library. */
static const struct {
    CUresult(CUDAAPI *create)(CUevent *event, unsigned flags);
    CUresult(CUDAAPI *record)(CUevent event, CUstream stream);
    CUresult(CUDAAPI *destroy)(CUevent event);
} by_address = {cuEventCreate, cuEventRecord, cuEventDestroy};

static CUdevice device;
static CUcontext context;
static CUmodule module;
static CUfunction nothing, spin;
static unsigned char *host, *back; /* page-locked */
static sem_t entered, opened;

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

/* Block the stream until the main thread opens the gate. */
static void CUDA_CB gate(void *data)
{
    (void)data;
    sem_post(&entered);
    while (sem_wait(&opened) != 0)
        ;
}

static void shut(CUstream stream)
{
    CALL(cuLaunchHostFunc(stream, gate, NULL));
    while (sem_wait(&entered) != 0)
        ;
}

/* Append a letter to a text. */
static char order[16];

static void CUDA_CB append(void *letter)
{
    order[strlen(order)] = *(const char *)letter;
}

static void CUDA_CB called_back(CUstream stream, CUresult status, void *data)
{
    (void)stream;
    *(int *)data = (int)status;
}

static int begin(void)
{
    int count = 0;

    if (CALL(cuInit(0)) != CUDA_SUCCESS)
        return 0;
    CALL(cuDeviceGetCount(&count));
    if (count == 0 || sem_init(&entered, 0, 0) != 0 || sem_init(&opened, 0, 0) != 0)
        return 0;
    CALL(cuDeviceGet(&device, 0));
    CALL(cuDevicePrimaryCtxSetFlags(device, CU_CTX_SCHED_BLOCKING_SYNC));
    CALL(cuDevicePrimaryCtxRetain(&context, device));
    CALL(cuCtxSetCurrent(context));
    CALL(cuMemHostAlloc((void **)&host, BYTES, 0));
    CALL(cuMemHostAlloc((void **)&back, BYTES, 0));
    return host && back;
}

static void modules(void)
{
    CUdeviceptr address = 0;
    CUfunction again = NULL, none = (CUfunction)&image;
    unsigned long long value = 0;
    size_t size = 0;
    int threads = 0, blocks = 0;

    CALL(cuModuleLoadData(&module, ""));
    CALL(cuModuleLoadData(&module, NULL));
    CALL(cuModuleLoad(&module, "/no/such/file.ptx"));
    CALL(cuModuleLoadData(&module, image));
    CALL(cuModuleGetFunction(&nothing, module, "cushim_nothing"));
    CALL(cuModuleGetFunction(&again, module, "cushim_nothing"));
    IS(nothing == again);
    CALL(cuModuleGetFunction(&spin, module, "cushim_spin"));
    CALL(cuModuleGetFunction(&none, module, "no_such_kernel"));
    IS(none == NULL);
    CALL(cuModuleGetGlobal(&address, &size, module, "answer"));
    IS(size == 8);
    CALL(cuMemcpyDtoH(&value, address, sizeof value));
    IS(value == 42);
    CALL(cuModuleGetGlobal(&address, &size, module, "question"));
    IS(address == 0 && size == 0);
    CALL(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, nothing));
    IS(threads == 1024);
    CALL(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 1024, 0));
    IS(blocks > 0);
}

static void launches(void)
{
    unsigned long long ns = 20000;
    void *parameters[] = {&ns};
    size_t bytes = sizeof ns;
    void *buffer[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &ns, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                      CU_LAUNCH_PARAM_END};

    CALL(cuLaunchKernel(nothing, 4, 2, 1, 32, 4, 1, 0, NULL, NULL, NULL));
    CALL(cuLaunchKernel(spin, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
    CALL(cuLaunchKernel(spin, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, buffer));
    CALL(cuCtxSynchronize());
    CALL(cuLaunchKernel(spin, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, buffer));
    CALL(cuLaunchKernel(spin, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    CALL(cuLaunchKernel(nothing, 0, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    CALL(cuLaunchKernel(nothing, 1, 1, 1, 1025, 1, 1, 0, NULL, NULL, NULL));
    CALL(cuLaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 1 << 20, NULL, NULL, NULL));
    CALL(cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    bytes = 9;
    CALL(cuLaunchKernel(spin, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, buffer));
    CALL(cuCtxSynchronize());
}

static void events(void)
{
    unsigned long long ns = 100000;
    void *parameters[] = {&ns};
    CUstream stream = NULL;
    CUevent start = NULL, end = NULL, untimed = NULL, never = NULL;
    float ms = -1;

    CALL(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CALL(by_address.create(&start, CU_EVENT_DEFAULT));
    CALL(by_address.create(&end, CU_EVENT_BLOCKING_SYNC));
    CALL(cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING));
    CALL(cuEventCreate(&never, CU_EVENT_DEFAULT));
    CALL(cuEventCreate(NULL, CU_EVENT_DEFAULT));
    CALL(cuEventCreate(&never, CU_EVENT_INTERPROCESS));
    CALL(cuEventQuery(never));
    CALL(cuEventSynchronize(never));
    CALL(by_address.record(start, stream));
    shut(stream);
    CALL(cuLaunchKernel(spin, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL));
    CALL(by_address.record(end, stream));
    CALL(cuEventRecord(untimed, stream));
    CALL(cuEventSynchronize(start));
    CALL(cuEventQuery(end));
    CALL(cuEventElapsedTime(&ms, start, end));
    CALL(cuEventElapsedTime(&ms, start, never));
    CALL(cuEventElapsedTime(&ms, start, untimed));
    IS(ms == -1);
    sem_post(&opened);
    CALL(cuEventSynchronize(end));
    CALL(cuEventElapsedTime(&ms, start, end));
    IS(ms >= 0.09f);
    CALL(cuEventElapsedTime(&ms, end, start));
    IS(ms <= -0.09f);
    CALL(cuEventElapsedTime(&ms, start, start));
    IS(ms == 0);
    CALL(cuStreamSynchronize(stream));
    CALL(cuEventQuery(untimed));
    CALL(cuEventRecord(NULL, stream));
    CALL(by_address.destroy(never));
    CALL(by_address.destroy(untimed));
    CALL(cuEventDestroy(end));
    CALL(cuEventDestroy(start));
    CALL(cuEventDestroy(NULL));
    CALL(cuStreamDestroy(stream));
}

static void streams(void)
{
    CUstream first = NULL, second = NULL, urgent = NULL;
    CUdeviceptr memory = 0;
    CUevent event = NULL;
    int least = 9, greatest = 9, priority = 9, status = 99;
    unsigned flags = 9;

    CALL(cuCtxGetStreamPriorityRange(&least, &greatest));
    IS(least == 0 && greatest < 0);
    CALL(cuStreamCreateWithPriority(&urgent, CU_STREAM_NON_BLOCKING, -1000));
    CALL(cuStreamGetPriority(urgent, &priority));
    IS(priority == greatest);
    CALL(cuStreamCreate(&first, 2));
    CALL(cuStreamCreate(&first, CU_STREAM_NON_BLOCKING));
    CALL(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
    CALL(cuStreamGetFlags(first, &flags));
    IS(flags == CU_STREAM_NON_BLOCKING);
    CALL(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    CALL(cuMemAlloc(&memory, BYTES));
    memset(host, 0x21, BYTES);
    memset(back, 0, BYTES);
    shut(first);
    CALL(cuMemcpyHtoDAsync(memory, host, BYTES, first));
    CALL(cuLaunchHostFunc(first, append, (void *)"a"));
    CALL(cuEventRecord(event, first));
    CALL(cuStreamWaitEvent(second, event, 0));
    CALL(cuLaunchHostFunc(second, append, (void *)"b"));
    CALL(cuMemcpyDtoHAsync(back, memory, BYTES, second));
    CALL(cuStreamAddCallback(second, called_back, &status, 0));
    CALL(cuStreamQuery(first));
    CALL(cuStreamQuery(second));
    CALL(cuStreamQuery(urgent));
    IS(order[0] == '\0' && back[0] == 0 && status == 99);
    sem_post(&opened);
    CALL(cuStreamSynchronize(second));
    IS(strcmp(order, "ab") == 0 && status == 0);
    IS(memcmp(host, back, BYTES) == 0);
    CALL(cuStreamSynchronize(first));
    CALL(cuStreamQuery(first));
    CALL(cuStreamWaitEvent(second, event, 2));
    CALL(cuStreamWaitEvent(second, NULL, 0));
    CALL(cuLaunchHostFunc(first, NULL, NULL));
    CALL(cuStreamAddCallback(first, called_back, &status, 1));
    CALL(cuMemFree(memory));
    CALL(cuEventDestroy(event));
    CALL(cuStreamDestroy(urgent));
    CALL(cuStreamDestroy(second));
    CALL(cuStreamDestroy(first));
    CALL(cuStreamDestroy(NULL));
}

/* A sticky error. */
static void fault(void)
{
    CUfunction wrong = NULL;
    CUevent event = NULL;
    int count = 0;

    CALL(cuEventCreate(&event, CU_EVENT_DEFAULT));
    CALL(cuModuleGetFunction(&wrong, module, "cushim_fault"));
    CALL(cuLaunchKernel(wrong, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    CALL(cuCtxSynchronize());
    CALL(cuEventQuery(event));
    CALL(cuEventRecord(event, NULL));
    CALL(cuEventCreate(&event, CU_EVENT_DEFAULT));
    CALL(cuDeviceGetCount(&count));
    CALL(cuDevicePrimaryCtxRelease(device));
}

int main(void)
{
    if (!begin())
        return 1;
    modules();
    launches();
    events();
    streams();
    fault();
    return 0;
}
