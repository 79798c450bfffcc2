/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Relations that order work on the device (order_edges.c), and relations that check cannot follow,
 * where it must report nothing.
 */

#include "src/check/finding.h"
#include "tests/check/order_fixture.h"
#include "tests/support/structs.h"

TEST_ALONE(what_orders_work_decides)
{
    order_check_edges(order_edges);
}

/* --- relations that check cannot follow --- */

static void CUDA_CB do_nothing(void *data)
{
    (void)data;
}

/* The host function may wake a thread, which then knows that the memset is complete. */
static void host_function(void)
{
    order_write(order_streams[0]);
    OK(driver->LaunchHostFunc(order_streams[0], do_nothing, NULL));
    order_read(order_streams[1]);
}

/* The host function comes after the work of the default stream. */
static void host_function_on_blocking_stream(void)
{
    CUstream stream = order_stream(CU_STREAM_DEFAULT);

    order_write(NULL);
    OK(driver->LaunchHostFunc(stream, do_nothing, NULL));
    order_read(order_streams[1]);
}

/* A host function may wait for work that is queued later. */
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
}

/* A library that calls the driver below the layer may have recorded the event. */
static void event_that_nobody_recorded(void)
{
    CUevent event = order_event(CU_EVENT_DISABLE_TIMING);

    order_write(order_streams[0]);
    OK(driver->StreamWaitEvent(order_streams[1], event, 0));
    order_read(order_streams[1]);
}

static CUresult CUDAAPI give_table(const void **table, const CUuuid *id)
{
    (void)id;
    *table = NULL;
    return CUDA_SUCCESS;
}

/* The mock has no export tables. */
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

/* A function that is newer than the registry may wait for anything. */
static void function_that_is_not_known(void)
{
    void *function;

    cushim_layer_next(order_layer)->GetProcAddress_v2 = give_unknown;
    order_write(order_streams[0]);
    OK(driver->GetProcAddress_v2("cuFutureWait", &function, 15000, 0, NULL));
    order_read(order_streams[1]);
}

/* Captured calls are no work, and check does not know what waits during a capture. */
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
}

/* The launch waits for the copy. */
static void graph_that_copies_to_pageable_memory(void)
{
    static char pageable[64];
    const CUDA_MEMCPY3D copy = {
        FROM_DEVICE(order_memory, 0),
        TO_HOST(pageable, 0),
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

/* Loading a module waits for all work of the context. */
static void module_that_is_loaded(void)
{
    static const char image[] = ".version 6.0\n.target sm_50\n.address_size 64\n";
    CUmodule module;

    order_write(order_streams[0]);
    OK(driver->ModuleLoadData(&module, image));
    order_read(order_streams[1]);
}

/* Launch a graph that records the event, which a stream has recorded before, and destroy it. */
static void launch_recording(CUgraph graph, CUevent event)
{
    CUgraphExec exec;

    OK(driver->GraphInstantiateWithFlags(&exec, graph, 0));
    OK(driver->EventRecord(event, order_streams[1]));
    order_write(order_streams[0]);
    OK(driver->GraphLaunch(exec, order_streams[0]));
    OK(driver->StreamWaitEvent(order_streams[1], event, 0));
    order_read(order_streams[1]);
    OK(driver->GraphExecDestroy(exec));
    OK(driver->GraphDestroy(graph));
}

static void capture_that_records(void)
{
    CUevent event = order_event(CU_EVENT_DISABLE_TIMING);
    CUgraph graph;

    OK(driver->StreamBeginCapture_v2(order_streams[0], CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(driver->EventRecordWithFlags(event, order_streams[0], CU_EVENT_RECORD_EXTERNAL));
    OK(driver->StreamEndCapture(order_streams[0], &graph));
    launch_recording(graph, event);
}

/* A graph records the event again at each launch. */
static void graph_that_records(void)
{
    CUevent event = order_event(CU_EVENT_DISABLE_TIMING);
    CUgraph graph;
    CUgraphNode node;

    OK(driver->GraphCreate(&graph, 0));
    OK(driver->GraphAddEventRecordNode(&node, graph, NULL, 0, event));
    launch_recording(graph, event);
}

/* The same if the node is added while another stream is captured. */
static void node_that_records_during_a_capture(void)
{
    CUevent event = order_event(CU_EVENT_DISABLE_TIMING);
    CUstream captured = order_stream(CU_STREAM_NON_BLOCKING);
    CUgraph graph, empty;
    CUgraphNode node;

    OK(driver->GraphCreate(&graph, 0));
    OK(driver->StreamBeginCapture_v2(captured, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(driver->GraphAddEventRecordNode(&node, graph, NULL, 0, event));
    OK(driver->StreamEndCapture(captured, &empty));
    launch_recording(graph, event);
    OK(driver->GraphDestroy(empty));
}

static void event_that_a_context_records(void)
{
    CUevent event = order_event(CU_EVENT_DISABLE_TIMING);

    OK(driver->EventRecord(event, order_streams[1]));
    order_write(order_streams[0]);
    OK(driver->CtxRecordEvent(order_context, event));
    OK(driver->StreamWaitEvent(order_streams[1], event, 0));
    order_read(order_streams[1]);
}

static CUresult CUDAAPI launch_without_attributes(const CUlaunchConfig *config, CUfunction function,
                                                  void **parameters, void **extra)
{
    CUlaunchConfig plain = *config;

    plain.numAttrs = 0;
    return order_below->LaunchKernelEx(&plain, function, parameters, extra);
}

/* A launch attribute can record an event; the mock refuses it. */
static void event_that_a_launch_records(void)
{
    CUevent event = order_event(CU_EVENT_DISABLE_TIMING);

    cushim_layer_next(order_layer)->LaunchKernelEx = launch_without_attributes;
    OK(driver->EventRecord(event, order_streams[1]));
    order_write(order_streams[0]);
    order_spin_recording(order_streams[0], event);
    OK(driver->StreamWaitEvent(order_streams[1], event, 0));
    order_read(order_streams[1]);
}

/* The copy waits for both devices, and both wait for it. */
static void copy_between_contexts(void)
{
    order_write(order_streams[0]);
    OK(driver->MemcpyPeer(order_memory, order_context, order_memory + 64, order_context, 64));
    order_read(order_streams[1]);
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
    OK(driver->LaunchHostFunc(unseen, do_nothing, NULL));
    OK(driver->StreamSynchronize(unseen));
    order_read(order_streams[1]);
}

static void failed_call(void)
{
    order_write(order_streams[0]);
    assert_int_equal(
        driver->MemcpyDtoHAsync_v2(order_host, order_memory, 2 * ORDER_BYTES, order_streams[1]),
        CUDA_ERROR_INVALID_VALUE);
}

TEST_ALONE(what_cannot_be_followed_is_not_reported)
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
        node_that_records_during_a_capture,
        event_that_a_context_records,
        event_that_a_launch_records,
        copy_between_contexts,
        capture_that_records,
        function_that_is_not_known,
        memory_that_was_not_seen,
        stream_that_was_not_seen,
    };

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

/* Work after the host function is checked again. */
TEST_BETWEEN(a_host_function_that_is_waited_for_hides_nothing_later, order_setup, order_teardown)
{
    host_function_that_waits();
    OK(driver->CtxSynchronize());
    order_write(order_streams[0]);
    order_read(order_streams[1]);
    order_take("CUSHIM-race", 1);
}

TEST_BETWEEN(a_race_names_both_calls_and_the_memory, order_setup, order_teardown)
{
    const struct cushim__finding *finding;

    order_write(order_streams[0]);
    order_read(order_streams[1]);
    order_take("CUSHIM-race", 1);
    finding = cushim__finding_next(NULL);
    assert_non_null(finding);
    CONTAINS(finding->what, "copy (stream#2, cuMemcpyDtoHAsync_v2) reads "
                            "and set (stream#1, cuMemsetD8Async) writes "
                            "bytes 0 to 4096 of memory#1");
    assert_string_equal(finding->object, "memory#1");
    assert_string_equal(cushim__slot_name(finding->misuse.slot), "cuMemcpyDtoHAsync_v2");
    assert_string_equal(cushim__slot_name(finding->earlier.slot), "cuMemsetD8Async");
    assert_int_equal(finding->earlier.place.call + 1, finding->misuse.place.call);
}

/* One place in the program is one finding, however often it is reached. */
TEST_BETWEEN(a_place_is_reported_once, order_setup, order_teardown)
{
    for (unsigned i = 0; i < 8; i++) {
        order_write(order_streams[i % 2]);
        OK(driver->EventDestroy_v2(order_event(0)));
    }
    order_take("CUSHIM-race", 1);
}

/* Calls are not work while a stream is captured, even after many captures. */
TEST_BETWEEN(captures_are_counted_without_end, order_setup, order_teardown)
{
    enum { COUNT = 70 };
    CUstream streams[COUNT];
    CUgraph graph;

    for (unsigned i = 0; i < COUNT; i++) {
        OK(driver->StreamCreate(&streams[i], CU_STREAM_NON_BLOCKING));
        OK(driver->StreamBeginCapture_v2(streams[i], CU_STREAM_CAPTURE_MODE_RELAXED));
    }
    for (unsigned i = 0; i < COUNT; i++) {
        OK(driver->MemsetD8Async(order_memory, 1, 64, streams[i]));
        if (i < COUNT - 2) {
            OK(driver->StreamEndCapture(streams[i], &graph));
            OK(driver->GraphDestroy(graph));
        }
    }
    for (unsigned i = COUNT - 2; i < COUNT; i++) {
        OK(driver->StreamEndCapture(streams[i], &graph));
        OK(driver->GraphDestroy(graph));
    }
    for (unsigned i = 0; i < COUNT; i++)
        OK(driver->StreamDestroy_v2(streams[i]));
}
