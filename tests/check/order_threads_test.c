/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that hand over memory in order: nothing is found, whatever other threads do meanwhile. */
#include <pthread.h>
#include <stdatomic.h>

#include "src/check/finding.h"
#include "tests/check/order_fixture.h"

enum { ROUNDS = 400, BYSTANDERS = 2 };

/* Which thread's turn it is: one writes, the other reads. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_written;
    CUevent written, read;
} turn = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static atomic_bool is_over;

static void take_turn(bool is_written)
{
    pthread_mutex_lock(&turn.lock);
    while (turn.is_written != is_written)
        pthread_cond_wait(&turn.changed, &turn.lock);
    pthread_mutex_unlock(&turn.lock);
}

static void give_turn(bool is_written)
{
    pthread_mutex_lock(&turn.lock);
    turn.is_written = is_written;
    pthread_cond_signal(&turn.changed);
    pthread_mutex_unlock(&turn.lock);
}

/* Cmocka's assertions work only on the main thread. */
static void must(CUresult code)
{
    if (code != CUDA_SUCCESS)
        abort();
}

static void *write_often(void *data)
{
    (void)data;
    must(driver->CtxSetCurrent(order_context));
    for (unsigned i = 0; i < ROUNDS; i++) {
        take_turn(false);
        must(driver->StreamWaitEvent(order_streams[0], turn.read, 0));
        must(driver->MemsetD8Async(order_memory, 1, ORDER_BYTES, order_streams[0]));
        must(driver->EventRecord(turn.written, order_streams[0]));
        give_turn(true);
    }
    return NULL;
}

static void *read_often(void *data)
{
    (void)data;
    must(driver->CtxSetCurrent(order_context));
    for (unsigned i = 0; i < ROUNDS; i++) {
        take_turn(true);
        must(driver->StreamWaitEvent(order_streams[1], turn.written, 0));
        must(driver->MemcpyDtoHAsync_v2(order_host, order_memory, ORDER_BYTES, order_streams[1]));
        must(driver->EventRecord(turn.read, order_streams[1]));
        give_turn(false);
    }
    return NULL;
}

/* A thread with unrelated work and waits. */
static void *go_on(void *data)
{
    CUdeviceptr memory;
    CUstream stream;

    (void)data;
    must(driver->CtxSetCurrent(order_context));
    must(driver->StreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    must(driver->MemAlloc_v2(&memory, 64));
    while (!is_over) {
        must(driver->MemsetD8Async(memory, 1, 64, stream));
        must(driver->MemsetD8Async(memory, 2, 64, stream));
        must(driver->StreamSynchronize(stream));
    }
    must(driver->MemFree_v2(memory));
    must(driver->StreamDestroy_v2(stream));
    return NULL;
}

static int threaded_setup(void **state)
{
    order_begin("mode = threaded");
    return 0;
}

#define TEST(name) TEST_BETWEEN(name, threaded_setup, order_teardown)

TEST(threads_that_take_turns_do_not_race)
{
    pthread_t threads[2], bystanders[BYSTANDERS];

    turn.written = order_event(CU_EVENT_DISABLE_TIMING);
    turn.read = order_event(CU_EVENT_DISABLE_TIMING);
    OK(driver->EventRecord(turn.read, order_streams[1]));
    turn.is_written = false;
    is_over = false;
    for (unsigned i = 0; i < BYSTANDERS; i++)
        assert_int_equal(pthread_create(&bystanders[i], NULL, go_on, NULL), 0);
    assert_int_equal(pthread_create(&threads[0], NULL, write_often, NULL), 0);
    assert_int_equal(pthread_create(&threads[1], NULL, read_often, NULL), 0);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    is_over = true;
    for (unsigned i = 0; i < BYSTANDERS; i++)
        assert_int_equal(pthread_join(bystanders[i], NULL), 0);
    order_take("CUSHIM-race", 0);
    OK(driver->EventDestroy_v2(turn.written));
    OK(driver->EventDestroy_v2(turn.read));
}

static void *write_once(void *data)
{
    (void)data;
    must(driver->CtxSetCurrent(order_context));
    must(driver->MemsetD8Async(order_memory, 1, ORDER_BYTES, order_streams[0]));
    return NULL;
}

/* The end of a thread does not mean that its work on the device is complete. */
TEST(work_of_a_thread_that_has_ended_races)
{
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, write_once, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    order_read(order_streams[1]);
    order_take("CUSHIM-race", 1);
}

/* Each thread has its own default stream. */
static void *write_on_own_stream(void *data)
{
    (void)data;
    must(driver->CtxSetCurrent(order_context));
    must(driver->MemsetD8Async(order_memory, 1, ORDER_BYTES, CU_STREAM_PER_THREAD));
    return NULL;
}

TEST(default_streams_of_two_threads_race)
{
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, write_on_own_stream, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    order_read(CU_STREAM_PER_THREAD);
    order_take("CUSHIM-race", 1);
}

/* A memset that the driver has queued, and whose call does not return until the gate opens. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_queued, is_open;
} gate = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static CUresult CUDAAPI set_and_wait(CUdeviceptr memory, unsigned char value, size_t bytes,
                                     CUstream stream)
{
    const CUresult code =
        cushim_mock_table(order_mock)->MemsetD8Async(memory, value, bytes, stream);

    pthread_mutex_lock(&gate.lock);
    gate.is_queued = true;
    pthread_cond_signal(&gate.changed);
    while (!gate.is_open)
        pthread_cond_wait(&gate.changed, &gate.lock);
    pthread_mutex_unlock(&gate.lock);
    return code;
}

/* It is unknown which of the two calls reached the driver first, so nothing is reported. */
TEST(a_record_beside_the_call_that_queues_may_come_behind_it)
{
    CUevent event = order_event(CU_EVENT_DISABLE_TIMING);
    pthread_t thread;

    cushim_layer_next(order_layer)->MemsetD8Async = set_and_wait;
    assert_int_equal(pthread_create(&thread, NULL, write_once, NULL), 0);
    pthread_mutex_lock(&gate.lock);
    while (!gate.is_queued)
        pthread_cond_wait(&gate.changed, &gate.lock);
    pthread_mutex_unlock(&gate.lock);
    OK(driver->EventRecord(event, order_streams[0]));
    pthread_mutex_lock(&gate.lock);
    gate.is_open = true;
    pthread_cond_signal(&gate.changed);
    pthread_mutex_unlock(&gate.lock);
    assert_int_equal(pthread_join(thread, NULL), 0);
    OK(driver->StreamWaitEvent(order_streams[1], event, 0));
    order_read(order_streams[1]);
    order_take("CUSHIM-race", 0);
}

static void *set_byte(void *data)
{
    const CUdeviceptr *byte = data;

    must(driver->CtxSetCurrent(order_context));
    must(driver->MemsetD8Async(*byte, 1, 1, CU_STREAM_PER_THREAD));
    return NULL;
}

/* More streams than check remembers; the first one is this thread's. */
TEST(a_default_stream_that_is_forgotten_does_not_race_with_itself)
{
    enum { COUNT = 1100 };
    CUdeviceptr memory, byte;
    pthread_t thread;

    OK(driver->MemAlloc_v2(&memory, COUNT));
    set_byte(&order_memory);
    for (byte = memory; byte < memory + COUNT; byte++) {
        assert_int_equal(pthread_create(&thread, NULL, set_byte, &byte), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
    }
    set_byte(&order_memory);
    order_take("CUSHIM-race", 0);
}

static void *fail_on_own_stream(void *data)
{
    (void)data;
    must(driver->CtxSetCurrent(order_context));
    order_fault(CU_STREAM_PER_THREAD);
    return NULL;
}

/* A wait for this thread's default stream does not wait for another thread's. */
TEST_ALONE(work_on_the_default_stream_of_another_thread_may_have_failed)
{
    pthread_t thread;

    order_begin("mode = manual");
    assert_int_equal(pthread_create(&thread, NULL, fail_on_own_stream, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    OK(driver->StreamSynchronize(CU_STREAM_PER_THREAD));
    assert_int_equal(cushim_mock_drain(order_mock), CUDA_SUCCESS);
    assert_int_equal(driver->StreamQuery(NULL), CUDA_ERROR_ILLEGAL_ADDRESS);
    order_take("CUSHIM-error-sticky", 1);
    CONTAINS(cushim__finding_next(NULL)->what, "cuLaunchKernel \"cushim_fault\"");
    order_end_lost();
}
