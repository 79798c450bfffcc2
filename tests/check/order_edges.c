/* SPDX-License-Identifier: Apache-2.0 */
/* Relations that order two operations on the device. */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include "tests/check/answers.h"
#include "tests/check/order_objects.h"
#include "tests/support/structs.h"

static void one_stream(bool is_ordered)
{
    order_write(order_streams[0]);
    order_read(order_streams[is_ordered ? 0 : 1]);
}

static void event(bool is_ordered)
{
    CUevent event = order_event(CU_EVENT_DISABLE_TIMING);

    if (!is_ordered)
        OK(driver->EventRecord(event, order_streams[0]));
    order_write(order_streams[0]);
    if (is_ordered)
        OK(driver->EventRecord(event, order_streams[0]));
    OK(driver->StreamWaitEvent(order_streams[1], event, 0));
    order_read(order_streams[1]);
}

/* A wait refers to the record that was current when it was queued, not to the next one. */
static void event_recorded_again(bool is_ordered)
{
    CUevent event = order_event(CU_EVENT_DISABLE_TIMING);

    OK(driver->EventRecord(event, order_streams[0]));
    if (!is_ordered)
        OK(driver->StreamWaitEvent(order_streams[1], event, 0));
    order_write(order_streams[0]);
    OK(driver->EventRecord(event, order_streams[0]));
    if (is_ordered)
        OK(driver->StreamWaitEvent(order_streams[1], event, 0));
    order_read(order_streams[1]);
}

static void event_of_a_third_stream(bool is_ordered)
{
    CUstream third = order_stream(CU_STREAM_NON_BLOCKING);
    CUevent one = order_event(CU_EVENT_DISABLE_TIMING), two = order_event(CU_EVENT_DISABLE_TIMING);

    order_write(order_streams[0]);
    OK(driver->EventRecord(one, order_streams[0]));
    if (is_ordered)
        OK(driver->StreamWaitEvent(third, one, 0));
    order_spin(third);
    OK(driver->EventRecord(two, third));
    OK(driver->StreamWaitEvent(order_streams[1], two, 0));
    order_read(order_streams[1]);
}

static void event_synchronize(bool is_ordered)
{
    CUevent event = order_event(CU_EVENT_DISABLE_TIMING);

    order_write(order_streams[0]);
    OK(driver->EventRecord(event, order_streams[0]));
    if (is_ordered)
        OK(driver->EventSynchronize(event));
    order_read(order_streams[1]);
}

/*
 * A query that returns success orders like a wait; a query that returns "not ready" orders nothing.
 */
static void event_query(bool is_ordered)
{
    CUevent event = order_event(CU_EVENT_DISABLE_TIMING);

    order_write(order_streams[0]);
    if (!is_ordered)
        order_spin(order_streams[0]);
    OK(driver->EventRecord(event, order_streams[0]));
    if (is_ordered)
        order_drain_unseen();
    CODE(is_ordered ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY, driver->EventQuery(event));
    order_read(order_streams[1]);
}

static void stream_query(bool is_ordered)
{
    order_write(order_streams[0]);
    if (!is_ordered)
        order_spin(order_streams[0]);
    else
        order_drain_unseen();
    CODE(is_ordered ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY, driver->StreamQuery(order_streams[0]));
    order_read(order_streams[1]);
}

static void stream_synchronize(bool is_ordered)
{
    order_write(order_streams[0]);
    OK(driver->StreamSynchronize(order_streams[is_ordered ? 0 : 1]));
    order_read(order_streams[1]);
}

static void context_synchronize(bool is_ordered)
{
    CUcontext other, popped;

    OK(driver->CtxCreate_v2(&other, 0, 0));
    OK(driver->CtxPopCurrent_v2(&popped));
    order_write(order_streams[0]);
    if (!is_ordered)
        OK(driver->CtxPushCurrent_v2(other));
    OK(driver->CtxSynchronize());
    if (!is_ordered)
        OK(driver->CtxPopCurrent_v2(&popped));
    order_read(order_streams[1]);
    OK(driver->CtxDestroy_v2(other));
}

/* The legacy default stream and blocking streams wait for each other; other streams do not. */
static void default_stream(bool is_ordered)
{
    CUstream stream = order_stream(is_ordered ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING);

    order_write(NULL);
    order_read(stream);
}

static void default_stream_after_blocking(bool is_ordered)
{
    CUstream stream = order_stream(is_ordered ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING);

    order_write(stream);
    order_read(CU_STREAM_LEGACY);
}

/* A kernel on the default stream orders the work of blocking streams before and after it. */
static void kernel_on_default_stream(bool is_ordered)
{
    CUstream one = order_stream(CU_STREAM_DEFAULT), other = order_stream(CU_STREAM_DEFAULT);

    order_write(one);
    order_spin(is_ordered ? NULL : other);
    order_read(other);
}

static void per_thread_stream(bool is_ordered)
{
    order_write(CU_STREAM_PER_THREAD);
    if (is_ordered)
        OK(driver->MemcpyDtoHAsync_v2_ptsz(order_host, order_memory, ORDER_BYTES, NULL));
    else
        order_read(order_streams[0]);
}

/* Synchronous copies to the host wait; copies within the device do not. */
static void synchronous_copy(bool is_ordered)
{
    CUdeviceptr other;

    OK(driver->MemAlloc_v2(&other, ORDER_BYTES));
    if (is_ordered)
        OK(driver->MemcpyDtoH_v2(order_host, order_memory, ORDER_BYTES));
    else
        OK(driver->MemcpyDtoD_v2(other, order_memory, ORDER_BYTES));
    order_write(order_streams[0]);
    OK(driver->CtxSynchronize());
}

/*
 * More than 64 KiB from pageable memory: the call waits. For less, it may return before the copy.
 */
static void synchronous_copy_of_pageable_memory(bool is_ordered)
{
    enum { MUCH = (64 << 10) + 1 };
    static char pageable[MUCH];
    CUdeviceptr much;

    OK(driver->MemAlloc_v2(&much, MUCH));
    OK(driver->MemcpyHtoD_v2(much, pageable, is_ordered ? MUCH : 16));
    OK(driver->MemsetD8Async(much, 1, MUCH, order_streams[0]));
    OK(driver->CtxSynchronize());
}

static void set(bool is_ordered)
{
    OK(driver->MemsetD8_v2(order_memory, 1, ORDER_BYTES));
    if (is_ordered)
        OK(driver->StreamSynchronize(NULL));
    order_read(order_streams[0]);
}

/* SYNC_MEMOPS applies to this memory only. */
static void set_of_synchronous_memory(bool is_ordered)
{
    int one = 1;

    if (is_ordered)
        OK(driver->PointerSetAttribute(&one, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, order_memory));
    OK(driver->MemsetD8_v2(order_memory, 1, ORDER_BYTES));
    order_read(order_streams[0]);
}

static void set_in_synchronous_context(bool is_ordered)
{
    CUcontext context;
    CUdeviceptr memory;
    CUstream stream;

    OK(driver->CtxCreate_v2(&context, is_ordered ? CU_CTX_SYNC_MEMOPS : 0, 0));
    stream = order_stream(CU_STREAM_NON_BLOCKING);
    OK(driver->MemAlloc_v2(&memory, 64));
    OK(driver->MemsetD8_v2(memory, 1, 64));
    OK(driver->MemsetD8Async(memory, 2, 64, stream));
    OK(driver->CtxSynchronize());
    OK(driver->CtxDestroy_v2(context));
}

/* The first ABIs of cuStreamDestroy and cuEventDestroy wait; the current ones do not. */
static void stream_that_is_destroyed(bool is_ordered)
{
    CUstream stream = order_stream(CU_STREAM_NON_BLOCKING);

    order_write(stream);
    OK(is_ordered ? driver->StreamDestroy(stream) : driver->StreamDestroy_v2(stream));
    order_read(order_streams[0]);
}

static void event_that_is_destroyed(bool is_ordered)
{
    CUevent event = order_event(CU_EVENT_DISABLE_TIMING);

    order_write(order_streams[0]);
    OK(driver->EventRecord(event, order_streams[0]));
    OK(is_ordered ? driver->EventDestroy(event) : driver->EventDestroy_v2(event));
    order_read(order_streams[1]);
}

/* Each function that copies or sets uses the memory of its arguments. */
#define USE(name, call)                                      \
    static void name(bool is_ordered)                        \
    {                                                        \
        order_write(order_streams[0]);                       \
        if (is_ordered)                                      \
            OK(driver->StreamSynchronize(order_streams[0])); \
        OK(driver->call);                                    \
    }

USE(copy_to_device, MemcpyHtoDAsync_v2(order_memory, order_host, 64, order_streams[1]))
USE(copy_to_device_at_once, MemcpyHtoD_v2(order_memory, order_host, 64))
USE(copy_to_host_at_once, MemcpyDtoH_v2(order_host, order_memory, 64))
USE(copy_on_device, MemcpyDtoDAsync_v2(order_memory + 64, order_memory, 64, order_streams[1]))
USE(copy_on_device_at_once, MemcpyDtoD_v2(order_memory + 64, order_memory, 64))
USE(copy, MemcpyAsync(order_memory, (uintptr_t)order_host, 64, order_streams[1]))
USE(copy_at_once, Memcpy(order_memory, (uintptr_t)order_host, 64))
USE(set_words, MemsetD32Async(order_memory, 1, 16, order_streams[1]))
USE(set_words_at_once, MemsetD32_v2(order_memory, 1, 16))
USE(set_shorts, MemsetD16Async(order_memory, 1, 16, order_streams[1]))
USE(set_rows, MemsetD2D8Async(order_memory, 64, 1, 16, 4, order_streams[1]))
USE(set_rows_of_words_at_once, MemsetD2D32_v2(order_memory, 64, 1, 4, 4))

/* Two copies may read the same memory, and may not write to it. */
static void copies_of_one_source(bool is_ordered)
{
    const CUdeviceptr to = order_memory + (is_ordered ? 128 : 64);

    OK(driver->MemcpyDtoDAsync_v2(order_memory + 64, order_memory, 64, order_streams[0]));
    OK(driver->MemcpyDtoDAsync_v2(to, order_memory, 64, order_streams[1]));
}

/* Rows with gaps: two copies of adjacent columns have no byte in common. */
static void copy_2d(bool is_ordered)
{
    CUDA_MEMCPY2D copy = {
        FROM_HOST(order_host, 64),
        TO_DEVICE(order_memory, 256),
        .WidthInBytes = 64,
        .Height = 16,
    };

    OK(driver->Memcpy2DAsync_v2(&copy, order_streams[0]));
    OK(driver->MemsetD2D8Async(order_memory + (is_ordered ? 64 : 63), 256, 1, 64, 15,
                               order_streams[1]));
}

static void copy_3d(bool is_ordered)
{
    CUDA_MEMCPY3D copy = {
        FROM_HOST(order_host, 64),
        TO_DEVICE(order_memory, 64),
        .srcHeight = 4,
        .dstHeight = 8,
        .WidthInBytes = 64,
        .Height = 4,
        .Depth = 2,
    };

    OK(driver->Memcpy3DAsync_v2(&copy, order_streams[0]));
    OK(driver->MemsetD8Async(order_memory + (is_ordered ? 256 : 255), 1, 256, order_streams[1]));
}

static void allocation(bool is_ordered)
{
    CUdeviceptr pooled;

    OK(driver->MemAllocAsync(&pooled, 64, order_streams[0]));
    if (is_ordered)
        OK(driver->StreamSynchronize(order_streams[0]));
    OK(driver->MemsetD8Async(pooled, 1, 64, order_streams[1]));
    OK(driver->CtxSynchronize());
    OK(driver->MemFree_v2(pooled));
}

static void free_on_another_stream(bool is_ordered)
{
    CUdeviceptr pooled;

    OK(driver->MemAllocAsync(&pooled, 64, order_streams[0]));
    OK(driver->MemsetD8Async(pooled, 1, 64, order_streams[0]));
    OK(driver->MemFreeAsync(pooled, order_streams[is_ordered ? 0 : 1]));
}

/* cuMemFree waits for all work of the memory's context, and of no other context. */
static void free_of_other_memory(bool is_ordered)
{
    CUcontext other, popped;
    CUdeviceptr memory;

    OK(driver->CtxCreate_v2(&other, 0, 0));
    if (is_ordered)
        OK(driver->CtxPopCurrent_v2(&popped));
    OK(driver->MemAlloc_v2(&memory, 16));
    if (!is_ordered)
        OK(driver->CtxPopCurrent_v2(&popped));
    order_write(order_streams[0]);
    OK(driver->MemFree_v2(memory));
    order_read(order_streams[1]);
    OK(driver->CtxDestroy_v2(other));
}

static void page_locked_memory(bool is_ordered)
{
    CUdeviceptr other;

    OK(driver->MemAlloc_v2(&other, ORDER_BYTES));
    order_read(order_streams[0]);
    if (is_ordered)
        OK(driver->StreamSynchronize(order_streams[0]));
    OK(driver->MemcpyHtoDAsync_v2(other, order_host, 16, order_streams[1]));
    OK(driver->CtxSynchronize());
}

static void graph(bool is_ordered)
{
    CUgraph graph;
    CUgraphExec exec;

    OK(driver->GraphCreate(&graph, 0));
    OK(driver->GraphInstantiateWithFlags(&exec, graph, 0));
    order_write(order_streams[0]);
    OK(driver->GraphLaunch(exec, order_streams[0]));
    order_read(order_streams[is_ordered ? 0 : 1]);
    OK(driver->GraphExecDestroy(exec));
    OK(driver->GraphDestroy(graph));
}

const struct order_edge order_edges[] = {
    ORDER_EDGE(one_stream),
    ORDER_EDGE(event),
    ORDER_EDGE(event_recorded_again),
    ORDER_EDGE(event_of_a_third_stream),
    ORDER_EDGE(event_synchronize),
    ORDER_EDGE(event_query),
    ORDER_EDGE(stream_query),
    ORDER_EDGE(stream_synchronize),
    ORDER_EDGE(context_synchronize),
    ORDER_EDGE(default_stream),
    ORDER_EDGE(default_stream_after_blocking),
    ORDER_EDGE(kernel_on_default_stream),
    ORDER_EDGE(per_thread_stream),
    ORDER_EDGE(synchronous_copy),
    ORDER_EDGE(synchronous_copy_of_pageable_memory),
    ORDER_EDGE(set),
    ORDER_EDGE(set_of_synchronous_memory),
    ORDER_EDGE(set_in_synchronous_context),
    ORDER_EDGE(stream_that_is_destroyed),
    ORDER_EDGE(event_that_is_destroyed),
    ORDER_EDGE(copy_to_device),
    ORDER_EDGE(copy_to_device_at_once),
    ORDER_EDGE(copy_to_host_at_once),
    ORDER_EDGE(copy_on_device),
    ORDER_EDGE(copy_on_device_at_once),
    ORDER_EDGE(copy),
    ORDER_EDGE(copy_at_once),
    ORDER_EDGE(set_words),
    ORDER_EDGE(set_words_at_once),
    ORDER_EDGE(set_shorts),
    ORDER_EDGE(set_rows),
    ORDER_EDGE(set_rows_of_words_at_once),
    ORDER_EDGE(copies_of_one_source),
    ORDER_EDGE(copy_2d),
    ORDER_EDGE(copy_3d),
    ORDER_EDGE(allocation),
    ORDER_EDGE(free_on_another_stream),
    ORDER_EDGE(free_of_other_memory),
    ORDER_EDGE(page_locked_memory),
    ORDER_EDGE(graph),
    {NULL, NULL},
};
