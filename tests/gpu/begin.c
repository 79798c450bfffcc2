/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "begin.h"

#include <time.h>

#include "check.h"

const char *begin_library;

CUresult begin_driver(void)
{
    const struct cushim_load_options options = {.size = sizeof options, .library = begin_library};

    return cushim_init(&options);
}

CUdevice begin_device(void)
{
    CUdevice device = -1;

    OK(begin_driver());
    OK(cushim_device_get(&device, 0));
    return device;
}

struct cushim_context *begin_context(void)
{
    struct cushim_context *context = NULL;

    OK(cushim_context_retain_primary(&context, begin_device()));
    return context;
}

struct cushim_context *begin_other_context(void)
{
    struct cushim_context *context = NULL;

    OK(cushim_context_create(&context, begin_device(), NULL));
    return context;
}

struct cushim_stream *begin_stream(struct cushim_context *context)
{
    struct cushim_stream *stream = NULL;

    OK(cushim_stream_create(&stream, context, NULL));
    return stream;
}

struct cushim_event *begin_event(struct cushim_context *context)
{
    struct cushim_event *event = NULL;

    OK(cushim_event_create(&event, context, NULL));
    return event;
}

struct cushim_event *begin_untimed(struct cushim_context *context)
{
    const struct cushim_event_options options = {.size = sizeof options, .disable_timing = true};
    struct cushim_event *event = NULL;

    OK(cushim_event_create(&event, context, &options));
    return event;
}

CUcontext raw_context(const struct cushim_context *context)
{
    CUcontext handle = NULL;

    OK(cushim_context_handle(context, &handle));
    return handle;
}

CUstream raw_stream(const struct cushim_stream *stream)
{
    CUstream handle = NULL;

    OK(cushim_stream_handle(stream, &handle));
    return handle;
}

CUevent raw_event(const struct cushim_event *event)
{
    CUevent handle = NULL;

    OK(cushim_event_handle(event, &handle));
    return handle;
}

CUdeviceptr begin_memory(struct cushim_context *context, size_t bytes)
{
    struct cushim_context_scope scope;
    CUdeviceptr memory = 0;

    OK(cushim_context_push(context, &scope));
    OK(cushim_driver()->MemAlloc_v2(&memory, bytes));
    OK(cushim_context_pop(&scope));
    return memory;
}

void queue_fill(struct cushim_stream *stream, CUdeviceptr memory, size_t bytes)
{
    struct cushim_context_scope scope = {0};

    OK(cushim_context_push(cushim_stream_context(stream), &scope));
    OK(cushim_driver()->MemsetD8Async(memory, 7, bytes, raw_stream(stream)));
    OK(cushim_context_pop(&scope));
}

void make_current(struct cushim_context *context)
{
    OK(cushim_context_make_current(context));
}

CUcontext current_context(void)
{
    CUcontext context = NULL;

    OK(cushim_driver()->CtxGetCurrent(&context));
    return context;
}

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000U + (uint64_t)time.tv_nsec;
}

uint64_t now_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

uint64_t thread_ns(void)
{
    return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}
