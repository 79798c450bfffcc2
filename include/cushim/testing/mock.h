/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The mock driver: a simulated CUDA driver with the semantics of the real one, for machines without
 * a GPU.
 *
 * Link with `libcushim-mock` (pkg-config `cushim-mock`, Meson dependency `cushim-mock`). Create a
 * mock, and then use one of two functions: cushim_mock_install() makes the mock's table the one
 * that cushim_driver() returns; cushim_mock_symbol() as the resolver of cushim_driver_load() also
 * exercises loading, versions and missing symbols. Programs that cannot be relinked run on the
 * shared library of the mock: `cushim run -- PROGRAM`.
 *
 * A function that the mock does not implement returns CUDA_ERROR_NOT_SUPPORTED, and the log names
 * it; see docs/mock.md. A call with a handle that was destroyed or never existed returns
 * CUDA_ERROR_INVALID_HANDLE and is a misuse, which cushim_mock_destroy() reports.
 *
 * A process has at most one mock at a time, because the functions of a driver have no parameter
 * that could distinguish two.
 *
 * Unless a function says otherwise, any thread may call it, and it calls no function of the driver.
 * Since: 0.1.
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

/** How to create a mock. Zero in all members but `size` means the defaults. */
struct cushim_mock_options {
    size_t size; /**< sizeof(struct cushim_mock_options). */
    /**
     * Settings, one on each line, such as `devices = 2`, `driver_version = 12.4` or `mode =
     * manual`; docs/mock.md lists all. Borrowed for the call. NULL: none.
     */
    const char *settings;
    /** File of settings, read before `settings`; borrowed for the call. NULL: none. */
    const char *file;
    /** Receives the reason why settings are refused, with file, line and column. NULL: nowhere. */
    char *message;
    size_t message_size; /**< Size of `message` in bytes. */
};

/** A cushim_mock_options with the defaults. */
#define CUSHIM_MOCK_OPTIONS_INIT                                \
    {                                                           \
        sizeof(struct cushim_mock_options), NULL, NULL, NULL, 0 \
    }

/** The state of a mock. */
struct cushim_mock_state {
    size_t size;       /**< sizeof(struct cushim_mock_state), set by the caller. */
    uint64_t now_ns;   /**< The virtual clock, in nanoseconds since the mock was created. */
    size_t pending;    /**< Operations that are queued or in progress. */
    uint64_t executed; /**< Operations executed so far. */
    uint64_t calls;    /**< Calls into the mock so far. */
    /** Misuses so far, such as uses of handles that were destroyed or never existed. */
    size_t misuses;
    /** Contexts, streams, events, modules and graphs that the program created and not destroyed. */
    size_t handles;
    size_t allocations;  /**< Device and page-locked host allocations that are not freed. */
    size_t memory_bytes; /**< Device memory in use, in bytes. */
    size_t races;        /**< Missing waits found so far: cushim_mock_race(). */
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
 * @return CUDA_SUCCESS                 The mock exists; no call goes to it yet.
 * @return CUDA_ERROR_INVALID_VALUE     `mock` is NULL, `options` has a bad size, or a setting is
 *                                      refused: `options->message` says which and why.
 * @return CUDA_ERROR_FILE_NOT_FOUND    `options->file` cannot be read.
 * @return CUDA_ERROR_OUT_OF_MEMORY     Memory ran out.
 * @return CUDA_ERROR_ALREADY_ACQUIRED  There is a mock in this process.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_mock_create(const struct cushim_mock_options *options,
                                                       struct cushim_mock **mock);

/**
 * Destroy a mock, with everything that the program left in it. Drops queued work, and waits for
 * host functions that are running. If the mock's table is installed, this restores the former
 * table.
 *
 * @param mock  NULL is a no-op. No call of the mock may be in progress.
 *
 * @return CUDA_SUCCESS              The mock is destroyed.
 * @return CUDA_ERROR_ILLEGAL_STATE  The mock is destroyed, and it had seen misuses: assert on this
 *                                   in the teardown of a test, and read them before with
 *                                   cushim_mock_misuse(). A leak is not a misuse:
 *                                   cushim_mock_get_state() counts leaked objects, and
 *                                   cushim_test_end() (test.h) says where they were created.
 *
 * Thread safety: one thread, once.
 */
CUSHIM_API CUresult cushim_mock_destroy(struct cushim_mock *mock);

/**
 * Get the mock of this process; NULL: there is none. Programs that run on the shared library of the
 * mock have no other way to get it.
 */
CUSHIM_API struct cushim_mock *cushim_mock_current(void);

/**
 * Get the mock's table. Every slot is filled; a function that a driver of the mock's version lacks
 * returns CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER. The table remains callable after the mock is
 * destroyed: each slot then returns CUDA_ERROR_DEINITIALIZED, or calls the next mock once there is
 * one, which recognises handles of this mock as foreign.
 */
CUSHIM_API const struct cushim_table *cushim_mock_table(const struct cushim_mock *mock);

/**
 * Make the mock's table the one that cushim_driver() returns. cushim_mock_destroy() undoes it.
 *
 * @return CUDA_SUCCESS              The table is current.
 * @return CUDA_ERROR_INVALID_VALUE  `mock` is NULL.
 * @return any other code            cushim_table_install()'s, unchanged.
 */
CUSHIM_API CUresult cushim_mock_install(struct cushim_mock *mock);

/**
 * Find a symbol of the mock by its exported name: a cushim_resolver. It does not find symbols that
 * a driver of the mock's version does not export.
 *
 * @param symbol  Exported name, such as `cuEventElapsedTime_v2`; borrowed for the call.
 * @param mock    The mock.
 * @return        The function, or NULL.
 */
CUSHIM_API cushim_function cushim_mock_symbol(const char *symbol, void *mock);

/**
 * Read the state of a mock. Bytes of `state` that this library does not know are not changed.
 *
 * @return CUDA_SUCCESS              `state` is filled.
 * @return CUDA_ERROR_INVALID_VALUE  An argument is NULL or `state->size` is too small.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_mock_get_state(struct cushim_mock *mock,
                                                          struct cushim_mock_state *state);

/**
 * Get the text of a misuse, in the order in which the mock saw them; NULL if there are fewer. It is
 * one line in the words of `cushim check`. Valid until the mock is destroyed. The mock keeps the
 * first 64 texts, and counts all misuses. Any thread.
 */
CUSHIM_API const char *cushim_mock_misuse(struct cushim_mock *mock, size_t index);

/**
 * Set the function that receives the mock's log. The log gets a line at the first call of each
 * function that the mock refuses, at the first call of each function of a superseded ABI (table.h),
 * for each misuse and each race, and if the program uses the CUDA runtime. On Linux, it also gets a
 * line if the system refuses to seal the file that cuIpcGetMemHandle or cuIpcGetEventHandle shares.
 *
 * @param mock  The mock.
 * @param log   Receives a line without a newline, valid for the call; it must not call into the
 *              mock. NULL: nowhere (the default).
 * @param data  Passed on to `log`.
 *
 * Thread safety: any thread; one thread at a time calls `log`.
 */
CUSHIM_API void cushim_mock_set_log(struct cushim_mock *mock,
                                    void (*log)(void *data, const char *line), void *data);

/**
 * Get one line that identifies the mock, with its version and configuration. A driver that exports
 * this symbol is a mock; the real driver does not export it. Valid until the same thread calls it
 * again.
 */
CUSHIM_API const char *cushim_mock_identity(void);

/*
 * --- the clock ---
 *
 * The mock's clock, and a trace of the work that it executes.
 *
 * Time is virtual, in whole nanoseconds. The setting `mode` says what moves the clock:
 *
 * - `auto`, the default: each call moves it by the cost of the call, and a call that blocks moves
 *   it to the end of the work that it waits for.
 * - `manual`: only the functions below move it. A call that would have to wait returns
 *   CUDA_ERROR_TIMEOUT and is a misuse.
 * - `threaded`: an executor thread moves it, as soon as there is work.
 *
 * The host's clock never moves it. A wait that uses the host's clock, such as
 * cushim_event_synchronize_for() or a loop that sleeps between queries, may time out in the mode
 * `auto` although little virtual time has passed: let time pass with cushim_mock_advance(), or use
 * `threaded`.
 */

/**
 * Let virtual time pass, and execute the work that ends in that time. The call waits for host
 * functions that begin in that time, so a host function must not wait for the calling thread.
 *
 * @param mock         The mock.
 * @param duration_ns  How long, in nanoseconds.
 *
 * @return CUDA_SUCCESS              The clock has moved by `duration_ns`.
 * @return CUDA_ERROR_INVALID_VALUE  `mock` is NULL.
 * @return CUDA_ERROR_NOT_PERMITTED  The caller is a host function, or a function that is registered
 *                                   for a kernel.
 */
CUSHIM_API CUresult cushim_mock_advance(struct cushim_mock *mock, uint64_t duration_ns);

/**
 * Execute the next operation, and move the clock to its end.
 *
 * @return CUDA_SUCCESS              One operation was executed.
 * @return CUDA_ERROR_NOT_FOUND      No queued operation can be executed.
 * @return CUDA_ERROR_INVALID_VALUE  `mock` is NULL.
 * @return CUDA_ERROR_NOT_PERMITTED  As cushim_mock_advance().
 */
CUSHIM_API CUresult cushim_mock_step(struct cushim_mock *mock);

/** Step until no operation can be executed. Returns the codes of cushim_mock_advance(). */
CUSHIM_API CUresult cushim_mock_drain(struct cushim_mock *mock);

/** An entry of the trace of a mock. */
struct cushim_mock_trace {
    size_t size;     /**< sizeof(struct cushim_mock_trace) of the library. */
    uint64_t now_ns; /**< The virtual clock when it happened. */
    /** `call`: a call returned; `submit`, `start` or `end` of an operation. */
    const char *what;
    /** The function or the kind of operation: `cuEventRecord`, `record`, `copy`, ... */
    const char *name;
    uint64_t stream; /**< The stream's number in the order of creation from 1; 0: none. */
    /** The operation's number in the order of submission from 1; 0: none. */
    uint64_t operation;
    CUresult code; /**< The result of the call or of the operation. */
};

/**
 * Set the function that receives the trace of the mock. In manual mode, the same program gives the
 * same trace.
 *
 * @param mock   The mock.
 * @param trace  One thread at a time calls it; it must not call the mock. NULL: no trace.
 * @param data   Passed on to `trace`.
 */
CUSHIM_API void
cushim_mock_set_trace(struct cushim_mock *mock,
                      void (*trace)(void *data, const struct cushim_mock_trace *entry), void *data);

/*
 * --- kernels ---
 *
 * A program can describe a kernel to the mock: how long it takes, and which host function replaces
 * it.
 *
 * The mock loads any image as a module, and finds the kernels that it declares by name. It executes
 * a kernel that is not registered if the image has PTX of it; otherwise it refuses and logs its
 * launches. These kernels are always registered:
 *
 *     cushim_nothing()         does nothing and takes no time
 *     cushim_spin(ns)          one parameter of 8 bytes: takes that many nanoseconds
 *     cushim_fault()           writes to an illegal address: CUDA_ERROR_ILLEGAL_ADDRESS, sticky
 *     cushim_trap()            traps: CUDA_ERROR_LAUNCH_FAILED, sticky
 */

/** A launch, as the function that is registered for a kernel gets it. */
struct cushim_mock_launch {
    size_t size;                   /**< sizeof(struct cushim_mock_launch) of the library. */
    const char *name;              /**< The kernel's name. */
    unsigned grid[3];              /**< In blocks: x, y, z. */
    unsigned block[3];             /**< In threads: x, y, z. */
    unsigned shared_bytes;         /**< Dynamic shared memory of a block. */
    size_t parameter_count;        /**< Number of parameters of the kernel. */
    const void *const *parameters; /**< A copy of each parameter. */
    const size_t *parameter_sizes; /**< The size of each parameter in bytes. */
};

/** How a kernel accesses the memory that a parameter of 8 bytes points into. */
enum cushim_mock_access {
    /**
     * Not described: it may read and write, but the mock does not compare it with another such
     * kernel.
     */
    CUSHIM_MOCK_ACCESS_UNKNOWN,
    /** Not at all: the parameter is not a pointer, or the kernel does not use it as one. */
    CUSHIM_MOCK_ACCESS_NONE,
    CUSHIM_MOCK_ACCESS_READ,       /**< It reads. */
    CUSHIM_MOCK_ACCESS_WRITE,      /**< It writes. */
    CUSHIM_MOCK_ACCESS_READ_WRITE, /**< It does both. */
};

/** A description of a kernel. Zero and NULL mean the defaults. */
struct cushim_mock_kernel {
    size_t size;          /**< sizeof(struct cushim_mock_kernel). */
    const char *name;     /**< The kernel's name as in the image; copied. */
    uint64_t duration_ns; /**< How long a launch takes, in nanoseconds of virtual time. */
    /**
     * Called when the kernel executes, on the thread that executes it; every call of the driver
     * from it returns CUDA_ERROR_NOT_PERMITTED. It may call cushim_mock_memory(), on this thread
     * only, and no other function of the mock. NULL: the kernel only takes time.
     */
    void (*run)(const struct cushim_mock_launch *launch, void *data);
    void *data; /**< Passed on to `run`. */
    /** The sticky error with which the kernel ends; CUDA_SUCCESS: it succeeds. */
    CUresult fault;
    unsigned padding; /**< Zero. */
    /**
     * Sizes of the parameters in bytes; borrowed for the call. NULL: those that the image declares
     * (PTX text), or none.
     */
    const size_t *parameter_sizes;
    /**
     * Number of entries of each of the arrays `parameter_sizes`, `accesses` and `access_bytes` that
     * is not NULL.
     */
    size_t parameter_count;
    /**
     * How the kernel accesses the memory that each parameter points into, for the search for
     * missing waits (cushim_mock_race()); borrowed for the call. NULL: unknown for all. The actual
     * accesses of `run` have no influence.
     */
    const enum cushim_mock_access *accesses;
    /**
     * Number of bytes that the kernel accesses from where each parameter points; 0: all up to the
     * end of the allocation. Borrowed for the call. NULL: 0 for all.
     */
    const size_t *access_bytes;
};

/** A cushim_mock_kernel with the defaults. */
#define CUSHIM_MOCK_KERNEL_INIT                                                                 \
    {                                                                                           \
        sizeof(struct cushim_mock_kernel), NULL, 0, NULL, NULL, CUDA_SUCCESS, 0, NULL, 0, NULL, \
            NULL                                                                                \
    }

/**
 * Register a description of a kernel. It replaces an earlier one of the same name.
 *
 * @return CUDA_SUCCESS              The description applies to launches from now on.
 * @return CUDA_ERROR_INVALID_VALUE  `mock` or `kernel` is NULL, the size is bad, or it has no name.
 * @return CUDA_ERROR_OUT_OF_MEMORY  Memory ran out.
 */
CUSHIM_API CUSHIM__CHECKED CUresult
cushim_mock_register_kernel(struct cushim_mock *mock, const struct cushim_mock_kernel *kernel);

/**
 * Get the host's address of device memory of the mock, for functions that are registered for
 * kernels, and for tests that look into memory. The host cannot read device addresses themselves,
 * as on a GPU.
 *
 * @param mock     The mock.
 * @param address  A device or page-locked host address, anywhere in an allocation.
 * @param bytes    Number of bytes to access from there.
 * @return         Their address; NULL if they are not all within one allocation.
 *
 * Thread safety: any thread; may be called by `run`.
 */
CUSHIM_API void *cushim_mock_memory(struct cushim_mock *mock, CUdeviceptr address, size_t bytes);

/**
 * Functions that a library of kernels may call. `cushim run --kernels FILE` loads the library into
 * an unmodified program, and so does CUSHIM_MOCK_KERNELS. The library need not link the mock. It
 * exports one function of this name and type:
 *
 *     CUresult cushim_mock_kernels_register(const struct cushim_mock_functions *mock);
 *
 * The mock calls it once, before the program's first call of the driver. It must not call the
 * driver. It registers kernels with `register_kernel`. If it returns another code than
 * CUDA_SUCCESS, the mock prints the code and then acts as a driver that cannot be used. In C++ it
 * is `extern "C"`.
 */
struct cushim_mock_functions {
    size_t size; /**< sizeof(struct cushim_mock_functions) of the library. */
    /** The mock. The whole struct is valid until the process ends. */
    struct cushim_mock *mock;
    /** cushim_mock_register_kernel(). */
    CUresult (*register_kernel)(struct cushim_mock *mock, const struct cushim_mock_kernel *kernel);
    /** cushim_mock_memory(). */
    void *(*memory)(struct cushim_mock *mock, CUdeviceptr address, size_t bytes);
};

/*
 * --- missing waits ---
 *
 * A missing wait is a pair of operations on the same memory that nothing orders.
 *
 * With the setting `races = report`, `misuse` or `kernels`, the mock looks for missing waits at the
 * submission of each copy, set, kernel and cuMemFreeAsync. It looks for an earlier one, or a
 * cuMemAllocAsync, that uses the same bytes, where one of the two writes and neither has to end
 * before the other begins. Streams, events, the legacy default stream, edges of graphs and waits of
 * the host order operations; the time of their execution does not. So the mock finds a missing wait
 * in every schedule. With `races = kernels`, it also compares the threads of each executed kernel.
 * docs/mock.md says what the mock compares, and what it treats as ordered.
 */

/**
 * Get the text of a race, in the order in which the mock found them. It names both operations, or
 * both threads of a kernel with the lines of its PTX, the bytes, and what would order them. NULL if
 * there are fewer. Valid until the mock is destroyed.
 *
 * The mock reports a race once for each allocation and pair of places, where a place is a stream, a
 * function of the driver and, for a launch, a kernel; after 1024 of these, it only counts races. It
 * keeps the first 64 texts; `races` of struct cushim_mock_state counts all races.
 */
CUSHIM_API const char *cushim_mock_race(struct cushim_mock *mock, size_t index);

#ifdef __cplusplus
}
#endif

#endif
