/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is freed while work may use it, copies of pageable memory, and races. */
#include "tests/check/answers.h"
#include "tests/check/cases.h"
#include "tests/check/order_objects.h"

static void page_locked_memory_is_freed_behind_a_copy(void)
{
    order_read(order_streams[0]);
    MISUSE(CUDA_SUCCESS, driver->MemFreeHost(order_host));
    order_host = NULL;
}

static void page_locked_memory_is_freed_after_a_wait(void)
{
    order_read(order_streams[0]);
    OK(driver->StreamSynchronize(order_streams[0]));
    OK(driver->MemFreeHost(order_host));
    order_host = NULL;
}

static char registered[2 * ORDER_BYTES];

static void copy_registered(void)
{
    OK(driver->MemHostRegister_v2(registered, sizeof registered, 0));
    OK(driver->MemcpyHtoDAsync_v2(order_memory, registered, 64, order_streams[0]));
}

static void registered_memory_is_unregistered_behind_a_copy(void)
{
    copy_registered();
    MISUSE(CUDA_SUCCESS, driver->MemHostUnregister(registered));
}

static void registered_memory_is_unregistered_after_a_wait(void)
{
    copy_registered();
    OK(driver->CtxSynchronize());
    OK(driver->MemHostUnregister(registered));
}

static CUdeviceptr set_pooled(void)
{
    CUdeviceptr memory;

    OK(driver->MemAllocAsync(&memory, 64, order_streams[0]));
    OK(driver->MemsetD8Async(memory, 1, 64, order_streams[0]));
    return memory;
}

static void pool_memory_is_freed_behind_a_set(void)
{
    MISUSE(CUDA_SUCCESS, driver->MemFree_v2(set_pooled()));
}

static void pool_memory_is_freed_after_a_wait(void)
{
    const CUdeviceptr memory = set_pooled();

    OK(driver->StreamSynchronize(order_streams[0]));
    OK(driver->MemFree_v2(memory));
}

/* An allocation is not a use. */
static void pool_memory_is_freed_unused(void)
{
    CUdeviceptr memory;

    OK(driver->MemAllocAsync(&memory, 64, order_streams[0]));
    OK(driver->MemFree_v2(memory));
}

/* cuMemFree itself waits for all other work. */
static void device_memory_is_freed_behind_a_set(void)
{
    CUdeviceptr memory;

    OK(driver->MemAlloc_v2(&memory, 64));
    OK(driver->MemsetD8Async(memory, 1, 64, order_streams[0]));
    OK(driver->MemFree_v2(memory));
}

static void pageable_memory_is_copied_to(void)
{
    static char memory[64];

    MISUSE(CUDA_SUCCESS,
           driver->MemcpyDtoHAsync_v2(memory, order_memory, sizeof memory, order_streams[0]));
}

static void pageable_memory_is_copied_from(void)
{
    static char memory[64];

    MISUSE(CUDA_SUCCESS,
           driver->MemcpyHtoDAsync_v2(order_memory, memory, sizeof memory, order_streams[0]));
}

static void page_locked_memory_in_asynchronous_copies(void)
{
    static char memory[64];
    void *unseen;

    order_read(order_streams[0]);
    OK(driver->MemcpyHtoDAsync_v2(order_memory, order_host + 64, 64, order_streams[0]));
    OK(driver->CtxSynchronize());
    OK(driver->MemcpyHtoD_v2(order_memory, memory, sizeof memory)); /* synchronous */
    OK(order_below->MemAllocHost_v2(&unseen, 64));
    OK(driver->CtxSynchronize());
    OK(driver->MemcpyDtoHAsync_v2(unseen, order_memory, 64, order_streams[0]));
    OK(driver->CtxSynchronize());
    OK(order_below->MemFreeHost(unseen));
}

/* order_edges.c has the other relations that order work. */
static void streams_do_not_wait(void)
{
    order_write(order_streams[0]);
    MISUSE(CUDA_SUCCESS,
           driver->MemcpyDtoHAsync_v2(order_host, order_memory, ORDER_BYTES, order_streams[1]));
}

static void stream_waits_for_event(void)
{
    CUevent event = order_event(CU_EVENT_DISABLE_TIMING);

    order_write(order_streams[0]);
    OK(driver->EventRecord(event, order_streams[0]));
    OK(driver->StreamWaitEvent(order_streams[1], event, 0));
    order_read(order_streams[1]);
    OK(driver->EventDestroy_v2(event));
}

const struct check_case check_pending_cases[] = {
    {"CUSHIM-host-memory-used", "free", page_locked_memory_is_freed_behind_a_copy,
     page_locked_memory_is_freed_after_a_wait, CASE_OBJECTS},
    {"CUSHIM-host-memory-used", "unregister", registered_memory_is_unregistered_behind_a_copy,
     registered_memory_is_unregistered_after_a_wait, CASE_OBJECTS},
    {"CUSHIM-pool-memory-used", "after a wait", pool_memory_is_freed_behind_a_set,
     pool_memory_is_freed_after_a_wait, CASE_OBJECTS},
    {"CUSHIM-pool-memory-used", "not of a pool", pool_memory_is_freed_behind_a_set,
     device_memory_is_freed_behind_a_set, CASE_OBJECTS},
    {"CUSHIM-pool-memory-used", "not used", pool_memory_is_freed_behind_a_set,
     pool_memory_is_freed_unused, CASE_OBJECTS},
    {"CUSHIM-copy-pageable", "to", pageable_memory_is_copied_to,
     page_locked_memory_in_asynchronous_copies, CASE_OBJECTS},
    {"CUSHIM-copy-pageable", "from", pageable_memory_is_copied_from,
     page_locked_memory_in_asynchronous_copies, CASE_OBJECTS},
    {"CUSHIM-race", "streams", streams_do_not_wait, stream_waits_for_event, CASE_OBJECTS},
    {NULL, NULL, NULL, NULL, 0},
};
