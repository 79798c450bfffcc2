/* SPDX-License-Identifier: Apache-2.0 */
/* What can be asked of and done to a context of the fake driver. */
#include "fake.h"

enum { LEAST_PRIORITY = 0, GREATEST_PRIORITY = -5 };

/* Begin a call that acts in the current context. */
static CUresult begin(const char *function, struct fake_context **context)
{
    const CUresult code = fake_call(function);

    return code ? code : fake_use_current(context);
}

static CUresult CUDAAPI ctx_get_device(CUdevice *device)
{
    struct fake_context *context;
    const CUresult code = begin("cuCtxGetDevice", &context);

    if (code)
        return code;
    if (!device)
        return CUDA_ERROR_INVALID_VALUE;
    *device = context->device;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI ctx_get_flags(unsigned *flags)
{
    struct fake_context *context;
    const CUresult code = begin("cuCtxGetFlags", &context);

    if (code)
        return code;
    if (!flags)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = context->flags;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI ctx_set_flags(unsigned flags)
{
    struct fake_context *context;
    const CUresult code = begin("cuCtxSetFlags", &context);

    if (code)
        return code;
    if (!fake_are_flags(flags))
        return CUDA_ERROR_INVALID_VALUE;
    context->flags = flags;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI ctx_get_limit(size_t *value, CUlimit limit)
{
    struct fake_context *context;
    const CUresult code = begin("cuCtxGetLimit", &context);

    if (code)
        return code;
    if (!value)
        return CUDA_ERROR_INVALID_VALUE;
    if ((unsigned)limit >= sizeof context->limits / sizeof context->limits[0])
        return CUDA_ERROR_UNSUPPORTED_LIMIT;
    *value = context->limits[limit];
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI ctx_set_limit(CUlimit limit, size_t value)
{
    struct fake_context *context;
    const CUresult code = begin("cuCtxSetLimit", &context);

    if (code)
        return code;
    if ((unsigned)limit >= sizeof context->limits / sizeof context->limits[0])
        return CUDA_ERROR_UNSUPPORTED_LIMIT;
    context->limits[limit] = (value + 15) / 16 * 16; /* the driver rounds */
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI ctx_get_cache_config(CUfunc_cache *config)
{
    struct fake_context *context;
    const CUresult code = begin("cuCtxGetCacheConfig", &context);

    if (code)
        return code;
    if (!config)
        return CUDA_ERROR_INVALID_VALUE;
    *config = context->cache;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI ctx_set_cache_config(CUfunc_cache config)
{
    struct fake_context *context;
    const CUresult code = begin("cuCtxSetCacheConfig", &context);

    if (code)
        return code;
    context->cache = config;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI ctx_get_stream_priority_range(int *least, int *greatest)
{
    struct fake_context *context;
    const CUresult code = begin("cuCtxGetStreamPriorityRange", &context);

    if (code)
        return code;
    if (least)
        *least = LEAST_PRIORITY;
    if (greatest)
        *greatest = GREATEST_PRIORITY;
    return CUDA_SUCCESS;
}

static void finish_stream(struct fake_object *object, void *data)
{
    if (object->context == data)
        fake_stream_finish((struct fake_stream *)object);
}

static CUresult CUDAAPI ctx_synchronize(void)
{
    struct fake_context *context;
    const CUresult code = begin("cuCtxSynchronize", &context);

    if (code)
        return code;
    fake_each(FAKE_STREAM, finish_stream, context);
    return CUDA_SUCCESS;
}

static CUresult peer(CUcontext handle, CUcontext from, CUcontext to, const char *function)
{
    struct fake_context *context;
    const CUresult code = begin(function, &context);
    const CUresult absent =
        to ? CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;

    if (code)
        return code;
    if (!handle || (CUcontext)context == handle)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (fake_find_context(handle, function)->device == context->device)
        return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
    for (size_t i = 0; to && i < 8; i++) {
        if (context->peers[i] == to)
            return absent;
    }
    for (size_t i = 0; i < 8; i++) {
        if (context->peers[i] == from) {
            context->peers[i] = to;
            return CUDA_SUCCESS;
        }
    }
    return to ? CUDA_ERROR_TOO_MANY_PEERS : absent;
}

static CUresult CUDAAPI ctx_enable_peer_access(CUcontext handle, unsigned flags)
{
    if (flags)
        return CUDA_ERROR_INVALID_VALUE;
    return peer(handle, NULL, handle, "cuCtxEnablePeerAccess");
}

static CUresult CUDAAPI ctx_disable_peer_access(CUcontext handle)
{
    return peer(handle, handle, NULL, "cuCtxDisablePeerAccess");
}

/* --- calls that name their context --- */

static CUresult CUDAAPI ctx_get_id(CUcontext handle, unsigned long long *id)
{
    const CUresult code = fake_call("cuCtxGetId");

    if (code)
        return code;
    if (!id)
        return CUDA_ERROR_INVALID_VALUE;
    if (!handle)
        handle = fake_current();
    if (!handle)
        return CUDA_ERROR_INVALID_CONTEXT;
    *id = fake_find_context(handle, "cuCtxGetId")->id;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI ctx_get_api_version(CUcontext handle, unsigned *version)
{
    const CUresult code = fake_call("cuCtxGetApiVersion");

    if (code)
        return code;
    if (!version)
        return CUDA_ERROR_INVALID_VALUE;
    if (handle)
        fake_find_context(handle, "cuCtxGetApiVersion");
    *version = 3020;
    return CUDA_SUCCESS;
}

static CUresult use_event(CUcontext handle, CUevent event_handle, struct fake_event **event,
                          const char *function)
{
    const CUresult code = fake_call(function);

    if (code)
        return code;
    if (!event_handle)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!handle)
        return CUDA_ERROR_INVALID_CONTEXT;
    fake_find_context(handle, function);
    *event = fake_find(FAKE_EVENT, event_handle, function);
    return fake_use(&(*event)->object);
}

static CUresult CUDAAPI ctx_record_event(CUcontext handle, CUevent event_handle)
{
    struct fake_event *event;
    const CUresult code = use_event(handle, event_handle, &event, "cuCtxRecordEvent");

    if (code)
        return code;
    if ((CUcontext)event->object.context != handle)
        return CUDA_ERROR_INVALID_HANDLE;
    event->recorded = true;
    event->captured = false;
    event->stream = NULL;
    event->time_ns = fake_now_ns();
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI ctx_wait_event(CUcontext handle, CUevent event_handle)
{
    struct fake_event *event;

    return use_event(handle, event_handle, &event, "cuCtxWaitEvent");
}

const struct fake_function fake_context_settings_functions[] = {
    FAKE_FUNCTION(CtxGetDevice, ctx_get_device),
    FAKE_FUNCTION(CtxGetFlags, ctx_get_flags),
    FAKE_FUNCTION(CtxSetFlags, ctx_set_flags),
    FAKE_FUNCTION(CtxGetLimit, ctx_get_limit),
    FAKE_FUNCTION(CtxSetLimit, ctx_set_limit),
    FAKE_FUNCTION(CtxGetCacheConfig, ctx_get_cache_config),
    FAKE_FUNCTION(CtxSetCacheConfig, ctx_set_cache_config),
    FAKE_FUNCTION(CtxGetStreamPriorityRange, ctx_get_stream_priority_range),
    FAKE_FUNCTION(CtxSynchronize, ctx_synchronize),
    FAKE_FUNCTION(CtxEnablePeerAccess, ctx_enable_peer_access),
    FAKE_FUNCTION(CtxDisablePeerAccess, ctx_disable_peer_access),
    FAKE_FUNCTION(CtxGetId, ctx_get_id),
    FAKE_FUNCTION(CtxGetApiVersion, ctx_get_api_version),
    FAKE_FUNCTION(CtxRecordEvent, ctx_record_event),
    FAKE_FUNCTION(CtxWaitEvent, ctx_wait_event),
    FAKE_END,
};
