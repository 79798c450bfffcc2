/* SPDX-License-Identifier: Apache-2.0 */
/* Work that fails, and what every later call answers. Statements 34, 47. */
#include "backend.h"
#include "begin.h"
#include "cases.h"
#include "check.h"

/* What a case has made before its context breaks. */
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

static void fault_sticks_to_every_call(void)
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

static void fault_reaches_other_contexts(void)
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

static void trap_is_719(void)
{
    struct broken broken = begin_broken("cushim_trap", CUDA_ERROR_LAUNCH_FAILED);

    check_sticky(&broken, CUDA_ERROR_LAUNCH_FAILED);
}

static void kernel_without_fault_breaks_nothing(void)
{
    CUfunction nothing;
    CUstream stream;

    begin_context();
    stream = begin_stream();
    nothing = begin_kernel("cushim_nothing");
    queue_kernel(nothing, stream);
    OK(cu->StreamSynchronize(stream));
    OK(cu->CtxSynchronize());
    OK(cu->StreamDestroy_v2(stream));
}

static void both_elapsed_functions_tell_the_fault(void)
{
    struct broken broken = begin_broken("cushim_fault", CUDA_ERROR_ILLEGAL_ADDRESS);
    float ms = -7;

    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, cu->EventElapsedTime_v2(&ms, broken.start, broken.end));
    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, cu->EventElapsedTime(&ms, broken.start, broken.end));
    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, cu->EventQuery(broken.end));
    CHECK(ms == -7);
}

const struct conformance_case fault_cases[] = {
    MEASURED_CASE("034_fault_sticks_to_every_call", fault_sticks_to_every_call),
    MEASURED_CASE("034_fault_reaches_other_contexts", fault_reaches_other_contexts),
    MEASURED_CASE("034_trap_is_719", trap_is_719),
    DOCUMENTED_CASE("034_kernel_without_fault_breaks_nothing", kernel_without_fault_breaks_nothing),
    MEASURED_CASE("047_both_elapsed_functions_tell_the_fault",
                  both_elapsed_functions_tell_the_fault),
    {.name = NULL},
};
