/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events that two processes share. An imported event behaves as one without timing (driver
 * semantics, statement 76).
 */
#include <cushim/event.h>

#include "src/event.h"

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
    imported->maker = cushim__maker(table);
    if (!code && left)
        cushim__event_destroy(event, imported->maker);
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
    imported = cushim__event_new(CUSHIM__OWNED, context);
    if (!imported)
        return CUDA_ERROR_OUT_OF_MEMORY;
    code = open_handle(imported, handle);
    if (code) {
        cushim__event_discard(imported);
        return code;
    }
    imported->flags = CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
    imported->flags_known = true;
    imported->imported = true;
    *event = imported;
    return CUDA_SUCCESS;
}
