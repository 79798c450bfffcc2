/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that traces itself. `in_process refusals FOLDER` runs on the mock, as `in_process auto
 * FOLDER` and `in_process manual FOLDER` do in these modes. `in_process again FOLDER` runs over a
 * driver, starts a trace three times, and leaks only its context.
 */
#include <stdio.h>
#include <string.h>

#include <cushim/cushim.h>
#include <cushim/testing/test.h>
#include <cushim/testing/trace.h>

static unsigned failures;

static void check(CUresult code, CUresult expected, const char *what)
{
    if (code == expected)
        return;
    fprintf(stderr, "%s: %d instead of %d\n", what, (int)code, (int)expected);
    failures++;
}

static void refusals(struct cushim_layer *layer, const char *path)
{
    struct cushim_trace_options options = CUSHIM_TRACE_OPTIONS_INIT;
    char taken[4096], name[300];

    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    snprintf(taken, sizeof taken, "%s/no/folder", path);
    options.path = taken;
    check(cushim_trace_start(layer, &options), CUDA_ERROR_FILE_NOT_FOUND, "no folder");
    snprintf(taken, sizeof taken, "%s/%s", path, name);
    check(cushim_trace_start(layer, &options), CUDA_ERROR_OPERATING_SYSTEM, "a name too long");
    snprintf(taken, sizeof taken, "%s/run", path);
    options.calls = "cuInit, cuNoFunction";
    check(cushim_trace_start(layer, &options), CUDA_ERROR_INVALID_VALUE, "no such function");
    options.calls = "cuMemAlloc, cuInit ";
    check(cushim_trace_start(layer, &options), CUDA_SUCCESS, "what was refused before");
    check(cushim_trace_start(layer, &options), CUDA_ERROR_ALREADY_ACQUIRED, "a second");
}

/* Queue more work before a wait than the trace can hold unread. */
static void work(struct cushim_layer *layer, const char *path)
{
    struct cushim_trace_options options = CUSHIM_TRACE_OPTIONS_INIT;
    char name[4096];
    CUdeviceptr memory;

    snprintf(name, sizeof name, "%s/run", path);
    options.path = name;
    check(cushim_trace_start(layer, &options), CUDA_SUCCESS, "start");
    check(cushim_driver()->MemAlloc_v2(&memory, 256), CUDA_SUCCESS, "cuMemAlloc");
    for (int i = 0; i < 100; i++)
        check(cushim_driver()->MemsetD8Async(memory, 1, 256, NULL), CUDA_SUCCESS,
              "cuMemsetD8Async");
    check(cushim_driver()->CtxSynchronize(), CUDA_SUCCESS, "cuCtxSynchronize");
    check(cushim_driver()->MemsetD8Async(memory, 1, 256, NULL), CUDA_SUCCESS, "cuMemsetD8Async");
    check(cushim_driver()->MemFree_v2(memory), CUDA_SUCCESS, "cuMemFree");
    cushim_trace_stop(layer);
}

/* In mode `manual`, time passes only in cushim_mock_drain(). */
static void steps(struct cushim_test *test, const char *path)
{
    struct cushim_trace_options options = CUSHIM_TRACE_OPTIONS_INIT;
    char name[4096], text[256] = "";
    CUdeviceptr memory;

    snprintf(name, sizeof name, "%s/run", path);
    options.path = name;
    check(cushim_trace_start(cushim_test_layer(test), &options), CUDA_SUCCESS, "start");
    check(cushim_driver()->MemAlloc_v2(&memory, 256), CUDA_SUCCESS, "cuMemAlloc");
    for (int i = 0; i < 10; i++) {
        check(cushim_driver()->MemsetD8Async(memory, 1, 256, NULL), CUDA_SUCCESS,
              "cuMemsetD8Async");
        check(cushim_driver()->MemcpyHtoDAsync_v2(memory, text, sizeof text, NULL), CUDA_SUCCESS,
              "cuMemcpyHtoDAsync");
        check(cushim_mock_drain(cushim_test_mock(test)), CUDA_SUCCESS, "drain");
        check(cushim_driver()->StreamSynchronize(NULL), CUDA_SUCCESS, "cuStreamSynchronize");
    }
    check(cushim_driver()->MemFree_v2(memory), CUDA_SUCCESS, "cuMemFree");
    cushim_trace_stop(cushim_test_layer(test));
}

int main(int count, char **words)
{
    const bool is_again = count == 3 && strcmp(words[1], "again") == 0;
    const bool is_manual = count == 3 && strcmp(words[1], "manual") == 0;
    const bool is_auto = count == 3 && strcmp(words[1], "auto") == 0;
    const struct cushim_test_options options = {.size = sizeof options,
                                                .settings = is_manual ? "mode = manual"
                                                            : is_auto ? "mode = auto"
                                                                      : NULL,
                                                .context = !is_again,
                                                .on_driver = is_again};
    struct cushim_test *test = NULL;
    CUcontext context;
    char text[4096] = "";

    if (count != 3)
        return 2;
    if (is_again)
        check(cushim_driver_load(NULL), CUDA_SUCCESS, "load");
    check(cushim_test_begin(&options, &test), CUDA_SUCCESS, "begin");
    if (!test)
        return 1;
    if (is_again) {
        check(cushim_driver()->Init(0), CUDA_SUCCESS, "cuInit");
        check(cushim_driver()->CtxCreate_v2(&context, 0, 0), CUDA_SUCCESS, "cuCtxCreate");
        for (int i = 0; i < 3; i++)
            work(cushim_test_layer(test), words[2]);
        /* The context is not destroyed, as leaked objects would be destroyed with it. */
    } else if (is_manual || is_auto) {
        steps(test, words[2]);
    } else {
        refusals(cushim_test_layer(test), words[2]);
    }
    cushim_test_end(test, text, sizeof text);
    return failures > 0;
}
