/* SPDX-License-Identifier: Apache-2.0 */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#ifndef _WIN32
#include <pthread.h>
#endif

#include "tests/check/cases.h"

#include "tests/check/answers.h"
#include "tests/support/structs.h"

static CUcontext current(void)
{
    CUcontext context;

    OK(driver->CtxGetCurrent(&context));
    return context;
}

/* Create a context; the test's own is current again afterwards. */
static CUcontext make_other(void)
{
    CUcontext context;

    OK(driver->CtxCreate_v2(&context, 0, 0));
    OK(driver->CtxPopCurrent_v2(&context));
    return context;
}

/* --- no context --- */

#ifndef _WIN32

static CUresult made;

static void *make_event(void *context)
{
    CUevent event;

    if (context)
        driver->CtxSetCurrent(context);
    made = driver->EventCreate(&event, 0);
    if (made == CUDA_SUCCESS)
        driver->EventDestroy_v2(event);
    return NULL;
}

static CUresult make_in_thread(CUcontext context)
{
    pthread_t thread;

    made = CUDA_ERROR_UNKNOWN;
    if (pthread_create(&thread, NULL, make_event, context) == 0)
        pthread_join(thread, NULL);
    return made;
}

static void thread_has_none(void)
{
    MISUSE(CUDA_ERROR_INVALID_CONTEXT, make_in_thread(NULL));
}

static void thread_has_one(void)
{
    OK(make_in_thread(current()));
}

#endif

static void none_is_current_any_more(void)
{
    CUcontext own = current();

    OK(driver->CtxSetCurrent(NULL));
    MISUSE(CUDA_ERROR_INVALID_CONTEXT, driver->CtxSynchronize());
    OK(driver->CtxSetCurrent(own));
}

static void nothing_is_popped(void)
{
    CUcontext own = current(), popped;

    OK(driver->CtxSetCurrent(NULL));
    MISUSE(CUDA_ERROR_INVALID_CONTEXT, driver->CtxPopCurrent_v2(&popped));
    OK(driver->CtxSetCurrent(own));
}

static void nothing_is_popped_any_more(void)
{
    CUcontext own = current(), other;

    OK(driver->CtxSetCurrent(NULL));
    OK(driver->CtxCreate_v2(&other, 0, 0));
    OK(driver->CtxDestroy_v2(other));
    MISUSE(CUDA_ERROR_INVALID_CONTEXT, driver->CtxPopCurrent_v2(&other));
    OK(driver->CtxSetCurrent(own));
}

/* A program may test whether a context is current by calls that need one. */
static void it_is_asked(void)
{
    CUcontext own = current();
    CUdevice device;
    unsigned flags;

    OK(driver->CtxSetCurrent(NULL));
    CODE(CUDA_ERROR_INVALID_CONTEXT, driver->CtxGetDevice(&device));
    CODE(CUDA_ERROR_INVALID_CONTEXT, driver->CtxGetFlags(&flags));
    OK(driver->CtxSetCurrent(own));
}

/* The driver refuses the primary context, so the code does not mean that there is no context. */
static void primary_context_is_destroyed(void)
{
    CUcontext primary;

    OK(driver->DevicePrimaryCtxRetain(&primary, 0));
    CODE(CUDA_ERROR_INVALID_CONTEXT, driver->CtxDestroy_v2(primary));
    OK(driver->DevicePrimaryCtxRelease_v2(0));
}

/* --- another context --- */

static void record(bool is_default, bool is_other)
{
    CUcontext own = current(), other = make_other();
    CUstream stream = NULL;
    CUevent event;

    OK(driver->EventCreate(&event, 0));
    if (is_other)
        OK(driver->CtxSetCurrent(other));
    if (!is_default)
        OK(driver->StreamCreate(&stream, 0));
    if (is_other)
        MISUSE(CUDA_ERROR_INVALID_HANDLE, driver->EventRecord(event, stream));
    else
        OK(driver->EventRecord(event, stream));
    OK(driver->EventSynchronize(event));
    OK(driver->EventDestroy_v2(event));
    if (!is_default)
        OK(driver->StreamDestroy_v2(stream));
    OK(driver->CtxSetCurrent(own));
    OK(driver->CtxDestroy_v2(other));
}

static void event_is_recorded_on_stream_of_another(void)
{
    record(false, true);
}

static void event_is_recorded_on_stream(void)
{
    record(false, false);
}

static void event_is_recorded_on_default_stream_of_another(void)
{
    record(true, true);
}

static void event_is_recorded_on_default_stream(void)
{
    record(true, false);
}

/* Statement 32: streams and events know their contexts. */
static void own_objects_are_used_in_another(void)
{
    CUcontext own = current(), other = make_other();
    CUstream stream;
    CUevent event;

    OK(driver->EventCreate(&event, 0));
    OK(driver->StreamCreate(&stream, 0));
    OK(driver->CtxSetCurrent(other));
    OK(driver->EventRecord(event, stream));
    OK(driver->StreamWaitEvent(NULL, event, 0));
    OK(driver->CtxSynchronize());
    OK(driver->StreamSynchronize(stream));
    OK(driver->StreamDestroy_v2(stream));
    OK(driver->EventDestroy_v2(event));
    OK(driver->CtxSetCurrent(own));
    OK(driver->CtxDestroy_v2(other));
}

/* The driver refuses an attribute with the same code. */
static void launch_with_no_event(CUlaunchConfig config, CUfunction function, void **arguments)
{
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT};

    config.attrs = &attribute;
    config.numAttrs = 1;
    CODE(CUDA_ERROR_INVALID_HANDLE, driver->LaunchKernelEx(&config, function, arguments, NULL));
}

static void launch(bool has_config, bool is_other)
{
    CUcontext own = current(), other = make_other();
    CUlaunchConfig config = {ONE_THREAD};
    uint64_t ns = 0;
    void *arguments[] = {&ns};
    CUresult code;
    CUfunction function;
    CUmodule module;

    OK(driver->ModuleLoadData(&module, check_image));
    OK(driver->ModuleGetFunction(&function, module, "cushim_spin"));
    if (is_other)
        OK(driver->CtxSetCurrent(other));
    OK(driver->StreamCreate(&config.hStream, 0));
    code = has_config ? driver->LaunchKernelEx(&config, function, arguments, NULL)
                      : driver->LaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, config.hStream,
                                             arguments, NULL);
    if (is_other)
        MISUSE(CUDA_ERROR_INVALID_HANDLE, code);
    else
        OK(code);
    if (has_config && !is_other)
        launch_with_no_event(config, function, arguments);
    OK(driver->StreamSynchronize(config.hStream));
    OK(driver->StreamDestroy_v2(config.hStream));
    OK(driver->CtxSetCurrent(own));
    OK(driver->ModuleUnload(module));
    OK(driver->CtxDestroy_v2(other));
}

static void kernel_of_another_is_launched(void)
{
    launch(false, true);
}

static void kernel_is_launched(void)
{
    launch(false, false);
}

static void kernel_of_another_is_launched_by_config(void)
{
    launch(true, true);
}

static void kernel_is_launched_by_config(void)
{
    launch(true, false);
}

/* --- the first ABI --- */

static void first_abi_in_a_later_context(void)
{
    unsigned memory;

    MISUSE(CUDA_ERROR_INVALID_CONTEXT, driver->MemAlloc(&memory, 64));
}

/*
 * On an H200, cuCtxCreate returns 2 while there is a primary context, so this cannot use the first
 * ABI.
 */
static void later_abi_in_a_later_context(void)
{
    CUdeviceptr memory;

    OK(driver->MemAlloc_v2(&memory, 64));
    OK(driver->MemFree_v2(memory));
}

/* --- balance of push and pop --- */

static void context_stays_pushed(void)
{
    CUcontext other = make_other();

    OK(driver->CtxPushCurrent_v2(other));
    OK(driver->CtxPushCurrent_v2(other));
    OK(driver->CtxPopCurrent_v2(&other));
}

/* Created contexts and destroyed contexts are no longer on the stack. */
static void pushed_contexts_are_popped(void)
{
    CUcontext own = current(), other = make_other(), inner;

    OK(driver->CtxPushCurrent_v2(other));
    OK(driver->CtxCreate_v2(&inner, 0, 0));
    OK(driver->CtxDestroy_v2(inner));
    OK(driver->CtxPushCurrent_v2(other));
    OK(driver->CtxPopCurrent_v2(&other));
    OK(driver->CtxPopCurrent_v2(&other));
    OK(driver->CtxPushCurrent_v2(other));
    OK(driver->CtxSetCurrent(own));
    OK(driver->CtxPopCurrent_v2(&own));
    OK(driver->CtxPushCurrent_v2(other));
    OK(driver->CtxSetCurrent(NULL));
    OK(driver->CtxPushCurrent_v2(other));
    OK(driver->CtxDestroy_v2(other));
}

/* A context that is destroyed below another one leaves nothing to pop. */
static void pushed_contexts_are_gone(void)
{
    CUcontext own = current(), other = make_other(), popped;

    OK(driver->CtxPushCurrent_v2(other));
    OK(driver->CtxPushCurrent_v2(own));
    OK(driver->CtxDestroy_v2(other));
    OK(driver->CtxPopCurrent_v2(&popped));
    OK(driver->CtxSetCurrent(own));
}

static void primary_context_is_released_once_more(void)
{
    CUcontext context;

    OK(driver->DevicePrimaryCtxRelease_v2(0));
    MISUSE(CUDA_ERROR_INVALID_CONTEXT, driver->DevicePrimaryCtxRelease_v2(0));
    OK(driver->DevicePrimaryCtxRetain(&context, 0));
}

static void primary_context_is_released(void)
{
    CUcontext context;

    OK(driver->DevicePrimaryCtxRetain(&context, 0));
    OK(driver->DevicePrimaryCtxRelease_v2(0));
}

const struct check_case check_context_cases[] = {
#ifndef _WIN32
    {"CUSHIM-context-none", "thread", thread_has_none, thread_has_one, 0},
#endif
    {"CUSHIM-context-none", "any more", none_is_current_any_more, it_is_asked, 0},
    {"CUSHIM-context-none", "primary", none_is_current_any_more, primary_context_is_destroyed, 0},
    {"CUSHIM-context-other", "stream", event_is_recorded_on_stream_of_another,
     event_is_recorded_on_stream, 0},
    {"CUSHIM-context-other", "own objects", event_is_recorded_on_stream_of_another,
     own_objects_are_used_in_another, 0},
    {"CUSHIM-context-other", "default stream", event_is_recorded_on_default_stream_of_another,
     event_is_recorded_on_default_stream, 0},
    {"CUSHIM-context-other", "kernel", kernel_of_another_is_launched, kernel_is_launched, 0},
    {"CUSHIM-context-other", "launch config", kernel_of_another_is_launched_by_config,
     kernel_is_launched_by_config, 0},
    {"CUSHIM-context-abi", "first", first_abi_in_a_later_context, later_abi_in_a_later_context, 0},
    {"CUSHIM-context-pushed", "push", context_stays_pushed, pushed_contexts_are_popped, 0},
    {"CUSHIM-context-pushed", "gone", context_stays_pushed, pushed_contexts_are_gone, 0},
    {"CUSHIM-context-popped", "pop", nothing_is_popped, pushed_contexts_are_popped, 0},
    {"CUSHIM-context-popped", "destroyed", nothing_is_popped_any_more, pushed_contexts_are_gone, 0},
    {"CUSHIM-primary-released", "release", primary_context_is_released_once_more,
     primary_context_is_released, 0},
    {NULL, NULL, NULL, NULL, 0},
};
