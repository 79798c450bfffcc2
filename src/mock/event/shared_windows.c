/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each process that has the event's page is a member with a number. A record that is begun and not
 * done has the number of its member. A member lives as long as a named object of its own, which
 * Windows closes when the process ends.
 */
#include "src/mock/event/shared.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include <windows.h>

struct mock_event_holder {
    uint32_t member;
    HANDLE alive;
};

/* Combine a record's number with the member that has begun it. Nobody records 2^32 times. */
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
    cushim__mock_section_name(name, kind, shared->pages.key);
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

CUresult cushim__mock_event_holder_create(struct mock_shared_event *shared, int file)
{
    struct mock_event_holder *holder = calloc(1, sizeof *holder);
    char name[MOCK_SECTION_NAME];

    (void)file;
    if (!holder)
        return CUDA_ERROR_OUT_OF_MEMORY;
    holder->member = atomic_fetch_add(&shared->page->members, 1);
    member_name(name, shared, holder->member);
    holder->alive = CreateEventA(NULL, TRUE, FALSE, name);
    if (!holder->alive) {
        free(holder);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    shared->holder = holder;
    return CUDA_SUCCESS;
}

void cushim__mock_event_holder_destroy(struct mock_shared_event *shared)
{
    CloseHandle(shared->holder->alive);
    free(shared->holder);
}

/*
 * The claim is made before others can see the number, so that it is never seen without its member.
 * A process that finds a claim whose number is not yet written writes it, because the member may
 * have ended.
 */
uint64_t cushim__mock_shared_event_begin(struct mock_shared_event *shared)
{
    for (;;) {
        uint64_t newest = atomic_load(&shared->page->newest);
        const uint64_t number = newest + 1;
        _Atomic uint64_t *begun = &shared->page->begun[number % MOCK_EVENT_SLOTS];
        uint64_t before = atomic_load(begun);
        const bool claimed = number_of(before) < (uint32_t)number &&
                             atomic_compare_exchange_strong(
                                 begun, &before, claim_of(number, shared->holder->member));

        atomic_compare_exchange_strong(&shared->page->newest, &newest, number);
        if (claimed)
            return number;
    }
}

void cushim__mock_event_unhold(struct mock_shared_event *shared, uint64_t number)
{
    (void)shared;
    (void)number;
}

bool cushim__mock_event_is_held(const struct mock_shared_event *shared, uint64_t number)
{
    const uint64_t begun = atomic_load(&shared->page->begun[number % MOCK_EVENT_SLOTS]);

    if (number_of(begun) != (uint32_t)number) /* a later record has the slot */
        return false;
    return (uint32_t)begun == shared->holder->member || is_alive(shared, (uint32_t)begun);
}
