/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The sweep: run a part of a program repeatedly, with its 1st, 2nd, 3rd, ... driver call failing,
 * until each call has failed, and check after each run whether the program cleaned up.
 *
 *     static int body(void *data)
 *     {
 *         return load_picture(data) != cushim_sweep_injected(NULL);
 *     }
 *     ...
 *     char why[2000];
 *     struct cushim_sweep_options options = CUSHIM_SWEEP_OPTIONS_INIT;
 *
 *     options.message = why;
 *     options.message_size = sizeof why;
 *     if (cushim_sweep_run(&options, body, NULL, NULL) != CUDA_SUCCESS)
 *         fail_msg("%s", why);
 *
 *     call 20 of thread 1 (cuStreamCreate) answered CUDA_ERROR_OUT_OF_MEMORY, once:
 *     CUSHIM-leak-event: warning: event#2 is never destroyed; made by cuEventCreate, call 12 of
 *     thread 1, at program+0x1189; rule: ...; cure: ...; mock: schedule = random, seed = 7; this run
 *     alone: first = last = 17, kinds = CUSHIM_SWEEP_ONCE
 *
 * Calls have the numbers of a recording, which include calls that do not fail; `first` and `last`
 * count only the calls that the sweep makes fail.
 *
 * Each run has its own mock and layer, as a test has (test.h). A failing call does not reach the
 * driver, and returns a code.
 *
 * The sweep neither fails nor counts calls that release something, because few programs check their
 * result: cuMemFree, cuEventDestroy, cuModuleUnload, cuCtxPopCurrent and similar functions, and a
 * cuCtxSetCurrent that restores the former context. With `fail_releases` they fail as well. They
 * still reach the driver, as cuStreamEndCapture always does, and the sweep replaces only their
 * result: otherwise there would be a leak that the program did not cause.
 *
 * The comparison above is right for a program that returns the first error that it gets. If a
 * program continues without the failed call, or returns its own codes, the body has to check what
 * that program promises.
 *
 * A leak is an object that the body has created and not released when it returns. The sweep pins
 * each primary context that the body retains until it has looked for leaks; otherwise leaked
 * objects would be destroyed with their context. So a body that queries the state of primary
 * contexts finds them active.
 *
 * The number of polls of a program depends on time. So consecutive polls (cuEventQuery and
 * cuStreamQuery of the same handle, with only other polls between them) count as two calls, the
 * first and the second. The sweep distinguishes 16 handles; every poll of further handles counts.
 *
 * In the mode `auto`, the default, a call that waits for something that will never happen returns
 * CUDA_ERROR_TIMEOUT and is a misuse; in the mode `threaded` it hangs, and so does the sweep.
 *
 * The sweep counts the calls of all threads in the order in which they occur. If a body has several
 * threads, the Nth call may differ from run to run, and so may the findings.
 *
 * Unless a function says otherwise, any thread may call it, and it calls no function of the driver.
 * Since: 0.1.
 */
#ifndef CUSHIM_TESTING_SWEEP_H
#define CUSHIM_TESTING_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cushim/api.h>
#include <cushim/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How calls fail. */
enum cushim_sweep_kind {
    CUSHIM_SWEEP_ONCE = 1,         /**< The Nth call fails, and later calls do not. */
    CUSHIM_SWEEP_FROM_THEN_ON = 2, /**< All calls from the Nth on fail. */
    CUSHIM_SWEEP_BOTH = 3,         /**< One sweep of each kind. */
};

/**
 * How to sweep. Zero in all members but `size` means the defaults. All pointers are borrowed for
 * the call.
 */
struct cushim_sweep_options {
    size_t size; /**< sizeof(struct cushim_sweep_options). */
    /** Settings of the mock, as for cushim_mock_create(). NULL: none. */
    const char *settings;
    const char *file; /**< File of settings, as for cushim_mock_create(). NULL: none. */
    /**
     * More lines of settings, read after `settings`: the whole sweep runs once with each of these
     * texts, such as `"schedule = lazy"` and `"schedule = random\nseed = 7"`. The array ends with
     * NULL. NULL: the sweep runs once, without any.
     */
    const char *const *variants;
    /**
     * A table to sweep instead of a mock's, with every slot filled: for a real GPU, that of
     * cushim_driver() after cushim_driver_load(). Its state persists from one run to the next, and
     * the sweep does not report pending work and missing waits.
     */
    const struct cushim_table *table;
    /**
     * The functions to fail: a plain name, which means every ABI of the function, a name with a
     * suffix, which means that symbol alone, or a pattern in which `*` means any letters: `cuMem*`.
     * NULL: all. Functions that only read what the library contains (cuGetErrorName,
     * cuGetErrorString, cuGetProcAddress, cuDriverGetVersion) fail only if they are named without a
     * star. Without `fail_releases`, the same is true of functions that release something.
     */
    const char *functions;
    /**
     * The codes that failing calls return; the whole sweep runs once with each code. NULL:
     * CUDA_ERROR_OUT_OF_MEMORY from functions that create, allocate, load or register something,
     * CUDA_ERROR_UNKNOWN from others.
     */
    const CUresult *codes;
    size_t code_count;            /**< Number of `codes`; 0 if that is NULL. */
    enum cushim_sweep_kind kinds; /**< 0: CUSHIM_SWEEP_BOTH. */
    /** The body may leave another context current than the one it found. */
    bool leaves_context;
    /** Calls that release something fail too: the program passes on their result. */
    bool fail_releases;
    /**
     * An error that a call of the body returns, and that the sweep did not inject, is a failure.
     * This finds memory that is freed twice, for example, which only returns
     * CUDA_ERROR_INVALID_VALUE. Errors that a scope in the body expects
     * (cushim_layer_expect_errors_begin()) and CUDA_ERROR_NOT_READY are not failures.
     */
    bool forbid_errors;
    /**
     * In each run, initialise the driver, and make the primary context of device 0 current on the
     * calling thread, before `setup`. The sweep holds the context until it has looked for leaks.
     * Otherwise a run begins without cuInit and without a context.
     */
    bool context;
    uint64_t first; /**< The first call to fail, counted from 1. 0: the first of all. */
    uint64_t last;  /**< The last call to fail. 0: the last of all. */
    /**
     * The maximum of driver calls in a run; 0: 100000. The sweep reports a body that makes more,
     * and ends its loop: after `limit` calls, further calls return the code; after twice as many,
     * they reach the driver again; after three times as many, the sweep leaves the body by
     * longjmp().
     */
    uint64_t limit;
    /**
     * Called before the body in each run; its calls are never failed. If it returns anything but 0,
     * the sweep ends. NULL: nothing is called.
     */
    int (*setup)(void *data);
    /** Called after the body in each run; its calls are never failed. NULL: nothing is called. */
    void (*teardown)(void *data);
    /**
     * Called in each run in which a call fails, before the first failing call returns and on its
     * thread. `data` is that of the body, and `run` describes the run as the message does; it is
     * valid until the run ends. If the program crashes, the last call of this function names the
     * run. It must not call the driver or cushim. NULL: nothing is called.
     */
    void (*on_failure)(void *data, const char *run);
    /**
     * Receives what was wrong: a line for each run, as many as there is room for, and the number of
     * further lines. Runs with the same failure in the same place share a line, which ends in `;
     * and in 41 other runs`. NULL: nowhere.
     */
    char *message;
    size_t message_size; /**< Size of `message` in bytes. */
};

/** A cushim_sweep_options with the defaults. */
#define CUSHIM_SWEEP_OPTIONS_INIT                                                             \
    {                                                                                         \
        sizeof(struct cushim_sweep_options), NULL, NULL, NULL, NULL, NULL, NULL, 0,           \
            (enum cushim_sweep_kind)0, false, false, false, false, 0, 0, 0, NULL, NULL, NULL, \
            NULL, 0                                                                           \
    }

/** The result of a sweep. */
struct cushim_sweep_result {
    size_t size;    /**< sizeof(struct cushim_sweep_result), set by the caller. */
    uint64_t runs;  /**< Runs of the body. */
    uint64_t swept; /**< Runs of these in which a call failed. */
    /** Counted calls that the body makes if no call fails; the largest number of all variants. */
    uint64_t calls;
    uint64_t failures; /**< Runs in which something was wrong. */
};

/** A cushim_sweep_result to be filled. */
#define CUSHIM_SWEEP_RESULT_INIT                       \
    {                                                  \
        sizeof(struct cushim_sweep_result), 0, 0, 0, 0 \
    }

/**
 * Sweep a body: run it first without a failure, and then with each call failing.
 *
 * After each run, the sweep checks the result of the body; leaked handles and memory, and where
 * they were created; what check has found (check.h); work that is still pending, if no call failed; the current
 * context; and, with `forbid_errors`, errors.
 *
 * @param options  NULL: the defaults.
 * @param body     Runs the program, and returns 0 if that behaved correctly: see
 *                 cushim_sweep_injected() and cushim_sweep_fail(). It has to return, so an
 *                 assertion of cmocka must not leave it.
 * @param data     Passed on to `body`, `setup` and `teardown`.
 * @param result   Receives the numbers of the sweep, also if something was wrong; NULL: nowhere.
 *                 Bytes of it that this library does not know are not changed.
 *
 * @return CUDA_SUCCESS                 No run has a failure.
 * @return CUDA_ERROR_ILLEGAL_STATE     Something was wrong: `options->message` says what. A sweep
 *                                      in which no call failed is wrong too.
 * @return CUDA_ERROR_INVALID_VALUE     `body` is NULL, `options` or `result` has a bad size, or an
 *                                      option is refused: `options->message` says which and why,
 *                                      if `options` is large enough to have one.
 * @return CUDA_ERROR_ALREADY_ACQUIRED  There is a layer in this process; or a mock, and no `table`;
 *                                      or a body was left by longjmp(), or sweeps itself:
 *                                      `options->message` says which.
 * @return any other code               cushim_mock_create()'s or cushim_layer_create()'s.
 *
 * Thread safety: one thread; the body may have others, which it ends.
 * Driver calls: the body's, and cuCtxGetCurrent.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_sweep_run(const struct cushim_sweep_options *options,
                                                     int (*body)(void *data), void *data,
                                                     struct cushim_sweep_result *result);

/**
 * Get, in a body, the code of the first failed call of this run; CUDA_SUCCESS: none has failed so
 * far. A program that returns the errors that it gets has returned this code.
 *
 * @param function  Receives the exported name of the function that failed, or NULL. NULL allowed.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_sweep_injected(const char **function);

/**
 * Get the run that a sweep executes now, with the call that has failed in it and how to repeat this
 * run alone; NULL: none. After a crash, it is the run that crashed. The function takes no lock, so
 * a debugger or a signal handler may call it. The text is valid until the run ends.
 */
CUSHIM_API const char *cushim_sweep_running(void);

/**
 * Report, in a body, what is wrong with this run. Only the first call in a run counts.
 *
 * @param claim  The claim that is not true, such as `the picture was drawn`; copied, as far as
 *               there is room.
 * @return       1, so that a body can return it.
 */
CUSHIM_API int cushim_sweep_fail(const char *claim);

#ifdef __cplusplus
}
#endif

#endif
