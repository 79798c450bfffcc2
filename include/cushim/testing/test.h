/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * A test in two calls: a mock with a layer over it, installed and recording, and at the end all of
 * it destroyed and one text about everything that is not as it should be.
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
 * The same works on the real driver (`on_driver`): leaks are reported by the layer,
 * which has seen each object begin and end.
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

/** A test that runs. */
struct cushim_test;

/** How to begin a test. All-zero but for `size` means the defaults. */
struct cushim_test_options {
    /** sizeof(struct cushim_test_options). */
    size_t size;
    /** Settings of the mock, as in struct cushim_mock_options; borrowed for the call. */
    const char *settings;
    /** File of settings, read before `settings`; borrowed for the call. NULL: none. */
    const char *file;
    /** Faults as text, as in layer.h; borrowed for the call. NULL: none. */
    const char *faults;
    /**
     * Calls that the recording keeps; more calls are a failure. 0: CUSHIM_RECORDING_CAPACITY, and
     * more calls are a failure only if the recording was read after it had lost some.
     */
    size_t capacity;
    /** No mock, but what cushim_driver() returns: the driver, or what is installed. */
    bool on_driver;
    /** Errors that no scope expects are failures: cushim_layer_forbid_errors(). */
    bool forbid_errors;
    /**
     * The driver is initialised, and the primary context of device 0 made current for the calling
     * thread, before anything is recorded. The test holds it until it has looked for leaks. Without
     * it, leaks of raw handles are missed in a test that releases the context itself: what was
     * created in a context goes with the context.
     */
    bool context;
    /**
     * Receives why the test does not begin and what to do about it; of settings and faults with
     * line and column. Empty if it begins. NULL: nowhere.
     */
    char *message;
    /** Size of `message` in bytes. */
    size_t message_size;
};

/** A cushim_test_options with the defaults. */
#define CUSHIM_TEST_OPTIONS_INIT                                                              \
    {                                                                                         \
        sizeof(struct cushim_test_options), NULL, NULL, NULL, 0, false, false, false, NULL, 0 \
    }

/**
 * Begin a test: create a mock and install it, install a layer over it, and start to record.
 *
 * @param options  Borrowed for the call; NULL: the defaults.
 * @param test     Receives the test, owned by the caller; untouched on failure.
 *
 * @return CUDA_SUCCESS                 cushim_driver() is the layer's table.
 * @return CUDA_ERROR_INVALID_VALUE     `test` is NULL, `options` has a bad size, settings stand
 *                                      beside `on_driver`, or settings or faults are refused.
 * @return CUDA_ERROR_FILE_NOT_FOUND    `options->file` cannot be read.
 * @return CUDA_ERROR_OUT_OF_MEMORY     Memory ran out.
 * @return CUDA_ERROR_ALREADY_ACQUIRED  There is a test, a mock or a layer in this process.
 * @return any other code               With `context`: why there is none.
 *
 * On every failure `options->message` says why.
 *
 * Thread safety: one thread; it is the one that ends the test.
 * Context: needs none.
 * Driver calls: cuCtxGetCurrent, if `on_driver`; with `context` cuInit,
 *               cuDevicePrimaryCtxRetain and cuCtxSetCurrent.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_test_begin(const struct cushim_test_options *options,
                                      struct cushim_test **test);

/** The mock of a test; NULL: it runs on a driver, or has ended. Any thread. */
CUSHIM_API struct cushim_mock *cushim_test_mock(const struct cushim_test *test);

/**
 * The layer of a test, for faults, expectations and the recording; NULL: it has ended. Any thread.
 */
CUSHIM_API struct cushim_layer *cushim_test_layer(const struct cushim_test *test);

/**
 * End a test: put back the table that was current, destroy layer and mock, and report in one text
 * what is not as it should be, each with where it came from:
 *
 * - a mock or layer of the test that the program has destroyed itself;
 * - what cushim_layer_verify() reports: expectations, errors, and a recording with too little room,
 *   if one was asked for or read;
 * - misuses of the mock: uses of handles that were destroyed, and the like;
 * - objects and allocations that the program has created and not released, in which function, call
 *   and thread, and where in the program, as `program+0x1189` for addr2line; of a primary context
 *   its last reference. An object of cushim's that is leaked keeps its context, so one forgotten
 *   event may be two lines;
 * - a context that is current for the calling thread and was not when the test began;
 * - work that is pending in the mock, and waits that are missing (`races = report`); if the program
 *   may leave work pending, as on an error path, call cushim_mock_drain() first;
 * - faults that never took effect.
 *
 * What the driver makes by itself is not the program's to give back: default streams, functions of
 * modules, a primary context that nobody has retained. What belongs to a context or a module is
 * released with it. An object also counts as released if a fault or an earlier error was the result
 * of the call that released it: the program has done its part.
 *
 * @param test  NULL is a no-op. No call into the driver may be under way, except those that hang by
 *              a fault.
 * @param text  Receives the text, lines each closed by a newline, cut to `size` (it ends in `...`
 *              then); empty on success. NULL if `size` is 0.
 * @param size  Of `text` in bytes; 4096 is plenty.
 *
 * @return CUDA_SUCCESS              Everything is as it should be.
 * @return CUDA_ERROR_ILLEGAL_STATE  It is not, and `text` says what. The test has ended all the
 *                                   same.
 * @return CUDA_ERROR_INVALID_VALUE  `test` has ended before, or is none; `text` says so.
 *
 * Thread safety: the thread that began it, once.
 * Context: leaves the current one alone.
 * Driver calls: cuCtxGetCurrent.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_test_end(struct cushim_test *test, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
