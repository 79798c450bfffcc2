/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that uses the driver as its arguments say, one after the other: misuse, race, leak,
 * fork, kernel, kill, or a number to exit with.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cuda.h>

static void *library;

/* Call a function of the driver that has the type of `pattern`. */
#define CALL(pattern, name) ((__typeof__(&pattern))(uintptr_t)dlsym(library, name))

static CUcontext context;
static CUdeviceptr memory;
static int has_leaked;

__attribute__((always_inline)) static inline CUresult query(CUevent event)
{
    return CALL(cuEventQuery, "cuEventQuery")(event); /* the misuse */
}

/* The test looks for this function by its name. */
__attribute__((noinline)) static void misuse(void)
{
    /* Prevents a tail call, so that the caller stays on the stack. */
    volatile CUresult code = query((CUevent)0x1234); /* its caller */

    (void)code;
}

static void race(void)
{
    CUstream one, other;

    CALL(cuStreamCreate, "cuStreamCreate")(&one, CU_STREAM_NON_BLOCKING);
    CALL(cuStreamCreate, "cuStreamCreate")(&other, CU_STREAM_NON_BLOCKING);
    CALL(cuMemsetD8Async, "cuMemsetD8Async")(memory, 1, 16, one);
    CALL(cuMemsetD8Async, "cuMemsetD8Async")(memory, 2, 16, other); /* the race */
    CALL(cuCtxSynchronize, "cuCtxSynchronize")();
    CALL(cuStreamDestroy, "cuStreamDestroy_v2")(one);
    CALL(cuStreamDestroy, "cuStreamDestroy_v2")(other);
}

static void leak(void)
{
    CUevent event;

    CALL(cuEventCreate, "cuEventCreate")(&event, 0);
    has_leaked = 1;
}

/* Run a kernel that writes to an address that is in no allocation, and do not ask how it ended. */
static void kernel(void)
{
    static const char text[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                               ".visible .entry k()\n{\n.reg .b64 %a;\nmov.u64 %a, 16;\n"
                               "st.global.u64 [%a], %a;\nret;\n}\n";
    CUmodule module;
    CUfunction function;

    CALL(cuModuleLoadData, "cuModuleLoadData")(&module, text);
    CALL(cuModuleGetFunction, "cuModuleGetFunction")(&function, module, "k");
    CALL(cuLaunchKernel, "cuLaunchKernel")(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
}

static void in_child(void)
{
    const pid_t child = fork();

    if (child == 0) {
        misuse();
        exit(0);
    }
    waitpid(child, NULL, 0);
}

int main(int count, char **words)
{
    int status = 0;

    library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library)
        return 1;
    if (count > 1 && strcmp(words[1], "fork") == 0)
        in_child();
    CALL(cuInit, "cuInit")(0);
    CALL(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain")(&context, 0);
    CALL(cuCtxSetCurrent, "cuCtxSetCurrent")(context);
    CALL(cuMemAlloc, "cuMemAlloc_v2")(&memory, 64);
    for (int i = 1; i < count; i++) {
        if (strcmp(words[i], "misuse") == 0)
            misuse();
        else if (strcmp(words[i], "race") == 0)
            race();
        else if (strcmp(words[i], "leak") == 0)
            leak();
        else if (strcmp(words[i], "kernel") == 0)
            kernel();
        else if (strcmp(words[i], "kill") == 0)
            raise(SIGKILL);
        else
            status = atoi(words[i]);
    }
    CALL(cuMemFree, "cuMemFree_v2")(memory);
    /* Destroying the context would destroy its objects. */
    if (!has_leaked)
        CALL(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2")(0);
    return status;
}
