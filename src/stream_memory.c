/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stream memory operations. The `_v2` ones of the driver: those before it work only where the
 * administrator has enabled them.
 */
#include <cushim/stream_memory.h>

#include "src/objects.h"

CUresult cushim_stream_wait_value32(struct cushim_stream *stream, CUdeviceptr address,
                                    cuuint32_t value, unsigned flags)
{
    struct cushim_context_scope scope;
    const CUresult code = cushim__stream_enter(stream, &scope);

    if (code)
        return code;
    return cushim__context_leave(
        &scope, cushim_driver()->StreamWaitValue32_v2(stream->handle, address, value, flags));
}

CUresult cushim_stream_wait_value64(struct cushim_stream *stream, CUdeviceptr address,
                                    cuuint64_t value, unsigned flags)
{
    struct cushim_context_scope scope;
    const CUresult code = cushim__stream_enter(stream, &scope);

    if (code)
        return code;
    return cushim__context_leave(
        &scope, cushim_driver()->StreamWaitValue64_v2(stream->handle, address, value, flags));
}

CUresult cushim_stream_write_value32(struct cushim_stream *stream, CUdeviceptr address,
                                     cuuint32_t value, unsigned flags)
{
    struct cushim_context_scope scope;
    const CUresult code = cushim__stream_enter(stream, &scope);

    if (code)
        return code;
    return cushim__context_leave(
        &scope, cushim_driver()->StreamWriteValue32_v2(stream->handle, address, value, flags));
}

CUresult cushim_stream_write_value64(struct cushim_stream *stream, CUdeviceptr address,
                                     cuuint64_t value, unsigned flags)
{
    struct cushim_context_scope scope;
    const CUresult code = cushim__stream_enter(stream, &scope);

    if (code)
        return code;
    return cushim__context_leave(
        &scope, cushim_driver()->StreamWriteValue64_v2(stream->handle, address, value, flags));
}
