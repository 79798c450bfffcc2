/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep_bodies.h"

#include <pthread.h>
#include <stddef.h>

#include <cushim/driver.h>
#include <cushim/testing/layer.h>
#include <cushim/testing/recording.h>
#include <cushim/testing/sweep.h>

enum { BYTES = 4096 };

/* The result of a function: the code of its work, or else the code of its last release. */
static CUresult first_of(CUresult code, CUresult last, enum bug bug)
{
    return code || bug == IGNORES_RELEASES ? code : last;
}

static CUresult poll(CUevent event, enum bug bug)
{
    CUresult code;

    do
        code = cushim_driver()->EventQuery(event);
    while (code == CUDA_ERROR_NOT_READY || (bug == POLLS_FOR_EVER && code != CUDA_SUCCESS) ||
           (bug == POLLS_ON_ERRORS_ONLY && code == CUDA_SUCCESS));
    return code;
}

static CUresult record(CUevent event, enum bug bug)
{
    CUresult code = cushim_driver()->EventRecord(event, NULL);

    while (code != CUDA_SUCCESS && bug == NEVER_ENDS)
        cushim_driver()->EventQuery(event);
    if (code != CUDA_SUCCESS && bug == DESTROYS_TWICE)
        cushim_driver()->EventDestroy_v2(event);
    return bug == IGNORES_THE_RECORD ? CUDA_SUCCESS : code;
}

static CUresult fill(CUdeviceptr memory, enum bug bug)
{
    CUevent event = NULL;
    CUresult code = cushim_driver()->EventCreate(&event, 0);
    CUresult last;

    if (code != CUDA_SUCCESS) {
        if (bug == REPORTS_WHAT_IS_WRONG)
            cushim_sweep_fail("there is an event");
        return code;
    }
    code = cushim_driver()->MemsetD8Async(memory, 1, BYTES, NULL);
    if (code != CUDA_SUCCESS && bug == LEAKS_THE_EVENT)
        return code;
    if (code == CUDA_SUCCESS)
        code = record(event, bug);
    if (code == CUDA_SUCCESS)
        code = poll(event, bug);
    if (code != CUDA_SUCCESS && bug == LEAKS_IF_FAILED)
        return code;
    last = cushim_driver()->EventDestroy_v2(event);
    return first_of(code, last, bug);
}

static CUresult with_memory(enum bug bug)
{
    CUdeviceptr memory = 0;
    CUresult code = cushim_driver()->MemAlloc_v2(&memory, BYTES);
    CUresult last;

    if (code != CUDA_SUCCESS)
        return code;
    code = fill(memory, bug);
    if (code != CUDA_SUCCESS && bug == FREES_TWICE)
        cushim_driver()->MemFree_v2(memory);
    if (code != CUDA_SUCCESS && bug == FREES_TWICE_AND_EXPECTS_IT) {
        cushim_driver()->MemFree_v2(memory);
        cushim_layer_expect_errors_begin(cushim_layer_current(), CUDA_ERROR_INVALID_VALUE);
        cushim_driver()->MemFree_v2(memory);
        cushim_layer_expect_errors_end(cushim_layer_current());
        return code;
    }
    last = cushim_driver()->MemFree_v2(memory);
    return first_of(code, last, bug);
}

static CUresult in_context(CUcontext context, enum bug bug)
{
    CUresult code = cushim_driver()->CtxPushCurrent_v2(context);
    CUresult last = CUDA_SUCCESS;

    if (code != CUDA_SUCCESS)
        return code;
    code = with_memory(bug);
    if (code != CUDA_ERROR_OUT_OF_MEMORY || bug != LEAVES_THE_CONTEXT)
        last = cushim_driver()->CtxPopCurrent_v2(&context);
    return first_of(code, last, bug);
}

static CUresult program(enum bug bug)
{
    CUcontext context = NULL;
    CUresult code = cushim_driver()->Init(0);
    CUresult last;

    if (code == CUDA_SUCCESS)
        code = cushim_driver()->DevicePrimaryCtxRetain(&context, 0);
    if (code != CUDA_SUCCESS)
        return code;
    code = in_context(context, bug);
    last = cushim_driver()->DevicePrimaryCtxRelease_v2(0);
    return first_of(code, last, bug);
}

int sweep_body(void *bug)
{
    const enum bug which = *(const enum bug *)bug;
    const CUresult code = program(which);

    return which == FAILS_BY_ITSELF || code != cushim_sweep_injected(NULL) ||
           (which == ALWAYS_WRONG_IF_FAILED && code != CUDA_SUCCESS);
}

static void *run_thread(void *bug)
{
    program(*(const enum bug *)bug);
    return NULL;
}

int sweep_two_threads(void *bug)
{
    pthread_t thread;
    int answer = pthread_create(&thread, NULL, run_thread, bug);

    program(*(const enum bug *)bug);
    return answer || pthread_join(thread, NULL);
}
