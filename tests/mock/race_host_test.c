/* SPDX-License-Identifier: Apache-2.0 */
/* What orders operations by way of the host: what it has learned to be finished. */
#include "tests/mock/race_world.h"

#define ONE race_streams[0]
#define OTHER race_streams[1]

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
    CUstream stream = race_stream(ordered);

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
    CUstream stream = race_stream(ordered);
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

static void test_that_drains_the_mock(bool ordered)
{
    race_write(ONE);
    if (ordered)
        OK(cushim_mock_drain(world));
    race_read(OTHER);
}

static const struct race_edge edges[] = {
    RACE_EDGE(host_that_waits_for_an_event),
    RACE_EDGE(host_that_asks_for_an_event),
    RACE_EDGE(host_that_times_an_event),
    RACE_EDGE(host_that_waits_for_a_stream),
    RACE_EDGE(host_that_asks_for_a_stream),
    RACE_EDGE(host_that_waits_for_the_default_stream),
    RACE_EDGE(host_that_waits_for_the_context),
    RACE_EDGE(host_that_copies),
    RACE_EDGE(host_that_frees),
    RACE_EDGE(host_function),
    RACE_EDGE(value_for_the_host),
    RACE_EDGE(test_that_drains_the_mock),
    {NULL, NULL},
};

int main(void)
{
    return race_edges_check(edges);
}
