/* SPDX-License-Identifier: Apache-2.0 */
/* Streams of the fake driver: driver semantics, section 6. */
#include "fake.h"

static unsigned long long last_id;

void fake_stream_reset(void)
{
    last_id = 0;
}

/* The default streams of a context are made at first use; nobody creates or destroys them. */
static struct fake_stream *default_stream(struct fake_context *context, CUstream handle)
{
    const bool per_thread = handle == CU_STREAM_PER_THREAD;
    struct fake_stream *stream = context->defaults[per_thread];

    if (!stream) {
        stream = fake_new(sizeof *stream, FAKE_STREAM, context);
        stream->object.foreign = true;
        stream->handle = handle;
        stream->id = ++last_id;
        stream->policy = CU_SYNC_POLICY_AUTO;
        context->defaults[per_thread] = stream;
    }
    return stream;
}

static bool is_default(CUstream handle)
{
    return !handle || handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD;
}

static struct fake_stream *stream_of(CUcontext context, CUstream handle)
{
    if (is_default(handle))
        return default_stream((struct fake_context *)context, handle);
    return (struct fake_stream *)handle; /* also a destroyed one: its work goes on */
}

CUresult fake_use_stream(CUstream handle, struct fake_stream **stream, const char *function)
{
    *stream = NULL;
    if (is_default(handle)) {
        struct fake_context *context;
        const CUresult code = fake_use_current(&context);

        if (code)
            return code;
        *stream = default_stream(context, handle);
        return CUDA_SUCCESS;
    }
    *stream = fake_find(FAKE_STREAM, handle, function);
    return fake_use(&(*stream)->object);
}

CUstream fake_foreign_stream(CUcontext context, unsigned flags)
{
    struct fake_stream *stream =
        fake_new(sizeof *stream, FAKE_STREAM, (struct fake_context *)context);

    stream->object.foreign = true;
    stream->handle = (CUstream)stream;
    stream->flags = flags;
    stream->id = ++last_id;
    stream->policy = CU_SYNC_POLICY_AUTO;
    return stream->handle;
}

void fake_stream_hold(CUcontext context, CUstream handle, unsigned looks)
{
    struct fake_stream *stream = stream_of(context, handle);

    stream->held = looks > 0;
    stream->looks = looks;
}

void fake_stream_go(CUcontext context, CUstream handle)
{
    struct fake_stream *stream = stream_of(context, handle);

    stream->held = false;
    fake_stream_pending(stream);
}

static CUresult stream_create(const char *function, CUstream *handle, unsigned flags, int priority)
{
    const CUresult code = fake_call(function);
    struct fake_context *context;
    struct fake_stream *stream;
    CUresult used;

    if (code)
        return code;
    if (!handle || flags > CU_STREAM_NON_BLOCKING)
        return CUDA_ERROR_INVALID_VALUE;
    used = fake_use_current(&context);
    if (used)
        return used;
    stream = fake_new(sizeof *stream, FAKE_STREAM, context);
    stream->handle = *handle = (CUstream)stream;
    stream->flags = flags;
    stream->priority = priority < -5 ? -5 : priority > 0 ? 0 : priority;
    stream->id = ++last_id;
    stream->policy = CU_SYNC_POLICY_AUTO;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI create(CUstream *handle, unsigned flags)
{
    return stream_create("cuStreamCreate", handle, flags, 0);
}

static CUresult CUDAAPI create_with_priority(CUstream *handle, unsigned flags, int priority)
{
    return stream_create("cuStreamCreateWithPriority", handle, flags, priority);
}

static CUresult CUDAAPI destroy(CUstream handle)
{
    const CUresult code = fake_call("cuStreamDestroy_v2");
    struct fake_stream *stream;
    CUresult ended;

    if (is_default(handle))
        return CUDA_ERROR_INVALID_HANDLE;
    stream = fake_find(FAKE_STREAM, handle, "cuStreamDestroy_v2");
    ended = fake_end(&stream->object, "cuStreamDestroy_v2");
    return code ? code : ended;
}

CUresult fake_begin_stream(const char *function, CUstream handle, struct fake_stream **stream)
{
    const CUresult code = fake_call(function);

    return code ? code : fake_use_stream(handle, stream, function);
}

static CUresult CUDAAPI query(CUstream handle)
{
    struct fake_stream *stream;
    CUresult code = fake_begin_stream("cuStreamQuery", handle, &stream);

    if (!code)
        code = fake_capture_look(stream);
    if (code)
        return code;
    return fake_stream_pending(stream) ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

static CUresult CUDAAPI synchronize(CUstream handle)
{
    struct fake_stream *stream;
    CUresult code = fake_begin_stream("cuStreamSynchronize", handle, &stream);

    if (!code)
        code = fake_capture_look(stream);
    if (code)
        return code;
    fake_stream_finish(stream);
    return CUDA_SUCCESS;
}

/* --- what a stream is like: each writes its answer only if all is well --- */

static CUresult CUDAAPI get_flags(CUstream handle, unsigned *flags)
{
    struct fake_stream *stream;
    const CUresult code = fake_begin_stream("cuStreamGetFlags", handle, &stream);

    if (code)
        return code;
    if (!flags)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = stream->flags;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI get_priority(CUstream handle, int *priority)
{
    struct fake_stream *stream;
    const CUresult code = fake_begin_stream("cuStreamGetPriority", handle, &stream);

    if (code)
        return code;
    if (!priority)
        return CUDA_ERROR_INVALID_VALUE;
    *priority = stream->priority;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI get_id(CUstream handle, unsigned long long *id)
{
    struct fake_stream *stream;
    const CUresult code = fake_begin_stream("cuStreamGetId", handle, &stream);

    if (code)
        return code;
    if (!id)
        return CUDA_ERROR_INVALID_VALUE;
    *id = stream->id;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI get_ctx(CUstream handle, CUcontext *context)
{
    struct fake_stream *stream;
    const CUresult code = fake_begin_stream("cuStreamGetCtx", handle, &stream);

    if (code)
        return code;
    if (!context)
        return CUDA_ERROR_INVALID_VALUE;
    *context = (CUcontext)stream->object.context;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI get_device(CUstream handle, CUdevice *device)
{
    struct fake_stream *stream;
    const CUresult code = fake_begin_stream("cuStreamGetDevice", handle, &stream);

    if (code)
        return code;
    if (!device)
        return CUDA_ERROR_INVALID_VALUE;
    *device = stream->object.context->device;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI get_attribute(CUstream handle, CUstreamAttrID attribute,
                                      CUstreamAttrValue *value)
{
    struct fake_stream *stream;
    const CUresult code = fake_begin_stream("cuStreamGetAttribute", handle, &stream);

    if (code)
        return code;
    if (!value)
        return CUDA_ERROR_INVALID_VALUE;
    if (attribute == CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY)
        value->syncPolicy = stream->policy;
    else if (attribute == CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW)
        value->accessPolicyWindow = stream->window;
    else
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI set_attribute(CUstream handle, CUstreamAttrID attribute,
                                      const CUstreamAttrValue *value)
{
    struct fake_stream *stream;
    const CUresult code = fake_begin_stream("cuStreamSetAttribute", handle, &stream);

    if (code)
        return code;
    if (!value)
        return CUDA_ERROR_INVALID_VALUE;
    if (attribute == CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY)
        stream->policy = value->syncPolicy;
    else if (attribute == CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW)
        stream->window = value->accessPolicyWindow;
    else
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI copy_attributes(CUstream handle, CUstream source_handle)
{
    struct fake_stream *stream, *source;
    CUresult code = fake_begin_stream("cuStreamCopyAttributes", handle, &stream);

    if (!code)
        code = fake_use_stream(source_handle, &source, "cuStreamCopyAttributes");
    if (code)
        return code;
    if (stream->object.context != source->object.context)
        return CUDA_ERROR_INVALID_VALUE;
    stream->policy = source->policy;
    stream->window = source->window;
    return CUDA_SUCCESS;
}

const struct fake_function fake_stream_functions[] = {
    FAKE_FUNCTION(StreamCreate, create),
    FAKE_FUNCTION(StreamCreateWithPriority, create_with_priority),
    FAKE_FUNCTION(StreamDestroy_v2, destroy),
    FAKE_FUNCTION(StreamQuery, query),
    FAKE_FUNCTION(StreamSynchronize, synchronize),
    FAKE_FUNCTION(StreamGetFlags, get_flags),
    FAKE_FUNCTION(StreamGetPriority, get_priority),
    FAKE_FUNCTION(StreamGetId, get_id),
    FAKE_FUNCTION(StreamGetCtx, get_ctx),
    FAKE_FUNCTION(StreamGetDevice, get_device),
    FAKE_FUNCTION(StreamGetAttribute, get_attribute),
    FAKE_FUNCTION(StreamSetAttribute, set_attribute),
    FAKE_FUNCTION(StreamCopyAttributes, copy_attributes),
    FAKE_END,
};
