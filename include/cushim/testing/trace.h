/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The trace: a timeline of the calls that go through a layer, and of the work that the device does
 * for them. It is written to a file while the program runs. `cushim trace convert` makes a page for
 * a browser of that file, or trace events for Perfetto.
 *
 *     const struct cushim_trace_options options = {.size = sizeof options, .path = "run"};
 *
 *     cushim_trace_start(layer, &options);
 *     ...
 *     cushim_trace_stop(layer);                       the file is run.4711.trace in process 4711
 *
 *     $ cushim trace convert run.4711.trace --output run.html
 *
 * To trace an unmodified program, run `cushim trace -- program` instead.
 *
 * On the mock, times are those of its virtual clock: in the modes `manual` and `auto`, the same
 * program gives the same trace. Over a real driver, times are those of the host's clock, and the
 * device's work is timed by events that the trace records on the same stream before and after it.
 * The events show a little more than the work takes. Nothing is timed while any stream is captured.
 *
 * Unless a function says otherwise, any thread may call it, and it calls no function of the driver.
 * Since: 0.1.
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

/** What to trace, and the file to write. */
struct cushim_trace_options {
    size_t size; /**< sizeof(struct cushim_trace_options). */
    /**
     * The file's name without its ending `.PID.trace`; copied, not NULL. Each child of a fork
     * writes a file of its own. An existing file is never overwritten: the second file of a process
     * ends in `.PID-2.trace`, and the last in `.PID-999.trace`.
     */
    const char *path;
    /**
     * The functions whose calls are recorded, separated by commas; `*` stands for any characters,
     * and a plain name such as cuMemAlloc for each ABI of it. Copied. NULL: all functions.
     */
    const char *calls;
    /**
     * The largest size of the file in bytes; 0: 1 GiB. The file takes only as much disk space as is
     * written. Calls that no longer fit are not recorded, but counted.
     */
    uint64_t buffer_bytes;
    bool omit_device_times;   /**< Do not time the device's work, and so record no events. */
    unsigned char padding[7]; /**< Fills the struct; zero. */
};

/** A cushim_trace_options with the defaults; `path` is still to be set. */
#define CUSHIM_TRACE_OPTIONS_INIT                                  \
    {                                                              \
        sizeof(struct cushim_trace_options), NULL, NULL, 0, false, \
        {                                                          \
            0                                                      \
        }                                                          \
    }

/**
 * Start tracing the calls that go through a layer.
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
 * Driver calls: none here. While the trace is on, it calls cuFuncGetName or cuKernelGetName once
 * for each kernel. With device times over a real driver, it also creates a stream and events in
 * each context with work, records events around work, and asks for captures, contexts and elapsed
 * times.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_trace_start(struct cushim_layer *layer,
                                                       const struct cushim_trace_options *options);

/**
 * Stop tracing: read the times of completed work, and complete the file. Does nothing if there is
 * no trace. cushim_layer_destroy() stops a trace, too.
 *
 * @param layer  The layer.
 *
 * Thread safety: any thread, while no call through the layer is under way.
 * Context: leaves the current one alone.
 * Driver calls: cuCtxPushCurrent, cuEventElapsedTime, cuEventDestroy, cuStreamDestroy and
 * cuCtxPopCurrent, where there are device times.
 */
CUSHIM_API void cushim_trace_stop(struct cushim_layer *layer);

#ifdef __cplusplus
}
#endif

#endif
