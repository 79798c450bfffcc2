/* SPDX-License-Identifier: Apache-2.0 */
#include <cushim/context_scope.h>

#include <cushim/error.h>

#include "src/objects.h"

CUresult cushim_context_make_current(const struct cushim_context *context)
{
    return cushim_driver()->CtxSetCurrent(context ? context->handle : NULL);
}

CUresult cushim_context_push(const struct cushim_context *context,
                             struct cushim_context_scope *scope)
{
    CUresult code;

    if (!scope)
        return CUDA_ERROR_INVALID_VALUE;
    scope->pushed = NULL;
    if (!context)
        return CUDA_ERROR_INVALID_HANDLE;
    code = cushim_driver()->CtxPushCurrent_v2(context->handle);
    if (code == CUDA_SUCCESS)
        scope->pushed = context->handle;
    return code;
}

CUresult cushim_context_pop(struct cushim_context_scope *scope)
{
    CUcontext top = NULL;
    CUresult code;

    if (!scope)
        return CUDA_ERROR_INVALID_VALUE;
    if (!scope->pushed)
        return CUDA_SUCCESS;
    code = cushim_driver()->CtxPopCurrent_v2(&top);
    if (code != CUDA_SUCCESS)
        return code;
    if (top == scope->pushed) {
        scope->pushed = NULL;
        return CUDA_SUCCESS;
    }
    code = cushim_driver()->CtxPushCurrent_v2(top);
    if (code != CUDA_SUCCESS)
        cushim__log("cuCtxPushCurrent_v2 failed: %s (%d); a context that was current is not any "
                    "more",
                    cushim_error_name(code), (int)code);
    return CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cushim__context_enter(const struct cushim_context *context,
                               struct cushim_context_scope *scope)
{
    CUcontext current = NULL;
    CUresult code;

    scope->pushed = NULL;
    if (!context)
        return CUDA_SUCCESS;
    /* To ask costs a fraction of a push and a pop, and the answer is usually that it is current. */
    code = cushim_driver()->CtxGetCurrent(&current);
    if (code != CUDA_SUCCESS || current == context->handle)
        return code;
    return cushim_context_push(context, scope);
}

CUresult cushim__context_leave(struct cushim_context_scope *scope, CUresult code)
{
    const CUresult popped = cushim_context_pop(scope);

    if (code == CUDA_SUCCESS)
        return popped;
    if (popped != CUDA_SUCCESS)
        cushim__log("cuCtxPopCurrent_v2 failed: %s (%d); the current context was not put back "
                    "after a call that failed with %s (%d)",
                    cushim_error_name(popped), (int)popped, cushim_error_name(code), (int)code);
    return code;
}
