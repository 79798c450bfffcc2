/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work for the mock driver: mock_load pairs|pending COUNT
 *
 * pairs    COUNT times an event is recorded and queried, in auto mode
 * pending  COUNT operations are queued behind one that takes an hour, then waited for
 *
 * Prints operations per second of this machine and, for pending, the memory of one operation.
 */
#define _GNU_SOURCE
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cushim/mock.h>

static const struct cushim_table *driver;

#define HOUR_NS 3600000000000ULL

static const char image[] = ".version 6.0\n"
                            ".target sm_50\n"
                            ".address_size 64\n"
                            ".visible .entry cushim_spin(.param .u64 ns)\n"
                            "{\n"
                            "    ret;\n"
                            "}\n";

static void check(CUresult code, const char *what)
{
    if (code != CUDA_SUCCESS) {
        fprintf(stderr, "mock_load: %s answers %d\n", what, (int)code);
        exit(1);
    }
}
#define OK(call) check(call, #call)

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static size_t heap_bytes(void)
{
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    struct mallinfo2 heap = mallinfo2();

    return heap.uordblks + heap.hblkhd;
#else
    return 0;
#endif
}

static void queue_an_hour(CUstream stream)
{
    uint64_t ns = HOUR_NS;
    void *parameters[] = {&ns};
    CUfunction spin;
    CUmodule module;

    OK(driver->ModuleLoadData(&module, image));
    OK(driver->ModuleGetFunction(&spin, module, "cushim_spin"));
    OK(driver->LaunchKernel(spin, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL));
}

static void pairs(CUstream stream, CUevent event, unsigned long count)
{
    double start = seconds();

    for (unsigned long i = 0; i < count; i++) {
        CUresult code;

        OK(driver->EventRecord(event, stream));
        code = driver->EventQuery(event);
        if (code != CUDA_ERROR_NOT_READY)
            OK(code);
    }
    printf("%.0f records and queries per second\n", (double)count / (seconds() - start));
}

static void pending(CUstream stream, CUevent event, unsigned long count)
{
    double start, queued;
    size_t before;

    queue_an_hour(stream);
    before = heap_bytes();
    start = seconds();
    for (unsigned long i = 0; i < count; i++)
        OK(driver->EventRecord(event, stream));
    queued = seconds();
    printf("%.1f bytes per pending operation\n", (double)(heap_bytes() - before) / (double)count);
    OK(driver->StreamSynchronize(stream));
    printf("%.0f operations per second queued, %.0f executed\n", (double)count / (queued - start),
           (double)count / (seconds() - queued));
}

int main(int count, char **arguments)
{
    const struct cushim_mock_options options = {.size = sizeof options, .settings = "mode = auto"};
    struct cushim_mock *mock;
    CUcontext context;
    CUstream stream;
    CUevent event;
    unsigned long turns;

    if (count != 3) {
        fprintf(stderr, "usage: mock_load pairs|pending COUNT\n");
        return 2;
    }
    turns = strtoul(arguments[2], NULL, 10);
    OK(cushim_mock_create(&options, &mock));
    driver = cushim_mock_table(mock);
    OK(driver->Init(0));
    OK(driver->DevicePrimaryCtxRetain(&context, 0));
    OK(driver->CtxPushCurrent_v2(context));
    OK(driver->StreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(driver->EventCreate(&event, CU_EVENT_DEFAULT));
    if (strcmp(arguments[1], "pairs") == 0)
        pairs(stream, event, turns);
    else
        pending(stream, event, turns);
    return cushim_mock_destroy(mock) == CUDA_SUCCESS ? 0 : 1;
}
