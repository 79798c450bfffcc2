/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts: which one is current, and which objects end with a context. */
#include "tests/fuzz/calls.h"

static void create(struct calls *calls)
{
    struct calls_object *object = calls_room(calls, CALLS_CONTEXT);
    CUcontext context = NULL;

    if (!object || calls->depth == CALLS_STACK)
        return;
    for (unsigned i = 0; i < calls->depth; i++) {
        if (calls->stack[i] == object) /* dead, but still on the stack */
            return;
    }
    /* The model forgets the former object in this slot. */
    if (object->state != CALLS_NEVER)
        return;
    if (calls_judge(calls, calls->driver->CtxCreate_v2(&context, 0, 0)) == CUDA_SUCCESS) {
        calls_made(calls, object, (uintptr_t)context);
        object->context = NULL;
        calls->stack[calls->depth++] = object;
    }
}

/* Destroying the current context pops it. */
static void destroy(struct calls *calls)
{
    struct calls_object *object;
    const uint64_t handle = calls_pick(calls, CALLS_CONTEXT, &object);
    const CUresult code =
        calls_judge(calls, calls->driver->CtxDestroy_v2(CALLS_HANDLE(CUcontext, handle)));

    CLAIM(!object || calls_allows(calls, code));
    if (code != CUDA_SUCCESS || !object)
        return;
    if (calls_current(calls) == object)
        calls->depth--;
    calls_end_context(calls, object);
}

static void push(struct calls *calls)
{
    struct calls_object *object;
    const uint64_t handle = calls_pick(calls, CALLS_CONTEXT, &object);

    if (calls->depth == CALLS_STACK || (!object && !calls->has_bad)) {
        calls_drop(calls);
        return;
    }
    if (calls_judge(calls, calls->driver->CtxPushCurrent_v2(CALLS_HANDLE(CUcontext, handle))) ==
        CUDA_SUCCESS)
        calls->stack[calls->depth++] = object;
}

static void pop(struct calls *calls)
{
    CUcontext context = NULL;
    const struct calls_object *top = calls_current(calls);
    const CUresult code = calls_judge(calls, calls->driver->CtxPopCurrent_v2(&context));

    CLAIM((code == CUDA_SUCCESS) == (top != NULL));
    if (!top)
        return;
    CLAIM((uintptr_t)context == top->handle);
    calls->depth--;
}

static void retain(struct calls *calls)
{
    CUcontext context = NULL;

    if (calls->depth == CALLS_STACK || calls->primary_count == 8)
        return;
    if (calls_judge(calls, calls->driver->DevicePrimaryCtxRetain(&context, 0)) != CUDA_SUCCESS)
        return;
    if (calls->primary_count++ == 0) {
        CLAIM(calls->primary.state != CALLS_LIVE);
        calls->primary.handle = (uintptr_t)context;
        calls->primary.state = CALLS_LIVE;
    }
    CLAIM(calls->primary.handle == (uintptr_t)context);
    if (calls->primary.state == CALLS_LIVE &&
        calls_judge(calls, calls->driver->CtxPushCurrent_v2(context)) == CUDA_SUCCESS)
        calls->stack[calls->depth++] = &calls->primary;
}

static void release(struct calls *calls)
{
    const CUresult code = calls_judge(calls, calls->driver->DevicePrimaryCtxRelease_v2(0));

    CLAIM((code == CUDA_SUCCESS) == (calls->primary_count > 0));
    if (code == CUDA_SUCCESS && --calls->primary_count == 0)
        calls_end_context(calls, &calls->primary);
}

static void get(struct calls *calls)
{
    CUcontext context = NULL;
    const struct calls_object *top = calls_current(calls);

    CLAIM(calls_judge(calls, calls->driver->CtxGetCurrent(&context)) == CUDA_SUCCESS);
    CLAIM((uintptr_t)context == (top ? top->handle : 0));
}

static void synchronize(struct calls *calls)
{
    const struct calls_object *top = calls_current(calls);
    const CUresult code = calls_judge(calls, calls->driver->CtxSynchronize());

    CLAIM(top || code == CUDA_ERROR_INVALID_CONTEXT || calls->is_faulted);
    if (code == CUDA_SUCCESS)
        calls_wait_context(calls, top);
}

void calls_step_context(struct calls *calls)
{
    static void (*const steps[])(struct calls * calls) = {create, destroy, push,        pop,
                                                          retain, release, synchronize, get};

    steps[fuzz_below(&calls->input, sizeof steps / sizeof steps[0])](calls);
    get(calls);
}
