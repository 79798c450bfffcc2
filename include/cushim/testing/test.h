/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * A test in two calls. The first installs a mock with a layer over it and starts to record; the
 * second destroys them and reports every problem in one text.
 *
 *     struct cushim_test *test;
 *     char text[4096];
 *
 *     if (cushim_test_begin(NULL, &test) != CUDA_SUCCESS)
 *         fail_msg("no test");
 *     ...                                                    what is tested
 *     if (cushim_test_end(test, text, sizeof text) != CUDA_SUCCESS)
 *         fail_msg("%s", text);
 *
 * All calls are checked (check.h): the end of the test reports misuse of the driver and leaks in the
 * words of `cushim check`. The same works on the real driver (`on_driver`).
 *
 * Unless a function says otherwise, any thread may call it, and it calls no function of the driver.
 * Since: 0.1.
 */
#ifndef CUSHIM_TESTING_TEST_H
#define CUSHIM_TESTING_TEST_H

#include <stdbool.h>
#include <stddef.h>

#include <cushim/testing/mock.h>
#include <cushim/testing/recording.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A test, from its begin to its end. */
struct cushim_test;

/** How to begin a test. Zero in all members but `size` means the defaults. */
struct cushim_test_options {
    size_t size; /**< sizeof(struct cushim_test_options). */
    /** Settings of the mock, as in struct cushim_mock_options; borrowed for the call. */
    const char *settings;
    /** File of settings, read before `settings`; borrowed for the call. NULL: none. */
    const char *file;
    /** Faults as text, as in layer.h; borrowed for the call. NULL: none. */
    const char *faults;
    /**
     * Number of calls that the recording keeps; more calls are a failure. 0:
     * CUSHIM_RECORDING_CAPACITY, and more calls are a failure only if the recording was read after
     * it had lost some.
     */
    size_t capacity;
    /**
     * Use the table that cushim_driver() returns, of the driver or an installed one, instead of a
     * mock.
     */
    bool on_driver;
    /** Treat errors that no scope expects as failures: cushim_layer_forbid_errors(). */
    bool forbid_errors;
    /**
     * Initialise the driver, and make the primary context of device 0 current on the calling
     * thread, before the recording begins. The test holds the context until it has looked for
     * leaks. Without this option, a test that releases the context itself misses leaks of raw
     * handles, because objects end with their context.
     */
    bool context;
    unsigned char padding[5]; /**< Zero. */
    /**
     * Receives the reason why the test does not begin, and advice; for settings and faults with
     * line and column. Empty if the test begins. NULL: nowhere.
     */
    char *message;
    size_t message_size; /**< Size of `message` in bytes. */
};

/** A cushim_test_options with the defaults. */
#define CUSHIM_TEST_OPTIONS_INIT                                                                   \
    {                                                                                              \
        sizeof(struct cushim_test_options), NULL, NULL, NULL, 0, false, false, false, {0}, NULL, 0 \
    }

/**
 * Begin a test: create a mock and install it, install a layer over it, and start to record.
 *
 * @param options  Borrowed for the call; NULL: the defaults.
 * @param test     Receives the test, owned by the caller; untouched on failure.
 *
 * @return CUDA_SUCCESS                 cushim_driver() is the layer's table.
 * @return CUDA_ERROR_INVALID_VALUE     `test` is NULL, `options` has a bad size, there are settings
 *                                      with `on_driver`, or settings or faults are refused.
 * @return CUDA_ERROR_FILE_NOT_FOUND    `options->file` cannot be read.
 * @return CUDA_ERROR_OUT_OF_MEMORY     Memory ran out.
 * @return CUDA_ERROR_ALREADY_ACQUIRED  There is a test, a mock or a layer in this process.
 * @return any other code               With `context`: the reason why there is none.
 *
 * On every failure `options->message` says why.
 *
 * Thread safety: one thread, which also ends the test.
 * Driver calls: cuCtxGetCurrent, if `on_driver`; with `context` cuInit,
 *               cuDevicePrimaryCtxRetain and cuCtxSetCurrent.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_test_begin(const struct cushim_test_options *options,
                                                      struct cushim_test **test);

/** Get the mock of a test; NULL: the test runs on a driver, or has ended. */
CUSHIM_API struct cushim_mock *cushim_test_mock(const struct cushim_test *test);

/**
 * Get the layer of a test, for faults, expectations and the recording; NULL: the test has ended.
 */
CUSHIM_API struct cushim_layer *cushim_test_layer(const struct cushim_test *test);

/**
 * End a test: restore the former table, destroy the layer and the mock, and report in one text
 * every problem with its origin:
 *
 * - the test's mock or layer, if the program has destroyed it itself;
 * - what cushim_layer_verify() reports: expectations, errors, and a recording that was too small,
 *   if the program asked for it or read it;
 * - what check has found, such as the use of a destroyed handle, once for each place in the program;
 *   missing waits are found on a mock with `races = report`. In a scope that expects errors
 *   (recording.h), only wrong handles are reported. cushim_check_start() sets other options, and
 *   cushim_check_stop() turns this off;
 * - objects and allocations that the program has created and not released, with the function, the
 *   call, the thread and the place in the program, such as `program+0x1189` for addr2line; for a
 *   primary context its last reference. A leaked object of cushim keeps its context, so one
 *   forgotten event may be two findings;
 * - a context that is current on the calling thread and was not when the test began;
 * - work that is pending in the mock; if the program may leave work pending, as on an error path,
 *   call cushim_mock_drain() first;
 * - fault rules that never fired.
 *
 * It does not report objects that the driver creates by itself: default streams, functions of
 * modules, a primary context that nobody has retained. An object that belongs to a context or a
 * module is released with it. An object also counts as released if a fault or an earlier error was
 * the result of the call that released it, because the program has made that call.
 *
 * @param test  NULL is a no-op. No call of the driver may be in progress, except calls that hang
 *              because of a fault.
 * @param text  Receives the text, in lines that each end in a newline; a text that is cut to `size`
 *              ends in `...`. Empty on success. NULL if `size` is 0.
 * @param size  Size of `text` in bytes; 4096 is plenty.
 *
 * @return CUDA_SUCCESS              There is no problem.
 * @return CUDA_ERROR_ILLEGAL_STATE  There is a problem, which `text` describes. The test has ended
 *                                   nevertheless.
 * @return CUDA_ERROR_INVALID_VALUE  `test` has already ended, or is not a test; `text` says so.
 *
 * Thread safety: the thread that began the test, once.
 * Context: leaves the current one alone.
 * Driver calls: cuCtxGetCurrent.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_test_end(struct cushim_test *test, char *text,
                                                    size_t size);

#ifdef __cplusplus
}
#endif

#endif
