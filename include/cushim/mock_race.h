/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Missing waits: pairs of operations on the same memory that nothing orders.
 *
 * With the setting `races = report` or `races = violation` the mock looks, at the submission of
 * each copy, set, kernel and cuMemFreeAsync, for an earlier one, or a cuMemAllocAsync, that uses
 * the same bytes, where one of the two writes and neither has to end before the other begins.
 * Streams, events, the legacy default stream, edges of graphs and what the host has waited for
 * order operations; the time at which they happen to be executed does not. So a missing wait is
 * found in every schedule. docs/mock.md says what is looked at, and what is taken to be ordered.
 */
#ifndef CUSHIM_MOCK_RACE_H
#define CUSHIM_MOCK_RACE_H

#include <cushim/mock.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The text of a race, in the order in which they were found: it names both operations, the bytes,
 * and what would order them. NULL if there are fewer. Valid until the mock is destroyed.
 *
 * A race is told once for each allocation and pair of places, where a place is a stream, a function
 * of the driver and, of a launch, a kernel; after 1024 of these, races are counted and not told.
 * The first 64 texts are kept; `races` of struct cushim_mock_state counts all.
 *
 * Thread safety: any thread.
 * Since: 0.1.
 */
CUSHIM_API const char *cushim_mock_race(struct cushim_mock *mock, size_t index);

/** Whether one operation has to end before another one begins. */
enum cushim_mock_order {
    /** Nothing orders them. */
    CUSHIM_MOCK_ORDER_NONE,
    /** The first ends before the second begins. */
    CUSHIM_MOCK_ORDER_BEFORE,
    /** The second ends before the first begins. */
    CUSHIM_MOCK_ORDER_AFTER,
    /** A stream waits for a value in memory before one of them, and who writes it is not known. */
    CUSHIM_MOCK_ORDER_UNKNOWN,
};

/**
 * Ask whether anything orders two operations, whatever memory they use.
 *
 * @param mock       The mock; the setting `races` must not be `ignore`.
 * @param first      Number of an operation, as `operation` of struct cushim_mock_trace. While races
 *                   are looked for, what is not queued has one, too: stream-ordered allocations,
 *                   and in mode `manual` what a call executes by itself.
 * @param second     Number of another one.
 * @param order      Receives the answer; untouched on failure.
 * @param text       Receives the answer as a sentence that names both; NULL: nowhere.
 * @param text_size  Size of `text` in bytes; 400 are enough.
 *
 * @return CUDA_SUCCESS              `order` is the answer.
 * @return CUDA_ERROR_INVALID_VALUE  `mock` or `order` is NULL, or both numbers are the same.
 * @return CUDA_ERROR_NOT_FOUND      There is no such operation, or 4096 others came after it.
 * @return CUDA_ERROR_NOT_SUPPORTED  The setting `races` is `ignore`: nothing was noted.
 *
 * Thread safety: any thread.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_mock_ordered(struct cushim_mock *mock, uint64_t first, uint64_t second,
                                        enum cushim_mock_order *order, char *text,
                                        size_t text_size);

#ifdef __cplusplus
}
#endif

#endif
