/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts that are created, current, or not there. Statements 13-15, 18. */
#include "backend.h"
#include "begin.h"
#include "capture.h"
#include "cases.h"
#include "check.h"

static void created_context_is_current(void)
{
    CUdevice device = begin_device(), found = -5;
    CUcontext first = NULL, second = NULL, popped = NULL;

    OK(cu->CtxCreate_v2(&first, 0, device));
    CHECK(first && current_context() == first);
    OK(cu->CtxCreate_v4(&second, NULL, CU_CTX_SCHED_SPIN, device));
    CHECK(second && second != first && current_context() == second);
    OK(cu->CtxGetDevice(&found));
    EQUAL(device, found);
    OK(cu->CtxPopCurrent_v2(&popped));
    CHECK(popped == second && current_context() == first);
}

static void bad_flags_and_devices_are_refused(void)
{
    CUdevice device = begin_device();
    CUcontext context = NULL;

    CODE(CUDA_ERROR_INVALID_VALUE, cu->CtxCreate_v2(&context, 3, device));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->CtxCreate_v2(&context, 0x40000000, device));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->CtxCreate_v2(NULL, 0, device));
    CODE(CUDA_ERROR_INVALID_DEVICE, cu->CtxCreate_v2(&context, 0, 99));
    CHECK(context == NULL && current_context() == NULL);
}

static void push_pop_and_set_as_documented(void)
{
    CUcontext one = NULL, two = NULL, popped = NULL, current = (CUcontext)&one;

    begin_device();
    OK(cu->CtxGetCurrent(&current));
    CHECK(current == NULL);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->CtxPushCurrent_v2(NULL));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->CtxPopCurrent_v2(&popped));
    OK(cu->CtxSetCurrent(NULL));
    one = begin_other_context();
    two = begin_other_context();
    OK(cu->CtxPushCurrent_v2(one));
    OK(cu->CtxPushCurrent_v2(two));
    CHECK(current_context() == two);
    OK(cu->CtxSetCurrent(one)); /* replaces the top */
    CHECK(current_context() == one);
    OK(cu->CtxPopCurrent_v2(&popped));
    CHECK(popped == one && current_context() == one);
    OK(cu->CtxPopCurrent_v2(NULL));
    CHECK(current_context() == NULL);
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->CtxPopCurrent_v2(&popped));
    CHECK(popped == one);
}

static void setting_null_pops(void)
{
    CUcontext one, two;

    begin_device();
    one = begin_other_context();
    two = begin_other_context();
    OK(cu->CtxPushCurrent_v2(one));
    OK(cu->CtxPushCurrent_v2(two));
    OK(cu->CtxSetCurrent(NULL));
    CHECK(current_context() == one);
    OK(cu->CtxSetCurrent(NULL));
    CHECK(current_context() == NULL);
    OK(cu->CtxSetCurrent(NULL));
    CHECK(current_context() == NULL);
}

static void without_current_context_201(void)
{
    CUstream stream = NULL;
    CUevent event = NULL;
    CUcontext context = NULL;
    CUdevice device = -5;
    int least = 77, greatest = 77;

    begin_device();
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->EventCreate(&event, 0));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->StreamCreate(&stream, 0));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->CtxSynchronize());
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->CtxGetDevice(&device));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->StreamGetCtx(NULL, &context));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->StreamQuery(NULL));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->StreamSynchronize(NULL));
    EQUAL(-5, device);
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->CtxGetStreamPriorityRange(&least, &greatest));
    EQUAL(77, least);
    EQUAL(77, greatest);
}

static void outputs_of_what_fails(void)
{
    const CUstream untouched = CU_STREAM_LEGACY;
    CUstream stream = untouched, with_priority = untouched, wrong = untouched;
    CUevent event = (CUevent)&event;
    CUdeviceptr memory = 5;

    begin_device();
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->EventCreate(&event, 0));
    CHECK(event == (CUevent)&event);
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->StreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CHECK(stream == (CUstream)UINTPTR_MAX);
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->StreamCreateWithPriority(&with_priority, 0, 0));
    CHECK(with_priority == (CUstream)UINTPTR_MAX);
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->MemAlloc_v2(&memory, 4096));
    EQUAL(0, memory);
    begin_context();
    CODE(CUDA_ERROR_INVALID_VALUE, cu->StreamCreate(&wrong, 4));
    CHECK(wrong == untouched);
}

static void event_of_a_whole_context(void)
{
    CUcontext context = begin_context(), other = begin_other_context();
    CUstream busy = begin_stream(), waiter = begin_stream_in(other);
    CUevent event = begin_event(), after = begin_event_in(other);
    struct gate gate = GATE;

    gate_shut(&gate, busy);
    OK(cu->CtxRecordEvent(context, event));
    CODE(CUDA_ERROR_NOT_READY, cu->EventQuery(event));
    OK(cu->CtxWaitEvent(other, event));
    OK(cu->EventRecord(after, waiter));
    CODE(CUDA_ERROR_NOT_READY, cu->EventQuery(after));
    gate_open(&gate);
    OK(cu->EventSynchronize(after));
    OK(cu->EventSynchronize(event));
    OK(cu->EventQuery(event));
}

static void context_calls_answer_what_is_listed(void)
{
    CUcontext context = begin_context(), other = begin_other_context();
    CUevent event = begin_event(), foreign = begin_event_in(other);

    ONE_OF(cu->CtxRecordEvent(context, event), 0, 4, 3, 201, 400, 900);
    ONE_OF(cu->CtxWaitEvent(context, event), 0, 4, 3, 201, 400, 900);
    ONE_OF(cu->CtxRecordEvent(context, NULL), 4, 3, 201, 400, 900);
    ONE_OF(cu->CtxWaitEvent(context, NULL), 4, 3, 201, 400, 900);
    ONE_OF(cu->CtxRecordEvent(context, foreign), 4, 3, 201, 400, 900);
    ONE_OF(cu->CtxWaitEvent(context, foreign), 0, 4, 3, 201, 400, 900);
}

static void context_calls_spoil_a_capture(void)
{
    CUcontext context = begin_context();
    CUstream stream = begin_stream();
    CUevent event = begin_event(), done = begin_done();

    capture_begin(stream, RELAXED);
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cu->CtxRecordEvent(context, event));
    capture_spoilt(stream);
    capture_begin(stream, RELAXED);
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cu->CtxWaitEvent(context, done));
    capture_spoilt(stream);
}

const struct conformance_case context_cases[] = {
    DOCUMENTED_CASE("013_created_context_is_current", created_context_is_current),
    DOCUMENTED_CASE("013_bad_flags_and_devices_are_refused", bad_flags_and_devices_are_refused),
    DOCUMENTED_CASE("014_push_pop_and_set_as_documented", push_pop_and_set_as_documented),
    DOCUMENTED_CASE("014_setting_null_pops", setting_null_pops),
    MEASURED_CASE("015_without_current_context_201", without_current_context_201),
    MEASURED_CASE("015_outputs_of_what_fails", outputs_of_what_fails),
    DOCUMENTED_CASE("018_event_of_a_whole_context", event_of_a_whole_context),
    DOCUMENTED_CASE("018_context_calls_answer_what_is_listed", context_calls_answer_what_is_listed),
    DOCUMENTED_CASE("018_context_calls_spoil_a_capture", context_calls_spoil_a_capture),
    {.name = NULL},
};
