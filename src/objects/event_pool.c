/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pools of events.
 *
 * A lock guards the list of free events; no driver call and no allocation is made under it. It is
 * the number of the process among those that fork() made, so that a forked child does not wait for
 * a thread of its parent, which does not exist there. Whatever step such a thread has reached, the
 * list is one that the child can use.
 *
 * Only what is open is counted: the events, and the program for as long as it has references. The
 * last of them frees the pool. A thread that returns an event does not look at the pool after it
 * has released the lock, when it may be gone.
 */
#include <cushim/event_pool.h>

#include <stdlib.h>

#include "src/base/options.h"
#include "src/base/system.h"
#include "src/objects/objects.h"

struct cushim_event_pool {
    atomic_uint references; /* those of the program */
    atomic_uint lock;       /* 0: free */
    struct cushim_context *context;
    int flags; /* of its events */

    /* Under the lock. */
    bool has_ended;                    /* events that come back are destroyed */
    size_t open;                       /* open events, plus 1 while the program has the pool */
    struct cushim_event *_Atomic free; /* linked by `next_free` */
};

/* Threads that find the lock taken. */
CUSHIM__SLOW_PATH static void wait_for_lock(struct cushim_event_pool *pool, unsigned locker)
{
    const unsigned own = atomic_load(&cushim__forks) + 1;

    for (unsigned times = 0;; times++) {
        if (!locker || locker != own) { /* free, or of a thread that fork() did not copy */
            if (atomic_compare_exchange_weak(&pool->lock, &locker, own))
                return;
            continue;
        }
        cushim__system_yield(times);
        locker = atomic_load(&pool->lock);
    }
}

static void lock_pool(struct cushim_event_pool *pool)
{
    const unsigned own = atomic_load_explicit(&cushim__forks, memory_order_relaxed) + 1;
    unsigned locker = 0;

    if (!atomic_compare_exchange_strong_explicit(&pool->lock, &locker, own, memory_order_acquire,
                                                 memory_order_relaxed))
        wait_for_lock(pool, locker);
}

static void unlock_pool(struct cushim_event_pool *pool)
{
    atomic_store_explicit(&pool->lock, 0, memory_order_release);
}

static struct cushim_event *free_events(const struct cushim_event_pool *pool)
{
    return atomic_load_explicit(&pool->free, memory_order_relaxed);
}

static void set_free_events(struct cushim_event_pool *pool, struct cushim_event *first)
{
    atomic_store_explicit(&pool->free, first, memory_order_release); /* after `next_free` */
}

/* Open another event of the pool, for the caller. */
static CUresult add_event(struct cushim_event_pool *pool, struct cushim_event **added)
{
    const CUresult code = cushim__event_make(added, pool->context, pool->flags, NULL, NULL);

    if (code)
        return code;
    (*added)->pool = pool;
    lock_pool(pool);
    pool->open++;
    unlock_pool(pool);
    return CUDA_SUCCESS;
}

/* Count one user less. The last one frees the pool. */
static CUresult leave_pool(struct cushim_event_pool *pool)
{
    CUresult code;
    size_t left;

    lock_pool(pool);
    left = --pool->open;
    unlock_pool(pool);
    if (left > 0)
        return CUDA_SUCCESS;
    code = cushim_context_release(pool->context);
    free(pool);
    return code;
}

/* Take an event out of the pool for good. */
static CUresult retire_event(struct cushim_event *event)
{
    struct cushim_event_pool *pool = event->pool;
    CUresult code, left;

    event->pool = NULL;
    atomic_store_explicit(&event->references, 1, memory_order_relaxed);
    code = cushim_event_release(event);
    left = leave_pool(pool);
    return code ? code : left;
}

CUresult cushim__event_pool_take_back(struct cushim_event *event)
{
    struct cushim_event_pool *pool = event->pool;
    bool is_kept = false;

    if (cushim__event_handle(event)) {
        lock_pool(pool);
        is_kept = !pool->has_ended;
        if (is_kept) {
            event->next_free = free_events(pool);
            set_free_events(pool, event);
        }
        unlock_pool(pool);
    }
    return is_kept ? CUDA_SUCCESS : retire_event(event);
}

CUresult cushim_event_pool_create(struct cushim_context *context,
                                  const struct cushim_event_options *kind,
                                  const struct cushim_event_pool_options *options,
                                  struct cushim_event_pool **pool)
{
    struct cushim_event_pool_options known = {.size = sizeof known};
    const int flags = cushim__event_flags(kind);
    struct cushim_event_pool *created;

    if (!context)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!pool || flags < 0 || !cushim__options_read(&known, sizeof known, options))
        return CUDA_ERROR_INVALID_VALUE;
    created = calloc(1, sizeof *created);
    if (!created)
        return CUDA_ERROR_OUT_OF_MEMORY;
    cushim__handle_forks();
    atomic_init(&created->references, 1);
    created->open = 1;
    created->context = cushim_context_retain(context);
    created->flags = flags;

    for (unsigned i = 0; i < known.initial; i++) {
        struct cushim_event *event;
        const CUresult code = add_event(created, &event);

        if (code) {
            cushim_event_pool_release(created);
            return code;
        }
        cushim__event_pool_take_back(event);
    }
    *pool = created;
    return CUDA_SUCCESS;
}

CUresult cushim_event_pool_acquire(struct cushim_event_pool *pool, struct cushim_event **event)
{
    struct cushim_event *taken;

    if (!pool)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!event)
        return CUDA_ERROR_INVALID_VALUE;
    lock_pool(pool);
    taken = free_events(pool);
    if (taken)
        set_free_events(pool, taken->next_free);
    unlock_pool(pool);
    if (!taken) {
        const CUresult code = add_event(pool, &taken);

        if (code)
            return code;
    }
    atomic_store_explicit(&taken->references, 1, memory_order_relaxed);
    atomic_store_explicit(&taken->recorded, false, memory_order_relaxed);
    atomic_store_explicit(&taken->plain, false, memory_order_relaxed);
    *event = taken;
    return CUDA_SUCCESS;
}

CUresult cushim_event_pool_get_counts(const struct cushim_event_pool *pool, size_t *total,
                                      size_t *free)
{
    struct cushim_event_pool *locked = (struct cushim_event_pool *)pool;
    size_t all, kept = 0;

    if (!pool)
        return CUDA_ERROR_INVALID_HANDLE;
    lock_pool(locked);
    all = pool->open - 1;
    for (const struct cushim_event *event = free_events(pool); event; event = event->next_free)
        kept++;
    unlock_pool(locked);
    if (total)
        *total = all;
    if (free)
        *free = kept;
    return CUDA_SUCCESS;
}

struct cushim_event_pool *cushim_event_pool_retain(struct cushim_event_pool *pool)
{
    if (pool)
        cushim__retain(&pool->references);
    return pool;
}

CUresult cushim_event_pool_release(struct cushim_event_pool *pool)
{
    struct cushim_event *event;
    CUresult first = CUDA_SUCCESS, left;

    if (!pool || !cushim__drop(&pool->references))
        return CUDA_SUCCESS;
    lock_pool(pool);
    event = free_events(pool);
    pool->has_ended = true;
    set_free_events(pool, NULL);
    unlock_pool(pool);
    while (event) {
        struct cushim_event *next = event->next_free;
        const CUresult code = retire_event(event);

        first = first ? first : code;
        event = next;
    }
    left = leave_pool(pool);
    return first ? first : left;
}
