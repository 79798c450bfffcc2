/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels: what is registered for a name, and launches as operations.
 *
 * A launch holds what is registered at the call and copies of its parameters. A launch and its
 * copies in graphs share one block of them, which never changes.
 */
#ifndef CUSHIM_MOCK_KERNEL_CALLS_H
#define CUSHIM_MOCK_KERNEL_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

#include <cushim/testing/mock.h>

#include "src/mock/sim/operation.h"

struct cushim__function;

/* What is registered for a name. Reference-counted: the registry and each launch. */
struct cushim__kernel_entry {
    struct cushim__kernel_entry *next; /* in the registry */
    unsigned references;
    bool spins; /* its first parameter is its duration */
    char *name;
    uint64_t duration_ns;
    void (*run)(const struct cushim_mock_launch *launch, void *data);
    void *data;
    CUresult fault;
    bool has_sizes; /* `sizes` are known; otherwise those that the image declares */
    size_t parameter_count;
    size_t *parameter_sizes;
    size_t access_count; /* of parameters, of which these are known */
    enum cushim_mock_access *accesses;
    size_t *access_bytes;
};

/* What is registered for a name. NULL: nothing. Borrowed. */
struct cushim__kernel_entry *cushim__kernel_entry_find(const char *name);
struct cushim__kernel_entry *cushim__kernel_entry_retain(struct cushim__kernel_entry *entry);
void cushim__kernel_entry_release(struct cushim__kernel_entry *entry);

/* How a kernel is to be launched. */
struct cushim__launch_shape {
    unsigned grid[3], block[3];
    unsigned shared_bytes;
};

/* INVALID_VALUE: the function cannot be launched so on the device. */
CUresult cushim__launch_check(const struct cushim__function *function,
                              const struct cushim__launch_shape *shape);

/*
 * The operation of a launch, checked and with copies of the parameters. `parameters` or `extra` as
 * of cuLaunchKernel. Answers what the call would; `*operation` is set on CUDA_SUCCESS alone, and is
 * then the caller's.
 */
CUresult cushim__launch_create(struct cushim__function *function,
                               const struct cushim__launch_shape *shape, void **parameters,
                               void **extra, struct cushim__operation **operation);

/* The same of a buffer with all parameters, of which there may be too few or too many. */
CUresult cushim__launch_create_raw(struct cushim__function *function,
                                   const struct cushim__launch_shape *shape, const void *buffer,
                                   size_t bytes, struct cushim__operation **operation);

/* The same for a node of a graph, and what cuGraphKernelNodeGetParams answers of one. */
CUresult cushim__kernel_operation(const CUDA_KERNEL_NODE_PARAMS *params,
                                  struct cushim__operation **operation);

/*
 * `params->kernelParams` points to copies that live as long as the operation. The operation must be
 * one of a launch.
 */
void cushim__kernel_params(const struct cushim__operation *operation,
                           CUDA_KERNEL_NODE_PARAMS *params);

/* The class of launches, to tell them from other operations. */
extern const struct cushim__operation_class cushim__launch_class;

#endif
