/* SPDX-License-Identifier: Apache-2.0 */
/* Stream memory operations: statement 59. */
#include <pthread.h>
#include <string.h>

#include "tests/mock/world.h"

enum { BYTES = 64, MS = 1000000 };

static CUstream stream;
static volatile uint32_t *word; /* page-locked */
static CUdeviceptr pinned, device;

static int begin_with(const char *settings)
{
    void *host;

    world_begin(settings);
    stream = world_stream();
    OK(driver->MemAllocHost_v2(&host, BYTES));
    memset(host, 0, BYTES);
    word = host;
    pinned = (CUdeviceptr)(uintptr_t)host;
    OK(driver->MemAlloc_v2(&device, BYTES));
    OK(driver->MemsetD8_v2(device, 0, BYTES));
    OK(cushim_mock_drain(world));
    return 0;
}

static int begin(void **state)
{
    (void)state;
    return begin_with("mode = manual\nschedule = fifo");
}

static int begin_threaded(void **state)
{
    (void)state;
    return begin_with("mode = threaded");
}

static int end(void **state)
{
    (void)state;
    OK(cushim_mock_drain(world));
    OK(driver->MemFree_v2(device));
    OK(driver->MemFreeHost((void *)(uintptr_t)pinned));
    OK(driver->StreamDestroy_v2(stream));
    world_end();
    return 0;
}

static uint32_t device_word(void)
{
    return *(const uint32_t *)cushim_mock_memory(world, device, sizeof(uint32_t));
}

static void write_of_the_host_releases_a_wait(void **state)
{
    (void)state;
    OK(driver->StreamWaitValue32_v2(stream, pinned, 5, CU_STREAM_WAIT_VALUE_EQ));
    OK(cushim_mock_advance(world, MS));
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(stream));
    *word = 5;
    OK(cushim_mock_advance(world, MS));
    OK(driver->StreamQuery(stream));
}

static void write_of_a_stream_releases_a_wait_of_another(void **state)
{
    CUstream other = world_stream();

    (void)state;
    OK(driver->StreamWaitValue64_v2(stream, device, UINT64_C(1) << 40, CU_STREAM_WAIT_VALUE_GEQ));
    OK(driver->StreamWriteValue64_v2(other, device, UINT64_C(3) << 40, 0));
    OK(cushim_mock_drain(world));
    OK(driver->StreamQuery(stream));
    OK(driver->StreamDestroy_v2(other));
}

static void write_acts_when_it_executes(void **state)
{
    (void)state;
    world_spin(stream, 5 * MS);
    OK(driver->StreamWriteValue32_v2(stream, device, 7, 0));
    OK(driver->StreamWriteValue32_v2(stream, pinned, 8, 0));
    OK(cushim_mock_advance(world, 4 * MS));
    assert_int_equal(device_word(), 0);
    assert_int_equal(*word, 0);
    OK(cushim_mock_advance(world, 2 * MS));
    assert_int_equal(device_word(), 7);
    assert_int_equal(*word, 8);
}

static void write_on_an_idle_stream_does_not_act_at_the_call(void **state)
{
    (void)state;
    OK(driver->StreamWriteValue32_v2(stream, pinned, 8, 0));
    assert_int_equal(*word, 0);
    OK(cushim_mock_drain(world));
    assert_int_equal(*word, 8);
}

static void comparisons_are_those_of_the_reference(void **state)
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

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        *word = cases[i].found;
        OK(driver->StreamWaitValue32_v2(stream, pinned, cases[i].value, cases[i].flags));
        OK(cushim_mock_advance(world, MS));
        if ((driver->StreamQuery(stream) == CUDA_SUCCESS) != cases[i].met)
            fail_msg("case %zu", i);
        if (cases[i].met)
            continue;
        *word = cases[i].flags == CU_STREAM_WAIT_VALUE_NOR ? 0 : cases[i].value;
        OK(cushim_mock_advance(world, MS));
        OK(driver->StreamQuery(stream));
    }
}

static void arguments_are_checked(void **state)
{
    uint32_t unknown[2];
    const CUdeviceptr pageable = (CUdeviceptr)(uintptr_t)unknown;

    (void)state;
    CODE(CUDA_ERROR_INVALID_VALUE, driver->StreamWaitValue32_v2(stream, pinned, 5, 4));
    CODE(CUDA_ERROR_NOT_SUPPORTED,
         driver->StreamWaitValue32_v2(stream, pinned, 5, CU_STREAM_WAIT_VALUE_FLUSH));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->StreamWriteValue32_v2(stream, pinned, 5, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->StreamWriteValue32_v2(stream, pinned + 2, 5, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->StreamWriteValue64_v2(stream, pinned + 4, 5, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->StreamWriteValue32_v2(stream, 0, 5, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->StreamWriteValue32_v2(stream, pageable, 5, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->StreamWriteValue32_v2(stream, device + BYTES, 5, 0));
    assert_int_equal(world_state().pending, 0);
}

static void first_abi_is_not_supported_by_the_device(void **state)
{
    (void)state;
    CODE(CUDA_ERROR_NOT_SUPPORTED, driver->StreamWriteValue32(stream, pinned, 5, 0));
    CODE(CUDA_ERROR_NOT_SUPPORTED, driver->StreamWaitValue64(stream, pinned, 5, 0));
    CODE(CUDA_ERROR_NOT_SUPPORTED, driver->StreamBatchMemOp(stream, 0, NULL, 0));
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

static void batch_is_done_in_its_order(void **state)
{
    CUstreamBatchMemOpParams batch[] = {write_op(device, 1), wait_op(pinned, 2),
                                        write_op(device, 3)};

    (void)state;
    OK(driver->StreamBatchMemOp_v2(stream, COUNT(batch), batch, 0));
    assert_int_equal(device_word(), 0);
    OK(cushim_mock_advance(world, MS));
    assert_int_equal(device_word(), 1);
    *word = 2;
    OK(cushim_mock_advance(world, MS));
    assert_int_equal(device_word(), 3);
}

static void batch_that_cannot_be_done_does_nothing(void **state)
{
    static CUstreamBatchMemOpParams many[256];
    CUstreamBatchMemOpParams batch[] = {write_op(pinned, 1), write_op(0, 2)};

    (void)state;
    for (size_t i = 0; i < COUNT(many); i++)
        many[i] = write_op(device, (uint32_t)i);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->StreamBatchMemOp_v2(stream, COUNT(batch), batch, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->StreamBatchMemOp_v2(stream, 256, many, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->StreamBatchMemOp_v2(stream, 1, many, 1));
    many[1].operation = (CUstreamBatchMemOpType)77;
    CODE(CUDA_ERROR_INVALID_VALUE, driver->StreamBatchMemOp_v2(stream, 2, many, 0));
    many[1].operation = CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES;
    CODE(CUDA_ERROR_NOT_SUPPORTED, driver->StreamBatchMemOp_v2(stream, 2, many, 0));
    assert_int_equal(world_state().pending, 0);
    OK(driver->StreamBatchMemOp_v2(stream, 0, NULL, 0));
    many[1] = write_op(device, 1);
    OK(driver->StreamBatchMemOp_v2(stream, 255, many, 0));
    OK(cushim_mock_drain(world));
    assert_int_equal(*word, 0);
    assert_int_equal(device_word(), 254);
}

static void captured_batch_is_one_node_and_acts_at_each_launch(void **state)
{
    CUstreamBatchMemOpParams batch[] = {wait_op(pinned, 2), write_op(device, 3),
                                        write_op(pinned, 0)};
    CUgraph graph;
    CUgraphExec exec;
    size_t nodes = 0;

    (void)state;
    OK(driver->StreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(driver->StreamBatchMemOp_v2(stream, COUNT(batch), batch, 0));
    OK(driver->StreamEndCapture(stream, &graph));
    OK(driver->GraphGetNodes(graph, NULL, &nodes));
    assert_int_equal(nodes, 1);
    OK(driver->GraphInstantiateWithFlags(&exec, graph, 0));
    for (int i = 0; i < 2; i++) {
        OK(driver->GraphLaunch(exec, stream));
        OK(cushim_mock_advance(world, MS));
        CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(stream));
        *word = 2;
        OK(cushim_mock_advance(world, MS));
        OK(driver->StreamQuery(stream));
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

static void call_that_blocks_is_released_by_another_thread(void **state)
{
    uint32_t value = 5;
    pthread_t thread;

    (void)state;
    OK(driver->StreamWaitValue32_v2(stream, pinned, value, CU_STREAM_WAIT_VALUE_GEQ));
    assert_int_equal(pthread_create(&thread, NULL, write_word, &value), 0);
    OK(driver->StreamSynchronize(stream));
    pthread_join(thread, NULL);
}

#define MEMORY_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        MEMORY_TEST(write_of_the_host_releases_a_wait),
        MEMORY_TEST(write_of_a_stream_releases_a_wait_of_another),
        MEMORY_TEST(write_acts_when_it_executes),
        MEMORY_TEST(write_on_an_idle_stream_does_not_act_at_the_call),
        MEMORY_TEST(comparisons_are_those_of_the_reference),
        MEMORY_TEST(arguments_are_checked),
        MEMORY_TEST(first_abi_is_not_supported_by_the_device),
        MEMORY_TEST(batch_is_done_in_its_order),
        MEMORY_TEST(batch_that_cannot_be_done_does_nothing),
        MEMORY_TEST(captured_batch_is_one_node_and_acts_at_each_launch),
        cmocka_unit_test_setup_teardown(call_that_blocks_is_released_by_another_thread,
                                        begin_threaded, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
