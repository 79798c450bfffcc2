/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program to trace, which does one of several things:
 *
 *     plain              one stream, two copies, a failing call
 *     threads N CALLS [FILE]  N threads make CALLS calls each, and count them in a mapped file
 *     work N CALLS       N threads queue CALLS pieces of work each, on a stream for each thread
 *     killed CALLS       CALLS calls, and then SIGKILL
 *     daemon             a child that makes calls, and outlives the parent until it is killed
 *     wanders FOLDER CALLS  changes the working directory; then a child and the parent make calls
 *     unopened CALLS     CALLS calls, when no file can be opened any more
 *     abandoned          a capture whose stream is destroyed, and then work
 *     fork               a child and then the parent make calls, before cuInit in the parent
 *     exec PROGRAM...    calls, and then another program in the same process
 *     capture            a graph that is captured and launched, and work on another stream
 *     profiler           calls before, between and after cuProfilerStart and cuProfilerStop
 *     ranges             marks and ranges of NVTX
 *     kinds              kernels by the functions that launch them, and copies of each shape
 *     waits              a call, a line on standard output, and then it waits for a signal
 *     looked-up          calls cuInit by the address that cuGetProcAddress returns
 *     addresses NAME...  prints which names cuGetProcAddress and dlsym() find
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

const struct cushim_table *cu;

void check(CUresult code, const char *what)
{
    if (code == CUDA_SUCCESS)
        return;
    fprintf(stderr, "%s: %d\n", what, (int)code);
    exit(1);
}

static void load(void)
{
    check(cushim_driver_load(NULL), "load");
    cu = cushim_driver();
}

CUcontext begin(void)
{
    CUcontext context;

    load();
    check(cu->Init(0), "cuInit");
    check(cu->DevicePrimaryCtxRetain(&context, 0), "cuDevicePrimaryCtxRetain");
    check(cu->CtxSetCurrent(context), "cuCtxSetCurrent");
    return context;
}

void plain(void)
{
    static char host[4096];
    CUdeviceptr memory;
    CUstream stream;

    begin();
    check(cu->StreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    check(cu->MemAlloc_v2(&memory, sizeof host), "cuMemAlloc");
    check(cu->MemcpyHtoDAsync_v2(memory, host, sizeof host, stream), "cuMemcpyHtoDAsync");
    check(cu->MemsetD8Async(memory, 1, 256, stream), "cuMemsetD8Async");
    check(cu->StreamSynchronize(stream), "cuStreamSynchronize");
    check(cu->MemcpyDtoH_v2(host, memory, 1024), "cuMemcpyDtoH");
    if (cu->StreamCreate(NULL, 0) == CUDA_SUCCESS)
        exit(1);
    check(cu->MemFree_v2(memory), "cuMemFree");
    check(cu->StreamDestroy_v2(stream), "cuStreamDestroy");
    check(cu->DevicePrimaryCtxRelease_v2(0), "cuDevicePrimaryCtxRelease");
}

static unsigned long calls_each;

/* `data` is the counter of this thread, or NULL. */
static void *call_often(void *data)
{
    uint64_t *made = data;
    CUdevice device;

    for (unsigned long i = 0; i < calls_each; i++) {
        check(cu->DeviceGet(&device, 0), "cuDeviceGet");
        if (made)
            __atomic_store_n(made, i + 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

/* Map the counters to a file, which other processes can read even after this process was killed. */
static uint64_t *map_counts(const char *path, unsigned count)
{
    const int file = open(path, O_RDWR);
    void *counts = MAP_FAILED;

    if (file >= 0)
        counts = mmap(NULL, count * sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (counts == MAP_FAILED)
        exit(1);
    close(file);
    return counts;
}

static void call_from_threads(unsigned count, const char *path)
{
    pthread_t *threads = calloc(count, sizeof *threads);
    uint64_t *counts = path ? map_counts(path, count) : NULL;

    begin();
    for (unsigned i = 0; i < count; i++) {
        if (pthread_create(&threads[i], NULL, call_often, counts ? &counts[i] : NULL) != 0)
            abort();
    }
    for (unsigned i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    free(threads);
}

static void *work_often(void *data)
{
    CUdeviceptr memory;
    CUstream stream;

    check(cu->CtxSetCurrent(data), "cuCtxSetCurrent");
    check(cu->StreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    check(cu->MemAlloc_v2(&memory, 256), "cuMemAlloc");
    for (unsigned long i = 0; i < calls_each; i++) {
        check(cu->MemsetD8Async(memory, 1, 256, stream), "cuMemsetD8Async");
        if (i % 16 == 0)
            check(cu->StreamSynchronize(stream), "cuStreamSynchronize");
    }
    check(cu->StreamSynchronize(stream), "cuStreamSynchronize");
    check(cu->MemFree_v2(memory), "cuMemFree");
    check(cu->StreamDestroy_v2(stream), "cuStreamDestroy");
    return NULL;
}

static void work_from_threads(unsigned count)
{
    pthread_t *threads = calloc(count, sizeof *threads);
    CUcontext context = begin();

    for (unsigned i = 0; i < count; i++) {
        if (pthread_create(&threads[i], NULL, work_often, context) != 0)
            abort();
    }
    for (unsigned i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    free(threads);
}

static void be_killed(void)
{
    begin();
    call_often(NULL);
    raise(SIGKILL);
}

/* The child closes its standard streams, so that no reader waits for their end. */
static void leave_child(void)
{
    int ready[2];
    char byte;

    if (pipe(ready) != 0)
        exit(1);
    if (fork() == 0) {
        for (int stream = 0; stream < 3; stream++)
            close(stream);
        begin();
        if (write(ready[1], "", 1) == 1)
            pause();
    }
    if (read(ready[0], &byte, 1) != 1)
        exit(1);
}

static void wander(const char *folder)
{
    int status;
    pid_t child;

    begin();
    if (chdir(folder) != 0)
        exit(1);
    child = fork();
    if (child == 0)
        _exit(cu->DriverGetVersion(&status) != CUDA_SUCCESS);
    waitpid(child, &status, 0);
    if (status != 0)
        exit(1);
    call_often(NULL);
}

static void call_without_files(void)
{
    const struct rlimit none = {0, 0};

    begin();
    if (setrlimit(RLIMIT_NOFILE, &none) != 0)
        exit(1);
    call_often(NULL);
}

static void abandon_capture(void)
{
    CUdeviceptr memory;
    CUstream stream;

    begin();
    check(cu->MemAlloc_v2(&memory, 256), "cuMemAlloc");
    check(cu->StreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    check(cu->StreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED),
          "cuStreamBeginCapture");
    check(cu->StreamDestroy_v2(stream), "cuStreamDestroy");
    check(cu->MemsetD8Async(memory, 1, 256, NULL), "cuMemsetD8Async");
    check(cu->CtxSynchronize(), "cuCtxSynchronize");
}

static void fork_first(void)
{
    int status, version;
    pid_t child;

    load();
    check(cu->DriverGetVersion(&version), "cuDriverGetVersion");
    child = fork();
    if (child == 0) {
        check(cu->Init(0), "cuInit");
        exit(0);
    }
    waitpid(child, &status, 0);
    if (status != 0)
        exit(1);
    plain();
}

static void capture(void)
{
    static char host[4096];
    CUstream captured, beside;
    CUdeviceptr memory;
    CUgraphExec exec;
    CUgraph graph;
    size_t nodes = 0;

    begin();
    check(cu->StreamCreate(&captured, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    check(cu->StreamCreate(&beside, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    check(cu->MemAlloc_v2(&memory, sizeof host), "cuMemAlloc");
    check(cu->MemcpyHtoDAsync_v2(memory, host, 100, beside), "cuMemcpyHtoDAsync");
    check(cu->StreamBeginCapture_v2(captured, CU_STREAM_CAPTURE_MODE_GLOBAL),
          "cuStreamBeginCapture");
    check(cu->MemcpyHtoDAsync_v2(memory, host, 200, captured), "cuMemcpyHtoDAsync");
    check(cu->MemsetD8Async(memory, 1, 300, captured), "cuMemsetD8Async");
    check(cu->MemcpyHtoDAsync_v2(memory, host, 400, beside), "cuMemcpyHtoDAsync");
    check(cu->StreamEndCapture(captured, &graph), "cuStreamEndCapture");
    check(cu->GraphGetNodes(graph, NULL, &nodes), "cuGraphGetNodes");
    check(cu->GraphInstantiateWithFlags(&exec, graph, 0), "cuGraphInstantiate");
    for (int i = 0; i < 3; i++)
        check(cu->GraphLaunch(exec, captured), "cuGraphLaunch");
    check(cu->MemcpyHtoDAsync_v2(memory, host, 500, beside), "cuMemcpyHtoDAsync");
    check(cu->CtxSynchronize(), "cuCtxSynchronize");
    printf("%zu nodes\n", nodes);
}

static void call_profiler(void)
{
    CUdevice device;

    begin();
    check(cu->DeviceGet(&device, 0), "cuDeviceGet");
    check(cu->ProfilerStart(), "cuProfilerStart");
    check(cu->CtxGetDevice(&device), "cuCtxGetDevice");
    check(cu->ProfilerStop(), "cuProfilerStop");
    check(cu->DeviceGet(&device, 0), "cuDeviceGet");
}

static void print_addresses(char **names)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);

    load();
    if (!library)
        library = dlopen("libcuda.so.1", RTLD_NOW);
    for (; *names; names++) {
        cushim_CUdriverProcAddressQueryResult status;
        void *found = NULL;

        check(cu->GetProcAddress_v2(*names, &found, 13000, 0, &status), "cuGetProcAddress");
        printf("%s %s %s\n", *names, found ? "found" : "missing",
               dlsym(library, *names) ? "exported" : "hidden");
    }
}

static void call_what_was_looked_up(void)
{
    cushim_CUdriverProcAddressQueryResult status;
    CUresult(CUDAAPI * init)(unsigned) = NULL;

    load();
    check(cu->GetProcAddress_v2("cuInit", (void **)&init, 13000, 0, &status), "cuGetProcAddress");
    check(init(0), "cuInit");
}

int main(int count, char **words)
{
    const char *what = count > 1 ? words[1] : "";

    if (strcmp(what, "plain") == 0) {
        plain();
    } else if (strcmp(what, "threads") == 0 && (count == 4 || count == 5)) {
        calls_each = strtoul(words[3], NULL, 10);
        call_from_threads((unsigned)strtoul(words[2], NULL, 10), words[4]);
    } else if (strcmp(what, "work") == 0 && count == 4) {
        calls_each = strtoul(words[3], NULL, 10);
        work_from_threads((unsigned)strtoul(words[2], NULL, 10));
    } else if (strcmp(what, "killed") == 0 && count == 3) {
        calls_each = strtoul(words[2], NULL, 10);
        be_killed();
    } else if (strcmp(what, "daemon") == 0) {
        leave_child();
    } else if (strcmp(what, "wanders") == 0 && count == 4) {
        calls_each = strtoul(words[3], NULL, 10);
        wander(words[2]);
    } else if (strcmp(what, "unopened") == 0 && count == 3) {
        calls_each = strtoul(words[2], NULL, 10);
        call_without_files();
    } else if (strcmp(what, "abandoned") == 0) {
        abandon_capture();
    } else if (strcmp(what, "fork") == 0) {
        fork_first();
    } else if (strcmp(what, "exec") == 0 && count > 2) {
        begin();
        execv(words[2], words + 2);
        return 1;
    } else if (strcmp(what, "capture") == 0) {
        capture();
    } else if (strcmp(what, "profiler") == 0) {
        call_profiler();
    } else if (strcmp(what, "ranges") == 0) {
        name_ranges();
    } else if (strcmp(what, "kinds") == 0) {
        queue_kinds();
    } else if (strcmp(what, "waits") == 0) {
        begin();
        puts("ready");
        fflush(stdout);
        pause();
    } else if (strcmp(what, "looked-up") == 0) {
        call_what_was_looked_up();
    } else if (strcmp(what, "addresses") == 0) {
        print_addresses(words + 2);
    } else {
        fprintf(stderr, "usage: program WHAT [ARGUMENT...], see program.c\n");
        return 2;
    }
    return 0;
}
