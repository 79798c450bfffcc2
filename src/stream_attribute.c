/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What streams are like: one question to the driver each.
 */
#include <cushim/stream_attribute.h>

#include "loader/codes.h"
#include "src/objects.h"

CUresult cushim_stream_flags(const struct cushim_stream *stream, unsigned *flags)
{
    struct cushim_context_scope scope;
    unsigned value = 0;
    CUresult code;

    if (!cushim__stream_is_open(stream))
        return CUDA_ERROR_INVALID_HANDLE;
    if (!flags)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__stream_enter(stream, &scope);
    if (code)
        return code;
    code = cushim__context_leave(&scope, cushim_driver()->StreamGetFlags(stream->handle, &value));
    if (code == CUDA_SUCCESS)
        *flags = value;
    return code;
}

CUresult cushim_stream_priority(const struct cushim_stream *stream, int *priority)
{
    struct cushim_context_scope scope;
    int value = 0;
    CUresult code;

    if (!cushim__stream_is_open(stream))
        return CUDA_ERROR_INVALID_HANDLE;
    if (!priority)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__stream_enter(stream, &scope);
    if (code)
        return code;
    code =
        cushim__context_leave(&scope, cushim_driver()->StreamGetPriority(stream->handle, &value));
    if (code == CUDA_SUCCESS)
        *priority = value;
    return code;
}

CUresult cushim_stream_id(const struct cushim_stream *stream, unsigned long long *id)
{
    struct cushim_context_scope scope;
    unsigned long long value = 0;
    CUresult code;

    if (!cushim__stream_is_open(stream))
        return CUDA_ERROR_INVALID_HANDLE;
    if (!id)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__stream_enter(stream, &scope);
    if (code)
        return code;
    code = cushim__context_leave(&scope, cushim_driver()->StreamGetId(stream->handle, &value));
    if (code == CUDA_SUCCESS)
        *id = value;
    return code;
}

CUresult cushim_stream_device(const struct cushim_stream *stream, CUdevice *device)
{
    struct cushim_context borrowed = {
        .references = 1, .ownership = CUSHIM__BORROWED, .device = CU_DEVICE_INVALID};
    CUdevice value = CU_DEVICE_INVALID;
    CUresult code;

    if (!cushim__stream_is_open(stream))
        return CUDA_ERROR_INVALID_HANDLE;
    if (!device)
        return CUDA_ERROR_INVALID_VALUE;
    if (stream->context)
        return cushim_context_device(stream->context, device);
    code = cushim_driver()->StreamGetDevice(stream->handle, &value);
    if (code == CUDA_SUCCESS)
        *device = value;
    if (code != CUSHIM__REQUIRES_NEWER_DRIVER)
        return code;
    code = cushim_driver()->StreamGetCtx(stream->handle, &borrowed.handle);
    return code ? code : cushim_context_device(&borrowed, device);
}

CUresult cushim_stream_driver_context(const struct cushim_stream *stream, CUcontext *context)
{
    struct cushim_context_scope scope;
    CUcontext handle = NULL;
    CUresult code;

    if (!cushim__stream_is_open(stream))
        return CUDA_ERROR_INVALID_HANDLE;
    if (!context)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__stream_enter(stream, &scope);
    if (code)
        return code;
    code = cushim__context_leave(&scope, cushim_driver()->StreamGetCtx(stream->handle, &handle));
    if (code == CUDA_SUCCESS)
        *context = handle;
    return code;
}

/*
 * The driver writes to the caller's union, not to one of ours: what there is of it depends on the
 * toolkit header that the caller was compiled with.
 */
CUresult cushim_stream_attribute(const struct cushim_stream *stream, CUstreamAttrID attribute,
                                 CUstreamAttrValue *value)
{
    struct cushim_context_scope scope;
    CUresult code;

    if (!cushim__stream_is_open(stream))
        return CUDA_ERROR_INVALID_HANDLE;
    if (!value)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__stream_enter(stream, &scope);
    if (code)
        return code;
    return cushim__context_leave(
        &scope, cushim_driver()->StreamGetAttribute(stream->handle, attribute, value));
}

CUresult cushim_stream_set_attribute(struct cushim_stream *stream, CUstreamAttrID attribute,
                                     const CUstreamAttrValue *value)
{
    struct cushim_context_scope scope;
    CUresult code;

    if (!cushim__stream_is_open(stream))
        return CUDA_ERROR_INVALID_HANDLE;
    if (!value)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__stream_enter(stream, &scope);
    if (code)
        return code;
    return cushim__context_leave(
        &scope, cushim_driver()->StreamSetAttribute(stream->handle, attribute, value));
}

CUresult cushim_stream_copy_attributes(struct cushim_stream *stream,
                                       const struct cushim_stream *source)
{
    struct cushim_context_scope scope;
    CUresult code;

    if (!cushim__stream_is_open(stream) || !cushim__stream_is_open(source))
        return CUDA_ERROR_INVALID_HANDLE;
    code = cushim__stream_enter(stream->is_default && stream->context ? stream : source, &scope);
    if (code)
        return code;
    return cushim__context_leave(
        &scope, cushim_driver()->StreamCopyAttributes(stream->handle, source->handle));
}
