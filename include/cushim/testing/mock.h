/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The mock driver: a simulated CUDA driver with the semantics of the real one, for machines without
 * a GPU.
 *
 * Link with `libcushim-mock` (pkg-config `cushim-mock`, Meson dependency `cushim-mock`). Create a
 * mock, then let the program reach it in one of two ways: cushim_mock_install() makes its table the
 * one that cushim_driver() returns; cushim_mock_symbol() as the resolver of cushim_driver_load()
 * exercises loading, versions and missing symbols too. Programs that cannot be relinked run on the
 * shared library of the mock: `cushim run -- PROGRAM`.
 *
 * A function that the mock does not implement returns CUDA_ERROR_NOT_SUPPORTED and is logged by
 * name; see docs/mock.md. A call with a handle that was destroyed or never existed returns
 * CUDA_ERROR_INVALID_HANDLE and is a misuse, which cushim_mock_destroy() reports.
 *
 * One mock exists at a time in a process: the functions of a driver have no parameter that could
 * distinguish two.
 */
#ifndef CUSHIM_TESTING_MOCK_H
#define CUSHIM_TESTING_MOCK_H

#include <stddef.h>
#include <stdint.h>

#include <cushim/api.h>
#include <cushim/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A mock driver. */
struct cushim_mock;

/** How to create a mock. All-zero but for `size` means the defaults. */
struct cushim_mock_options {
    /** sizeof(struct cushim_mock_options). */
    size_t size;
    /**
     * Settings, a line each, such as `devices = 2`, `driver_version = 12.4` or `mode = manual`; all
     * of them are in docs/mock.md. Borrowed for the call. NULL: none.
     */
    const char *settings;
    /** File of settings, read before `settings`; borrowed for the call. NULL: none. */
    const char *file;
    /** Receives why the settings were refused, with file, line and column. NULL: nowhere. */
    char *message;
    /** Size of `message` in bytes. */
    size_t message_size;
};

/** A cushim_mock_options with the defaults. */
#define CUSHIM_MOCK_OPTIONS_INIT                                \
    {                                                           \
        sizeof(struct cushim_mock_options), NULL, NULL, NULL, 0 \
    }

/** What a mock has come to. */
struct cushim_mock_state {
    /** sizeof(struct cushim_mock_state), set by the caller. */
    size_t size;
    /** The virtual clock, in nanoseconds since the mock was created. */
    uint64_t now_ns;
    /** Operations that are queued or under way. */
    size_t pending;
    /** Operations executed so far. */
    uint64_t executed;
    /** Calls into the mock so far. */
    uint64_t calls;
    /** Misuses so far: uses of handles that were destroyed or never existed, and the like. */
    size_t misuses;
    /** Contexts, streams, events, modules and graphs that the program created and not destroyed. */
    size_t handles;
    /** Device and page-locked host allocations that are not freed. */
    size_t allocations;
    /** Device memory in use, in bytes. */
    size_t memory_bytes;
    /** Missing waits found so far: cushim_mock_race(). */
    size_t races;
};

/** A cushim_mock_state to be filled. */
#define CUSHIM_MOCK_STATE_INIT                                      \
    {                                                               \
        sizeof(struct cushim_mock_state), 0, 0, 0, 0, 0, 0, 0, 0, 0 \
    }

/**
 * Create a mock driver.
 *
 * @param options  Borrowed for the call; NULL: the defaults.
 * @param mock     Receives the mock, owned by the caller; untouched on failure.
 *
 * @return CUDA_SUCCESS                 The mock exists; no program reaches it yet.
 * @return CUDA_ERROR_INVALID_VALUE     `mock` is NULL, `options` has a bad size, or a setting is
 *                                      refused: `options->message` says which and why.
 * @return CUDA_ERROR_FILE_NOT_FOUND    `options->file` cannot be read.
 * @return CUDA_ERROR_OUT_OF_MEMORY     Memory ran out.
 * @return CUDA_ERROR_ALREADY_ACQUIRED  There is a mock in this process.
 *
 * Thread safety: any thread.
 * Context: needs none.
 * Driver calls: none.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_mock_create(const struct cushim_mock_options *options,
                                       struct cushim_mock **mock);

/**
 * Destroy a mock, with whatever the program left in it. Queued work is dropped; host functions that
 * are running are waited for. If the mock's table is installed, the table before it is put back.
 *
 * @param mock  NULL is a no-op. No call into it may be under way.
 *
 * @return CUDA_SUCCESS              The mock is gone.
 * @return CUDA_ERROR_ILLEGAL_STATE  The mock is gone, and it had seen misuses: assert on this in
 *                                   the teardown of a test, and read them before with
 *                                   cushim_mock_misuse(). What was not released is no misuse:
 *                                   cushim_mock_state_get() counts it, and cushim_test_end()
 *                                   (test.h) says where it was created.
 *
 * Thread safety: one thread, once.
 * Driver calls: none.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_mock_destroy(struct cushim_mock *mock);

/**
 * The mock of this process; NULL: there is none. For programs that run on the shared library of the
 * mock, which have no other way to get it. Any thread.
 */
CUSHIM_API struct cushim_mock *cushim_mock_current(void);

/**
 * The mock's table: every slot is filled. A function that a driver of the mock's version lacks
 * returns CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER. The table stays callable when the mock is
 * destroyed: each slot then returns CUDA_ERROR_DEINITIALIZED, or calls the next mock once there is
 * one, which recognises handles of this one as foreign. Any thread.
 */
CUSHIM_API const struct cushim_table *cushim_mock_table(const struct cushim_mock *mock);

/**
 * Make the mock's table the one that cushim_driver() returns. cushim_mock_destroy() undoes it.
 *
 * @return CUDA_SUCCESS              The table is current.
 * @return CUDA_ERROR_INVALID_VALUE  `mock` is NULL.
 * @return any other code            cushim_table_install()'s, unchanged.
 *
 * Thread safety: any thread.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_mock_install(struct cushim_mock *mock);

/**
 * Find a symbol of the mock by its exported name: a cushim_resolver. What the driver of the
 * mock's version does not export is not found.
 *
 * @param symbol  Exported name, as `cuEventElapsedTime_v2`; borrowed for the call.
 * @param mock    The mock.
 * @return        The function, or NULL.
 *
 * Thread safety: any thread.
 * Since: 0.1.
 */
CUSHIM_API cushim_function cushim_mock_symbol(const char *symbol, void *mock);

/**
 * Read the state of a mock. Bytes of `state` beyond what this library knows are left alone.
 *
 * @return CUDA_SUCCESS              `state` is filled.
 * @return CUDA_ERROR_INVALID_VALUE  An argument is NULL or `state->size` is too small.
 *
 * Thread safety: any thread.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_mock_state_get(struct cushim_mock *mock,
                                          struct cushim_mock_state *state);

/**
 * The text of a misuse, in the order in which they were seen; NULL if there are fewer. Valid
 * until the mock is destroyed. The first 64 are kept, all are counted. Any thread.
 */
CUSHIM_API const char *cushim_mock_misuse(struct cushim_mock *mock, size_t index);

/**
 * Set where the mock's log goes. It gets a line at the first call of each function that the mock
 * refuses, at the first call of each function of a superseded ABI (table.h), for each misuse and
 * each race, and if the program uses the CUDA runtime. On Linux it also gets one when the system
 * refuses to seal what cuIpcGetMemHandle or cuIpcGetEventHandle is to share.
 *
 * @param mock  The mock.
 * @param log   Receives a line without a newline, valid for the call; it must not call into the
 *              mock. NULL: nowhere (the default).
 * @param data  Passed on to `log`.
 *
 * Thread safety: any thread; `log` is called by one thread at a time.
 * Since: 0.1.
 */
CUSHIM_API void cushim_mock_log_set(struct cushim_mock *mock,
                                    void (*log)(void *data, const char *line), void *data);

/**
 * One line that says that this is a mock, its version and its configuration. A driver that exports
 * this symbol is a mock; the real one does not. Valid until the same thread calls it again. Any
 * thread.
 */
CUSHIM_API const char *cushim_mock_identity(void);

/*
 * --- the clock ---
 *
 * The mock's clock, and the trace of what it executed.
 *
 * Time is virtual and counts in integer nanoseconds. The setting `mode` says what moves it:
 *
 * - `auto`, the default: each call moves it by what the call costs, and one that blocks moves it to
 *   the end of what it waits for.
 * - `manual`: only the functions below move it. A call that would have to wait returns
 *   CUDA_ERROR_TIMEOUT and is a misuse.
 * - `threaded`: an executor thread moves it, as soon as there is work.
 *
 * The host's clock never moves it. A wait whose time is the host's, such as
 * cushim_event_synchronize_for() or a loop that sleeps between queries, may give up in the mode
 * `auto` although little virtual time has passed: let time pass with cushim_mock_advance(), or use
 * `threaded`.
 */

/**
 * Let virtual time pass, and execute what ends in that time. Host functions that begin in it are
 * waited for, so a host function must not wait for the calling thread.
 *
 * @param mock         The mock.
 * @param duration_ns  How long, in nanoseconds.
 *
 * @return CUDA_SUCCESS              The clock stands `duration_ns` later.
 * @return CUDA_ERROR_INVALID_VALUE  `mock` is NULL.
 * @return CUDA_ERROR_NOT_PERMITTED  The caller is a host function, or a function that stands for a
 *                                   kernel.
 *
 * Thread safety: any thread.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_mock_advance(struct cushim_mock *mock, uint64_t duration_ns);

/**
 * Execute the next operation, and let the clock go on to its end.
 *
 * @return CUDA_SUCCESS              One operation was executed.
 * @return CUDA_ERROR_NOT_FOUND      Nothing is queued that could be executed.
 * @return CUDA_ERROR_INVALID_VALUE  `mock` is NULL.
 * @return CUDA_ERROR_NOT_PERMITTED  As cushim_mock_advance().
 *
 * Thread safety: any thread.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_mock_step(struct cushim_mock *mock);

/** Step until nothing is left that could be executed. The codes of cushim_mock_advance(). */
CUSHIM_API CUresult cushim_mock_drain(struct cushim_mock *mock);

/** One thing that happened in a mock. */
struct cushim_mock_trace {
    /** sizeof(struct cushim_mock_trace) of the library. */
    size_t size;
    /** The virtual clock when it happened. */
    uint64_t now_ns;
    /** `call` when a call returned, `submit`, `start` and `end` of an operation. */
    const char *what;
    /** The function or the kind of operation: `cuEventRecord`, `record`, `copy`, ... */
    const char *name;
    /** The stream's number in the order of creation from 1; 0: none. */
    uint64_t stream;
    /** The operation's number in the order of submission from 1; 0: none. */
    uint64_t operation;
    /** What the call returned or the operation came to. */
    CUresult code;
};

/**
 * Set the function that is called at every step of the mock. The same program gives the same trace
 * in manual mode.
 *
 * @param mock   The mock.
 * @param trace  Called by one thread at a time; it must not call into the mock. NULL: no trace.
 * @param data   Passed on to `trace`.
 *
 * Thread safety: any thread.
 * Since: 0.1.
 */
CUSHIM_API void
cushim_mock_trace_set(struct cushim_mock *mock,
                      void (*trace)(void *data, const struct cushim_mock_trace *entry), void *data);

/*
 * --- kernels ---
 *
 * What a kernel does on the mock: how long it takes, and what host function stands for it.
 *
 * Modules load any image; a kernel that an image declares can be found by its name. A kernel that
 * is not registered is executed if its image has PTX of it; otherwise its launches are refused and
 * logged. These are always registered:
 *
 *     cushim_nothing()         does nothing and takes no time
 *     cushim_spin(ns)          one parameter of 8 bytes: takes so many nanoseconds
 *     cushim_fault()           writes to an illegal address: CUDA_ERROR_ILLEGAL_ADDRESS, for ever
 *     cushim_trap()            traps: CUDA_ERROR_LAUNCH_FAILED, for ever
 */

/** A launch, as the function that stands for a kernel sees it. */
struct cushim_mock_launch {
    /** sizeof(struct cushim_mock_launch) of the library. */
    size_t size;
    /** The kernel's name. */
    const char *name;
    unsigned grid[3];      /**< In blocks: x, y, z. */
    unsigned block[3];     /**< In threads: x, y, z. */
    unsigned shared_bytes; /**< Dynamic shared memory of a block. */
    /** How many parameters the kernel has. */
    size_t parameter_count;
    /** A copy of each parameter. */
    const void *const *parameters;
    /** The size of each parameter in bytes. */
    const size_t *parameter_sizes;
};

/** What a kernel does with the memory that a parameter of 8 bytes points into. */
enum cushim_mock_access {
    /** Not described: it may read and write, but is not compared with another such kernel. */
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
     * from it returns CUDA_ERROR_NOT_PERMITTED. It may call cushim_mock_memory(), on this thread
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
     * missing waits (cushim_mock_race()); borrowed for the call. NULL: unknown of all. What `run`
     * really does has no influence.
     */
    const enum cushim_mock_access *accesses;
    /**
     * How many bytes from where each parameter points are accessed, 0: all up to the end of the
     * allocation; borrowed for the call. NULL: 0 of all.
     */
    const size_t *access_bytes;
};

/** A cushim_mock_kernel with the defaults. */
#define CUSHIM_MOCK_KERNEL_INIT                                                                   \
    {                                                                                             \
        sizeof(struct cushim_mock_kernel), NULL, 0, NULL, NULL, CUDA_SUCCESS, NULL, 0, NULL, NULL \
    }

/**
 * Say what a kernel does. It replaces what was said of this name before.
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

/**
 * What a file of kernels may call: `cushim run --kernels FILE` loads it into a program that is not
 * changed, and so does CUSHIM_MOCK_KERNELS. It need not link the mock. The file exports one function
 * of this name and type:
 *
 *     CUresult cushim_mock_kernels_register(const struct cushim_mock_functions *mock);
 *
 * Called once, before the program's first call of the driver, which must not be called from it. It
 * registers kernels by `kernel_register`; what it returns besides CUDA_SUCCESS is printed, and the
 * mock then acts as a driver that cannot be used. In C++ it is `extern "C"`.
 */
struct cushim_mock_functions {
    /** sizeof(struct cushim_mock_functions) of the library. */
    size_t size;
    /** The mock. The whole struct is valid until the process ends. */
    struct cushim_mock *mock;
    /** cushim_mock_kernel_register(). */
    CUresult (*kernel_register)(struct cushim_mock *mock, const struct cushim_mock_kernel *kernel);
    /** cushim_mock_memory(). */
    void *(*memory)(struct cushim_mock *mock, CUdeviceptr address, size_t bytes);
};

/*
 * --- missing waits ---
 *
 * Missing waits: pairs of operations on the same memory that nothing orders.
 *
 * With the setting `races = report`, `misuse` or `kernels` the mock looks, at the submission of
 * each copy, set, kernel and cuMemFreeAsync, for an earlier one, or a cuMemAllocAsync, that uses
 * the same bytes, where one of the two writes and neither has to end before the other begins.
 * Streams, events, the legacy default stream, edges of graphs and what the host has waited for
 * order operations; the time at which they happen to be executed does not. So a missing wait is
 * found in every schedule. With `races = kernels` it looks at the threads of each executed kernel
 * too. docs/mock.md says what is looked at, and what is taken to be ordered.
 */

/**
 * The text of a race, in the order in which they were found: it names both operations, or both
 * threads of a kernel with the lines of its PTX, the bytes, and what would order them. NULL if
 * there are fewer. Valid until the mock is destroyed.
 *
 * A race is reported once for each allocation and pair of places, where a place is a stream, a
 * function of the driver and, of a launch, a kernel; after 1024 of these, races are only counted.
 * The first 64 texts are kept; `races` of struct cushim_mock_state counts all.
 *
 * Thread safety: any thread.
 * Since: 0.1.
 */
CUSHIM_API const char *cushim_mock_race(struct cushim_mock *mock, size_t index);

#ifdef __cplusplus
}
#endif

#endif
