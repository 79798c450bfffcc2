/* SPDX-License-Identifier: Apache-2.0 */
#include "objects.h"

#include "backend.h"
#include "check.h"

CUdevice load_device(void)
{
    CUdevice device = -1;

    MUST(backend_init_cushim());
    MUST(cushim_device_get(&device, 0));
    return device;
}

struct cushim_context *retain_primary(void)
{
    struct cushim_context *context = NULL;

    MUST(cushim_context_retain_primary(&context, load_device()));
    return context;
}

struct cushim_context *create_context(void)
{
    struct cushim_context *context = NULL;

    MUST(cushim_context_create(&context, load_device(), NULL));
    return context;
}

struct cushim_stream *create_stream(struct cushim_context *context)
{
    struct cushim_stream *stream = NULL;

    MUST(cushim_stream_create(&stream, context, NULL));
    return stream;
}

struct cushim_event *create_event(struct cushim_context *context)
{
    struct cushim_event *event = NULL;

    MUST(cushim_event_create(&event, context, NULL));
    return event;
}

struct cushim_event *create_done(struct cushim_context *context)
{
    struct cushim_event *event = NULL;

    MUST(cushim_event_create_recorded(&event, create_stream(context), NULL));
    MUST(cushim_event_synchronize(event));
    return event;
}

CUcontext context_handle(const struct cushim_context *context)
{
    CUcontext handle = NULL;

    MUST(cushim_context_handle(context, &handle));
    return handle;
}

CUstream stream_handle(const struct cushim_stream *stream)
{
    CUstream handle = NULL;

    MUST(cushim_stream_handle(stream, &handle));
    return handle;
}

CUevent event_handle(const struct cushim_event *event)
{
    CUevent handle = NULL;

    MUST(cushim_event_handle(event, &handle));
    return handle;
}
