/* SPDX-License-Identifier: Apache-2.0 */
/* Events shared by two processes. Statements 74-77. */
#include <string.h>

#include "begin.h"
#include "cases.h"
#include "check.h"
#include "event_ipc_peer.h"
#include "gate.h"
#include "tests/support/process.h"

static struct cushim_event *begin_shared(struct cushim_context *context)
{
    const struct cushim_event_options options = {
        .size = sizeof options,
        .disable_timing = true,
        .interprocess = true,
    };
    struct cushim_event *event = NULL;
    bool supported = false;

    OK(cushim_device_supports_ipc_events(begin_device(), &supported));
    if (!supported)
        skip("the device does not support interprocess events");
    OK(cushim_event_create(&event, context, &options));
    return event;
}

/* Tell the peer to go on, and hear what code it met. */
static CUresult next_code(const struct peer *peer)
{
    int code = -1;

    peer_send(peer, &code, sizeof code);
    peer_receive(peer, &code, sizeof code);
    return (CUresult)code;
}

static void exporter_refuses_what_is_not_shared(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_event *shared = begin_shared(context), *own = begin_untimed(context);
    struct cushim_event *imported = NULL;
    CUipcEventHandle handle;

    memset(&handle, 0, sizeof handle);
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_event_export(own, &handle));
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_event_export(NULL, &handle));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_event_export(shared, NULL));
    CODE(CUDA_ERROR_MAP_FAILED, cushim_event_import(&imported, context, &handle));
    OK(cushim_event_export(shared, &handle));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cushim_event_import(&imported, context, &handle));
    CHECK(imported == NULL);
    CHECK(current_context() == NULL);
    CODE(CUDA_ERROR_INVALID_CONTEXT,
         cushim_driver()->IpcGetEventHandle(&handle, raw_event(shared)));
}

static void two_processes_share_an_event(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *stream = begin_stream(context);
    struct cushim_event *shared = begin_shared(context);
    struct gate gate = GATE;
    CUipcEventHandle handle;
    struct peer peer;

    gate_shut(&gate, stream);
    OK(cushim_event_record(shared, stream));
    OK(cushim_event_export(shared, &handle));
    peer_start(&peer, PEER_IMPORTER);
    peer_send(&peer, &handle, sizeof handle);

    /* Pending here is pending there, for the event and for a stream that waits for it. */
    CODE(CUDA_ERROR_NOT_READY, next_code(&peer));
    CODE(CUDA_ERROR_NOT_READY, next_code(&peer));
    CODE(CUDA_ERROR_NOT_READY, cushim_event_query(shared));
    gate_open(&gate);
    OK(next_code(&peer)); /* it has synchronized */
    OK(cushim_event_synchronize(shared));

    /* The other way: it has recorded behind a gate of its own, which opens at our word. */
    OK(next_code(&peer));
    CODE(CUDA_ERROR_NOT_READY, cushim_event_query(shared));
    CODE(CUDA_ERROR_TIMEOUT, cushim_event_wait_for(shared, 0));
    OK(next_code(&peer));
    OK(cushim_event_synchronize(shared));
    OK(cushim_event_query(shared));

    OK(next_code(&peer)); /* it has let go */
    peer_end(&peer);
    OK(cushim_event_release(shared));
    detail("pending and done seen from both sides");
}

static void imported_event_has_no_time_and_goes_no_further(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_event *shared = begin_shared(context);
    CUipcEventHandle handle;
    struct peer peer;
    char said[200];

    OK(cushim_event_export(shared, &handle));
    peer_start(&peer, PEER_LIMITS);
    peer_send(&peer, &handle, sizeof handle);
    peer_receive(&peer, said, sizeof said);
    peer_end(&peer);
    detail("explained: %s", said);
    CHECK(strncmp(said, "The end event was imported", 26) == 0);
}

const struct gpu_case event_ipc_cases[] = {
    {"ipc_74_75_wrong_handles_are_refused", exporter_refuses_what_is_not_shared},
    {"ipc_76_two_processes_share_an_event", two_processes_share_an_event},
    {"ipc_76_imported_event_has_limits", imported_event_has_no_time_and_goes_no_further},
    {NULL, NULL},
};
