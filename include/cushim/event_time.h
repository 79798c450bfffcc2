/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The time between two events, and why it could not be told. Statements are those of the driver
 * semantics.
 */
#ifndef CUSHIM_EVENT_TIME_H
#define CUSHIM_EVENT_TIME_H

#include <cuda.h>

#include <cushim/api.h>
#include <cushim/event.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Measure the time between two recorded events on the GPU's clock.
 *
 * Negative if `end` came first, 0 if both are one event (statements 39, 40). The resolution is
 * about half a microsecond (statement 46). Waits for nothing. Other streams' work may lie between
 * two events of one stream.
 *
 * @param start  Event recorded first; not NULL.
 * @param end    Event recorded last, of the same context; not NULL.
 * @param ms     Receives the time in milliseconds; not NULL.
 *
 * @return CUDA_SUCCESS               `ms` is written.
 * @return CUDA_ERROR_INVALID_HANDLE  An event is NULL, closed, not recorded, without timing or
 *                                    imported, or the two are of different contexts (statements
 *                                    35, 36, 41, 43, 44, 76): cushim_event_explain() tells which.
 * @return CUDA_ERROR_INVALID_VALUE   `ms` is NULL, or an event was last recorded in a capture that
 *                                    has ended (statement 71).
 * @return CUDA_ERROR_NOT_READY       An event is still pending (statement 37).
 * @return CUDA_ERROR_CAPTURED_EVENT  An event is recorded in a running capture (statement 63).
 * @return any other code             The driver's, unchanged. Ask for errors of pending work with
 *                                    cushim_event_query(): here they may go unnoticed (statement
 *                                    47).
 *
 * Thread safety: any thread.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: cuEventElapsedTime_v2, or what cushim_event_elapsed_function() names.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_event_elapsed(const struct cushim_event *start,
                                         const struct cushim_event *end, float *ms);

/**
 * Name the function of the driver that cushim_event_elapsed() uses.
 *
 * Drivers before CUDA 12.8 have no cuEventElapsedTime_v2. The older cuEventElapsedTime means the
 * same and costs several times as much (statements 47, 48).
 *
 * @return Static string: `cuEventElapsedTime` if it stands in, in the loaded driver or in a table
 *         that was filled and installed; otherwise `cuEventElapsedTime_v2`.
 *
 * Thread safety: any thread. Context: none needed. Driver calls: none. Since: 0.1.
 */
CUSHIM_API const char *cushim_event_elapsed_function(void);

/**
 * Say why the time between two events could not be told, which event is to blame, and the cure.
 *
 * For the code of a cushim_event_elapsed() that has just failed. What the objects do not know (the
 * state of wrapped events, what is pending, what is captured) is asked from the driver, in a way
 * that is harmless even during a capture: the time from an event to itself, never a query
 * (statements 39, 63). If the events have different faults, that of `start` is told.
 *
 * @param start  The event that was given as start; NULL allowed.
 * @param end    The event that was given as end; NULL allowed.
 * @param code   What cushim_event_elapsed() returned.
 *
 * @return Static string: one sentence or two. For a code that says nothing about the events it is
 *         that of cushim_error_advice(). Never NULL.
 *
 * Thread safety: any thread; the answer is about the events as they are now.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: none, or as cushim_event_elapsed().
 * Since: 0.1.
 */
CUSHIM_API const char *cushim_event_explain(const struct cushim_event *start,
                                            const struct cushim_event *end, CUresult code);

#ifdef __cplusplus
}
#endif

#endif
