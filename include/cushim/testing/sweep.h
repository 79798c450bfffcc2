/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The sweep: run a piece of a program again and again, with its 1st, 2nd, 3rd, ... driver call
 * failing, until it makes fewer calls than that, and check after each run whether it cleaned up.
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
 *     call 20 of thread 1 (cuStreamCreate) answered CUDA_ERROR_OUT_OF_MEMORY, once: 1 event
 *     leaked: event#2, by cuEventCreate, call 12 of thread 1, at program+0x1189; mock: schedule
 *     = random, seed = 7; this run alone: first = last = 17, kinds = CUSHIM_SWEEP_ONCE
 *
 * Calls are numbered as in a recording, also those that are not failed; `first` and `last` count
 * those that the sweep fails.
 *
 * Each run has a mock and a layer of its own, as a test has (test.h). In a run the failing call is
 * not made, and returns a code.
 *
 * Calls that give something back - cuMemFree, cuEventDestroy, cuModuleUnload, cuCtxPopCurrent and
 * their like, and a cuCtxSetCurrent that puts back what was current - are not failed, nor counted:
 * few programs look at what they return. With `fail_releases` they are failed as well. They are
 * made even so, as cuStreamEndCapture always is, and only their result is replaced: otherwise there
 * would be a leak that is not the program's.
 *
 * The comparison above is right for a program that returns the first error that it gets. If a
 * program does without what has failed, or returns codes of its own, the body has to compare with
 * what that program promises.
 *
 * Leaks are what the body has created and not released when it returns. The sweep pins each primary
 * context that the body retains until it has looked for leaks: otherwise what leaks in one would be
 * destroyed with it. A body that asks for the state of primary contexts therefore finds them
 * active.
 *
 * How often a program polls depends on time, so polls that follow one another - cuEventQuery and
 * cuStreamQuery of the same handle, with nothing but other polls between - count as two calls, the
 * first and the second. 16 handles are distinguished; polls of more all count.
 *
 * In the mode `auto`, the default, a call that waits for what will never happen returns
 * CUDA_ERROR_TIMEOUT and is a misuse; in the mode `threaded` it hangs, and so does the sweep.
 *
 * The calls of all threads are counted as they come. If a body has several threads, the Nth call
 * may differ from run to run, and so may what a sweep finds.
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
    /** The Nth call fails, and those after it do not. */
    CUSHIM_SWEEP_ONCE = 1,
    /** All calls from the Nth on fail. */
    CUSHIM_SWEEP_FROM_THEN_ON = 2,
    /** One sweep of each. */
    CUSHIM_SWEEP_BOTH = 3,
};

/** How to sweep. All-zero but for `size` means the defaults. All is borrowed for the call. */
struct cushim_sweep_options {
    /** sizeof(struct cushim_sweep_options). */
    size_t size;
    /** Settings of the mock, as for cushim_mock_create(). NULL: none. */
    const char *settings;
    /** File of settings, as for cushim_mock_create(). NULL: none. */
    const char *file;
    /**
     * More lines of settings, read after `settings`: the whole sweep is repeated with each of these
     * texts, such as `"schedule = lazy"` and `"schedule = random\nseed = 7"`. The array ends with
     * NULL. NULL: the sweep is done once, without any.
     */
    const char *const *variants;
    /**
     * A table to sweep instead of a mock's, with every slot filled: for a real GPU, that of
     * cushim_driver() after cushim_driver_load(). Its state lasts from one run to the next. Misuses
     * and pending work are not reported then.
     */
    const struct cushim_table *table;
    /**
     * The functions that are failed: a plain name, which means every ABI of the function, a name
     * with a suffix, which means that symbol alone, or a pattern in which `*` stands for any
     * letters: `cuMem*`. NULL: all. Functions that only read what the library contains -
     * cuGetErrorName, cuGetErrorString, cuGetProcAddress, cuDriverGetVersion - are failed only if
     * they are named without a star; without `fail_releases` that is true of functions that give
     * something back, too.
     */
    const char *functions;
    /**
     * What failing calls return; the whole sweep is repeated with each code. NULL:
     * CUDA_ERROR_OUT_OF_MEMORY from functions that create, allocate, load or register something,
     * CUDA_ERROR_UNKNOWN from others.
     */
    const CUresult *codes;
    /** How many `codes` there are; 0 if that is NULL. */
    size_t code_count;
    /** 0: CUSHIM_SWEEP_BOTH. */
    enum cushim_sweep_kind kinds;
    /** The first call to fail, from 1. 0: the first of all. */
    uint64_t first;
    /** The last call to fail. 0: the last of all. */
    uint64_t last;
    /**
     * The most driver calls in a run; 0: 100000. A body that makes more is reported, and brought
     * out of its loop: after `limit` calls, further ones return the code; after twice as many, they
     * are made again; after three times as many, the body is left by longjmp().
     */
    uint64_t limit;
    /** The body may leave another context current than it found. */
    bool leaves_context;
    /** Calls that give something back are failed too: the program passes on what they return. */
    bool fail_releases;
    /**
     * An error that a call of the body returns, and that the sweep did not inject, is a failure. It
     * finds memory that is freed twice, for example, which only returns CUDA_ERROR_INVALID_VALUE.
     * Errors that a scope in the body expects are none (cushim_layer_expect_errors_begin()), nor is
     * CUDA_ERROR_NOT_READY.
     */
    bool forbid_errors;
    /**
     * Called before the body in each run; its calls are never failed. If it returns anything but 0,
     * the sweep ends. NULL: nothing is called.
     */
    int (*setup)(void *data);
    /** Called after the body in each run; its calls are never failed. NULL: nothing is called. */
    void (*teardown)(void *data);
    /**
     * Called in each run in which a call fails, before the first failing call returns and on its
     * thread. `data` is the body's, and `run` says which run this is, as the message does; it is
     * valid until the run ends. If the program crashes, the last call of this function says where.
     * It must not call the driver or cushim. NULL: nothing is called.
     */
    void (*on_failure)(void *data, const char *run);
    /**
     * Receives what was wrong: a line for each run, as many as there is room for, and how many more
     * there were. Runs in which the same is wrong in the same place share a line with the end
     * `; and in 41 other runs`. NULL: nowhere.
     */
    char *message;
    /** Size of `message` in bytes. */
    size_t message_size;
};

/** A cushim_sweep_options with the defaults. */
#define CUSHIM_SWEEP_OPTIONS_INIT                                                              \
    {                                                                                          \
        sizeof(struct cushim_sweep_options), NULL, NULL, NULL, NULL, NULL, NULL, 0,            \
            (enum cushim_sweep_kind)0, 0, 0, 0, false, false, false, NULL, NULL, NULL, NULL, 0 \
    }

/** What a sweep came to. */
struct cushim_sweep_result {
    /** sizeof(struct cushim_sweep_result), set by the caller. */
    size_t size;
    /** Runs of the body. */
    uint64_t runs;
    /** Runs of these in which a call failed. */
    uint64_t swept;
    /** Counted calls that the body makes if none fails; the largest number of all variants. */
    uint64_t calls;
    /** Runs in which something was wrong. */
    uint64_t failures;
};

/** A cushim_sweep_result to be filled. */
#define CUSHIM_SWEEP_RESULT_INIT                       \
    {                                                  \
        sizeof(struct cushim_sweep_result), 0, 0, 0, 0 \
    }

/**
 * Sweep a body. First it runs untouched, and then with each call failing.
 *
 * After each run it checks what the body returned; which handles and memory were leaked, and where
 * they were created; misuses, races, and, where no call failed, work that is still pending; which
 * context is current; with `forbid_errors`, which errors there were.
 *
 * @param options  NULL: the defaults.
 * @param body     Runs the program, and returns 0 if that behaved well: see cushim_sweep_injected()
 *                 and cushim_sweep_fail(). It has to return, and so must not be left by an
 *                 assertion of cmocka.
 * @param data     Passed on to `body`, `setup` and `teardown`.
 * @param result   Receives what was done, also if something was wrong; NULL: nowhere. Bytes of it
 *                 beyond what this library knows are left alone.
 *
 * @return CUDA_SUCCESS                 All was well in every run.
 * @return CUDA_ERROR_ILLEGAL_STATE     Something was wrong: `options->message` says what. A sweep
 *                                      in which no call failed is wrong.
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
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_sweep_run(const struct cushim_sweep_options *options,
                                     int (*body)(void *data), void *data,
                                     struct cushim_sweep_result *result);

/**
 * In a body: what the first failed call of this run returned; CUDA_SUCCESS: none has failed so far.
 * A program that returns the errors that it gets has returned this code.
 *
 * @param function  Receives the exported name of the function that failed, or NULL. NULL allowed.
 *
 * Thread safety: any thread.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_sweep_injected(const char **function);

/**
 * Which run of a sweep is under way, with the call that has failed in it and how to repeat this run
 * alone; NULL: none. After a crash, it is the run that crashed. It takes no lock, so a debugger or
 * a signal handler may call it. The text is valid until the run ends.
 *
 * Thread safety: any thread.
 * Since: 0.1.
 */
CUSHIM_API const char *cushim_sweep_running(void);

/**
 * In a body: say what is wrong with this run. Only the first call in a run counts.
 *
 * @param claim  What should have been true, such as `the picture was drawn`; copied, as far as
 *               there is room.
 * @return       1, so that a body can return it.
 *
 * Thread safety: any thread.
 * Since: 0.1.
 */
CUSHIM_API int cushim_sweep_fail(const char *claim);

#ifdef __cplusplus
}
#endif

#endif
