/* SPDX-License-Identifier: Apache-2.0 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <cushim/cushim.h>

#include "soak.h"

enum { BYTES = 16 * 1024, SPIN_NS = 1000 };

/* The objects that one thread keeps for all of its acts. */
struct desk {
    CUstream stream, other;
    CUfunction spin;
    CUmodule module;
    unsigned char *sent, *received;
    struct cushim_stream *wrapper; /* of `stream` */
    unsigned events;               /* events created so far */
    atomic_uint called;            /* calls of host functions */
};

static CUcontext context;
static struct cushim_context *context_wrapper;
static struct cushim_event_pool *pool_of_events;
static unsigned leak; /* one in this many events is leaked; 0: none */
static bool only_events;

static const char image[] = ".version 6.0\n"
                            ".target sm_50\n"
                            ".address_size 64\n"
                            ".visible .global .align 4 .b8 bytes[64];\n"
                            ".visible .entry cushim_spin(.param .u64 ns)\n{\n    ret;\n}\n";

#define DO(call) worker_did(worker, #call, cushim_driver()->call, CUDA_SUCCESS)
#define DO_CUSHIM(call) worker_did(worker, #call, cushim_##call, CUDA_SUCCESS)
#define REFUSED(code, call) worker_did(worker, #call, cushim_driver()->call, (code))

CUresult acts_prepare(const struct soak_options *options, bool is_mock)
{
    /* As many events as can be in use at once, so the pool never grows. */
    const struct cushim_event_pool_options filled = {.size = sizeof filled,
                                                     .initial = 2 * (unsigned)options->threads};
    CUresult code = cushim_context_retain_primary(0, &context_wrapper);

    leak = (unsigned)options->leak;
    only_events = !is_mock;
    if (code == CUDA_SUCCESS)
        code = cushim_context_get_handle(context_wrapper, &context);
    if (code == CUDA_SUCCESS)
        code = cushim_driver()->CtxSetCurrent(context);
    return code == CUDA_SUCCESS
               ? cushim_event_pool_create(context_wrapper, NULL, &filled, &pool_of_events)
               : code;
}

CUresult acts_end(void)
{
    const CUresult code = cushim_event_pool_release(pool_of_events);

    return code == CUDA_SUCCESS ? cushim_context_release(context_wrapper) : code;
}

void acts_settle(struct acts_state *state)
{
    const struct cushim_table *driver = cushim_driver();
    size_t total = 0, available = 0, at_rest = 0;
    CUdeviceptr memory;
    CUmemoryPool pool;

    /* A pool releases memory when it gets a request. */
    if (driver->MemAllocAsync(&memory, BYTES, NULL) == CUDA_SUCCESS)
        driver->MemFreeAsync(memory, NULL);
    driver->CtxSynchronize();
    if (driver->DeviceGetDefaultMemPool(&pool, 0) == CUDA_SUCCESS)
        driver->MemPoolTrimTo(pool, 0);
    cushim_event_pool_get_counts(pool_of_events, &state->pooled, &at_rest);
    state->out_of_pool = state->pooled - at_rest;
    driver->MemGetInfo_v2(&available, &total);
    state->device_bytes = total - available;
}

static void begin(struct worker *worker)
{
    struct desk *desk = calloc(1, sizeof *desk);
    void *memory = NULL;

    if (!desk)
        abort();
    worker->own = desk;
    DO(CtxSetCurrent(context));
    DO(StreamCreate(&desk->stream, CU_STREAM_NON_BLOCKING));
    DO(StreamCreate(&desk->other, CU_STREAM_NON_BLOCKING));
    DO_CUSHIM(stream_wrap(desk->stream, context_wrapper, &desk->wrapper));
    DO(ModuleLoadData(&desk->module, image));
    DO(ModuleGetFunction(&desk->spin, desk->module, "cushim_spin"));
    DO(MemHostAlloc(&memory, BYTES, 0));
    desk->sent = memory;
    DO(MemHostAlloc(&memory, BYTES, 0));
    desk->received = memory;
}

static void end(struct worker *worker)
{
    struct desk *desk = worker->own;

    DO(MemFreeHost(desk->sent));
    DO(MemFreeHost(desk->received));
    DO(ModuleUnload(desk->module));
    DO_CUSHIM(stream_release(desk->wrapper));
    DO(StreamDestroy_v2(desk->other));
    DO(StreamDestroy_v2(desk->stream));
    DO(CtxSetCurrent(NULL));
    free(desk);
}

static void end_event(struct worker *worker, CUevent event)
{
    struct desk *desk = worker->own;

    if (leak == 0 || ++desk->events % leak != 0)
        DO(EventDestroy_v2(event));
}

/* Query an event; complete and "not ready" are both right. */
static void ask(struct worker *worker, const struct cushim_event *event)
{
    const CUresult code = cushim_event_query(event);

    worker_did(worker, "event_query", code == CUDA_ERROR_NOT_READY ? CUDA_SUCCESS : code,
               CUDA_SUCCESS);
}

static void check_time(struct worker *worker, float ms)
{
    worker_did(worker, "a time that is not negative", ms >= 0 ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN,
               CUDA_SUCCESS);
}

static void time_pooled(struct worker *worker)
{
    struct desk *desk = worker->own;
    struct cushim_event *start, *stop;
    float ms = -1;

    DO_CUSHIM(event_pool_acquire(pool_of_events, &start));
    DO_CUSHIM(event_pool_acquire(pool_of_events, &stop));
    DO_CUSHIM(event_record(start, desk->wrapper));
    DO_CUSHIM(event_record(stop, desk->wrapper));
    ask(worker, stop);
    DO_CUSHIM(event_synchronize(stop));
    DO_CUSHIM(event_query(start));
    DO_CUSHIM(event_get_elapsed(start, stop, &ms));
    check_time(worker, ms);
    DO_CUSHIM(event_release(start));
    DO_CUSHIM(event_release(stop));
}

static void use_event(struct worker *worker)
{
    struct desk *desk = worker->own;
    struct cushim_event *event;

    DO_CUSHIM(event_create_recorded(desk->wrapper, NULL, &event));
    ask(worker, event);
    DO_CUSHIM(event_release(event));
}

static void use_table(struct worker *worker)
{
    struct desk *desk = worker->own;
    CUevent event;

    DO(EventCreate(&event, CU_EVENT_DISABLE_TIMING));
    DO(EventRecord(event, desk->stream));
    DO(EventSynchronize(event));
    DO(EventQuery(event));
    end_event(worker, event);
}

static void time_events(struct worker *worker)
{
    struct desk *desk = worker->own;
    CUevent start, stop, untimed;
    float ms = -1;

    DO(EventCreate(&start, CU_EVENT_DEFAULT));
    DO(EventCreate(&stop, CU_EVENT_BLOCKING_SYNC));
    DO(EventCreate(&untimed, CU_EVENT_DISABLE_TIMING));
    DO(EventRecord(start, desk->stream));
    DO(MemsetD32Async(0, 0, 0, desk->stream));
    DO(EventRecord(untimed, desk->stream));
    DO(StreamWaitEvent(desk->other, untimed, 0));
    DO(EventRecord(stop, desk->other));
    DO(EventSynchronize(stop));
    DO(EventQuery(start));
    DO(EventElapsedTime_v2(&ms, start, stop));
    check_time(worker, ms);
    REFUSED(CUDA_ERROR_INVALID_HANDLE, EventElapsedTime_v2(&ms, start, untimed));
    end_event(worker, start);
    end_event(worker, stop);
    end_event(worker, untimed);
}

/* Destroy objects that are in use; work that waits for them continues. */
static void drop_in_use(struct worker *worker)
{
    struct desk *desk = worker->own;
    uint64_t ns = SPIN_NS;
    void *parameters[] = {&ns};
    CUstream stream;
    CUevent event;

    DO(StreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, 0));
    DO(EventCreate(&event, CU_EVENT_DISABLE_TIMING));
    DO(LaunchKernel(desk->spin, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL));
    DO(EventRecord(event, stream));
    DO(StreamWaitEvent(desk->stream, event, 0));
    end_event(worker, event);
    DO(StreamDestroy_v2(stream));
    DO(StreamSynchronize(desk->stream));
}

static void copy(struct worker *worker)
{
    struct desk *desk = worker->own;
    CUdeviceptr first, second;

    memset(desk->sent, (int)worker->turn & 0xff, BYTES);
    DO(MemAlloc_v2(&first, BYTES));
    DO(MemAlloc_v2(&second, BYTES));
    DO(MemcpyHtoDAsync_v2(first, desk->sent, BYTES, desk->stream));
    DO(MemcpyDtoDAsync_v2(second, first, BYTES, desk->stream));
    DO(MemsetD8Async(second, 0x5a, BYTES / 2, desk->stream));
    DO(MemcpyDtoHAsync_v2(desk->received, second, BYTES, desk->stream));
    DO(StreamSynchronize(desk->stream));
    worker_did(worker, "bytes that came back",
               desk->received[0] == 0x5a && desk->received[BYTES / 2 - 1] == 0x5a &&
                       memcmp(desk->received + BYTES / 2, desk->sent, BYTES / 2) == 0
                   ? CUDA_SUCCESS
                   : CUDA_ERROR_UNKNOWN,
               CUDA_SUCCESS);
    DO(MemFree_v2(first));
    DO(MemFree_v2(second));
}

/* Stream-ordered memory, from the device's pool and from a pool of the act. */
static void use_pools(struct worker *worker)
{
    struct desk *desk = worker->own;
    const CUmemPoolProps kind = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                 .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    CUmemoryPool pool;
    CUdeviceptr first, second;

    DO(MemPoolCreate(&pool, &kind));
    DO(MemAllocAsync(&first, BYTES, desk->stream));
    DO(MemAllocFromPoolAsync(&second, BYTES, pool, desk->stream));
    DO(MemsetD8Async(first, 1, BYTES, desk->stream));
    DO(MemcpyDtoDAsync_v2(second, first, BYTES, desk->stream));
    DO(MemFreeAsync(first, desk->stream));
    DO(MemFreeAsync(second, desk->stream));
    DO(StreamSynchronize(desk->stream));
    DO(MemPoolDestroy(pool));
}

static void CUDA_CB count_call(void *data)
{
    atomic_fetch_add((atomic_uint *)data, 1);
}

static void launch(struct worker *worker)
{
    struct desk *desk = worker->own;
    uint64_t ns = SPIN_NS;
    void *parameters[] = {&ns};
    const unsigned before = atomic_load(&desk->called);
    CUdeviceptr bytes;
    CUmodule module;
    size_t size;

    DO(ModuleLoadData(&module, image));
    DO(ModuleGetGlobal_v2(&bytes, &size, module, "bytes"));
    REFUSED(CUDA_ERROR_NOT_FOUND, ModuleGetGlobal_v2(&bytes, &size, module, "nothing"));
    DO(LaunchKernel(desk->spin, 8, 1, 1, 32, 1, 1, 0, desk->stream, parameters, NULL));
    DO(LaunchHostFunc(desk->stream, count_call, &desk->called));
    DO(StreamSynchronize(desk->stream));
    worker_did(worker, "a host function that was called",
               atomic_load(&desk->called) == before + 1 ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN,
               CUDA_SUCCESS);
    DO(ModuleUnload(module));
}

static void use_graph(struct worker *worker)
{
    struct desk *desk = worker->own;
    uint64_t ns = SPIN_NS;
    void *parameters[] = {&ns};
    CUgraph graph, clone;
    CUgraphExec executable;
    CUdeviceptr memory;
    CUevent event;

    DO(MemAlloc_v2(&memory, BYTES));
    DO(EventCreate(&event, CU_EVENT_DISABLE_TIMING));
    DO(StreamBeginCapture_v2(desk->stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    DO(MemsetD8Async(memory, 7, BYTES, desk->stream));
    DO(EventRecord(event, desk->stream));
    DO(StreamWaitEvent(desk->other, event, 0));
    DO(LaunchKernel(desk->spin, 1, 1, 1, 1, 1, 1, 0, desk->other, parameters, NULL));
    DO(EventRecord(event, desk->other));
    DO(StreamWaitEvent(desk->stream, event, 0));
    DO(StreamEndCapture(desk->stream, &graph));
    DO(GraphClone(&clone, graph));
    DO(GraphInstantiateWithFlags(&executable, graph, 0));
    DO(GraphDestroy(graph));
    DO(GraphLaunch(executable, desk->stream));
    DO(GraphLaunch(executable, desk->stream));
    DO(StreamSynchronize(desk->stream));
    DO(GraphExecDestroy(executable));
    DO(GraphDestroy(clone));
    end_event(worker, event);
    DO(MemFree_v2(memory));
}

/* An invalidated capture, and other refused calls: they must leave nothing either. */
static void be_refused(struct worker *worker)
{
    struct desk *desk = worker->own;
    CUfunction function = NULL;
    CUevent event = NULL;
    CUgraph graph = NULL;
    CUdeviceptr memory = 0;

    DO(StreamBeginCapture_v2(desk->stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    DO(MemsetD32Async(0, 0, 0, desk->stream));
    REFUSED(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, StreamSynchronize(desk->stream));
    REFUSED(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, StreamEndCapture(desk->stream, &graph));
    REFUSED(CUDA_ERROR_NOT_FOUND, ModuleGetFunction(&function, desk->module, "nothing"));
    REFUSED(CUDA_ERROR_INVALID_VALUE, EventCreate(&event, ~0u));
    REFUSED(CUDA_ERROR_OUT_OF_MEMORY, MemAlloc_v2(&memory, SIZE_MAX / 2));
    REFUSED(CUDA_ERROR_INVALID_VALUE, MemFree_v2(1));
}

/* A context whose destruction destroys what is in it. */
static void use_context(struct worker *worker)
{
    CUcontext own;
    CUstream stream;
    CUevent event;
    CUdeviceptr memory;

    DO(CtxCreate_v2(&own, 0, 0));
    DO(StreamCreate(&stream, CU_STREAM_DEFAULT));
    DO(EventCreate(&event, CU_EVENT_DEFAULT));
    DO(MemAlloc_v2(&memory, BYTES));
    DO(MemsetD8Async(memory, 1, BYTES, stream));
    DO(EventRecord(event, stream));
    DO(CtxDestroy_v2(own));
    DO(CtxSetCurrent(context));
}

static void act(struct worker *worker)
{
    static void (*const kinds[])(struct worker * worker) = {
        time_pooled, use_event,   use_table, /* on any driver */
        time_events, drop_in_use, copy,      launch, use_graph, use_pools, be_refused, use_context,
    };
    enum { EVENTS = 3, KINDS = sizeof kinds / sizeof *kinds };

    /* Threads start with different kinds, so that different kinds run at the same time. */
    kinds[(worker->turn + worker->number) % (only_events ? EVENTS : KINDS)](worker);
}

const struct gang_work acts = {begin, act, end};
