/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events: creation, wrong arguments, the documented codes, contexts; failed work, and the codes
 * that every later call returns. Statements 19-22, 30-32, 34, 47.
 */
#include "cases.h"

MEASURED_CASE(019, create_takes_known_flags)
{
    static const unsigned good[] = {0, 1, 2, 3, 6, 7}, bad[] = {4, 5, 8, 9, 16, 0x80000000U};

    begin_context();
    CODE(CUDA_ERROR_INVALID_VALUE, cu->EventCreate(NULL, 0));
    for (size_t i = 0; i < COUNT(good); i++) {
        CUevent event = NULL;

        OK(cu->EventCreate(&event, good[i]));
        CHECK(event != NULL);
        OK(cu->EventDestroy_v2(event));
    }
    for (size_t i = 0; i < COUNT(bad); i++) {
        CUevent event = NULL;

        CODE(CUDA_ERROR_INVALID_VALUE, cu->EventCreate(&event, bad[i]));
        CHECK(event == NULL);
    }
}

DOCUMENTED_CASE(020, null_event_is_400)
{
    CUstream stream = begin_stream();

    CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventQuery(NULL));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventRecord(NULL, stream));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventRecord(NULL, NULL));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventRecordWithFlags(NULL, stream, 0));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventSynchronize(NULL));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventDestroy_v2(NULL));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->StreamWaitEvent(stream, NULL, 0));
}

MEASURED_CASE(020, null_event_and_stream_without_context_201)
{
    begin_device();
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->EventRecord(NULL, NULL));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventQuery(NULL));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventSynchronize(NULL));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventDestroy_v2(NULL));
}

DOCUMENTED_CASE(021, event_belongs_to_its_context_for_life)
{
    CUcontext context = begin_context(), other = begin_other_context();
    CUstream own = begin_stream(), foreign = begin_stream_in(other);
    CUevent event = begin_event();

    for (int round = 0; round < 2; round++) {
        make_current(round == 0 ? context : other);
        OK(cu->EventRecord(event, own));
        OK(cu->EventSynchronize(event));
        CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventRecord(event, foreign));
        OK(cu->EventQuery(event));
    }
}

/* Every code is one that the reference lists. Statement 22. */

/* The reference's lists of codes. */
#define CREATE 0, 4, 3, 201, 1, 2
#define RECORD 0, 4, 3, 201, 400, 1
#define QUERY 0, 4, 3, 400, 1, 600
#define OTHER 0, 4, 3, 201, 400
#define ELAPSED 0, 4, 3, 201, 400, 600, 999

/*
 * Call all functions with an event that may be invalid, and with streams that may be default
 * streams.
 */
static void check_all(CUevent event, CUevent other, CUstream stream)
{
    float ms = 0;

    ONE_OF(cu->EventRecord(event, stream), RECORD);
    ONE_OF(cu->EventRecordWithFlags(event, stream, 0), RECORD);
    ONE_OF(cu->EventQuery(event), QUERY);
    ONE_OF(cu->EventSynchronize(event), OTHER);
    ONE_OF(cu->EventElapsedTime(&ms, event, other), ELAPSED);
    ONE_OF(cu->EventElapsedTime_v2(&ms, event, other), ELAPSED);
    ONE_OF(cu->EventElapsedTime(NULL, event, other), ELAPSED);
    ONE_OF(cu->StreamWaitEvent(stream, event, 0), OTHER);
}

DOCUMENTED_CASE(022, valid_arguments_answer_what_is_listed)
{
    CUevent event = NULL;
    CUstream stream = begin_stream();

    ONE_OF(cu->EventCreate(&event, 0), CREATE);
    check_all(event, begin_done(), stream);
    check_all(event, begin_event(), NULL);
    check_all(event, event, CU_STREAM_PER_THREAD);
    ONE_OF(cu->EventDestroy_v2(event), OTHER);
}

DOCUMENTED_CASE(022, wrong_arguments_answer_what_is_listed)
{
    CUevent event = NULL;

    begin_context();
    ONE_OF(cu->EventCreate(NULL, 0), CREATE);
    ONE_OF(cu->EventCreate(&event, 0xffff), CREATE);
    check_all(NULL, begin_event(), begin_stream());
    check_all(begin_event(), NULL, begin_stream());
    check_all(NULL, NULL, NULL);
    ONE_OF(cu->EventRecordWithFlags(begin_event(), begin_stream(), 0x80), RECORD);
    ONE_OF(cu->EventDestroy_v2(NULL), OTHER);
}

DOCUMENTED_CASE(022, answers_without_context_are_listed)
{
    CUcontext context = begin_context();
    CUevent event = begin_event(), made = NULL;

    CHECK(context != NULL);
    make_current(NULL);
    ONE_OF(cu->EventCreate(&made, 0), CREATE);
    check_all(event, event, NULL);
    check_all(NULL, event, NULL);
    ONE_OF(cu->EventDestroy_v2(event), OTHER);
}

/* Events, streams, and the current context. Statements 30-32. */

DOCUMENTED_CASE(030, record_across_contexts_is_400)
{
    CUcontext one = begin_context(), two = begin_other_context();
    CUstream of_one = begin_stream(), of_two = begin_stream_in(two);
    CUevent in_one = begin_event(), in_two = begin_event_in(two);

    for (int round = 0; round < 2; round++) {
        make_current(round == 0 ? one : two);
        CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventRecord(in_one, of_two));
        CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventRecord(in_two, of_one));
        CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventRecordWithFlags(in_one, of_two, 0));
        OK(cu->EventRecord(in_one, of_one));
        OK(cu->EventRecord(in_two, of_two));
    }
}

static const CUstream default_streams[] = {NULL, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD};

MEASURED_CASE(031, default_streams_are_of_the_current_context)
{
    CUcontext own = begin_context(), other = begin_other_context();
    CUevent event = begin_event();

    for (size_t i = 0; i < 3; i++) {
        make_current(other);
        CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventRecord(event, default_streams[i]));
        make_current(own);
        OK(cu->EventRecord(event, default_streams[i]));
        OK(cu->EventSynchronize(event));
    }
}

MEASURED_CASE(031, default_streams_need_a_context)
{
    CUevent event = begin_event();

    make_current(NULL);
    for (size_t i = 0; i < 3; i++)
        CODE(CUDA_ERROR_INVALID_CONTEXT, cu->EventRecord(event, default_streams[i]));
}

/* Make every call on an event with a created stream. */
static void check_calls(CUevent event, CUevent end, CUevent doomed, CUstream stream)
{
    float ms = -7;

    OK(cu->EventRecord(event, stream));
    OK(cu->EventRecordWithFlags(end, stream, 0));
    OK(cu->EventSynchronize(end));
    OK(cu->EventQuery(event));
    OK(cu->EventElapsedTime(&ms, event, end));
    CHECK(ms >= 0);
    OK(cu->EventElapsedTime_v2(&ms, event, end));
    OK(cu->StreamWaitEvent(stream, event, 0));
    OK(cu->StreamSynchronize(stream));
    OK(cu->StreamQuery(stream));
    OK(cu->EventDestroy_v2(doomed));
}

MEASURED_CASE(032, created_streams_need_no_current_context)
{
    CUcontext own = begin_context(), other = begin_other_context();
    CUevent event = begin_event(), end = begin_event();
    CUevent doomed[] = {begin_event(), begin_event()};
    CUstream stream = begin_stream();

    CHECK(own != other);
    make_current(other);
    check_calls(event, end, doomed[0], stream);
    CHECK(current_context() == other);
    make_current(NULL);
    check_calls(event, end, doomed[1], stream);
    CHECK(current_context() == NULL);
}

/* The objects that a case creates before its context fails. */
struct broken {
    CUcontext context;
    CUstream stream;
    CUevent start, end;
};

static struct broken begin_broken(const char *kernel, CUresult code)
{
    struct broken broken;
    CUfunction function;

    broken.context = begin_context();
    broken.stream = begin_stream();
    broken.start = begin_event();
    broken.end = begin_event();
    function = begin_kernel(kernel);
    OK(cu->EventRecord(broken.start, broken.stream));
    queue_kernel(function, broken.stream);
    ONE_OF(cu->EventRecord(broken.end, broken.stream), CUDA_SUCCESS, code);
    CODE(code, cu->EventSynchronize(broken.end));
    return broken;
}

static void check_sticky(const struct broken *broken, CUresult code)
{
    CUevent made = NULL;
    CUstream stream = NULL;
    float ms = -7;

    for (int round = 0; round < 3; round++) {
        CODE(code, cu->EventQuery(broken->start));
        CODE(code, cu->EventQuery(broken->end));
        CODE(code, cu->EventSynchronize(broken->start));
        CODE(code, cu->EventRecord(broken->end, broken->stream));
        CODE(code, cu->EventElapsedTime(&ms, broken->start, broken->end));
        CODE(code, cu->EventElapsedTime_v2(&ms, broken->start, broken->end));
        CODE(code, cu->StreamQuery(broken->stream));
        CODE(code, cu->StreamSynchronize(broken->stream));
        CODE(code, cu->CtxSynchronize());
        CODE(code, cu->EventCreate(&made, 0));
        CODE(code, cu->StreamCreate(&stream, 0));
    }
    CHECK(ms == -7);
}

MEASURED_CASE(034, fault_sticks_to_every_call)
{
    struct broken broken = begin_broken("cushim_fault", CUDA_ERROR_ILLEGAL_ADDRESS);
    CUcontext current = NULL;
    int count = 0;

    check_sticky(&broken, CUDA_ERROR_ILLEGAL_ADDRESS);
    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, cu->EventDestroy_v2(broken.start));
    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, cu->StreamDestroy_v2(broken.stream));
    OK(cu->CtxGetCurrent(&current));
    CHECK(current == broken.context);
    OK(cu->DeviceGetCount(&count));
    CHECK(count >= 1);
    OK(cu->DevicePrimaryCtxRelease_v2(0));
}

MEASURED_CASE(034, fault_reaches_other_contexts)
{
    struct broken broken;
    CUcontext other;
    CUstream far;
    CUevent event;

    begin_context();
    other = begin_other_context();
    far = begin_stream_in(other);
    event = begin_event_in(other);
    broken = begin_broken("cushim_fault", CUDA_ERROR_ILLEGAL_ADDRESS);
    CHECK(broken.context != other);
    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, cu->EventRecord(event, far));
    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, cu->EventSynchronize(event));
    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, cu->StreamSynchronize(far));
}

MEASURED_CASE(034, trap_is_719)
{
    struct broken broken = begin_broken("cushim_trap", CUDA_ERROR_LAUNCH_FAILED);

    check_sticky(&broken, CUDA_ERROR_LAUNCH_FAILED);
}

DOCUMENTED_CASE(034, kernel_without_fault_breaks_nothing)
{
    CUstream stream = begin_stream();
    CUfunction nothing = begin_kernel("cushim_nothing");

    queue_kernel(nothing, stream);
    OK(cu->StreamSynchronize(stream));
    OK(cu->CtxSynchronize());
    OK(cu->StreamDestroy_v2(stream));
}

MEASURED_CASE(047, both_elapsed_functions_return_the_fault)
{
    struct broken broken = begin_broken("cushim_fault", CUDA_ERROR_ILLEGAL_ADDRESS);
    float ms = -7;

    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, cu->EventElapsedTime_v2(&ms, broken.start, broken.end));
    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, cu->EventElapsedTime(&ms, broken.start, broken.end));
    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, cu->EventQuery(broken.end));
    CHECK(ms == -7);
}
