/* SPDX-License-Identifier: Apache-2.0 */
/* The handles by which processes share events (driver-semantics.md #74 to #77). */
#include <string.h>

#include "src/mock/context/context.h"
#include "src/mock/event/event.h"
#include "src/mock/event/shared.h"
#include "src/mock/functions/functions.h"

/* The contents of a CUipcEventHandle. */
struct handle {
    char magic[8];
    struct mock_shared_pages address;
    uint64_t sum; /* checksum of the members before it */
};

_Static_assert(sizeof(struct handle) <= sizeof(CUipcEventHandle), "it does not fit");

static const char magic[8] = "cuSHIMev";

/* The hash is FNV-1a. */
static uint64_t sum_of(const struct handle *handle)
{
    const unsigned char *bytes = (const unsigned char *)handle;
    uint64_t sum = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < offsetof(struct handle, sum); i++)
        sum = (sum ^ bytes[i]) * UINT64_C(0x100000001b3);
    return sum;
}

/* Let other processes see the records of the event from now on, also one that is under way. */
static CUresult share(struct mock_event *event)
{
    struct mock_event_record *record = event->record;
    CUresult code = cushim__mock_shared_event_create(&event->shared);

    if (code != CUDA_SUCCESS || !record)
        return code;
    record->shared = cushim__mock_shared_event_retain(event->shared);
    record->shared_number = cushim__mock_shared_event_begin(event->shared);
    if (record->done)
        cushim__mock_shared_event_end(event->shared, record->shared_number);
    return CUDA_SUCCESS;
}

CUresult cushim__mock_IpcGetEventHandle(CUipcEventHandle *pHandle, CUevent event)
{
    struct handle handle = {.sum = 0};
    struct mock_context *context;
    struct mock_event *found;
    CUresult code = cushim__mock_context_current(&context); /* any one: driver-semantics.md #74 */

    if (code == CUDA_SUCCESS)
        code = cushim__mock_object_find(event, MOCK_EVENT, &found);
    if (code == CUDA_SUCCESS && (!(found->flags & CU_EVENT_INTERPROCESS) || found->imported))
        code = CUDA_ERROR_INVALID_HANDLE;
    if (code == CUDA_SUCCESS && !found->shared)
        code = share(found);
    if (code != CUDA_SUCCESS)
        return code;
    memcpy(handle.magic, magic, sizeof magic);
    handle.address = found->shared->pages;
    handle.sum = sum_of(&handle);
    memset(pHandle, 0, sizeof *pHandle);
    memcpy(pHandle, &handle, sizeof handle);
    return CUDA_SUCCESS;
}

/* Whether the event belongs to this process. */
static bool is_own(const struct handle *handle)
{
    struct mock_event *event = NULL;

    while ((event = cushim__mock_object_next(MOCK_EVENT, event))) {
        if (event->shared && !event->imported &&
            memcmp(event->shared->pages.key, handle->address.key, MOCK_PAGES_KEY_BYTES) == 0)
            return true;
    }
    return false;
}

CUresult cushim__mock_IpcOpenEventHandle(struct mock_context *current, struct mock_event **event,
                                         CUipcEventHandle handle)
{
    struct mock_shared_event *shared;
    struct handle known;
    CUresult code;

    memcpy(&known, &handle, sizeof known);
    if (memcmp(known.magic, magic, sizeof magic) != 0 || known.sum != sum_of(&known))
        return CUDA_ERROR_MAP_FAILED;
    if (is_own(&known))
        return CUDA_ERROR_INVALID_CONTEXT;
    code = cushim__mock_shared_event_open(&known.address, &shared);
    if (code != CUDA_SUCCESS)
        return code;
    code =
        cushim__mock_event_create(current, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING, event);
    if (code != CUDA_SUCCESS) {
        cushim__mock_shared_event_release(shared);
        return code;
    }
    (*event)->imported = true;
    (*event)->shared = shared;
    return CUDA_SUCCESS;
}
