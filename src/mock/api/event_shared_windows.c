/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page that processes share of an event: a section. What is begun and not done carries the
 * number of a member, which is a process that has the page; a member lives as long as an object of
 * its name does, and Windows ends that with the process.
 */
#include "src/mock/api/event_ipc.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/mock/memory/section_windows.h"

/* A record that is this many before the newest counts as done. */
enum { SLOTS = 448 };

static const char what[] = "event";

struct page {
    _Atomic uint64_t newest;
    _Atomic uint32_t members;      /* how many there have been */
    _Atomic uint64_t begun[SLOTS]; /* of the numbers that share a slot, the last: see claim_of() */
    _Atomic uint64_t done[SLOTS];  /* the same, the last that is done */
};

_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "processes share these");

struct mock_shared_event {
    unsigned references;
    HANDLE section; /* of the process that made it */
    struct page *page;
    unsigned char key[MOCK_PAGES_KEY_BYTES];
    uint32_t member;
    HANDLE alive;
};

/* A record that a member has begun. Nobody records 2^32 times. */
static uint64_t claim_of(uint64_t number, uint32_t member)
{
    return number << 32 | member;
}

static uint32_t number_of(uint64_t claim)
{
    return (uint32_t)(claim >> 32);
}

static void member_name(char name[MOCK_SECTION_NAME], const struct mock_shared_event *shared,
                        uint32_t member)
{
    char kind[16];

    snprintf(kind, sizeof kind, "m%x", (unsigned)member);
    cushim__mock_section_name(name, kind, shared->key);
}

static bool is_alive(const struct mock_shared_event *shared, uint32_t member)
{
    char name[MOCK_SECTION_NAME];
    HANDLE alive;

    member_name(name, shared, member);
    alive = OpenEventA(SYNCHRONIZE, FALSE, name);
    if (alive)
        CloseHandle(alive);
    return alive != NULL;
}

/* Takes section and page over, in any case. NULL: out of memory. */
static struct mock_shared_event *join(HANDLE section, struct page *page,
                                      const unsigned char key[MOCK_PAGES_KEY_BYTES])
{
    struct mock_shared_event *shared = calloc(1, sizeof *shared);
    char name[MOCK_SECTION_NAME];

    if (shared) {
        memcpy(shared->key, key, sizeof shared->key);
        shared->references = 1;
        shared->section = section;
        shared->page = page;
        shared->member = atomic_fetch_add(&page->members, 1);
        member_name(name, shared, shared->member);
        shared->alive = CreateEventA(NULL, TRUE, FALSE, name);
        if (shared->alive)
            return shared;
    }
    free(shared);
    UnmapViewOfFile(page);
    if (section)
        CloseHandle(section);
    return NULL;
}

CUresult cushim__mock_shared_event_create(struct mock_shared_event **shared)
{
    unsigned char key[MOCK_PAGES_KEY_BYTES];
    HANDLE section = cushim__mock_section_create(what, key, sizeof(struct page));
    struct page *page;

    if (!section)
        return CUDA_ERROR_OPERATING_SYSTEM;
    page = MapViewOfFile(section, FILE_MAP_READ | FILE_MAP_WRITE, 0, 0, 0);
    if (!page) {
        CloseHandle(section);
        return CUDA_ERROR_OPERATING_SYSTEM;
    }
    *shared = join(section, page, key);
    return *shared ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

void cushim__mock_shared_event_address(const struct mock_shared_event *shared,
                                       struct mock_shared_pages *address)
{
    address->process = (int32_t)GetCurrentProcessId();
    address->file = 0;
    memcpy(address->key, shared->key, sizeof address->key);
}

CUresult cushim__mock_shared_event_open(const struct mock_shared_pages *address,
                                        struct mock_shared_event **shared)
{
    size_t bytes;
    struct page *page = cushim__mock_section_find(what, address->key, &bytes);

    if (!page)
        return CUDA_ERROR_MAP_FAILED;
    *shared = join(NULL, page, address->key);
    return *shared ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

bool cushim__mock_shared_event_has_key(const struct mock_shared_event *shared,
                                       const unsigned char key[MOCK_PAGES_KEY_BYTES])
{
    return memcmp(shared->key, key, MOCK_PAGES_KEY_BYTES) == 0;
}

struct mock_shared_event *cushim__mock_shared_event_retain(struct mock_shared_event *shared)
{
    shared->references++;
    return shared;
}

void cushim__mock_shared_event_release(struct mock_shared_event *shared)
{
    if (--shared->references > 0)
        return;
    CloseHandle(shared->alive);
    UnmapViewOfFile(shared->page);
    if (shared->section)
        CloseHandle(shared->section);
    free(shared);
}

/*
 * The claim comes before the number can be seen, so that it is never seen without its member. Who
 * finds a claim whose number is not written yet writes it: its member may be gone.
 */
uint64_t cushim__mock_shared_event_begin(struct mock_shared_event *shared)
{
    for (;;) {
        uint64_t newest = atomic_load(&shared->page->newest);
        const uint64_t number = newest + 1;
        _Atomic uint64_t *begun = &shared->page->begun[number % SLOTS];
        uint64_t before = atomic_load(begun);
        const bool claimed =
            number_of(before) < (uint32_t)number &&
            atomic_compare_exchange_strong(begun, &before, claim_of(number, shared->member));

        atomic_compare_exchange_strong(&shared->page->newest, &newest, number);
        if (claimed)
            return number;
    }
}

void cushim__mock_shared_event_end(struct mock_shared_event *shared, uint64_t number)
{
    _Atomic uint64_t *done = &shared->page->done[number % SLOTS];
    uint64_t before = atomic_load(done);

    while (before < number && !atomic_compare_exchange_weak(done, &before, number))
        continue;
}

uint64_t cushim__mock_shared_event_newest(const struct mock_shared_event *shared)
{
    return atomic_load(&shared->page->newest);
}

/* What is begun is done if its process is gone, and its work with it. */
bool cushim__mock_shared_event_done(const struct mock_shared_event *shared, uint64_t number)
{
    uint64_t begun;

    if (number == 0 || atomic_load(&shared->page->done[number % SLOTS]) >= number)
        return true;
    begun = atomic_load(&shared->page->begun[number % SLOTS]);
    if (number_of(begun) != (uint32_t)number) /* a later record has the slot */
        return true;
    return (uint32_t)begun != shared->member && !is_alive(shared, (uint32_t)begun);
}
