/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * What an event is: where it belongs, how it was created, what became of it.
 *
 * The driver tells none of this. An event object keeps it, and cushim_event_explain()
 * (event_time.h) answers from it.
 */
#ifndef CUSHIM_EVENT_INFO_H
#define CUSHIM_EVENT_INFO_H

#include <stdbool.h>

#include <cuda.h>

#include <cushim/api.h>
#include <cushim/event.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Get the context that the event belongs to.
 *
 * @param event  Event; NULL allowed.
 * @return       Borrowed from the event; NULL if it was wrapped without one, and for NULL.
 *
 * Thread safety: any thread. Context: none needed. Driver calls: none. Since: 0.1.
 */
CUSHIM_API struct cushim_context *cushim_event_context(const struct cushim_event *event);

/**
 * Get the device that the event lives on.
 *
 * @param event   Event; not NULL.
 * @param device  Receives the device; not NULL.
 *
 * @return CUDA_SUCCESS               `device` is written.
 * @return CUDA_ERROR_INVALID_HANDLE  `event` is NULL or closed.
 * @return CUDA_ERROR_INVALID_VALUE   `device` is NULL.
 * @return CUDA_ERROR_NOT_SUPPORTED   The event was wrapped without a context; no driver can tell.
 * @return any other code             What cushim_context_device() returned.
 *
 * Thread safety: any thread.
 * Context: as cushim_context_device(): leaves the current one as it was.
 * Driver calls: those of cushim_context_device().
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_event_device(const struct cushim_event *event, CUdevice *device);

/**
 * Get the flags that the event was created with: CU_EVENT_BLOCKING_SYNC and its like.
 *
 * @param event  Event, also a closed one; not NULL.
 * @param flags  Receives the CUevent_flags; not NULL. For an imported event, what it behaves as:
 *               CU_EVENT_DISABLE_TIMING and CU_EVENT_INTERPROCESS (driver semantics,
 *               statement 76).
 *
 * @return CUDA_SUCCESS               `flags` is written.
 * @return CUDA_ERROR_INVALID_HANDLE  `event` is NULL.
 * @return CUDA_ERROR_INVALID_VALUE   `flags` is NULL.
 * @return CUDA_ERROR_NOT_SUPPORTED   The event was wrapped without `known`; no driver can tell.
 *
 * Thread safety: any thread. Context: none needed. Driver calls: none. Since: 0.1.
 */
CUSHIM_API CUresult cushim_event_flags(const struct cushim_event *event, unsigned *flags);

/**
 * Whether the event is known to take time stamps. False for NULL, and if its flags are unknown.
 *
 * Thread safety: any thread. Context: none needed. Driver calls: none. Since: 0.1.
 */
CUSHIM_API bool cushim_event_has_timing(const struct cushim_event *event);

/**
 * Whether a thread that waits for the event is known to sleep. False for NULL, and if unknown.
 *
 * Thread safety: any thread. Context: none needed. Driver calls: none. Since: 0.1.
 */
CUSHIM_API bool cushim_event_is_blocking_sync(const struct cushim_event *event);

/**
 * Whether the event is known to be shared or sharable with other processes: created with
 * `interprocess`, or imported. False for NULL, and if unknown.
 *
 * Thread safety: any thread. Context: none needed. Driver calls: none. Since: 0.1.
 */
CUSHIM_API bool cushim_event_is_interprocess(const struct cushim_event *event);

/**
 * Whether the event came from another process by cushim_event_import(). False for NULL.
 *
 * Thread safety: any thread. Context: none needed. Driver calls: none. Since: 0.1.
 */
CUSHIM_API bool cushim_event_is_imported(const struct cushim_event *event);

/**
 * Whether the event was recorded through cushim, since it was created, wrapped or acquired from a
 * pool. What was recorded by its handle, or in another process, is not seen. False for NULL.
 *
 * Thread safety: any thread. Context: none needed. Driver calls: none. Since: 0.1.
 */
CUSHIM_API bool cushim_event_is_recorded(const struct cushim_event *event);

/**
 * Whether the event was closed. False for NULL.
 *
 * Thread safety: any thread. Context: none needed. Driver calls: none. Since: 0.1.
 */
CUSHIM_API bool cushim_event_is_closed(const struct cushim_event *event);

/**
 * Whether two objects stand for one event of the driver. False if either is NULL or closed.
 *
 * Thread safety: any thread. Context: none needed. Driver calls: none. Since: 0.1.
 */
CUSHIM_API bool cushim_event_equal(const struct cushim_event *one,
                                   const struct cushim_event *other);

#ifdef __cplusplus
}
#endif

#endif
