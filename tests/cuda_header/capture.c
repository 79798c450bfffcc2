/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three parts that call one function of the driver: the program, a plugin and a library. This file
 * is each of them, selected by PLUGIN and OTHER. The program is called
 *
 *     capture PLUGIN OTHER
 *
 * OTHER is linked to a libcuda.so.1, the mock, which returns 3 before it is initialised. The plugin
 * is linked to the stubs, and CUSHIM_LIBRARY names the fake driver, which returns codes above
 * 100000. The program is linked to one of them (see meson.build); with the stubs it also defines a
 * driver function of its own.
 */
#include <cuda.h>

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#if defined(OTHER)
/* This library knows nothing of cushim. */
int other_call(void);
int other_call(void)
{
    return (int)cuCtxSynchronize();
}
#elif defined(PLUGIN)
/* The object file of a plugin that was compiled for libcuda.so.1. */
int plugin_call(void);
int plugin_call(void)
{
    return (int)cuCtxSynchronize();
}
#else
#ifdef LINKED_TO_OTHER
int other_call(void);
#endif

#ifdef WITH_STUBS
/* A program may define a function of the driver; its calls then use the definition. */
CUresult CUDAAPI cuProfilerStop(void);
CUresult CUDAAPI cuProfilerStop(void)
{
    return CUDA_ERROR_NOT_PERMITTED;
}
#else
#define cuProfilerStop() CUDA_ERROR_NOT_PERMITTED
#endif

static int call(const char *library, const char *name)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_GLOBAL);
    void *address = handle ? dlsym(handle, name) : NULL;
    int (*function)(void) = NULL;

    if (!address) {
        printf("%s\n", dlerror());
        return -1;
    }
    memcpy(&function, &address, sizeof function);
    return function();
}

int main(int count, char **arguments)
{
    int program, other, plugin, own;

    if (count != 3)
        return 2;
    /* The driver with global symbols comes first, so that a global lookup would find it. */
    other = call(arguments[2], "other_call");
    plugin = call(arguments[1], "plugin_call");
    program = (int)cuCtxSynchronize();
    own = (int)cuProfilerStop();
    printf("program %s, plugin %s, other %s, own %s\n", program > 100000 ? "stubs" : "driver",
           plugin > 100000 ? "stubs" : "driver", other == 3 ? "driver" : "stubs",
           own == CUDA_ERROR_NOT_PERMITTED ? "own" : "stubs");
#ifdef LINKED_TO_OTHER
    if (other_call() != 3)
        return 1;
#endif
    return 0;
}
#endif
