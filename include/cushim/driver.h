/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The driver of this process: call it, load it, initialise it.
 *
 * You need not load the driver first. You may call `cushim_driver()->EventQuery(event)` at any
 * time: the first call finds and opens the driver, every later call is a load and an indirect call,
 * and on a machine without a driver each call returns the reason. No call crashes because there is
 * no driver.
 *
 * cushim opens the driver at run time, does not link it, never closes it, and prints nothing.
 *
 * Unless a function says otherwise, any thread may call it; it needs no context and leaves the
 * current one alone; it calls no function of the driver. Since: 0.1.
 */
#ifndef CUSHIM_DRIVER_H
#define CUSHIM_DRIVER_H

#include <stdbool.h>

#include <cushim/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Keep a variable that nothing reads, even if the linker removes unused sections. Compilers other
 * than gcc and clang, such as Microsoft's, get a pragma for each file that includes this one.
 */
#if defined(__GNUC__) && defined(__ELF__) && defined(__has_attribute)
#if __has_attribute(retain)
#define CUSHIM__KEPT __attribute__((used, retain))
#endif
#endif
#if defined(__GNUC__) && !defined(CUSHIM__KEPT)
#define CUSHIM__KEPT __attribute__((used))
#elif defined(_MSC_VER)
#pragma comment(linker, "/include:" CUSHIM__SLOTS_ANCHOR_NAME)
#endif

/** The current table. Read it with cushim_driver(), change it with cushim_table_install(). */
CUSHIM_VARIABLE extern const struct cushim_table *cushim_current_table;

/**
 * Get the current table: `cushim_driver()->MemAlloc_v2(&address, bytes)`.
 *
 * Compiles to one load. Do not keep the result across a load, an installation or a fork(); call
 * this function again instead.
 *
 * Without a driver, GetErrorName and GetErrorString return the registry's texts, and every other
 * slot returns the reason:
 *
 * - 303 SHARED_OBJECT_INIT_FAILED: no driver library could be opened, or it is disabled;
 * - 302 SHARED_OBJECT_SYMBOL_NOT_FOUND: the opened library is not a CUDA driver;
 * - 34 STUB_LIBRARY: the library is the toolkit's link-time stub;
 * - 36 CALL_REQUIRES_NEWER_DRIVER: the driver is older than the required minimum, or lacks this one
 *   symbol;
 * - 3 NOT_INITIALIZED: in the child of a process that had initialised the driver or was loading it,
 *   and in a call from inside the first load;
 * - any other code: cuDriverGetVersion failed with it; 999 UNKNOWN if it returned a version that is
 *   not positive.
 *
 * With a driver, GetErrorName and GetErrorString return the driver's answers, or the registry's if
 * the driver does not know a code that cushim returns itself: one of the list above, or
 * CUDA_ERROR_TIMEOUT. This also applies to an installed table with fewer slots than this library's.
 * It does not apply to an installed table with all slots, to a table of the caller that cushim has
 * filled, or to pointers from cuGetProcAddress.
 *
 * @return The current table; never NULL, and none of its slots is NULL.
 *
 * Driver calls: none; the first call through the table loads the driver and does not call cuInit.
 */
static inline const struct cushim_table *cushim_driver(void)
{
#if defined(__GNUC__)
    /*
     * With this reference, the program needs a library that has all slots of this header. No
     * instruction reads it.
     */
    static void (*slots)(void) CUSHIM__KEPT = CUSHIM__SLOTS_ANCHOR;

    return __atomic_load_n(&cushim_current_table, __ATOMIC_ACQUIRE);
#else
    return *(const struct cushim_table *const volatile *)&cushim_current_table;
#endif
}
#undef CUSHIM__KEPT

/**
 * How to load. NULL, or zero in all members but `size`, means: search as usual, accept any version.
 */
struct cushim_load_options {
    size_t size; /**< `sizeof(struct cushim_load_options)`. */
    /**
     * Absolute path of the driver library. cushim then tries nothing else, neither CUSHIM_LIBRARY
     * nor the usual places. NULL: search. Borrowed for the call.
     */
    const char *library;
    /** Finds the driver's symbols in place of a library. NULL: use a library. */
    cushim_resolver resolver;
    void *resolver_data; /**< Passed to `resolver`. */
    /**
     * Oldest CUDA version to accept, as cuDriverGetVersion counts (12020 is 12.2), of the driver or
     * of an installed table. 0: any.
     */
    int minimum_version;
    /**
     * Only for cushim_driver_init(): call cuInit again even if it has found no device in this
     * process.
     */
    bool retry_init;
    unsigned char padding[3]; /**< Fills the struct; zero. */
};

/** A cushim_load_options with the defaults. */
#define CUSHIM_LOAD_OPTIONS_INIT                                        \
    {                                                                   \
        sizeof(struct cushim_load_options), NULL, NULL, NULL, 0, false, \
        {                                                               \
            0                                                           \
        }                                                               \
    }

/**
 * Load the driver now instead of at the first call, and find out whether there is one.
 *
 * Tries, in this order: `options->resolver`, `options->library`, the path in the environment
 * variable CUSHIM_LIBRARY (with the word `none`, as on a machine without a driver; the variable is
 * ignored in a set-user-ID program), `libcuda.so.1` as dlopen() finds it, and a few well-known
 * places. On Windows, it tries an nvcuda.dll that the process has already loaded, then the one in
 * the system folder, and ignores the variable in an elevated process. If an option or the
 * environment names a driver, it tries no other. A candidate is accepted if it has cuInit and
 * cuDriverGetVersion, and the latter succeeds with a version of at least `minimum_version`.
 *
 * If the program has installed its own table and the options name neither `library` nor `resolver`,
 * nothing is loaded, and `minimum_version` applies to the installed table: its cuDriverGetVersion
 * is called, unless the minimum is 0. The report does not describe that table.
 *
 * The library runs in this process, so a damaged one can crash the process, as it would crash any
 * program that is linked to it. cushim first checks a file that is given by path, and refuses it if
 * it is truncated.
 *
 * Loading is not initialising: it does not touch the GPU and does not affect children that are
 * forked later. A successful load is permanent. Only an explicit call of this function or of
 * cushim_driver_init() retries a failed load. After a failure, cushim_report_write_text()
 * (report.h) says what was tried.
 *
 * @param options  How to load; borrowed for the call. NULL: the defaults.
 *
 * @return CUDA_SUCCESS                               The driver is loaded, now or before; or
 *                                                    nothing is loaded, since the program has
 *                                                    installed its own table.
 * @return CUDA_ERROR_INVALID_VALUE                   `options->size` is not a size of these options
 *                                                    in any version, an unknown trailing byte is
 *                                                    not zero, or both `library` and `resolver` are
 *                                                    given.
 * @return CUDA_ERROR_SHARED_OBJECT_INIT_FAILED       No driver library could be opened, the path is
 *                                                    not absolute, or CUSHIM_LIBRARY is `none`.
 * @return CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND  The opened library is not a CUDA driver.
 * @return CUDA_ERROR_STUB_LIBRARY                    It is the toolkit's link-time stub.
 * @return CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER      The driver or the installed table is older
 *                                                    than `minimum_version`, or that table is so
 *                                                    short that it lacks cuDriverGetVersion.
 * @return CUDA_ERROR_NOT_PERMITTED                   A driver other than the requested one is
 *                                                    already loaded; it stays loaded.
 * @return CUDA_ERROR_NOT_INITIALIZED                 Called from inside the load itself (a library
 *                                                    constructor, a signal handler), or in the
 *                                                    child of a process that had initialised or
 *                                                    was loading when it forked.
 * @return CUDA_ERROR_OUT_OF_MEMORY                   There is not enough memory to try; the next
 *                                                    call tries again.
 * @return any other code                             cuDriverGetVersion's, unchanged;
 *                                                    CUDA_ERROR_UNKNOWN if it succeeds with a
 *                                                    version that is not positive.
 *
 * Thread safety: any thread; concurrent calls may each open the driver, and all use the table of
 *                the first that succeeds.
 * Driver calls: cuDriverGetVersion, cuGetProcAddress_v2.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_driver_load(const struct cushim_load_options *options);

/**
 * Load the driver and initialise it: cushim_driver_load(), then cuInit(0) on the current table.
 *
 * Takes about 100 ms on a machine with a GPU. After that, the process must not use CUDA in children
 * that it forks; there cushim returns CUDA_ERROR_NOT_INITIALIZED.
 *
 * Once cuInit has returned CUDA_ERROR_NO_DEVICE on cushim's own table, this function returns the
 * same code for the rest of the process without another cuInit, because drivers 550 and 555 leak
 * four file descriptors at each such cuInit. With `options->retry_init`, for example after a change
 * of CUDA_VISIBLE_DEVICES, it calls cuInit again; `cushim_driver()->Init(0)` always does.
 *
 * @param options  As for cushim_driver_load().
 *
 * @return What cushim_driver_load() returned, if that is not CUDA_SUCCESS; otherwise the driver's
 *         result of cuInit(0), unchanged: CUDA_ERROR_NO_DEVICE, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH,
 *         ...
 *
 * Driver calls: those of cushim_driver_load(), cuInit.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_driver_init(const struct cushim_load_options *options);

/**
 * Return whether a function of the driver can be used: the current table has it, and the driver is
 * new enough.
 *
 *     if (cushim_driver_has("cuStreamGetDevice", 12080))
 *         code = cushim_driver()->StreamGetDevice(stream, &device);
 *
 * It loads the driver if that has not been tried, and does not initialise it. A function that the
 * driver lacks is there if a function of the same meaning replaces it (cushim_symbol::fallback). A
 * table that the program has installed has what its version should have.
 *
 * @param symbol   Exported name of the function's ABI, with its `cu`: `cuMemAlloc_v2`. NULL and
 *                 other names: false, and for these a message in the log (log.h), lest a misspelt
 *                 name look like a missing function.
 * @param version  Oldest version of cuDriverGetVersion that has the feature, such as 12080 for
 *                 12.8; a flag or an attribute may be newer than its function. 0: any.
 *
 * @return Whether it can be used; false without a driver.
 *
 * Driver calls: cuDriverGetVersion.
 */
CUSHIM_API bool cushim_driver_has(const char *symbol, int version);

#ifdef __cplusplus
}
#endif

#endif
