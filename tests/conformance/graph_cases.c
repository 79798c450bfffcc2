/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graphs: the arguments that calls for creating and reading them accept. Statements 130-138,
 * 185-187, 204.
 */
#include <string.h>

#include "cases.h"
#include "graph.h"

enum { BYTES = 4096, MANY = 6 };

MEASURED_CASE(130, graph_needs_no_context)
{
    CUgraphExec exec = NULL;
    CUgraph graph = NULL;
    CUgraphNode node;

    begin_device();
    OK(cu->GraphCreate(&graph, 0));
    REFUSED(cu->GraphCreate(&graph, 1));
    REFUSED(cu->GraphCreate(NULL, 0));
    OK(cu->GraphAddEmptyNode(&node, graph, NULL, 0));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->GraphInstantiateWithFlags(&exec, graph, 0));
    CHECK(exec == NULL);
    OK(cu->GraphDestroy(graph));
    REFUSED(cu->GraphDestroy(NULL));
}

MEASURED_CASE(131, node_depends_on_others_of_its_graph_once)
{
    CUgraphNode twice[2], foreign, node = NULL, nothing = NULL;
    CUgraph graph, other;

    begin_device();
    graph = graph_begin();
    other = graph_begin();
    twice[0] = twice[1] = graph_add_host(graph, NULL, 0, NULL);
    foreign = graph_add_host(other, NULL, 0, NULL);
    REFUSED(cu->GraphAddEmptyNode(&node, graph, twice, 2));
    REFUSED(cu->GraphAddEmptyNode(&node, graph, &foreign, 1));
    REFUSED(cu->GraphAddEmptyNode(&node, graph, &nothing, 1));
    REFUSED(cu->GraphAddEmptyNode(&node, graph, NULL, 1));
    REFUSED(cu->GraphAddEmptyNode(&node, NULL, NULL, 0));
    REFUSED(cu->GraphAddEmptyNode(NULL, graph, NULL, 0));
    EQUAL(1, graph_nodes(graph));
    OK(cu->GraphAddEmptyNode(&node, graph, twice, 1));
}

MEASURED_CASE(132, sets_and_copies_of_nodes_are_checked)
{
    CUDA_MEMSET_NODE_PARAMS set = {.value = 7, .elementSize = 1, .width = 16, .height = 1}, bad;
    CUDA_MEMCPY3D copy = {.WidthInBytes = 64, .Height = 1, .Depth = 1}, wrong;
    static char host[BYTES];
    CUgraphNode node;
    CUcontext context = begin_context();
    CUgraph graph = graph_begin();

    set.dst = copy.dstDevice = graph_memory(BYTES);
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = host;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    OK(cu->GraphAddMemsetNode(&node, graph, NULL, 0, &set, context));
    OK(cu->GraphAddMemsetNode(&node, graph, NULL, 0, &set, NULL));
    bad = set, bad.elementSize = 3;
    REFUSED(cu->GraphAddMemsetNode(&node, graph, NULL, 0, &bad, context));
    bad = set, bad.width = BYTES + 1;
    REFUSED(cu->GraphAddMemsetNode(&node, graph, NULL, 0, &bad, context));
    bad = set, bad.width = 0;
    REFUSED(cu->GraphAddMemsetNode(&node, graph, NULL, 0, &bad, context));
    bad = set, bad.dst = 0x1234;
    REFUSED(cu->GraphAddMemsetNode(&node, graph, NULL, 0, &bad, context));
    bad = set, bad.height = 4, bad.pitch = 8;
    REFUSED(cu->GraphAddMemsetNode(&node, graph, NULL, 0, &bad, context));
    bad = set, bad.value = 300;
    OK(cu->GraphAddMemsetNode(&node, graph, NULL, 0, &bad, context));

    OK(cu->GraphAddMemcpyNode(&node, graph, NULL, 0, &copy, context));
    OK(cu->GraphAddMemcpyNode(&node, graph, NULL, 0, &copy, NULL));
    wrong = copy, wrong.WidthInBytes = 0;
    REFUSED(cu->GraphAddMemcpyNode(&node, graph, NULL, 0, &wrong, context));
    wrong = copy, wrong.WidthInBytes = BYTES + 1;
    REFUSED(cu->GraphAddMemcpyNode(&node, graph, NULL, 0, &wrong, context));
    REFUSED(cu->GraphAddMemcpyNode(&node, graph, NULL, 0, NULL, context));
}

static CUDA_KERNEL_NODE_PARAMS spin_parameters(void **arguments)
{
    return (CUDA_KERNEL_NODE_PARAMS){
        .func = begin_kernel("cushim_spin"),
        ONE_THREAD,
        .kernelParams = arguments,
    };
}

MEASURED_CASE(132, other_parameters_of_nodes_are_checked)
{
    const CUDA_HOST_NODE_PARAMS no_function = {NULL, NULL};
    CUDA_KERNEL_NODE_PARAMS kernel, bad;
    CUevent event = begin_event(), same = NULL;
    uint64_t ns = 0;
    void *arguments[] = {&ns};
    CUgraphNode node, wait;
    CUgraph graph = graph_begin();

    kernel = spin_parameters(arguments);
    REFUSED(cu->GraphAddHostNode(&node, graph, NULL, 0, &no_function));
    REFUSED(cu->GraphAddHostNode(&node, graph, NULL, 0, NULL));
    OK(cu->GraphAddKernelNode_v2(&node, graph, NULL, 0, &kernel));
    bad = kernel, bad.gridDimX = 0;
    REFUSED(cu->GraphAddKernelNode_v2(&node, graph, NULL, 0, &bad));
    bad = kernel, bad.blockDimX = 2000;
    REFUSED(cu->GraphAddKernelNode_v2(&node, graph, NULL, 0, &bad));
    bad = kernel, bad.kernelParams = NULL;
    REFUSED(cu->GraphAddKernelNode_v2(&node, graph, NULL, 0, &bad));
    bad = kernel, bad.func = NULL;
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->GraphAddKernelNode_v2(&node, graph, NULL, 0, &bad));
    REFUSED(cu->GraphAddEventRecordNode(&node, graph, NULL, 0, NULL));
    OK(cu->GraphAddEventRecordNode(&node, graph, NULL, 0, event));
    OK(cu->GraphAddEventWaitNode(&wait, graph, NULL, 0, event));
    OK(cu->GraphEventRecordNodeGetEvent(node, &same));
    CHECK(same == event);
    REFUSED(cu->GraphEventRecordNodeGetEvent(wait, &same));
    same = NULL;
    OK(cu->GraphEventWaitNodeGetEvent(wait, &same));
    CHECK(same == event);
    REFUSED(cu->GraphEventWaitNodeGetEvent(node, &same));
}

MEASURED_CASE(133, lists_are_cut_or_filled_up)
{
    CUgraphNode nodes[3], list[MANY], to[MANY];
    CUgraph graph;
    size_t count;

    begin_device();
    graph = graph_begin();
    nodes[0] = graph_add_host(graph, NULL, 0, NULL);
    nodes[1] = graph_add_host(graph, nodes, 1, NULL);
    nodes[2] = graph_add_host(graph, NULL, 0, NULL);
    EQUAL(3, graph_nodes(graph));
    count = 2;
    OK(cu->GraphGetNodes(graph, list, &count));
    EQUAL(2, count);
    CHECK(memcmp(list, nodes, 2 * sizeof *list) == 0);
    memset(list, 7, sizeof list);
    count = MANY;
    OK(cu->GraphGetNodes(graph, list, &count));
    EQUAL(3, count);
    CHECK(memcmp(list, nodes, sizeof nodes) == 0);
    CHECK(list[3] == NULL && list[MANY - 1] == NULL);
    count = MANY;
    OK(cu->GraphGetRootNodes(graph, list, &count));
    EQUAL(2, count);
    CHECK((list[0] == nodes[0] && list[1] == nodes[2]) ||
          (list[0] == nodes[2] && list[1] == nodes[0]));
    CHECK(list[2] == NULL);
    count = MANY;
    OK(cu->GraphGetEdges(graph, list, to, &count));
    EQUAL(1, count);
    CHECK(list[0] == nodes[0] && to[0] == nodes[1] && list[1] == NULL && to[1] == NULL);
    REFUSED(cu->GraphGetNodes(graph, list, NULL));
    REFUSED(cu->GraphGetEdges(graph, NULL, to, &count));
    count = MANY;
    OK(cu->GraphNodeGetDependencies(nodes[1], list, &count));
    EQUAL(1, count);
    count = MANY;
    OK(cu->GraphNodeGetDependentNodes(nodes[0], list, &count));
    CHECK(count == 1 && list[0] == nodes[1]);
}

MEASURED_CASE(134, edges_are_unique_and_may_form_a_cycle)
{
    CUgraphExec exec = NULL;
    CUgraphNode nodes[2], foreign;
    CUgraph graph = graph_begin();

    nodes[0] = graph_add_host(graph, NULL, 0, NULL);
    nodes[1] = graph_add_host(graph, NULL, 0, NULL);
    foreign = graph_add_host(graph_begin(), NULL, 0, NULL);
    OK(cu->GraphAddDependencies(graph, &nodes[0], &nodes[1], 1));
    REFUSED(cu->GraphAddDependencies(graph, &nodes[0], &nodes[1], 1));
    REFUSED(cu->GraphAddDependencies(graph, &nodes[0], &nodes[0], 1));
    REFUSED(cu->GraphAddDependencies(graph, &foreign, &nodes[0], 1));
    REFUSED(cu->GraphAddDependencies(graph, NULL, NULL, 1));
    OK(cu->GraphAddDependencies(graph, NULL, NULL, 0));
    OK(cu->GraphAddDependencies(graph, &nodes[1], &nodes[0], 1));
    EQUAL(2, graph_edges(graph));
    REFUSED(cu->GraphInstantiateWithFlags(&exec, graph, 0));
    OK(cu->GraphRemoveDependencies(graph, &nodes[1], &nodes[0], 1));
    REFUSED(cu->GraphRemoveDependencies(graph, &nodes[1], &nodes[0], 1));
    OK(cu->GraphInstantiateWithFlags(&exec, graph, 0));
}

MEASURED_CASE(135, clone_is_another_graph_of_the_same_shape)
{
    CUgraphNode nodes[3], copy = NULL, foreign;
    CUgraph graph, clone = NULL;

    begin_device();
    graph = graph_begin();
    nodes[0] = graph_add_host(graph, NULL, 0, NULL);
    OK(cu->GraphAddEmptyNode(&nodes[1], graph, nodes, 1));
    nodes[2] = graph_add_host(graph, &nodes[1], 1, NULL);
    foreign = graph_add_host(graph_begin(), NULL, 0, NULL);
    OK(cu->GraphClone(&clone, graph));
    CHECK(strcmp(graph_shape(clone), "heh ab bc") == 0);
    OK(cu->GraphNodeFindInClone(&copy, nodes[2], clone));
    CHECK(copy != nodes[2]);
    REFUSED(cu->GraphNodeFindInClone(&copy, foreign, clone));
    REFUSED(cu->GraphNodeFindInClone(&copy, nodes[2], graph));
    REFUSED(cu->GraphClone(&clone, NULL));
    OK(cu->GraphDestroyNode(nodes[1]));
    EQUAL(2, graph_nodes(graph));
    EQUAL(0, graph_edges(graph));
    EQUAL(2, graph_edges(clone));
    REFUSED(cu->GraphDestroyNode(NULL));
}

MEASURED_CASE(136, child_graph_is_a_copy)
{
    CUgraph graph = graph_begin(), child = graph_begin(), inside = NULL;
    CUgraphNode node, extra;
    CUgraphExec exec;
    CUstream stream = begin_stream();

    MUST(cu->GraphAddEmptyNode(&extra, child, NULL, 0));
    OK(cu->GraphAddChildGraphNode(&node, graph, NULL, 0, child));
    OK(cu->GraphChildGraphNodeGetGraph(node, &inside));
    CHECK(inside != child);
    OK(cu->GraphAddEmptyNode(&extra, inside, NULL, 0));
    EQUAL(2, graph_nodes(inside));
    EQUAL(1, graph_nodes(child));
    REFUSED(cu->GraphDestroy(inside));
    REFUSED(cu->GraphChildGraphNodeGetGraph(extra, &inside));
    OK(cu->GraphDestroy(child));
    exec = graph_exec(graph);
    OK(cu->GraphLaunch(exec, stream));
    drain(stream);
}

MEASURED_CASE(137, parameters_are_copied_and_read_as_given)
{
    CUDA_KERNEL_NODE_PARAMS kernel, read;
    CUDA_HOST_NODE_PARAMS host;
    CUDA_MEMSET_NODE_PARAMS set = {.value = 7, .elementSize = 1, .width = 16, .height = 1}, got;
    CUcontext context = begin_context();
    uint64_t ns = 55;
    void *arguments[] = {&ns};
    CUgraphNode node, memory_node;
    CUgraph graph = graph_begin();
    CUgraphExec exec;

    memset(&read, 0, sizeof read);
    kernel = spin_parameters(arguments);
    MUST(cu->GraphAddKernelNode_v2(&node, graph, NULL, 0, &kernel));
    ns = 66;
    OK(cu->GraphKernelNodeGetParams_v2(node, &read));
    CHECK(read.func == kernel.func && read.gridDimX == 1 && read.extra == NULL);
    CHECK(read.kern == NULL && read.ctx == context);
    if (CHECK(read.kernelParams != NULL && read.kernelParams != arguments))
        CHECK(*(uint64_t *)read.kernelParams[0] == 55);
    set.dst = graph_memory(BYTES);
    MUST(cu->GraphAddMemsetNode(&memory_node, graph, NULL, 0, &set, context));
    REFUSED(cu->GraphKernelNodeGetParams_v2(memory_node, &read));
    REFUSED(cu->GraphHostNodeGetParams(memory_node, &host));
    REFUSED(cu->GraphMemsetNodeGetParams(node, &got));
    REFUSED(cu->GraphMemsetNodeSetParams(node, &set));
    OK(cu->GraphMemsetNodeGetParams(memory_node, &got));
    CHECK(got.dst == set.dst && got.value == 7 && got.elementSize == 1 && got.width == 16 &&
          got.height == 1 && got.pitch == 0);
    OK(cu->GraphKernelNodeSetParams_v2(node, &kernel));
    REFUSED(cu->GraphNodeGetType(node, NULL));
    /* The parameters of the first ABI are the first ones of the second. */
    OK(cu->GraphAddKernelNode(&node, graph, NULL, 0, (void *)&kernel));
    kernel.gridDimY = 3;
    OK(cu->GraphKernelNodeSetParams(node, (void *)&kernel));
    memset(&read, 0, sizeof read);
    OK(cu->GraphKernelNodeGetParams(node, (void *)&read));
    CHECK(read.func == kernel.func && read.gridDimX == 1 && read.gridDimY == 3);
    if (CHECK(read.kernelParams != NULL))
        CHECK(*(uint64_t *)read.kernelParams[0] == 66);
    exec = graph_exec(graph);
    OK(cu->GraphExecKernelNodeSetParams(exec, node, (void *)&kernel));
    REFUSED(cu->GraphExecKernelNodeSetParams(exec, node, NULL));
    REFUSED(cu->GraphAddKernelNode(&node, graph, NULL, 0, NULL));
    REFUSED(cu->GraphKernelNodeGetParams(node, NULL));
    REFUSED(cu->GraphKernelNodeSetParams(node, NULL));
}

MEASURED_CASE(138, flags_of_instantiation_are_checked)
{
    CUDA_GRAPH_INSTANTIATE_PARAMS parameters;
    CUgraphExec exec = NULL;
    cuuint64_t flags = 77;
    CUgraph graph = graph_begin();
    CUgraphNode host = graph_add_host(graph, NULL, 0, NULL);

    OK(cu->GraphInstantiate_v2(&exec, graph, NULL, NULL, 0));
    OK(cu->GraphInstantiateWithFlags(&exec, graph, CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY));
    OK(cu->GraphExecGetFlags(exec, &flags));
    EQUAL(0, flags);
    OK(cu->GraphInstantiateWithFlags(&exec, graph,
                                     CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH));
    OK(cu->GraphExecGetFlags(exec, &flags));
    EQUAL(CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH, flags);
    REFUSED(cu->GraphInstantiateWithFlags(&exec, graph, CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD));
    REFUSED(cu->GraphInstantiateWithFlags(&exec, graph, CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH));
    REFUSED(cu->GraphInstantiateWithFlags(&exec, graph, 16));
    REFUSED(cu->GraphInstantiateWithFlags(&exec, NULL, 0));
    REFUSED(cu->GraphInstantiateWithFlags(NULL, graph, 0));
    memset(&parameters, 0, sizeof parameters);
    parameters.flags = CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD;
    parameters.hUploadStream = begin_stream();
    parameters.result_out = CUDA_GRAPH_INSTANTIATE_ERROR;
    OK(cu->GraphInstantiateWithParams(&exec, graph, &parameters));
    EQUAL(CUDA_GRAPH_INSTANTIATE_SUCCESS, parameters.result_out);
    CHECK(parameters.hErrNode_out == NULL);
    parameters.flags |= CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
    OK(cu->GraphInstantiateWithParams(&exec, graph, &parameters));
    OK(cu->GraphExecGetFlags(exec, &flags));
    EQUAL(CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH, flags);
    parameters.flags = CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH;
    REFUSED(cu->GraphInstantiateWithParams(&exec, graph, &parameters));
    EQUAL(CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED, parameters.result_out);
    CHECK(parameters.hErrNode_out == host);
    parameters.flags = 64;
    REFUSED(cu->GraphInstantiateWithParams(&exec, graph, &parameters));
    REFUSED(cu->GraphInstantiateWithParams(&exec, graph, NULL));
}

/* What is refused of nodes, edges, graphs for the device and user objects. Statements 185-187. */

/* Give the parameters what a node of their type needs. */
static void fill(CUgraphNodeParams *parameters, CUdeviceptr memory, void **arguments)
{
    static atomic_int ran;

    switch (parameters->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        parameters->kernel.func = begin_kernel("cushim_spin");
        parameters->kernel.gridDimX = parameters->kernel.gridDimY = parameters->kernel.gridDimZ = 1;
        parameters->kernel.blockDimX = parameters->kernel.blockDimY = 1;
        parameters->kernel.blockDimZ = 1;
        parameters->kernel.kernelParams = arguments;
        break;
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        parameters->memcpy.copyParams =
            (CUDA_MEMCPY3D){FROM_DEVICE(memory, 0), TO_DEVICE(memory + 64, 0), .WidthInBytes = 64,
                            .Height = 1, .Depth = 1};
        break;
    case CU_GRAPH_NODE_TYPE_MEMSET:
        parameters->memset.dst = memory;
        parameters->memset.value = 7;
        parameters->memset.elementSize = 1;
        parameters->memset.width = 64;
        parameters->memset.height = 1;
        break;
    case CU_GRAPH_NODE_TYPE_HOST:
        parameters->host.fn = do_nothing;
        parameters->host.userData = &ran;
        break;
    case CU_GRAPH_NODE_TYPE_GRAPH:
        parameters->graph.graph = graph_begin();
        break;
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        parameters->eventRecord.event = begin_event();
        break;
    default:
        break;
    }
}

MEASURED_CASE(185, reserved_bytes_of_a_node_are_zero)
{
    static const CUgraphNodeType types[] = {
        CU_GRAPH_NODE_TYPE_EMPTY,  CU_GRAPH_NODE_TYPE_EVENT_RECORD, CU_GRAPH_NODE_TYPE_WAIT_EVENT,
        CU_GRAPH_NODE_TYPE_HOST,   CU_GRAPH_NODE_TYPE_KERNEL,       CU_GRAPH_NODE_TYPE_MEMSET,
        CU_GRAPH_NODE_TYPE_MEMCPY, CU_GRAPH_NODE_TYPE_GRAPH};
    CUgraphNodeParams parameters;
    CUstream stream = begin_stream();
    CUgraphNode node = NULL, last = NULL;
    CUdeviceptr memory = graph_memory(128);
    CUgraph graph = graph_begin();
    uint64_t ns = 10;
    void *arguments[] = {&ns};

    for (size_t i = 0; i < COUNT(types); i++) {
        memset(&parameters, 0, sizeof parameters);
        parameters.type = types[i];
        if (types[i] == CU_GRAPH_NODE_TYPE_KERNEL)
            CODE(CUDA_ERROR_INVALID_HANDLE,
                 cu->GraphAddNode_v2(&node, graph, NULL, NULL, 0, (void *)&parameters));
        else if (types[i] != CU_GRAPH_NODE_TYPE_EMPTY)
            REFUSED(cu->GraphAddNode_v2(&node, graph, NULL, NULL, 0, (void *)&parameters));
        fill(&parameters, memory, arguments);
        ((char *)(&parameters + 1))[-1] = 1;
        REFUSED(cu->GraphAddNode_v2(&node, graph, NULL, NULL, 0, (void *)&parameters));
        ((char *)(&parameters + 1))[-1] = 0;
        parameters.reserved0[0] = 1;
        REFUSED(cu->GraphAddNode_v2(&node, graph, NULL, NULL, 0, (void *)&parameters));
        parameters.reserved0[0] = 0;
        if (i % 2 == 0)
            OK(cu->GraphAddNode_v2(&node, graph, &last, NULL, i > 0, (void *)&parameters));
        else
            OK(cu->GraphAddNode(&node, graph, &last, 1, (void *)&parameters));
        if (types[i] == CU_GRAPH_NODE_TYPE_MEMCPY) {
            parameters.memcpy.flags = 1;
            REFUSED(cu->GraphAddNode_v2(&node, graph, NULL, NULL, 0, (void *)&parameters));
        }
        last = node;
    }
    memset(&parameters, 0, sizeof parameters);
    parameters.type = CU_GRAPH_NODE_TYPE_EMPTY;
    REFUSED(cu->GraphNodeSetParams(last, (void *)&parameters));
    parameters.type = CU_GRAPH_NODE_TYPE_MEM_FREE;
    REFUSED(cu->GraphAddNode_v2(&node, graph, NULL, NULL, 0, (void *)&parameters));
    parameters.free.dptr = graph_memory(64);
    REFUSED(cu->GraphAddNode_v2(&node, graph, NULL, NULL, 0, (void *)&parameters));
    parameters.type = (CUgraphNodeType)77;
    REFUSED(cu->GraphAddNode_v2(&node, graph, NULL, NULL, 0, (void *)&parameters));
    EQUAL(COUNT(types), graph_nodes(graph));
    OK(cu->GraphLaunch(graph_exec(graph), stream));
    drain(stream);
    EQUAL(7, graph_byte(memory + 64));
}

MEASURED_CASE(185, edges_between_host_nodes_are_plain)
{
    static const CUgraphEdgeData wrong[] = {{.reserved = {1}}, {.to_port = 1}, {.from_port = 1},
                                            {.type = 1},       {.type = 2},    {.type = 9}};
    const CUgraphEdgeData plain = {0};
    CUgraphNode one, other;
    CUgraph graph = graph_begin();

    one = graph_add_host(graph, NULL, 0, NULL);
    other = graph_add_host(graph, NULL, 0, NULL);
    for (size_t i = 0; i < COUNT(wrong); i++)
        REFUSED(cu->GraphAddDependencies_v2(graph, &one, &other, &wrong[i], 1));
    EQUAL(0, graph_edges(graph));
    OK(cu->GraphAddDependencies_v2(graph, &one, &other, &plain, 1));
}

MEASURED_CASE(186, graph_for_the_device_has_work_for_it)
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

MEASURED_CASE(187, graph_releases_what_it_holds_and_no_more)
{
    CUuserObject object = NULL, other = NULL;
    CUgraph graph = graph_begin();

    MUST(cu->UserObjectCreate(&object, NULL, do_nothing, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    MUST(cu->UserObjectCreate(&other, NULL, do_nothing, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    OK(cu->GraphRetainUserObject(graph, object, 1, 0));
    REFUSED(cu->GraphReleaseUserObject(graph, object, 0));
    OK(cu->GraphReleaseUserObject(graph, other, 1));
    OK(cu->GraphReleaseUserObject(graph, object, 2));
    OK(cu->GraphReleaseUserObject(graph, object, 1));
    OK(cu->UserObjectRetain(object, 2));
    OK(cu->UserObjectRelease(object, 2));
    REFUSED(cu->UserObjectRetain(object, 0));
    REFUSED(cu->UserObjectRelease(object, 0));
    REFUSED(cu->GraphRetainUserObject(graph, object, 1, 2));
}

/* CUDA 12.9 and later. */
MEASURED_CASE(204, child_graph_may_be_moved)
{
    CUDA_MEMSET_NODE_PARAMS set = {.value = 3, .elementSize = 1, .width = 16, .height = 1};
    CUcontext context = begin_context();
    CUgraphNodeParams parameters;
    CUgraphNode node, of_child, twice[2], again;
    CUgraph graph = graph_begin(), child = graph_begin(), same = NULL, clone;
    CUgraphExecUpdateResultInfo info;
    CUgraphExec exec;

    set.dst = graph_memory(BYTES);
    MUST(cu->GraphAddMemsetNode(&of_child, child, NULL, 0, &set, context));
    memset(&parameters, 0, sizeof parameters);
    parameters.type = CU_GRAPH_NODE_TYPE_GRAPH;
    parameters.graph.graph = child;
    parameters.graph.ownership = 1; /* CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE */
    twice[0] = twice[1] = graph_add_host(graph, NULL, 0, NULL);
    REFUSED(cu->GraphAddNode_v2(&node, graph, twice, NULL, 2, (void *)&parameters));
    MUST(cu->GraphAddNode_v2(&node, graph, NULL, NULL, 0, (void *)&parameters));
    OK(cu->GraphChildGraphNodeGetGraph(node, &same));
    CHECK(same == child);
    CODE(CUDA_ERROR_NOT_SUPPORTED,
         cu->GraphAddNode_v2(&again, graph_begin(), NULL, NULL, 0, (void *)&parameters));
    REFUSED(cu->GraphDestroy(child));
    OK(cu->GraphClone(&clone, graph));
    exec = graph_exec(graph);
    REFUSED(cu->GraphExecUpdate_v2(exec, child, &info));
    set.value = 9;
    OK(cu->GraphExecMemsetNodeSetParams(exec, of_child, &set, context));
    /* A copy of the parent has a copy of the child. */
    OK(cu->GraphDestroyNode(node));
    OK(cu->GraphLaunch(graph_exec(clone), NULL));
    MUST(cu->CtxSynchronize());
    EQUAL(3, graph_byte(set.dst));
}
