/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The test kit for cmocka: a mock and a layer around each test or group, which fails if there is a
 * problem at its end. It is only a header, which includes <cmocka.h> and what that needs; no
 * library of cushim links cmocka.
 *
 *     static struct cushim_test_options options = {.size = sizeof options, .context = true};
 *     const struct CMUnitTest tests[] = {
 *         cmocka_unit_test_prestate_setup_teardown(buffers_are_freed, cushim_cmocka_begin,
 *                                                  cushim_cmocka_end, &options),
 *     };
 *
 * In a test, `cushim_test_layer(*state)` returns its layer, and `cushim_test_mock(*state)` its
 * mock.
 */
#ifndef CUSHIM_TESTING_CMOCKA_H
#define CUSHIM_TESTING_CMOCKA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#include <cmocka.h>

#ifdef __cplusplus
}
#endif

#include <cushim/testing/sweep.h>
#include <cushim/testing/test.h>

/** Print a text line by line, because cmocka cuts a message that is too long. */
static inline void cushim__cmocka_print(const char *text)
{
    while (*text) {
        const size_t length = strcspn(text, "\n");

        print_error("%.*s\n", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

/**
 * Whether cmocka writes XML, which contains the text of an assertion but not printed messages; in
 * its other formats, cmocka cuts the text.
 */
static inline int cushim__cmocka_writes_xml(void)
{
    const char *output = getenv("CMOCKA_MESSAGE_OUTPUT");

    return output && (output[0] == 'x' || output[0] == 'X');
}

/** Fail with a text. */
static inline void cushim__cmocka_fail(const char *text, const char *file, int line)
{
    if (cushim__cmocka_writes_xml())
        _assert_true(0, text, file, line);
    cushim__cmocka_print(text);
    _fail(file, line);
}

/** Whether an initial state is a struct cushim_test_options, which begins with its size. */
static inline int cushim__cmocka_is_options(const void *state)
{
    size_t size;

    memcpy(&size, state, sizeof size);
    return size == sizeof(struct cushim_test_options);
}

/**
 * Begin a test: a setup function of cmocka, for a test or a group.
 *
 *     static const struct cushim_test_options manual = {.size = sizeof manual,
 *                                                       .settings = "mode = manual"};
 *     ...
 *     cmocka_unit_test_prestate_setup_teardown(uploads_wait, cushim_cmocka_begin,
 *                                              cushim_cmocka_end, (void *)&manual),
 *
 * @param state  On entry NULL, or the initial state of the test: a `struct cushim_test_options`
 *               with its size, whose message is printed instead of kept. Anything else, such as a
 *               state from the setup of the group, is refused. Receives the `struct cushim_test`.
 *
 * @return 0: the test has begun; -1: it has not, and the reason is printed.
 */
static inline int cushim_cmocka_begin(void **state)
{
    char message[512] = "";
    struct cushim_test_options options;
    struct cushim_test *test = NULL;
    CUresult code;

    memset(&options, 0, sizeof options);
    if (*state && !cushim__cmocka_is_options(*state)) {
        print_error("cushim_cmocka_begin(): the initial state of the test is no struct "
                    "cushim_test_options, or its .size is not set to "
                    "sizeof(struct cushim_test_options)\n");
        return -1;
    }
    if (*state)
        memcpy(&options, *state, sizeof options);
    options.size = sizeof options;
    options.message = message;
    options.message_size = sizeof message;
    code = cushim_test_begin(&options, &test);
    if (code != CUDA_SUCCESS) {
        print_error("cushim_test_begin() returned %d\n", (int)code);
        cushim__cmocka_print(message);
        return -1;
    }
    *state = test;
    return 0;
}

/**
 * End a test: the teardown function for cushim_cmocka_begin().
 *
 * @return 0: there is no problem; -1: there is a problem, which is printed.
 */
static inline int cushim_cmocka_end(void **state)
{
    char text[8192];
    const CUresult code = cushim_test_end((struct cushim_test *)*state, text, sizeof text);

    *state = NULL;
    if (code != CUDA_SUCCESS && cushim__cmocka_writes_xml())
        cushim__cmocka_fail(text, __FILE__, __LINE__);
    cushim__cmocka_print(text);
    return code == CUDA_SUCCESS ? 0 : -1;
}

/**
 * Fail the test if an expectation is not met so far. This also clears the expectations, so the end
 * of the test does not report them again. Use it on the thread of the test.
 */
#define cushim_assert_verified(layer) cushim__assert_verified((layer), __FILE__, __LINE__)

static inline void cushim__assert_verified(struct cushim_layer *layer, const char *file, int line)
{
    char text[8192];

    if (cushim_layer_verify(layer, text, sizeof text) == CUDA_SUCCESS)
        return;
    cushim_layer_clear_expectations(layer);
    cushim__cmocka_fail(text, file, line);
}

/**
 * Sweep a body (sweep.h), and fail the test if something was wrong in a run. Use it on the thread
 * of the test, and not between cushim_cmocka_begin() and _end(), because each run has its own mock.
 *
 * @param options  As for cushim_sweep_run(); NULL: the defaults. Its message is printed.
 * @param body     The body to sweep. An assertion must not leave it; return cushim_sweep_fail()
 *                 instead.
 * @param data     Passed on to it.
 */
#define cushim_assert_swept(options, body, data) \
    cushim__assert_swept((options), (body), (data), __FILE__, __LINE__)

static inline void cushim__assert_swept(const struct cushim_sweep_options *options,
                                        int (*body)(void *data), void *data, const char *file,
                                        int line)
{
    char text[8192] = "";
    struct cushim_sweep_options known;
    CUresult code;

    memset(&known, 0, sizeof known);
    if (options)
        memcpy(&known, options, sizeof known);
    known.size = sizeof known;
    known.message = text;
    known.message_size = sizeof text;
    code = cushim_sweep_run(&known, body, data, NULL);
    if (code == CUDA_SUCCESS)
        return;
    print_error("cushim_sweep_run() returned %d\n", (int)code);
    cushim__cmocka_fail(text, file, line);
}

#endif
