/* SPDX-License-Identifier: Apache-2.0 */
/* What orders work on the device, and that nothing is reported where it cannot be known. */
#include <string.h>

#include "src/check/finding.h"
#include "tests/check/order_fixture.h"

/* --- what is followed --- */

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
    OK(driver->EventDestroy_v2(event));
}

/* The record that a wait was queued for counts, and not the next one. */
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
    OK(driver->EventDestroy_v2(event));
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
    OK(driver->EventDestroy_v2(one));
    OK(driver->EventDestroy_v2(two));
    OK(driver->StreamDestroy_v2(third));
}

static void event_synchronize(bool is_ordered)
{
    CUevent event = order_event(CU_EVENT_DISABLE_TIMING);

    order_write(order_streams[0]);
    OK(driver->EventRecord(event, order_streams[0]));
    if (is_ordered)
        OK(driver->EventSynchronize(event));
    order_read(order_streams[1]);
    OK(driver->EventDestroy_v2(event));
}

/* A query that answers that it is done is as good as a wait; one that does not is nothing. */
static void event_query(bool is_ordered)
{
    CUevent event = order_event(CU_EVENT_DISABLE_TIMING);

    order_write(order_streams[0]);
    if (!is_ordered)
        order_spin(order_streams[0]);
    OK(driver->EventRecord(event, order_streams[0]));
    if (is_ordered)
        OK(cushim_mock_drain(order_mock));
    assert_int_equal(driver->EventQuery(event), is_ordered ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY);
    order_read(order_streams[1]);
    OK(driver->EventDestroy_v2(event));
}

static void stream_query(bool is_ordered)
{
    order_write(order_streams[0]);
    if (!is_ordered)
        order_spin(order_streams[0]);
    else
        OK(cushim_mock_drain(order_mock));
    assert_int_equal(driver->StreamQuery(order_streams[0]),
                     is_ordered ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY);
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

/* The legacy default stream and blocking streams wait for each other; others do not. */
static void default_stream(bool is_ordered)
{
    CUstream stream = order_stream(is_ordered ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING);

    order_write(NULL);
    order_read(stream);
    OK(driver->StreamDestroy_v2(stream));
}

static void default_stream_after_blocking(bool is_ordered)
{
    CUstream stream = order_stream(is_ordered ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING);

    order_write(stream);
    order_read(CU_STREAM_LEGACY);
    OK(driver->StreamDestroy_v2(stream));
}

/* A kernel on the default stream orders what blocking streams do around it. */
static void kernel_on_default_stream(bool is_ordered)
{
    CUstream one = order_stream(CU_STREAM_DEFAULT), other = order_stream(CU_STREAM_DEFAULT);

    order_write(one);
    order_spin(is_ordered ? NULL : other);
    order_read(other);
    OK(driver->StreamDestroy_v2(one));
    OK(driver->StreamDestroy_v2(other));
}

static void per_thread_stream(bool is_ordered)
{
    order_write(CU_STREAM_PER_THREAD);
    if (is_ordered)
        OK(driver->MemcpyDtoHAsync_v2_ptsz(order_host, order_memory, ORDER_BYTES, NULL));
    else
        order_read(order_streams[0]);
}

/* Copies that are not asynchronous and go to the host wait, those on the device do not. */
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
    OK(driver->MemFree_v2(other));
}

/* From pageable memory so much is copied behind the call's back. */
static void synchronous_copy_of_pageable_memory(bool is_ordered)
{
    enum { MUCH = (64 << 10) + 1 };
    static char pageable[MUCH];
    CUdeviceptr much;

    OK(driver->MemAlloc_v2(&much, MUCH));
    OK(driver->MemcpyHtoD_v2(much, pageable, is_ordered ? MUCH : 16));
    OK(driver->MemsetD8Async(much, 1, MUCH, order_streams[0]));
    OK(driver->CtxSynchronize());
    OK(driver->MemFree_v2(much));
}

static void set(bool is_ordered)
{
    OK(driver->MemsetD8_v2(order_memory, 1, ORDER_BYTES));
    if (is_ordered)
        OK(driver->StreamSynchronize(NULL));
    order_read(order_streams[0]);
}

/* Rows with gaps between them: of two that lie beside each other no byte is the same. */
static void copy_2d(bool is_ordered)
{
    CUDA_MEMCPY2D copy = {
        .srcMemoryType = CU_MEMORYTYPE_HOST,
        .srcHost = order_host,
        .srcPitch = 64,
        .dstMemoryType = CU_MEMORYTYPE_DEVICE,
        .dstDevice = order_memory,
        .dstPitch = 256,
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
        .srcMemoryType = CU_MEMORYTYPE_HOST,
        .srcHost = order_host,
        .dstMemoryType = CU_MEMORYTYPE_DEVICE,
        .dstDevice = order_memory,
        .srcPitch = 64,
        .srcHeight = 4,
        .dstPitch = 64,
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

/* cuMemFree waits for all work of the memory's context, and of no other. */
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
    OK(driver->MemFree_v2(other));
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

static const struct order_edge edges[] = {
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
    ORDER_EDGE(copy_2d),
    ORDER_EDGE(copy_3d),
    ORDER_EDGE(allocation),
    ORDER_EDGE(free_on_another_stream),
    ORDER_EDGE(free_of_other_memory),
    ORDER_EDGE(page_locked_memory),
    ORDER_EDGE(graph),
    {NULL, NULL},
};

static void what_orders_work_decides(void **state)
{
    (void)state;
    order_check_edges(edges);
}

/* --- what is not followed --- */

static void CUDA_CB do_nothing(void *data)
{
    (void)data;
}

/* The host function may wake a thread that knows then that the set is done. */
static void host_function(void)
{
    order_write(order_streams[0]);
    OK(driver->LaunchHostFunc(order_streams[0], do_nothing, NULL));
    order_read(order_streams[1]);
}

/* It comes behind what is on the default stream. */
static void host_function_on_blocking_stream(void)
{
    CUstream stream = order_stream(CU_STREAM_DEFAULT);

    order_write(NULL);
    OK(driver->LaunchHostFunc(stream, do_nothing, NULL));
    order_read(order_streams[1]);
    OK(driver->StreamDestroy_v2(stream));
}

/* And it may wait for whatever comes later. */
static void host_function_that_waits(void)
{
    OK(driver->LaunchHostFunc(order_streams[0], do_nothing, NULL));
    order_read(order_streams[0]);
    order_write(order_streams[1]);
}

static void value(void)
{
    OK(driver->StreamWaitValue32_v2(order_streams[0], order_memory, 0, CU_STREAM_WAIT_VALUE_GEQ));
    OK(driver->MemsetD8Async(order_memory + 64, 1, 64, order_streams[0]));
    OK(driver->MemsetD8Async(order_memory + 64, 2, 64, order_streams[1]));
    OK(driver->StreamWriteValue32_v2(order_streams[1], order_memory, 1, 0));
}

static void interprocess_event(void)
{
    CUevent event = order_event(CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING);

    order_write(order_streams[0]);
    OK(driver->StreamWaitEvent(order_streams[1], event, 0));
    order_read(order_streams[1]);
    OK(driver->EventDestroy_v2(event));
}

/* It may have been recorded by a library that calls the driver past the layer. */
static void event_that_nobody_recorded(void)
{
    CUevent event = order_event(CU_EVENT_DISABLE_TIMING);

    order_write(order_streams[0]);
    OK(driver->StreamWaitEvent(order_streams[1], event, 0));
    order_read(order_streams[1]);
    OK(driver->EventDestroy_v2(event));
}

static CUresult CUDAAPI give_table(const void **table, const CUuuid *id)
{
    (void)id;
    *table = NULL;
    return CUDA_SUCCESS;
}

/* The mock has none. */
static void export_table(void)
{
    const void *table;
    CUuuid id = {{0}};

    cushim_layer_next(order_layer)->GetExportTable = give_table;
    order_write(order_streams[0]);
    OK(driver->GetExportTable(&table, &id));
    order_read(order_streams[1]);
}

static CUresult CUDAAPI unknown_function(void)
{
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI give_unknown(const char *symbol, void **function, int version,
                                     cuuint64_t flags, CUdriverProcAddressQueryResult *status)
{
    CUresult(CUDAAPI *const given)(void) = unknown_function;

    (void)symbol;
    (void)version;
    (void)flags;
    (void)status;
    memcpy(function, &given, sizeof given);
    return CUDA_SUCCESS;
}

/* A function of a driver that is newer than the registry may wait for anything. */
static void function_that_is_not_known(void)
{
    void *function;

    cushim_layer_next(order_layer)->GetProcAddress_v2 = give_unknown;
    order_write(order_streams[0]);
    OK(driver->GetProcAddress_v2("cuFutureWait", &function, 15000, 0, NULL));
    order_read(order_streams[1]);
}

/* What is captured is no work; nor is known what waits during a capture. */
static void capture(void)
{
    CUgraph graph;
    CUstream stream = order_stream(CU_STREAM_NON_BLOCKING);

    OK(driver->StreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    order_write(stream);
    order_read(order_streams[0]);
    order_write(order_streams[1]);
    OK(driver->StreamEndCapture(stream, &graph));
    OK(driver->GraphDestroy(graph));
    OK(driver->StreamDestroy_v2(stream));
}

/* The launch waits for it. */
static void graph_that_copies_to_pageable_memory(void)
{
    static char pageable[64];
    const CUDA_MEMCPY3D copy = {
        .srcMemoryType = CU_MEMORYTYPE_DEVICE,
        .srcDevice = order_memory,
        .dstMemoryType = CU_MEMORYTYPE_HOST,
        .dstHost = pageable,
        .WidthInBytes = sizeof pageable,
        .Height = 1,
        .Depth = 1,
    };
    CUgraph graph;
    CUgraphNode node;
    CUgraphExec exec;

    OK(driver->GraphCreate(&graph, 0));
    OK(driver->GraphAddMemcpyNode(&node, graph, NULL, 0, &copy, order_context));
    OK(driver->GraphInstantiateWithFlags(&exec, graph, 0));
    order_write(order_streams[0]);
    OK(driver->GraphLaunch(exec, order_streams[0]));
    order_read(order_streams[1]);
    OK(driver->GraphExecDestroy(exec));
    OK(driver->GraphDestroy(graph));
}

/* To load a module waits for all work of the context. */
static void module_that_is_loaded(void)
{
    static const char image[] = ".version 6.0\n.target sm_50\n.address_size 64\n";
    CUmodule module;

    order_write(order_streams[0]);
    OK(driver->ModuleLoadData(&module, image));
    order_read(order_streams[1]);
    OK(driver->ModuleUnload(module));
}

static void capture_that_records(void)
{
    CUevent event = order_event(CU_EVENT_DISABLE_TIMING);
    CUgraph graph;
    CUgraphExec exec;

    OK(driver->StreamBeginCapture_v2(order_streams[0], CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(driver->EventRecordWithFlags(event, order_streams[0], CU_EVENT_RECORD_EXTERNAL));
    OK(driver->StreamEndCapture(order_streams[0], &graph));
    OK(driver->GraphInstantiateWithFlags(&exec, graph, 0));
    OK(driver->EventRecord(event, order_streams[1]));
    order_write(order_streams[0]);
    OK(driver->GraphLaunch(exec, order_streams[0]));
    OK(driver->StreamWaitEvent(order_streams[1], event, 0));
    order_read(order_streams[1]);
    OK(driver->GraphExecDestroy(exec));
    OK(driver->GraphDestroy(graph));
    OK(driver->EventDestroy_v2(event));
}

/* A graph records the event anew at each launch. */
static void graph_that_records(void)
{
    CUevent event = order_event(CU_EVENT_DISABLE_TIMING);
    CUgraph graph;
    CUgraphNode node;
    CUgraphExec exec;

    OK(driver->GraphCreate(&graph, 0));
    OK(driver->GraphAddEventRecordNode(&node, graph, NULL, 0, event));
    OK(driver->GraphInstantiateWithFlags(&exec, graph, 0));
    OK(driver->EventRecord(event, order_streams[1]));
    order_write(order_streams[0]);
    OK(driver->GraphLaunch(exec, order_streams[0]));
    OK(driver->StreamWaitEvent(order_streams[1], event, 0));
    order_read(order_streams[1]);
    OK(driver->GraphExecDestroy(exec));
    OK(driver->GraphDestroy(graph));
    OK(driver->EventDestroy_v2(event));
}

static void memory_that_was_not_seen(void)
{
    CUdeviceptr unseen;

    OK(cushim_mock_table(order_mock)->MemAlloc_v2(&unseen, 64));
    OK(driver->MemsetD8Async(unseen, 1, 64, order_streams[0]));
    OK(driver->MemsetD8Async(unseen, 1, 64, order_streams[1]));
    OK(driver->CtxSynchronize());
    OK(cushim_mock_table(order_mock)->MemFree_v2(unseen));
}

static void stream_that_was_not_seen(void)
{
    const struct cushim_table *below = cushim_mock_table(order_mock);
    CUstream unseen;

    OK(below->StreamCreate(&unseen, CU_STREAM_NON_BLOCKING));
    order_write(order_streams[0]);
    order_write(unseen);
    OK(driver->StreamSynchronize(unseen));
    order_read(order_streams[1]);
    OK(below->StreamDestroy_v2(unseen));
}

static void failed_call(void)
{
    order_write(order_streams[0]);
    assert_int_equal(
        driver->MemcpyDtoHAsync_v2(order_host, order_memory, 2 * ORDER_BYTES, order_streams[1]),
        CUDA_ERROR_INVALID_VALUE);
}

static void what_cannot_be_followed_is_not_reported(void **state)
{
    void (*const programs[])(void) = {
        host_function,
        host_function_on_blocking_stream,
        host_function_that_waits,
        value,
        interprocess_event,
        event_that_nobody_recorded,
        export_table,
        capture,
        graph_that_copies_to_pageable_memory,
        module_that_is_loaded,
        graph_that_records,
        capture_that_records,
        function_that_is_not_known,
        memory_that_was_not_seen,
        stream_that_was_not_seen,
    };

    (void)state;
    for (unsigned i = 0; i < sizeof programs / sizeof *programs; i++) {
        order_begin("mode = auto");
        programs[i]();
        if (cushim_check_count(order_layer, "CUSHIM-race") > 0)
            print_error("program %u\n", i);
        order_take("CUSHIM-race", 0);
        order_end();
    }
    order_begin("mode = auto");
    failed_call();
    assert_int_equal(cushim_check_count(order_layer, "CUSHIM-race"), 0);
    order_take("CUSHIM-memory-bounds", 1);
    order_end();
}

/* But what comes after it is looked at again. */
static void a_host_function_that_is_waited_for_hides_nothing_later(void **state)
{
    (void)state;
    host_function_that_waits();
    OK(driver->CtxSynchronize());
    order_write(order_streams[0]);
    order_read(order_streams[1]);
    order_take("CUSHIM-race", 1);
}

static void a_race_names_both_calls_and_the_memory(void **state)
{
    const struct cushim__finding *finding;

    (void)state;
    order_write(order_streams[0]);
    order_read(order_streams[1]);
    order_take("CUSHIM-race", 1);
    finding = cushim__finding_next(NULL);
    assert_non_null(finding);
    assert_non_null(strstr(finding->what,
                           "copy (operation 2, stream#2, cuMemcpyDtoHAsync_v2) reads "
                           "and set (operation 1, stream#1, cuMemsetD8Async) writes "
                           "bytes 0 to 4096 of memory#1"));
    assert_string_equal(finding->object, "memory#1");
    assert_string_equal(cushim__slot_name(finding->misuse.slot), "cuMemcpyDtoHAsync_v2");
    assert_string_equal(cushim__slot_name(finding->earlier.slot), "cuMemsetD8Async");
    assert_int_equal(finding->earlier.place.call + 1, finding->misuse.place.call);
}

/* One place of the program is one finding, however often it is there. */
static void a_place_is_reported_once(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 8; i++) {
        order_write(order_streams[i % 2]);
        OK(driver->EventDestroy_v2(order_event(0)));
    }
    order_take("CUSHIM-race", 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_orders_work_decides),
        cmocka_unit_test(what_cannot_be_followed_is_not_reported),
        cmocka_unit_test_setup_teardown(a_host_function_that_is_waited_for_hides_nothing_later,
                                        order_setup, order_teardown),
        cmocka_unit_test_setup_teardown(a_race_names_both_calls_and_the_memory, order_setup,
                                        order_teardown),
        cmocka_unit_test_setup_teardown(a_place_is_reported_once, order_setup, order_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
