/* SPDX-License-Identifier: Apache-2.0 */
/* The importing side of event_ipc_cases.c. */
#include "event_ipc_peer.h"

#include <stdio.h>
#include <string.h>

#include "begin.h"
#include "cases.h"
#include "check.h"
#include "gate.h"
#include "tests/support/process.h"

static struct cushim_event *import(struct cushim_context *context)
{
    struct cushim_event *event = NULL;
    CUipcEventHandle handle;

    peer_receive(&peer_parent, &handle, sizeof handle);
    OK(cushim_event_import(&event, context, &handle));
    CHECK(cushim_event_is_imported(event) && cushim_event_is_interprocess(event));
    CHECK(!cushim_event_has_timing(event));
    return event;
}

/* When the other side asks, tell it the code that was met. */
static void tell(CUresult code)
{
    int word;

    peer_receive(&peer_parent, &word, sizeof word);
    word = (int)code;
    peer_send(&peer_parent, &word, sizeof word);
}

static void share(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *stream = begin_stream(context), *waiter = begin_stream(context);
    struct cushim_event *shared = import(context);
    struct gate gate = GATE;

    tell(cushim_event_query(shared));
    OK(cushim_stream_wait_event(waiter, shared, 0));
    tell(cushim_stream_query(waiter));
    tell(cushim_event_synchronize(shared));
    OK(cushim_stream_synchronize(waiter));

    gate_shut(&gate, stream);
    tell(cushim_event_record(shared, stream));
    CODE(CUDA_ERROR_NOT_READY, cushim_event_query(shared));
    tell(CUDA_SUCCESS);
    gate_open(&gate);
    OK(cushim_event_synchronize(shared));
    tell(cushim_event_release(shared));
}

static void limits(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *stream = begin_stream(context);
    struct cushim_event *own = begin_event(context), *shared = import(context);
    char said[200] = "";
    CUipcEventHandle handle;
    CUresult code;
    float ms = -7;

    OK(cushim_event_record(own, stream));
    OK(cushim_event_record(shared, stream));
    OK(cushim_event_synchronize(shared));
    OK(cushim_event_query(shared));
    code = cushim_event_elapsed(own, shared, &ms);
    CODE(CUDA_ERROR_INVALID_HANDLE, code);
    CHECK(ms == -7);
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_event_export(shared, &handle));
    make_current(context); /* the driver itself wants one for this */
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_driver()->IpcGetEventHandle(&handle, raw_event(shared)));
    snprintf(said, sizeof said, "%s", cushim_event_explain(own, shared, code));
    CHECK(strncmp(cushim_event_explain(shared, own, code), "The start event was imported", 28) ==
          0);
    CHECK(strncmp(cushim_event_explain(shared, shared, code), "Both events were imported", 25) ==
          0);
    OK(cushim_event_release(shared));
    peer_send(&peer_parent, said, sizeof said);
}

const struct gpu_case peers[] = {
    {PEER_IMPORTER, share},
    {PEER_LIMITS, limits},
    {NULL, NULL},
};
