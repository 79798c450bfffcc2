/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work for the mock driver: mock_load WORK MODE STREAMS COUNT
 *
 * Does WORK COUNT times, on STREAMS streams in turn, in a MODE of the mock:
 *
 * pairs    record and query an event
 * pending  record events behind a kernel that takes an hour, then wait for the context
 * legacy   the same, with each 16th record on the legacy default stream, which waits for all others
 * kernels  launch kernels behind one that takes an hour, with room for 16 at once
 * thread   record an event on the per-thread default stream, next to the other streams
 * values   record and query an event on one stream, while all others wait for a value
 *
 * Prints the CPU time of one operation in ns and, for pending work, its memory in bytes; `-` if
 * that is unknown.
 */
#define _GNU_SOURCE
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cushim/testing/mock.h>

/* How many records stay pending in manual mode. */
enum { UNDONE = 64, MOST_STREAMS = 100000 };

#define HOUR_NS 3600000000000ULL

static const char image[] = ".version 6.0\n"
                            ".target sm_50\n"
                            ".address_size 64\n"
                            ".visible .entry cushim_spin(.param .u64 ns)\n"
                            "{\n"
                            "    ret;\n"
                            "}\n";

static const struct cushim_table *driver;
static struct cushim_mock *mock;
static bool is_manual;
static CUfunction spin;
static CUevent event;
static CUstream *streams;
static unsigned stream_count;
static size_t bytes; /* of one pending operation */

static void check(CUresult code, const char *what)
{
    if (code != CUDA_SUCCESS) {
        fprintf(stderr, "mock_load: %s answers %d\n", what, (int)code);
        exit(1);
    }
}
#define OK(call) check(call, #call)

static double now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
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

static CUstream stream_of(unsigned long number)
{
    return streams[number % stream_count];
}

static void launch(CUstream stream, uint64_t ns)
{
    void *parameters[] = {&ns};

    OK(driver->LaunchKernel(spin, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL));
}

/* Make all streams wait for an hour. */
static void queue_an_hour(void)
{
    launch(streams[0], HOUR_NS);
    OK(driver->EventRecord(event, streams[0]));
    for (unsigned i = 1; i < stream_count; i++)
        OK(driver->StreamWaitEvent(streams[i], event, 0));
}

static void finish(void)
{
    if (is_manual)
        OK(cushim_mock_drain(mock));
    OK(driver->CtxSynchronize());
}

static void record_and_query(unsigned long number, CUstream stream)
{
    CUresult code;

    OK(driver->EventRecord(event, stream));
    code = driver->EventQuery(event);
    if (code != CUDA_ERROR_NOT_READY)
        OK(code);
    if (is_manual && number % UNDONE == 0)
        OK(cushim_mock_drain(mock));
}

static void pairs(unsigned long count)
{
    for (unsigned long i = 0; i < count; i++)
        record_and_query(i, stream_of(i));
    finish();
}

static void pending(unsigned long count)
{
    size_t before;

    queue_an_hour();
    before = heap_bytes();
    for (unsigned long i = 0; i < count; i++)
        OK(driver->EventRecord(event, stream_of(i)));
    bytes = (heap_bytes() - before) / count; /* 0 if the C library does not report it */
    finish();
}

static void legacy(unsigned long count)
{
    queue_an_hour();
    for (unsigned long i = 0; i < count; i++)
        OK(driver->EventRecord(event, i % 16 == 15 ? CU_STREAM_LEGACY : stream_of(i)));
    finish();
}

static void kernels(unsigned long count)
{
    queue_an_hour();
    for (unsigned long i = 0; i < count; i++)
        launch(stream_of(i), 1000);
    finish();
}

static void thread(unsigned long count)
{
    for (unsigned long i = 0; i < count; i++)
        record_and_query(i, CU_STREAM_PER_THREAD);
    finish();
}

static void values(unsigned long count)
{
    CUdeviceptr value;

    OK(driver->MemAlloc_v2(&value, 4));
    OK(driver->MemsetD32_v2(value, 0, 1));
    for (unsigned i = 1; i < stream_count; i++)
        OK(driver->StreamWaitValue32_v2(streams[i], value, 1, CU_STREAM_WAIT_VALUE_EQ));
    for (unsigned long i = 0; i < count; i++)
        record_and_query(i, streams[0]);
    OK(driver->MemsetD32_v2(value, 1, 1));
    finish();
    OK(driver->MemFree_v2(value));
}

static const struct work {
    const char *name;
    void (*run)(unsigned long count);
    unsigned stream_flags;
} works[] = {
    {"pairs", pairs, CU_STREAM_NON_BLOCKING},   {"pending", pending, CU_STREAM_NON_BLOCKING},
    {"legacy", legacy, CU_STREAM_DEFAULT},      {"kernels", kernels, CU_STREAM_NON_BLOCKING},
    {"thread", thread, CU_STREAM_NON_BLOCKING}, {"values", values, CU_STREAM_NON_BLOCKING},
};

static void set_up(const char *mode, unsigned stream_flags)
{
    char settings[64];
    const struct cushim_mock_options options = {.size = sizeof options, .settings = settings};
    CUcontext context;
    CUmodule module;

    snprintf(settings, sizeof settings, "mode = %s\nconcurrent_kernels = 16\n", mode);
    is_manual = strcmp(mode, "manual") == 0;
    OK(cushim_mock_create(&options, &mock));
    driver = cushim_mock_table(mock);
    OK(driver->Init(0));
    OK(driver->DevicePrimaryCtxRetain(&context, 0));
    OK(driver->CtxPushCurrent_v2(context));
    OK(driver->ModuleLoadData(&module, image));
    OK(driver->ModuleGetFunction(&spin, module, "cushim_spin"));
    OK(driver->EventCreate(&event, CU_EVENT_DEFAULT));
    streams = calloc(stream_count, sizeof *streams);
    for (unsigned i = 0; i < stream_count && streams; i++)
        OK(driver->StreamCreate(&streams[i], stream_flags));
}

int main(int count, char **arguments)
{
    const struct work *work = NULL;
    unsigned long turns;
    double start;

    for (size_t i = 0; count == 5 && i < sizeof works / sizeof *works; i++)
        work = strcmp(arguments[1], works[i].name) == 0 ? &works[i] : work;
    stream_count = work ? (unsigned)strtoul(arguments[3], NULL, 10) : 0;
    if (stream_count < 1 || stream_count > MOST_STREAMS) {
        fprintf(stderr, "usage: mock_load WORK MODE STREAMS COUNT\n");
        return 2;
    }
    turns = strtoul(arguments[4], NULL, 10);
    set_up(arguments[2], work->stream_flags);
    start = now_ns();
    work->run(turns);
    printf("%.4f ", (now_ns() - start) / (double)turns);
    if (bytes)
        printf("%zu\n", bytes);
    else
        puts("-");
    free(streams);
    return cushim_mock_destroy(mock) == CUDA_SUCCESS ? 0 : 1;
}
