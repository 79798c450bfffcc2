/* SPDX-License-Identifier: Apache-2.0 */
/* What may be changed of a copy or a set in an executable graph: not where its memory is. */
#include "tests/mock/graph_world.h"

enum { BYTES = 64 };

static CUdeviceptr memory[3];
static CUgraphNode copy_node, set_node;
static CUgraphExec exec;

static CUDA_MEMCPY3D copy_of(CUdeviceptr from)
{
    return (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                           .srcDevice = from,
                           .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                           .dstDevice = memory[2],
                           .WidthInBytes = BYTES,
                           .Height = 1,
                           .Depth = 1};
}

static CUDA_MEMSET_NODE_PARAMS set_of(size_t width, size_t height)
{
    return (CUDA_MEMSET_NODE_PARAMS){.dst = memory[0],
                                     .pitch = BYTES / 4,
                                     .value = 9,
                                     .elementSize = 1,
                                     .width = width,
                                     .height = height};
}

/* A set of two rows, and a copy that is in no order with it. */
static int begin(void **state)
{
    CUDA_MEMSET_NODE_PARAMS set;
    CUDA_MEMCPY3D copy;

    (void)state;
    graph_begin("mode = auto");
    for (unsigned i = 0; i < 3; i++) {
        OK(driver->MemAlloc_v2(&memory[i], BYTES));
        OK(driver->MemsetD8_v2(memory[i], (unsigned char)i, BYTES));
    }
    copy = copy_of(memory[0]);
    set = set_of(4, 2);
    OK(driver->GraphAddMemcpyNode(&copy_node, graph, NULL, 0, &copy, NULL));
    OK(driver->GraphAddMemsetNode(&set_node, graph, NULL, 0, &set, NULL));
    exec = graph_instantiate();
    return 0;
}

static int end(void **state)
{
    OK(driver->GraphExecDestroy(exec));
    for (unsigned i = 0; i < 3; i++)
        OK(driver->MemFree_v2(memory[i]));
    return graph_end(state);
}

static unsigned copied(void)
{
    unsigned char bytes[BYTES];
    CUstream stream = world_stream();

    OK(driver->GraphLaunch(exec, stream));
    OK(driver->StreamSynchronize(stream));
    OK(driver->StreamDestroy_v2(stream));
    OK(driver->MemcpyDtoH_v2(bytes, memory[2], BYTES));
    return bytes[BYTES - 1];
}

static void a_copy_takes_another_source_of_its_kind(void **state)
{
    const CUDA_MEMCPY3D copy = copy_of(memory[1]);

    (void)state;
    assert_int_equal(copied(), 0);
    OK(driver->GraphExecMemcpyNodeSetParams(exec, copy_node, &copy, NULL));
    assert_int_equal(copied(), 1);
}

static void a_copy_of_another_kind_is_refused(void **state)
{
    unsigned char bytes[BYTES] = {5};
    CUDA_MEMCPY3D copy = copy_of(memory[1]);

    (void)state;
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = bytes;
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->GraphExecMemcpyNodeSetParams(exec, copy_node, &copy, NULL));
    copy = copy_of(memory[1]);
    copy.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->GraphExecMemcpyNodeSetParams(exec, copy_node, &copy, NULL));
    copy = copy_of(memory[1]);
    copy.WidthInBytes = BYTES / 2;
    copy.Height = 2;
    copy.srcPitch = copy.dstPitch = BYTES / 2;
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->GraphExecMemcpyNodeSetParams(exec, copy_node, &copy, NULL));
    copy = copy_of(memory[1]);
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->GraphExecMemcpyNodeSetParams(exec, set_node, &copy, NULL));
    assert_int_equal(copied(), 0);
}

static void the_rows_of_a_set_stay(void **state)
{
    CUDA_MEMSET_NODE_PARAMS set = set_of(4, 1);

    (void)state;
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->GraphExecMemsetNodeSetParams(exec, set_node, &set, NULL));
    set = set_of(3, 2);
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->GraphExecMemsetNodeSetParams(exec, set_node, &set, NULL));
    set = set_of(4, 2);
    set.value = 1;
    OK(driver->GraphExecMemsetNodeSetParams(exec, set_node, &set, NULL));
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        CASE(a_copy_takes_another_source_of_its_kind),
        CASE(a_copy_of_another_kind_is_refused),
        CASE(the_rows_of_a_set_stay),
    };

    return cmocka_run_group_tests_name("graph exec copy", tests, NULL, NULL);
}
