/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events: their lifecycle, recording and waiting.
 *
 * A closed event has the handle NULL, which the driver itself refuses (driver-semantics.md #20). So
 * query and synchronize check only the object pointer. Handles are loaded before the table, so that
 * the call is one instruction, a jump through memory.
 */
#include <stdlib.h>

#include <cushim/event.h>

#include "src/base/options.h"
#include "src/objects/objects.h"

/* The context that an event for this stream belongs to, with a reference for the caller. */
static CUresult context_of(struct cushim_stream *stream, struct cushim_context **context)
{
    CUcontext handle = NULL;
    CUresult code;

    if (stream->context) {
        *context = cushim_context_retain(stream->context);
        return CUDA_SUCCESS;
    }
    if (stream->is_default)
        return cushim_context_wrap_current(context);
    code = cushim_driver()->StreamGetCtx(stream->handle, &handle);
    return code ? code : cushim_context_wrap(handle, context);
}

static bool can_record(const struct cushim_event *event, const struct cushim_stream *stream)
{
    return event && cushim__stream_is_open(stream) && cushim__event_handle(event);
}

static bool is_plain(const struct cushim_event *event)
{
    return atomic_load_explicit(&event->plain, memory_order_relaxed);
}

/* Store in the object that the driver has recorded the event. */
static CUresult recorded(struct cushim_event *event, CUresult code)
{
    if (!code) {
        atomic_store_explicit(&event->recorded, true, memory_order_relaxed);
        atomic_store_explicit(&event->plain, true, memory_order_relaxed);
    }
    return code;
}

/* A default stream depends on the current context, so the stream's or event's is made current. */
static CUresult record_on_default(struct cushim_event *event, struct cushim_stream *stream)
{
    struct cushim_context *context = stream->context ? stream->context : event->context;
    struct cushim_context_scope scope;
    CUresult code;

    code = cushim__context_enter(context, &scope);
    if (code)
        return code;
    code = cushim_driver()->EventRecord(cushim__event_handle(event), stream->handle);
    return cushim__context_leave(&scope, recorded(event, code));
}

/* The first record of an event, and each on a default stream, needs more than the fast path. */
CUSHIM__SLOW_PATH static CUresult record_first(struct cushim_event *event,
                                               struct cushim_stream *stream)
{
    if (!can_record(event, stream))
        return CUDA_ERROR_INVALID_HANDLE;
    if (stream->is_default)
        return record_on_default(event, stream);
    return recorded(event,
                    cushim_driver()->EventRecord(cushim__event_handle(event), stream->handle));
}

static CUresult query_event(void *event)
{
    return cushim_event_query(event);
}

int cushim__event_flags(const struct cushim_event_options *options)
{
    struct cushim_event_options known = {.size = sizeof known};

    if (!cushim__options_read(&known, sizeof known, options))
        return -1;
    return (known.disable_timing ? CU_EVENT_DISABLE_TIMING : 0) |
           (known.blocking_sync ? CU_EVENT_BLOCKING_SYNC : 0) |
           (known.interprocess ? CU_EVENT_INTERPROCESS : 0);
}

/*
 * Destroy the handle of an event; NULL if the event was closed. A failure is logged; a handle that
 * is already gone counts as success.
 */
static inline CUresult end_event_handle(const struct cushim_event *event, CUevent handle)
{
    if (!handle || event->ownership == CUSHIM__BORROWED)
        return CUDA_SUCCESS;
    return cushim__destroyed("cuEventDestroy_v2", handle,
                             cushim__destroyer(event->maker)->EventDestroy_v2(handle));
}

CUresult cushim__event_make(struct cushim_event **event, struct cushim_context *context, int flags,
                            const struct cushim_stream *stream, const CUipcEventHandle *imported)
{
    struct cushim_event *made = malloc(sizeof *made); /* calloc() of glibc takes longer */
    const struct cushim_table *table;
    struct cushim_context_scope scope;
    CUevent handle = NULL;
    CUresult code;

    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    code = cushim__context_enter(context, &scope);
    if (code)
        goto failed;
    table = cushim_driver();
    code = imported ? table->IpcOpenEventHandle(&handle, *imported)
                    : table->EventCreate(&handle, (unsigned)flags);
    if (code) {
        code = cushim__context_leave(&scope, code);
        goto failed;
    }
    *made = (struct cushim_event){.references = 1,
                                  .ownership = CUSHIM__OWNED,
                                  .handle = handle,
                                  .context = context,
                                  .flags = (unsigned)flags,
                                  .flags_known = true,
                                  .imported = imported != NULL,
                                  .recorded = stream != NULL,
                                  .plain = stream != NULL,
                                  .maker = cushim__creating_table(table)};
    if (stream)
        code = cushim_driver()->EventRecord(handle, stream->handle);
    code = cushim__context_leave(&scope, code);
    if (code) {
        made->context = NULL; /* not retained yet */
        cushim_event_release(made);
        return code;
    }
    cushim__retain(&context->references);
    *event = made;
    return CUDA_SUCCESS;

failed:
    free(made);
    return code;
}

CUresult cushim_event_create(struct cushim_context *context,
                             const struct cushim_event_options *options,
                             struct cushim_event **event)
{
    const int flags = options ? cushim__event_flags(options) : CU_EVENT_DEFAULT;

    if (!context)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!event || flags < 0)
        return CUDA_ERROR_INVALID_VALUE;
    return cushim__event_make(event, context, flags, NULL, NULL);
}

CUresult cushim_event_create_recorded(struct cushim_stream *stream,
                                      const struct cushim_event_options *options,
                                      struct cushim_event **event)
{
    const int flags = cushim__event_flags(options);
    struct cushim_context *context;
    CUresult code;

    if (!cushim__stream_is_open(stream))
        return CUDA_ERROR_INVALID_HANDLE;
    if (!event || flags < 0)
        return CUDA_ERROR_INVALID_VALUE;
    code = context_of(stream, &context);
    if (code)
        return code;
    code = cushim__event_make(event, context, flags, stream, NULL);
    cushim_context_release(context); /* never the last reference to one of cushim's own */
    return code;
}

CUresult cushim_event_wrap(CUevent handle, struct cushim_context *context,
                           const struct cushim_event_options *known, struct cushim_event **event)
{
    const int flags = cushim__event_flags(known);
    struct cushim_event *wrapper;

    if (!handle)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!event || flags < 0)
        return CUDA_ERROR_INVALID_VALUE;
    wrapper = malloc(sizeof *wrapper);
    if (!wrapper)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *wrapper = (struct cushim_event){.references = 1,
                                     .ownership = CUSHIM__BORROWED,
                                     .handle = handle,
                                     .context = cushim_context_retain(context),
                                     .flags = (unsigned)flags,
                                     .flags_known = known != NULL};
    *event = wrapper;
    return CUDA_SUCCESS;
}

struct cushim_event *cushim_event_retain(struct cushim_event *event)
{
    if (event)
        cushim__retain(&event->references);
    return event;
}

CUresult cushim_event_release(struct cushim_event *event)
{
    CUresult closed, ended;

    if (!event || !cushim__drop(&event->references))
        return CUDA_SUCCESS;
    if (event->pool)
        return cushim__event_pool_take_back(event);
    closed = end_event_handle(event, cushim__event_handle(event)); /* nobody else has it */
    ended = cushim__context_release(event->context);
    free(event);
    return closed ? closed : ended;
}

CUresult cushim_event_close(struct cushim_event *event)
{
    if (!event)
        return CUDA_ERROR_INVALID_HANDLE;
    atomic_store_explicit(&event->plain, false, memory_order_relaxed);
    return end_event_handle(event, atomic_exchange(&event->handle, NULL));
}

CUresult cushim_event_get_handle(const struct cushim_event *event, CUevent *handle)
{
    if (!event || !cushim__event_handle(event))
        return CUDA_ERROR_INVALID_HANDLE;
    if (!handle)
        return CUDA_ERROR_INVALID_VALUE;
    *handle = cushim__event_handle(event);
    return CUDA_SUCCESS;
}

CUresult cushim_event_record(struct cushim_event *event, struct cushim_stream *stream)
{
    CUevent handle;

    if (!event || !stream || !cushim__stream_is_plain(stream) || !is_plain(event))
        return record_first(event, stream);
    handle = cushim__event_handle(event);
    return cushim_driver()->EventRecord(handle, stream->handle);
}

CUresult cushim_event_query(const struct cushim_event *event)
{
    CUevent handle;

    if (!event)
        return CUDA_ERROR_INVALID_HANDLE;
    handle = cushim__event_handle(event);
    return cushim_driver()->EventQuery(handle);
}

CUresult cushim_event_synchronize(struct cushim_event *event)
{
    CUevent handle;

    if (!event)
        return CUDA_ERROR_INVALID_HANDLE;
    handle = cushim__event_handle(event);
    return cushim_driver()->EventSynchronize(handle);
}

CUresult cushim_event_synchronize_for(struct cushim_event *event, uint64_t timeout_ns)
{
    return event ? cushim__poll(query_event, event, timeout_ns) : CUDA_ERROR_INVALID_HANDLE;
}

/* --- properties that the object knows, without a call of the driver --- */

CUresult cushim_event_get_context(const struct cushim_event *event, struct cushim_context **context)
{
    if (!event)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!context)
        return CUDA_ERROR_INVALID_VALUE;
    *context = event->context;
    return CUDA_SUCCESS;
}

CUresult cushim_event_get_info(const struct cushim_event *event, struct cushim_event_info *info)
{
    struct cushim_event_info known = {.size = sizeof known};

    if (!event)
        return CUDA_ERROR_INVALID_HANDLE;
    known.has_flags = event->flags_known;
    known.flags = event->flags_known ? event->flags : 0;
    known.is_imported = event->imported;
    known.is_recorded = atomic_load_explicit(&event->recorded, memory_order_relaxed);
    known.is_closed = !cushim__event_handle(event);
    return cushim__options_write(info, &known) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* --- events that two processes share --- */

CUresult cushim_event_export(const struct cushim_event *event, CUipcEventHandle *handle)
{
    struct cushim_context_scope scope;
    CUipcEventHandle exported;
    CUresult code;

    if (!event || !cushim__event_handle(event))
        return CUDA_ERROR_INVALID_HANDLE;
    if (!handle)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__context_enter(event->context, &scope);
    if (code)
        return code;
    code = cushim_driver()->IpcGetEventHandle(&exported, cushim__event_handle(event));
    code = cushim__context_leave(&scope, code);
    if (!code)
        *handle = exported;
    return code;
}

CUresult cushim_event_import(struct cushim_context *context, const CUipcEventHandle *handle,
                             struct cushim_event **event)
{
    /* It behaves like one without timing (driver-semantics.md #76). */
    const int flags = CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;

    if (!context)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!event || !handle)
        return CUDA_ERROR_INVALID_VALUE;
    return cushim__event_make(event, context, flags, NULL, handle);
}
