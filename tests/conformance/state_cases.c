/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls in a state that refuses most of them: before cuInit, in a host function, after a sticky
 * error. Statements 57, 209. For the forked child see system_posix.c.
 */
#include <string.h>

#include "cases.h"

/* What calls return inside a host function that uses a stream and events which were created. */
struct inside {
    CUstream stream;
    CUevent event, doomed;
    CUresult synchronize, destroy, priority, id, context, capturing, wait, end;
    CUresult default_query, default_priority, default_wait, default_flags;
};

static void CUDA_CB use_created(void *data)
{
    struct inside *inside = data;
    CUstreamCaptureStatus status;
    unsigned long long id = 0;
    CUcontext context = NULL;
    unsigned flags = 0;
    int priority = 0;

    inside->synchronize = cu->EventSynchronize(inside->event);
    inside->destroy = cu->EventDestroy_v2(inside->doomed);
    inside->priority = cu->StreamGetPriority(inside->stream, &priority);
    inside->id = cu->StreamGetId(inside->stream, &id);
    inside->context = cu->StreamGetCtx(inside->stream, &context);
    inside->capturing = cu->StreamIsCapturing(inside->stream, &status);
    inside->wait = cu->StreamWaitEvent(inside->stream, inside->event, 0);
    inside->end = cu->StreamDestroy_v2(inside->stream);
    inside->default_query = cu->StreamQuery(NULL);
    inside->default_priority = cu->StreamGetPriority(NULL, &priority);
    inside->default_wait = cu->StreamWaitEvent(NULL, inside->event, 0);
    inside->default_flags = cu->StreamGetFlags(NULL, &flags);
}

/* Run a host function behind the end of all other work. */
static void run_inside(CUhostFn function, void *data)
{
    CUstream stream = begin_stream();

    MUST(cu->CtxSynchronize());
    MUST(cu->LaunchHostFunc(stream, function, data));
    MUST(cu->StreamSynchronize(stream));
}

static struct inside use_inside(void)
{
    struct inside inside;

    memset(&inside, 0, sizeof inside);
    inside.stream = begin_stream();
    inside.event = begin_event();
    inside.doomed = begin_event();
    MUST(cu->EventRecord(inside.event, inside.stream));
    MUST(cu->EventRecord(inside.doomed, inside.stream));
    run_inside(use_created, &inside);
    return inside;
}

MEASURED_CASE(057, created_streams_and_events_may_be_used_inside)
{
    const struct inside inside = use_inside();

    OK(inside.synchronize);
    OK(inside.destroy);
    OK(inside.priority);
    OK(inside.id);
    OK(inside.context);
    OK(inside.capturing);
    OK(inside.wait);
    OK(inside.end);
}

MEASURED_CASE(057, default_streams_are_refused_inside)
{
    const struct inside inside = use_inside();

    CODE(CUDA_ERROR_NOT_PERMITTED, inside.default_query);
    CODE(CUDA_ERROR_NOT_PERMITTED, inside.default_priority);
    CODE(CUDA_ERROR_NOT_PERMITTED, inside.default_wait);
    CODE(CUDA_ERROR_NOT_PERMITTED, inside.default_flags);
}

void arguments_ask(struct arguments *answers)
{
    CUuserObject object = NULL;
    CUgraphNode node = NULL;
    CUstream stream = NULL;
    CUdeviceptr memory = 0;
    CUevent event = NULL;
    float ms = 0;

    memset(answers, 0, sizeof *answers); /* also sets the padding */
    answers->stream_flags = cu->StreamCreate(&stream, 9);
    answers->managed_flags = cu->MemAllocManaged(&memory, 64, 9);
    answers->managed_bytes = cu->MemAllocManaged(&memory, 0, CU_MEM_ATTACH_GLOBAL);
    answers->node = cu->GraphAddEmptyNode(&node, NULL, NULL, 0);
    answers->object = cu->UserObjectCreate(&object, NULL, NULL, 0, 0);
    answers->elapsed = cu->EventElapsedTime(&ms, NULL, NULL);
    answers->destroy = cu->EventDestroy_v2(NULL);
    answers->stream = cu->StreamCreate(&stream, CU_STREAM_NON_BLOCKING);
    answers->managed = cu->MemAllocManaged(&memory, 64, CU_MEM_ATTACH_GLOBAL);
    answers->event_flags = cu->EventCreate(&event, 99);
}

void arguments_check(const struct arguments *answers, CUresult refusal)
{
    REFUSED(answers->stream_flags);
    REFUSED(answers->managed_flags);
    REFUSED(answers->managed_bytes);
    REFUSED(answers->node);
    REFUSED(answers->object);
    CODE(CUDA_ERROR_INVALID_HANDLE, answers->elapsed);
    CODE(CUDA_ERROR_INVALID_HANDLE, answers->destroy);
    CODE(refusal, answers->stream);
    CODE(refusal, answers->managed);
    CODE(refusal, answers->event_flags);
}

MEASURED_CASE(209, wrong_arguments_come_first_before_init)
{
    struct arguments answers;

    arguments_ask(&answers);
    arguments_check(&answers, CUDA_ERROR_NOT_INITIALIZED);
}

static void CUDA_CB ask_inside(void *data)
{
    arguments_ask(data);
}

MEASURED_CASE(209, wrong_arguments_come_first_in_a_host_function)
{
    struct arguments answers;

    begin_context();
    run_inside(ask_inside, &answers);
    arguments_check(&answers, CUDA_ERROR_NOT_PERMITTED);
}

/* Make a kernel store to an illegal address. */
static void begin_fault(void)
{
    CUstream stream = begin_stream();

    queue_kernel(begin_kernel("cushim_fault"), stream);
    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, cu->StreamSynchronize(stream));
}

MEASURED_CASE(209, wrong_arguments_come_first_after_a_fault)
{
    struct arguments answers;
    CUcontext context = NULL;
    CUgraph graph = NULL;

    begin_fault();
    arguments_ask(&answers);
    arguments_check(&answers, CUDA_ERROR_ILLEGAL_ADDRESS);
    CODE(CUDA_ERROR_INVALID_DEVICE, cu->CtxCreate_v2(&context, 0, 99));
    REFUSED(cu->CtxCreate_v2(&context, 0x7000, 0));
    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, cu->CtxCreate_v2(&context, 0, 0));
    REFUSED(cu->GraphClone(&graph, NULL));
}

MEASURED_CASE(209, some_objects_are_created_after_a_fault)
{
    const CUmemPoolProps props = {
        .allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
        .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0},
    };
    const CUmemPoolProps wrong = {.allocType = (CUmemAllocationType)9};
    CUlibrary library = NULL;
    CUmemoryPool pool = NULL;
    CUgraph graph = NULL;

    begin_fault();
    OK(cu->GraphCreate(&graph, 0));
    REFUSED(cu->GraphCreate(&graph, 9));
    OK(cu->MemPoolCreate(&pool, &props));
    REFUSED(cu->MemPoolCreate(&pool, &wrong));
    CODE(CUDA_ERROR_FILE_NOT_FOUND,
         cu->LibraryLoadFromFile(&library, "/none", NULL, NULL, 0, NULL, NULL, 0));
}
