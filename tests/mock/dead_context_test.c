/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the mock remembers of destroyed contexts: the last 256 with their objects. It forgets older
 * ones, so a program may create and destroy contexts without limit.
 */

#include "tests/mock/fixture.h"
#include "tests/support/gate.h"

enum { KEPT = 256, WAITERS = 4, ROUNDS = 10 };

/* A destroyed context with a stream and a recorded event. */
struct dead {
    CUcontext context;
    CUstream stream;
    CUevent event;
};

static struct dead make(void)
{
    struct dead made;

    OK(driver->CtxCreate_v2(&made.context, 0, 0));
    OK(driver->StreamCreate(&made.stream, CU_STREAM_DEFAULT));
    OK(driver->EventCreate(&made.event, CU_EVENT_DEFAULT));
    OK(driver->EventRecord(made.event, made.stream));
    return made;
}

static struct dead make_dead(void)
{
    struct dead made = make();

    OK(driver->CtxDestroy_v2(made.context));
    return made;
}

static void make_dead_ones(unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        make_dead();
}

static void assert_answers(const struct dead *dead, CUresult code)
{
    unsigned version;

    CODE(code, driver->CtxGetApiVersion(dead->context, &version));
    CODE(code, driver->StreamQuery(dead->stream));
    CODE(code, driver->EventQuery(dead->event));
    CODE(code, driver->EventDestroy_v2(dead->event));
}

TEST_BETWEEN(the_last_destroyed_contexts_are_known, fixture_auto, fixture_done)
{
    struct dead dead = make_dead();

    make_dead_ones(KEPT - 1);
    assert_answers(&dead, CUDA_ERROR_CONTEXT_IS_DESTROYED);
}

TEST_ALONE(one_that_ended_before_is_none)
{
    struct dead dead;
    size_t handles;

    fixture_begin("");
    handles = fixture_state().handles;
    dead = make_dead();
    make_dead_ones(KEPT);
    assert_answers(&dead, CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(fixture_state().misuses, 4);
    CONTAINS(cushim_mock_misuse(fixture_mock, 1), "is not the handle of a stream");
    assert_int_equal(fixture_state().handles, handles);
    OK(driver->DevicePrimaryCtxRelease_v2(0));
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_mock_destroy(fixture_mock));
}

TEST_BETWEEN(one_that_is_on_a_stack_is_spared, fixture_auto, fixture_done)
{
    CUcontext current;
    struct dead dead = make_dead();

    OK(driver->CtxPushCurrent_v2(dead.context));
    make_dead_ones(3 * KEPT);
    assert_answers(&dead, CUDA_ERROR_CONTEXT_IS_DESTROYED);
    OK(driver->CtxPopCurrent_v2(&current));
    assert_ptr_equal(current, dead.context);
}

FIXTURE_TEST(who_waits_for_its_event_goes_on, "races = report")
{
    CUstream stream = fixture_stream();
    struct dead dead = make();

    OK(driver->StreamWaitEvent(stream, dead.event, 0));
    OK(driver->CtxDestroy_v2(dead.context));
    make_dead_ones(KEPT);
    OK(driver->StreamSynchronize(stream));
}

/* In manual mode, cuCtxDestroy cannot wait, so it drops the pending work of the context. */
FIXTURE_TEST(who_waits_for_an_event_that_is_dropped_goes_on, "mode = manual")
{
    CUstream stream = fixture_stream();
    struct dead dead = make();

    OK(driver->StreamWaitEvent(stream, dead.event, 0));
    fixture_spin(stream, 1000);
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(stream));
    OK(driver->CtxDestroy_v2(dead.context));
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(stream));
    OK(cushim_mock_drain(fixture_mock));
    OK(driver->StreamQuery(stream));
}

/* A device executes one copy at a time in each direction. */
FIXTURE_TEST(who_waits_for_a_copy_that_is_dropped_goes_on, "mode = manual")
{
    static const char bytes[64] = "after the one that is dropped";
    CUdeviceptr memory, other;
    char back[64] = "";
    struct dead dead;
    CUstream stream = fixture_stream();

    OK(driver->MemAlloc_v2(&memory, sizeof bytes));
    dead = make();
    OK(driver->MemAlloc_v2(&other, sizeof bytes));
    OK(cushim_mock_drain(fixture_mock));
    OK(driver->MemcpyHtoDAsync_v2(other, bytes, sizeof bytes, dead.stream));
    OK(driver->MemcpyHtoDAsync_v2(memory, bytes, sizeof bytes, stream));
    OK(driver->CtxDestroy_v2(dead.context));
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(stream));
    OK(cushim_mock_drain(fixture_mock));
    OK(driver->StreamQuery(stream));
    OK(driver->MemcpyDtoH_v2(back, memory, sizeof back));
    assert_memory_equal(back, bytes, sizeof bytes);
}

TEST_BETWEEN(a_capture_that_it_had_ends_with_it, fixture_auto, fixture_done)
{
    CUgraph graph;
    size_t handles = fixture_state().handles;
    struct dead dead = make();

    OK(driver->StreamBeginCapture_v2(dead.stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(driver->EventRecord(dead.event, dead.stream));
    OK(driver->CtxDestroy_v2(dead.context));
    CODE(CUDA_ERROR_CONTEXT_IS_DESTROYED, driver->StreamEndCapture(dead.stream, &graph));
    CODE(CUDA_ERROR_CONTEXT_IS_DESTROYED, driver->StreamDestroy_v2(dead.stream));
    make_dead_ones(KEPT);
    assert_int_equal(fixture_state().handles, handles);
}

static void *wait_for_context(void *context)
{
    return (void *)(uintptr_t)driver->CtxSynchronize_v2(context);
}

static void destroy_while_others_wait(void)
{
    struct opener opener;
    struct gate gate = GATE;
    pthread_t waiters[WAITERS];
    struct dead dead = make();
    CUcontext context;

    gate_prepare(&gate);
    OK(driver->LaunchHostFunc(dead.stream, gate_stand, &gate));
    OK(driver->CtxPopCurrent_v2(&context));
    for (unsigned i = 0; i < WAITERS; i++)
        assert_int_equal(pthread_create(&waiters[i], NULL, wait_for_context, context), 0);
    gate_await(&gate);
    opener_start(&opener, &gate, 1);
    OK(driver->CtxDestroy_v2(context));
    make_dead_ones(3 * KEPT);
    opener_join(&opener);
    for (unsigned i = 0; i < WAITERS; i++) {
        void *code;

        assert_int_equal(pthread_join(waiters[i], &code), 0);
        /* Some threads call after the context was destroyed, even long after. */
        assert_true(code == (void *)CUDA_SUCCESS || code == (void *)CUDA_ERROR_INVALID_HANDLE ||
                    code == (void *)CUDA_ERROR_CONTEXT_IS_DESTROYED);
    }
}

/* A waiting thread gets the lock back at any later time, and uses the context until then. */
TEST_ALONE(one_that_is_waited_for_is_spared)
{
    fixture_begin("mode = threaded");
    for (unsigned i = 0; i < ROUNDS; i++)
        destroy_while_others_wait();
    OK(cushim_mock_drain(fixture_mock));
    OK(driver->DevicePrimaryCtxRelease_v2(0));
    cushim_mock_destroy(fixture_mock); /* a late call is a misuse */
}
