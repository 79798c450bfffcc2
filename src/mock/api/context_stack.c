/* SPDX-License-Identifier: Apache-2.0 */
/* Which context is current: each thread has a stack of them (statements 13 to 16). */
#include <stdlib.h>

#include "src/mock/api/api.h"
#include "src/mock/api/context.h"
#include "src/mock/core/state.h"

CUresult cushim__mock_context_find(CUcontext handle, struct mock_context **context)
{
    if (!handle)
        return CUDA_ERROR_INVALID_CONTEXT;
    return cushim__mock_object_find(handle, MOCK_CONTEXT, context);
}

CUresult cushim__mock_context_current(struct mock_context **context)
{
    const struct mock_thread *thread = cushim__mock_thread_get();

    if (!thread)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (thread->depth == 0)
        return CUDA_ERROR_INVALID_CONTEXT;
    *context = thread->stack[thread->depth - 1];
    return (*context)->alive ? CUDA_SUCCESS : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

CUresult cushim__mock_context_find_or_current(CUcontext handle, struct mock_context **context)
{
    return handle ? cushim__mock_context_find(handle, context)
                  : cushim__mock_context_current(context);
}

CUresult cushim__mock_context_reserve(void)
{
    struct mock_thread *thread = cushim__mock_thread_get();

    if (!thread)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (thread->depth == thread->room) {
        size_t room = thread->room ? 2 * thread->room : 8;
        struct mock_context **stack = realloc(thread->stack, room * sizeof(*stack));

        if (!stack)
            return CUDA_ERROR_OUT_OF_MEMORY;
        thread->stack = stack;
        thread->room = room;
    }
    return CUDA_SUCCESS;
}

CUresult cushim__mock_context_push(struct mock_context *context)
{
    CUresult code = cushim__mock_context_reserve();
    struct mock_thread *thread;

    if (code != CUDA_SUCCESS)
        return code;
    thread = cushim__mock_thread_get();
    thread->stack[thread->depth++] = context;
    return CUDA_SUCCESS;
}

struct mock_context *cushim__mock_context_top(void)
{
    const struct mock_thread *thread = cushim__mock_thread_get();

    return thread && thread->depth > 0 ? thread->stack[thread->depth - 1] : NULL;
}

struct mock_context *cushim__mock_context_pop(void)
{
    struct mock_thread *thread = cushim__mock_thread_get();

    return thread && thread->depth > 0 ? thread->stack[--thread->depth] : NULL;
}

bool cushim__mock_context_is_on_a_stack(const struct mock_context *context)
{
    for (const struct mock_thread *thread = cushim__mock->threads; thread; thread = thread->next) {
        for (size_t i = 0; i < thread->depth; i++) {
            if (thread->stack[i] == context)
                return true;
        }
    }
    return false;
}

/* A context to put on a stack: one that was destroyed is taken, as by the driver (statement 16). */
static CUresult find_any(CUcontext handle, struct mock_context **context)
{
    CUresult code = cushim__mock_context_find(handle, context);

    return code == CUDA_ERROR_CONTEXT_IS_DESTROYED ? CUDA_SUCCESS : code;
}

MOCK_EXACT(CtxPushCurrent_v2)(CUcontext ctx)
{
    struct mock_context *context;
    CUresult code;

    if (!ctx)
        return CUDA_ERROR_INVALID_VALUE;
    code = find_any(ctx, &context);
    return code ? code : cushim__mock_context_push(context);
}

/* The first ABI takes only a context that no thread has. */
MOCK_EXACT(CtxPushCurrent)(CUcontext ctx)
{
    struct mock_context *context;
    CUresult code;

    if (!ctx)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__mock_context_find(ctx, &context);
    if (code == CUDA_SUCCESS && cushim__mock_context_is_on_a_stack(context))
        code = CUDA_ERROR_INVALID_CONTEXT;
    return code ? code : cushim__mock_context_push(context);
}

MOCK_EXACT(CtxPopCurrent_v2)(CUcontext *pctx)
{
    const struct mock_context *context = cushim__mock_context_pop();

    if (!context)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (pctx)
        *pctx = context->object.handle;
    return CUDA_SUCCESS;
}

MOCK_EXACT(CtxPopCurrent)(CUcontext *pctx)
{
    return cushim__mock_CtxPopCurrent_v2(pctx);
}

MOCK_EXACT(CtxSetCurrent)(CUcontext ctx)
{
    struct mock_context *context;
    CUresult code;

    if (!ctx) {
        cushim__mock_context_pop();
        return CUDA_SUCCESS;
    }
    code = find_any(ctx, &context);
    if (code)
        return code;
    cushim__mock_context_pop();
    return cushim__mock_context_push(context);
}

MOCK_EXACT(CtxGetCurrent)(CUcontext *pctx)
{
    const struct mock_context *context = cushim__mock_context_top();

    if (!pctx)
        return CUDA_ERROR_INVALID_VALUE;
    *pctx = context ? context->object.handle : NULL;
    return CUDA_SUCCESS;
}
