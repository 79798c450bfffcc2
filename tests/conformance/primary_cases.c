/* SPDX-License-Identifier: Apache-2.0 */
/* Primary contexts. Statements 10-12. */
#include "backend.h"
#include "begin.h"
#include "cases.h"
#include "check.h"

static int is_active(CUdevice device)
{
    unsigned flags = 0;
    int active = -5;

    MUST(cu->DevicePrimaryCtxGetState(device, &flags, &active));
    return active;
}

static void retain_counts_and_does_not_push(void)
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

static void release_without_retain_is_201(void)
{
    CUdevice device = begin_device();
    CUcontext context = NULL;

    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->DevicePrimaryCtxRelease_v2(device));
    OK(cu->DevicePrimaryCtxRetain(&context, device));
    OK(cu->DevicePrimaryCtxRelease_v2(device));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->DevicePrimaryCtxRelease_v2(device));
}

static void release_does_not_pop(void)
{
    CUcontext context = begin_context(), popped = NULL;

    OK(cu->DevicePrimaryCtxRelease_v2(begin_device()));
    CHECK(current_context() == context);
    OK(cu->CtxPopCurrent_v2(&popped));
    CHECK(popped == context);
    CHECK(current_context() == NULL);
}

static void retain_answers_what_is_listed(void)
{
    CUdevice device = begin_device();
    CUcontext context = NULL;

    CODE(CUDA_ERROR_INVALID_DEVICE, cu->DevicePrimaryCtxRetain(&context, 99));
    CODE(CUDA_ERROR_INVALID_DEVICE, cu->DevicePrimaryCtxRetain(&context, -1));
    CHECK(context == NULL);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->DevicePrimaryCtxRetain(NULL, device));
    ONE_OF(cu->DevicePrimaryCtxRetain(&context, device), 0, 4, 3, 201, 101, 1, 2, 999);
}

static void flags_are_checked(void)
{
    CUdevice device = begin_device();
    unsigned flags = 99;
    int active = -5;

    CODE(CUDA_ERROR_INVALID_VALUE, cu->DevicePrimaryCtxSetFlags_v2(device, 3));
    OK(cu->DevicePrimaryCtxSetFlags_v2(device, CU_CTX_SCHED_BLOCKING_SYNC));
    OK(cu->DevicePrimaryCtxGetState(device, &flags, &active));
    EQUAL(CU_CTX_SCHED_BLOCKING_SYNC, flags & CU_CTX_SCHED_MASK);
    EQUAL(0, active);
}

static void flags_are_set_while_active(void)
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

static void state_tells_flags_and_activity(void)
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

static void reset_destroys_what_is_in_use(void)
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

const struct conformance_case primary_cases[] = {
    DOCUMENTED_CASE("010_retain_counts_and_does_not_push", retain_counts_and_does_not_push),
    DOCUMENTED_CASE("010_release_without_retain_is_201", release_without_retain_is_201),
    DOCUMENTED_CASE("010_release_does_not_pop", release_does_not_pop),
    DOCUMENTED_CASE("010_retain_answers_what_is_listed", retain_answers_what_is_listed),
    MEASURED_CASE("011_flags_are_checked", flags_are_checked),
    MEASURED_CASE("011_flags_are_set_while_active", flags_are_set_while_active),
    DOCUMENTED_CASE("012_state_tells_flags_and_activity", state_tells_flags_and_activity),
    MEASURED_CASE("012_reset_destroys_what_is_in_use", reset_destroys_what_is_in_use),
    {.name = NULL},
};
