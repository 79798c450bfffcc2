/* SPDX-License-Identifier: Apache-2.0 */
/* The end of contexts. Statements 13, 16. What is left of their children: undefined_cases.c. */
#include "backend.h"
#include "begin.h"
#include "cases.h"
#include "check.h"

static void null_and_primary_are_not_destroyed(void)
{
    CUcontext context = begin_context();

    CODE(CUDA_ERROR_INVALID_VALUE, cu->CtxDestroy_v2(NULL));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->CtxDestroy_v2(context));
    CHECK(current_context() == context);
    OK(cu->CtxSynchronize());
}

static void destroying_the_current_pops_it(void)
{
    CUcontext below = begin_context(), context = begin_other_context();

    MUST(cu->CtxPushCurrent_v2(context));
    OK(cu->CtxDestroy_v2(context));
    CHECK(current_context() == below);
    OK(cu->CtxSynchronize());
}

static void destroying_another_leaves_the_current(void)
{
    CUcontext current = begin_context(), context = begin_other_context();

    OK(cu->CtxDestroy_v2(context));
    CHECK(current_context() == current);
}

static void second_destruction_is_refused(void)
{
    CUcontext context;

    begin_device();
    context = begin_other_context();
    OK(cu->CtxDestroy_v2(context));
    ONE_OF(cu->CtxDestroy_v2(context), 709, 201);
}

static void destroyed_context_can_be_set(void)
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

const struct conformance_case context_end_cases[] = {
    MEASURED_CASE("013_null_and_primary_are_not_destroyed", null_and_primary_are_not_destroyed),
    DOCUMENTED_CASE("013_destroying_the_current_pops_it", destroying_the_current_pops_it),
    DOCUMENTED_CASE("013_destroying_another_leaves_the_current",
                    destroying_another_leaves_the_current),
    MEASURED_CASE("013_second_destruction_is_refused", second_destruction_is_refused),
    MEASURED_CASE("016_destroyed_context_can_be_set", destroyed_context_can_be_set),
    {.name = NULL},
};
