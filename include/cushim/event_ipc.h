/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Events that two processes share.
 *
 * One process creates an event with `interprocess` and `disable_timing`, exports it and hands the
 * 64 opaque bytes over by any means; another one imports them. Either may record the event, and
 * both may ask about it and wait for it. The exporter must keep it until the importers are done:
 * what they do afterwards is undefined (driver semantics, statement 76).
 *
 * Only for devices of which cushim_device_supports_ipc_events() holds, on Linux (statement 77).
 */
#ifndef CUSHIM_EVENT_IPC_H
#define CUSHIM_EVENT_IPC_H

#include <cuda.h>

#include <cushim/api.h>
#include <cushim/event.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Give an event away to other processes.
 *
 * @param event   Event created here with `interprocess`; not NULL.
 * @param handle  Receives 64 bytes to send to them; not NULL.
 *
 * @return CUDA_SUCCESS                `handle` is written.
 * @return CUDA_ERROR_INVALID_HANDLE   `event` is NULL, closed, not interprocess, or imported itself
 *                                     (statements 74, 76).
 * @return CUDA_ERROR_INVALID_VALUE    `handle` is NULL.
 * @return CUDA_ERROR_INVALID_CONTEXT  The event was wrapped without a context, and none is current.
 * @return any other code              The driver's answer to cuIpcGetEventHandle, unchanged.
 *
 * Thread safety: any thread.
 * Context: acts in the event's, and puts the current one back; for an event that was wrapped
 *          without a context, in the current one.
 * Driver calls: cuCtxGetCurrent, cuIpcGetEventHandle; cuCtxPushCurrent_v2 and cuCtxPopCurrent_v2
 *               around the latter if the event's context is not current.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_event_export(const struct cushim_event *event, CUipcEventHandle *handle);

/**
 * Take an event that another process exported.
 *
 * It can be asked, waited for and recorded, but neither timed nor exported again (statement 76).
 *
 * @param event    Receives the event with one reference; not NULL.
 * @param context  Context to open it in; not NULL. The event holds a reference.
 * @param handle   What the other process sent; borrowed for the call, not NULL.
 *
 * @return CUDA_SUCCESS                The event is there.
 * @return CUDA_ERROR_INVALID_HANDLE   `context` is NULL.
 * @return CUDA_ERROR_INVALID_VALUE    `event` or `handle` is NULL.
 * @return CUDA_ERROR_INVALID_CONTEXT  It was exported by this very process (statement 75).
 * @return CUDA_ERROR_MAP_FAILED       The bytes are not those of an event (statement 75).
 * @return CUDA_ERROR_OUT_OF_MEMORY    The host's memory ran out.
 * @return any other code              The driver's, unchanged; nothing is left behind.
 *
 * Thread safety: any thread.
 * Context: acts in `context`, and puts the current one back.
 * Driver calls: cuCtxGetCurrent, cuIpcOpenEventHandle; if the context is not current, the latter
 *               between cuCtxPushCurrent_v2 and cuCtxPopCurrent_v2; cuEventDestroy_v2 if the pop
 *               fails.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_event_import(struct cushim_event **event, struct cushim_context *context,
                                        const CUipcEventHandle *handle);

#ifdef __cplusplus
}
#endif

#endif
