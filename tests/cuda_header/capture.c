/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three that call one function of the driver, side by side: the program, a plugin and a library. This
 * file is each of them: PLUGIN and OTHER say which, and the program is called
 *
 *     capture PLUGIN OTHER
 *
 * OTHER is linked to a libcuda.so.1, the mock, which answers 3 before it is initialised. The plugin
 * is linked to the stubs, and CUSHIM_LIBRARY names the fake driver, whose answers are above
 * 100000. The program is linked to either (see meson.build); with the stubs it also brings a
 * function of its own.
 */
#include <cuda.h>

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#if defined(OTHER)
/* The library knows nothing of cushim. */
int other_call(void);
int other_call(void)
{
    return (int)cuCtxSynchronize();
}
#elif defined(PLUGIN)
/* The object file of a plugin was made to be linked to libcuda.so.1. */
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
/* A program may define a name of the driver: it means this one. */
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
    /* The driver that is seen by all comes first: it would be found by who looks for it. */
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
