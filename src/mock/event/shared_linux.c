/* SPDX-License-Identifier: Apache-2.0 */
/* To hold a record's number, a process locks the byte of that offset in the event's file. */
#define _GNU_SOURCE
#include "src/mock/event/shared.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

/* How often a lock that another process holds is requested. */
enum { LOCK_TRIES = 1000 };

struct mock_event_holder {
    int file;
    uint64_t begun[MOCK_EVENT_SLOTS]; /* begun by this process and not ended; 0 if none */
};

static bool lock(int file, short type, uint64_t number)
{
    struct flock range = {
        .l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)(number & INT64_MAX), .l_len = 1};

    return fcntl(file, F_OFD_SETLK, &range) == 0;
}

static bool is_locked(int file, uint64_t number)
{
    struct flock range = {.l_type = F_WRLCK,
                          .l_whence = SEEK_SET,
                          .l_start = (off_t)(number & INT64_MAX),
                          .l_len = 1};

    return fcntl(file, F_OFD_GETLK, &range) == 0 && range.l_type != F_UNLCK;
}

/* Whether the system grants this process such locks. It tries number 0, which no record has. */
static bool can_lock(int file)
{
    return lock(file, F_WRLCK, 0) ? lock(file, F_UNLCK, 0) : errno == EAGAIN || errno == EACCES;
}

CUresult cushim__mock_event_holder_create(struct mock_shared_event *shared, int file)
{
    shared->holder = calloc(1, sizeof *shared->holder);
    if (!shared->holder) {
        if (!shared->room)
            close(file);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    shared->holder->file = file;
    return can_lock(file) ? CUDA_SUCCESS : CUDA_ERROR_OPERATING_SYSTEM;
}

void cushim__mock_event_holder_destroy(struct mock_shared_event *shared)
{
    if (!shared->room)
        close(shared->holder->file);
    free(shared->holder);
}

/*
 * The number is locked before others can see it, so that it is never seen unlocked and not done.
 * Another process holds the lock only for a moment; if one keeps it, that lock serves as well.
 */
uint64_t cushim__mock_shared_event_begin(struct mock_shared_event *shared)
{
    struct mock_event_holder *holder = shared->holder;
    uint64_t newest = atomic_load(&shared->page->newest);

    for (unsigned tries = 0;; tries++) {
        const uint64_t number = newest + 1;

        /* If there is no lock to be had, what ends the process also ends who waits for it. */
        if (!lock(holder->file, F_WRLCK, number) && tries < LOCK_TRIES &&
            (errno == EAGAIN || errno == EACCES)) {
            newest = atomic_load(&shared->page->newest);
            continue;
        }
        if (atomic_compare_exchange_strong(&shared->page->newest, &newest, number)) {
            holder->begun[number % MOCK_EVENT_SLOTS] = number;
            return number;
        }
        lock(holder->file, F_UNLCK, number);
    }
}

void cushim__mock_event_unhold(struct mock_shared_event *shared, uint64_t number)
{
    uint64_t *begun = &shared->holder->begun[number % MOCK_EVENT_SLOTS];

    if (*begun == number)
        *begun = 0;
    lock(shared->holder->file, F_UNLCK, number);
}

bool cushim__mock_event_is_held(const struct mock_shared_event *shared, uint64_t number)
{
    return shared->holder->begun[number % MOCK_EVENT_SLOTS] == number ||
           is_locked(shared->holder->file, number);
}
