/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program's first use of the driver, in parts: prints how many ns took opening its library, all
 * else that cushim does to load it, and the initialisation. The library is the one that
 * CUSHIM_LIBRARY names, or libcuda.so.1.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cushim/cushim.h>

enum { SKIPPED = 77 };

static double now_ns(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int main(void)
{
    const char *named = getenv("CUSHIM_LIBRARY");
    double start, opened, loaded, initialised;
    CUresult code;

    start = now_ns();
    if (!dlopen(named ? named : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL)) {
        printf("%s\n", dlerror());
        return SKIPPED;
    }
    opened = now_ns();
    code = cushim_load(NULL);
    loaded = now_ns();
    if (code == CUDA_SUCCESS)
        code = cushim_driver()->Init(0);
    initialised = now_ns();
    if (code != CUDA_SUCCESS) {
        printf("%s\n", cushim_error_string(code));
        return SKIPPED;
    }
    printf("%.0f %.0f %.0f\n", opened - start, loaded - opened, initialised - loaded);
    return 0;
}
