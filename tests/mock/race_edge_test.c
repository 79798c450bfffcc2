/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What orders operations: each program is written twice, with what orders two uses of the same
 * memory and without it, and runs in every schedule.
 */
#include <string.h>

#include "tests/mock/race_world.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define ONE race_streams[0]
#define OTHER race_streams[1]

static const char *const settings[] = {
    "mode = auto",     "mode = threaded",   "schedule = eager",
    "schedule = lazy", "schedule = random", "schedule = random\nseed = 7",
};

static void one_stream(bool ordered)
{
    race_write(ONE);
    race_read(ordered ? ONE : OTHER);
}

static void wait_for_an_event(bool ordered)
{
    CUevent event = world_event();

    race_write(ONE);
    OK(driver->EventRecord(event, ONE));
    if (ordered)
        OK(driver->StreamWaitEvent(OTHER, event, 0));
    race_read(OTHER);
    OK(driver->EventDestroy_v2(event));
}

/* A wait for a record that is done already queues nothing, and orders all the same. */
static void wait_for_an_event_that_is_done(bool ordered)
{
    CUevent event = world_event();

    race_write(ONE);
    OK(driver->EventRecord(event, ONE));
    world_spin(OTHER, 1000000);
    for (int i = 0; i < 1000; i++)
        OK(driver->CtxGetCurrent(&(CUcontext){NULL}));
    if (ordered)
        OK(driver->StreamWaitEvent(OTHER, event, 0));
    race_read(OTHER);
    OK(driver->EventDestroy_v2(event));
}

static void record_behind_the_work(bool ordered)
{
    CUevent event = world_event();

    if (!ordered)
        OK(driver->EventRecord(event, ONE));
    race_write(ONE);
    if (ordered)
        OK(driver->EventRecord(event, ONE));
    OK(driver->StreamWaitEvent(OTHER, event, 0));
    race_read(OTHER);
    OK(driver->EventDestroy_v2(event));
}

/* A waiter keeps the record of the time of the call. */
static void wait_behind_the_newest_record(bool ordered)
{
    CUevent event = world_event();

    OK(driver->EventRecord(event, ONE));
    if (!ordered)
        OK(driver->StreamWaitEvent(OTHER, event, 0));
    race_write(ONE);
    OK(driver->EventRecord(event, ONE));
    if (ordered)
        OK(driver->StreamWaitEvent(OTHER, event, 0));
    race_read(OTHER);
    OK(driver->EventDestroy_v2(event));
}

static void wait_through_a_third_stream(bool ordered)
{
    CUevent first = world_event(), second = world_event();
    CUstream third = world_stream();

    race_write(ONE);
    OK(driver->EventRecord(first, ONE));
    if (ordered)
        OK(driver->StreamWaitEvent(third, first, 0));
    OK(driver->EventRecord(second, third));
    OK(driver->StreamWaitEvent(OTHER, second, 0));
    race_read(OTHER);
    OK(driver->EventDestroy_v2(first));
    OK(driver->EventDestroy_v2(second));
    OK(driver->StreamDestroy_v2(third));
}

static void wait_before_the_use(bool ordered)
{
    CUevent event = world_event();

    race_write(ONE);
    OK(driver->EventRecord(event, ONE));
    if (ordered)
        OK(driver->StreamWaitEvent(OTHER, event, 0));
    race_read(OTHER);
    if (!ordered)
        OK(driver->StreamWaitEvent(OTHER, event, 0));
    OK(driver->EventDestroy_v2(event));
}

static void wait_for_the_context(bool ordered)
{
    CUevent event = world_event();
    CUcontext context;

    OK(driver->CtxGetCurrent(&context));
    race_write(ONE);
    if (ordered)
        OK(driver->CtxRecordEvent(context, event));
    OK(driver->StreamWaitEvent(OTHER, event, 0));
    race_read(OTHER);
    OK(driver->EventDestroy_v2(event));
}

static void context_that_waits(bool ordered)
{
    CUevent event = world_event();
    CUcontext context;

    OK(driver->CtxGetCurrent(&context));
    race_write(ONE);
    OK(driver->EventRecord(event, ONE));
    if (ordered)
        OK(driver->CtxWaitEvent(context, event));
    race_read(OTHER);
    OK(driver->EventDestroy_v2(event));
}

static CUstream blocking_stream(bool blocking)
{
    CUstream stream;

    OK(driver->StreamCreate(&stream, blocking ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING));
    return stream;
}

static void default_stream_behind(bool ordered)
{
    CUstream stream = blocking_stream(ordered);

    race_write(stream);
    race_read(NULL);
    OK(driver->StreamDestroy_v2(stream));
}

static void default_stream_before(bool ordered)
{
    CUstream stream = blocking_stream(ordered);

    race_write(NULL);
    race_read(stream);
    OK(driver->StreamDestroy_v2(stream));
}

/* The default stream comes after a blocking stream that was destroyed meanwhile, too. */
static void default_stream_behind_a_destroyed_one(bool ordered)
{
    CUstream stream = blocking_stream(ordered);

    race_write(stream);
    OK(driver->StreamDestroy_v2(stream));
    race_write(ordered ? NULL : OTHER);
}

/* A stream that begins behind one that was destroyed is no reason to forget what that one was. */
static void default_stream_behind_one_with_a_successor(bool ordered)
{
    CUstream stream = blocking_stream(ordered), successor;
    CUevent event = world_event();

    race_write(stream);
    OK(driver->EventRecord(event, stream));
    OK(driver->StreamDestroy_v2(stream));
    successor = world_stream();
    OK(driver->StreamWaitEvent(successor, event, 0));
    world_spin(successor, 1);
    race_read(NULL);
    OK(driver->StreamDestroy_v2(successor));
    OK(driver->EventDestroy_v2(event));
}

static void default_stream_between(bool ordered)
{
    CUstream before = blocking_stream(true), after = blocking_stream(true);

    race_write(before);
    if (ordered)
        world_spin(NULL, 1);
    race_read(after);
    OK(driver->StreamDestroy_v2(before));
    OK(driver->StreamDestroy_v2(after));
}

static void per_thread_stream(bool ordered)
{
    race_write(CU_STREAM_PER_THREAD);
    race_read(ordered ? NULL : OTHER);
}

static void host_that_waits_for_an_event(bool ordered)
{
    CUevent event = world_event();

    if (!ordered)
        OK(driver->EventRecord(event, ONE));
    race_write(ONE);
    if (ordered)
        OK(driver->EventRecord(event, ONE));
    OK(driver->EventSynchronize(event));
    race_read(OTHER);
    OK(driver->EventDestroy_v2(event));
}

static void host_that_asks_for_an_event(bool ordered)
{
    CUevent event = world_event();

    if (!ordered)
        OK(driver->EventRecord(event, ONE));
    race_write(ONE);
    if (ordered)
        OK(driver->EventRecord(event, ONE));
    while (driver->EventQuery(event) != CUDA_SUCCESS)
        continue;
    race_read(OTHER);
    OK(driver->EventDestroy_v2(event));
}

static void host_that_times_an_event(bool ordered)
{
    CUevent start = world_event(), end = world_event();
    float ms;

    OK(driver->EventRecord(start, ONE));
    if (!ordered)
        OK(driver->EventRecord(end, ONE));
    race_write(ONE);
    if (ordered)
        OK(driver->EventRecord(end, ONE));
    while (driver->EventElapsedTime(&ms, start, end) != CUDA_SUCCESS)
        continue;
    race_read(OTHER);
    OK(driver->EventDestroy_v2(start));
    OK(driver->EventDestroy_v2(end));
}

static void host_that_waits_for_a_stream(bool ordered)
{
    race_write(ONE);
    OK(driver->StreamSynchronize(ordered ? ONE : OTHER));
    race_read(OTHER);
}

static void host_that_asks_for_a_stream(bool ordered)
{
    race_write(ONE);
    while (driver->StreamQuery(ordered ? ONE : OTHER) != CUDA_SUCCESS)
        continue;
    race_read(OTHER);
}

static void host_that_waits_for_the_default_stream(bool ordered)
{
    CUstream stream = blocking_stream(ordered);

    race_write(stream);
    OK(driver->StreamSynchronize(NULL));
    race_read(OTHER);
    OK(driver->StreamDestroy_v2(stream));
}

static void host_that_waits_for_the_context(bool ordered)
{
    race_write(ONE);
    if (ordered)
        OK(driver->CtxSynchronize());
    race_read(OTHER);
}

/* A copy that is not asynchronous waits for itself, and so for the stream that it is behind. */
static void host_that_copies(bool ordered)
{
    CUstream stream = blocking_stream(ordered);
    CUdeviceptr other;
    int word;

    OK(driver->MemAlloc_v2(&other, sizeof word));
    race_write(stream);
    OK(driver->MemcpyDtoH_v2(&word, other, sizeof word));
    race_read(OTHER);
    OK(driver->StreamDestroy_v2(stream));
    OK(driver->MemFree_v2(other));
}

static void host_that_frees(bool ordered)
{
    CUdeviceptr other;

    OK(driver->MemAlloc_v2(&other, 1));
    race_write(ONE);
    if (ordered)
        OK(driver->MemFree_v2(other));
    race_read(OTHER);
    if (!ordered)
        OK(driver->MemFree_v2(other));
}

static void CUDA_CB raise_flag(void *data)
{
    __atomic_store_n((int *)data, 1, __ATOMIC_RELEASE);
}

static void test_that_drains_the_mock(bool ordered)
{
    race_write(ONE);
    if (ordered)
        OK(cushim_mock_drain(world));
    race_read(OTHER);
}

/* The host learns from its function that what is before it is finished. */
static void host_function(bool ordered)
{
    int flag = 0;

    if (!ordered)
        OK(driver->LaunchHostFunc(ONE, raise_flag, &flag));
    race_write(ONE);
    if (ordered)
        OK(driver->LaunchHostFunc(ONE, raise_flag, &flag));
    while (!__atomic_load_n(&flag, __ATOMIC_ACQUIRE))
        OK(driver->CtxGetCurrent(&(CUcontext){NULL}));
    race_read(OTHER);
}

/* The host may look at what a stream writes to its memory. */
static void value_for_the_host(bool ordered)
{
    cuuint32_t *flag = (cuuint32_t *)(void *)race_host;

    if (!ordered)
        OK(driver->StreamWriteValue32_v2(ONE, (uintptr_t)flag, 1, 0));
    race_write(ONE);
    if (ordered)
        OK(driver->StreamWriteValue32_v2(ONE, (uintptr_t)flag, 1, 0));
    while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE))
        OK(driver->CtxGetCurrent(&(CUcontext){NULL}));
    race_read(OTHER);
}

/* Who waits for a value in memory may come after whatever was submitted. */
static void value_for_a_stream(bool ordered)
{
    CUdeviceptr flag;

    OK(driver->MemAlloc_v2(&flag, sizeof(cuuint32_t)));
    OK(driver->MemsetD32_v2(flag, 0, 1));
    OK(driver->CtxSynchronize());
    if (ordered)
        OK(driver->StreamWaitValue32_v2(OTHER, flag, 1, CU_STREAM_WAIT_VALUE_EQ));
    race_read(OTHER);
    race_write(ONE);
    OK(driver->StreamWriteValue32_v2(ONE, flag, 1, 0));
    OK(driver->StreamSynchronize(OTHER));
    OK(driver->MemFree_v2(flag));
}

/* The same where the wait has ended when its stream goes on; a set is what ended it. */
static void value_that_was_awaited(bool ordered)
{
    CUdeviceptr flag;

    OK(driver->MemAlloc_v2(&flag, sizeof(cuuint32_t)));
    OK(driver->MemsetD32_v2(flag, 0, 1));
    OK(driver->CtxSynchronize());
    if (ordered)
        OK(driver->StreamWaitValue32_v2(OTHER, flag, 1, CU_STREAM_WAIT_VALUE_EQ));
    race_write(ONE);
    OK(driver->MemsetD32Async(flag, 1, 1, ONE));
    while (world_state().pending > 0)
        OK(driver->CtxGetCurrent(&(CUcontext){NULL}));
    race_read(OTHER);
    OK(driver->StreamSynchronize(OTHER));
    OK(driver->MemFree_v2(flag));
}

/* Memory gets another use: what was done to the former one does not count. */
static void memory_of_its_own(bool ordered)
{
    CUdeviceptr other;

    OK(driver->MemAlloc_v2(&other, RACE_BYTES));
    race_write(ONE);
    race_launch(race_writes, ordered ? other : race_memory, OTHER);
    OK(driver->MemFree_v2(other));
}

static void free_in_a_stream(bool ordered)
{
    CUevent event = world_event();
    CUdeviceptr memory;

    OK(driver->MemAllocAsync(&memory, RACE_BYTES, ONE));
    race_launch(race_reads, memory, ONE);
    OK(driver->EventRecord(event, ONE));
    if (ordered)
        OK(driver->StreamWaitEvent(OTHER, event, 0));
    OK(driver->MemFreeAsync(memory, OTHER));
    OK(driver->EventDestroy_v2(event));
}

/* Memory that a stream allocates is there when the stream comes to it. */
static void allocate_in_a_stream(bool ordered)
{
    CUevent event = world_event();
    CUdeviceptr memory;

    OK(driver->MemAllocAsync(&memory, RACE_BYTES, ONE));
    OK(driver->EventRecord(event, ONE));
    if (ordered)
        OK(driver->StreamWaitEvent(OTHER, event, 0));
    race_launch(race_reads, memory, OTHER);
    OK(driver->MemFreeAsync(memory, OTHER));
    OK(driver->EventDestroy_v2(event));
}

/* What a stream has given back it may allocate again, with nothing to wait for. */
static void memory_of_a_stream_again(bool ordered)
{
    CUdeviceptr memory, again;

    OK(driver->MemAllocAsync(&memory, RACE_BYTES, ONE));
    race_launch(race_writes, memory, ONE);
    OK(driver->MemFreeAsync(memory, ONE));
    OK(driver->MemAllocAsync(&again, RACE_BYTES, ONE));
    race_launch(race_writes, again, ONE);
    race_launch(race_reads, again, ordered ? ONE : OTHER);
    OK(driver->StreamSynchronize(OTHER));
    OK(driver->MemFreeAsync(again, ONE));
}

/* An event that other processes know, if it is `shared`. */
static CUevent event_of_processes(bool shared)
{
    CUipcEventHandle handle;
    CUevent event;

    OK(driver->EventCreate(&event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
    if (shared)
        OK(driver->IpcGetEventHandle(&handle, event));
    return event;
}

/* What another process has waited for before it recorded the event is not known. */
static void wait_for_an_event_of_processes(bool ordered)
{
    CUevent event = event_of_processes(ordered);

    OK(driver->EventRecord(event, ONE));
    race_write(ONE);
    OK(driver->StreamWaitEvent(OTHER, event, 0));
    race_read(OTHER);
    OK(driver->EventDestroy_v2(event));
}

static void host_that_waits_for_an_event_of_processes(bool ordered)
{
    CUevent event = event_of_processes(ordered);

    OK(driver->EventRecord(event, ONE));
    race_write(ONE);
    OK(driver->EventSynchronize(event));
    race_read(OTHER);
    OK(driver->EventDestroy_v2(event));
}

static void streams_of_two_contexts(bool ordered)
{
    CUevent event = world_event();
    CUcontext context;
    CUstream stream;

    OK(driver->CtxCreate_v2(&context, 0, 0));
    stream = world_stream();
    OK(driver->CtxPopCurrent_v2(&context));
    race_write(ONE);
    OK(driver->EventRecord(event, ONE));
    if (ordered)
        OK(driver->StreamWaitEvent(stream, event, 0));
    OK(driver->MemcpyDtoHAsync_v2(race_host, race_memory, RACE_BYTES, stream));
    OK(driver->StreamSynchronize(stream));
    OK(driver->EventDestroy_v2(event));
    OK(driver->CtxDestroy_v2(context));
}

static void context_of_a_stream_with_a_successor_elsewhere(bool ordered)
{
    CUstream stream = world_stream(), successor;
    CUevent event = world_event();
    CUcontext other;

    race_write(stream);
    OK(driver->EventRecord(event, stream));
    OK(driver->StreamDestroy_v2(stream));
    OK(driver->CtxCreate_v2(&other, 0, 0));
    successor = world_stream();
    OK(driver->StreamWaitEvent(successor, event, 0));
    OK(driver->CtxPopCurrent_v2(&other));
    if (ordered)
        OK(driver->CtxSynchronize());
    race_read(OTHER);
    OK(driver->EventDestroy_v2(event));
    OK(driver->CtxDestroy_v2(other));
}

static const struct edge {
    const char *name;
    void (*run)(bool ordered);
} edges[] = {
#define EDGE(name)  \
    {               \
#name, name \
    }
    EDGE(one_stream),
    EDGE(wait_for_an_event),
    EDGE(wait_for_an_event_that_is_done),
    EDGE(record_behind_the_work),
    EDGE(wait_behind_the_newest_record),
    EDGE(wait_through_a_third_stream),
    EDGE(wait_before_the_use),
    EDGE(wait_for_the_context),
    EDGE(context_that_waits),
    EDGE(default_stream_behind),
    EDGE(default_stream_before),
    EDGE(default_stream_behind_a_destroyed_one),
    EDGE(default_stream_behind_one_with_a_successor),
    EDGE(default_stream_between),
    EDGE(per_thread_stream),
    EDGE(host_that_waits_for_an_event),
    EDGE(host_that_asks_for_an_event),
    EDGE(host_that_times_an_event),
    EDGE(host_that_waits_for_a_stream),
    EDGE(host_that_asks_for_a_stream),
    EDGE(host_that_waits_for_the_default_stream),
    EDGE(host_that_waits_for_the_context),
    EDGE(host_that_copies),
    EDGE(host_that_frees),
    EDGE(test_that_drains_the_mock),
    EDGE(host_function),
    EDGE(value_for_the_host),
    EDGE(value_for_a_stream),
    EDGE(value_that_was_awaited),
    EDGE(memory_of_its_own),
    EDGE(allocate_in_a_stream),
    EDGE(free_in_a_stream),
    EDGE(memory_of_a_stream_again),
    EDGE(wait_for_an_event_of_processes),
    EDGE(host_that_waits_for_an_event_of_processes),
    EDGE(streams_of_two_contexts),
    EDGE(context_of_a_stream_with_a_successor_elsewhere),
#undef EDGE
};

/* Run an edge, and count the races. */
static size_t races_of(const struct edge *edge, bool ordered, const char *text)
{
    size_t count;

    race_begin(text);
    edge->run(ordered);
    count = race_count();
    if (ordered && count > 0)
        print_error("%s, %s: %s\n", edge->name, text, cushim_mock_race(world, 0));
    race_end();
    return count;
}

static void what_is_ordered_is_no_race(void **state)
{
    size_t wrong = 0;

    (void)state;
    for (size_t i = 0; i < COUNT(edges); i++) {
        for (size_t s = 0; s < COUNT(settings); s++)
            wrong += races_of(&edges[i], true, settings[s]);
    }
    assert_int_equal(wrong, 0);
}

static void what_nothing_orders_is_one_race_in_every_schedule(void **state)
{
    size_t wrong = 0;

    (void)state;
    for (size_t i = 0; i < COUNT(edges); i++) {
        for (size_t s = 0; s < COUNT(settings); s++) {
            const size_t count = races_of(&edges[i], false, settings[s]);

            if (count != 1)
                print_error("%s, %s: %zu races\n", edges[i].name, settings[s], count);
            wrong += count != 1;
        }
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_ordered_is_no_race),
        cmocka_unit_test(what_nothing_orders_is_one_race_in_every_schedule),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
