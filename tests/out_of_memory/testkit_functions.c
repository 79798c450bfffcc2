/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of cushim/testing: layers, faults, recordings, expectations, tests, sweeps and
 * traces.
 */
#include <cushim/testing/check.h>
#include <cushim/testing/layer.h>
#include <stdio.h>
#include <unistd.h>

#include <cushim/testing/recording.h>
#include <cushim/testing/sweep.h>
#include <cushim/testing/test.h>
#include <cushim/testing/trace.h>

#include "function.h"

/* A layer over a mock, with a current context. */
static CUresult begin(struct cushim_mock **mock, struct cushim_layer **layer)
{
    struct cushim_layer_options options = {.size = sizeof options};
    CUcontext context;
    CUresult code;

    *layer = NULL;
    *mock = NULL;
    code = cushim_mock_create(NULL, mock);
    options.table = cushim_mock_table(*mock);
    THEN(cushim_layer_create(&options, layer));
    THEN(cushim_layer_install(*layer));
    THEN(cushim_driver()->Init(0));
    THEN(cushim_driver()->DevicePrimaryCtxRetain(&context, 0));
    THEN(cushim_driver()->CtxSetCurrent(context));
    return code;
}

static void end(struct cushim_mock *mock, struct cushim_layer *layer)
{
    cushim_layer_destroy(layer);
    cushim_mock_destroy(mock);
}

static CUresult layers(void)
{
    struct cushim_layer *layer;
    struct cushim_mock *mock;
    CUresult code = begin(&mock, &layer);

    REFUSE((cushim_layer_current() != layer ||
            cushim_layer_wrapped(layer) != cushim_mock_table(mock) || !cushim_layer_table(layer) ||
            !cushim_layer_next(layer)));
    end(mock, layer);
    return code;
}

static CUresult faults(void)
{
    char why[300];
    struct cushim_layer *layer;
    struct cushim_mock *mock;
    CUevent event;
    CUresult code = begin(&mock, &layer);

    THEN(cushim_fault_add_rules(layer,
                                "cuMemAlloc_v2:nth=3 => return(OUT_OF_MEMORY)\n"
                                "cuEventCreate:nth=1 => return(OUT_OF_MEMORY)",
                                why, sizeof why));
    if (code == CUDA_SUCCESS) {
        if (cushim_driver()->EventCreate(&event, 0) != CUDA_ERROR_OUT_OF_MEMORY ||
            cushim_fault_matched(layer, 1) != 1 || cushim_fault_fired(layer, 1) != 1 ||
            !cushim_fault_unused(layer, 0))
            code = CUDA_ERROR_UNKNOWN;
        cushim_fault_resume(layer);
        cushim_fault_clear(layer);
    }
    end(mock, layer);
    return code;
}

/* Record, query and name an event. */
static CUresult record(struct cushim_layer *layer)
{
    struct cushim_recorded_call call = {.size = sizeof call};
    char text[500];
    CUevent event = NULL;
    CUresult code = cushim_recording_start(layer, 16);

    THEN(cushim_driver()->EventCreate(&event, 0));
    THEN(cushim_driver()->EventRecord(event, NULL));
    THEN(cushim_recording_set_tag(layer, event, "start"));
    THEN(cushim_recording_get_tag(layer, event, text, sizeof text));
    THEN(cushim_recording_get_call(layer, 0, &call));
    cushim_recording_write_text(layer, text, sizeof text);
    if (code == CUDA_SUCCESS &&
        cushim_recording_count(layer) + (size_t)cushim_recording_lost(layer) < 2)
        code = CUDA_ERROR_UNKNOWN;
    cushim_recording_stop(layer);
    cushim_recording_clear(layer);
    return code;
}

static CUresult recordings(void)
{
    struct cushim_layer *layer;
    struct cushim_mock *mock;
    CUresult code = begin(&mock, &layer);

    THEN(record(layer));
    end(mock, layer);
    return code;
}

static CUresult expect(struct cushim_layer *layer)
{
    const struct cushim_expectation expectation = {
        .size = sizeof expectation, .function = "cuEventCreate", .minimum = 1, .maximum = 1};
    char text[500];
    CUevent event;
    CUresult code = cushim_layer_expect(layer, &expectation, text, sizeof text);

    THEN(cushim_layer_forbid(layer, "cuEventQuery", text, sizeof text));
    THEN(cushim_layer_forbid_errors(layer, true));
    THEN(cushim_layer_expect_errors_begin(layer, CUDA_ERROR_INVALID_HANDLE));
    if (code == CUDA_SUCCESS) {
        cushim_driver()->EventRecord(NULL, NULL);
        code = cushim_layer_expect_errors_end(layer);
    }
    THEN(cushim_driver()->EventCreate(&event, 0));
    THEN(cushim_layer_verify(layer, text, sizeof text));
    cushim_layer_clear_expectations(layer);
    return code;
}

static CUresult expectations(void)
{
    struct cushim_layer *layer;
    struct cushim_mock *mock;
    CUresult code = begin(&mock, &layer);

    THEN(expect(layer));
    end(mock, layer);
    return code;
}

/* Remove the trace file; returns whether it existed. */
static bool remove_trace(const char *path)
{
    char file[64];

    snprintf(file, sizeof file, "%s.%ld.trace", path, (long)getpid());
    return unlink(file) == 0;
}

/* Trace a call, and work with a name; if there is no file, the calls have the same effect. */
static CUresult traces(void)
{
    const struct cushim_trace_options options = {
        .size = sizeof options, .path = "oom-trace", .buffer_bytes = 1 << 20};
    struct cushim_layer *layer;
    struct cushim_mock *mock;
    CUdeviceptr memory = 0;
    CUresult code = begin(&mock, &layer);
    bool is_there;

    THEN(cushim_trace_start(layer, &options));
    THEN(cushim_driver()->MemAlloc_v2(&memory, 64));
    THEN(cushim_driver()->MemsetD8Async(memory, 1, 64, NULL));
    THEN(cushim_driver()->CtxSynchronize());
    if (memory)
        cushim_driver()->MemFree_v2(memory);
    cushim_trace_stop(layer);
    is_there = remove_trace(options.path);
    end(mock, layer);
    return code == CUDA_SUCCESS && !is_there ? CUDA_ERROR_FILE_NOT_FOUND : code;
}

/* Check finds a misuse unless there is no memory for it; the misuse never reaches the driver. */
static CUresult checks(void)
{
    const struct cushim_check_options options = {.size = sizeof options,
                                                 .suppressions = "CUSHIM-stream-destroyed"};
    struct cushim_layer *layer;
    struct cushim_mock *mock;
    CUevent event = NULL;
    size_t found = 0;
    CUresult code = begin(&mock, &layer);

    THEN(cushim_check_start(layer, &options));
    THEN(cushim_driver()->EventCreate(&event, 0));
    THEN(cushim_driver()->EventDestroy_v2(event));
    if (code == CUDA_SUCCESS) {
        cushim_driver()->EventDestroy_v2(event);
        found = cushim_check_count(layer, "CUSHIM-destroyed-twice");
    }
    if (layer && cushim_check_stop(layer, NULL, 0) == CUDA_SUCCESS && code == CUDA_SUCCESS &&
        found > 0)
        code = CUDA_ERROR_UNKNOWN;
    end(mock, layer);
    return code == CUDA_SUCCESS && found == 0 ? CUDA_ERROR_ILLEGAL_STATE : code;
}

static CUresult one_test(void)
{
    const struct cushim_test_options options = {.size = sizeof options,
                                                .settings = "schedule = lazy",
                                                .faults = "cuMemAlloc_v2:nth=9 => out_of_memory",
                                                .forbid_errors = true,
                                                .context = true};
    struct cushim_test *test = NULL;
    char text[2000];
    CUevent event;
    CUresult code = cushim_test_begin(&options, &test), ended;

    if (code != CUDA_SUCCESS)
        return code;
    if (!cushim_test_mock(test) || !cushim_test_layer(test))
        code = CUDA_ERROR_UNKNOWN;
    cushim_fault_clear(cushim_test_layer(test));
    THEN(cushim_driver()->EventCreate(&event, 0));
    THEN(cushim_driver()->EventDestroy_v2(event));
    ended = cushim_test_end(test, text, sizeof text);
    return code == CUDA_SUCCESS ? ended : code;
}

static int body(void *data)
{
    CUevent event;
    CUresult code = cushim_driver()->EventCreate(&event, 0);

    (void)data;
    if (!cushim_sweep_running() || (code != CUDA_SUCCESS && code != cushim_sweep_injected(NULL)))
        return cushim_sweep_fail("it answers what the driver did");
    if (code == CUDA_SUCCESS)
        cushim_driver()->EventDestroy_v2(event);
    return 0;
}

static int enter(void *data)
{
    CUcontext context;
    CUresult code = cushim_driver()->Init(0);

    (void)data;
    THEN(cushim_driver()->DevicePrimaryCtxRetain(&context, 0));
    return (int)(code == CUDA_SUCCESS ? cushim_driver()->CtxSetCurrent(context) : code);
}

static void leave(void *data)
{
    (void)data;
    cushim_driver()->CtxSetCurrent(NULL);
    cushim_driver()->DevicePrimaryCtxRelease_v2(0);
}

static CUresult sweep(void)
{
    char why[1000];
    const struct cushim_sweep_options options = {.size = sizeof options,
                                                 .setup = enter,
                                                 .teardown = leave,
                                                 .message = why,
                                                 .message_size = sizeof why};
    struct cushim_sweep_result result = {.size = sizeof result};

    return cushim_sweep_run(&options, body, NULL, &result);
}

const struct function testkit_functions[] = {
    {"cushim_layer_create cushim_layer_destroy cushim_layer_current cushim_layer_table "
     "cushim_layer_wrapped cushim_layer_next cushim_layer_install",
     layers, CUDA_SUCCESS},
    {"cushim_fault_add_rules cushim_fault_matched cushim_fault_fired "
     "cushim_fault_unused cushim_fault_clear cushim_fault_resume",
     faults, CUDA_SUCCESS},
    {"cushim_recording_start cushim_recording_stop cushim_recording_clear "
     "cushim_recording_count cushim_recording_lost cushim_recording_get_call "
     "cushim_recording_write_text "
     "cushim_recording_set_tag cushim_recording_get_tag",
     recordings, CUDA_ERROR_NOT_FOUND},
    {"cushim_layer_expect cushim_layer_forbid cushim_layer_clear_expectations "
     "cushim_layer_forbid_errors "
     "cushim_layer_expect_errors_begin cushim_layer_expect_errors_end cushim_layer_verify",
     expectations, CUDA_ERROR_ILLEGAL_STATE},
    {"cushim_check_start cushim_check_count cushim_check_stop", checks, CUDA_ERROR_ILLEGAL_STATE},
    {"cushim_trace_start cushim_trace_stop", traces, CUDA_ERROR_FILE_NOT_FOUND},
    {"cushim_test_begin cushim_test_mock cushim_test_layer cushim_test_end", one_test,
     CUDA_ERROR_ILLEGAL_STATE},
    {"cushim_sweep_run cushim_sweep_injected cushim_sweep_running cushim_sweep_fail", sweep,
     CUDA_ERROR_ILLEGAL_STATE},
    {NULL, NULL, CUDA_SUCCESS},
};
