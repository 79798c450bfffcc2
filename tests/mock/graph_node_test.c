/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of graphs: what they do, as programs give and read it. */
#include <string.h>

#include "tests/mock/graph_world.h"

enum { BYTES = 64 };

static void CUDA_CB do_nothing(void *data)
{
    (void)data;
}

static void parameters_are_read_as_they_were_given(void **state)
{
    CUgraphNode nodes[4];
    CUDA_HOST_NODE_PARAMS host = {do_nothing, &host}, host_read;
    CUDA_MEMSET_NODE_PARAMS set = {.value = 7, .elementSize = 2, .width = 8, .height = 1}, set_read;
    CUDA_MEMCPY3D copy = {.WidthInBytes = BYTES, .Height = 1, .Depth = 1}, copy_read;
    unsigned char bytes[BYTES];
    CUevent event = world_event(), event_read = NULL;
    CUdeviceptr memory;

    (void)state;
    OK(driver->MemAlloc_v2(&memory, BYTES));
    set.dst = memory;
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = bytes;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = memory;
    OK(driver->GraphAddHostNode(&nodes[0], graph, NULL, 0, &host));
    OK(driver->GraphAddMemsetNode(&nodes[1], graph, NULL, 0, &set, NULL));
    OK(driver->GraphAddMemcpyNode(&nodes[2], graph, NULL, 0, &copy, NULL));
    OK(driver->GraphAddEventRecordNode(&nodes[3], graph, NULL, 0, event));

    OK(driver->GraphHostNodeGetParams(nodes[0], &host_read));
    assert_true(host_read.fn == do_nothing && host_read.userData == &host);
    OK(driver->GraphMemsetNodeGetParams(nodes[1], &set_read));
    assert_true(set_read.dst == memory && set_read.value == 7 && set_read.elementSize == 2 &&
                set_read.width == 8 && set_read.height == 1);
    OK(driver->GraphMemcpyNodeGetParams(nodes[2], &copy_read));
    assert_true(copy_read.srcMemoryType == CU_MEMORYTYPE_HOST && copy_read.srcHost == bytes &&
                copy_read.dstMemoryType == CU_MEMORYTYPE_DEVICE && copy_read.dstDevice == memory &&
                copy_read.WidthInBytes == BYTES);
    OK(driver->GraphEventRecordNodeGetEvent(nodes[3], &event_read));
    assert_ptr_equal(event_read, event);

    set.value = 9;
    OK(driver->GraphMemsetNodeSetParams(nodes[1], &set));
    OK(driver->GraphMemsetNodeGetParams(nodes[1], &set_read));
    assert_int_equal(set_read.value, 9);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphMemsetNodeSetParams(nodes[0], &set));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphHostNodeGetParams(nodes[1], &host_read));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphEventWaitNodeGetEvent(nodes[3], &event_read));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphHostNodeGetParams(nodes[0], NULL));
    OK(driver->MemFree_v2(memory));
    OK(driver->EventDestroy_v2(event));
}

static void one_call_adds_any_kind_of_node(void **state)
{
    CUgraphNodeParams parameters;
    CUgraphNode nodes[3];
    CUgraphNodeType type;

    (void)state;
    memset(&parameters, 0, sizeof parameters);
    parameters.type = CU_GRAPH_NODE_TYPE_HOST;
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphAddNode(&nodes[0], graph, NULL, 0, &parameters));
    parameters.host.fn = do_nothing;
    OK(driver->GraphAddNode(&nodes[0], graph, NULL, 0, &parameters));
    OK(driver->GraphNodeGetType(nodes[0], &type));
    assert_int_equal(type, CU_GRAPH_NODE_TYPE_HOST);
    OK(driver->GraphNodeSetParams(nodes[0], &parameters));
    memset(&parameters, 0, sizeof parameters);
    parameters.type = CU_GRAPH_NODE_TYPE_EMPTY;
    OK(driver->GraphAddNode_v2(&nodes[1], graph, nodes, NULL, 1, &parameters));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphNodeSetParams(nodes[0], &parameters));
    parameters.type = (CUgraphNodeType)99;
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphAddNode(&nodes[2], graph, NULL, 0, &parameters));
    parameters.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    CODE(CUDA_ERROR_NOT_SUPPORTED, driver->GraphAddNode(&nodes[2], graph, NULL, 0, &parameters));
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, graph_auto, graph_end)
    const struct CMUnitTest tests[] = {
        CASE(parameters_are_read_as_they_were_given),
        CASE(one_call_adds_any_kind_of_node),
    };

    return cmocka_run_group_tests_name("graph node", tests, NULL, NULL);
}
