/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Checks of what a program asks of the driver: destroyed handles, freed memory, and what else the
 * driver answers by a crash or by silence. Each finding has an id, such as
 * `CUSHIM-event-destroyed`; docs/checks.md lists them.
 *
 * A test (test.h) checks its calls by itself, with the default options. With these functions, it
 * chooses others:
 *
 *     cushim_test_begin(&options, &test);
 *     cushim_check_start(cushim_test_layer(test), &check_options);
 *     ...
 *     cushim_test_end(test, text, sizeof text);          fails if something was found
 *
 * A program that knows nothing of cushim is checked by `cushim check -- program` instead.
 *
 * Unless a function says otherwise, any thread may call it, and it calls no function of the driver.
 * Since: 0.1.
 */
#ifndef CUSHIM_TESTING_CHECK_H
#define CUSHIM_TESTING_CHECK_H

#include <stddef.h>

#include <cushim/testing/layer.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What to check. */
struct cushim_check_options {
    size_t size; /**< sizeof(struct cushim_check_options). */
    /**
     * Settings, `key = value` a line; copied. NULL: none.
     * `level` is the least that is reported: `error`, `warning` (the default) or `advice`.
     * `leaks = on` reports what has leaked, which cushim_test_end() does as well.
     * `let_through = on` passes on calls on which the driver is known to crash, which otherwise
     * return CUDA_ERROR_INVALID_HANDLE. A mock does not crash, so it gets all calls.
     * `promise = 12.2` is the version of CUDA that the program is to work with.
     * `expect = CUSHIM-event-destroyed:1`, which may be repeated, expects this number of findings of
     * an id: fewer or more are a failure.
     */
    const char *settings;
    /**
     * Findings that are not reported, a line each: an id, the name of a function and the file of a
     * frame, in which `*` stands for any characters; the last two may be left out. Copied. NULL:
     * none.
     */
    const char *suppressions;
    /** Receives why the options are refused, with line and column; may be NULL. */
    char *message;
    size_t message_size; /**< Size of `message` in bytes. */
};

/** A cushim_check_options with the defaults. */
#define CUSHIM_CHECK_OPTIONS_INIT                                \
    {                                                            \
        sizeof(struct cushim_check_options), NULL, NULL, NULL, 0 \
    }

/**
 * Start to check the calls that go through a layer. Objects that were made before are not known. The
 * check that a test has begun by itself ends, with its findings.
 *
 * @param layer    The layer.
 * @param options  Borrowed for the call; NULL: the defaults.
 *
 * @return CUDA_SUCCESS                 Calls that begin from now on are checked.
 * @return CUDA_ERROR_INVALID_VALUE     `layer` is NULL or has ended, or the options are refused.
 * @return CUDA_ERROR_OUT_OF_MEMORY     Memory ran out.
 * @return CUDA_ERROR_ALREADY_ACQUIRED  The layer is checked already, not only by a test itself.
 *
 * Thread safety: any thread, while no call through the layer is under way.
 * Driver calls: none here. Calls that are checked ask the driver what cannot be known otherwise:
 *               cuCtxGetCurrent, cuCtxGetApiVersion, cuPointerGetAttribute, cuFuncGetParamInfo,
 *               cuKernelGetParamInfo, cuDevicePrimaryCtxGetState.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_check_start(struct cushim_layer *layer,
                                                       const struct cushim_check_options *options);

/**
 * Count what was found so far: one for each place of the program, however often it was there.
 *
 * @param layer  The layer.
 * @param id     Only findings of this id; NULL: all.
 *
 * @return the number; 0 if the layer is not checked.
 *
 * Thread safety: any thread, in no call through the layer.
 */
CUSHIM_API size_t cushim_check_count(struct cushim_layer *layer, const char *id);

/**
 * End the check, and say what was found. cushim_test_end() does so, too. After this, a test reports
 * leaks alone.
 *
 * @param layer   The layer.
 * @param buffer  Receives a line for each finding; NULL if `size` is 0.
 * @param size    Size of `buffer` in bytes; a text that does not fit ends in `...`.
 *
 * @return CUDA_SUCCESS              Nothing was found but what was expected, or the layer was not
 *                                   checked.
 * @return CUDA_ERROR_ILLEGAL_STATE  Something was found, or not what was expected.
 * @return CUDA_ERROR_INVALID_VALUE  `layer` is NULL or has ended.
 *
 * Thread safety: any thread, while no call through the layer is under way.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_check_stop(struct cushim_layer *layer, char *buffer,
                                                      size_t size);

#ifdef __cplusplus
}
#endif

#endif
