/* SPDX-License-Identifier: Apache-2.0 */
/* The importing side of ipc_cases.c: it tells what it meets, and the other side judges. */
#include "ipc_peers.h"

#include <string.h>

#include "backend.h"
#include "begin.h"
#include "cases.h"
#include "check.h"
#include "tests/support/process.h"

static CUevent import(void)
{
    CUipcEventHandle handle;
    CUevent event = NULL;

    peer_receive(&peer_parent, &handle, sizeof handle);
    MUST(cu->IpcOpenEventHandle(&event, handle));
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
    CUstream stream, waiter;
    struct gate gate = GATE;
    CUevent shared;

    begin_context();
    stream = begin_stream();
    waiter = begin_stream();
    shared = import();
    tell(cu->EventQuery(shared));
    MUST(cu->StreamWaitEvent(waiter, shared, 0));
    tell(cu->StreamQuery(waiter));
    tell(cu->EventSynchronize(shared));  /* asked for before the gate there opens */
    tell(cu->StreamSynchronize(waiter)); /* asked for once the other side has seen it done */

    gate_shut(&gate, stream);
    tell(cu->EventRecord(shared, stream));
    tell(cu->EventQuery(shared));
    tell(CUDA_SUCCESS); /* asked for once the other side has seen it pending */
    gate_open(&gate);
    MUST(cu->EventSynchronize(shared));
    tell(cu->EventQuery(shared));
    tell(cu->EventDestroy_v2(shared));
}

static void limits(void)
{
    CUipcEventHandle handle;
    CUevent own, shared;
    CUstream stream;
    float ms = -7;

    begin_context();
    stream = begin_stream();
    own = begin_event();
    shared = import();
    MUST(cu->EventRecord(own, stream));
    MUST(cu->EventRecord(shared, stream));
    MUST(cu->EventSynchronize(shared));
    MUST(cu->EventSynchronize(own));
    tell(cu->EventElapsedTime(&ms, own, shared));
    tell(cu->EventElapsedTime_v2(&ms, shared, own));
    tell(ms == -7 ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN);
    tell(cu->IpcGetEventHandle(&handle, shared));
    tell(cu->EventDestroy_v2(shared));
}

/* Handles that are none, in a process that has exported nothing. */
static void open_nonsense(void)
{
    CUipcEventHandle handle;
    CUevent event = NULL;

    begin_context();
    memset(&handle, 0, sizeof handle);
    tell(cu->IpcOpenEventHandle(&event, handle));
    memset(&handle, 0x5a, sizeof handle);
    tell(cu->IpcOpenEventHandle(&event, handle));
    tell(cu->IpcOpenEventHandle(NULL, handle));
    tell(event == NULL ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN);
}

const struct peer_row ipc_peers[] = {
    {PEER_IMPORTER, share},
    {PEER_LIMITS, limits},
    {PEER_OPENER, open_nonsense},
    {NULL, NULL},
};
