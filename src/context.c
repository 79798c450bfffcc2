/* SPDX-License-Identifier: Apache-2.0 */
#include <cushim/context.h>

#include <stdlib.h>

#include "loader/options.h"
#include "src/objects.h"

/* An object without a handle as yet; NULL if there is no memory. */
static struct cushim_context *allocate(enum cushim__ownership ownership, CUdevice device)
{
    struct cushim_context *context = malloc(sizeof *context);

    if (!context)
        return NULL;
    atomic_init(&context->references, 1);
    context->ownership = ownership;
    context->device = device;
    context->handle = NULL;
    return context;
}

CUresult cushim_context_retain_primary(struct cushim_context **context, CUdevice device)
{
    struct cushim_context *made;
    CUresult code;

    if (!context)
        return CUDA_ERROR_INVALID_VALUE;
    made = allocate(CUSHIM__PRIMARY, device);
    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    code = cushim_driver()->DevicePrimaryCtxRetain(&made->handle, device);
    if (code != CUDA_SUCCESS) {
        free(made);
        return code;
    }
    *context = made;
    return CUDA_SUCCESS;
}

CUresult cushim_context_create(struct cushim_context **context, CUdevice device,
                               const struct cushim_context_options *options)
{
    struct cushim_context_options known = {.size = sizeof known};
    struct cushim_context_scope scope;
    struct cushim_context *made;
    CUresult code;

    if (!context || !cushim__options_read(&known, sizeof known, options))
        return CUDA_ERROR_INVALID_VALUE;
    made = allocate(CUSHIM__OWNED, device);
    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    code = cushim_driver()->CtxCreate_v2(&made->handle, known.flags, device);
    if (code != CUDA_SUCCESS) {
        free(made);
        return code;
    }
    scope.pushed = made->handle;
    code = cushim_context_pop(&scope);
    if (code != CUDA_SUCCESS) {
        cushim_context_release(made);
        return code;
    }
    *context = made;
    return CUDA_SUCCESS;
}

CUresult cushim_context_wrap(struct cushim_context **context, CUcontext handle)
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
    return code == CUDA_SUCCESS ? cushim_context_wrap(context, handle) : code;
}

struct cushim_context *cushim_context_retain(struct cushim_context *context)
{
    if (context)
        cushim__retain(&context->references);
    return context;
}

CUresult cushim_context_release(struct cushim_context *context)
{
    CUresult code = CUDA_SUCCESS;

    if (!context || !cushim__drop(&context->references))
        return CUDA_SUCCESS;
    switch (context->ownership) {
    case CUSHIM__BORROWED:
        break;
    case CUSHIM__OWNED:
        code = cushim_driver()->CtxDestroy_v2(context->handle);
        /* As likely as 709 if somebody destroyed it before (driver semantics, statement 13). */
        if (code == CUDA_ERROR_INVALID_CONTEXT)
            code = CUDA_ERROR_CONTEXT_IS_DESTROYED;
        code = cushim__destroyed("cuCtxDestroy_v2", code);
        break;
    case CUSHIM__PRIMARY:
        code = cushim__destroyed("cuDevicePrimaryCtxRelease_v2",
                                 cushim__primary_release(context->device));
        break;
    }
    free(context);
    return code;
}

CUresult cushim_context_handle(const struct cushim_context *context, CUcontext *handle)
{
    if (!context)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!handle)
        return CUDA_ERROR_INVALID_VALUE;
    *handle = context->handle;
    return CUDA_SUCCESS;
}

CUresult cushim_context_device(const struct cushim_context *context, CUdevice *device)
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

CUresult cushim_context_id(const struct cushim_context *context, unsigned long long *id)
{
    if (!context)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!id)
        return CUDA_ERROR_INVALID_VALUE;
    return cushim_driver()->CtxGetId(context->handle, id);
}

CUresult cushim_context_synchronize(struct cushim_context *context)
{
    struct cushim_context_scope scope;
    const CUresult code = cushim_context_push(context, &scope);

    if (code != CUDA_SUCCESS)
        return code;
    return cushim__context_leave(&scope, cushim_driver()->CtxSynchronize());
}

CUresult cushim_context_record_event(struct cushim_context *context, struct cushim_event *event)
{
    CUevent handle;
    CUresult code;

    if (!context || !event)
        return CUDA_ERROR_INVALID_HANDLE;
    handle = cushim__event_handle(event);
    if (!handle)
        return CUDA_ERROR_INVALID_HANDLE;
    code = cushim_driver()->CtxRecordEvent(context->handle, handle);
    if (code == CUDA_SUCCESS)
        atomic_store_explicit(&event->recorded, true, memory_order_relaxed);
    return code;
}

CUresult cushim_context_wait_event(struct cushim_context *context, struct cushim_event *event)
{
    CUevent handle;

    if (!context || !event)
        return CUDA_ERROR_INVALID_HANDLE;
    handle = cushim__event_handle(event);
    if (!handle)
        return CUDA_ERROR_INVALID_HANDLE;
    return cushim_driver()->CtxWaitEvent(context->handle, handle);
}

CUresult cushim_context_enable_peer_access(struct cushim_context *context,
                                           struct cushim_context *peer)
{
    struct cushim_context_scope scope;
    CUresult code;

    if (!context || !peer)
        return CUDA_ERROR_INVALID_HANDLE;
    code = cushim_context_push(context, &scope);
    if (code != CUDA_SUCCESS)
        return code;
    return cushim__context_leave(&scope, cushim_driver()->CtxEnablePeerAccess(peer->handle, 0));
}

CUresult cushim_context_disable_peer_access(struct cushim_context *context,
                                            struct cushim_context *peer)
{
    struct cushim_context_scope scope;
    CUresult code;

    if (!context || !peer)
        return CUDA_ERROR_INVALID_HANDLE;
    code = cushim_context_push(context, &scope);
    if (code != CUDA_SUCCESS)
        return code;
    return cushim__context_leave(&scope, cushim_driver()->CtxDisablePeerAccess(peer->handle));
}
