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

bool cushim__event_flags_of(const struct cushim_event_options *options, unsigned *flags)
{
    struct cushim_event_options known = {.size = sizeof known};

    if (!cushim__options_read(&known, sizeof known, options))
        return false;
    *flags = (known.disable_timing ? (unsigned)CU_EVENT_DISABLE_TIMING : 0) |
             (known.blocking_sync ? (unsigned)CU_EVENT_BLOCKING_SYNC : 0) |
             (known.interprocess ? (unsigned)CU_EVENT_INTERPROCESS : 0);
    return true;
}

/* Destroy the handle of an event. A failure is logged; a handle that is already gone is success. */
static CUresult destroy_event_handle(CUevent handle, const struct cushim_table *maker)
{
    return cushim__destroyed("cuEventDestroy_v2", handle,
                             cushim__destroyer(maker)->EventDestroy_v2(handle));
}

/* The end of the handle that an event had; NULL if it was closed before. */
static CUresult end_event_handle(const struct cushim_event *event, CUevent handle)
{
    if (!handle || event->ownership == CUSHIM__BORROWED)
        return CUDA_SUCCESS;
    return destroy_event_handle(handle, event->maker);
}

CUresult cushim__event_open(struct cushim_event *event, const struct cushim_stream *stream)
{
    struct cushim_context_scope scope;
    const struct cushim_table *table;
    CUevent created = NULL;
    CUresult code;

    code = cushim__context_enter(event->context, &scope);
    if (code)
        return code;
    table = cushim_driver();
    code = table->EventCreate(&created, event->flags);
    if (code)
        return cushim__context_leave(&scope, code);
    table = cushim__creating_table(table);
    if (stream)
        code = cushim_driver()->EventRecord(created, stream->handle);
    code = cushim__context_leave(&scope, code);
    if (code) {
        destroy_event_handle(created, table);
        return code;
    }
    event->maker = table;
    atomic_store_explicit(&event->handle, created, memory_order_relaxed);
    return CUDA_SUCCESS;
}

/* A new object, with one reference, of an open event. Retains `context`. NULL if out of memory. */
static struct cushim_event *new_event(enum cushim__ownership ownership,
                                      struct cushim_context *context)
{
    struct cushim_event *event = malloc(sizeof *event); /* calloc() of glibc takes longer */

    if (event)
        *event = (struct cushim_event){
            .references = 1, .ownership = ownership, .context = cushim_context_retain(context)};
    return event;
}

/* Undo new_event() for an object whose handle was never set. */
static void discard_event(struct cushim_event *event)
{
    cushim_context_release(event->context);
    free(event);
}

/* Create an event in a context, recorded if there is a stream to record it on. */
static CUresult create(struct cushim_event **event, struct cushim_context *context,
                       const struct cushim_stream *stream, unsigned flags)
{
    struct cushim_event *created = new_event(CUSHIM__OWNED, context);
    CUresult code;

    if (!created)
        return CUDA_ERROR_OUT_OF_MEMORY;
    created->flags = flags;
    created->flags_known = true;
    code = cushim__event_open(created, stream);
    if (code) {
        discard_event(created);
        return code;
    }
    atomic_init(&created->recorded, stream != NULL);
    *event = created;
    return CUDA_SUCCESS;
}

CUresult cushim_event_create(struct cushim_context *context,
                             const struct cushim_event_options *options,
                             struct cushim_event **event)
{
    unsigned flags = CU_EVENT_DEFAULT;

    if (!context)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!event || (options && !cushim__event_flags_of(options, &flags)))
        return CUDA_ERROR_INVALID_VALUE;
    return create(event, context, NULL, flags);
}

CUresult cushim_event_create_recorded(struct cushim_stream *stream,
                                      const struct cushim_event_options *options,
                                      struct cushim_event **event)
{
    struct cushim_context *context;
    unsigned flags;
    CUresult code;

    if (!cushim__stream_is_open(stream))
        return CUDA_ERROR_INVALID_HANDLE;
    if (!event || !cushim__event_flags_of(options, &flags))
        return CUDA_ERROR_INVALID_VALUE;
    code = context_of(stream, &context);
    if (code)
        return code;
    code = create(event, context, stream, flags);
    cushim_context_release(context); /* never the last reference to one of cushim's own */
    return code;
}

CUresult cushim_event_wrap(CUevent handle, struct cushim_context *context,
                           const struct cushim_event_options *known, struct cushim_event **event)
{
    struct cushim_event *wrapper;
    unsigned flags;

    if (!handle)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!event || !cushim__event_flags_of(known, &flags))
        return CUDA_ERROR_INVALID_VALUE;
    wrapper = new_event(CUSHIM__BORROWED, context);
    if (!wrapper)
        return CUDA_ERROR_OUT_OF_MEMORY;
    atomic_init(&wrapper->handle, handle);
    wrapper->flags = flags;
    wrapper->flags_known = known != NULL;
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
    ended = cushim_context_release(event->context);
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

/*
 * Events that two processes share. An imported event behaves like one without timing
 * (driver-semantics.md #76).
 */

static CUresult open_handle(struct cushim_event *imported, const CUipcEventHandle *handle)
{
    struct cushim_context_scope scope;
    const struct cushim_table *table;
    CUevent event = NULL;
    CUresult code, left;

    code = cushim__context_enter(imported->context, &scope);
    if (code)
        return code;
    table = cushim_driver();
    code = table->IpcOpenEventHandle(&event, *handle);
    left = cushim__context_leave(&scope, code);
    imported->maker = cushim__creating_table(table);
    if (!code && left)
        destroy_event_handle(event, imported->maker);
    if (!left)
        atomic_init(&imported->handle, event);
    return left;
}

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
    struct cushim_event *imported;
    CUresult code;

    if (!context)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!event || !handle)
        return CUDA_ERROR_INVALID_VALUE;
    imported = new_event(CUSHIM__OWNED, context);
    if (!imported)
        return CUDA_ERROR_OUT_OF_MEMORY;
    code = open_handle(imported, handle);
    if (code) {
        discard_event(imported);
        return code;
    }
    imported->flags = CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
    imported->flags_known = true;
    imported->imported = true;
    *event = imported;
    return CUDA_SUCCESS;
}
