/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of work between streams, and functions of the host as part of it.
 */
#include <cushim/stream.h>

#include "src/objects.h"

/* On a default stream, or not at all. */
CUSHIM__SLOW_PATH static CUresult wait_special(const struct cushim_stream *stream,
                                               const struct cushim_event *event, unsigned flags)
{
    struct cushim_context_scope scope;
    CUevent handle;
    CUresult code;

    if (!cushim__stream_is_open(stream) || !event)
        return CUDA_ERROR_INVALID_HANDLE;
    handle = cushim__event_handle(event);
    if (!handle) /* the driver might speak of the context first */
        return CUDA_ERROR_INVALID_HANDLE;
    code = cushim__stream_enter(stream, &scope);
    if (code)
        return code;
    return cushim__context_leave(&scope,
                                 cushim_driver()->StreamWaitEvent(stream->handle, handle, flags));
}

/* The driver itself refuses the NULL of a closed event (driver semantics, statement 20). */
CUresult cushim_stream_wait_event(struct cushim_stream *stream, struct cushim_event *event,
                                  unsigned flags)
{
    CUevent handle;

    if (!stream || !event || !cushim__stream_is_plain(stream))
        return wait_special(stream, event, flags);
    handle = cushim__event_handle(event);
    return cushim_driver()->StreamWaitEvent(stream->handle, handle, flags);
}

CUresult cushim_stream_wait_stream(struct cushim_stream *stream, struct cushim_stream *other)
{
    const struct cushim_event_options options = {.size = sizeof options, .disable_timing = true};
    struct cushim_event *event;
    CUresult code, released;

    if (!cushim__stream_is_open(stream))
        return CUDA_ERROR_INVALID_HANDLE;
    code = cushim_event_create_recorded(other, &options, &event);
    if (code)
        return code;
    code = cushim_stream_wait_event(stream, event, 0);
    released = cushim_event_release(event);
    return code ? code : released;
}

CUresult cushim_stream_launch_host_function(struct cushim_stream *stream, CUhostFn function,
                                            void *data)
{
    struct cushim_context_scope scope;
    const CUresult code = cushim__stream_enter(stream, &scope);

    if (code)
        return code;
    return cushim__context_leave(&scope,
                                 cushim_driver()->LaunchHostFunc(stream->handle, function, data));
}
