/* SPDX-License-Identifier: Apache-2.0 */
/* What nodes, edges, graphs for the device and user objects may not be. Statements 185-187. */
#include <string.h>

#include "backend.h"
#include "begin.h"
#include "cases.h"
#include "check.h"
#include "graph.h"

#define REFUSED(call) CODE(CUDA_ERROR_INVALID_VALUE, call)

static void reserved_bytes_of_a_node_are_zero(void)
{
    static const CUgraphNodeType types[] = {
        CU_GRAPH_NODE_TYPE_EMPTY, CU_GRAPH_NODE_TYPE_EVENT_RECORD, CU_GRAPH_NODE_TYPE_WAIT_EVENT};
    CUgraphNodeParams parameters;
    CUgraphNode node;
    CUgraph graph;

    begin_context();
    graph = graph_begin();
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        memset(&parameters, 0, sizeof parameters);
        parameters.type = types[i];
        if (types[i] != CU_GRAPH_NODE_TYPE_EMPTY) {
            REFUSED(cu->GraphAddNode_v2(&node, graph, NULL, NULL, 0, (void *)&parameters));
            parameters.eventRecord.event = begin_event();
        }
        ((char *)(&parameters + 1))[-1] = 1;
        REFUSED(cu->GraphAddNode_v2(&node, graph, NULL, NULL, 0, (void *)&parameters));
        ((char *)(&parameters + 1))[-1] = 0;
        parameters.reserved0[0] = 1;
        REFUSED(cu->GraphAddNode_v2(&node, graph, NULL, NULL, 0, (void *)&parameters));
        parameters.reserved0[0] = 0;
        OK(cu->GraphAddNode_v2(&node, graph, NULL, NULL, 0, (void *)&parameters));
    }
    memset(&parameters, 0, sizeof parameters);
    parameters.type = CU_GRAPH_NODE_TYPE_MEM_FREE;
    parameters.free.dptr = graph_memory(64);
    REFUSED(cu->GraphAddNode_v2(&node, graph, NULL, NULL, 0, (void *)&parameters));
    parameters.type = (CUgraphNodeType)77;
    REFUSED(cu->GraphAddNode_v2(&node, graph, NULL, NULL, 0, (void *)&parameters));
    EQUAL(3, graph_nodes(graph));
}

static void edges_between_host_nodes_are_plain(void)
{
    static const CUgraphEdgeData wrong[] = {{.reserved = {1}}, {.to_port = 1}, {.from_port = 1},
                                            {.type = 1},       {.type = 2},    {.type = 9}};
    const CUgraphEdgeData plain = {0};
    CUgraphNode one, other;
    CUgraph graph;

    begin_context();
    graph = graph_begin();
    one = graph_add_host(graph, NULL, 0, NULL);
    other = graph_add_host(graph, NULL, 0, NULL);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        REFUSED(cu->GraphAddDependencies_v2(graph, &one, &other, &wrong[i], 1));
    EQUAL(0, graph_edges(graph));
    OK(cu->GraphAddDependencies_v2(graph, &one, &other, &plain, 1));
}

static void graph_for_the_device_has_work_for_it(void)
{
    const cuuint64_t for_device = 4; /* CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH */
    CUDA_MEMSET_NODE_PARAMS set = {.elementSize = 1, .width = 8, .height = 1};
    CUcontext context = begin_context();
    CUgraph graph = graph_begin();
    CUgraphExec exec;
    CUgraphNode node;

    REFUSED(cu->GraphInstantiateWithFlags(&exec, graph, for_device));
    set.dst = graph_memory(8);
    MUST(cu->GraphAddMemsetNode(&node, graph, NULL, 0, &set, context));
    OK(cu->GraphInstantiateWithFlags(&exec, graph, for_device));
    MUST(cu->GraphAddEmptyNode(&node, graph, NULL, 0));
    REFUSED(cu->GraphInstantiateWithFlags(&exec, graph, for_device));
}

static void CUDA_CB nothing(void *data)
{
    (void)data;
}

static void graph_releases_what_it_holds_and_no_more(void)
{
    CUuserObject object = NULL, other = NULL;
    CUgraph graph;

    begin_context();
    graph = graph_begin();
    MUST(cu->UserObjectCreate(&object, NULL, nothing, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    MUST(cu->UserObjectCreate(&other, NULL, nothing, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    OK(cu->GraphRetainUserObject(graph, object, 1, 0));
    REFUSED(cu->GraphReleaseUserObject(graph, object, 0));
    OK(cu->GraphReleaseUserObject(graph, other, 1));
    OK(cu->GraphReleaseUserObject(graph, object, 2));
    OK(cu->GraphReleaseUserObject(graph, object, 1));
    REFUSED(cu->UserObjectRetain(object, 0));
    REFUSED(cu->UserObjectRelease(object, 0));
    REFUSED(cu->GraphRetainUserObject(graph, object, 1, 2));
}

const struct conformance_case graph_wrong_cases[] = {
    MEASURED_CASE("185_reserved_bytes_of_a_node_are_zero", reserved_bytes_of_a_node_are_zero),
    MEASURED_CASE("185_edges_between_host_nodes_are_plain", edges_between_host_nodes_are_plain),
    MEASURED_CASE("186_graph_for_the_device_has_work_for_it", graph_for_the_device_has_work_for_it),
    MEASURED_CASE("187_graph_releases_what_it_holds_and_no_more",
                  graph_releases_what_it_holds_and_no_more),
    {.name = NULL},
};
