/* SPDX-License-Identifier: Apache-2.0 */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include "tests/check/cases.h"

#include "tests/check/answers.h"

/* --- events and streams --- */

static void destroyed_event_is_queried(void)
{
    CUevent event;

    OK(driver->EventCreate(&event, 0));
    OK(driver->EventDestroy_v2(event));
    MISUSE(CUDA_ERROR_INVALID_HANDLE, driver->EventQuery(event));
}

static void event_is_queried(void)
{
    CUevent event;

    OK(driver->EventCreate(&event, 0));
    OK(driver->EventQuery(event));
    OK(driver->EventDestroy_v2(event));
}

static void destroyed_event_is_second_argument(void)
{
    CUevent start, end;
    float ms;

    OK(driver->EventCreate(&start, 0));
    OK(driver->EventCreate(&end, 0));
    OK(driver->EventRecord(start, NULL));
    OK(driver->EventRecord(end, NULL));
    OK(driver->EventDestroy_v2(end));
    MISUSE(CUDA_ERROR_INVALID_HANDLE, driver->EventElapsedTime(&ms, start, end));
    OK(driver->EventDestroy_v2(start));
}

static void event_is_destroyed_twice(void)
{
    CUevent event;

    OK(driver->EventCreate(&event, 0));
    OK(driver->EventDestroy_v2(event));
    MISUSE(CUDA_ERROR_INVALID_HANDLE, driver->EventDestroy_v2(event));
}

static void destroyed_stream_is_synchronized(void)
{
    CUstream stream;

    OK(driver->StreamCreate(&stream, 0));
    OK(driver->StreamDestroy_v2(stream));
    MISUSE(CUDA_ERROR_INVALID_HANDLE, driver->StreamSynchronize(stream));
}

static void stream_is_synchronized(void)
{
    CUstream stream;

    OK(driver->StreamCreate(&stream, 0));
    OK(driver->StreamSynchronize(stream));
    OK(driver->StreamDestroy_v2(stream));
}

static void stream_is_destroyed_twice(void)
{
    CUstream stream;

    OK(driver->StreamCreate(&stream, 0));
    OK(driver->StreamDestroy_v2(stream));
    MISUSE(CUDA_ERROR_INVALID_HANDLE, driver->StreamDestroy_v2(stream));
}

static void stream_is_passed_as_event(void)
{
    CUstream stream;

    OK(driver->StreamCreate(&stream, 0));
    MISUSE(CUDA_ERROR_INVALID_HANDLE, driver->EventQuery((CUevent)(void *)stream));
    OK(driver->StreamDestroy_v2(stream));
}

/* --- modules and graphs --- */

static CUfunction load(CUmodule *module)
{
    CUfunction function;

    OK(driver->ModuleLoadData(module, check_image));
    OK(driver->ModuleGetFunction(&function, *module, "cushim_spin"));
    return function;
}

static CUresult launch(CUfunction function)
{
    uint64_t ns = 0;
    void *arguments[] = {&ns};

    return driver->LaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL);
}

static void function_of_unloaded_module_is_launched(void)
{
    CUmodule module;
    CUfunction function = load(&module);

    OK(driver->ModuleUnload(module));
    MISUSE(CUDA_ERROR_INVALID_HANDLE, launch(function));
}

static void function_is_launched(void)
{
    CUmodule module;
    CUfunction function = load(&module);

    OK(launch(function));
    OK(driver->CtxSynchronize());
    OK(driver->ModuleUnload(module));
}

/* Its handles may be those of the first. */
static void module_is_loaded_again(void)
{
    function_is_launched();
    function_is_launched();
}

static void destroyed_stream_is_in_launch_config(void)
{
    CUmodule module;
    CUfunction function = load(&module);
    CUlaunchConfig config = {.gridDimX = 1,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = 1,
                             .blockDimY = 1,
                             .blockDimZ = 1};
    uint64_t ns = 0;
    void *arguments[] = {&ns};

    OK(driver->StreamCreate(&config.hStream, 0));
    OK(driver->StreamDestroy_v2(config.hStream));
    MISUSE(CUDA_ERROR_INVALID_HANDLE, driver->LaunchKernelEx(&config, function, arguments, NULL));
    OK(driver->ModuleUnload(module));
}

static CUgraphExec instantiate(void)
{
    CUgraphExec exec;
    CUgraph graph;

    OK(driver->GraphCreate(&graph, 0));
    OK(driver->GraphInstantiateWithFlags(&exec, graph, 0));
    OK(driver->GraphDestroy(graph));
    return exec;
}

static void destroyed_exec_is_launched(void)
{
    CUgraphExec exec = instantiate();

    OK(driver->GraphExecDestroy(exec));
    MISUSE(CUDA_ERROR_INVALID_HANDLE, driver->GraphLaunch(exec, NULL));
}

static void exec_is_launched(void)
{
    CUgraphExec exec = instantiate();

    OK(driver->GraphLaunch(exec, NULL));
    OK(driver->CtxSynchronize());
    OK(driver->GraphExecDestroy(exec));
}

static CUarray make_array(void)
{
    const CUDA_ARRAY_DESCRIPTOR described = {
        .Width = 16, .Format = CU_AD_FORMAT_UNSIGNED_INT8, .NumChannels = 1};
    CUarray array;

    OK(driver->ArrayCreate_v2(&array, &described));
    return array;
}

static void destroyed_array_is_described(void)
{
    CUDA_ARRAY_DESCRIPTOR described;
    CUarray array = make_array();

    OK(driver->ArrayDestroy(array));
    MISUSE(CUDA_ERROR_INVALID_HANDLE, driver->ArrayGetDescriptor_v2(&described, array));
}

static void array_is_described(void)
{
    CUDA_ARRAY_DESCRIPTOR described;
    CUarray array = make_array();

    OK(driver->ArrayGetDescriptor_v2(&described, array));
    OK(driver->ArrayDestroy(array));
}

/* --- contexts --- */

static void destroyed_context_becomes_current(void)
{
    CUcontext former, context;

    OK(driver->CtxGetCurrent(&former));
    OK(driver->CtxCreate_v2(&context, 0, 0));
    OK(driver->CtxDestroy_v2(context));
    MISUSE(CUDA_SUCCESS, driver->CtxSetCurrent(context));
    OK(driver->CtxSetCurrent(former));
}

static void context_becomes_current(void)
{
    CUcontext former, context;

    OK(driver->CtxCreate_v2(&context, 0, 0));
    OK(driver->CtxPopCurrent_v2(&former));
    OK(driver->CtxPushCurrent_v2(context));
    OK(driver->CtxDestroy_v2(context));
}

static void event_outlives_its_context(void)
{
    CUcontext context;
    CUevent event;

    OK(driver->CtxCreate_v2(&context, 0, 0));
    OK(driver->EventCreate(&event, 0));
    OK(driver->CtxDestroy_v2(context));
    MISUSE(CUDA_ERROR_INVALID_HANDLE, driver->EventDestroy_v2(event));
}

static void event_ends_before_its_context(void)
{
    CUcontext context;
    CUevent event;

    OK(driver->CtxCreate_v2(&context, 0, 0));
    OK(driver->EventCreate(&event, 0));
    OK(driver->EventDestroy_v2(event));
    OK(driver->CtxDestroy_v2(context));
}

static void event_outlives_reset(void)
{
    CUevent event;

    OK(driver->EventCreate(&event, 0));
    OK(driver->DevicePrimaryCtxReset_v2(0));
    MISUSE(CUDA_ERROR_INVALID_HANDLE, driver->EventQuery(event));
}

/* The test has another reference, and the context lives on. */
static void event_outlives_a_reference(void)
{
    CUcontext context;
    CUevent event;

    OK(driver->DevicePrimaryCtxRetain(&context, 0));
    OK(driver->EventCreate(&event, 0));
    OK(driver->DevicePrimaryCtxRelease_v2(0));
    OK(driver->EventQuery(event));
    OK(driver->EventDestroy_v2(event));
}

const struct check_case check_handle_cases[] = {
    {"CUSHIM-event-destroyed", "query", destroyed_event_is_queried, event_is_queried, 0},
    {"CUSHIM-event-destroyed", "second argument", destroyed_event_is_second_argument,
     event_is_queried, 0},
    {"CUSHIM-stream-destroyed", "synchronize", destroyed_stream_is_synchronized,
     stream_is_synchronized, 0},
    {"CUSHIM-stream-destroyed", "launch config", destroyed_stream_is_in_launch_config,
     function_is_launched, 0},
    {"CUSHIM-module-destroyed", "function", function_of_unloaded_module_is_launched,
     module_is_loaded_again, 0},
    {"CUSHIM-graph-destroyed", "launch", destroyed_exec_is_launched, exec_is_launched, 0},
    {"CUSHIM-handle-destroyed", "array", destroyed_array_is_described, array_is_described, 0},
    {"CUSHIM-context-destroyed", "current", destroyed_context_becomes_current,
     context_becomes_current, 0},
    {"CUSHIM-destroyed-twice", "event", event_is_destroyed_twice, event_is_queried, 0},
    {"CUSHIM-destroyed-twice", "stream", stream_is_destroyed_twice, stream_is_synchronized, 0},
    {"CUSHIM-handle-after-context", "event", event_outlives_its_context,
     event_ends_before_its_context, 0},
    {"CUSHIM-handle-after-context", "primary", event_outlives_reset, event_outlives_a_reference, 0},
    {"CUSHIM-handle-kind", "stream", stream_is_passed_as_event, event_is_queried, 0},
    {NULL, NULL, NULL, NULL, 0},
};
