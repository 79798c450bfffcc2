/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts: primary, created, current, destroyed. Statements 10-16, 18, 203. */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include "cases.h"
#include "graph.h"

static int is_active(CUdevice device)
{
    unsigned flags = 0;
    int active = -5;

    MUST(cu->DevicePrimaryCtxGetState(device, &flags, &active));
    return active;
}

DOCUMENTED_CASE(010, retain_counts_and_does_not_push)
{
    CUdevice device = begin_device();
    CUcontext context = NULL, again = NULL;

    EQUAL(0, is_active(device));
    OK(cu->DevicePrimaryCtxRetain(&context, device));
    CHECK(context != NULL);
    CHECK(current_context() == NULL);
    OK(cu->DevicePrimaryCtxRetain(&again, device));
    CHECK(again == context);
    EQUAL(1, is_active(device));
    OK(cu->DevicePrimaryCtxRelease_v2(device));
    EQUAL(1, is_active(device));
    OK(cu->DevicePrimaryCtxRelease_v2(device));
    EQUAL(0, is_active(device));
}

DOCUMENTED_CASE(010, release_without_retain_is_201)
{
    CUdevice device = begin_device();
    CUcontext context = NULL;

    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->DevicePrimaryCtxRelease_v2(device));
    OK(cu->DevicePrimaryCtxRetain(&context, device));
    OK(cu->DevicePrimaryCtxRelease_v2(device));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->DevicePrimaryCtxRelease_v2(device));
}

DOCUMENTED_CASE(010, release_does_not_pop)
{
    CUcontext context = begin_context(), popped = NULL;

    OK(cu->DevicePrimaryCtxRelease_v2(begin_device()));
    CHECK(current_context() == context);
    OK(cu->CtxPopCurrent_v2(&popped));
    CHECK(popped == context);
    CHECK(current_context() == NULL);
}

DOCUMENTED_CASE(010, retain_answers_what_is_listed)
{
    CUdevice device = begin_device();
    CUcontext context = NULL;

    CODE(CUDA_ERROR_INVALID_DEVICE, cu->DevicePrimaryCtxRetain(&context, 99));
    CODE(CUDA_ERROR_INVALID_DEVICE, cu->DevicePrimaryCtxRetain(&context, -1));
    CHECK(context == NULL);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->DevicePrimaryCtxRetain(NULL, device));
    ONE_OF(cu->DevicePrimaryCtxRetain(&context, device), 0, 4, 3, 201, 101, 1, 2, 999);
}

MEASURED_CASE(011, flags_are_checked)
{
    CUdevice device = begin_device();
    unsigned flags = 99;
    int active = -5;

    CODE(CUDA_ERROR_INVALID_VALUE, cu->DevicePrimaryCtxSetFlags_v2(device, 3));
    OK(cu->DevicePrimaryCtxSetFlags_v2(device, CU_CTX_SCHED_BLOCKING_SYNC));
    OK(cu->DevicePrimaryCtxGetState(device, &flags, &active));
    EQUAL(CU_CTX_SCHED_BLOCKING_SYNC, flags & CU_CTX_SCHED_MASK);
    EQUAL(0, active);
    begin_context();
    flags = 99;
    OK(cu->CtxGetFlags(&flags));
    EQUAL(CU_CTX_SCHED_BLOCKING_SYNC, flags & CU_CTX_SCHED_MASK);
}

MEASURED_CASE(011, flags_are_set_while_active)
{
    CUdevice device = begin_device();
    unsigned flags = 99;
    int active = -5;

    begin_context();
    OK(cu->DevicePrimaryCtxSetFlags_v2(device, CU_CTX_SCHED_YIELD));
    OK(cu->DevicePrimaryCtxGetState(device, &flags, &active));
    EQUAL(CU_CTX_SCHED_YIELD, flags & CU_CTX_SCHED_MASK);
    EQUAL(1, active);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->DevicePrimaryCtxSetFlags_v2(device, 3));
}

DOCUMENTED_CASE(012, state_returns_flags_and_activity)
{
    CUdevice device = begin_device();
    unsigned flags = 99;
    int active = -5;

    OK(cu->DevicePrimaryCtxGetState(device, &flags, &active));
    EQUAL(0, flags & CU_CTX_SCHED_MASK);
    EQUAL(0, active);
    begin_context();
    OK(cu->DevicePrimaryCtxGetState(device, &flags, &active));
    EQUAL(1, active);
    active = -5;
    CODE(CUDA_ERROR_INVALID_DEVICE, cu->DevicePrimaryCtxGetState(99, &flags, &active));
    EQUAL(-5, active);
}

MEASURED_CASE(012, reset_destroys_what_is_in_use)
{
    CUdevice device = begin_device();
    CUcontext context = begin_context();
    CUstream stream = NULL;
    CUevent event = NULL;

    OK(cu->DevicePrimaryCtxReset_v2(device));
    EQUAL(0, is_active(device));
    CHECK(current_context() == context);
    CODE(CUDA_ERROR_CONTEXT_IS_DESTROYED, cu->CtxSynchronize());
    CODE(CUDA_ERROR_CONTEXT_IS_DESTROYED, cu->EventCreate(&event, 0));
    CODE(CUDA_ERROR_CONTEXT_IS_DESTROYED, cu->StreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cu->DevicePrimaryCtxRelease_v2(device));
}

MEASURED_CASE(012, reset_keeps_the_count)
{
    CUdevice device = begin_device();
    CUcontext context = begin_context(), again = NULL;

    OK(cu->DevicePrimaryCtxReset_v2(device));
    OK(cu->DevicePrimaryCtxRetain(&again, device));
    CHECK(again == context && is_active(device));
    OK(cu->DevicePrimaryCtxRelease_v2(device));
    EQUAL(1, is_active(device));
    OK(cu->DevicePrimaryCtxRelease_v2(device));
    EQUAL(0, is_active(device));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->DevicePrimaryCtxRelease_v2(device));
}

/* What is left of the first device's primary context, which is current and has ended. */
static void check_ended(CUcontext context)
{
    CUdevice device = begin_device(), found = -5;
    unsigned flags = 99, version = 99;
    unsigned long long id = 99;
    size_t limit = 99;
    int active = -5;

    OK(cu->DevicePrimaryCtxGetState(device, &flags, &active));
    EQUAL(0, flags);
    EQUAL(0, active);
    CHECK(current_context() == context);
    flags = 99;
    OK(cu->CtxGetDevice(&found));
    EQUAL(device, found);
    OK(cu->CtxGetFlags(&flags));
    EQUAL(0, flags);
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->CtxGetApiVersion(context, &version));
    EQUAL(99, version);
    CODE(CUDA_ERROR_CONTEXT_IS_DESTROYED, cu->CtxGetId(context, &id));
    CODE(CUDA_ERROR_CONTEXT_IS_DESTROYED, cu->CtxSynchronize());
    CODE(CUDA_ERROR_CONTEXT_IS_DESTROYED, cu->CtxGetLimit(&limit, CU_LIMIT_STACK_SIZE));
}

MEASURED_CASE(012, released_primary_context_keeps_its_device)
{
    CUdevice device = begin_device();
    CUcontext context, again = NULL;
    unsigned flags = 99;
    int active = -5;

    MUST(cu->DevicePrimaryCtxSetFlags_v2(device, CU_CTX_SCHED_BLOCKING_SYNC));
    context = begin_context();
    OK(cu->CtxGetFlags(&flags));
    EQUAL(CU_CTX_SCHED_BLOCKING_SYNC | CU_CTX_MAP_HOST, flags);
    OK(cu->DevicePrimaryCtxRelease_v2(device));
    check_ended(context);
    OK(cu->CtxSetCurrent(context));
    OK(cu->DevicePrimaryCtxSetFlags_v2(device, CU_CTX_SCHED_YIELD));
    OK(cu->DevicePrimaryCtxRetain(&again, device));
    CHECK(again == context);
    OK(cu->DevicePrimaryCtxGetState(device, &flags, &active));
    EQUAL(CU_CTX_SCHED_YIELD, flags);
    EQUAL(1, active);
    OK(cu->CtxSynchronize());
}

MEASURED_CASE(012, reset_primary_context_keeps_its_device)
{
    CUcontext context = begin_context();
    CUdevice device = -5;
    unsigned flags = 99;

    MUST(cu->DevicePrimaryCtxReset_v2(begin_device()));
    CHECK(current_context() == context);
    OK(cu->CtxGetDevice(&device));
    EQUAL(begin_device(), device);
    OK(cu->CtxGetFlags(&flags));
    EQUAL(0, flags);
}

/* Contexts that are created, current, or missing. Statements 13-15, 18. */

DOCUMENTED_CASE(013, created_context_is_current)
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

DOCUMENTED_CASE(013, bad_flags_and_devices_are_refused)
{
    CUdevice device = begin_device();
    CUcontext context = NULL;

    CODE(CUDA_ERROR_INVALID_VALUE, cu->CtxCreate_v2(&context, 3, device));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->CtxCreate_v2(&context, 0x40000000, device));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->CtxCreate_v2(NULL, 0, device));
    CODE(CUDA_ERROR_INVALID_DEVICE, cu->CtxCreate_v2(&context, 0, 99));
    CHECK(context == NULL && current_context() == NULL);
}

DOCUMENTED_CASE(014, push_pop_and_set_as_documented)
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
    OK(cu->CtxSetCurrent(one)); /* replaces the top of the stack */
    CHECK(current_context() == one);
    OK(cu->CtxPopCurrent_v2(&popped));
    CHECK(popped == one && current_context() == one);
    OK(cu->CtxPopCurrent_v2(NULL));
    CHECK(current_context() == NULL);
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->CtxPopCurrent_v2(&popped));
    CHECK(popped == one);
}

DOCUMENTED_CASE(014, setting_null_pops)
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

MEASURED_CASE(015, without_current_context_201)
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

MEASURED_CASE(015, outputs_of_what_fails)
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

DOCUMENTED_CASE(018, event_of_a_whole_context)
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

DOCUMENTED_CASE(018, context_calls_answer_what_is_listed)
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

DOCUMENTED_CASE(018, context_calls_spoil_a_capture)
{
    CUcontext context = begin_context();
    CUstream stream = begin_stream();
    CUevent event = begin_event(), done = begin_done();

    capture_begin(stream, RELAXED);
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cu->CtxRecordEvent(context, event));
    capture_invalidated(stream);
    capture_begin(stream, RELAXED);
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cu->CtxWaitEvent(context, done));
    capture_invalidated(stream);
}

/* The destruction of contexts. Statements 13, 16. For their children see undefined_cases.c. */

MEASURED_CASE(013, null_and_primary_are_not_destroyed)
{
    CUcontext context = begin_context();

    CODE(CUDA_ERROR_INVALID_VALUE, cu->CtxDestroy_v2(NULL));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->CtxDestroy_v2(context));
    CHECK(current_context() == context);
    OK(cu->CtxSynchronize());
}

DOCUMENTED_CASE(013, destroying_the_current_pops_it)
{
    CUcontext below = begin_context(), context = begin_other_context();

    MUST(cu->CtxPushCurrent_v2(context));
    OK(cu->CtxDestroy_v2(context));
    CHECK(current_context() == below);
    OK(cu->CtxSynchronize());
}

DOCUMENTED_CASE(013, destroying_another_leaves_the_current)
{
    CUcontext current = begin_context(), context = begin_other_context();

    OK(cu->CtxDestroy_v2(context));
    CHECK(current_context() == current);
}

MEASURED_CASE(013, second_destruction_is_refused)
{
    CUcontext context;

    begin_device();
    context = begin_other_context();
    OK(cu->CtxDestroy_v2(context));
    ONE_OF(cu->CtxDestroy_v2(context), 709, 201);
}

MEASURED_CASE(016, destroyed_context_can_be_set)
{
    CUcontext context;
    CUevent event = NULL;

    begin_device();
    context = begin_other_context();
    OK(cu->CtxDestroy_v2(context));
    OK(cu->CtxSetCurrent(context));
    CHECK(current_context() == context);
    CODE(CUDA_ERROR_CONTEXT_IS_DESTROYED, cu->EventCreate(&event, 0));
}

MEASURED_CASE(013, first_abi_destroys_what_is_not_current)
{
    CUcontext current;

    begin_device();
    OK(cu->CtxDestroy(begin_other_context())); /* none is current */
    current = begin_context();
    OK(cu->CtxDestroy(begin_other_context())); /* another one is */
    CHECK(current_context() == current);
}

/* What ends a context, and whether it waits for work of the context that another thread lets end. */
static bool end_of_context_waits(CUcontext context, CUresult (*end)(CUcontext context))
{
    struct gate gate = GATE;
    struct opener opener;
    bool opened;

    gate_shut(&gate, begin_stream_in(context));
    opener_start(&opener, &gate, 20);
    OK(end(context));
    opened = atomic_load(&opener.opened);
    opener_join(&opener);
    return opened;
}

static CUresult destroy(CUcontext context)
{
    return cu->CtxDestroy_v2(context);
}

static CUresult destroy_by_the_first_abi(CUcontext context)
{
    return cu->CtxDestroy(context);
}

static CUresult release(CUcontext context)
{
    (void)context;
    return cu->DevicePrimaryCtxRelease_v2(begin_device());
}

static CUresult reset(CUcontext context)
{
    (void)context;
    return cu->DevicePrimaryCtxReset_v2(begin_device());
}

MEASURED_CASE(203, end_of_a_context_waits_for_its_work)
{
    begin_device();
    CHECK(end_of_context_waits(begin_other_context(), destroy));
    CHECK(end_of_context_waits(begin_other_context(), destroy_by_the_first_abi));
    CHECK(end_of_context_waits(begin_context(), release));
    CHECK(end_of_context_waits(begin_context(), reset));
}
