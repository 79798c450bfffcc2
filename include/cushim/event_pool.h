/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Pools of events: hand out and take back without calling the driver.
 *
 * To create and destroy an event costs hundreds of nanoseconds each time (driver-semantics.md #80).
 * A pool keeps events of one kind in one context; cushim_event_release() of the last reference
 * brings an event back. While events are free nothing locks, waits or allocates; the pool grows as
 * needed, and does not shrink before its end.
 *
 * An event that is handed out again still has its former record to the driver until it is recorded:
 * a query, a wait or an elapsed time concerns that record, and a forgotten record is not refused.
 *
 * Each event is destroyed through the table that made it, whatever table is current then (event.h).
 * Do not acquire from a pool under another table than that of its context: free events go on being
 * handed out.
 *
 * Thread safety: any thread may acquire, release and ask, also concurrently.
 */
#ifndef CUSHIM_EVENT_POOL_H
#define CUSHIM_EVENT_POOL_H

#include <stddef.h>

#include <cuda.h>

#include <cushim/api.h>
#include <cushim/event.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A pool of events; made by cushim_event_pool_create(). */
struct cushim_event_pool;

/** How to create a pool. All-zero but for `size`, and NULL, mean: empty at first. */
struct cushim_event_pool_options {
    size_t size;      /**< `sizeof(struct cushim_event_pool_options)`. */
    unsigned initial; /**< Events to create at once, so that the first ones cost nothing either. */
};

/** A cushim_event_pool_options with the defaults. */
#define CUSHIM_EVENT_POOL_OPTIONS_INIT              \
    {                                               \
        sizeof(struct cushim_event_pool_options), 0 \
    }

/**
 * Create a pool of events of one kind.
 *
 * @param context  Context of its events; not NULL. The pool holds a reference.
 * @param kind     How its events are created; borrowed for the call. NULL: the defaults.
 * @param options  How to create the pool; borrowed for the call. NULL: the defaults.
 * @param pool     Receives the pool with one reference; not NULL.
 *
 * @return CUDA_SUCCESS               The pool is there, with its first events.
 * @return CUDA_ERROR_INVALID_HANDLE  `context` is NULL.
 * @return CUDA_ERROR_INVALID_VALUE   `pool` is NULL, or the options are not understood, or the
 *                                    driver refuses the kind of the first events.
 * @return CUDA_ERROR_OUT_OF_MEMORY   The host's or the driver's memory ran out.
 * @return any other code             The driver's, unchanged; nothing remains.
 *
 * Thread safety: any thread.
 * Context: acts in `context` if `initial` is not 0, and puts the current one back.
 * Driver calls: none, or those of cushim_event_create() for each first event; cuEventDestroy_v2 for
 *               each if one fails.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_event_pool_create(struct cushim_context *context,
                                             const struct cushim_event_options *kind,
                                             const struct cushim_event_pool_options *options,
                                             struct cushim_event_pool **pool);

/**
 * Take an event out of a pool.
 *
 * It is a whole event: cushim_event_retain(), cushim_event_close() and all else may be used on it.
 * Its last cushim_event_release() brings it back; one that was closed is destroyed and leaves the
 * pool instead.
 *
 * Record it before it is used. For cushim it is not recorded, but the driver still knows its former
 * record: until the next one, queries and waits concern the former work.
 *
 * @param pool   Pool; not NULL.
 * @param event  Receives the event with one reference; not NULL. It keeps alive what it needs of
 *               the pool, and outlives the pool's own references.
 *
 * @return CUDA_SUCCESS               The event is the caller's. A free one takes no call of the
 *                                    driver: in a forked child it is handed out too, and each use
 *                                    of it is refused.
 * @return CUDA_ERROR_INVALID_HANDLE  `pool` is NULL.
 * @return CUDA_ERROR_INVALID_VALUE   `event` is NULL, or the pool's kind is none that the driver
 *                                    knows.
 * @return CUDA_ERROR_OUT_OF_MEMORY   The host's or the driver's memory ran out.
 * @return any other code             The driver's, unchanged, when an event had to be created.
 *
 * Thread safety: any thread; lock-free.
 * Context: needs none; a new event is created in the pool's context, and the current one put back.
 * Driver calls: none if an event is free; otherwise those of cushim_event_create().
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_event_pool_acquire(struct cushim_event_pool *pool,
                                              struct cushim_event **event);

/**
 * Count the events of a pool. While other threads use it, the numbers are of some recent moment
 * each.
 *
 * @param pool   Pool; not NULL.
 * @param total  Receives how many events it has, handed out or free; NULL allowed.
 * @param free   Receives how many of them are free; NULL allowed.
 *
 * @return CUDA_SUCCESS               The counts are written.
 * @return CUDA_ERROR_INVALID_HANDLE  `pool` is NULL.
 *
 * Thread safety: any thread. Context: none needed. Driver calls: none. Since: 0.1.
 */
CUSHIM_API CUresult cushim_event_pool_counts(const struct cushim_event_pool *pool, size_t *total,
                                             size_t *free);

/**
 * Take one more reference.
 *
 * @param pool  Pool; NULL allowed.
 * @return      `pool`.
 *
 * Thread safety: any thread. Context: none needed. Driver calls: none. Since: 0.1.
 */
CUSHIM_API struct cushim_event_pool *cushim_event_pool_retain(struct cushim_event_pool *pool);

/**
 * Give one reference back. The last one destroys the free events.
 *
 * Events that are still out go on working, and are destroyed when they are released.
 *
 * @param pool  Pool; NULL is a no-op.
 *
 * @return CUDA_SUCCESS    It was not the last reference, or the free events are gone; also when
 *                         they had gone before with their context or process.
 * @return any other code  The first failure of destroying one, all of them on the log (log.h), or
 *                         of ending the context, if this was its last reference; the pool is gone
 *                         all the same.
 *
 * Thread safety: any thread.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: none or cuEventDestroy_v2, and what the end of the context takes.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_event_pool_release(struct cushim_event_pool *pool);

#ifdef __cplusplus
}
#endif

#endif
