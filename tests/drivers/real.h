/* SPDX-License-Identifier: Apache-2.0 */
/* NVIDIA's own drivers, one of each generation, in a folder that fetch.sh has filled. */
#ifndef CUSHIM_TESTS_DRIVERS_REAL_H
#define CUSHIM_TESTS_DRIVERS_REAL_H

#include <stdbool.h>
#include <stddef.h>

#include <cushim/cushim.h>

#include "tests/drivers/route.h"

struct generation {
    const char *release;
    int version;       /* CUDA version that it reports */
    unsigned exported; /* how many of the symbols of cuda.h and cudaProfiler.h dlsym finds in it */
    CUresult init;     /* what cuInit answers on a machine without a GPU */
    bool needs_path;   /* it needs a library beside it, which LD_LIBRARY_PATH has to find */
};

/* What is done with a generation, in a process of its own. */
typedef void (*real_visit)(const struct generation *generation, enum route route);

/*
 * First of all in main(): read the arguments FOLDER EXCEPTIONS. Returns 0, or the status to exit
 * with if there is no driver in the folder. In a process that real_each() has started it does the
 * visit and does not return.
 */
int real_begin(int argc, char **argv, real_visit visit);

/*
 * Do the visit for each generation that is in the folder, in a process whose LD_LIBRARY_PATH
 * leads to the generation if the route or the generation asks for it. Returns how many failed.
 */
unsigned real_each(enum route route);

/* Path of its libcuda.so.1. Static: good until the next call. */
const char *real_library(const struct generation *generation);

/* Whether the registry, with its exceptions, says that this generation exports a symbol. */
bool real_has(const struct generation *generation, size_t index);

/* Whether this machine has no GPU, so that it is known what cuInit answers. */
bool real_without_gpu(void);

#endif
