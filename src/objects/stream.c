/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: their creation and destruction, queries, and waits. */
#include <stdlib.h>

#include <cushim/stream.h>

#include "src/base/options.h"
#include "src/objects/objects.h"

/* The constant default streams. Their references are not counted, and they are never closed. */
static struct cushim_stream legacy = {
    .ownership = CUSHIM__BORROWED,
    .is_default = true,
    .handle = CU_STREAM_LEGACY,
};
static struct cushim_stream per_thread = {
    .ownership = CUSHIM__BORROWED,
    .is_default = true,
    .handle = CU_STREAM_PER_THREAD,
};

static bool is_constant(const struct cushim_stream *stream)
{
    return stream == &legacy || stream == &per_thread;
}

/* The end of a stream's handle, which is destroyed if the object owns it. */
static inline CUresult end_stream_handle(const struct cushim_stream *stream)
{
    if (stream->ownership == CUSHIM__BORROWED)
        return CUDA_SUCCESS;
    return cushim__destroyed("cuStreamDestroy_v2", stream->handle,
                             cushim__destroyer(stream->maker)->StreamDestroy_v2(stream->handle));
}

/* The driver clamps priorities without an error. A query that fails is not an error either. */
static void log_clamped_priority(CUstream handle, int wanted)
{
    int given;

    if (wanted != 0 && /* every driver has this function */
        cushim_driver()->StreamGetPriority(handle, &given) == CUDA_SUCCESS && given != wanted)
        cushim__log("a stream was created with priority %d, as the driver has none of priority %d",
                    given, wanted);
}

CUresult cushim_stream_create(struct cushim_context *context,
                              const struct cushim_stream_options *options,
                              struct cushim_stream **stream)
{
    struct cushim_stream_options known = {.size = sizeof known};
    const struct cushim_table *table;
    struct cushim_context_scope scope;
    struct cushim_stream *new;
    CUstream handle = NULL;
    CUresult code, created;

    if (!context)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!stream || (options && !cushim__options_read(&known, sizeof known, options)))
        return CUDA_ERROR_INVALID_VALUE;
    new = malloc(sizeof *new); /* calloc() of glibc takes longer */
    if (!new)
        return CUDA_ERROR_OUT_OF_MEMORY;
    code = cushim__context_enter(context, &scope);
    if (code)
        goto failed;
    table = cushim_driver();
    created = table->StreamCreateWithPriority(
        &handle, known.sync_with_legacy ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING,
        known.priority);
    *new = (struct cushim_stream){.references = 1,
                                  .ownership = CUSHIM__OWNED,
                                  .plain = true,
                                  .handle = handle,
                                  .maker = cushim__creating_table(table),
                                  .context = context};
    code = cushim__context_leave(&scope, created);
    if (code && created == CUDA_SUCCESS) {
        new->context = NULL; /* not retained yet */
        cushim_stream_release(new);
        return code;
    }
    if (code)
        goto failed;
    log_clamped_priority(handle, known.priority);
    cushim__retain(&context->references);
    *stream = new;
    return CUDA_SUCCESS;

failed:
    free(new);
    return code;
}

CUresult cushim_stream_wrap(CUstream handle, struct cushim_context *context,
                            struct cushim_stream **stream)
{
    const bool is_default = !handle || handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD;
    struct cushim_stream *new;

    if (!stream)
        return CUDA_ERROR_INVALID_VALUE;
    new = malloc(sizeof *new);
    if (!new)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *new = (struct cushim_stream){.references = 1,
                                  .ownership = CUSHIM__BORROWED,
                                  .plain = !is_default,
                                  .is_default = is_default,
                                  .handle = handle,
                                  .context = cushim_context_retain(context)};
    *stream = new;
    return CUDA_SUCCESS;
}

struct cushim_stream *cushim_stream_legacy(void)
{
    return &legacy;
}

struct cushim_stream *cushim_stream_per_thread(void)
{
    return &per_thread;
}

struct cushim_stream *cushim_stream_retain(struct cushim_stream *stream)
{
    if (stream && !is_constant(stream))
        cushim__retain(&stream->references);
    return stream;
}

CUresult cushim_stream_release(struct cushim_stream *stream)
{
    CUresult code, released;

    if (!stream || is_constant(stream) || !cushim__drop(&stream->references))
        return CUDA_SUCCESS;
    code = cushim__stream_is_open(stream) ? end_stream_handle(stream) : CUDA_SUCCESS;
    released = cushim__context_release(stream->context);
    free(stream);
    return code ? code : released;
}

CUresult cushim_stream_close(struct cushim_stream *stream)
{
    if (!stream)
        return CUDA_ERROR_INVALID_HANDLE;
    if (is_constant(stream))
        return CUDA_SUCCESS;
    atomic_store_explicit(&stream->plain, false, memory_order_relaxed);
    if (atomic_exchange_explicit(&stream->closed, true, memory_order_acq_rel))
        return CUDA_SUCCESS;
    return end_stream_handle(stream);
}

CUresult cushim_stream_get_handle(const struct cushim_stream *stream, CUstream *handle)
{
    if (!cushim__stream_is_open(stream))
        return CUDA_ERROR_INVALID_HANDLE;
    if (!handle)
        return CUDA_ERROR_INVALID_VALUE;
    *handle = stream->handle;
    return CUDA_SUCCESS;
}

CUresult cushim_stream_get_context(const struct cushim_stream *stream,
                                   struct cushim_context **context)
{
    if (!stream)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!context)
        return CUDA_ERROR_INVALID_VALUE;
    *context = stream->context;
    return CUDA_SUCCESS;
}

/*
 * "Not ready" is no failure. If the context cannot be put back, that failure is returned instead.
 */
CUSHIM__SLOW_PATH static CUresult query_in_context(const struct cushim_stream *stream)
{
    struct cushim_context_scope scope;
    CUresult code = cushim__stream_enter(stream, &scope), answer;

    if (code)
        return code;
    answer = cushim_driver()->StreamQuery(stream->handle);
    code = cushim__context_leave(&scope, answer == CUDA_ERROR_NOT_READY ? CUDA_SUCCESS : answer);
    return code ? code : answer;
}

CUresult cushim_stream_query(const struct cushim_stream *stream)
{
    if (!stream || !cushim__stream_is_plain(stream))
        return query_in_context(stream);
    return cushim_driver()->StreamQuery(stream->handle);
}

CUresult cushim_stream_synchronize(struct cushim_stream *stream)
{
    struct cushim_context_scope scope;
    const CUresult code = cushim__stream_enter(stream, &scope);

    if (code)
        return code;
    return cushim__context_leave(&scope, cushim_driver()->StreamSynchronize(stream->handle));
}

static CUresult look(void *object)
{
    return cushim_stream_query(object);
}

CUresult cushim_stream_synchronize_for(struct cushim_stream *stream, uint64_t timeout_ns)
{
    return cushim__poll(look, stream, timeout_ns);
}

CUresult cushim_stream_get_device(const struct cushim_stream *stream, CUdevice *device)
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
        return cushim_context_get_device(stream->context, device);
    code = cushim_driver()->StreamGetDevice(stream->handle, &value);
    if (code == CUDA_SUCCESS)
        *device = value;
    if (code != CUSHIM__REQUIRES_NEWER_DRIVER)
        return code;
    code = cushim_driver()->StreamGetCtx(stream->handle, &borrowed.handle);
    return code ? code : cushim_context_get_device(&borrowed, device);
}

/* --- the order of work between streams, and host functions as part of it --- */

/* The path for default streams, and for arguments that are rejected. */
CUSHIM__SLOW_PATH static CUresult wait_special(const struct cushim_stream *stream,
                                               const struct cushim_event *event)
{
    struct cushim_context_scope scope;
    CUevent handle;
    CUresult code;

    if (!cushim__stream_is_open(stream) || !event)
        return CUDA_ERROR_INVALID_HANDLE;
    handle = cushim__event_handle(event);
    if (!handle) /* the driver might report the context first */
        return CUDA_ERROR_INVALID_HANDLE;
    code = cushim__stream_enter(stream, &scope);
    if (code)
        return code;
    return cushim__context_leave(&scope,
                                 cushim_driver()->StreamWaitEvent(stream->handle, handle, 0));
}

/* The driver itself refuses the NULL of a closed event (driver-semantics.md #20). */
CUresult cushim_stream_wait_event(struct cushim_stream *stream, struct cushim_event *event)
{
    unsigned flags = 0;
    CUevent handle;

    if (!stream || !event || !cushim__stream_is_plain(stream))
        return wait_special(stream, event);
    handle = cushim__event_handle(event);
#if defined(__GNUC__)
    __asm__("" : "+r"(flags)); /* for a constant, gcc would load the function before the jump */
#endif
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
    code = cushim_stream_wait_event(stream, event);
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
