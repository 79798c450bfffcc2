/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of the mock's operations: longer durations, hangs, and sticky errors of the device. */

#include <cushim/testing/layer.h>

#include "src/layer/fault_rule.h"
#include "tests/mock/fixture.h"

static char message[400];

static struct cushim_layer *layer(void)
{
    return cushim_layer_current();
}

FIXTURE_TEST(delayed_operation_takes_so_much_longer, "fault = op.kernel:nth=2 => delay(5 ms)")
{
    CUstream stream = fixture_stream();

    assert_true(fixture_spin_ms(stream, 1000000) < 1.1F);
    assert_true(fixture_spin_ms(stream, 1000000) >= 6);
    assert_true(fixture_spin_ms(stream, 1000000) < 1.1F);
    assert_int_equal(cushim_fault_matched(layer(), 0), 3);
    assert_int_equal(cushim_fault_fired(layer(), 0), 1);
}

FIXTURE_TEST(delays_add_up, "fault = op.kernel => delay(5 ms)\nfault = op.*:every=2 => delay(2 ms)")
{
    CUstream stream = fixture_stream();

    /*
     * The operations are a record, the kernel, and another record, so every=2 selects the kernel.
     */
    assert_true(fixture_spin_ms(stream, 1000000) >= 8);
}

TEST_ALONE(sticky_operation_has_no_effect_and_faults_for_ever)
{
    unsigned char *host, bytes[4] = {1, 2, 3, 4};
    CUdeviceptr memory;
    CUstream stream;
    CUevent event;
    int devices = 0;

    fixture_begin("fault = op.set:nth=2 => sticky(ECC_UNCORRECTABLE)");
    stream = fixture_stream();
    event = fixture_event();
    OK(driver->MemAlloc_v2(&memory, 4));
    OK(driver->MemcpyHtoD_v2(memory, bytes, 4));
    OK(driver->MemsetD8Async(memory, 7, 1, stream));
    OK(driver->StreamSynchronize(stream));
    OK(driver->MemsetD8Async(memory + 1, 7, 1, stream));
    CODE(CUDA_ERROR_ECC_UNCORRECTABLE, driver->StreamSynchronize(stream));
    CODE(CUDA_ERROR_ECC_UNCORRECTABLE, driver->EventQuery(event));
    OK(driver->DeviceGetCount(&devices));
    host = cushim_mock_memory(fixture_mock, memory, 4);
    assert_int_equal(host[0], 7);
    assert_int_equal(host[1], 2);
    OK(cushim_mock_destroy(fixture_mock));
}

TEST_ALONE(lost_device_fails_functions_of_devices_too)
{
    CUstream stream;
    int value = 0;

    fixture_begin("fault = op.kernel:nth=1 => lost(ILLEGAL_STATE)");
    stream = fixture_stream();
    OK(driver->DeviceGetAttribute(&value, 1, 0));
    fixture_spin(stream, 10);
    CODE(CUDA_ERROR_ILLEGAL_STATE, driver->StreamSynchronize(stream));
    CODE(CUDA_ERROR_ILLEGAL_STATE, driver->DeviceGetAttribute(&value, 1, 0));
    CODE(CUDA_ERROR_ILLEGAL_STATE, driver->DevicePrimaryCtxRelease_v2(0));
    OK(driver->DeviceGetCount(&value));
    cushim_fault_clear(layer());
    OK(driver->DeviceGetAttribute(&value, 1, 0));
    OK(cushim_mock_destroy(fixture_mock));
}

static unsigned ran;

static void CUDA_CB run_host(void *data)
{
    ran++;
}

static CUresult reported;

static void CUDA_CB run_callback(CUstream stream, CUresult status, void *data)
{
    reported = status;
}

TEST_ALONE(host_function_that_faults_is_not_called)
{
    CUstream stream;

    fixture_begin("fault = op.host => sticky(ILLEGAL_ADDRESS)");
    stream = fixture_stream();
    ran = 0;
    OK(driver->LaunchHostFunc(stream, run_host, NULL));
    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, driver->StreamSynchronize(stream));
    assert_int_equal(ran, 0);
    OK(cushim_mock_destroy(fixture_mock));
}

TEST_ALONE(callback_that_faults_receives_the_error)
{
    CUstream stream;

    fixture_begin("fault = op.callback => sticky(ILLEGAL_ADDRESS)");
    stream = fixture_stream();
    reported = CUDA_SUCCESS;
    OK(driver->StreamAddCallback(stream, run_callback, NULL, 0));
    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, driver->StreamSynchronize(stream));
    assert_int_equal(reported, CUDA_ERROR_ILLEGAL_ADDRESS);
    OK(cushim_mock_destroy(fixture_mock));
}

FIXTURE_TEST(rule_of_a_device_meets_its_streams_alone,
             "devices = 2\nfault = op.set@dev1:nth=2 => delay(1 ms)")
{
    CUcontext second, popped;
    CUdeviceptr memory[2];

    OK(driver->MemAlloc_v2(&memory[0], 16));
    OK(driver->DevicePrimaryCtxRetain(&second, 1));
    for (int i = 0; i < 3; i++)
        OK(driver->MemsetD8Async(memory[0], 1, 16, NULL));
    OK(driver->CtxPushCurrent_v2(second));
    OK(driver->MemAlloc_v2(&memory[1], 16));
    OK(driver->MemsetD8Async(memory[1], 1, 16, NULL));
    OK(driver->CtxSynchronize());
    assert_int_equal(cushim_fault_matched(layer(), 0), 1);
    OK(driver->MemsetD8Async(memory[1], 1, 16, NULL));
    OK(driver->CtxSynchronize());
    assert_int_equal(cushim_fault_matched(layer(), 0), 2);
    assert_int_equal(cushim_fault_fired(layer(), 0), 1);
    OK(driver->MemFree_v2(memory[1]));
    OK(driver->CtxPopCurrent_v2(&popped));
    OK(driver->DevicePrimaryCtxRelease_v2(1));
}

/* One operation of each kind. */
static void queue_all_kinds(CUstream stream)
{
    static unsigned word;
    CUgraph graph;
    CUgraphNode node;
    CUgraphExec exec;
    CUuserObject object;
    CUdeviceptr memory, managed, pooled;
    CUevent event = fixture_event();

    OK(driver->MemAlloc_v2(&memory, 16));
    OK(driver->MemAllocManaged(&managed, 65536, CU_MEM_ATTACH_GLOBAL));
    OK(driver->MemcpyHtoDAsync_v2(memory, &word, sizeof word, stream));
    OK(driver->MemsetD8Async(memory, 1, 16, stream));
    fixture_spin(stream, 10);
    OK(driver->EventRecord(event, stream));
    OK(driver->StreamWaitEvent(stream, event, 0));
    OK(driver->StreamWriteValue32_v2(stream, memory, 7, 0));
    OK(driver->LaunchHostFunc(stream, run_host, NULL));
    OK(driver->StreamAddCallback(stream, run_callback, NULL, 0));
    OK(driver->MemPrefetchAsync(managed, 65536, 0, stream));
    OK(driver->MemAllocAsync(&pooled, 16, stream));
    OK(driver->MemFreeAsync(pooled, stream));
    OK(driver->GraphCreate(&graph, 0));
    OK(driver->GraphAddEmptyNode(&node, graph, NULL, 0));
    OK(driver->UserObjectCreate(&object, NULL, run_host, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    OK(driver->GraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
    OK(driver->GraphInstantiateWithFlags(&exec, graph, 0));
    OK(driver->GraphLaunch(exec, stream));
    OK(driver->StreamSynchronize(stream));
    OK(driver->GraphExecDestroy(exec));
    OK(driver->GraphDestroy(graph));
}

/* The kinds that the trace has reported. */
static bool traced[16];

static void note_kind(void *data, const struct cushim_mock_trace *entry)
{
    if (strcmp(entry->what, "start") != 0)
        return;
    for (size_t i = 0; cushim__fault_operations[i]; i++) {
        if (strcmp(entry->name, cushim__fault_operations[i]) == 0) {
            traced[i] = true;
            return;
        }
    }
    snprintf(message, sizeof message, "%s is no kind", entry->name);
}

TEST_ALONE(kinds_are_those_of_the_mock)
{
    char rule[64];
    CUstream stream;
    size_t count = 0;

    fixture_begin(NULL);
    OK(cushim_layer_create(
        &(struct cushim_layer_options){.size = sizeof(struct cushim_layer_options),
                                       .table = driver},
        &(struct cushim_layer *){NULL}));
    for (; cushim__fault_operations[count]; count++) {
        snprintf(rule, sizeof rule, "op.%s => delay(1 ns)", cushim__fault_operations[count]);
        OK(cushim_fault_add_rules(layer(), rule, message, sizeof message));
    }
    OK(cushim_fault_add_rules(layer(), "op.* => delay(1 ns)", message, sizeof message));
    cushim_mock_set_trace(fixture_mock, note_kind, NULL);
    stream = fixture_stream();
    queue_all_kinds(stream);
    OK(driver->StreamDestroy_v2(stream));
    assert_string_equal(message, "");
    for (size_t i = 0; i < count; i++) {
        if (!traced[i] || cushim_fault_fired(layer(), i) == 0)
            fail_msg("there was no %s", cushim__fault_operations[i]);
    }
    assert_null(cushim_fault_unused(layer(), 0));
    assert_true(cushim_fault_matched(layer(), count) >= count);
    cushim_layer_destroy(layer());
    fixture_end();
}

FIXTURE_TEST(counts_are_reported_while_operations_begin,
             "mode = threaded\nfault = op.kernel:nth=1000 => hang")
{
    uint64_t before = 0, matched = 0;
    CUstream stream = fixture_stream();

    for (int i = 0; i < 100; i++)
        fixture_spin(stream, 10);
    while (matched < 100) {
        matched = cushim_fault_matched(layer(), 0);
        assert_true(matched >= before);
        before = matched;
    }
    OK(driver->StreamSynchronize(stream));
}

FIXTURE_TEST(rules_go_while_work_is_under_way, "fault = op.kernel => sticky(ILLEGAL_ADDRESS)")
{
    CUstream stream = fixture_stream();

    cushim_fault_clear(layer());
    fixture_spin(stream, 10);
    OK(driver->StreamSynchronize(stream));
}
