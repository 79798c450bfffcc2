/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program for <cuda.h>: graphs that it builds and graphs that it captures. It prints each call
 * with its code, and whether the bytes and nodes are right. It prints no time and no address, so
 * that the output is the same with every driver.
 *
 * Exit status: 0 done; 1 no driver or no device.
 */
#include <cuda.h>

#include <stdio.h>
#include <string.h>

enum { BYTES = 4096, NODES = 8 };

#define CALL(call) say(#call, call)
#define IS(condition) is(#condition, condition)

/* In CUDA 12, another function has this name; the arguments here have the same meaning. */
#if CUDA_VERSION >= 12000
#define INSTANTIATE(exec, graph) cuGraphInstantiate(exec, graph, 0)
#else
#define INSTANTIATE(exec, graph) cuGraphInstantiate(exec, graph, NULL, NULL, 0)
#endif
/* The function of CUDA 13, with edge data. */
#if CUDA_VERSION >= 13000
#define EDGES(graph, from, to, count) cuGraphGetEdges(graph, from, to, NULL, count)
#define CONNECT(graph, from, to, count) cuGraphAddDependencies(graph, from, to, NULL, count)
#else
#define EDGES(graph, from, to, count) cuGraphGetEdges(graph, from, to, count)
#define CONNECT(graph, from, to, count) cuGraphAddDependencies(graph, from, to, count)
#endif

/* cushim's mock knows these kernels by their names. */
static const char image[] = ".version 6.0\n"
                            ".target sm_50\n"
                            ".address_size 64\n"
                            ".visible .entry cushim_nothing()\n{\n    ret;\n}\n";

static CUdevice device;
static CUcontext context;
static CUmodule module;
static CUfunction nothing;
static CUstream stream;
static CUdeviceptr memory;
static unsigned char *host; /* page-locked */
static int calls;

static CUresult say(const char *what, CUresult code)
{
    const char *name = NULL;

    cuGetErrorName(code, &name);
    printf("%s: %d %s\n", what, (int)code, name ? name : "?");
    return code;
}

static void is(const char *what, int truth)
{
    printf("  %s: %s\n", what, truth ? "yes" : "no");
}

static void CUDA_CB count_call(void *by)
{
    calls += *(int *)by;
}

/* Whether all of the device memory has the value `value`. */
static int holds(unsigned char value)
{
    memset(host, ~value, BYTES);
    if (cuMemcpyDtoH(host, memory, BYTES) != CUDA_SUCCESS)
        return 0;
    for (int i = 0; i < BYTES; i++)
        if (host[i] != value)
            return 0;
    return 1;
}

static CUDA_MEMSET_NODE_PARAMS set_to(unsigned char value)
{
    return (CUDA_MEMSET_NODE_PARAMS){
        .dst = memory, .value = value, .elementSize = 1, .width = BYTES, .height = 1};
}

static int begin(void)
{
    int count = 0;

    if (CALL(cuInit(0)) != CUDA_SUCCESS)
        return 0;
    CALL(cuDeviceGetCount(&count));
    if (count == 0)
        return 0;
    CALL(cuDeviceGet(&device, 0));
    CALL(cuDevicePrimaryCtxRetain(&context, device));
    CALL(cuCtxSetCurrent(context));
    CALL(cuModuleLoadData(&module, image));
    CALL(cuModuleGetFunction(&nothing, module, "cushim_nothing"));
    CALL(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CALL(cuMemAlloc(&memory, BYTES));
    CALL(cuMemHostAlloc((void **)&host, BYTES, 0));
    return host != NULL;
}

/* A memset, then a kernel and a host function in parallel, then another host function. */
static void built(void)
{
    CUDA_MEMSET_NODE_PARAMS set = set_to(1);
    CUDA_KERNEL_NODE_PARAMS kernel = {.gridDimX = 2,
                                      .gridDimY = 1,
                                      .gridDimZ = 1,
                                      .blockDimX = 32,
                                      .blockDimY = 1,
                                      .blockDimZ = 1};
    int one = 1, ten = 10;
    CUDA_HOST_NODE_PARAMS first = {.fn = count_call, .userData = &one};
    CUDA_HOST_NODE_PARAMS second = {.fn = count_call, .userData = &ten};
    CUgraph graph = NULL;
    CUgraphExec exec = NULL;
    CUgraphNode nodes[NODES] = {NULL}, reported[NODES] = {NULL};
    CUgraphNodeType type = (CUgraphNodeType)99;
    size_t count = 0, edges = 0;

    CALL(cuGraphCreate(&graph, 1));
    CALL(cuGraphCreate(&graph, 0));
    CALL(cuGraphAddMemsetNode(&nodes[0], graph, NULL, 0, &set, context));
    kernel.func = nothing;
    CALL(cuGraphAddKernelNode(&nodes[1], graph, &nodes[0], 1, &kernel));
    CALL(cuGraphAddHostNode(&nodes[2], graph, &nodes[0], 1, &first));
    CALL(cuGraphAddHostNode(&nodes[3], graph, &nodes[1], 2, &second));
    CALL(cuGraphAddEmptyNode(&nodes[4], graph, NULL, 0));
    CALL(CONNECT(graph, &nodes[3], &nodes[4], 1));
    CALL(CONNECT(graph, &nodes[3], &nodes[4], 1));
    CALL(CONNECT(graph, &nodes[3], &nodes[3], 1));
    CALL(cuGraphGetNodes(graph, NULL, &count));
    CALL(EDGES(graph, NULL, NULL, &edges));
    IS(count == 5 && edges == 5);
    CALL(cuGraphGetRootNodes(graph, reported, &count));
    IS(count == 1 && reported[0] == nodes[0]);
    CALL(cuGraphNodeGetType(nodes[2], &type));
    IS(type == CU_GRAPH_NODE_TYPE_HOST);
    CALL(cuGraphHostNodeGetParams(nodes[1], &first));
    CALL(INSTANTIATE(&exec, graph));
    calls = 0;
    CALL(cuGraphLaunch(exec, stream));
    CALL(cuGraphLaunch(exec, stream));
    CALL(cuStreamSynchronize(stream));
    IS(calls == 22 && holds(1));
    set.value = 2;
    CALL(cuGraphMemsetNodeSetParams(nodes[0], &set));
    CALL(cuGraphLaunch(exec, stream));
    CALL(cuStreamSynchronize(stream));
    IS(calls == 33 && holds(1));
    CALL(cuGraphExecMemsetNodeSetParams(exec, nodes[0], &set, context));
    CALL(cuGraphLaunch(exec, stream));
    CALL(cuStreamSynchronize(stream));
    IS(calls == 44 && holds(2));
    CALL(cuGraphDestroyNode(nodes[3]));
    CALL(cuGraphGetNodes(graph, NULL, &count));
    IS(count == 4);
    CALL(cuGraphDestroy(graph));
    CALL(cuGraphLaunch(exec, NULL));
    CALL(cuCtxSynchronize());
    IS(calls == 55);
    CALL(cuGraphExecDestroy(exec));
}

static void wrong(void)
{
    CUDA_MEMSET_NODE_PARAMS set = set_to(3);
    CUDA_KERNEL_NODE_PARAMS kernel = {.blockDimX = 1, .blockDimY = 1, .blockDimZ = 1};
    CUDA_HOST_NODE_PARAMS none = {.fn = NULL};
    CUgraph graph = NULL;
    CUgraphExec exec = NULL;
    CUgraphNode first = NULL, second = NULL, twice[2];

    CALL(cuGraphCreate(&graph, 0));
    CALL(cuGraphAddHostNode(&first, graph, NULL, 0, &none));
    kernel.func = nothing;
    CALL(cuGraphAddKernelNode(&first, graph, NULL, 0, &kernel));
    set.elementSize = 3;
    CALL(cuGraphAddMemsetNode(&first, graph, NULL, 0, &set, context));
    CALL(cuGraphAddEmptyNode(NULL, graph, NULL, 0));
    CALL(cuGraphAddEmptyNode(&first, graph, NULL, 1));
    CALL(cuGraphAddEmptyNode(&first, graph, NULL, 0));
    twice[0] = twice[1] = first;
    CALL(cuGraphAddEmptyNode(&second, graph, twice, 2));
    CALL(cuGraphAddEmptyNode(&second, graph, twice, 1));
    CALL(CONNECT(graph, &second, &first, 1));
    CALL(INSTANTIATE(&exec, graph));
    CALL(cuGraphLaunch(NULL, stream));
    CALL(cuGraphExecDestroy(NULL));
    CALL(cuGraphDestroy(graph));
    CALL(cuGraphDestroy(NULL));
}

static void nested(void)
{
    CUDA_MEMSET_NODE_PARAMS set = set_to(4);
    CUgraph inner = NULL, outer = NULL, its = NULL, clone = NULL;
    CUgraphNode node = NULL, child = NULL, found = NULL;
    CUgraphExec exec = NULL;
    size_t count = 9;

    CALL(cuGraphCreate(&inner, 0));
    CALL(cuGraphCreate(&outer, 0));
    CALL(cuGraphAddMemsetNode(&node, inner, NULL, 0, &set, context));
    CALL(cuGraphAddChildGraphNode(&child, outer, NULL, 0, inner));
    CALL(cuGraphDestroyNode(node));
    CALL(cuGraphChildGraphNodeGetGraph(child, &its));
    CALL(cuGraphGetNodes(its, NULL, &count));
    IS(its != inner && count == 1);
    CALL(cuGraphClone(&clone, outer));
    CALL(cuGraphNodeFindInClone(&found, child, clone));
    IS(found != NULL && found != child);
    CALL(cuGraphNodeFindInClone(&found, child, inner));
    CALL(cuGraphDestroy(outer));
    CALL(INSTANTIATE(&exec, clone));
    CALL(cuMemsetD8(memory, 0, BYTES));
    CALL(cuGraphLaunch(exec, stream));
    CALL(cuStreamSynchronize(stream));
    IS(holds(4));
    CALL(cuGraphExecDestroy(exec));
    CALL(cuGraphDestroy(clone));
    CALL(cuGraphDestroy(inner));
}

/* Two streams that fork and join. */
static void captured(void)
{
    CUstreamCaptureStatus status = (CUstreamCaptureStatus)9;
    CUstream other = NULL;
    CUevent fork = NULL, join = NULL;
    CUgraph graph = NULL;
    CUgraphExec exec = NULL;
    size_t count = 0;
    int hundred = 100;

    CALL(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    CALL(cuEventCreate(&fork, CU_EVENT_DISABLE_TIMING));
    CALL(cuEventCreate(&join, CU_EVENT_DISABLE_TIMING));
    CALL(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CALL(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CALL(cuMemsetD8Async(memory, 5, BYTES, stream));
    CALL(cuEventRecord(fork, stream));
    CALL(cuStreamWaitEvent(other, fork, 0));
    CALL(cuLaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, other, NULL, NULL));
    CALL(cuLaunchHostFunc(stream, count_call, &hundred));
    CALL(cuStreamIsCapturing(other, &status));
    IS(status == CU_STREAM_CAPTURE_STATUS_ACTIVE);
    CALL(cuEventRecord(join, other));
    CALL(cuStreamWaitEvent(stream, join, 0));
    CALL(cuMemcpyDtoHAsync(host, memory, BYTES, stream));
    calls = 0;
    CALL(cuStreamEndCapture(stream, &graph));
    CALL(cuGraphGetNodes(graph, NULL, &count));
    IS(count == 4 && calls == 0);
    CALL(INSTANTIATE(&exec, graph));
    memset(host, 0, BYTES);
    CALL(cuGraphUpload(exec, stream));
    CALL(cuGraphLaunch(exec, stream));
    CALL(cuStreamSynchronize(stream));
    IS(calls == 100 && host[0] == 5 && host[BYTES - 1] == 5);
    CALL(cuEventQuery(join));
    CALL(cuEventRecord(join, stream));
    CALL(cuEventSynchronize(join));
    CALL(cuGraphExecDestroy(exec));
    CALL(cuGraphDestroy(graph));
    CALL(cuStreamEndCapture(stream, &graph));

    CALL(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    CALL(cuStreamSynchronize(stream));
    CALL(cuStreamIsCapturing(stream, &status));
    IS(status == CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    CALL(cuStreamEndCapture(stream, &graph));
    IS(graph == NULL);
    CALL(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CALL(cuEventRecord(fork, stream));
    CALL(cuStreamWaitEvent(other, fork, 0));
    CALL(cuMemsetD8Async(memory, 6, BYTES, other));
    CALL(cuStreamEndCapture(stream, &graph));
    CALL(cuStreamBeginCapture(NULL, CU_STREAM_CAPTURE_MODE_RELAXED));
    CALL(cuEventDestroy(join));
    CALL(cuEventDestroy(fork));
    CALL(cuStreamDestroy(other));
}

int main(void)
{
    if (!begin())
        return 1;
    built();
    wrong();
    nested();
    captured();
    CALL(cuMemFreeHost(host));
    CALL(cuMemFree(memory));
    CALL(cuStreamDestroy(stream));
    CALL(cuModuleUnload(module));
    CALL(cuDevicePrimaryCtxRelease(device));
    return 0;
}
