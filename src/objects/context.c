/* SPDX-License-Identifier: Apache-2.0 */
#include <cushim/context.h>

#include <stdlib.h>

#include <cushim/error.h>

#include "src/base/options.h"
#include "src/objects/objects.h"

/* Drivers before CUDA 11.0 have only the ABIs that 11.0 replaced. */
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif

/* Allocate an object that has no handle yet. Returns NULL if memory is short. */
static struct cushim_context *allocate(enum cushim__ownership ownership, CUdevice device)
{
    struct cushim_context *context = malloc(sizeof *context);

    if (context)
        *context =
            (struct cushim_context){.references = 1, .ownership = ownership, .device = device};
    return context;
}

CUresult cushim_context_retain_primary(CUdevice device, struct cushim_context **context)
{
    const struct cushim_table *table = cushim_driver();
    struct cushim_context *made;
    CUresult code;

    if (!context)
        return CUDA_ERROR_INVALID_VALUE;
    made = allocate(CUSHIM__PRIMARY, device);
    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    code = table->DevicePrimaryCtxRetain(&made->handle, device);
    if (code != CUDA_SUCCESS) {
        free(made);
        return code;
    }
    made->maker = cushim__creating_table(table);
    *context = made;
    return CUDA_SUCCESS;
}

CUresult cushim_context_create(CUdevice device, const struct cushim_context_options *options,
                               struct cushim_context **context)
{
    struct cushim_context_options known = {.size = sizeof known};
    const struct cushim_table *table = cushim_driver();
    struct cushim_context_scope scope;
    struct cushim_context *made;
    CUresult code;

    if (!context || !cushim__options_read(&known, sizeof known, options))
        return CUDA_ERROR_INVALID_VALUE;
    made = allocate(CUSHIM__OWNED, device);
    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    code = table->CtxCreate_v2(&made->handle, known.flags, device);
    if (code != CUDA_SUCCESS) {
        free(made);
        return code;
    }
    made->maker = cushim__creating_table(table);
    scope.pushed = made->handle;
    code = cushim_context_pop(&scope);
    if (code != CUDA_SUCCESS) {
        cushim_context_release(made);
        return code;
    }
    *context = made;
    return CUDA_SUCCESS;
}

CUresult cushim_context_wrap(CUcontext handle, struct cushim_context **context)
{
    struct cushim_context *made;

    if (!context)
        return CUDA_ERROR_INVALID_VALUE;
    if (!handle)
        return CUDA_ERROR_INVALID_CONTEXT;
    made = allocate(CUSHIM__BORROWED, CU_DEVICE_INVALID);
    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    made->handle = handle;
    *context = made;
    return CUDA_SUCCESS;
}

CUresult cushim_context_wrap_current(struct cushim_context **context)
{
    CUcontext handle = NULL;
    CUresult code;

    if (!context)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim_driver()->CtxGetCurrent(&handle);
    return code == CUDA_SUCCESS ? cushim_context_wrap(handle, context) : code;
}

/* cuDevicePrimaryCtxRelease_v2, or the older ABI if the driver lacks it. */
static CUresult release_primary(const struct cushim_context *context)
{
    const struct cushim_table *table = cushim__destroyer(context->maker);
    const CUresult code = table->DevicePrimaryCtxRelease_v2(context->device);

    return code == CUSHIM__REQUIRES_NEWER_DRIVER ? table->DevicePrimaryCtxRelease(context->device)
                                                 : code;
}

struct cushim_context *cushim_context_retain(struct cushim_context *context)
{
    if (context)
        cushim__retain(&context->references);
    return context;
}

CUresult cushim_context_release(struct cushim_context *context)
{
    return cushim__context_release(context);
}

CUresult cushim__context_end(struct cushim_context *context)
{
    CUresult code = CUDA_SUCCESS;

    switch (context->ownership) {
    case CUSHIM__BORROWED:
        break;
    case CUSHIM__OWNED:
        code = cushim__destroyer(context->maker)->CtxDestroy_v2(context->handle);
        /*
         * The driver may return this code, like 709, if the context was destroyed before
         * (driver-semantics.md #13).
         */
        if (code == CUDA_ERROR_INVALID_CONTEXT)
            code = CUDA_ERROR_CONTEXT_IS_DESTROYED;
        code = cushim__destroyed("cuCtxDestroy_v2", context->handle, code);
        break;
    case CUSHIM__PRIMARY:
        code = cushim__destroyed("cuDevicePrimaryCtxRelease_v2", context->handle,
                                 release_primary(context));
        break;
    }
    free(context);
    return code;
}

CUresult cushim_context_get_handle(const struct cushim_context *context, CUcontext *handle)
{
    if (!context)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!handle)
        return CUDA_ERROR_INVALID_VALUE;
    *handle = context->handle;
    return CUDA_SUCCESS;
}

CUresult cushim_context_get_device(const struct cushim_context *context, CUdevice *device)
{
    struct cushim_context_scope scope;
    CUdevice its;
    CUresult code;

    if (!context)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!device)
        return CUDA_ERROR_INVALID_VALUE;
    its = context->device;
    if (context->ownership == CUSHIM__BORROWED) {
        code = cushim_context_push(context, &scope);
        if (code != CUDA_SUCCESS)
            return code;
        code = cushim__context_leave(&scope, cushim_driver()->CtxGetDevice(&its));
        if (code != CUDA_SUCCESS)
            return code;
    }
    *device = its;
    return CUDA_SUCCESS;
}

CUresult cushim_context_synchronize(struct cushim_context *context)
{
    struct cushim_context_scope scope;
    const CUresult code = cushim_context_push(context, &scope);

    if (code != CUDA_SUCCESS)
        return code;
    return cushim__context_leave(&scope, cushim_driver()->CtxSynchronize());
}

/* --- the current context --- */

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

CUresult cushim__context_restore(struct cushim_context_scope *scope, CUresult code)
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
