/* SPDX-License-Identifier: Apache-2.0 */
/* Captures, graphs and their launches; modules, and kernels that the mock knows by their names. */
#include "tests/fuzz/calls.h"

static void begin(struct calls *calls)
{
    struct calls_object *stream;
    const uint64_t handle = calls_pick(calls, CALLS_STREAM, &stream);
    const unsigned mode = fuzz_below(&calls->input, 4);

    if (calls_judge(calls, calls->driver->StreamBeginCapture_v2(CALLS_HANDLE(CUstream, handle),
                                                                (CUstreamCaptureMode)mode)) ==
        CUDA_SUCCESS)
        calls->captures++;
}

/*
 * A capture that ends because its stream is destroyed is counted for ever, so the model knows less.
 */
static void end(struct calls *calls)
{
    struct calls_object *stream, *object = calls_room(calls, CALLS_GRAPH);
    const uint64_t handle = calls_pick(calls, CALLS_STREAM, &stream);
    CUgraph graph = NULL;
    const CUresult code =
        calls_judge(calls, calls->driver->StreamEndCapture(CALLS_HANDLE(CUstream, handle), &graph));

    CLAIM(code == CUDA_SUCCESS || !graph);
    if (code == CUDA_SUCCESS) {
        CLAIM(calls->captures > 0);
        calls->captures--;
    }
    if (!graph)
        return;
    if (!object) {
        calls_judge(calls, calls->driver->GraphDestroy(graph));
        return;
    }
    calls_made(calls, object, (uintptr_t)graph);
    object->context = NULL;
}

static void create(struct calls *calls)
{
    struct calls_object *object = calls_room(calls, CALLS_GRAPH);
    CUgraph graph = NULL;

    if (!object || calls_judge(calls, calls->driver->GraphCreate(&graph, 0)) != CUDA_SUCCESS)
        return;
    calls_made(calls, object, (uintptr_t)graph);
    object->context = NULL;
}

static void add(struct calls *calls)
{
    struct calls_object *graph, *before, *object = calls_room(calls, CALLS_NODE);
    const uint64_t handle = calls_pick(calls, CALLS_GRAPH, &graph);
    CUgraphNode node = NULL, dependency;
    bool has_dependency;
    CUresult code;

    dependency = CALLS_HANDLE(CUgraphNode, calls_pick(calls, CALLS_NODE, &before));
    has_dependency = calls->has_bad || before;
    if (!object || (!graph && !calls->has_bad)) {
        calls_drop(calls);
        return;
    }
    code = calls_judge(calls, calls->driver->GraphAddEmptyNode(&node, CALLS_HANDLE(CUgraph, handle),
                                                               has_dependency ? &dependency : NULL,
                                                               has_dependency));
    if (code != CUDA_SUCCESS)
        return;
    calls_made(calls, object, (uintptr_t)node);
    object->context = NULL;
    object->parent = graph;
}

static void remove_node(struct calls *calls)
{
    struct calls_object *node;
    const uint64_t handle = calls_pick(calls, CALLS_NODE, &node);

    if (calls_judge(calls, calls->driver->GraphDestroyNode(CALLS_HANDLE(CUgraphNode, handle))) ==
        CUDA_SUCCESS)
        node->state = CALLS_DEAD;
}

static void destroy(struct calls *calls)
{
    struct calls_object *graph;
    const uint64_t handle = calls_pick(calls, CALLS_GRAPH, &graph);

    if (calls_judge(calls, calls->driver->GraphDestroy(CALLS_HANDLE(CUgraph, handle))) !=
        CUDA_SUCCESS)
        return;
    CLAIM(graph != NULL);
    graph->state = CALLS_DEAD;
    calls_end_children(calls, CALLS_NODE, graph);
}

static void instantiate(struct calls *calls)
{
    struct calls_object *graph, *object = calls_room(calls, CALLS_EXEC);
    const uint64_t handle = calls_pick(calls, CALLS_GRAPH, &graph);
    CUgraphExec exec = NULL;

    if (!object) {
        calls_drop(calls);
        return;
    }
    if (calls_judge(calls, calls->driver->GraphInstantiateWithFlags(
                               &exec, CALLS_HANDLE(CUgraph, handle), 0)) != CUDA_SUCCESS)
        return;
    calls_made(calls, object, (uintptr_t)exec);
    object->context = NULL;
}

static void launch(struct calls *calls)
{
    struct calls_object *exec, *stream;
    const uint64_t handle = calls_pick(calls, CALLS_EXEC, &exec);
    const uint64_t on = calls_pick(calls, CALLS_STREAM, &stream);

    calls->has_graph = true;
    calls_judge(calls, calls->driver->GraphLaunch(CALLS_HANDLE(CUgraphExec, handle),
                                                  CALLS_HANDLE(CUstream, on)));
}

static void end_exec(struct calls *calls)
{
    struct calls_object *exec;
    const uint64_t handle = calls_pick(calls, CALLS_EXEC, &exec);

    if (calls_judge(calls, calls->driver->GraphExecDestroy(CALLS_HANDLE(CUgraphExec, handle))) ==
        CUDA_SUCCESS)
        exec->state = CALLS_DEAD;
}

void calls_step_graph(struct calls *calls)
{
    static void (*const steps[])(struct calls * calls) = {
        begin, end, create, add, remove_node, destroy, instantiate, launch, end_exec, add};

    steps[fuzz_below(&calls->input, sizeof steps / sizeof steps[0])](calls);
}

static void load(struct calls *calls)
{
    static const char text[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                               ".visible .entry cushim_nothing() { ret; }\n"
                               ".visible .entry cushim_spin(.param .u64 ns) { ret; }\n"
                               ".visible .entry cushim_fault() { ret; }\n";
    struct calls_object *object = calls_room(calls, CALLS_MODULE);
    CUmodule module = NULL;

    if (object && calls_judge(calls, calls->driver->ModuleLoadData(&module, text)) == CUDA_SUCCESS)
        calls_made(calls, object, (uintptr_t)module);
}

static void unload(struct calls *calls)
{
    struct calls_object *module;
    const uint64_t handle = calls_pick(calls, CALLS_MODULE, &module);

    if (calls_judge(calls, calls->driver->ModuleUnload(CALLS_HANDLE(CUmodule, handle))) !=
        CUDA_SUCCESS)
        return;
    module->state = CALLS_DEAD;
    calls_end_children(calls, CALLS_FUNCTION, module);
}

static void find(struct calls *calls)
{
    static const char *const names[] = {"cushim_nothing", "cushim_spin", "cushim_fault", "none"};
    struct calls_object *module, *object = calls_room(calls, CALLS_FUNCTION);
    const uint64_t handle = calls_pick(calls, CALLS_MODULE, &module);
    const uint8_t byte = fuzz_byte(&calls->input);
    /* Only few programs contain a fault. */
    const unsigned which = byte < 128 ? 0 : byte < 240 ? 1 : byte < 248 ? 3 : 2;
    CUfunction function = NULL;
    CUresult code;

    if (!object) {
        calls_drop(calls);
        return;
    }
    code = calls_judge(calls, calls->driver->ModuleGetFunction(
                                  &function, CALLS_HANDLE(CUmodule, handle), names[which]));
    CLAIM(which != 3 || code != CUDA_SUCCESS);
    if (code != CUDA_SUCCESS)
        return;
    calls_made(calls, object, (uintptr_t)function);
    object->parent = module;
    object->context = module->context;
    object->is_faulty = which == 2;
}

static void launch_kernel(struct calls *calls)
{
    struct calls_object *function, *stream;
    const uint64_t handle = calls_pick(calls, CALLS_FUNCTION, &function);
    const uint64_t on = calls_pick(calls, CALLS_STREAM, &stream);
    uint64_t ns = fuzz_byte(&calls->input) * UINT64_C(100);
    void *parameters[] = {&ns};

    if (calls_judge(calls, calls->driver->LaunchKernel(CALLS_HANDLE(CUfunction, handle), 1, 1, 1,
                                                       fuzz_below(&calls->input, 3), 1, 1, 0,
                                                       CALLS_HANDLE(CUstream, on), parameters,
                                                       NULL)) == CUDA_SUCCESS)
        calls->may_fault = calls->may_fault || function->is_faulty;
}

void calls_step_kernel(struct calls *calls)
{
    static void (*const steps[])(struct calls * calls) = {load, unload, find, launch_kernel,
                                                          launch_kernel};

    steps[fuzz_below(&calls->input, sizeof steps / sizeof steps[0])](calls);
}
