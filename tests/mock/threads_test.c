/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 64 threads on 64 streams queue 100,000 operations (or OPERATIONS) that wait for one another
 * across streams. There must be no deadlock, and every host function must run after all its
 * predecessors.
 */
#define _POSIX_C_SOURCE 200809L
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "src/mock/context/context.h"
#include "src/mock/core/state.h"
#include "src/mock/sim/stream.h"
#include "tests/mock/fixture.h"
#include "tests/support/gate.h"

#ifndef OPERATIONS
#define OPERATIONS 100000
#endif

enum { THREADS = 64, ROUNDS = OPERATIONS / THREADS / 3 + 1 };

/* The rounds of one stream: a wait for a neighbour's event, a host function, and a record. */
struct worker {
    pthread_t thread;
    CUcontext context;
    CUstream stream;
    CUevent event;
    struct worker *neighbour;
    atomic_uint executed; /* host functions of this stream that have run */
    atomic_uint disorder; /* host functions that ran too early or out of order */
    unsigned failures;    /* calls that did not succeed */
};

/* What one host function expects. */
struct step {
    struct worker *worker;
    unsigned round;     /* of this stream */
    unsigned neighbour; /* how many host functions of the neighbour must have run */
};

static struct step steps[THREADS][ROUNDS];
static struct worker workers[THREADS];

static void check(void *data)
{
    const struct step *step = data;
    struct worker *worker = step->worker;

    if (atomic_load(&worker->executed) != step->round)
        atomic_fetch_add(&worker->disorder, 1);
    if (atomic_load(&worker->neighbour->executed) < step->neighbour)
        atomic_fetch_add(&worker->disorder, 1);
    atomic_fetch_add(&worker->executed, 1);
}

/*
 * The number of host functions before the event of each stream. A neighbour waits for that event.
 */
static atomic_uint recorded[THREADS];

static void *work(void *data)
{
    struct worker *worker = data;
    size_t own = (size_t)(worker - workers), other = (size_t)(worker->neighbour - workers);

    worker->failures += driver->CtxPushCurrent_v2(worker->context) != CUDA_SUCCESS;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct step *step = &steps[own][round];

        /* Read before the wait is queued, so the event stands for at least this many. */
        step->neighbour = atomic_load(&recorded[other]);
        step->worker = worker;
        step->round = round;
        worker->failures +=
            driver->StreamWaitEvent(worker->stream, worker->neighbour->event, 0) != CUDA_SUCCESS;
        worker->failures += driver->LaunchHostFunc(worker->stream, check, step) != CUDA_SUCCESS;
        worker->failures += driver->EventRecord(worker->event, worker->stream) != CUDA_SUCCESS;
        atomic_store(&recorded[own], round + 1);
        if (round % 64 == 63)
            worker->failures += driver->EventSynchronize(worker->event) != CUDA_SUCCESS;
    }
    worker->failures += driver->StreamSynchronize(worker->stream) != CUDA_SUCCESS;
    worker->failures += driver->CtxPopCurrent_v2(NULL) != CUDA_SUCCESS;
    return NULL;
}

static void operations_run_in_order(const char *settings)
{
    CUcontext context;

    fixture_begin(settings);
    OK(driver->CtxGetCurrent(&context));
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.context = context,
                                     .stream = fixture_stream(),
                                     .event = fixture_event(),
                                     .neighbour = &workers[(i + 1) % THREADS]};
        atomic_store(&recorded[i], 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    for (unsigned i = 0; i < THREADS; i++) {
        assert_int_equal(workers[i].failures, 0);
        assert_int_equal(atomic_load(&workers[i].disorder), 0);
        assert_int_equal(atomic_load(&workers[i].executed), ROUNDS);
        OK(driver->EventDestroy_v2(workers[i].event));
        OK(driver->StreamDestroy_v2(workers[i].stream));
    }
    fixture_end();
}

TEST_ALONE(every_operation_runs_in_order)
{
    operations_run_in_order("mode = auto");
    operations_run_in_order("mode = threaded");
    operations_run_in_order("mode = threaded\nschedule = lazy");
    operations_run_in_order("mode = threaded\nschedule = random\nseed = 3");
}

/* Threads that have called the mock and ended: the mock forgets them, but their work continues. */

enum { MANY = 1000, KNOWN = 200, LIVING = 100 };

static CUcontext ended_context;

/* The mock must have seen that misuse. */
static int end_with_misuse(void **state)
{
    OK(driver->DevicePrimaryCtxRelease_v2(0));
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_mock_destroy(fixture_mock));
    return 0;
}

static int begin(void **state)
{
    fixture_begin("mode = auto");
    OK(driver->CtxGetCurrent(&ended_context));
    return 0;
}

#define TEST(name) TEST_BETWEEN(name, begin, fixture_done)

static void run(void *(*body)(void *data), void *data)
{
    pthread_t thread;
    void *result;

    assert_int_equal(pthread_create(&thread, NULL, body, data), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_null(result);
}

/* A thread for which the mock keeps all that it can: a context stack, and a stream with work. */
static void *ended_work(void *data)
{
    CUresult code = driver->CtxPushCurrent_v2(ended_context);

    if (code == CUDA_SUCCESS)
        code = driver->MemsetD8Async(*(CUdeviceptr *)data, 1, 1, CU_STREAM_PER_THREAD);
    return (void *)(uintptr_t)code;
}

static void run_many(void)
{
    CUdeviceptr memory;

    OK(driver->MemAlloc_v2(&memory, 1));
    for (unsigned i = 0; i < MANY; i++)
        run(ended_work, &memory);
}

static size_t count_threads(void)
{
    size_t count = 0;

    for (const struct mock_thread *one = cushim__mock->threads; one; one = one->next)
        count++;
    return count;
}

static size_t count_streams(bool captured)
{
    const struct mock_context *primary = cushim__mock_object_lookup(ended_context, MOCK_CONTEXT);
    size_t count = 0;

    for (const struct mock_stream *one = primary->group.streams; one; one = one->next)
        count += !captured || one->capture != NULL;
    return count;
}

TEST(threads_that_ended_are_forgotten)
{
    run_many();
    assert_in_range(count_threads(), 1, KNOWN);
    assert_in_range(count_streams(false), 1, KNOWN);
}

static void *spin(void *event)
{
    CUresult code = driver->CtxPushCurrent_v2(ended_context);

    fixture_spin(CU_STREAM_PER_THREAD, 1000000000);
    if (code == CUDA_SUCCESS)
        code = driver->EventRecord(event, CU_STREAM_PER_THREAD);
    return (void *)(uintptr_t)code;
}

TEST(work_of_a_thread_that_ended_goes_on)
{
    CUevent event = fixture_event();
    CUdeviceptr memory;

    OK(driver->MemAlloc_v2(&memory, 1));
    run(spin, event);
    for (unsigned i = 0; i < KNOWN; i++)
        run(ended_work, &memory);
    assert_in_range(count_threads(), 1, KNOWN - 1);
    CODE(CUDA_ERROR_NOT_READY, driver->EventQuery(event));
    OK(driver->EventSynchronize(event));
}

static void *capture(void *stream)
{
    CUresult code = driver->CtxPushCurrent_v2(ended_context);

    if (code == CUDA_SUCCESS)
        code = driver->StreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
    return (void *)(uintptr_t)code;
}

TEST(capture_of_a_thread_that_ended_goes_on)
{
    run(capture, CU_STREAM_PER_THREAD);
    run_many();
    assert_in_range(count_streams(false), 1, KNOWN);
    assert_int_equal(count_streams(true), 1);
}

struct living {
    pthread_t thread;
    pthread_barrier_t *barrier;
};

/* A thread that stays alive between two barriers, with its own context. */
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

TEST(threads_that_live_are_known)
{
    struct living living[LIVING];
    pthread_barrier_t barrier;

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

/* Another thread destroys an event while the first ABI of cuEventDestroy waits for it. */

struct destroyer {
    struct gate gate; /* before the record of the event */
    CUevent event;
    uint64_t calls; /* the number of calls before the one that waits */
    CUresult code;
};

/* Waits until another call has begun. That call then waits for work behind the gate. */
static void *destroy(void *data)
{
    struct destroyer *self = data;

    while (fixture_state().calls == self->calls)
        sched_yield();
    self->code = driver->EventDestroy_v2(self->event);
    gate_open(&self->gate);
    return NULL;
}

TEST_BETWEEN(event_is_destroyed_while_its_destruction_waits, begin, end_with_misuse)
{
    struct destroyer destroyer = {.gate = GATE, .event = fixture_event()};
    CUstream stream = fixture_stream();
    pthread_t thread;

    gate_prepare(&destroyer.gate);
    OK(driver->LaunchHostFunc(stream, gate_stand, &destroyer.gate));
    OK(driver->EventRecord(destroyer.event, stream));
    destroyer.calls = fixture_state().calls;
    assert_int_equal(pthread_create(&thread, NULL, destroy, &destroyer), 0);
    CODE(CUDA_ERROR_INVALID_HANDLE, driver->EventDestroy(destroyer.event));
    pthread_join(thread, NULL);
    OK(destroyer.code);
    CONTAINS(fixture_misuse(0), "is not the handle of an event");
}
