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
    int version;       /* the CUDA version that it reports */
    unsigned exported; /* how many symbols of cuda.h and cudaProfiler.h dlsym() finds */
    CUresult init;     /* the result of cuInit on a machine without a GPU */
    bool needs_path;   /* needs a library next to it, which LD_LIBRARY_PATH must contain */
};

/* A test of one generation, in a process of its own. */
typedef void (*real_visit)(const struct generation *generation, enum route route);

/*
 * Call this first in main(): it reads the arguments FOLDER EXCEPTIONS. Returns 0, or the exit
 * status if the folder has no driver. In a process that real_each() has started, it makes the visit
 * and does not return.
 */
int real_begin(int argc, char **argv, real_visit visit);

/*
 * Make the visit for each generation in the folder, in a process of its own. If the route or the
 * generation needs it, LD_LIBRARY_PATH contains the generation's folder. Returns how many visits
 * failed.
 */
unsigned real_each(enum route route);

/* The path of its libcuda.so.1, in a static buffer that the next call overwrites. */
const char *real_library(const struct generation *generation);

/* Whether this generation exports a symbol according to the registry and its exceptions. */
bool real_has(const struct generation *generation, size_t index);

/* Whether this machine has no GPU, so that the result of cuInit is known. */
bool real_without_gpu(void);

#endif
