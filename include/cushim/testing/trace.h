/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The trace: a timeline of the calls that go through a layer, and of the work that the device does
 * for them. It is written while the program runs, and `cushim trace convert` makes a page for a
 * browser or a file for other programs of it.
 *
 *     const struct cushim_trace_options options = {.size = sizeof options, .path = "run"};
 *
 *     cushim_trace_start(layer, &options);
 *     ...
 *     cushim_trace_stop(layer);                       wrote run.4711.trace in process 4711
 *
 *     $ cushim trace convert run.4711.trace --output run.html
 *
 * A program that knows nothing of cushim is traced by `cushim trace -- program` instead.
 *
 * On the mock times are those of its virtual clock: in the modes `manual` and `auto` the same
 * program gives the same trace. Over a real driver they are the host's, and the device's work is
 * timed by events that the trace puts on the same stream before and after it. Two events show a
 * little more than the work takes, and nothing is timed while any stream is captured.
 */
#ifndef CUSHIM_TESTING_TRACE_H
#define CUSHIM_TESTING_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cushim/testing/layer.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What to trace, and where to. */
struct cushim_trace_options {
    /** sizeof(struct cushim_trace_options). */
    size_t size;
    /**
     * The beginning of the file's name; copied, not NULL. `.PID.trace` is added, and a process that
     * is forked writes a file of its own. A file that exists is never overwritten: the next is
     * `.PID-2.trace`, and the last `.PID-999.trace`.
     */
    const char *path;
    /**
     * Names of functions, separated by commas, in which `*` stands for any characters; copied. A
     * plain name such as cuMemAlloc means each ABI of it. NULL: all calls are recorded.
     */
    const char *calls;
    /**
     * The largest size of the file in bytes; 0: 1 GiB. The file takes only as much room as is
     * written. Calls that no longer fit are counted.
     */
    uint64_t buffer_bytes;
    /** Whether the device's work is not timed: then nothing but the program's calls is made. */
    bool omit_device_times;
};

/** A cushim_trace_options with the defaults; `path` is still to be set. */
#define CUSHIM_TRACE_OPTIONS_INIT                                 \
    {                                                             \
        sizeof(struct cushim_trace_options), NULL, NULL, 0, false \
    }

/**
 * Start to trace what goes through a layer.
 *
 * @param layer    The layer.
 * @param options  Borrowed for the call; not NULL.
 *
 * @return CUDA_SUCCESS                 Calls that begin from now on are recorded.
 * @return CUDA_ERROR_INVALID_VALUE     `layer` is NULL or has ended, `options` is NULL, has a bad
 *                                      size or no path, or `calls` names no function.
 * @return CUDA_ERROR_FILE_NOT_FOUND    The folder of `path` does not exist.
 * @return CUDA_ERROR_OPERATING_SYSTEM  The file cannot be made: the folder cannot be written, there
 *                                      is no room, or 999 files of this process have the name.
 * @return CUDA_ERROR_OUT_OF_MEMORY     Memory ran out.
 * @return CUDA_ERROR_ALREADY_ACQUIRED  The process has a trace.
 *
 * Thread safety: any thread.
 * Context: needs none.
 * Driver calls: none here; while it traces with device times, calls of events, of a stream of its
 * own and of the current context are added around work.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_trace_start(struct cushim_layer *layer,
                                       const struct cushim_trace_options *options);

/**
 * Stop to trace: the times of work that is done are read, and the file is complete. No-op if there
 * is no trace. cushim_layer_destroy() does it, too.
 *
 * @param layer  The layer.
 *
 * Thread safety: any thread, while no call through the layer is under way.
 * Context: leaves the current one alone.
 * Driver calls: cuCtxPushCurrent, cuEventElapsedTime, cuEventDestroy, cuStreamDestroy and
 * cuCtxPopCurrent, where there are device times.
 * Since: 0.1.
 */
CUSHIM_API void cushim_trace_stop(struct cushim_layer *layer);

#ifdef __cplusplus
}
#endif

#endif
