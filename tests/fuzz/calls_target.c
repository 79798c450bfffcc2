/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random programs on the mock: the bytes select calls on live, dead and invalid handles. A call
 * with a dead or invalid handle is refused and is a misuse; other calls are no misuse. Time does not
 * go back. Each program runs twice with the same results. Then its objects are destroyed, and
 * nothing may be left.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cushim/table.h>
#include <cushim/testing/mock.h>

#include "tests/fuzz/fuzz.h"

enum {
    OBJECTS = 8, /* the most live objects of each type; the slot of a dead one is reused */
    PICKS = 3,
    STEPS = 96,
    BYTES = 1024, /* the most bytes of an allocation, and of a copy */
};

enum type { NOTHING, CONTEXT, STREAM, EVENT, MEMORY, GRAPH, NODE, EXEC, MODULE, FUNCTION, TYPES };

enum state {
    NEVER,
    LIVE,
    DEAD, /* using it is a misuse, but contexts and memory are looked up first */
    GONE, /* its context is destroyed: an error, but no misuse */
};

struct object {
    enum state state;
    uint64_t handle;
    CUcontext context;           /* in which it was made */
    const struct object *parent; /* the graph of a node, or the module of a function */
};

struct program {
    struct fuzz_input input;
    struct cushim_mock *mock;
    const struct cushim_table *driver;
    bool is_manual;
    bool is_faulted; /* work has caused a fault: from now on, every call may fail */
    bool has_bad;    /* the present call has a dead or invalid handle */
    bool has_null;   /* or a NULL handle */
    size_t misuses;
    uint64_t now_ns;
    uint64_t digest; /* of all results */
    unsigned retained, host_functions;
    uint64_t with[PICKS]; /* the handles of the present call, and its numbers */
    uint64_t number[PICKS];
    union {
        void *handle;
        CUdeviceptr address;
    } made; /* by the present call */
    unsigned char host[BYTES];
    struct object objects[TYPES][OBJECTS];
};

/* --- the calls --- */

#define HANDLE(type, index) ((type)(uintptr_t)program->with[index])
#define MADE(type) ((type *)(void *)&program->made.handle)
#define AT(index) (program->with[index] + program->number[index] % BYTES)
#define COUNT(below) ((unsigned)(program->number[PICKS - 1] % (below)))
#define CALL(name, call)                          \
    static CUresult name(struct program *program) \
    {                                             \
        return program->driver->call;             \
    }

CALL(create_context, CtxCreate_v2(MADE(CUcontext), 0, 0))
CALL(destroy_context, CtxDestroy_v2(HANDLE(CUcontext, 0)))
CALL(push_context, CtxPushCurrent_v2(HANDLE(CUcontext, 0)))
CALL(pop_context, CtxPopCurrent_v2(&(CUcontext){NULL}))
CALL(synchronize_context, CtxSynchronize())
CALL(create_stream, StreamCreateWithPriority(MADE(CUstream), COUNT(3), (int8_t)program->number[0]))
CALL(destroy_stream, StreamDestroy_v2(HANDLE(CUstream, 0)))
CALL(query_stream, StreamQuery(HANDLE(CUstream, 0)))
CALL(synchronize_stream, StreamSynchronize(HANDLE(CUstream, 0)))
CALL(stream_flags, StreamGetFlags(HANDLE(CUstream, 0), &(unsigned){0}))
CALL(stream_id, StreamGetId(HANDLE(CUstream, 0), &(unsigned long long){0}))
CALL(wait_event, StreamWaitEvent(HANDLE(CUstream, 0), HANDLE(CUevent, 1), COUNT(3)))
/* An event that processes share would complete at a time that varies. */
CALL(create_event, EventCreate(MADE(CUevent), COUNT(5)))
CALL(destroy_event, EventDestroy_v2(HANDLE(CUevent, 0)))
CALL(record_event, EventRecord(HANDLE(CUevent, 0), HANDLE(CUstream, 1)))
CALL(query_event, EventQuery(HANDLE(CUevent, 0)))
CALL(synchronize_event, EventSynchronize(HANDLE(CUevent, 0)))
CALL(allocate, MemAlloc_v2(&program->made.address, COUNT(BYTES)))
CALL(release, MemFree_v2(program->with[0] += COUNT(8) == 7))
CALL(set,
     MemsetD8Async(AT(0), (unsigned char)program->number[1], COUNT(BYTES), HANDLE(CUstream, 1)))
CALL(upload, MemcpyHtoDAsync_v2(AT(0), program->host, COUNT(BYTES), HANDLE(CUstream, 1)))
CALL(copy, MemcpyDtoDAsync_v2(AT(0), AT(1), COUNT(BYTES), HANDLE(CUstream, 2)))
CALL(allocate_async, MemAllocAsync(&program->made.address, 1 + COUNT(255), HANDLE(CUstream, 0)))
CALL(release_async, MemFreeAsync(program->with[0], HANDLE(CUstream, 1)))
CALL(address_range, MemGetAddressRange_v2(&(CUdeviceptr){0}, &(size_t){0}, program->with[0]))
CALL(end_capture, StreamEndCapture(HANDLE(CUstream, 0), MADE(CUgraph)))
CALL(create_graph, GraphCreate(MADE(CUgraph), 0))
CALL(destroy_graph, GraphDestroy(HANDLE(CUgraph, 0)))
CALL(add_node, GraphAddEmptyNode(MADE(CUgraphNode), HANDLE(CUgraph, 0),
                                 &(CUgraphNode){HANDLE(CUgraphNode, 1)}, program->with[1] != 0))
CALL(destroy_node, GraphDestroyNode(HANDLE(CUgraphNode, 0)))
CALL(instantiate, GraphInstantiateWithFlags(MADE(CUgraphExec), HANDLE(CUgraph, 0), 0))
CALL(launch_graph, GraphLaunch(HANDLE(CUgraphExec, 0), HANDLE(CUstream, 1)))
CALL(destroy_exec, GraphExecDestroy(HANDLE(CUgraphExec, 0)))
CALL(unload_module, ModuleUnload(HANDLE(CUmodule, 0)))

static CUresult load_module(struct program *program)
{
    static const char text[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                               ".visible .entry cushim_nothing() { ret; }\n"
                               ".visible .entry cushim_spin(.param .u64 ns) { ret; }\n"
                               ".visible .entry cushim_fault() { ret; }\n";

    return program->driver->ModuleLoadData(MADE(CUmodule), text);
}

/* Not of a default stream: its capture could not be ended after its context. */
static CUresult begin_capture(struct program *program)
{
    if (program->with[0] <= (uintptr_t)CU_STREAM_PER_THREAD)
        return CUDA_SUCCESS;
    return program->driver->StreamBeginCapture_v2(HANDLE(CUstream, 0),
                                                  (CUstreamCaptureMode)COUNT(4));
}

/* Few programs contain a fault, because every call may fail after it. */
static CUresult find_function(struct program *program)
{
    const unsigned which = COUNT(256);

    return program->driver->ModuleGetFunction(MADE(CUfunction), HANDLE(CUmodule, 0),
                                              which < 128   ? "cushim_nothing"
                                              : which < 240 ? "cushim_spin"
                                              : which < 248 ? "none"
                                                            : "cushim_fault");
}

static CUresult launch_kernel(struct program *program)
{
    void *parameters[] = {&program->number[0]};

    return program->driver->LaunchKernel(HANDLE(CUfunction, 0), 1, 1, 1, COUNT(3), 1, 1, 0,
                                         HANDLE(CUstream, 1), parameters, NULL);
}

static void CUDA_CB do_nothing(void *data)
{
    (void)data;
}

static CUresult launch_host_function(struct program *program)
{
    program->host_functions++;
    return program->driver->LaunchHostFunc(HANDLE(CUstream, 0), do_nothing, NULL);
}

static void note(struct program *program, uint64_t number)
{
    program->digest = (program->digest ^ number) * UINT64_C(0x9e3779b97f4a7c15);
    program->digest ^= program->digest >> 29;
}

static CUresult download(struct program *program)
{
    const unsigned bytes = COUNT(BYTES);
    const CUresult code = program->driver->MemcpyDtoH_v2(program->host, AT(0), bytes);

    for (unsigned i = 0; code == CUDA_SUCCESS && i < bytes; i++)
        note(program, program->host[i]);
    return code;
}

static CUresult elapsed(struct program *program)
{
    float ms = -77;
    const CUresult code =
        program->driver->EventElapsedTime(&ms, HANDLE(CUevent, 0), HANDLE(CUevent, 1));

    CLAIM(code == CUDA_SUCCESS || ms == -77);
    CLAIM(code != CUDA_SUCCESS || program->with[0] != program->with[1] || ms == 0);
    note(program, (uint64_t)(int64_t)(ms * 1e6f));
    return code;
}

/* The primary context has one reference more than these until the end. */
static CUresult retain(struct program *program)
{
    program->retained++;
    return program->driver->DevicePrimaryCtxRetain(&(CUcontext){NULL}, 0);
}

static CUresult release_primary(struct program *program)
{
    if (program->retained == 0)
        return CUDA_SUCCESS;
    program->retained--;
    return program->driver->DevicePrimaryCtxRelease_v2(0);
}

/* In manual mode, only the program advances the clock. */
static CUresult advance(struct program *program)
{
    if (COUNT(16) == 0 && program->is_manual)
        cushim_mock_drain(program->mock);
    else if (COUNT(16) < 8)
        cushim_mock_advance(program->mock, COUNT(128) * UINT64_C(100));
    else
        cushim_mock_step(program->mock);
    return CUDA_SUCCESS;
}

/*
 * Each call, the handles that it gets and the type of object that it makes. The object of the first
 * handle is the parent of what is made, or ends.
 */
static const struct call {
    CUresult (*run)(struct program *program);
    enum type with[PICKS], makes;
    bool ends;
    bool has_events; /* which may have been destroyed since a capture recorded them */
} calls[] = {
    {.run = create_context, .makes = CONTEXT},
    {.run = destroy_context, .with = {CONTEXT}, .ends = true},
    {.run = push_context, .with = {CONTEXT}},
    {.run = pop_context},
    {.run = synchronize_context},
    {.run = retain},
    {.run = release_primary},
    {.run = create_stream, .makes = STREAM},
    {.run = create_stream, .makes = STREAM},
    {.run = destroy_stream, .with = {STREAM}, .ends = true},
    {.run = query_stream, .with = {STREAM}},
    {.run = synchronize_stream, .with = {STREAM}},
    {.run = stream_flags, .with = {STREAM}},
    {.run = stream_id, .with = {STREAM}},
    {.run = launch_host_function, .with = {STREAM}},
    {.run = wait_event, .with = {STREAM, EVENT}},
    {.run = wait_event, .with = {STREAM, EVENT}},
    {.run = create_event, .makes = EVENT},
    {.run = create_event, .makes = EVENT},
    {.run = destroy_event, .with = {EVENT}, .ends = true},
    {.run = record_event, .with = {EVENT, STREAM}},
    {.run = record_event, .with = {EVENT, STREAM}},
    {.run = query_event, .with = {EVENT}},
    {.run = synchronize_event, .with = {EVENT}},
    {.run = elapsed, .with = {EVENT, EVENT}},
    {.run = allocate, .makes = MEMORY},
    {.run = release, .with = {MEMORY}, .ends = true},
    {.run = set, .with = {MEMORY, STREAM}},
    {.run = upload, .with = {MEMORY, STREAM}},
    {.run = download, .with = {MEMORY}},
    {.run = copy, .with = {MEMORY, MEMORY, STREAM}},
    {.run = allocate_async, .with = {STREAM}, .makes = MEMORY},
    {.run = release_async, .with = {MEMORY, STREAM}, .ends = true},
    {.run = address_range, .with = {MEMORY}},
    {.run = begin_capture, .with = {STREAM}},
    {.run = end_capture, .with = {STREAM}, .makes = GRAPH},
    {.run = create_graph, .makes = GRAPH},
    {.run = destroy_graph, .with = {GRAPH}, .ends = true},
    {.run = add_node, .with = {GRAPH, NODE}, .makes = NODE},
    {.run = destroy_node, .with = {NODE}, .ends = true},
    {.run = instantiate, .with = {GRAPH}, .makes = EXEC},
    {.run = launch_graph, .with = {EXEC, STREAM}, .has_events = true},
    {.run = destroy_exec, .with = {EXEC}, .ends = true},
    {.run = load_module, .makes = MODULE},
    {.run = unload_module, .with = {MODULE}, .ends = true},
    {.run = find_function, .with = {MODULE}, .makes = FUNCTION},
    {.run = launch_kernel, .with = {FUNCTION, STREAM}},
    {.run = launch_kernel, .with = {FUNCTION, STREAM}},
    {.run = advance},
};

/* --- the objects --- */

static struct object *find(struct program *program, enum type type, unsigned from, enum state state)
{
    for (unsigned i = 0; i < OBJECTS; i++) {
        struct object *object = &program->objects[type][(from + i) % OBJECTS];

        if (object->state == state)
            return object;
    }
    return NULL;
}

/*
 * A handle for a call: usually a live one, or a default stream, or, depending on the input, a dead
 * one, one of another type or an invalid one, but at most one of these in a call.
 */
static uint64_t pick(struct program *program, enum type type, struct object **object)
{
    static const uint64_t garbage[] = {0x1234, UINT64_MAX, UINT64_C(0x7f0000001000), 0x3,
                                       UINT64_C(0x8000000000000000)};
    const uint8_t byte = fuzz_byte(&program->input);
    const unsigned place = byte % OBJECTS, kind = byte / 32;
    const bool may_be_bad = !program->has_bad && type != MEMORY;
    const struct object *gone = find(program, type, place, GONE), *other = NULL;

    *object = NULL;
    if (type == STREAM && kind == 0 && place < 3)
        return place; /* NULL, legacy, per-thread */
    if (kind == 4 && gone)
        return gone->handle;
    if (kind == 5 && may_be_bad)
        other = find(program, type, place, DEAD);
    if (kind == 6 && may_be_bad)
        other = find(program, type == EVENT ? STREAM : EVENT, place, LIVE);
    if (other || (kind == 7 && may_be_bad)) {
        /* A destroyed context is recognised, and is no misuse. */
        program->has_bad = !other || type != CONTEXT || kind != 5;
        return other ? other->handle : garbage[place % (sizeof garbage / sizeof garbage[0])];
    }
    *object = find(program, type, place, LIVE);
    program->has_null = program->has_null || !*object;
    return *object ? (*object)->handle : 0;
}

/* A slot for a new object, to whose former object nothing refers any more; NULL: all are live. */
static struct object *room(struct program *program, enum type type)
{
    for (enum state state = NEVER; state <= GONE; state++) {
        struct object *object = state == LIVE ? NULL : find(program, type, 0, state);

        if (object)
            return object;
    }
    return NULL;
}

/* What a context owns ends with it; graphs and memory of a pool belong to none. */
static void add(struct program *program, const struct call *call, const struct object *first)
{
    struct object *object = room(program, call->makes);
    unsigned kind;

    /* Memory that a capture allocates is the graph's. */
    if (call->run == allocate_async &&
        program->driver->PointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                             program->made.address) != CUDA_SUCCESS)
        return;
    *object = (struct object){.state = LIVE,
                              .handle = call->makes == MEMORY ? program->made.address
                                                              : (uintptr_t)program->made.handle};
    if (call->makes == NODE || call->makes == FUNCTION) {
        object->parent = first;
        object->context = first ? first->context : NULL;
    } else if (call->makes != CONTEXT && call->makes != GRAPH && call->makes != EXEC &&
               call->run != allocate_async) {
        program->driver->CtxGetCurrent(&object->context);
    }
}

/* An object has ended, with what it owns. */
static void end(struct program *program, enum type type, uint64_t handle)
{
    for (unsigned i = 0; i < OBJECTS; i++) {
        struct object *object = &program->objects[type][i];

        if (object->state != LIVE || object->handle != handle)
            continue;
        object->state = DEAD;
        for (enum type other = STREAM; other < TYPES; other++) {
            for (unsigned k = 0; k < OBJECTS; k++) {
                struct object *child = &program->objects[other][k];

                if (child->state == LIVE && child->parent == object)
                    child->state = DEAD;
                else if (child->state == LIVE && type == CONTEXT &&
                         child->context == (CUcontext)(uintptr_t)handle)
                    child->state = other == MODULE || other == FUNCTION ? DEAD : GONE;
            }
        }
    }
}

/* --- a program --- */

/*
 * Check the result of a call: it is a misuse if and only if it had an invalid handle, or would have
 * to wait in manual mode.
 */
static CUresult judge(struct program *program, CUresult answer, bool has_events)
{
    struct cushim_mock_state state = {.size = sizeof state};
    size_t misuses;

    CLAIM(cushim_mock_get_state(program->mock, &state) == CUDA_SUCCESS);
    misuses = state.misuses - program->misuses;
    program->misuses = state.misuses;
    CLAIM(state.now_ns >= program->now_ns);
    program->now_ns = state.now_ns;
    CLAIM(program->is_manual || answer != CUDA_ERROR_TIMEOUT);
    program->is_faulted = program->is_faulted || answer == CUDA_ERROR_ILLEGAL_ADDRESS;
    if (program->has_bad) {
        CLAIM(answer != CUDA_SUCCESS);
        /* The code is also that for NULL, which is no misuse and may be checked first. */
        CLAIM(misuses == (answer == CUDA_ERROR_INVALID_HANDLE) ||
              (misuses == 0 && program->has_null));
    } else {
        CLAIM(misuses == (answer == CUDA_ERROR_TIMEOUT ||
                          (has_events && answer == CUDA_ERROR_INVALID_HANDLE)));
    }
    program->has_bad = program->has_null = false;
    note(program, answer);
    note(program, state.now_ns);
    note(program, state.pending);
    note(program, state.handles);
    note(program, state.memory_bytes);
    return answer;
}

static void step(struct program *program)
{
    const struct call *call = &calls[fuzz_below(&program->input, sizeof calls / sizeof calls[0])];
    struct object *first = NULL, *object;
    CUresult answer;

    if (call->makes && !room(program, call->makes))
        return;
    program->made.address = 0;
    for (unsigned i = 0; i < PICKS; i++) {
        program->with[i] = call->with[i] ? pick(program, call->with[i], &object) : 0;
        first = i == 0 && call->with[0] ? object : first;
        program->number[i] = fuzz_number(&program->input, 2);
    }
    snprintf(fuzz_place, sizeof fuzz_place, "a call of row %zu", (size_t)(call - calls));
    answer = judge(program, call->run(program), call->has_events);
    if (call->makes && answer == CUDA_SUCCESS && program->made.address)
        add(program, call, first);
    if (call->ends && answer == CUDA_SUCCESS)
        end(program, call->with[0], program->with[0]);
}

static void begin(struct program *program, const uint8_t *data, size_t size)
{
    static const char *const schedules[] = {"fifo", "eager", "lazy", "random"};
    char settings[176];
    struct cushim_mock_options options = {.size = sizeof options, .settings = settings};
    CUcontext context = NULL;
    uint8_t kind;

    memset(program, 0, sizeof *program);
    program->input = (struct fuzz_input){data, size};
    memset(program->host, 0x5a, sizeof program->host);
    kind = fuzz_byte(&program->input);
    program->is_manual = kind & 1;
    snprintf(settings, sizeof settings,
             "mode = %s\nschedule = %s\nraces = %s\nadversarial = %s\nseed = %u\nmemory = 64 MiB\n",
             program->is_manual ? "manual" : "auto", schedules[kind >> 1 & 3],
             kind & 8 ? "report" : "ignore", kind & 16 ? "yes" : "no", kind >> 5);
    CLAIM(cushim_mock_create(&options, &program->mock) == CUDA_SUCCESS);
    program->driver = cushim_mock_table(program->mock);
    CLAIM(program->driver->Init(0) == CUDA_SUCCESS);
    CLAIM(program->driver->DevicePrimaryCtxRetain(&context, 0) == CUDA_SUCCESS);
    CLAIM(program->driver->CtxPushCurrent_v2(context) == CUDA_SUCCESS);
}

/* End all captures and work, and pop all contexts: a destroyed current one would make calls fail. */
static void settle(struct program *program)
{
    for (unsigned i = 0; i < OBJECTS; i++) {
        const struct object *stream = &program->objects[STREAM][i];
        CUgraph graph = NULL;

        if (stream->state != LIVE)
            continue;
        judge(program,
              program->driver->StreamEndCapture((CUstream)(uintptr_t)stream->handle, &graph),
              false);
        if (graph)
            judge(program, program->driver->GraphDestroy(graph), false);
    }
    if (program->is_manual)
        cushim_mock_drain(program->mock);
    while (program->driver->CtxPopCurrent_v2(NULL) == CUDA_SUCCESS)
        continue;
    /* With no context current, a call that needs one reports an earlier fault. */
    judge(program, program->driver->EventCreate(&(CUevent){NULL}, 0), false);
}

/* Destroy what is live, contexts last, because they destroy what is in them. */
static void destroy_all(struct program *program)
{
    static const struct {
        enum type type;
        CUresult (*run)(struct program *program);
    } ends[] = {{MEMORY, release},         {EXEC, destroy_exec},     {GRAPH, destroy_graph},
                {EVENT, destroy_event},    {STREAM, destroy_stream}, {MODULE, unload_module},
                {CONTEXT, destroy_context}};
    struct cushim_mock_state state = {.size = sizeof state};
    struct object *object;
    CUresult code;

    memset(program->number, 0, sizeof program->number);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        while ((object = find(program, ends[i].type, 0, LIVE))) {
            program->with[0] = object->handle;
            code = judge(program, ends[i].run(program), false);
            snprintf(fuzz_place, sizeof fuzz_place, "the end of an object of type %d, with code %d",
                     (int)ends[i].type, (int)code);
            CLAIM(code == CUDA_SUCCESS || program->is_faulted);
            end(program, ends[i].type, object->handle);
        }
    }
    while (program->retained > 0)
        CLAIM(release_primary(program) == CUDA_SUCCESS);
    CLAIM(program->driver->DevicePrimaryCtxRelease_v2(0) == CUDA_SUCCESS);
    CLAIM(cushim_mock_get_state(program->mock, &state) == CUDA_SUCCESS);
    CLAIM(program->is_faulted || (state.handles == 0 && state.allocations == 0));
}

static uint64_t run(struct program *program, const uint8_t *data, size_t size)
{
    CUresult code;

    begin(program, data, size);
    for (unsigned i = 0; i < STEPS && program->input.left; i++)
        step(program);
    snprintf(fuzz_place, sizeof fuzz_place, "the end");
    settle(program);
    destroy_all(program);
    for (size_t i = 0; i < program->misuses && i < 64; i++)
        CLAIM(cushim_mock_misuse(program->mock, i) != NULL);
    CLAIM(!cushim_mock_misuse(program->mock, program->misuses));
    code = cushim_mock_destroy(program->mock);
    CLAIM(code == (program->misuses ? CUDA_ERROR_ILLEGAL_STATE : CUDA_SUCCESS));
    return program->digest;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct program *program = fuzz_memory(sizeof *program);
    char place[sizeof fuzz_place];
    uint64_t first;

    memcpy(place, fuzz_place, sizeof place);
    first = run(program, data, size);
    /* Not with host functions, whose order on another thread is not deterministic. */
    if (program->host_functions == 0)
        CLAIM(run(program, data, size) == first);
    memcpy(fuzz_place, place, sizeof place);
    free(program);
    return 0;
}
