/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * What a kernel does on the mock: how long it takes, and what host function stands for it.
 *
 * Modules load any image; a kernel that an image declares can be found by its name. A launch of a
 * kernel that is not registered is refused and logged. These are always registered:
 *
 *     cushim_nothing()         does nothing and takes no time
 *     cushim_spin(ns)          one parameter of 8 bytes: takes so many nanoseconds
 *     cushim_fault()           writes to an illegal address: CUDA_ERROR_ILLEGAL_ADDRESS, for ever
 *     cushim_trap()            traps: CUDA_ERROR_LAUNCH_FAILED, for ever
 */
#ifndef CUSHIM_MOCK_KERNEL_H
#define CUSHIM_MOCK_KERNEL_H

#include <cushim/mock.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A launch, as the function that stands for a kernel sees it. */
struct cushim_mock_launch {
    /** sizeof(struct cushim_mock_launch) of the library. */
    size_t size;
    /** The kernel's name. */
    const char *name;
    unsigned grid[3];  /**< In blocks: x, y, z. */
    unsigned block[3]; /**< In threads: x, y, z. */
    unsigned shared_bytes;
    /** How many parameters the kernel has, and copies of them. */
    size_t parameter_count;
    const void *const *parameters;
    const size_t *parameter_sizes;
};

/** What a kernel does with the memory that a parameter of 8 bytes points into. */
enum cushim_mock_access {
    /** Nobody has said: it may read and write, but is not compared with another such kernel. */
    CUSHIM_MOCK_ACCESS_UNKNOWN,
    /** Nothing: the parameter is no pointer, or is not followed. */
    CUSHIM_MOCK_ACCESS_NONE,
    CUSHIM_MOCK_ACCESS_READ,       /**< It reads. */
    CUSHIM_MOCK_ACCESS_WRITE,      /**< It writes. */
    CUSHIM_MOCK_ACCESS_READ_WRITE, /**< It does both. */
};

/** What a kernel does. Zero and NULL mean the defaults. */
struct cushim_mock_kernel {
    /** sizeof(struct cushim_mock_kernel). */
    size_t size;
    /** The kernel's name as in the image; copied. */
    const char *name;
    /** How long a launch takes, in nanoseconds of virtual time. */
    uint64_t duration_ns;
    /**
     * Executed when the kernel executes, on whatever thread executes it; every call of the driver
     * from it answers CUDA_ERROR_NOT_PERMITTED. It may call cushim_mock_memory(), on this thread
     * only, and nothing else of the mock. NULL: nothing happens but time.
     */
    void (*run)(const struct cushim_mock_launch *launch, void *data);
    void *data; /**< Passed on to `run`. */
    /** What the kernel ends with, sticky for the process; CUDA_SUCCESS: it succeeds. */
    CUresult fault;
    /**
     * Sizes of the parameters in bytes; borrowed for the call. NULL: what the image declares (PTX
     * text), else none.
     */
    const size_t *parameter_sizes;
    /** How many entries this array, `accesses` and `access_bytes` have, those that are not NULL. */
    size_t parameter_count;
    /**
     * What the kernel does with the memory that each parameter points into, for the search for
     * missing waits (cushim/mock_race.h); borrowed for the call. NULL: unknown of all. What `run`
     * does in fact has no influence.
     */
    const enum cushim_mock_access *accesses;
    /**
     * How many bytes from where each parameter points are accessed, 0: all up to the end of the
     * allocation; borrowed for the call. NULL: 0 of all.
     */
    const size_t *access_bytes;
};

/**
 * Say what a kernel does, in place of what was said before of this name.
 *
 * @return CUDA_SUCCESS              Launches from now on do this.
 * @return CUDA_ERROR_INVALID_VALUE  `mock` or `kernel` is NULL, the size is bad, or it has no name.
 * @return CUDA_ERROR_OUT_OF_MEMORY  Memory ran out.
 *
 * Thread safety: any thread.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_mock_kernel_register(struct cushim_mock *mock,
                                                const struct cushim_mock_kernel *kernel);

/**
 * The host's view of device memory of the mock: for functions that stand for kernels, and for
 * tests that look into memory. Device addresses themselves cannot be read by the host, as on a GPU.
 *
 * @param mock     The mock.
 * @param address  A device or page-locked host address, anywhere in an allocation.
 * @param bytes    How many bytes from there are to be accessed.
 * @return         Where they are; NULL if they are not all within one allocation.
 *
 * Thread safety: any thread; may be called by `run`.
 * Since: 0.1.
 */
CUSHIM_API void *cushim_mock_memory(struct cushim_mock *mock, CUdeviceptr address, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
