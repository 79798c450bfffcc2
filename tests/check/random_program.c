/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/check/random_program.h"

#include <stdlib.h>
#include <string.h>

#include "tests/check/answers.h"

#define HANDLE(type, object) ((type)(uintptr_t)(object)->handle)

unsigned random_draw(struct random_program *program, unsigned below)
{
    program->state ^= program->state << 13;
    program->state ^= program->state >> 7;
    program->state ^= program->state << 17;
    return (unsigned)(program->state >> 33) % below;
}

/* A live object of the current context, which is created if there is none. */
static struct random_object *pick(struct random_program *program, enum random_type type);

/* Destroy an object, after what has to be done first. */
static void destroy(struct random_program *program, enum random_type type,
                    struct random_object *object);

/* --- order --- */

/* All work of the current context, or of one stream, is complete. */
static void note_done(struct random_program *program, bool is_of_one, CUstream stream)
{
    for (unsigned type = RANDOM_MEMORY; type <= RANDOM_REGISTERED; type++) {
        for (unsigned i = 0; i < RANDOM_OBJECTS; i++) {
            struct random_object *object = &program->objects[type][i];

            if (object->context == program->current &&
                (!is_of_one || (!object->is_user_gone && object->user == stream)))
                object->is_used = false;
        }
    }
}

static void wait_for_context(struct random_program *program)
{
    OK(driver->CtxSynchronize());
    note_done(program, false, NULL);
}

static void wait_for_stream(struct random_program *program, CUstream stream)
{
    OK(driver->StreamSynchronize(stream));
    note_done(program, true, stream);
}

static void wait_for_event(struct random_program *program, CUstream first, CUstream second)
{
    struct random_object *event = pick(program, RANDOM_EVENT);

    OK(driver->EventRecord(HANDLE(CUevent, event), first));
    event->is_recorded = true;
    if (random_draw(program, 4) == 0)
        OK(driver->EventSynchronize(HANDLE(CUevent, event)));
    else
        OK(driver->StreamWaitEvent(second, HANDLE(CUevent, event), 0));
}

/* Order earlier work on the memory before the next work in the stream, which may then use it. */
static void order_work(struct random_program *program, struct random_object *memory,
                       CUstream stream)
{
    if (memory->is_used && (memory->is_user_gone || memory->user != stream)) {
        if (memory->is_user_gone || random_draw(program, 6) == 0)
            wait_for_context(program);
        else if (random_draw(program, 4) == 0)
            wait_for_stream(program, memory->user);
        else
            wait_for_event(program, memory->user, stream);
    }
    memory->is_used = true;
    memory->is_user_gone = false;
    memory->user = stream;
}

/* Wait until no work uses the memory any more. */
static void finish(struct random_program *program, struct random_object *memory)
{
    if (!memory->is_used)
        return;
    if (memory->is_user_gone || random_draw(program, 2))
        wait_for_context(program);
    else
        wait_for_stream(program, memory->user);
}

/* --- objects --- */

static uint64_t register_memory(void)
{
    void *memory = malloc(RANDOM_BYTES);

    if (!memory)
        abort();
    OK(driver->MemHostRegister_v2(memory, RANDOM_BYTES, 0));
    return (uintptr_t)memory;
}

static uint64_t make_exec(struct random_program *program)
{
    struct random_object *graph = pick(program, RANDOM_GRAPH);
    CUgraphExec exec;

    OK(driver->GraphInstantiateWithFlags(&exec, HANDLE(CUgraph, graph), 0));
    return (uintptr_t)exec;
}

static uint64_t make_graph(struct random_program *program)
{
    CUgraph graph;
    CUgraphNode node, first;

    OK(driver->GraphCreate(&graph, 0));
    OK(driver->GraphAddEmptyNode(&first, graph, NULL, 0));
    if (random_draw(program, 2))
        OK(driver->GraphAddEmptyNode(&node, graph, &first, 1));
    return (uintptr_t)graph;
}

static uint64_t make_pool(void)
{
    const CUmemPoolProps properties = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                       .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0}};
    CUmemoryPool pool;

    OK(driver->MemPoolCreate(&pool, &properties));
    return (uintptr_t)pool;
}

static uint64_t make_array(void)
{
    const CUDA_ARRAY_DESCRIPTOR described = {
        .Width = 64, .Height = 4, .Format = CU_AD_FORMAT_UNSIGNED_INT8, .NumChannels = 1};
    CUarray array;

    OK(driver->ArrayCreate_v2(&array, &described));
    return (uintptr_t)array;
}

/* Free the program's own memory that was registered. */
static void forget(struct random_object *registered)
{
    free(HANDLE(void *, registered));
}

static void make_module(struct random_object *object)
{
    CUmodule module;

    OK(driver->ModuleLoadData(&module, check_image));
    OK(driver->ModuleGetFunction(&object->function, module, "cushim_spin"));
    object->handle = (uintptr_t)module;
}

static CUstream pick_stream(struct random_program *program)
{
    switch (random_draw(program, 8)) {
    case 0:
        return NULL;
    case 1:
        return CU_STREAM_PER_THREAD;
    default:
        return HANDLE(CUstream, pick(program, RANDOM_STREAM));
    }
}

static void make_handle(struct random_program *program, enum random_type type,
                        struct random_object *object)
{
    CUstream stream = type == RANDOM_POOLED ? pick_stream(program) : NULL;
    CUdeviceptr memory;
    CUevent event;
    void *host;

    switch (type) {
    case RANDOM_STREAM:
        object->flags = random_draw(program, 3) ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT;
        OK(driver->StreamCreate(&stream, object->flags));
        object->handle = (uintptr_t)stream;
        break;
    case RANDOM_EVENT:
        object->flags = random_draw(program, 2) ? CU_EVENT_DISABLE_TIMING : CU_EVENT_DEFAULT;
        OK(driver->EventCreate(&event, object->flags));
        object->handle = (uintptr_t)event;
        break;
    case RANDOM_MEMORY:
        OK(driver->MemAlloc_v2(&memory, RANDOM_BYTES));
        object->handle = memory;
        break;
    case RANDOM_POOLED:
        OK(driver->MemAllocAsync(&memory, RANDOM_BYTES, stream));
        object->handle = memory;
        object->is_used = true;
        object->user = stream;
        break;
    case RANDOM_HOST:
        OK(driver->MemAllocHost_v2(&host, RANDOM_BYTES));
        object->handle = (uintptr_t)host;
        break;
    case RANDOM_REGISTERED:
        object->handle = register_memory();
        break;
    case RANDOM_MODULE:
        make_module(object);
        break;
    case RANDOM_GRAPH:
        object->handle = make_graph(program);
        break;
    case RANDOM_EXEC:
        object->handle = make_exec(program);
        break;
    case RANDOM_ARRAY:
        object->handle = make_array();
        break;
    case RANDOM_POOL:
    case RANDOM_TYPES:
        object->handle = make_pool();
        break;
    }
}

/* Create an object. If there is no room, another one is destroyed first. */
static struct random_object *make(struct random_program *program, enum random_type type)
{
    struct random_object *object = &program->objects[type][0];
    struct random_object made = {.is_live = true, .context = program->current};

    make_handle(program, type, &made);
    for (unsigned i = 0; i < RANDOM_OBJECTS && object->is_live; i++)
        object = &program->objects[type][i];
    if (object->is_live) {
        object = &program->objects[type][random_draw(program, RANDOM_OBJECTS)];
        destroy(program, type, object);
    }
    *object = made;
    return object;
}

static struct random_object *pick(struct random_program *program, enum random_type type)
{
    const unsigned first = random_draw(program, RANDOM_OBJECTS);

    for (unsigned i = 0; i < RANDOM_OBJECTS; i++) {
        struct random_object *object = &program->objects[type][(first + i) % RANDOM_OBJECTS];

        if (object->is_live && object->context == program->current)
            return object;
    }
    return make(program, type);
}

static CUresult call_end(enum random_type type, uint64_t handle)
{
    void *const pointer = (void *)(uintptr_t)handle;

    switch (type) {
    case RANDOM_STREAM:
        return driver->StreamDestroy_v2(pointer);
    case RANDOM_EVENT:
        return driver->EventDestroy_v2(pointer);
    case RANDOM_MEMORY:
    case RANDOM_POOLED:
        return driver->MemFree_v2(handle);
    case RANDOM_HOST:
        return driver->MemFreeHost(pointer);
    case RANDOM_REGISTERED:
        return driver->MemHostUnregister(pointer);
    case RANDOM_MODULE:
        return driver->ModuleUnload(pointer);
    case RANDOM_GRAPH:
        return driver->GraphDestroy(pointer);
    case RANDOM_EXEC:
        return driver->GraphExecDestroy(pointer);
    case RANDOM_ARRAY:
        return driver->ArrayDestroy(pointer);
    case RANDOM_POOL:
    case RANDOM_TYPES:
        break;
    }
    return driver->MemPoolDestroy(pointer);
}

/* The work that was queued in the stream continues. */
static void lose_stream(struct random_program *program, CUstream stream)
{
    for (unsigned type = RANDOM_MEMORY; type <= RANDOM_REGISTERED; type++) {
        for (unsigned i = 0; i < RANDOM_OBJECTS; i++) {
            struct random_object *object = &program->objects[type][i];

            object->is_user_gone |= object->is_used && object->user == stream;
        }
    }
}

/* Make another context current. */
static void enter(struct random_program *program, unsigned context)
{
    if (context != program->current)
        OK(driver->CtxSetCurrent(program->context[context]));
    program->current = context;
}

static void destroy(struct random_program *program, enum random_type type,
                    struct random_object *object)
{
    const unsigned current = program->current;
    CUstream stream;

    enter(program, object->context);
    object->is_live = false;
    if (type == RANDOM_POOLED && random_draw(program, 3)) {
        stream = pick_stream(program);
        order_work(program, object, stream);
        OK(driver->MemFreeAsync(object->handle, stream));
    } else {
        if (type >= RANDOM_POOLED && type <= RANDOM_REGISTERED)
            finish(program, object);
        if (type == RANDOM_MODULE || type == RANDOM_EXEC || type == RANDOM_ARRAY)
            wait_for_context(program);
        if (type == RANDOM_STREAM)
            lose_stream(program, HANDLE(CUstream, object));
        if (type == RANDOM_MEMORY)
            note_done(program, false, NULL);
        OK(call_end(type, object->handle));
    }
    if (type == RANDOM_REGISTERED)
        forget(object);
    enter(program, current);
}

/* --- contexts --- */

static void end_context(struct random_program *program, unsigned context)
{
    const unsigned current = program->current == context ? 0 : program->current;

    /* Host memory and pools outlive the context; other objects are destroyed with it. */
    enter(program, context);
    for (unsigned type = 0; type < RANDOM_TYPES; type++) {
        for (unsigned i = 0; i < RANDOM_OBJECTS; i++) {
            struct random_object *object = &program->objects[type][i];
            const bool goes = type == RANDOM_STREAM || type == RANDOM_EVENT ||
                              type == RANDOM_MEMORY || type == RANDOM_MODULE;

            if (object->is_live && object->context == context) {
                if (goes && random_draw(program, 2))
                    object->is_live = false;
                else
                    destroy(program, (enum random_type)type, object);
            }
        }
    }
    /* Objects that were made meanwhile are destroyed, too. */
    for (unsigned type = 0; type < RANDOM_TYPES; type++) {
        for (unsigned i = 0; i < RANDOM_OBJECTS; i++)
            program->objects[type][i].is_live &= program->objects[type][i].context != context;
    }
    enter(program, current);
    OK(driver->CtxDestroy_v2(program->context[context]));
    program->context[context] = NULL;
}

static void step_context(struct random_program *program)
{
    const unsigned context = random_draw(program, RANDOM_CONTEXTS);
    CUcontext popped;

    if (!program->context[context]) {
        OK(driver->CtxCreate_v2(&program->context[context], 0, 0));
        OK(driver->CtxPopCurrent_v2(&popped));
    } else if (context != program->current && random_draw(program, 2)) {
        OK(driver->CtxPushCurrent_v2(program->context[context]));
        OK(driver->CtxSynchronize());
        OK(driver->CtxPopCurrent_v2(&popped));
    } else if (context > 0 && random_draw(program, 4) == 0) {
        end_context(program, context);
    } else {
        enter(program, context);
    }
}

/* --- steps --- */

static struct random_object *pick_memory(struct random_program *program)
{
    return pick(program, random_draw(program, 2) ? RANDOM_MEMORY : RANDOM_POOLED);
}

static struct random_object *pick_host(struct random_program *program)
{
    return pick(program, random_draw(program, 2) ? RANDOM_HOST : RANDOM_REGISTERED);
}

static void step_set(struct random_program *program)
{
    struct random_object *memory = pick_memory(program);
    const unsigned kind = random_draw(program, 4);
    const size_t skipped = 4u * random_draw(program, RANDOM_BYTES / 8);
    CUstream stream = kind == 0 ? NULL : pick_stream(program);

    order_work(program, memory, stream);
    if (kind == 0)
        OK(driver->MemsetD8_v2(memory->handle + skipped, 1, RANDOM_BYTES - skipped));
    else if (kind == 1)
        OK(driver->MemsetD2D8Async(memory->handle, 64, 1, 1 + random_draw(program, 64),
                                   1 + random_draw(program, RANDOM_BYTES / 64), stream));
    else
        OK(driver->MemsetD32Async(memory->handle + skipped, 1, (RANDOM_BYTES - skipped) / 4,
                                  stream));
}

/* Ordering the second object may have waited for everything. */
static void order_both(struct random_program *program, struct random_object *one,
                       struct random_object *other, CUstream stream)
{
    order_work(program, one, stream);
    order_work(program, other, stream);
    one->is_used = true;
}

static void step_copy(struct random_program *program)
{
    struct random_object *memory = pick_memory(program), *other = pick_memory(program);
    struct random_object *host = pick_host(program);
    const size_t bytes = 1 + random_draw(program, RANDOM_BYTES);
    const unsigned kind = random_draw(program, 6);
    CUstream stream = kind < 2 ? NULL : pick_stream(program);
    void *const locked = HANDLE(void *, host);

    order_both(program, memory, kind == 4 ? other : host, stream);
    switch (kind) {
    case 0:
        OK(driver->MemcpyHtoD_v2(memory->handle, locked, bytes));
        break;
    case 1:
        OK(driver->MemcpyDtoH_v2(locked, memory->handle, bytes));
        break;
    case 2:
        OK(driver->MemcpyHtoDAsync_v2(memory->handle, locked, bytes, stream));
        break;
    case 3:
        OK(driver->MemcpyDtoHAsync_v2(locked, memory->handle, bytes, stream));
        break;
    case 4:
        if (memory != other)
            OK(driver->MemcpyDtoDAsync_v2(memory->handle, other->handle, bytes, stream));
        break;
    default:
        OK(driver->MemcpyAsync(memory->handle, host->handle, bytes, stream));
        break;
    }
}

static void step_event(struct random_program *program)
{
    struct random_object *event = pick(program, RANDOM_EVENT);
    struct random_object *start = pick(program, RANDOM_EVENT);
    CUstream stream = pick_stream(program);
    float ms;

    OK(driver->EventRecord(HANDLE(CUevent, event), stream));
    event->is_recorded = true;
    switch (random_draw(program, 4)) {
    case 0:
        driver->EventQuery(HANDLE(CUevent, event));
        break;
    case 1:
        OK(driver->StreamWaitEvent(pick_stream(program), HANDLE(CUevent, event), 0));
        break;
    default:
        OK(driver->EventSynchronize(HANDLE(CUevent, event)));
        if (!start->is_live || !start->is_recorded || start->flags || event->flags)
            break;
        wait_for_context(program);
        OK(driver->EventElapsedTime(&ms, HANDLE(CUevent, start), HANDLE(CUevent, event)));
        break;
    }
}

static void step_kernel(struct random_program *program)
{
    const struct random_object *module = pick(program, RANDOM_MODULE);
    uint64_t ns = random_draw(program, 1000);
    void *arguments[] = {&ns};

    OK(driver->LaunchKernel(module->function, 1, 1, 1, 1, 1, 1, 0, pick_stream(program), arguments,
                            NULL));
}

static void CUDA_CB do_nothing(void *data)
{
    (void)data;
}

/*
 * The program waits for the host function, because nobody knows what it orders before it has ended.
 */
static void step_host_function(struct random_program *program)
{
    CUstream stream = pick_stream(program);

    OK(driver->LaunchHostFunc(stream, do_nothing, NULL));
    wait_for_stream(program, stream);
}

static void step_capture(struct random_program *program)
{
    const struct random_object *stream = pick(program, RANDOM_STREAM);
    const struct random_object *memory = pick(program, RANDOM_MEMORY);
    CUgraphExec exec;
    CUgraph graph;

    OK(driver->StreamBeginCapture_v2(HANDLE(CUstream, stream), CU_STREAM_CAPTURE_MODE_RELAXED));
    if (random_draw(program, 2))
        OK(driver->MemsetD8Async(memory->handle, 1, RANDOM_BYTES, HANDLE(CUstream, stream)));
    OK(driver->StreamEndCapture(HANDLE(CUstream, stream), &graph));
    OK(driver->GraphInstantiateWithFlags(&exec, graph, 0));
    if (random_draw(program, 2)) {
        wait_for_context(program);
        OK(driver->GraphLaunch(exec, HANDLE(CUstream, stream)));
        wait_for_stream(program, HANDLE(CUstream, stream));
    }
    OK(driver->GraphExecDestroy(exec));
    OK(driver->GraphDestroy(graph));
}

static void step_graph(struct random_program *program)
{
    const struct random_object *exec = pick(program, RANDOM_EXEC);

    OK(driver->GraphLaunch(HANDLE(CUgraphExec, exec), pick_stream(program)));
}

static void step_array(struct random_program *program)
{
    const struct random_object *array = pick(program, RANDOM_ARRAY);
    struct random_object *memory = pick_memory(program);

    order_work(program, memory, NULL);
    OK(driver->MemcpyDtoA_v2(HANDLE(CUarray, array), 0, memory->handle, 64));
}

static void step_pool(struct random_program *program)
{
    const struct random_object *pool = pick(program, RANDOM_POOL);
    CUstream stream = pick_stream(program);
    CUdeviceptr memory;

    OK(driver->MemAllocFromPoolAsync(&memory, RANDOM_BYTES, HANDLE(CUmemoryPool, pool), stream));
    OK(driver->MemsetD8Async(memory, 1, RANDOM_BYTES, stream));
    OK(driver->MemFreeAsync(memory, stream));
}

static void step_wait(struct random_program *program)
{
    if (random_draw(program, 3) == 0)
        wait_for_context(program);
    else
        wait_for_stream(program, pick_stream(program));
}

static void step_life(struct random_program *program)
{
    const enum random_type type = (enum random_type)random_draw(program, RANDOM_TYPES);

    if (random_draw(program, 2))
        make(program, type);
    else
        destroy(program, type, pick(program, type));
}

void random_step(struct random_program *program)
{
    static void (*const steps[])(struct random_program * program) = {
        step_set,   step_set,     step_copy,  step_copy,          step_copy, step_event,
        step_event, step_kernel,  step_graph, step_host_function, step_pool, step_array,
        step_wait,  step_capture, step_life,  step_life,          step_life, step_context,
    };

    steps[random_draw(program, sizeof steps / sizeof *steps)](program);
}

/* --- the whole program --- */

void random_begin(struct random_program *program, uint64_t seed)
{
    memset(program, 0, sizeof *program);
    program->state = UINT64_C(0x9e3779b97f4a7c15) * (seed + 1);
    OK(driver->Init(0));
    OK(driver->DevicePrimaryCtxRetain(&program->context[0], 0));
    OK(driver->CtxPushCurrent_v2(program->context[0]));
}

void random_end(struct random_program *program)
{
    CUcontext context;

    for (unsigned i = 1; i < RANDOM_CONTEXTS; i++) {
        if (program->context[i])
            end_context(program, i);
    }
    enter(program, 0);
    wait_for_context(program);
    for (unsigned pass = 0; pass < 2; pass++) { /* again if ordering created an event */
        for (unsigned type = RANDOM_TYPES; type-- > 0;) {
            for (unsigned i = 0; i < RANDOM_OBJECTS; i++) {
                if (program->objects[type][i].is_live)
                    destroy(program, (enum random_type)type, &program->objects[type][i]);
            }
        }
    }
    OK(driver->CtxPopCurrent_v2(&context));
    OK(driver->DevicePrimaryCtxRelease_v2(0));
}

void random_abandon(struct random_program *program)
{
    for (unsigned i = 0; i < RANDOM_OBJECTS; i++) {
        if (program->objects[RANDOM_REGISTERED][i].is_live)
            forget(&program->objects[RANDOM_REGISTERED][i]);
    }
}
