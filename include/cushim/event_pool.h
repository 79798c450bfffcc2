/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Pools of events: acquire and release events without calls of the driver.
 *
 * To create and destroy an event takes hundreds of nanoseconds (driver-semantics.md #80). A pool
 * keeps events of one kind in one context; cushim_event_release() of the last reference returns an
 * event to it. While the pool has free events, nothing allocates. The pool grows as needed and does
 * not shrink.
 *
 * For the driver, an event that is acquired again keeps its former record until it is recorded: a
 * query, a wait or an elapsed time concerns that record. If a program forgets to record the event,
 * no call reports it.
 *
 * Each event is destroyed through the table that made it, whatever table is then current (event.h).
 * Acquire from a pool only under the table of its context: under another table, the pool still
 * returns its free events.
 *
 * Thread safety: any thread may use a pool, also concurrently.
 *
 * A number such as #80 is a statement of driver-semantics.md, a page of cushim's documentation
 * (share/doc/cushim/docs/ of an installation).
 *
 * Unless a function says otherwise, any thread may call it; it needs no context and leaves the
 * current one alone; it calls no function of the driver; if it fails, it leaves its outputs
 * untouched. Since: 0.1.
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

/** A pool of events; see cushim_event_pool_create(). */
struct cushim_event_pool;

/** How to create a pool. NULL, or zero in all members but `size`, means: empty at first. */
struct cushim_event_pool_options {
    size_t size;      /**< `sizeof(struct cushim_event_pool_options)`. */
    unsigned initial; /**< Events to create at once, so that the first acquisitions are cheap too.
                           */
    unsigned padding; /**< Fills the struct; zero. */
};

/** A cushim_event_pool_options with the defaults. */
#define CUSHIM_EVENT_POOL_OPTIONS_INIT                 \
    {                                                  \
        sizeof(struct cushim_event_pool_options), 0, 0 \
    }

/**
 * Create a pool of events of one kind.
 *
 * @param context  Context of its events; not NULL. The pool holds a reference.
 * @param kind     How its events are created; borrowed for the call. NULL: the defaults.
 * @param options  How to create the pool; borrowed for the call. NULL: the defaults.
 * @param pool     Receives the pool with one reference; not NULL.
 *
 * @return CUDA_SUCCESS               The pool exists, with its first events.
 * @return CUDA_ERROR_INVALID_HANDLE  `context` is NULL.
 * @return CUDA_ERROR_INVALID_VALUE   `pool` is NULL, or the options are invalid, or the
 *                                    driver refuses the kind of the first events.
 * @return CUDA_ERROR_OUT_OF_MEMORY   The host's or the driver's memory ran out.
 * @return any other code             The driver's, unchanged; nothing is created.
 *
 * Context: acts in `context` if `initial` is not 0, and restores the current one.
 * Driver calls: none, or those of cushim_event_create() for each first event; cuEventDestroy_v2 for
 *               each if one fails.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_event_pool_create(
    struct cushim_context *context, const struct cushim_event_options *kind,
    const struct cushim_event_pool_options *options, struct cushim_event_pool **pool);

/**
 * Acquire an event from a pool.
 *
 * It is an event like any other: you may use every function of event.h on it. Its last
 * cushim_event_release() returns it to the pool; a closed event is destroyed and leaves the pool
 * instead.
 *
 * Record the event before you use it. cushim treats it as not recorded, but the driver still knows
 * its former record: until the next record, queries and waits concern the former work.
 *
 * @param pool   Pool; not NULL.
 * @param event  Receives the event with one reference; not NULL. It keeps the parts of the pool
 *               that it needs, and may outlive the references to the pool.
 *
 * @return CUDA_SUCCESS               The caller owns the event. A free event needs no call of the
 *                                    driver, so a forked child gets one too, and every use of it is
 *                                    refused there.
 * @return CUDA_ERROR_INVALID_HANDLE  `pool` is NULL.
 * @return CUDA_ERROR_INVALID_VALUE   `event` is NULL, or the driver does not know the pool's kind
 *                                    of events.
 * @return CUDA_ERROR_OUT_OF_MEMORY   The host's or the driver's memory ran out.
 * @return any other code             The driver's, unchanged, if an event had to be created.
 *
 * Thread safety: any thread; takes a lock for a few instructions, and not across a fork().
 * Context: needs none; creates a new event in the pool's context, and restores the current one.
 * Driver calls: none if an event is free; otherwise those of cushim_event_create().
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_event_pool_acquire(struct cushim_event_pool *pool,
                                                              struct cushim_event **event);

/**
 * Count the events of a pool. While other threads use it, each number is of some recent moment.
 *
 * @param pool   Pool; not NULL.
 * @param total  Receives the number of events that it has, acquired or free; NULL allowed.
 * @param free   Receives the number of free events; NULL allowed.
 *
 * @return CUDA_SUCCESS               The counts are written.
 * @return CUDA_ERROR_INVALID_HANDLE  `pool` is NULL.
 */
CUSHIM_API CUSHIM__CHECKED CUresult
cushim_event_pool_get_counts(const struct cushim_event_pool *pool, size_t *total, size_t *free);

/** Take one more reference. Returns `pool`, which may be NULL. */
CUSHIM_API struct cushim_event_pool *cushim_event_pool_retain(struct cushim_event_pool *pool);

/**
 * Release one reference. The last release destroys the free events.
 *
 * Acquired events remain usable, and are destroyed when they are released.
 *
 * @param pool  Pool; NULL is a no-op.
 *
 * @return CUDA_SUCCESS    It was not the last reference, or the free events are destroyed; also if
 *                         they had ended before with their context or process.
 * @return any other code  The first failure to destroy an event, or that of ending the context, if
 *                         this was its last reference; the log has every failure (log.h). The pool
 *                         has ended nevertheless.
 *
 * Driver calls: none or cuEventDestroy_v2, and those that end the context.
 */
CUSHIM_API CUresult cushim_event_pool_release(struct cushim_event_pool *pool);

#ifdef __cplusplus
}
#endif

#endif
