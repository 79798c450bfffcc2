/* SPDX-License-Identifier: Apache-2.0 */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS
#include "tests/check/injected.h"

#include <string.h>

#include "tests/check/answers.h"
#include "tests/check/cases.h"
#include "tests/check/order_objects.h"

/* A misuse whose code does not matter. */
#define WRONG(call) MISUSE(CUDA_SUCCESS, call)

#define HANDLE(type, object) ((type)(uintptr_t)(object))

static char pageable[2 * RANDOM_BYTES];

/* The handle of a destroyed object. */
static uint64_t ended(struct random_program *program, enum random_type type)
{
    struct random_object *object =
        random_draw(program, 2) ? random_pick(program, type) : random_make(program, type);

    random_destroy(program, type, object);
    return object->handle;
}

/* --- calls that take a handle --- */

static void use_stream(struct random_program *program, CUstream stream)
{
    const struct random_object *event = random_pick(program, RANDOM_EVENT);
    const struct random_object *module = random_pick(program, RANDOM_MODULE);
    const struct random_object *exec = random_pick(program, RANDOM_EXEC);
    const struct random_object *memory = random_pick(program, RANDOM_MEMORY);
    const struct random_object *host = random_pick(program, RANDOM_HOST);
    uint64_t ns = 1;
    void *arguments[] = {&ns};
    CUdeviceptr made;
    unsigned flags;

    switch (random_draw(program, 10)) {
    case 0:
        WRONG(driver->StreamQuery(stream));
        break;
    case 1:
        WRONG(driver->EventRecord(HANDLE(CUevent, event->handle), stream));
        break;
    case 2:
        WRONG(driver->StreamWaitEvent(stream, HANDLE(CUevent, event->handle), 0));
        break;
    case 3:
        WRONG(driver->MemsetD8Async(memory->handle, 0, 16, stream));
        break;
    case 4:
        WRONG(driver->MemcpyHtoDAsync_v2(memory->handle, HANDLE(void *, host->handle), 8, stream));
        break;
    case 5:
        WRONG(driver->LaunchKernel(module->function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL));
        break;
    case 6:
        WRONG(driver->GraphLaunch(HANDLE(CUgraphExec, exec->handle), stream));
        break;
    case 7:
        WRONG(driver->StreamGetFlags(stream, &flags));
        break;
    case 8:
        WRONG(driver->MemAllocAsync(&made, 64, stream));
        break;
    default:
        WRONG(driver->StreamSynchronize(stream));
        break;
    }
}

static void use_event(struct random_program *program, CUevent event)
{
    const struct random_object *other = random_pick(program, RANDOM_EVENT);
    const struct random_object *stream = random_pick(program, RANDOM_STREAM);
    float ms;

    switch (random_draw(program, 6)) {
    case 0:
        WRONG(driver->EventQuery(event));
        break;
    case 1:
        WRONG(driver->EventRecord(event, HANDLE(CUstream, stream->handle)));
        break;
    case 2:
        WRONG(driver->StreamWaitEvent(HANDLE(CUstream, stream->handle), event, 0));
        break;
    case 3:
        WRONG(driver->EventElapsedTime(&ms, event, HANDLE(CUevent, other->handle)));
        break;
    case 4:
        WRONG(driver->EventElapsedTime(&ms, HANDLE(CUevent, other->handle), event));
        break;
    default:
        WRONG(driver->EventSynchronize(event));
        break;
    }
}

static void use_graph(struct random_program *program, CUgraph graph)
{
    CUgraph clone;
    CUgraphExec exec;
    CUgraphNode node;
    size_t count;

    switch (random_draw(program, 4)) {
    case 0:
        WRONG(driver->GraphInstantiateWithFlags(&exec, graph, 0));
        break;
    case 1:
        WRONG(driver->GraphAddEmptyNode(&node, graph, NULL, 0));
        break;
    case 2:
        WRONG(driver->GraphGetNodes(graph, NULL, &count));
        break;
    default:
        WRONG(driver->GraphClone(&clone, graph));
        break;
    }
}

/*
 * The other operand of a copy. It is allocated before memory is freed, so it cannot reuse the
 * address.
 */
struct partner {
    CUdeviceptr memory;
    void *host;
};

static struct partner begin_partner(void)
{
    struct partner partner;

    OK(driver->MemAlloc_v2(&partner.memory, RANDOM_BYTES));
    OK(driver->MemAllocHost_v2(&partner.host, RANDOM_BYTES));
    return partner;
}

static void end_partner(const struct partner *partner)
{
    OK(driver->CtxSynchronize());
    OK(driver->MemFree_v2(partner->memory));
    OK(driver->MemFreeHost(partner->host));
}

/* Use as many bytes as an object of the program has. */
static void use_memory(struct random_program *program, CUdeviceptr memory,
                       const struct partner *partner)
{
    const CUstream stream = HANDLE(CUstream, random_pick(program, RANDOM_STREAM)->handle);

    OK(driver->CtxSynchronize());
    switch (random_draw(program, 7)) {
    case 0:
        WRONG(driver->MemsetD8_v2(memory, 0, RANDOM_BYTES));
        break;
    case 1:
        WRONG(driver->MemsetD32Async(memory, 0, RANDOM_BYTES / 4, stream));
        break;
    case 2:
        WRONG(driver->MemcpyHtoD_v2(memory, partner->host, RANDOM_BYTES));
        break;
    case 3:
        WRONG(driver->MemcpyDtoHAsync_v2(partner->host, memory, RANDOM_BYTES, stream));
        break;
    case 4:
        WRONG(driver->MemcpyDtoD_v2(partner->memory, memory, RANDOM_BYTES));
        break;
    case 5:
        WRONG(driver->MemcpyDtoDAsync_v2(memory, partner->memory, RANDOM_BYTES, stream));
        break;
    default:
        WRONG(driver->MemsetD2D8_v2(memory, 64, 0, 64, RANDOM_BYTES / 64));
        break;
    }
    end_partner(partner);
}

/* --- handles --- */

static void stream_destroyed(struct random_program *program)
{
    use_stream(program, HANDLE(CUstream, ended(program, RANDOM_STREAM)));
}

static void event_destroyed(struct random_program *program)
{
    use_event(program, HANDLE(CUevent, ended(program, RANDOM_EVENT)));
}

static void module_destroyed(struct random_program *program)
{
    struct random_object *module = random_pick(program, RANDOM_MODULE);
    const CUfunction function = module->function;
    const CUmodule unloaded = HANDLE(CUmodule, module->handle);
    uint64_t ns = 1;
    void *arguments[] = {&ns};
    CUfunction found;
    int value;

    random_destroy(program, RANDOM_MODULE, module);
    switch (random_draw(program, 3)) {
    case 0:
        WRONG(driver->ModuleGetFunction(&found, unloaded, "cushim_spin"));
        break;
    case 1:
        WRONG(driver->FuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, function));
        break;
    default:
        WRONG(driver->LaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
        break;
    }
}

static void graph_destroyed(struct random_program *program)
{
    if (random_draw(program, 2))
        use_graph(program, HANDLE(CUgraph, ended(program, RANDOM_GRAPH)));
    else
        WRONG(driver->GraphLaunch(HANDLE(CUgraphExec, ended(program, RANDOM_EXEC)), NULL));
}

static void handle_destroyed(struct random_program *program)
{
    CUDA_ARRAY_DESCRIPTOR described;
    CUdeviceptr memory;

    if (random_draw(program, 2))
        WRONG(driver->ArrayGetDescriptor_v2(&described,
                                            HANDLE(CUarray, ended(program, RANDOM_ARRAY))));
    else
        WRONG(driver->MemAllocFromPoolAsync(
            &memory, 64, HANDLE(CUmemoryPool, ended(program, RANDOM_POOL)), NULL));
}

static void context_destroyed(struct random_program *program)
{
    CUcontext context;

    OK(driver->CtxCreate_v2(&context, 0, 0));
    OK(driver->CtxDestroy_v2(context));
    if (random_draw(program, 2))
        WRONG(driver->CtxPushCurrent_v2(context));
    else
        WRONG(driver->CtxSetCurrent(context));
    OK(driver->CtxSetCurrent(program->context[program->current]));
}

static void destroyed_twice(struct random_program *program)
{
    static const enum random_type types[] = {RANDOM_STREAM, RANDOM_EVENT, RANDOM_MODULE,
                                             RANDOM_GRAPH,  RANDOM_EXEC,  RANDOM_ARRAY,
                                             RANDOM_POOL};
    const enum random_type type = types[random_draw(program, sizeof types / sizeof *types)];

    WRONG(random_call_end(type, ended(program, type)));
}

static void handle_after_context(struct random_program *program)
{
    const unsigned kind = random_draw(program, 4);
    CUcontext context;
    CUdeviceptr memory;
    CUevent event;
    CUmodule module;
    CUstream stream;
    struct partner partner;

    if (kind == 2)
        partner = begin_partner();
    OK(driver->CtxCreate_v2(&context, 0, 0));
    OK(driver->StreamCreate(&stream, 0));
    OK(driver->EventCreate(&event, 0));
    OK(driver->ModuleLoadData(&module, check_image));
    OK(driver->MemAlloc_v2(&memory, RANDOM_BYTES));
    OK(driver->CtxDestroy_v2(context));
    if (kind == 0)
        use_stream(program, stream);
    else if (kind == 1)
        use_event(program, event);
    else if (kind == 2)
        use_memory(program, memory, &partner);
    else
        WRONG(driver->ModuleUnload(module));
}

static void handle_kind(struct random_program *program)
{
    static const enum random_type types[] = {RANDOM_STREAM, RANDOM_EVENT, RANDOM_GRAPH,
                                             RANDOM_MODULE, RANDOM_EXEC};
    const unsigned kind = random_draw(program, sizeof types / sizeof *types);
    const uint64_t handle = random_pick(program, types[kind])->handle;
    unsigned taken = random_draw(program, 3);

    if (taken == kind)
        taken = (taken + 1) % 3;
    if (taken == 0)
        use_stream(program, HANDLE(CUstream, handle));
    else if (taken == 1)
        use_event(program, HANDLE(CUevent, handle));
    else
        use_graph(program, HANDLE(CUgraph, handle));
}

/* --- memory --- */

static void memory_freed(struct random_program *program)
{
    const enum random_type type = random_draw(program, 2) ? RANDOM_MEMORY : RANDOM_POOLED;
    const struct partner partner = begin_partner();

    use_memory(program, ended(program, type), &partner);
}

static void memory_freed_twice(struct random_program *program)
{
    static const enum random_type types[] = {RANDOM_MEMORY, RANDOM_POOLED, RANDOM_HOST};
    const enum random_type type = types[random_draw(program, 3)];
    const uint64_t memory = ended(program, type);

    if (type == RANDOM_POOLED && random_draw(program, 2))
        WRONG(driver->MemFreeAsync(memory, NULL));
    else
        WRONG(random_call_end(type, memory));
}

static void argument_freed(struct random_program *program)
{
    const struct random_object *module = random_pick(program, RANDOM_MODULE);
    const enum random_type type = random_draw(program, 2) ? RANDOM_MEMORY : RANDOM_POOLED;
    uint64_t box[3] = {random_draw(program, 100)};
    unsigned n = 1;
    void *arguments[] = {&n, box};
    CUfunction function;

    OK(driver->ModuleGetFunction(&function, HANDLE(CUmodule, module->handle), "cushim_unused"));
    box[1 + random_draw(program, 2)] = ended(program, type) + random_draw(program, 100);
    WRONG(driver->LaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
}

static void memory_bounds(struct random_program *program)
{
    const enum random_type type = random_draw(program, 2) ? RANDOM_MEMORY : RANDOM_POOLED;
    const struct partner partner = begin_partner();
    const CUdeviceptr memory = random_pick(program, type)->handle;

    use_memory(program, memory + 4 * (1 + random_draw(program, 1000)), &partner);
}

static void host_unregistered_twice(struct random_program *program)
{
    void *memory = pageable;

    (void)program;
    OK(driver->MemHostRegister_v2(memory, RANDOM_BYTES, 0));
    OK(driver->MemHostUnregister(memory));
    WRONG(driver->MemHostUnregister(memory));
}

static void copy_to_host(struct random_program *program, struct random_object *host)
{
    struct random_object *memory = random_pick(program, RANDOM_MEMORY);
    const struct random_object *stream = random_pick(program, RANDOM_STREAM);

    random_order(program, memory, HANDLE(CUstream, stream->handle));
    random_order(program, host, HANDLE(CUstream, stream->handle));
    OK(driver->MemcpyDtoHAsync_v2(HANDLE(void *, host->handle), memory->handle, 64,
                                  HANDLE(CUstream, stream->handle)));
}

static void host_memory_used(struct random_program *program)
{
    const enum random_type type = random_draw(program, 2) ? RANDOM_HOST : RANDOM_REGISTERED;
    struct random_object *host = random_pick(program, type);

    copy_to_host(program, host);
    host->is_live = false;
    WRONG(random_call_end(type, host->handle));
    if (type == RANDOM_REGISTERED)
        random_forget(host);
}

static void pool_memory_used(struct random_program *program)
{
    struct random_object *memory = random_pick(program, RANDOM_POOLED);
    const struct random_object *stream = random_pick(program, RANDOM_STREAM);

    random_order(program, memory, HANDLE(CUstream, stream->handle));
    OK(driver->MemsetD8Async(memory->handle, 0, 64, HANDLE(CUstream, stream->handle)));
    memory->is_live = false;
    WRONG(driver->MemFree_v2(memory->handle));
}

static void copy_pageable(struct random_program *program)
{
    struct random_object *memory = random_pick(program, RANDOM_MEMORY);
    const CUstream stream = HANDLE(CUstream, random_pick(program, RANDOM_STREAM)->handle);

    random_order(program, memory, stream);
    if (random_draw(program, 2))
        WRONG(driver->MemcpyDtoHAsync_v2(pageable, memory->handle, RANDOM_BYTES, stream));
    else
        WRONG(driver->MemcpyHtoDAsync_v2(memory->handle, pageable, RANDOM_BYTES, stream));
}

/* --- order and errors --- */

/* A new non-blocking stream does not wait for the work that the program queued last. */
static void race(struct random_program *program)
{
    struct random_object *memory =
        random_pick(program, random_draw(program, 2) ? RANDOM_MEMORY : RANDOM_POOLED);
    const CUstream stream = HANDLE(CUstream, random_pick(program, RANDOM_STREAM)->handle);
    const struct random_object *host = random_pick(program, RANDOM_HOST);
    CUstream other;

    OK(driver->StreamCreate(&other, CU_STREAM_NON_BLOCKING));
    OK(driver->CtxSynchronize());
    random_order(program, memory, stream);
    OK(driver->MemsetD8Async(memory->handle, 0, RANDOM_BYTES, stream));
    if (random_draw(program, 2))
        WRONG(driver->MemsetD8Async(memory->handle, 1, RANDOM_BYTES, other));
    else
        WRONG(driver->MemcpyDtoHAsync_v2(HANDLE(void *, host->handle), memory->handle, 64, other));
    OK(driver->StreamSynchronize(other));
    OK(driver->StreamDestroy_v2(other));
}

/* Leaves out the cases in which work has to be pending, because a mock may be eager. */
static void race_of_edge(struct random_program *program)
{
    const struct order_edge *edge;
    unsigned count = 0;

    while (order_edges[count].name)
        count++;
    do
        edge = &order_edges[random_draw(program, count)];
    while (strstr(edge->name, "query"));
    OK(driver->CtxSynchronize());
    order_make();
    edge->run(false);
    OK(driver->CtxSynchronize());
    order_leave();
}

/* Run the misuse of a case for an id, in the middle of the program. */
static void inject_case(struct random_program *program, const struct check_case *cases,
                        const char *id)
{
    const struct check_case *chosen = NULL;
    unsigned count = 0;

    for (; cases->id; cases++) {
        if (strcmp(cases->id, id) == 0 && random_draw(program, ++count) == 0)
            chosen = cases;
    }
    check_case_run(chosen, true);
}

static void event_time(struct random_program *program)
{
    inject_case(program, check_error_cases, "CUSHIM-event-time");
}

static void error_sticky(struct random_program *program)
{
    inject_case(program, check_error_cases, "CUSHIM-error-sticky");
}

static void error_repeated(struct random_program *program)
{
    inject_case(program, check_error_cases, "CUSHIM-error-repeated");
}

static void error_ignored(struct random_program *program)
{
    inject_case(program, check_error_cases, "CUSHIM-error-ignored");
}

static void host_function_calls(struct random_program *program)
{
    inject_case(program, check_error_cases, "CUSHIM-host-function-calls");
}

/* --- leaks --- */

/*
 * Leak an object in a context that another part of the process has retained. Objects in a context
 * that ends are destroyed with it, and are no leaks.
 */
static void leave(struct random_program *program, enum random_type type)
{
    const unsigned current = program->current;
    CUcontext context;

    OK(order_below->DevicePrimaryCtxRetain(&context, 0));
    program->current = 0;
    OK(driver->CtxSetCurrent(program->context[0]));
    random_make(program, type)->is_live = false;
    program->current = current;
    OK(driver->CtxSetCurrent(program->context[current]));
}

static void leak_stream(struct random_program *program)
{
    leave(program, RANDOM_STREAM);
}

static void leak_event(struct random_program *program)
{
    leave(program, RANDOM_EVENT);
}

static void leak_module(struct random_program *program)
{
    leave(program, RANDOM_MODULE);
}

static void leak_memory(struct random_program *program)
{
    leave(program, random_draw(program, 2) ? RANDOM_MEMORY : RANDOM_HOST);
}

static void leak_object(struct random_program *program)
{
    leave(program, random_draw(program, 2) ? RANDOM_GRAPH : RANDOM_POOL);
}

static void leak_context(struct random_program *program)
{
    CUcontext context;

    if (random_draw(program, 2)) {
        OK(driver->DevicePrimaryCtxRetain(&context, 0));
        return;
    }
    OK(driver->CtxCreate_v2(&context, 0, 0));
    OK(driver->CtxPopCurrent_v2(&context));
}

const struct injected injected[] = {
    {"CUSHIM-context-destroyed", context_destroyed, false},
    {"CUSHIM-stream-destroyed", stream_destroyed, false},
    {"CUSHIM-event-destroyed", event_destroyed, false},
    {"CUSHIM-module-destroyed", module_destroyed, false},
    {"CUSHIM-graph-destroyed", graph_destroyed, false},
    {"CUSHIM-handle-destroyed", handle_destroyed, false},
    {"CUSHIM-destroyed-twice", destroyed_twice, false},
    {"CUSHIM-handle-after-context", handle_after_context, false},
    {"CUSHIM-handle-kind", handle_kind, false},
    {"CUSHIM-memory-freed", memory_freed, false},
    {"CUSHIM-memory-freed-twice", memory_freed_twice, false},
    {"CUSHIM-argument-freed", argument_freed, false},
    {"CUSHIM-memory-bounds", memory_bounds, false},
    {"CUSHIM-host-unregistered-twice", host_unregistered_twice, false},
    {"CUSHIM-host-memory-used", host_memory_used, false},
    {"CUSHIM-pool-memory-used", pool_memory_used, false},
    {"CUSHIM-copy-pageable", copy_pageable, false},
    {"CUSHIM-race", race, false},
    {"CUSHIM-race", race_of_edge, false},
    {"CUSHIM-event-time", event_time, false},
    {"CUSHIM-error-sticky", error_sticky, true},
    {"CUSHIM-error-repeated", error_repeated, true},
    {"CUSHIM-error-ignored", error_ignored, false},
    {"CUSHIM-host-function-calls", host_function_calls, false},
    {"CUSHIM-leak-context", leak_context, false},
    {"CUSHIM-leak-stream", leak_stream, false},
    {"CUSHIM-leak-event", leak_event, false},
    {"CUSHIM-leak-module", leak_module, false},
    {"CUSHIM-leak-memory", leak_memory, false},
    {"CUSHIM-leak-object", leak_object, false},
    {NULL, NULL, false},
};
