/* SPDX-License-Identifier: Apache-2.0 */
/* What captures make of calls, and user objects of graphs. Statements 144 to 149. */
#include "backend.h"
#include "begin.h"
#include "cases.h"
#include "check.h"
#include "graph.h"

enum { BYTES = 64 };

static void calls_become_nodes_in_a_chain(void)
{
    CUfunction nothing;
    CUdeviceptr memory, other;
    CUstream stream;
    CUevent event, outside;
    void *pinned;

    begin_context();
    stream = begin_stream();
    event = begin_event();
    outside = begin_event();
    nothing = begin_kernel("cushim_nothing");
    memory = graph_memory(BYTES);
    other = graph_memory(BYTES);
    MUST(cu->MemAllocHost_v2(&pinned, BYTES));

    capture_begin(stream, GLOBAL);
    OK(cu->MemcpyHtoDAsync_v2(memory, pinned, BYTES, stream));
    OK(cu->MemcpyDtoDAsync_v2(other, memory, BYTES, stream));
    OK(cu->MemcpyDtoHAsync_v2(pinned, other, BYTES, stream));
    OK(cu->MemsetD8Async(memory, 5, BYTES, stream));
    OK(cu->MemsetD32Async(memory, 5, BYTES / 4, stream));
    OK(cu->MemsetD2D8Async(memory, BYTES / 4, 5, 4, 4, stream));
    OK(cu->LaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL));
    OK(cu->LaunchHostFunc(stream, do_nothing, NULL));
    OK(cu->EventRecord(event, stream));
    OK(cu->EventRecordWithFlags(outside, stream, CU_EVENT_RECORD_EXTERNAL));
    OK(cu->MemcpyHtoDAsync_v2(memory, pinned, 0, stream));
    OK(cu->MemsetD8Async(memory, 5, 0, stream));
    OK(cu->StreamWaitEvent(stream, outside, CU_EVENT_WAIT_EXTERNAL));
    OK(cu->MemcpyAsync(memory, other, 4, stream));
    graph_captured(stream, "cccssskhrwc ab bc cd de ef fg gh hi ij jk");
}

/* Let `to` wait for what is in `from`. */
static void join_gives_two_dependencies(void)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    CUstream origin, fork;
    CUgraph inside = NULL, graph = NULL;
    const CUgraphNode *dependencies;
    cuuint64_t first = 0, second = 0;
    CUdeviceptr memory;
    size_t count = 0;

    begin_context();
    origin = begin_stream();
    fork = begin_stream();
    memory = graph_memory(BYTES);
    capture_begin(origin, GLOBAL);
    capture_join(origin, fork);
    MUST(cu->LaunchHostFunc(origin, do_nothing, NULL));
    MUST(cu->MemsetD8Async(memory, 1, BYTES, fork));
    capture_join(fork, origin);
    OK(cu->StreamGetCaptureInfo_v2(origin, &status, &first, &inside, &dependencies, &count));
    EQUAL(2, count);
    MUST(cu->LaunchHostFunc(origin, do_nothing, NULL));
    OK(cu->StreamGetCaptureInfo_v2(origin, &status, NULL, NULL, &dependencies, &count));
    EQUAL(1, count);
    OK(cu->StreamEndCapture(origin, &graph));
    CHECK(graph == inside);
    capture_begin(origin, GLOBAL);
    OK(cu->StreamGetCaptureInfo_v2(origin, &status, &second, NULL, NULL, NULL));
    EQUAL(first + 1, second);
    capture_join(origin, fork);
    MUST(cu->LaunchHostFunc(origin, do_nothing, NULL));
    MUST(cu->MemsetD8Async(memory, 1, BYTES, fork));
    capture_join(fork, origin);
    MUST(cu->LaunchHostFunc(origin, do_nothing, NULL));
    graph_captured(origin, "hsh ac bc");
}

/* The memory that the calls below work on. */
static CUdeviceptr memory, to_free;
static void *pinned_to_free;

static CUresult call_alloc(CUstream stream)
{
    CUdeviceptr made;

    (void)stream;
    return cu->MemAlloc_v2(&made, BYTES);
}

static CUresult call_free(CUstream stream)
{
    (void)stream;
    return cu->MemFree_v2(to_free);
}

static CUresult call_alloc_host(CUstream stream)
{
    void *made;

    (void)stream;
    return cu->MemAllocHost_v2(&made, BYTES);
}

static CUresult call_free_host(CUstream stream)
{
    (void)stream;
    return cu->MemFreeHost(pinned_to_free);
}

static CUresult call_copy(CUstream stream)
{
    unsigned char byte = 1;

    (void)stream;
    return cu->MemcpyHtoD_v2(memory, &byte, 1);
}

static CUresult call_set(CUstream stream)
{
    (void)stream;
    return cu->MemsetD8_v2(memory, 1, BYTES);
}

static CUresult call_stream(CUstream stream)
{
    CUstream made;

    (void)stream;
    return cu->StreamCreate(&made, CU_STREAM_NON_BLOCKING);
}

static CUresult call_memory_info(CUstream stream)
{
    size_t free_bytes, total;

    (void)stream;
    return cu->MemGetInfo_v2(&free_bytes, &total);
}

static void some_calls_are_forbidden_while_capturing(void)
{
    static const struct {
        CUresult (*call)(CUstream stream);
        bool strict, relaxed; /* forbidden in these modes */
    } calls[] = {
        {call_alloc, true, false},      {call_free, true, false},
        {call_alloc_host, true, false}, {call_free_host, true, false},
        {call_copy, false, false},      {call_set, false, false},
        {call_stream, false, false},    {call_memory_info, false, false},
    };
    CUstream stream;

    begin_context();
    stream = begin_stream();
    memory = graph_memory(BYTES);
    for (size_t i = 0; i < COUNT(calls); i++) {
        for (unsigned mode = 0; mode < CAPTURE_MODES; mode++) {
            const bool forbidden =
                capture_modes[mode] == RELAXED ? calls[i].relaxed : calls[i].strict;

            to_free = graph_memory(BYTES);
            MUST(cu->MemAllocHost_v2(&pinned_to_free, BYTES));
            capture_begin(stream, capture_modes[mode]);
            CODE(forbidden ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS,
                 calls[i].call(stream));
            if (forbidden)
                capture_invalidated(stream);
            else
                capture_end(stream);
        }
    }
}

static void graph_is_not_instantiated_while_capturing(void)
{
    CUgraphExec exec = NULL;
    CUgraph graph;
    CUstream stream;

    begin_context();
    stream = begin_stream();
    graph = graph_begin();
    graph_add_host(graph, NULL, 0, NULL);
    capture_begin(stream, GLOBAL);
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cu->GraphInstantiateWithFlags(&exec, graph, 0));
    CHECK(exec == NULL);
}

static void program_says_what_comes_next(void)
{
    CUgraph graph, same = NULL;
    CUgraphNode root;
    CUstream stream;

    begin_context();
    stream = begin_stream();
    graph = graph_begin();
    CODE(CUDA_ERROR_ILLEGAL_STATE, cu->StreamUpdateCaptureDependencies(stream, NULL, 0, 1));
    MUST(cu->GraphAddEmptyNode(&root, graph, NULL, 0));
    OK(cu->StreamBeginCaptureToGraph(stream, graph, &root, NULL, 1, GLOBAL));
    MUST(cu->LaunchHostFunc(stream, do_nothing, NULL));
    OK(cu->StreamEndCapture(stream, &same));
    CHECK(same == graph);
    EQUAL(2, graph_nodes(graph));
    EQUAL(1, graph_edges(graph));
    capture_begin(stream, GLOBAL);
    MUST(cu->LaunchHostFunc(stream, do_nothing, NULL));
    OK(cu->StreamUpdateCaptureDependencies(stream, NULL, 0, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    MUST(cu->LaunchHostFunc(stream, do_nothing, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->StreamUpdateCaptureDependencies(stream, NULL, 0, 7));
    graph_captured(stream, "hh");
}

static void launch_records_external_events_alone(void)
{
    CUevent inside, outside;
    CUgraph graph = NULL;
    CUgraphExec exec;
    CUstream stream;

    begin_context();
    stream = begin_stream();
    inside = begin_event();
    outside = begin_event();
    capture_begin(stream, GLOBAL);
    MUST(cu->EventRecord(inside, stream));
    MUST(cu->EventRecordWithFlags(outside, stream, CU_EVENT_RECORD_EXTERNAL));
    MUST(cu->StreamEndCapture(stream, &graph));
    exec = graph_exec(graph);
    OK(cu->GraphLaunch(exec, stream));
    drain(stream);
    OK(cu->EventQuery(outside));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->EventQuery(inside));
}

static atomic_int destroyed;

static void CUDA_CB destroy(void *data)
{
    atomic_fetch_add((atomic_int *)data, 1);
}

static void user_object_goes_with_its_last_reference(void)
{
    CUuserObject object = NULL;
    CUgraph graph;

    begin_context();
    graph = graph_begin();
    CODE(CUDA_ERROR_INVALID_VALUE, cu->UserObjectCreate(&object, &destroyed, destroy, 1, 0));
    CODE(CUDA_ERROR_INVALID_VALUE,
         cu->UserObjectCreate(&object, &destroyed, destroy, 0, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    OK(cu->UserObjectCreate(&object, &destroyed, destroy, 2, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    OK(cu->GraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->GraphRetainUserObject(graph, object, 0, 0));
    OK(cu->UserObjectRelease(object, 1));
    EQUAL(0, atomic_load(&destroyed));
    OK(cu->GraphDestroy(graph));
    while (atomic_load(&destroyed) == 0)
        let_time_pass();
    EQUAL(1, atomic_load(&destroyed));
}

const struct conformance_case graph_capture_cases[] = {
    MEASURED_CASE("144_calls_become_nodes_in_a_chain", calls_become_nodes_in_a_chain),
    MEASURED_CASE("145_join_gives_two_dependencies", join_gives_two_dependencies),
    MEASURED_CASE("146_some_calls_are_forbidden_while_capturing",
                  some_calls_are_forbidden_while_capturing),
    MEASURED_CASE("146_graph_is_not_instantiated_while_capturing",
                  graph_is_not_instantiated_while_capturing),
    MEASURED_CASE("147_program_says_what_comes_next", program_says_what_comes_next),
    MEASURED_CASE("148_launch_records_external_events_alone", launch_records_external_events_alone),
    MEASURED_CASE("149_user_object_goes_with_its_last_reference",
                  user_object_goes_with_its_last_reference),
    {.name = NULL},
};
