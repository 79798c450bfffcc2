/* SPDX-License-Identifier: Apache-2.0 */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#ifndef _WIN32
#include <pthread.h>
#endif

#include "tests/check/cases.h"

#include "tests/check/answers.h"
#include "tests/support/structs.h"

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

static CUfunction load_library(CUlibrary *library)
{
    CUkernel kernel;

    OK(driver->LibraryLoadData(library, check_image, NULL, NULL, 0, NULL, NULL, 0));
    OK(driver->LibraryGetKernel(&kernel, *library, "cushim_spin"));
    return (CUfunction)kernel;
}

static void kernel_of_unloaded_library_is_launched(void)
{
    CUlibrary library;
    CUfunction kernel = load_library(&library);

    OK(driver->LibraryUnload(library));
    MISUSE(CUDA_ERROR_INVALID_HANDLE, launch(kernel));
}

static void kernel_is_launched_as_function(void)
{
    CUlibrary library;
    CUfunction kernel = load_library(&library);

    OK(launch(kernel));
    OK(driver->CtxSynchronize());
    OK(driver->LibraryUnload(library));
}

static CUresult add_node(CUfunction function)
{
    uint64_t ns = 0;
    void *arguments[] = {&ns};
    const CUDA_KERNEL_NODE_PARAMS_v1 parameters = {
        .func = function, ONE_THREAD, .kernelParams = arguments};
    CUgraphNode node;
    CUgraph graph;
    CUresult code;

    OK(driver->GraphCreate(&graph, 0));
    code = driver->GraphAddKernelNode(&node, graph, NULL, 0, &parameters);
    OK(driver->GraphDestroy(graph));
    return code;
}

static void function_of_unloaded_module_is_node(void)
{
    CUmodule module;
    CUfunction function = load(&module);

    OK(driver->ModuleUnload(module));
    MISUSE(CUDA_ERROR_INVALID_HANDLE, add_node(function));
}

static void function_is_node(void)
{
    CUmodule module;
    CUfunction function = load(&module);

    OK(add_node(function));
    OK(driver->ModuleUnload(module));
}

static void function_is_launched(void)
{
    CUmodule module;
    CUfunction function = load(&module);

    OK(launch(function));
    OK(driver->CtxSynchronize());
    OK(driver->ModuleUnload(module));
}

/* The new handles may have the values of the old ones. */
static void module_is_loaded_again(void)
{
    function_is_launched();
    function_is_launched();
}

static void destroyed_stream_is_in_launch_config(void)
{
    CUmodule module;
    CUfunction function = load(&module);
    CUlaunchConfig config = {ONE_THREAD};
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

static CUresult copy_to(CUarray array)
{
    const CUDA_MEMCPY2D copy = {FROM_HOST("16 bytes of text", 0), TO_ARRAY(array),
                                .WidthInBytes = 16, .Height = 1};

    return driver->Memcpy2D_v2(&copy);
}

static void destroyed_array_is_copied_to(void)
{
    CUarray array = make_array();

    OK(driver->ArrayDestroy(array));
    MISUSE(CUDA_ERROR_INVALID_HANDLE, copy_to(array));
}

static void array_is_copied_to(void)
{
    CUarray array = make_array();

    OK(copy_to(array));
    OK(driver->ArrayDestroy(array));
}

static CUresult make_texture(CUarray array)
{
    const CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY,
                                         .res.array.hArray = array};
    const CUDA_TEXTURE_DESC described = {.filterMode = CU_TR_FILTER_MODE_POINT};
    CUtexObject texture;
    CUresult code = driver->TexObjectCreate(&texture, &resource, &described, NULL);

    if (code == CUDA_SUCCESS)
        OK(driver->TexObjectDestroy(texture));
    return code;
}

static void destroyed_array_is_texture(void)
{
    CUarray array = make_array();

    OK(driver->ArrayDestroy(array));
    MISUSE(CUDA_ERROR_INVALID_HANDLE, make_texture(array));
}

static void array_is_texture(void)
{
    CUarray array = make_array();

    OK(make_texture(array));
    OK(driver->ArrayDestroy(array));
}

/* --- contexts --- */

#ifndef _WIN32

static void *destroy_context(void *context)
{
    OK(driver->CtxDestroy_v2(context));
    return NULL;
}

/* Another thread destroys a context, which stays current to this thread. */
static void current_context_was_destroyed(void)
{
    CUcontext own, context;
    pthread_t thread;
    CUevent event;

    OK(driver->CtxGetCurrent(&own));
    OK(driver->CtxCreate_v2(&context, 0, 0));
    if (pthread_create(&thread, NULL, destroy_context, context) == 0)
        pthread_join(thread, NULL);
    MISUSE(CUDA_ERROR_CONTEXT_IS_DESTROYED, driver->EventCreate(&event, 0));
    OK(driver->CtxSetCurrent(own));
}

static void former_context_was_destroyed(void)
{
    CUcontext own, context;
    pthread_t thread;
    CUevent event;

    OK(driver->CtxGetCurrent(&own));
    OK(driver->CtxCreate_v2(&context, 0, 0));
    OK(driver->CtxSetCurrent(own));
    if (pthread_create(&thread, NULL, destroy_context, context) == 0)
        pthread_join(thread, NULL);
    OK(driver->EventCreate(&event, 0));
    OK(driver->EventDestroy_v2(event));
}

#endif

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
    MISUSE(CUDA_ERROR_CONTEXT_IS_DESTROYED, driver->EventDestroy_v2(event));
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
    MISUSE(CUDA_ERROR_CONTEXT_IS_DESTROYED, driver->EventQuery(event));
}

/* The test holds another reference, so the context continues to exist. */
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
    {"CUSHIM-module-destroyed", "kernel", kernel_of_unloaded_library_is_launched,
     kernel_is_launched_as_function, 0},
    {"CUSHIM-module-destroyed", "kernel node", function_of_unloaded_module_is_node,
     function_is_node, 0},
    {"CUSHIM-handle-destroyed", "array", destroyed_array_is_described, array_is_described, 0},
    {"CUSHIM-handle-destroyed", "array of a copy", destroyed_array_is_copied_to, array_is_copied_to,
     0},
    {"CUSHIM-handle-destroyed", "array of a texture", destroyed_array_is_texture, array_is_texture,
     0},
#ifndef _WIN32
    {"CUSHIM-context-destroyed", "by another thread", current_context_was_destroyed,
     former_context_was_destroyed, 0},
#endif
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
