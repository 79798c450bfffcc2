/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that have called the mock and ended: they are forgotten, and what they began goes on. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>

#include "src/mock/calls/context/context.h"
#include "src/mock/engine/stream.h"
#include "src/mock/world.h"
#include "tests/mock/world.h"

enum { MANY = 1000, KNOWN = 200, LIVING = 100 };

static CUcontext context;

static void run(void *(*body)(void *data), void *data)
{
    pthread_t thread;
    void *result;

    assert_int_equal(pthread_create(&thread, NULL, body, data), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_null(result);
}

/* A thread of which there is all that the mock can know: a stack, and a stream with work. */
static void *work(void *data)
{
    CUresult code = driver->CtxPushCurrent_v2(context);

    if (code == CUDA_SUCCESS)
        code = driver->MemsetD8Async(*(CUdeviceptr *)data, 1, 1, CU_STREAM_PER_THREAD);
    return (void *)(uintptr_t)code;
}

static void run_many(void)
{
    CUdeviceptr memory;

    OK(driver->MemAlloc_v2(&memory, 1));
    for (unsigned i = 0; i < MANY; i++)
        run(work, &memory);
    OK(driver->MemFree_v2(memory));
}

static size_t count_threads(void)
{
    size_t count = 0;

    for (const struct cushim__thread *one = cushim__world->threads; one; one = one->next)
        count++;
    return count;
}

static size_t count_streams(void)
{
    const struct cushim__context *primary = cushim__object_peek(context, CUSHIM__CONTEXT);
    size_t count = 0;

    for (const struct cushim__stream *one = primary->streams; one; one = one->next)
        count++;
    return count;
}

static size_t count_captured(void)
{
    const struct cushim__context *primary = cushim__object_peek(context, CUSHIM__CONTEXT);
    size_t count = 0;

    for (const struct cushim__stream *one = primary->streams; one; one = one->next)
        count += one->capture != NULL;
    return count;
}

static void threads_that_ended_are_forgotten(void **state)
{
    (void)state;
    run_many();
    assert_in_range(count_threads(), 1, KNOWN);
    assert_in_range(count_streams(), 1, KNOWN);
}

static void *spin(void *event)
{
    CUresult code = driver->CtxPushCurrent_v2(context);

    world_spin(CU_STREAM_PER_THREAD, 1000000000);
    if (code == CUDA_SUCCESS)
        code = driver->EventRecord(event, CU_STREAM_PER_THREAD);
    return (void *)(uintptr_t)code;
}

static void work_of_a_thread_that_ended_goes_on(void **state)
{
    CUevent event = world_event();
    CUdeviceptr memory;

    (void)state;
    OK(driver->MemAlloc_v2(&memory, 1));
    run(spin, event);
    for (unsigned i = 0; i < KNOWN; i++)
        run(work, &memory);
    assert_in_range(count_threads(), 1, KNOWN - 1);
    CODE(CUDA_ERROR_NOT_READY, driver->EventQuery(event));
    OK(driver->EventSynchronize(event));
    OK(driver->EventDestroy_v2(event));
    OK(driver->MemFree_v2(memory));
}

static void *capture(void *stream)
{
    CUresult code = driver->CtxPushCurrent_v2(context);

    if (code == CUDA_SUCCESS)
        code = driver->StreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
    return (void *)(uintptr_t)code;
}

static void capture_of_a_thread_that_ended_goes_on(void **state)
{
    (void)state;
    run(capture, CU_STREAM_PER_THREAD);
    run_many();
    assert_in_range(count_streams(), 1, KNOWN);
    assert_int_equal(count_captured(), 1);
}

struct living {
    pthread_t thread;
    pthread_barrier_t *barrier;
};

/* A thread with a context of its own, between two meetings. */
static void *stay(void *data)
{
    const struct living *self = data;
    CUcontext own, current = NULL;
    CUresult code = driver->CtxCreate_v2(&own, 0, 0);

    pthread_barrier_wait(self->barrier);
    pthread_barrier_wait(self->barrier);
    if (code == CUDA_SUCCESS)
        code = driver->CtxGetCurrent(&current);
    if (code == CUDA_SUCCESS)
        code = current == own ? driver->CtxDestroy_v2(own) : CUDA_ERROR_INVALID_CONTEXT;
    return (void *)(uintptr_t)code;
}

static void threads_that_live_are_known(void **state)
{
    struct living living[LIVING];
    pthread_barrier_t barrier;

    (void)state;
    pthread_barrier_init(&barrier, NULL, LIVING + 1);
    for (unsigned i = 0; i < LIVING; i++) {
        living[i].barrier = &barrier;
        assert_int_equal(pthread_create(&living[i].thread, NULL, stay, &living[i]), 0);
    }
    pthread_barrier_wait(&barrier);
    run_many();
    assert_in_range(count_threads(), LIVING + 1, 3 * LIVING + KNOWN);
    pthread_barrier_wait(&barrier);
    for (unsigned i = 0; i < LIVING; i++) {
        void *result;

        assert_int_equal(pthread_join(living[i].thread, &result), 0);
        assert_null(result);
    }
    pthread_barrier_destroy(&barrier);
}

static int begin(void **state)
{
    (void)state;
    world_begin("mode = auto");
    OK(driver->CtxGetCurrent(&context));
    return 0;
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, world_done)
    const struct CMUnitTest tests[] = {
        CASE(threads_that_ended_are_forgotten),
        CASE(work_of_a_thread_that_ended_goes_on),
        CASE(capture_of_a_thread_that_ended_goes_on),
        CASE(threads_that_live_are_known),
    };

    return cmocka_run_group_tests_name("thread end", tests, NULL, NULL);
}
