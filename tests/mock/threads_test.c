/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 64 threads on 64 streams queue 100,000 operations, or as many as OPERATIONS says, that wait for
 * one another across streams. No deadlock, and every host function runs after all that it must run
 * after.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "tests/mock/world.h"

#ifndef OPERATIONS
#define OPERATIONS 100000
#endif

enum { THREADS = 64, ROUNDS = OPERATIONS / THREADS / 3 + 1 };

/* One stream's life: its rounds, each a host function, a record, and a wait for a neighbour's. */
struct worker {
    pthread_t thread;
    CUcontext context;
    CUstream stream;
    CUevent event;
    struct worker *neighbour;
    atomic_uint executed; /* host functions of this stream so far */
    atomic_uint disorder; /* host functions that ran too early or out of order */
    unsigned failures;    /* calls that did not answer success */
};

/* What one host function must find. */
struct step {
    struct worker *worker;
    unsigned round;     /* of this stream */
    unsigned neighbour; /* what the neighbour must have executed */
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

/* How many host functions are queued before the neighbour's event, which this stream waits for. */
static atomic_uint recorded[THREADS];

static void *work(void *data)
{
    struct worker *worker = data;
    size_t own = (size_t)(worker - workers), other = (size_t)(worker->neighbour - workers);

    worker->failures += driver->CtxPushCurrent_v2(worker->context) != CUDA_SUCCESS;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct step *step = &steps[own][round];

        /* Read before the wait is queued: the event then stands for this much at least. */
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

static void every_operation_runs_in_order(const char *settings)
{
    CUcontext context;

    world_begin(settings);
    OK(driver->CtxGetCurrent(&context));
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.context = context,
                                     .stream = world_stream(),
                                     .event = world_event(),
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
    world_end();
}

static void auto_mode(void **state)
{
    (void)state;
    every_operation_runs_in_order("mode = auto");
}

static void threaded_mode(void **state)
{
    (void)state;
    every_operation_runs_in_order("mode = threaded");
}

static void threaded_mode_lazy(void **state)
{
    (void)state;
    every_operation_runs_in_order("mode = threaded\nschedule = lazy");
}

static void threaded_mode_random(void **state)
{
    (void)state;
    every_operation_runs_in_order("mode = threaded\nschedule = random\nseed = 3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto_mode),
        cmocka_unit_test(threaded_mode),
        cmocka_unit_test(threaded_mode_lazy),
        cmocka_unit_test(threaded_mode_random),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
