/* SPDX-License-Identifier: Apache-2.0 */
/* A program for `cushim check` that misuses the driver as its arguments say. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cushim/cushim.h>

#include "tests/support/ptx.h"

static const struct cushim_table *driver;

static CUresult query_destroyed(void)
{
    CUevent event;

    driver->EventCreate(&event, 0);
    driver->EventDestroy_v2(event);
    return driver->EventQuery(event);
}

static CUresult query_often(void)
{
    CUresult code = CUDA_SUCCESS;
    CUevent event;

    driver->EventCreate(&event, 0);
    driver->EventDestroy_v2(event);
    for (int i = 0; i < 3; i++)
        code = driver->EventQuery(event);
    return code;
}

/* Look up a function of CUDA 12.8. */
static CUresult look_up(void)
{
    cushim_CUdriverProcAddressQueryResult result;
    void *function;

    return driver->GetProcAddress_v2("cuEventElapsedTime", &function, 12080, 0, &result);
}

static CUresult free_twice(void)
{
    CUdeviceptr memory;

    driver->MemAlloc_v2(&memory, 64);
    driver->MemFree_v2(memory);
    return driver->MemFree_v2(memory);
}

static CUresult unregister_twice(void)
{
    static char memory[64];

    driver->MemHostRegister_v2(memory, sizeof memory, 0);
    driver->MemHostUnregister(memory);
    return driver->MemHostUnregister(memory);
}

static CUresult leak(void)
{
    CUevent event;

    return driver->EventCreate(&event, 0);
}

/*
 * Behaves like the destructor of a C++ global that was constructed before the driver was
 * initialised.
 */
static CUevent late;

static void destroy_late(void)
{
    if (late) {
        driver->EventDestroy_v2(late);
        driver->EventQuery(late);
        driver->DevicePrimaryCtxRelease_v2(0);
    }
}

static CUresult end_late(void)
{
    return driver->EventCreate(&late, 0);
}

static CUresult in_child(void)
{
    CUevent event;
    int status;
    pid_t child;

    driver->EventCreate(&event, 0);
    child = fork();
    if (child == 0)
        exit((int)driver->EventQuery(event) == 0);
    waitpid(child, &status, 0);
    return driver->EventDestroy_v2(event);
}

static const char image[] = PTX_HEAD PTX_SPIN;

/* Destroy a context with all objects that were used in it. */
static void use_context(void)
{
    CUcontext context;
    CUdeviceptr memory;
    CUfunction function;
    CUmodule module;
    CUstream stream;
    CUevent event;

    driver->CtxCreate_v2(&context, 0, 0);
    driver->StreamCreate(&stream, 0);
    driver->EventCreate(&event, 0);
    driver->ModuleLoadData(&module, image);
    driver->ModuleGetFunction(&function, module, "cushim_spin");
    driver->MemAlloc_v2(&memory, 64);
    driver->MemsetD8Async(memory, 0, 64, stream);
    driver->EventRecord(event, stream);
    driver->StreamSynchronize(stream);
    driver->CtxDestroy_v2(context);
}

static long resident_kilobytes(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[200];
    long kilobytes = -1;

    while (file && kilobytes < 0 && fgets(line, sizeof line, file))
        sscanf(line, "VmRSS: %ld", &kilobytes);
    if (file)
        fclose(file);
    return kilobytes;
}

/*
 * The growth of the process in KiB over the second half of `count` repetitions, as a result code.
 */
static CUresult growth(void (*act)(void), int count)
{
    long kilobytes = 0;

    for (int i = 0; i < count; i++) {
        if (i == count / 2)
            kilobytes = resident_kilobytes();
        act();
    }
    return (CUresult)(resident_kilobytes() - kilobytes);
}

static CUresult use_contexts(void)
{
    return growth(use_context, 6000);
}

static void *set_context(void *context)
{
    CUevent event;

    driver->CtxSetCurrent(context);
    driver->EventCreate(&event, 0);
    driver->CtxPushCurrent_v2(context);
    driver->EventDestroy_v2(event);
    return NULL;
}

/* A thread ends with contexts on its stack, as most threads do. */
static void use_thread(void)
{
    CUcontext context;
    pthread_t thread;

    driver->CtxGetCurrent(&context);
    if (pthread_create(&thread, NULL, set_context, context) == 0)
        pthread_join(thread, NULL);
}

static CUresult use_threads(void)
{
    return growth(use_thread, 20000);
}

static CUresult die(void)
{
    raise(SIGKILL);
    return CUDA_SUCCESS;
}

static const struct {
    const char *word;
    CUresult (*act)(void);
} acts[] = {
    {"query", query_destroyed},
    {"queries", query_often},
    {"lookup", look_up},
    {"free", free_twice},
    {"unregister", unregister_twice},
    {"leak", leak},
    {"late", end_late},
    {"fork", in_child},
    {"die", die},
    {"contexts", use_contexts},
    {"threads", use_threads},
};

/* Print the codes of the actions; exit with the last argument if it is a number. */
int main(int count, char **words)
{
    CUcontext context;
    int status = 0;

    atexit(destroy_late);
    if (cushim_driver_init(NULL) != CUDA_SUCCESS)
        return 2;
    driver = cushim_driver();
    driver->DevicePrimaryCtxRetain(&context, 0);
    driver->CtxSetCurrent(context);
    for (int i = 1; i < count; i++) {
        status = atoi(words[i]);
        for (size_t k = 0; k < sizeof acts / sizeof *acts; k++) {
            if (strcmp(words[i], acts[k].word) == 0)
                printf("%s %d\n", words[i], (int)acts[k].act());
        }
        fflush(stdout);
    }
    if (!late && (count < 2 || strcmp(words[1], "leak") != 0))
        driver->DevicePrimaryCtxRelease_v2(0);
    return status;
}
