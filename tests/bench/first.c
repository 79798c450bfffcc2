/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program's first use of the driver, in parts: first names|cushim
 *
 * Opens the driver's library by dlopen(), then finds every symbol of the registry in it, either by
 * dlsym() (names) or by cushim_load() (cushim). Prints how many ns the second step took, and the
 * first. The library is the one that CUSHIM_LIBRARY names, or libcuda.so.1.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cushim/cushim.h>

enum { SKIPPED = 77 };

static double now_ns(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* A driver older than the registry lacks some: that is no failure. */
static void find_names(void *library)
{
    const size_t count = cushim_symbol_count();

    for (size_t i = 0; i < count; i++)
        (void)dlsym(library, cushim_symbol_name(i));
}

int main(int count, char **words)
{
    const char *named = getenv("CUSHIM_LIBRARY");
    const bool names = count == 2 && strcmp(words[1], "names") == 0;
    double start, opened, found;
    CUresult code = CUDA_SUCCESS;
    void *library;

    if (!names && (count != 2 || strcmp(words[1], "cushim") != 0)) {
        fprintf(stderr, "usage: first names|cushim\n");
        return 2;
    }
    start = now_ns();
    library = dlopen(named ? named : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    opened = now_ns();
    if (!library) {
        printf("%s\n", dlerror());
        return SKIPPED;
    }
    if (names)
        find_names(library);
    else
        code = cushim_load(NULL);
    found = now_ns();
    if (code != CUDA_SUCCESS) {
        printf("%s\n", cushim_error_string(code));
        return SKIPPED;
    }
    printf("%.0f %.0f\n", found - opened, opened - start);
    return 0;
}
