/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/check/cases.h"

#include "tests/check/answers.h"

static void context_is_left(void)
{
    CUcontext context;

    OK(driver->DevicePrimaryCtxRetain(&context, 0));
}

static void stream_is_left(void)
{
    CUstream stream;

    OK(driver->StreamCreate(&stream, 0));
}

/* One call site, so one finding. */
static void events_are_left(void)
{
    CUevent event;

    for (int i = 0; i < 3; i++)
        OK(driver->EventCreate(&event, 0));
}

static void module_is_left(void)
{
    CUmodule module;

    OK(driver->ModuleLoadData(&module, check_image));
}

static void memory_is_left(void)
{
    CUdeviceptr memory;

    OK(driver->MemAlloc_v2(&memory, 64));
}

static void graph_is_left(void)
{
    CUgraph graph;

    OK(driver->GraphCreate(&graph, 0));
}

static void nothing_is_left(void)
{
    CUcontext context;
    CUdeviceptr memory;
    CUevent event;
    CUgraph graph;
    CUmodule module;
    CUstream stream;

    OK(driver->DevicePrimaryCtxRetain(&context, 0));
    OK(driver->StreamCreate(&stream, 0));
    OK(driver->EventCreate(&event, 0));
    OK(driver->ModuleLoadData(&module, check_image));
    OK(driver->MemAlloc_v2(&memory, 64));
    OK(driver->GraphCreate(&graph, 0));
    OK(driver->GraphDestroy(graph));
    OK(driver->MemFree_v2(memory));
    OK(driver->ModuleUnload(module));
    OK(driver->EventDestroy_v2(event));
    OK(driver->StreamDestroy_v2(stream));
    OK(driver->DevicePrimaryCtxRelease_v2(0));
}

/* Objects that were created while contexts were stacked end with their context, too. */
static void context_ends_with_what_was_made_deep(void)
{
    enum { DEPTH = 40 };
    CUcontext context;
    CUevent event;

    OK(driver->CtxCreate_v2(&context, 0, 0));
    for (int i = 0; i < DEPTH; i++)
        OK(driver->CtxPushCurrent_v2(context));
    OK(driver->EventCreate(&event, 0));
    for (int i = 0; i < DEPTH; i++)
        OK(driver->CtxPopCurrent_v2(&context));
    OK(driver->CtxDestroy_v2(context));
}

const struct check_case check_leak_cases[] = {
    {"CUSHIM-leak-context", "primary", context_is_left, nothing_is_left, CASE_LEAKS},
    {"CUSHIM-leak-stream", "stream", stream_is_left, nothing_is_left, CASE_LEAKS},
    {"CUSHIM-leak-event", "events", events_are_left, nothing_is_left, CASE_LEAKS},
    {"CUSHIM-leak-event", "deep", events_are_left, context_ends_with_what_was_made_deep,
     CASE_LEAKS},
    {"CUSHIM-leak-module", "module", module_is_left, nothing_is_left, CASE_LEAKS},
    {"CUSHIM-leak-memory", "memory", memory_is_left, nothing_is_left, CASE_LEAKS},
    {"CUSHIM-leak-object", "graph", graph_is_left, nothing_is_left, CASE_LEAKS},
    {NULL, NULL, NULL, NULL, 0},
};
