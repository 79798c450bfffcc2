/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The sweep: run a piece of a program again and again, with its 1st, 2nd, 3rd, ... driver call
 * failing, until it makes fewer calls than that; and see after each run whether it cleaned up.
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
 * Each run has a mock and a layer of its own, as a test has (test.h). In a run the call answers a
 * code and is not made.
 *
 * Calls that give something back - cuMemFree, cuEventDestroy, cuModuleUnload, cuCtxPopCurrent and
 * their like, and a cuCtxSetCurrent that puts back what was current - are not failed, nor counted:
 * few programs look at what they answer. With `fail_releases` they are failed as well. They are
 * made even so, as cuStreamEndCapture always is, and their answer is replaced: else there would be
 * a leak, and it would not be the program's.
 *
 * The comparison above is right for a program that passes on the first error it gets. One that does
 * without what has failed, or says it in codes of its own, answers 0 by what it has promised
 * itself.
 *
 * Leaks are what the body has created and not released when it returns. The sweep pins each
 * primary context that the body retains, until it has looked: else what leaks in one would be
 * destroyed with it. A body that asks for the state of primary contexts therefore finds them
 * active.
 *
 * How often a program polls is a matter of time, so polls that follow one another - cuEventQuery
 * and cuStreamQuery of the same handle, with nothing but other polls between - count as two calls,
 * the first and the second. 16 handles are distinguished; polls of more all count.
 *
 * In the mode `auto`, the default, a call that waits for what will never come answers
 * CUDA_ERROR_TIMEOUT and is a misuse; in the mode `threaded` it hangs, and so does the sweep.
 *
 * The calls are counted as they come, of all threads. Where a body has several, which call is the
 * Nth may differ from run to run, and so may what a sweep finds.
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
    /** The Nth call fails, and those behind it do not. */
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
     * More lines of settings, behind `settings`: everything is swept with each of these texts, as
     * `"schedule = lazy"` and `"schedule = random\nseed = 7"`. Ends with NULL. NULL: once, without.
     */
    const char *const *variants;
    /**
     * A table to sweep instead of a mock's, with every slot filled: after cushim_driver_load() that
     * of cushim_driver(), for a real GPU. What it has, it has from one run to the next. Misuses
     * and pending work are not reported then.
     */
    const struct cushim_table *table;
    /**
     * The functions that are failed: a plain name, which means each ABI of the function, a name with
     * a suffix, which means that one, or a pattern in which `*` stands for any letters: `cuMem*`.
     * NULL: all. Those that only read what the library has in it - cuGetErrorName,
     * cuGetErrorString, cuGetProcAddress, cuDriverGetVersion - are failed if they are named without
     * a star, and not otherwise; so are those that give something back, without `fail_releases`.
     */
    const char *functions;
    /**
     * What is answered; everything is swept with each code. NULL: CUDA_ERROR_OUT_OF_MEMORY by
     * functions that create, allocate, load or register something, CUDA_ERROR_UNKNOWN by others.
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
     * Driver calls in a run, at most; 0: 100000. A body that makes more is reported, and gets out
     * of its loop, whatever that waits for: calls behind so many answer the code, those behind
     * twice as many are made, and behind three times as many the body is left by longjmp().
     */
    uint64_t limit;
    /** The body may leave another context current than it found. */
    bool leaves_context;
    /** Calls that give something back are failed too: the program passes on what they answer. */
    bool fail_releases;
    /**
     * Errors that calls of the body answer, and that the sweep has not given, are wrong: memory
     * that is freed twice answers CUDA_ERROR_INVALID_VALUE, and no more comes of it. Not those that
     * a scope in the body expects: cushim_layer_expect_errors_begin(). CUDA_ERROR_NOT_READY is no
     * error.
     */
    bool forbid_errors;
    /**
     * What comes before the body in each run; its calls are never failed. What is not 0 from it
     * ends the sweep. NULL: nothing.
     */
    int (*setup)(void *data);
    /** What comes after the body in each run; its calls are never failed. NULL: nothing. */
    void (*teardown)(void *data);
    /**
     * Called for each run in which a call fails, before the first of these has answered and on its
     * thread: `data` is the body's, and `run` says which run this is, as the message does; until
     * the run ends. If the program crashes, the last call of this function says where. It calls no
     * driver and no cushim. NULL: nothing is called.
     */
    void (*on_failure)(void *data, const char *run);
    /**
     * Receives what was wrong: a line for each run, the first ones as there is room, and how many
     * more there were. Runs in which the same is wrong in the same place have one line, which ends
     * in `; and in 41 other runs`. NULL: nowhere.
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
    /** Calls that the body makes if none fails, as they are counted; of the variants the most. */
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
 * What is looked at after each run: what the body answered; what is left, of handles and memory,
 * and where that was created; misuses, races, and, where no call failed, work that is still
 * pending; which context is current; with `forbid_errors`, which errors there were.
 *
 * @param options  NULL: the defaults.
 * @param body     Runs the program, and answers 0 if that behaved well: see
 *                 cushim_sweep_injected() and cushim_sweep_fail(). It has to return, and so must
 *                 not leave by an assertion of cmocka.
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
 * In a body: what the first failed call of this run answered; CUDA_SUCCESS: none has failed so far.
 * A program that passes on what it gets has answered just this.
 *
 * @param function  Receives the exported name of the function that failed, or NULL. NULL allowed.
 *
 * Thread safety: any thread.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_sweep_injected(const char **function);

/**
 * Which run of a sweep is under way, with the call that has failed in it and how to see it alone;
 * NULL: none. After a crash that somebody has caught it is the one that crashed. It takes no lock,
 * and so is fit for a debugger and for a handler of signals. The text is good until the run ends.
 *
 * Thread safety: any thread.
 * Since: 0.1.
 */
CUSHIM_API const char *cushim_sweep_running(void);

/**
 * In a body: say what is wrong with this run. The first time counts.
 *
 * @param claim  What is not so, as `the picture was drawn`; copied, as far as there is room.
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
