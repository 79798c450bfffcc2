/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What orders operations through the host, which knows that some are finished, beyond
 * tests/check/order_edges.c; and the reuse of memory.
 */
#include "tests/mock/race_fixture.h"

#define ONE race_streams[0]
#define OTHER race_streams[1]

static void host_that_times_an_event(bool ordered)
{
    CUevent start = fixture_event(), end = fixture_event();
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
}

static void host_that_waits_for_the_default_stream(bool ordered)
{
    CUstream stream = race_stream(ordered);

    race_write(stream);
    OK(driver->StreamSynchronize(NULL));
    race_read(OTHER);
}

/* A synchronous copy waits for its own end, and so for the earlier work of the stream. */
static void host_that_copies(bool ordered)
{
    CUstream stream = race_stream(ordered);
    CUdeviceptr other;
    int word;

    OK(driver->MemAlloc_v2(&other, sizeof word));
    race_write(stream);
    OK(driver->MemcpyDtoH_v2(&word, other, sizeof word));
    race_read(OTHER);
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

/* A host function tells the host that the work before it is finished. */
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

/* The host may read a value that a stream writes to memory. */
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

static void test_that_drains_the_mock(bool ordered)
{
    race_write(ONE);
    if (ordered)
        OK(cushim_mock_drain(fixture_mock));
    race_read(OTHER);
}

/* Order through memory and other processes, as far as the detector can know it. */

/* A word of device memory with the value 0. */
static CUdeviceptr allocate_flag(void)
{
    CUdeviceptr flag;

    OK(driver->MemAlloc_v2(&flag, sizeof(cuuint32_t)));
    OK(driver->MemsetD32_v2(flag, 0, 1));
    OK(driver->CtxSynchronize());
    return flag;
}

/* A stream that waits for a value in memory may come after any work that was submitted. */
static void value_for_a_stream(bool ordered)
{
    const CUdeviceptr flag = allocate_flag();

    if (ordered)
        OK(driver->StreamWaitValue32_v2(OTHER, flag, 1, CU_STREAM_WAIT_VALUE_EQ));
    race_read(OTHER);
    race_write(ONE);
    OK(driver->StreamWriteValue32_v2(ONE, flag, 1, 0));
    OK(driver->StreamSynchronize(OTHER));
}

/* The same if the wait has already ended when its stream continues; a memset ended it. */
static void value_that_was_awaited(bool ordered)
{
    const CUdeviceptr flag = allocate_flag();

    if (ordered)
        OK(driver->StreamWaitValue32_v2(OTHER, flag, 1, CU_STREAM_WAIT_VALUE_EQ));
    race_write(ONE);
    OK(driver->MemsetD32Async(flag, 1, 1, ONE));
    while (fixture_state().pending > 0)
        OK(driver->CtxGetCurrent(&(CUcontext){NULL}));
    race_read(OTHER);
    OK(driver->StreamSynchronize(OTHER));
}

/* Memory that is allocated again: accesses to the earlier allocation do not count. */
static void memory_of_its_own(bool ordered)
{
    CUdeviceptr other;

    OK(driver->MemAlloc_v2(&other, RACE_BYTES));
    race_write(ONE);
    race_launch(race_writes, ordered ? other : race_memory, OTHER);
}

/* Memory that a stream allocates is usable when the stream reaches the allocation. */
static void allocate_in_a_stream(bool ordered)
{
    CUevent event = fixture_event();
    CUdeviceptr memory;

    OK(driver->MemAllocAsync(&memory, RACE_BYTES, ONE));
    OK(driver->EventRecord(event, ONE));
    if (ordered)
        OK(driver->StreamWaitEvent(OTHER, event, 0));
    race_launch(race_reads, memory, OTHER);
    OK(driver->MemFreeAsync(memory, OTHER));
}

static void free_in_a_stream(bool ordered)
{
    CUevent event = fixture_event();
    CUdeviceptr memory;

    OK(driver->MemAllocAsync(&memory, RACE_BYTES, ONE));
    race_launch(race_reads, memory, ONE);
    OK(driver->EventRecord(event, ONE));
    if (ordered)
        OK(driver->StreamWaitEvent(OTHER, event, 0));
    OK(driver->MemFreeAsync(memory, OTHER));
}

/* A stream may reuse memory that it has freed, without any wait. */
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

/* An event that other processes can open, if `shared`. */
static CUevent event_of_processes(bool shared)
{
    CUipcEventHandle handle;
    CUevent event;

    OK(driver->EventCreate(&event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
    if (shared)
        OK(driver->IpcGetEventHandle(&handle, event));
    return event;
}

/* The detector does not know what another process waited for before it recorded the event. */
static void wait_for_an_event_of_processes(bool ordered)
{
    CUevent event = event_of_processes(ordered);

    OK(driver->EventRecord(event, ONE));
    race_write(ONE);
    OK(driver->StreamWaitEvent(OTHER, event, 0));
    race_read(OTHER);
}

static void host_that_waits_for_an_event_of_processes(bool ordered)
{
    CUevent event = event_of_processes(ordered);

    OK(driver->EventRecord(event, ONE));
    race_write(ONE);
    OK(driver->EventSynchronize(event));
    race_read(OTHER);
}

static const struct race_edge edges[] = {
    RACE_EDGE(host_that_times_an_event),
    RACE_EDGE(host_that_waits_for_the_default_stream),
    RACE_EDGE(host_that_copies),
    RACE_EDGE(host_that_frees),
    RACE_EDGE(host_function),
    RACE_EDGE(value_for_the_host),
    RACE_EDGE(test_that_drains_the_mock),
    RACE_EDGE(value_for_a_stream),
    RACE_EDGE(value_that_was_awaited),
    RACE_EDGE(memory_of_its_own),
    RACE_EDGE(allocate_in_a_stream),
    RACE_EDGE(free_in_a_stream),
    RACE_EDGE(memory_of_a_stream_again),
    RACE_EDGE(wait_for_an_event_of_processes),
    RACE_EDGE(host_that_waits_for_an_event_of_processes),
    {NULL, NULL},
};

int main(void)
{
    return race_edges_check(edges);
}
