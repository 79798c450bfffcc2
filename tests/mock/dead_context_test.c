/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is left of destroyed contexts: the last 256 are known, with all that was in them, and those
 * before are forgotten, so that a program may make and destroy them for ever.
 */
#include <string.h>

#include "tests/mock/world.h"

enum { KEPT = 256 };

/* A context with a stream and a recorded event, destroyed. */
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

static void the_last_destroyed_contexts_are_known(void **state)
{
    struct dead dead;

    (void)state;
    world_begin("");
    dead = make_dead();
    make_dead_ones(KEPT - 1);
    assert_answers(&dead, CUDA_ERROR_CONTEXT_IS_DESTROYED);
    world_end();
}

static void one_that_ended_before_is_none(void **state)
{
    struct dead dead;
    size_t handles;

    (void)state;
    world_begin("");
    handles = world_state().handles;
    dead = make_dead();
    make_dead_ones(KEPT);
    assert_answers(&dead, CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(world_state().violations, 4);
    assert_non_null(strstr(cushim_mock_violation(world, 1), "of a stream that was destroyed"));
    assert_int_equal(world_state().handles, handles);
    OK(driver->DevicePrimaryCtxRelease_v2(0));
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_mock_destroy(world));
}

static void one_that_is_on_a_stack_is_spared(void **state)
{
    CUcontext current;
    struct dead dead;

    (void)state;
    world_begin("");
    dead = make_dead();
    OK(driver->CtxPushCurrent_v2(dead.context));
    make_dead_ones(3 * KEPT);
    assert_answers(&dead, CUDA_ERROR_CONTEXT_IS_DESTROYED);
    OK(driver->CtxPopCurrent_v2(&current));
    assert_ptr_equal(current, dead.context);
    world_end();
}

static void who_waits_for_its_event_goes_on(void **state)
{
    struct dead dead;
    CUstream stream;

    (void)state;
    world_begin("races = report");
    stream = world_stream();
    dead = make();
    OK(driver->StreamWaitEvent(stream, dead.event, 0));
    OK(driver->CtxDestroy_v2(dead.context));
    make_dead_ones(KEPT);
    OK(driver->StreamSynchronize(stream));
    OK(driver->StreamDestroy_v2(stream));
    world_end();
}

/* In manual mode nothing can be waited for, so what the context had to do is dropped. */
static void who_waits_for_an_event_that_is_dropped_goes_on(void **state)
{
    struct dead dead;
    CUstream stream;

    (void)state;
    world_begin("mode = manual");
    stream = world_stream();
    dead = make();
    OK(driver->StreamWaitEvent(stream, dead.event, 0));
    world_spin(stream, 1000);
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(stream));
    OK(driver->CtxDestroy_v2(dead.context));
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(stream));
    OK(cushim_mock_drain(world));
    OK(driver->StreamQuery(stream));
    OK(driver->StreamDestroy_v2(stream));
    world_end();
}

/* A device copies in each direction one thing at a time. */
static void who_waits_for_a_copy_that_is_dropped_goes_on(void **state)
{
    static const char bytes[64] = "after the one that is dropped";
    CUdeviceptr memory, other;
    char back[64] = "";
    struct dead dead;
    CUstream stream;

    (void)state;
    world_begin("mode = manual");
    stream = world_stream();
    OK(driver->MemAlloc_v2(&memory, sizeof bytes));
    dead = make();
    OK(driver->MemAlloc_v2(&other, sizeof bytes));
    OK(cushim_mock_drain(world));
    OK(driver->MemcpyHtoDAsync_v2(other, bytes, sizeof bytes, dead.stream));
    OK(driver->MemcpyHtoDAsync_v2(memory, bytes, sizeof bytes, stream));
    OK(driver->CtxDestroy_v2(dead.context));
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(stream));
    OK(cushim_mock_drain(world));
    OK(driver->StreamQuery(stream));
    OK(driver->MemcpyDtoH_v2(back, memory, sizeof back));
    assert_memory_equal(back, bytes, sizeof bytes);
    OK(driver->MemFree_v2(memory));
    OK(driver->StreamDestroy_v2(stream));
    world_end();
}

static void a_capture_that_it_had_ends_with_it(void **state)
{
    struct dead dead;
    CUgraph graph;
    size_t handles;

    (void)state;
    world_begin("");
    handles = world_state().handles;
    dead = make();
    OK(driver->StreamBeginCapture_v2(dead.stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(driver->EventRecord(dead.event, dead.stream));
    OK(driver->CtxDestroy_v2(dead.context));
    CODE(CUDA_ERROR_CONTEXT_IS_DESTROYED, driver->StreamEndCapture(dead.stream, &graph));
    make_dead_ones(KEPT);
    assert_int_equal(world_state().handles, handles);
    world_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_destroyed_contexts_are_known),
        cmocka_unit_test(one_that_ended_before_is_none),
        cmocka_unit_test(one_that_is_on_a_stack_is_spared),
        cmocka_unit_test(who_waits_for_its_event_goes_on),
        cmocka_unit_test(who_waits_for_an_event_that_is_dropped_goes_on),
        cmocka_unit_test(who_waits_for_a_copy_that_is_dropped_goes_on),
        cmocka_unit_test(a_capture_that_it_had_ends_with_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
