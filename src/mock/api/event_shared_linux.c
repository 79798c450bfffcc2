/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page that processes share of an event. It is a file in memory without a name, which others
 * open through /proc; what this process has begun and not ended it holds locks on.
 */
#define _GNU_SOURCE
#include "src/mock/api/event_ipc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "src/mock/memory/shared_file_linux.h"

/* A record that is this many before the newest counts as done. */
enum { SLOTS = 448 };

/* So often a lock is asked for that another process holds. */
enum { LOCK_TRIES = 1000 };

static const char magic[8] = "cushimev";

struct page {
    char magic[sizeof magic];
    unsigned char key[MOCK_PAGES_KEY_BYTES]; /* random: no other page has it */
    _Atomic uint64_t newest;
    _Atomic uint64_t done[SLOTS]; /* of the numbers that share a slot, the last that is done */
};

_Static_assert(sizeof(struct page) <= 4096, "it is one page");
_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "processes share these");

struct mock_shared_event {
    unsigned references;
    int file;
    struct page *page;
    uint64_t begun[SLOTS]; /* by this process, and not ended; 0: none */
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

/* Whether the system lets this process have such locks: no record has the number 0. */
static bool can_lock(int file)
{
    return lock(file, F_WRLCK, 0) ? lock(file, F_UNLCK, 0) : errno == EAGAIN || errno == EACCES;
}

/* Takes the file over, in any case. NULL: out of memory. */
static struct mock_shared_event *map(int file)
{
    struct mock_shared_event *shared = calloc(1, sizeof *shared);
    struct page *page;

    if (!shared) {
        close(file);
        return NULL;
    }
    page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (page == MAP_FAILED) {
        close(file);
        free(shared);
        return NULL;
    }
    shared->references = 1;
    shared->file = file;
    shared->page = page;
    return shared;
}

static bool fill_random(void *bytes, size_t count)
{
    return getrandom(bytes, count, 0) == (ssize_t)count;
}

CUresult cushim__mock_shared_event_create(struct mock_shared_event **shared)
{
    int file = cushim__mock_shared_file_create("cushim-event");

    if (file < 0)
        return CUDA_ERROR_OPERATING_SYSTEM;
    if (ftruncate(file, sizeof(struct page)) != 0 || !cushim__mock_shared_file_seal(file) ||
        !can_lock(file)) {
        close(file);
        return CUDA_ERROR_OPERATING_SYSTEM;
    }
    *shared = map(file);
    if (!*shared)
        return CUDA_ERROR_OUT_OF_MEMORY;
    memcpy((*shared)->page->magic, magic, sizeof magic);
    if (!fill_random((*shared)->page->key, sizeof(*shared)->page->key)) {
        cushim__mock_shared_event_release(*shared);
        return CUDA_ERROR_OPERATING_SYSTEM;
    }
    return CUDA_SUCCESS;
}

void cushim__mock_shared_event_address(const struct mock_shared_event *shared,
                                       struct mock_shared_pages *address)
{
    address->process = (int32_t)getpid();
    address->file = (int32_t)shared->file;
    memcpy(address->key, shared->page->key, sizeof address->key);
}

/* Whether an open file is the page with this key. */
static bool is_page(int file, const unsigned char key[MOCK_PAGES_KEY_BYTES])
{
    struct page head;
    const size_t bytes = offsetof(struct page, newest);

    return lseek(file, 0, SEEK_END) == (off_t)sizeof head &&
           pread(file, &head, bytes, 0) == (ssize_t)bytes &&
           memcmp(head.magic, magic, sizeof magic) == 0 &&
           memcmp(head.key, key, sizeof head.key) == 0;
}

CUresult cushim__mock_shared_event_open(const struct mock_shared_pages *address,
                                        struct mock_shared_event **shared)
{
    const int file = cushim__mock_shared_file_open(address->process, address->file);

    if (file < 0)
        return CUDA_ERROR_MAP_FAILED;
    if (!is_page(file, address->key) || !can_lock(file)) {
        close(file);
        return CUDA_ERROR_MAP_FAILED;
    }
    *shared = map(file);
    return *shared ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

bool cushim__mock_shared_event_has_key(const struct mock_shared_event *shared,
                                       const unsigned char key[MOCK_PAGES_KEY_BYTES])
{
    return memcmp(shared->page->key, key, MOCK_PAGES_KEY_BYTES) == 0;
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
    munmap(shared->page, sizeof *shared->page);
    close(shared->file);
    free(shared);
}

/*
 * The lock comes before the number can be seen, so that it is never seen unlocked and not done.
 * Another process holds it for a moment only; where one holds it on, that lock does as well.
 */
uint64_t cushim__mock_shared_event_begin(struct mock_shared_event *shared)
{
    uint64_t newest = atomic_load(&shared->page->newest);

    for (unsigned tries = 0;; tries++) {
        const uint64_t number = newest + 1;

        /* If there is no lock to be had, what ends the process also ends who waits for it. */
        if (!lock(shared->file, F_WRLCK, number) && tries < LOCK_TRIES &&
            (errno == EAGAIN || errno == EACCES)) {
            newest = atomic_load(&shared->page->newest);
            continue;
        }
        if (atomic_compare_exchange_strong(&shared->page->newest, &newest, number)) {
            shared->begun[number % SLOTS] = number;
            return number;
        }
        lock(shared->file, F_UNLCK, number);
    }
}

void cushim__mock_shared_event_end(struct mock_shared_event *shared, uint64_t number)
{
    _Atomic uint64_t *done = &shared->page->done[number % SLOTS];
    uint64_t before = atomic_load(done);

    while (before < number && !atomic_compare_exchange_weak(done, &before, number))
        continue;
    if (shared->begun[number % SLOTS] == number)
        shared->begun[number % SLOTS] = 0;
    lock(shared->file, F_UNLCK, number);
}

uint64_t cushim__mock_shared_event_newest(const struct mock_shared_event *shared)
{
    return atomic_load(&shared->page->newest);
}

/* A number that nobody holds is done, or its process is gone, and its work with it. */
bool cushim__mock_shared_event_done(const struct mock_shared_event *shared, uint64_t number)
{
    if (number == 0 || atomic_load(&shared->page->done[number % SLOTS]) >= number)
        return true;
    if (shared->begun[number % SLOTS] == number)
        return false;
    return !is_locked(shared->file, number);
}
