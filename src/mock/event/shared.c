/* SPDX-License-Identifier: Apache-2.0 */
/* The pages of interprocess events (driver-semantics.md #74 to #77). */
#include "src/mock/event/shared.h"

#include <stdatomic.h>
#include <stdlib.h>

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
