/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library to be loaded before a program, which opens the file ZOO_OPENED where somebody asks for
 * the driver: so do those that stand between programs and GPUs.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

void *dlopen(const char *name, int mode)
{
    void *(*next)(const char *, int);
    void *function = dlsym(RTLD_NEXT, "dlopen");
    const char *path = name && strcmp(name, "libcuda.so.1") == 0 ? getenv("ZOO_OPENED") : NULL;

    memcpy(&next, &function, sizeof next);
    return next(path ? path : name, mode);
}
