/* SPDX-License-Identifier: Apache-2.0 */
/* Interprocess events, and their handles (driver-semantics.md #74 to #77). */
#include "src/mock/event/shared.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "src/mock/context/context.h"
#include "src/mock/event/event.h"
#include "src/mock/functions/functions.h"

/* A multiple of the size of pages on most systems. */
enum { PAGE_BYTES = 8192 };

_Static_assert(sizeof(struct mock_event_page) <= PAGE_BYTES, "it does not fit");
_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "processes share these");

struct mock_shared_event *cushim__mock_shared_event_retain(struct mock_shared_event *shared)
{
    shared->references++;
    return shared;
}

void cushim__mock_shared_event_release(struct mock_shared_event *shared)
{
    if (--shared->references > 0)
        return;
    if (shared->holder)
        cushim__mock_event_holder_destroy(shared);
    if (shared->page && shared->room)
        cushim__mock_pages_unshare(shared->room, shared->page, shared->bytes, &shared->pages);
    else if (shared->page)
        cushim__mock_pages_lose(shared->page, shared->bytes);
    if (shared->room)
        cushim__mock_pages_release(shared->room, shared->bytes);
    free(shared);
}

/* Complete `made`, or release it and fail, with `without` if it has no usable page. */
static CUresult finish(struct mock_shared_event *made, int file, CUresult without,
                       struct mock_shared_event **shared)
{
    CUresult code = without;

    if (made->page)
        code = cushim__mock_event_holder_create(made, file);
    if (code == CUDA_SUCCESS && made->bytes < sizeof *made->page)
        code = without;
    if (code == CUDA_SUCCESS)
        *shared = made;
    else
        cushim__mock_shared_event_release(made);
    return code == CUDA_ERROR_OPERATING_SYSTEM ? without : code;
}

CUresult cushim__mock_shared_event_create(struct mock_shared_event **shared)
{
    struct mock_shared_event *made = calloc(1, sizeof *made);

    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    made->references = 1;
    made->bytes = PAGE_BYTES;
    made->room = cushim__mock_pages_room(PAGE_BYTES);
    if (!made->room || !cushim__mock_pages_back(made->room, PAGE_BYTES))
        return finish(made, -1, CUDA_ERROR_OUT_OF_MEMORY, shared);
    made->page = cushim__mock_pages_share(made->room, PAGE_BYTES, &made->pages);
    return finish(made, made->pages.file, CUDA_ERROR_OPERATING_SYSTEM, shared);
}

CUresult cushim__mock_shared_event_open(const struct mock_shared_pages *address,
                                        struct mock_shared_event **shared)
{
    struct mock_shared_event *made = calloc(1, sizeof *made);
    int file = -1;

    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    made->references = 1;
    made->pages = *address;
    made->page = cushim__mock_pages_find(address, &made->bytes, &file);
    return finish(made, file, CUDA_ERROR_MAP_FAILED, shared);
}

uint64_t cushim__mock_shared_event_newest(const struct mock_shared_event *shared)
{
    return atomic_load(&shared->page->newest);
}

void cushim__mock_shared_event_end(struct mock_shared_event *shared, uint64_t number)
{
    _Atomic uint64_t *done = &shared->page->done[number % MOCK_EVENT_SLOTS];
    uint64_t before = atomic_load(done);

    while (before < number && !atomic_compare_exchange_weak(done, &before, number))
        continue;
    cushim__mock_event_unhold(shared, number);
}

bool cushim__mock_shared_event_done(const struct mock_shared_event *shared, uint64_t number)
{
    return number == 0 || atomic_load(&shared->page->done[number % MOCK_EVENT_SLOTS]) >= number ||
           !cushim__mock_event_is_held(shared, number);
}

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
