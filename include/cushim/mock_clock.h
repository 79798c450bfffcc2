/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The mock's clock, and the trace of what it executed.
 *
 * Time is virtual and counts in integer nanoseconds. The setting `mode` says what moves it:
 * `manual` these functions alone, `auto` also every call by what it costs and each call that blocks
 * to the end of what it waits for, `threaded` an executor thread as soon as there is work.
 */
#ifndef CUSHIM_MOCK_CLOCK_H
#define CUSHIM_MOCK_CLOCK_H

#include <cushim/mock.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Let virtual time pass, and execute what ends in it. Host functions that begin in it are waited
 * for, so a host function must not wait for the calling thread.
 *
 * @param mock         The mock.
 * @param duration_ns  How long, in nanoseconds.
 *
 * @return CUDA_SUCCESS              The clock stands `duration_ns` later.
 * @return CUDA_ERROR_INVALID_VALUE  `mock` is NULL.
 * @return CUDA_ERROR_NOT_PERMITTED  The caller is a host function, or stands for a kernel.
 *
 * Thread safety: any thread.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_mock_advance(struct cushim_mock *mock, uint64_t duration_ns);

/**
 * Execute the next operation, and let the clock go on to its end.
 *
 * @return CUDA_SUCCESS              One operation was executed.
 * @return CUDA_ERROR_NOT_FOUND      Nothing is queued that could be executed.
 * @return CUDA_ERROR_INVALID_VALUE  `mock` is NULL.
 * @return CUDA_ERROR_NOT_PERMITTED  As cushim_mock_advance().
 *
 * Thread safety: any thread.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_mock_step(struct cushim_mock *mock);

/** Step until nothing is left that could be executed. The codes of cushim_mock_advance(). */
CUSHIM_API CUresult cushim_mock_drain(struct cushim_mock *mock);

/** One thing that happened in a mock. */
struct cushim_mock_trace {
    /** sizeof(struct cushim_mock_trace) of the library. */
    size_t size;
    /** The virtual clock when it happened. */
    uint64_t now_ns;
    /** `call` when a call returned, `submit`, `start` and `end` of an operation. */
    const char *what;
    /** The function or the kind of operation: `cuEventRecord`, `record`, `copy`, ... */
    const char *name;
    /** The stream's number in the order of creation from 1; 0: none. */
    uint64_t stream;
    /** The operation's number in the order of submission from 1; 0: none. */
    uint64_t operation;
    /** What the call returned or the operation came to. */
    CUresult code;
};

/**
 * Be told of everything that happens. The same program gives the same trace in manual mode.
 *
 * @param mock   The mock.
 * @param trace  Called by one thread at a time; it must not call into the mock. NULL: no trace.
 * @param data   Passed on to `trace`.
 *
 * Thread safety: any thread.
 * Since: 0.1.
 */
CUSHIM_API void
cushim_mock_trace_set(struct cushim_mock *mock,
                      void (*trace)(void *data, const struct cushim_mock_trace *entry), void *data);

#ifdef __cplusplus
}
#endif

#endif
