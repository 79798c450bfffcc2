/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels that are registered for names, and launches as operations.
 *
 * A launch holds the kernel that is registered at the call, and copies of its parameters. It shares
 * these, which never change, with its copies in graphs.
 */
#ifndef CUSHIM_MOCK_LAUNCH_KERNEL_H
#define CUSHIM_MOCK_LAUNCH_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>
#include <cushim/testing/mock.h>

#include "src/mock/sim/operation.h"

struct mock_function;

/* A kernel that is registered for a name. References are held by the registry and each launch. */
struct mock_kernel_entry {
    struct mock_kernel_entry *next; /* in the registry */
    unsigned references;
    bool spins;    /* its first parameter is its duration */
    bool built_in; /* every mock has it */
    bool launched; /* the program has launched it */
    char *name;
    uint64_t duration_ns;
    void (*run)(const struct cushim_mock_launch *launch, void *data);
    void *data;
    CUresult fault;
    bool has_sizes; /* `parameter_sizes` are known; otherwise the image declares them */
    size_t parameter_count;
    size_t *parameter_sizes;
    size_t access_count; /* the number of parameters with known accesses */
    enum cushim_mock_access *accesses;
    size_t *access_bytes;
};

/* The kernel that is registered for a name, borrowed. NULL if there is none. */
struct mock_kernel_entry *cushim__mock_kernel_entry_find(const char *name);
struct mock_kernel_entry *cushim__mock_kernel_entry_retain(struct mock_kernel_entry *entry);
void cushim__mock_kernel_entry_release(struct mock_kernel_entry *entry);

/* Register the built-in kernels at the beginning of the mock; free all kernels at its end. */
CUresult cushim__mock_kernels_create(void);
void cushim__mock_kernels_clear(void);

/* The names of kernels that the program has registered and not launched; NULL after the last. */
const char *cushim__mock_kernel_unused(size_t index);

/* How a kernel is to be launched. */
struct mock_launch_shape {
    unsigned grid[3], block[3];
    unsigned shared_bytes;
    bool cooperative;
};

/* Returns INVALID_VALUE if the function cannot be launched so on the device. */
CUresult cushim__mock_launch_check(const struct mock_function *function,
                                   const struct mock_launch_shape *shape);

/*
 * Create the operation of a launch, checked and with copies of the parameters. Returns what the
 * call would; `*operation` is set only on CUDA_SUCCESS, and is then the caller's.
 */
CUresult cushim__mock_launch_create(struct mock_function *function,
                                    const struct mock_launch_shape *shape, void **values,
                                    void **extra, struct mock_operation **operation);

/* The same for a node of a graph, and what cuGraphKernelNodeGetParams returns for one. */
CUresult cushim__mock_kernel_operation(const CUDA_KERNEL_NODE_PARAMS *params,
                                       struct mock_operation **operation);

/* `params->kernelParams` points to copies that live as long as the operation, which is a launch. */
void cushim__mock_kernel_params(const struct mock_operation *operation,
                                CUDA_KERNEL_NODE_PARAMS *params);

/* Copies of a launch's parameters. References are held by the launch and its copies in graphs. */
struct mock_parameters {
    unsigned references;
    size_t count;
    void **values; /* into `bytes` */
    size_t *sizes;
    size_t byte_count;
    unsigned char *bytes;
};

#endif
