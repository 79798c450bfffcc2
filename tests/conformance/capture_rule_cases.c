/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a capture allows, and what invalidates it, including memory and copies. Statements 63-67,
 * 69, 129, and the rule of 58.
 */
#include <pthread.h>

#include "cases.h"
#include "graph.h"

MEASURED_CASE(063, captured_event_must_not_be_asked)
{
    CUstream stream = begin_stream();
    CUevent event = begin_event(), done = begin_done();

    for (unsigned i = 0; i < CAPTURE_MODES; i++) {
        float ms = -7;

        capture_begin(stream, capture_modes[i]);
        OK(cu->EventRecord(event, stream));
        CODE(CUDA_ERROR_CAPTURED_EVENT, cu->EventElapsedTime(&ms, done, event));
        CODE(CUDA_ERROR_CAPTURED_EVENT, cu->EventElapsedTime_v2(&ms, event, done));
        CODE(CUDA_ERROR_CAPTURED_EVENT, cu->EventElapsedTime(&ms, event, event));
        CHECK(ms == -7);
        capture_active(stream);
        CODE(CUDA_ERROR_CAPTURED_EVENT, cu->EventQuery(event));
        capture_invalidated(stream);
        capture_begin(stream, capture_modes[i]);
        OK(cu->EventRecord(event, stream));
        CODE(CUDA_ERROR_CAPTURED_EVENT, cu->EventSynchronize(event));
        capture_invalidated(stream);
    }
}

/* In a new capture of `stream`, this call returns 900 and invalidates the capture. */
#define INVALIDATES(stream, mode, call)                                                \
    (capture_begin(stream, mode), CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, (call)), \
     capture_invalidated(stream))

/* A query of an event by another thread, after that thread has set its own mode. */
struct elsewhere {
    CUevent event;
    CUstreamCaptureMode mode, former;
    CUresult code;
};

static void *query_elsewhere(void *data)
{
    struct elsewhere *elsewhere = data;

    elsewhere->former = elsewhere->mode;
    elsewhere->code = cu->ThreadExchangeStreamCaptureMode(&elsewhere->former);
    if (elsewhere->code == CUDA_SUCCESS)
        elsewhere->code = cu->EventQuery(elsewhere->event);
    return NULL;
}

/* Only a GLOBAL capture binds other threads, and only those in the mode GLOBAL. */
static void check_elsewhere(CUstream stream, CUevent done)
{
    for (int i = 0; i < CAPTURE_MODES * CAPTURE_MODES; i++) {
        const CUstreamCaptureMode mode = capture_modes[i / CAPTURE_MODES];
        struct elsewhere elsewhere = {.event = done, .mode = capture_modes[i % CAPTURE_MODES]};
        const bool is_bound = mode == GLOBAL && elsewhere.mode == GLOBAL;
        pthread_t thread;

        capture_begin(stream, mode);
        if (pthread_create(&thread, NULL, query_elsewhere, &elsewhere) != 0)
            fail("a thread cannot be created");
        pthread_join(thread, NULL);
        CODE(is_bound ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS, elsewhere.code);
        EQUAL(GLOBAL, elsewhere.former);
        (is_bound ? capture_invalidated : capture_end)(stream);
    }
}

MEASURED_CASE(064, strict_modes_forbid_every_question)
{
    CUdeviceptr memory = 0;
    CUstream stream = begin_stream(), other = begin_stream();
    CUevent done = begin_done(), event = begin_done();

    for (unsigned i = 0; i < 2; i++) {
        const CUstreamCaptureMode mode = capture_modes[i];
        float ms = -7;

        INVALIDATES(stream, mode, cu->EventQuery(done));
        INVALIDATES(stream, mode, cu->EventSynchronize(done));
        INVALIDATES(stream, mode, cu->StreamQuery(other));
        INVALIDATES(stream, mode, cu->StreamSynchronize(other));
        INVALIDATES(stream, mode, cu->StreamQuery(stream));
        INVALIDATES(stream, mode, cu->StreamSynchronize(stream));
        INVALIDATES(stream, mode, cu->CtxSynchronize());
        INVALIDATES(stream, mode, cu->MemAlloc_v2(&memory, 4096));
        EQUAL(0, memory);
        capture_begin(stream, mode);
        OK(cu->EventElapsedTime(&ms, done, event));
        OK(cu->EventElapsedTime_v2(&ms, done, event));
        CHECK(ms >= 0);
        capture_end(stream);
    }
    check_elsewhere(stream, done);
}

MEASURED_CASE(065, relaxed_mode_allows_questions_on_others)
{
    CUdeviceptr memory = 0;
    CUstream stream = begin_stream(), other = begin_stream();
    CUevent done = begin_done();

    capture_begin(stream, RELAXED);
    OK(cu->EventQuery(done));
    OK(cu->EventSynchronize(done));
    OK(cu->StreamQuery(other));
    OK(cu->StreamSynchronize(other));
    OK(cu->MemAlloc_v2(&memory, 4096));
    CHECK(memory != 0);
    capture_end(stream);
    INVALIDATES(stream, RELAXED, cu->StreamQuery(stream));
    INVALIDATES(stream, RELAXED, cu->StreamSynchronize(stream));
    INVALIDATES(stream, RELAXED, cu->CtxSynchronize());
}

MEASURED_CASE(066, every_mode_allows_what_does_not_ask)
{
    CUevent unrecorded = begin_event(), outside = begin_event(), inside = begin_event(), shared;
    CUstream stream = begin_stream(), other = begin_stream();
    CUipcEventHandle handle;

    shared = begin_event_with(CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING);
    for (unsigned i = 0; i < CAPTURE_MODES; i++) {
        CUstream made_stream = NULL;
        CUevent made = NULL;

        capture_begin(stream, capture_modes[i]);
        OK(cu->EventCreate(&made, 0));
        OK(cu->EventDestroy_v2(made));
        OK(cu->StreamCreate(&made_stream, CU_STREAM_NON_BLOCKING));
        OK(cu->LaunchHostFunc(stream, do_nothing, NULL));
        OK(cu->StreamWaitEvent(stream, unrecorded, 0));
        OK(cu->EventRecord(outside, other));
        OK(cu->EventRecordWithFlags(inside, stream, 1));
        OK(cu->StreamWaitEvent(stream, outside, 1));
        OK(cu->IpcGetEventHandle(&handle, shared));
        capture_end(stream);
    }
}

MEASURED_CASE(066, external_events_live_outside_the_graph)
{
    CUevent before = begin_event(), start = begin_event(), end = begin_event();
    CUstream stream = begin_stream(), outside = begin_stream();
    CUgraphExec exec = NULL;
    CUgraph graph = NULL;
    struct latch latch;
    float ms = -7;

    capture_begin(stream, GLOBAL);
    OK(cu->StreamWaitEvent(stream, before, 1));
    OK(cu->EventRecordWithFlags(start, stream, 1));
    OK(cu->LaunchHostFunc(stream, do_nothing, NULL));
    OK(cu->EventRecordWithFlags(end, stream, 1));
    capture_active(stream);
    OK(cu->StreamEndCapture(stream, &graph));
    MUST(cu->GraphInstantiateWithFlags(&exec, graph, 0));
    latch = latch_shut(outside);
    OK(cu->EventRecord(before, outside));
    OK(cu->GraphLaunch(exec, stream));
    for (int i = 0; i < 100; i++)
        CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(stream));
    latch_open(&latch);
    OK(cu->StreamSynchronize(stream));
    OK(cu->EventQuery(start));
    OK(cu->EventQuery(end));
    OK(cu->EventElapsedTime(&ms, start, end));
    CHECK(ms >= 0);
}

DOCUMENTED_CASE(067, wait_for_the_outside_spoils_it)
{
    CUstream stream = begin_stream();
    CUevent done = begin_done();

    for (unsigned i = 0; i < CAPTURE_MODES; i++) {
        capture_begin(stream, capture_modes[i]);
        CODE(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, cu->StreamWaitEvent(stream, done, 0));
        capture_invalidated(stream);
    }
}

DOCUMENTED_CASE(069, legacy_stream_spoils_a_blocking_one)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    CUstream blocking = begin_blocking_stream();
    CUevent event = begin_event();

    capture_begin(blocking, GLOBAL);
    CODE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cu->StreamIsCapturing(NULL, &status));
    CODE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cu->EventRecord(event, NULL));
    capture_invalidated(blocking);
    capture_begin(blocking, GLOBAL);
    CODE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cu->StreamQuery(NULL));
    capture_invalidated(blocking);
    capture_begin(blocking, RELAXED);
    CODE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cu->EventRecord(event, CU_STREAM_LEGACY));
    capture_invalidated(blocking);
}

MEASURED_CASE(069, legacy_stream_spares_a_non_blocking_one)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
    CUstream stream = begin_stream();
    CUevent event = begin_event();

    capture_begin(stream, GLOBAL);
    OK(cu->StreamIsCapturing(NULL, &status));
    EQUAL(CU_STREAM_CAPTURE_STATUS_NONE, status);
    OK(cu->EventRecord(event, NULL));
    capture_active(stream);
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cu->StreamQuery(NULL));
    capture_invalidated(stream);
}

static void CUDA_CB called_back(CUstream stream, CUresult status, void *data)
{
    (void)stream, (void)status, (void)data;
}

DOCUMENTED_CASE(058, callback_spoils_a_capture)
{
    CUstream stream = begin_stream();

    for (unsigned i = 0; i < CAPTURE_MODES; i++)
        INVALIDATES(stream, capture_modes[i], cu->StreamAddCallback(stream, called_back, NULL, 0));
}

/* Calls that fail in a capture, by number. They use objects from before the capture. */
enum { UNSAFE_CALLS = 12, UNSAFE_IN_THREAD = 5 };

static const CUDA_ARRAY_DESCRIPTOR bytes_4_by_4 = {
    .Width = 4, .Height = 4, .Format = CU_AD_FORMAT_UNSIGNED_INT8, .NumChannels = 1};

static CUresult unsafe_call(int number, CUdeviceptr memory, void *pinned, CUmemoryPool pool)
{
    static const int on = 1;
    CUarray array;
    CUdeviceptr device;
    size_t pitch;
    void *host;

    switch (number) {
    case 0:
        return cu->MemAlloc_v2(&device, 64);
    case 1:
        return cu->MemFree_v2(memory);
    case 2:
        return cu->MemAllocHost_v2(&host, 64);
    case 3:
        return cu->MemHostAlloc(&host, 64, 0);
    case 4:
        return cu->MemFreeHost(pinned);
    case 5:
        return cu->MemAllocManaged(&device, 64, CU_MEM_ATTACH_GLOBAL);
    case 6:
        return cu->MemAllocPitch_v2(&device, &pitch, 64, 4, 4);
    case 7:
        return cu->ArrayCreate_v2(&array, &bytes_4_by_4);
    case 8:
        return cu->MemPoolTrimTo(pool, 0);
    case 9:
        return cu->PointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory);
    case 10:
        return cu->MemAllocAsync(&device, 64, NULL);
    default:
        return cu->MemFree_v2(0);
    }
}

MEASURED_CASE(129, allocating_invalidates_captures)
{
    CUmemoryPool pool;

    begin_context();
    MUST(cu->DeviceGetDefaultMemPool(&pool, 0));
    for (int mode = 0; mode < CAPTURE_MODES; mode++) {
        /* In the mode THREAD_LOCAL, only some of the calls were measured. */
        const int calls = capture_modes[mode] == THREAD_LOCAL ? UNSAFE_IN_THREAD : UNSAFE_CALLS;

        for (int call = 0; call < calls; call++) {
            const bool relaxed = capture_modes[mode] == RELAXED;
            CUdeviceptr memory = begin_memory(64);
            CUstream stream = begin_stream();
            void *pinned = begin_pinned(64);

            capture_begin(stream, capture_modes[mode]);
            CODE(relaxed ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                 unsafe_call(call, memory, pinned, pool));
            (relaxed ? capture_end : capture_invalidated)(stream);
        }
    }
}

static CUresult legacy_call(int number, CUdeviceptr memory)
{
    static char host[16];
    CUdeviceptr device;

    switch (number) {
    case 0:
        return cu->MemcpyHtoD_v2(memory, host, sizeof host);
    case 1:
        return cu->MemcpyHtoD_v2(memory, host, 0);
    case 2:
        return cu->MemcpyHtoD_v2(0x1234, host, sizeof host);
    case 3:
        return cu->MemcpyDtoD_v2(memory, memory + 32, 16);
    case 4:
        return cu->MemsetD8_v2(memory, 1, 16);
    default:
        return cu->MemAllocAsync(&device, 64, NULL);
    }
}

MEASURED_CASE(129, blocking_captures_are_in_the_way)
{
    for (int call = 0; call < 6; call++) {
        CUstream stream = begin_blocking_stream();
        CUdeviceptr memory = begin_memory(64);

        capture_begin(stream, GLOBAL);
        CODE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, legacy_call(call, memory));
        capture_invalidated(stream);
    }
}

MEASURED_CASE(129, plain_memory_is_not_freed_in_a_capture)
{
    CUdeviceptr memory = begin_memory(64);
    CUstream stream = begin_stream();

    capture_begin(stream, GLOBAL);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemFreeAsync(memory, stream));
    capture_end(stream);
}

MEASURED_CASE(129, peer_copies_are_not_captured)
{
    CUcontext context = begin_context();
    CUdeviceptr memory = begin_memory(256);

    for (int mode = 0; mode < CAPTURE_MODES; mode++) {
        CUstream stream = begin_stream();

        capture_begin(stream, capture_modes[mode]);
        CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
             cu->MemcpyPeerAsync(memory, context, memory + 128, context, 64, stream));
        capture_invalidated(stream);
    }
}

MEASURED_CASE(129, work_elsewhere_is_not_captured)
{
    CUdeviceptr memory = begin_memory(64);
    size_t count = 9;
    CUstream stream = begin_stream();
    CUgraph graph;
    int value = 3;

    capture_begin(stream, GLOBAL);
    OK(cu->MemcpyHtoD_v2(memory, &value, sizeof value));
    OK(cu->MemcpyDtoH_v2(&value, memory, sizeof value));
    OK(cu->MemsetD8_v2(memory, 1, 16));
    OK(cu->MemGetInfo_v2(NULL, NULL));
    OK(cu->MemcpyHtoDAsync_v2(0, NULL, 0, stream));
    OK(cu->MemsetD8Async(memory, 1, 0, stream));
    EQUAL(CU_STREAM_CAPTURE_STATUS_ACTIVE, capture_status(stream));
    OK(cu->StreamEndCapture(stream, &graph));
    OK(cu->GraphGetNodes(graph, NULL, &count));
    EQUAL(0, count);
}

static CUDA_MEMCPY3D captured(CUgraphNode node)
{
    CUDA_MEMCPY3D copy = {.WidthInBytes = 0};

    OK(cu->GraphMemcpyNodeGetParams(node, &copy));
    EQUAL(64, copy.WidthInBytes);
    EQUAL(1, copy.Height);
    EQUAL(1, copy.Depth);
    EQUAL(0, copy.srcPitch);
    EQUAL(0, copy.dstPitch);
    return copy;
}

MEASURED_CASE(129, copies_become_nodes)
{
    CUDA_MEMSET_NODE_PARAMS set = {.width = 0};
    CUgraphNode nodes[4] = {NULL};
    static char host[64];
    CUdeviceptr memory = begin_memory(4096);
    size_t count = 4;
    CUstream stream = begin_stream();
    CUgraph graph;

    capture_begin(stream, GLOBAL);
    OK(cu->MemcpyHtoDAsync_v2(memory, host, 64, stream));
    OK(cu->MemcpyDtoHAsync_v2(host, memory, 64, stream));
    OK(cu->MemcpyAsync(memory, memory + 128, 64, stream));
    OK(cu->MemsetD2D8Async(memory, 64, 5, 16, 4, stream));
    MUST(cu->StreamEndCapture(stream, &graph));
    MUST(cu->GraphGetNodes(graph, nodes, &count));
    EQUAL(4, count);
    EQUAL(CU_MEMORYTYPE_HOST, captured(nodes[0]).srcMemoryType);
    EQUAL(CU_MEMORYTYPE_DEVICE, captured(nodes[0]).dstMemoryType);
    EQUAL(CU_MEMORYTYPE_DEVICE, captured(nodes[1]).srcMemoryType);
    EQUAL(CU_MEMORYTYPE_HOST, captured(nodes[1]).dstMemoryType);
    EQUAL(CU_MEMORYTYPE_UNIFIED, captured(nodes[2]).srcMemoryType);
    EQUAL(CU_MEMORYTYPE_UNIFIED, captured(nodes[2]).dstMemoryType);
    OK(cu->GraphMemsetNodeGetParams(nodes[3], &set));
    EQUAL(16, set.width);
    EQUAL(4, set.height);
    EQUAL(64, set.pitch);
    EQUAL(5, set.value);
    EQUAL(1, set.elementSize);
}
