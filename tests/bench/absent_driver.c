/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that detects that there is no driver: absent WAY TURNS
 *
 * nothing  it does not look for a driver
 * linker   it asks the dynamic linker for libcuda.so.1
 * cushim   it makes a call through the table
 *
 * Then it does the same TURNS times more. Prints the nanoseconds of the first time.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cushim/driver.h>

enum { HAS_DRIVER = 77 };

static double now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Whether there is no driver. */
static int ask(const char *way)
{
    if (strcmp(way, "linker") == 0)
        return dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) == NULL;
    if (strcmp(way, "cushim") == 0)
        return cushim_driver()->EventQuery(NULL) == CUDA_ERROR_SHARED_OBJECT_INIT_FAILED;
    return 1;
}

static unsigned repeat(unsigned turns)
{
    unsigned codes = 0;

    for (unsigned i = 0; i < turns; i++)
        codes |= (unsigned)cushim_driver()->EventQuery(NULL);
    return codes;
}

int main(int count, char **words)
{
    double start, end;
    int is_absent;

    if (count != 3) {
        fprintf(stderr, "usage: absent nothing|linker|cushim TURNS\n");
        return 2;
    }
    start = now_ns();
    is_absent = ask(words[1]);
    end = now_ns();
    repeat((unsigned)strtoul(words[2], NULL, 10));
    printf("%.0f\n", end - start);
    return is_absent || getenv("CUSHIM_LIBRARY") ? 0 : HAS_DRIVER;
}
