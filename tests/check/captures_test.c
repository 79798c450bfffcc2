/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The findings about captures and contexts: which object they name, where it began, and what has
 * leaked.
 */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include <cushim/testing/check.h>

#include "src/check/check.h"
#include "tests/layer/testkit.h"

static CUstream stream;
static char said[8192];

static int setup(void **state)
{
    testkit_begin(&(struct cushim_test_options){
        .size = sizeof(struct cushim_test_options), .settings = "mode = auto", .context = true});
    OK(driver->StreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cushim_check_start(layer, NULL));
    return 0;
}

static int teardown(void **state)
{
    if (!testkit)
        return 0;
    driver->StreamDestroy_v2(stream);
    testkit_end();
    return 0;
}

static void begin(CUstreamCaptureMode mode)
{
    OK(driver->StreamBeginCapture_v2(stream, mode));
}

static void end(CUresult wanted)
{
    CUgraph graph;

    CODE(wanted, driver->StreamEndCapture(stream, &graph));
    if (graph)
        OK(driver->GraphDestroy(graph));
}

/* Stop check, and assert that the findings contain this text. */
static void assert_said(const char *part)
{
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_check_stop(layer, said, sizeof said));
    if (!strstr(said, part))
        fail_msg("'%s' is not in: %s", part, said);
}

#define TEST(name) TEST_BETWEEN(name, setup, teardown)

TEST(capture_is_named_with_its_mode_and_where_it_began)
{
    CUdeviceptr memory;

    begin(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, driver->MemAlloc_v2(&memory, 64));
    end(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    assert_said("cuMemAlloc_v2 is not allowed to this thread now; stream#1 is captured in the mode "
                "THREAD_LOCAL by thread 1");
    if (!strstr(said, "; the earlier call was cuStreamBeginCapture_v2, call "))
        fail_msg("the beginning of the capture is not in: %s", said);
}

/* A capture in mode RELAXED forbids nothing, so the finding must name the other one. */
TEST(capture_that_forbids_is_named)
{
    CUdeviceptr memory;
    CUstream relaxed;
    CUgraph graph;

    OK(driver->StreamCreate(&relaxed, CU_STREAM_NON_BLOCKING));
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    OK(driver->StreamBeginCapture_v2(relaxed, CU_STREAM_CAPTURE_MODE_RELAXED));
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, driver->MemAlloc_v2(&memory, 64));
    OK(driver->StreamEndCapture(relaxed, &graph));
    OK(driver->GraphDestroy(graph));
    end(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    OK(driver->StreamDestroy_v2(relaxed));
    assert_said("stream#1 is captured in the mode GLOBAL");
}

static void work(void *data)
{
    (void)data;
}

/*
 * Of the forked streams, one has no work, one is joined directly, one is joined through another
 * stream, and one is not joined.
 */
TEST(streams_that_are_not_joined_are_named)
{
    CUstream idle, through, joined, left, *const forks[] = {&idle, &through, &joined, &left};
    CUevent event;

    OK(driver->EventCreate(&event, CU_EVENT_DISABLE_TIMING));
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    OK(driver->EventRecord(event, stream));
    for (unsigned i = 0; i < 4; i++) {
        OK(driver->StreamCreate(forks[i], CU_STREAM_NON_BLOCKING));
        OK(driver->StreamWaitEvent(*forks[i], event, 0));
    }
    OK(driver->LaunchHostFunc(joined, work, NULL));
    OK(driver->LaunchHostFunc(left, work, NULL));
    OK(driver->EventRecord(event, joined));
    OK(driver->StreamWaitEvent(through, event, 0));
    OK(driver->EventRecord(event, through));
    OK(driver->StreamWaitEvent(stream, event, 0));
    end(CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    for (unsigned i = 0; i < 4; i++)
        OK(driver->StreamDestroy_v2(*forks[i]));
    OK(driver->EventDestroy_v2(event));
    assert_said("cuStreamEndCapture ends a capture before the work of stream#5 is joined");
}

/* An invalidated capture must be ended, too; after that, it is not reported. */
TEST(capture_that_was_spoilt_is_left_until_it_ends)
{
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, driver->StreamSynchronize(stream));
    end(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, driver->StreamQuery(stream));
    assert_said("CUSHIM-capture-left: warning: the capture of stream#1 is never ended");
    if (strstr(strstr(said, "CUSHIM-capture-left") + 1, "CUSHIM-capture-left"))
        fail_msg("the capture is reported more than once: %s", said);
}

/* The first ABI of cuStreamBeginCapture has no mode. */
TEST(capture_without_a_mode_is_relaxed)
{
    CUdeviceptr memory;

    OK(driver->StreamBeginCapture(stream));
    OK(driver->MemAlloc_v2(&memory, 64));
    OK(driver->MemFree_v2(memory));
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, driver->StreamSynchronize(stream));
    end(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    assert_said("stream#1 is captured in the mode RELAXED");
}

/* Check does not see the calls that a library makes below the layer. */
TEST(capture_that_ended_unseen_is_forgotten)
{
    CUgraph graph;

    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    OK(cushim_layer_next(layer)->StreamEndCapture(stream, &graph));
    OK(cushim_layer_next(layer)->GraphDestroy(graph));
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, driver->StreamSynchronize(stream));
    end(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    assert_said("stream#1 is captured in the mode GLOBAL");
    if (strstr(said, "CUSHIM-capture-left"))
        fail_msg("an ended capture is reported: %s", said);
}

/* The streams may be joined in ways that check does not follow. */
TEST(streams_of_a_capture_that_was_updated_are_not_named)
{
    CUevent event;
    CUstream fork;

    OK(driver->EventCreate(&event, CU_EVENT_DISABLE_TIMING));
    OK(driver->StreamCreate(&fork, CU_STREAM_NON_BLOCKING));
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    OK(driver->EventRecord(event, stream));
    OK(driver->StreamWaitEvent(fork, event, 0));
    OK(driver->LaunchHostFunc(fork, work, NULL));
    OK(driver->StreamUpdateCaptureDependencies(stream, NULL, 0, 0));
    end(CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    OK(driver->StreamDestroy_v2(fork));
    OK(driver->EventDestroy_v2(event));
    assert_said("cuStreamEndCapture ends a capture before the work of a stream that took part is "
                "joined");
}

TEST(legacy_stream_that_waits_for_a_capture_is_reported)
{
    CUevent event;

    OK(driver->EventCreate(&event, CU_EVENT_DISABLE_TIMING));
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    OK(driver->EventRecord(event, stream));
    CODE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, driver->StreamWaitEvent(CU_STREAM_LEGACY, event, 0));
    end(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    OK(driver->EventDestroy_v2(event));
    assert_said("cuStreamWaitEvent lets the legacy default stream wait for an event of a capture; "
                "stream#1 is captured");
}

TEST(event_and_stream_of_two_contexts_are_named)
{
    CUcontext own, other;
    CUevent event;

    OK(driver->CtxGetCurrent(&own));
    OK(driver->CtxCreate_v2(&other, 0, 0));
    OK(driver->EventCreate(&event, 0));
    CODE(CUDA_ERROR_INVALID_HANDLE, driver->EventRecord(event, stream));
    OK(driver->EventDestroy_v2(event));
    OK(driver->CtxDestroy_v2(other));
    assert_ptr_not_equal(own, other);
    assert_said("event#1 is of context#2, and stream#1 of context#1");
}

/* The end also ends the rules for the memory of graphs. */
TEST(capture_ends_with_its_stream)
{
    CUdeviceptr memory;
    CUstream other;

    OK(driver->StreamCreate(&other, CU_STREAM_NON_BLOCKING));
    OK(driver->StreamBeginCapture_v2(other, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(driver->StreamDestroy_v2(other));
    OK(driver->MemAlloc_v2(&memory, 64));
    OK(driver->MemFree_v2(memory));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemFree_v2(memory));
    assert_said("CUSHIM-memory-freed-twice: error: ");
}

/* Each context has its own per-thread default stream, with the same handle. */
TEST(capture_of_a_default_stream_goes_on_while_that_of_another_context_is_captured)
{
    const CUstream of_test = stream;
    CUcontext other;

    stream = CU_STREAM_PER_THREAD;
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    OK(driver->CtxCreate_v2(&other, 0, 0));
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    end(CUDA_SUCCESS);
    OK(driver->CtxDestroy_v2(other));
    assert_said("CUSHIM-capture-left: warning: the capture of CU_STREAM_PER_THREAD is never ended");
    end(CUDA_SUCCESS);
    stream = of_test;
}

/* Restart check with advice; returns a context that is not current. */
static CUcontext begin_with_advice(void)
{
    const struct cushim_check_options advice = {.size = sizeof advice,
                                                .settings = "level = advice"};
    CUcontext context;

    OK(cushim_check_stop(layer, NULL, 0));
    OK(cushim_check_start(layer, &advice));
    OK(driver->CtxCreate_v2(&context, 0, 0));
    OK(driver->CtxPopCurrent_v2(&context));
    return context;
}

static void finish(size_t wanted)
{
    cushim__check_finish();
    assert_int_equal(cushim_check_count(layer, "CUSHIM-context-pushed"), wanted);
    assert_int_equal(cushim_check_count(layer, NULL), wanted);
}

TEST(pushed_context_is_left)
{
    CUcontext context = begin_with_advice();

    OK(driver->CtxPushCurrent_v2(context));
    OK(driver->CtxPushCurrent_v2(context));
    OK(driver->CtxPopCurrent_v2(&context));
    finish(1);
    OK(driver->CtxDestroy_v2(context));
}

TEST(context_that_was_pushed_before_check_is_not_left)
{
    CUcontext own, context;

    OK(driver->CtxGetCurrent(&own));
    OK(driver->CtxPushCurrent_v2(own));
    context = begin_with_advice();
    OK(driver->CtxSetCurrent(context));
    finish(0);
    OK(driver->CtxPopCurrent_v2(&context));
    OK(driver->CtxDestroy_v2(context));
}

TEST(pushed_context_that_none_replaces_is_popped)
{
    CUcontext context = begin_with_advice();

    OK(driver->CtxPushCurrent_v2(context));
    OK(driver->CtxSetCurrent(NULL));
    finish(0);
    OK(driver->CtxDestroy_v2(context));
}

TEST(pushed_context_that_another_replaces_is_popped)
{
    CUcontext context = begin_with_advice(), own, popped;

    OK(driver->CtxGetCurrent(&own));
    OK(driver->CtxPushCurrent_v2(context));
    OK(driver->CtxSetCurrent(own));
    OK(driver->CtxPopCurrent_v2(&popped));
    finish(0);
    OK(driver->CtxDestroy_v2(context));
}

/* Check forgets the oldest entries of the stack, but keeps the right number. */
TEST(hundreds_of_contexts_are_pushed_and_popped)
{
    CUcontext context = begin_with_advice(), own, popped;

    OK(driver->CtxGetCurrent(&own));
    for (unsigned i = 0; i < 600; i++)
        OK(driver->CtxPushCurrent_v2(i % 3 ? context : own));
    for (unsigned i = 0; i < 600; i++)
        OK(driver->CtxPopCurrent_v2(&popped));
    finish(0);
    OK(driver->CtxDestroy_v2(context));
}

TEST(context_that_was_created_lies_above_the_pushed_one)
{
    CUcontext context = begin_with_advice(), inner;

    OK(driver->CtxPushCurrent_v2(context));
    OK(driver->CtxCreate_v2(&inner, 0, 0));
    OK(driver->CtxPopCurrent_v2(&inner));
    OK(driver->CtxDestroy_v2(inner));
    finish(1);
    OK(driver->CtxDestroy_v2(context));
}

TEST(pushed_context_that_is_destroyed_is_not_left)
{
    CUcontext context = begin_with_advice(), own, popped;

    OK(driver->CtxGetCurrent(&own));
    OK(driver->CtxPushCurrent_v2(context));
    OK(driver->CtxPushCurrent_v2(own));
    OK(driver->CtxDestroy_v2(context));
    OK(driver->CtxPopCurrent_v2(&popped));
    OK(driver->CtxSetCurrent(own));
    finish(0);
}

/* Other calls without a context advise to make one current; this finding must not. */
TEST(pop_of_an_empty_stack_has_a_cure_of_its_own)
{
    CUcontext context;

    OK(driver->CtxPopCurrent_v2(&context));
    CODE(CUDA_ERROR_INVALID_CONTEXT, driver->CtxPopCurrent_v2(&context));
    OK(driver->CtxPushCurrent_v2(context));
    assert_said("CUSHIM-context-popped: warning: cuCtxPopCurrent_v2 is called in thread 1, whose "
                "stack of contexts is empty; in ");
    CONTAINS(said, "; cure: Pop once for each context that this thread has pushed or "
                   "created, but not after cuCtxDestroy.\n");
    LACKS(said, "cuCtxSetCurrent");
}
