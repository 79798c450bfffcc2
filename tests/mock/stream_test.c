/* SPDX-License-Identifier: Apache-2.0 */
/* When stream memory operations act, batches of them, and attributes of streams. */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include <pthread.h>

#include "tests/mock/fixture.h"

enum { BYTES = 64, MS = 1000000 };

static CUstream waiting_stream;
static volatile uint32_t *word; /* page-locked memory */
static CUdeviceptr pinned, device;

static int begin_with(void **state)
{
    void *host;

    fixture_begin(*state);
    waiting_stream = fixture_stream();
    OK(driver->MemAllocHost_v2(&host, BYTES));
    memset(host, 0, BYTES);
    word = host;
    pinned = (CUdeviceptr)(uintptr_t)host;
    OK(driver->MemAlloc_v2(&device, BYTES));
    OK(driver->MemsetD8_v2(device, 0, BYTES));
    OK(cushim_mock_drain(fixture_mock));
    return 0;
}

static uint32_t device_word(void)
{
    return *(const uint32_t *)cushim_mock_memory(fixture_mock, device, sizeof(uint32_t));
}

#define TEST(name) TEST_FROM(name, begin_with, fixture_done, "mode = manual\nschedule = fifo")

TEST(write_acts_when_it_executes)
{
    OK(driver->StreamWriteValue32_v2(waiting_stream, pinned, 6, 0));
    assert_int_equal(*word, 0); /* not at the call, although the stream is idle */
    OK(cushim_mock_drain(fixture_mock));
    assert_int_equal(*word, 6);
    fixture_spin(waiting_stream, 5 * MS);
    OK(driver->StreamWriteValue32_v2(waiting_stream, device, 7, 0));
    OK(driver->StreamWriteValue32_v2(waiting_stream, pinned, 8, 0));
    OK(cushim_mock_advance(fixture_mock, 4 * MS));
    assert_int_equal(device_word(), 0);
    assert_int_equal(*word, 6);
    OK(cushim_mock_advance(fixture_mock, 2 * MS));
    assert_int_equal(device_word(), 7);
    assert_int_equal(*word, 8);
}

TEST(comparisons_are_those_of_the_reference)
{
    static const struct {
        uint32_t found, value;
        unsigned flags;
        bool met;
    } cases[] = {
        {7, 7, CU_STREAM_WAIT_VALUE_GEQ, true},
        {6, 7, CU_STREAM_WAIT_VALUE_GEQ, false},
        {0x80000000u, 0x7fffffffu, CU_STREAM_WAIT_VALUE_GEQ, true}, /* the difference is signed */
        {7, 0x80000008u, CU_STREAM_WAIT_VALUE_GEQ, true},
        {7, 0x90000000u, CU_STREAM_WAIT_VALUE_GEQ, true},
        {7, 0x70000000u, CU_STREAM_WAIT_VALUE_GEQ, false},
        {8, 7, CU_STREAM_WAIT_VALUE_EQ, false},
        {7, 7, CU_STREAM_WAIT_VALUE_EQ, true},
        {6, 1, CU_STREAM_WAIT_VALUE_AND, false},
        {6, 2, CU_STREAM_WAIT_VALUE_AND, true},
        {0xffffffffu, 0, CU_STREAM_WAIT_VALUE_NOR, false},
        {0xfffffffeu, 1, CU_STREAM_WAIT_VALUE_NOR, false},
        {0xfffffffeu, 0, CU_STREAM_WAIT_VALUE_NOR, true},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        *word = cases[i].found;
        OK(driver->StreamWaitValue32_v2(waiting_stream, pinned, cases[i].value, cases[i].flags));
        OK(cushim_mock_advance(fixture_mock, MS));
        if ((driver->StreamQuery(waiting_stream) == CUDA_SUCCESS) != cases[i].met)
            fail_msg("case %zu", i);
        if (cases[i].met)
            continue;
        *word = cases[i].flags == CU_STREAM_WAIT_VALUE_NOR ? 0 : cases[i].value;
        OK(cushim_mock_advance(fixture_mock, MS));
        OK(driver->StreamQuery(waiting_stream));
    }
}

static CUstreamBatchMemOpParams write_op(CUdeviceptr address, uint32_t value)
{
    CUstreamBatchMemOpParams one;

    memset(&one, 0, sizeof one);
    one.writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    one.writeValue.address = address;
    one.writeValue.value = value;
    return one;
}

static CUstreamBatchMemOpParams wait_op(CUdeviceptr address, uint32_t value)
{
    CUstreamBatchMemOpParams one;

    memset(&one, 0, sizeof one);
    one.waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
    one.waitValue.address = address;
    one.waitValue.value = value;
    one.waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
    return one;
}

TEST(batch_is_done_in_its_order)
{
    CUstreamBatchMemOpParams batch[] = {write_op(device, 1), wait_op(pinned, 2),
                                        write_op(device, 3)};

    OK(driver->StreamBatchMemOp_v2(waiting_stream, COUNT(batch), batch, 0));
    assert_int_equal(device_word(), 0);
    OK(cushim_mock_advance(fixture_mock, MS));
    assert_int_equal(device_word(), 1);
    *word = 2;
    OK(cushim_mock_advance(fixture_mock, MS));
    assert_int_equal(device_word(), 3);
}

TEST(batch_that_cannot_be_done_does_nothing)
{
    CUstreamBatchMemOpParams batch[] = {write_op(pinned, 1), write_op(device + BYTES, 2)};

    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->StreamBatchMemOp_v2(waiting_stream, COUNT(batch), batch, 0));
    batch[1].operation = (CUstreamBatchMemOpType)77;
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->StreamBatchMemOp_v2(waiting_stream, COUNT(batch), batch, 0));
    assert_int_equal(fixture_state().pending, 0);
    OK(cushim_mock_drain(fixture_mock));
    assert_int_equal(*word, 0);
}

TEST(captured_batch_is_one_node_and_acts_at_each_launch)
{
    CUstreamBatchMemOpParams batch[] = {wait_op(pinned, 2), write_op(device, 3),
                                        write_op(pinned, 0)};
    CUgraph graph;
    CUgraphExec exec;
    size_t nodes = 0;

    OK(driver->StreamBeginCapture_v2(waiting_stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(driver->StreamBatchMemOp_v2(waiting_stream, COUNT(batch), batch, 0));
    OK(driver->StreamEndCapture(waiting_stream, &graph));
    OK(driver->GraphGetNodes(graph, NULL, &nodes));
    assert_int_equal(nodes, 1);
    OK(driver->GraphInstantiateWithFlags(&exec, graph, 0));
    for (int i = 0; i < 2; i++) {
        OK(driver->GraphLaunch(exec, waiting_stream));
        OK(cushim_mock_advance(fixture_mock, MS));
        CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(waiting_stream));
        *word = 2;
        OK(cushim_mock_advance(fixture_mock, MS));
        OK(driver->StreamQuery(waiting_stream));
        assert_int_equal(device_word(), 3);
        assert_int_equal(*word, 0);
    }
    OK(driver->GraphExecDestroy(exec));
    OK(driver->GraphDestroy(graph));
}

static void *write_word(void *value)
{
    __atomic_store_n(word, *(const uint32_t *)value, __ATOMIC_RELEASE);
    return NULL;
}

TEST_FROM(call_that_blocks_is_released_by_another_thread, begin_with, fixture_done,
          "mode = threaded")
{
    uint32_t value = 5;
    pthread_t thread;

    OK(driver->StreamWaitValue32_v2(waiting_stream, pinned, value, CU_STREAM_WAIT_VALUE_GEQ));
    assert_int_equal(pthread_create(&thread, NULL, write_word, &value), 0);
    OK(driver->StreamSynchronize(waiting_stream));
    pthread_join(thread, NULL);
}

TEST_BETWEEN(batch_writes_and_waits_for_values_of_64_bits, fixture_manual, fixture_done)
{
    static const uint64_t wide = UINT64_C(0x123456789abcdef0);
    const CUstream stream = fixture_stream();
    volatile uint64_t *words;
    CUdeviceptr memory;
    CUevent done = fixture_event();
    void *host;

    OK(driver->MemAllocHost_v2(&host, 64));
    memset(host, 0, 64);
    words = host;
    memory = (CUdeviceptr)(uintptr_t)host;
    {
        CUstreamBatchMemOpParams list[] = {
            {.writeValue = {.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64,
                            .address = memory,
                            .value64 = wide}},
            {.waitValue = {.operation = CU_STREAM_MEM_OP_WAIT_VALUE_64,
                           .address = memory + 8,
                           .value64 = wide,
                           .flags = CU_STREAM_WAIT_VALUE_EQ}},
            {.operation = CU_STREAM_MEM_OP_BARRIER},
            {.writeValue = {.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64,
                            .address = memory + 16,
                            .value64 = ~wide}},
        };

        OK(driver->StreamBatchMemOp_v2(stream, COUNT(list), list, 0));
    }
    OK(driver->EventRecord(done, stream));
    cushim_mock_drain(fixture_mock);
    CODE(CUDA_ERROR_NOT_READY, driver->EventQuery(done));
    assert_true(words[0] == wide && words[2] == 0);
    words[1] = (uint32_t)wide; /* the lower half alone does not equal the value */
    cushim_mock_drain(fixture_mock);
    CODE(CUDA_ERROR_NOT_READY, driver->EventQuery(done));
    words[1] = wide;
    OK(cushim_mock_drain(fixture_mock));
    OK(driver->EventQuery(done));
    assert_true(words[2] == ~wide);
}

/* Attributes of streams: programs read what they have set, and attributes can be copied. */

static const CUstreamAttrID window = (CUstreamAttrID)1, policy = (CUstreamAttrID)3,
                            attribute_unknown = (CUstreamAttrID)2;

static CUstreamAttrValue get(CUstream stream, CUstreamAttrID attribute)
{
    CUstreamAttrValue value;

    memset(&value, 0xff, sizeof value);
    OK(driver->StreamGetAttribute(stream, attribute, (void *)&value));
    return value;
}

static void set(CUstream stream, CUstreamAttrID attribute, CUstreamAttrValue value)
{
    OK(driver->StreamSetAttribute(stream, attribute, (void *)&value));
}

TEST_BETWEEN(window_of_a_stream_is_reported, fixture_auto, fixture_done)
{
    CUstream stream = fixture_stream();

    set(stream, window,
        (CUstreamAttrValue){.accessPolicyWindow = {.num_bytes = 4096, .hitRatio = 0.5f}});
    assert_int_equal(get(stream, window).accessPolicyWindow.num_bytes, 4096);
}

TEST_BETWEEN(attribute_that_is_wrong_is_refused, fixture_auto, fixture_done)
{
    CUstreamAttrValue value = {.syncPolicy = CU_SYNC_POLICY_SPIN}, untouched;
    CUstream stream = fixture_stream();

    memset(&untouched, 7, sizeof untouched);
    set(stream, policy, value);
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->StreamSetAttribute(stream, attribute_unknown, (void *)&value));
    /* A choice of the mock: a driver dereferences NULL (statement 60). */
    CODE(CUDA_ERROR_INVALID_VALUE, driver->StreamSetAttribute(stream, policy, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->StreamGetAttribute(stream, policy, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->StreamGetAttribute(stream, attribute_unknown, (void *)&untouched));
    assert_int_equal(untouched.priority, 0x07070707);
    assert_int_equal(get(stream, policy).syncPolicy, CU_SYNC_POLICY_SPIN);
}
