/* SPDX-License-Identifier: Apache-2.0 */
/* Events shared by two processes. Statements 74-77. */
#include <string.h>

#include "backend.h"
#include "begin.h"
#include "cases.h"
#include "check.h"
#include "ipc_peers.h"
#include "tests/support/process.h"

static CUevent begin_shared(void)
{
    return begin_event_with(CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING);
}

/* Tell the peer to go on, and hear what code it met. */
static CUresult next_code(const struct peer *peer)
{
    int word = GO_ON;

    peer_send(peer, &word, sizeof word);
    peer_receive(peer, &word, sizeof word);
    return (CUresult)word;
}

static void export_is_checked(void)
{
    CUipcEventHandle handle, again;
    CUevent shared, own;

    begin_context();
    shared = begin_shared();
    own = begin_event_with(CU_EVENT_DISABLE_TIMING);
    EQUAL(64, sizeof handle);
    memset(&handle, 0, sizeof handle);
    memset(&again, 0, sizeof again);
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->IpcGetEventHandle(&handle, own));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->IpcGetEventHandle(&handle, begin_event()));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->IpcGetEventHandle(NULL, shared));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->IpcGetEventHandle(&handle, NULL));
    CHECK(memcmp(&handle, &again, sizeof handle) == 0);
    ONE_OF(cu->IpcGetEventHandle(&handle, shared), 0, 400, 2, 205, 1);
    CHECK(memcmp(&handle, &again, sizeof handle) != 0);
    OK(cu->IpcGetEventHandle(&again, shared));
}

static void export_needs_a_context(void)
{
    CUipcEventHandle handle;
    CUevent shared;

    begin_context();
    shared = begin_shared();
    make_current(NULL);
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->IpcGetEventHandle(&handle, shared));
}

static void exporter_cannot_import(void)
{
    CUipcEventHandle handle;
    CUevent shared, event = NULL;

    begin_context();
    shared = begin_shared();
    MUST(cu->IpcGetEventHandle(&handle, shared));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->IpcOpenEventHandle(&event, handle));
    CHECK(event == NULL);
}

static void nonsense_is_not_imported(void)
{
    CUipcEventHandle handle;
    CUevent event = NULL;
    struct peer peer;

    begin_context();
    memset(&handle, 0, sizeof handle);
    CODE(CUDA_ERROR_MAP_FAILED, cu->IpcOpenEventHandle(&event, handle));
    memset(&handle, 0x5a, sizeof handle);
    CODE(CUDA_ERROR_MAP_FAILED, cu->IpcOpenEventHandle(&event, handle));
    CHECK(event == NULL);
    peer_start(&peer, PEER_OPENER);
    CODE(CUDA_ERROR_MAP_FAILED, next_code(&peer));
    CODE(CUDA_ERROR_MAP_FAILED, next_code(&peer));
    ONE_OF(next_code(&peer), 201, 205, 217, 400, 1);
    OK(next_code(&peer));
    peer_end(&peer);
}

static void two_processes_share_an_event(void)
{
    struct gate gate = GATE;
    CUipcEventHandle handle;
    struct peer peer;
    CUstream stream;
    CUevent shared;

    begin_context();
    stream = begin_stream();
    shared = begin_shared();
    gate_shut(&gate, stream);
    OK(cu->EventRecord(shared, stream));
    OK(cu->IpcGetEventHandle(&handle, shared));
    peer_start(&peer, PEER_IMPORTER);
    peer_send(&peer, &handle, sizeof handle);

    /* Pending here is pending there, for the event and for a stream that waits for it. */
    CODE(CUDA_ERROR_NOT_READY, next_code(&peer));
    CODE(CUDA_ERROR_NOT_READY, next_code(&peer));
    CODE(CUDA_ERROR_NOT_READY, cu->EventQuery(shared));
    gate_open(&gate);
    OK(cu->EventSynchronize(shared));
    OK(next_code(&peer)); /* it has synchronized, and was held up before */
    OK(cu->EventQuery(shared));
    OK(next_code(&peer)); /* its stream as well; from here on it may record */

    /* The other way: it has recorded behind a gate of its own, which opens at our word. */
    OK(next_code(&peer));
    CODE(CUDA_ERROR_NOT_READY, next_code(&peer));
    CODE(CUDA_ERROR_NOT_READY, cu->EventQuery(shared));
    OK(next_code(&peer));
    OK(cu->EventSynchronize(shared));
    OK(cu->EventQuery(shared));
    OK(next_code(&peer));
    OK(next_code(&peer)); /* it has destroyed it */
    peer_end(&peer);
    OK(cu->EventRecord(shared, stream));
    OK(cu->EventSynchronize(shared));
    OK(cu->EventDestroy_v2(shared));
}

static void imported_event_has_limits(void)
{
    CUipcEventHandle handle;
    struct peer peer;
    CUevent shared;

    begin_context();
    shared = begin_shared();
    OK(cu->IpcGetEventHandle(&handle, shared));
    peer_start(&peer, PEER_LIMITS);
    peer_send(&peer, &handle, sizeof handle);
    CODE(CUDA_ERROR_INVALID_HANDLE, next_code(&peer));
    CODE(CUDA_ERROR_INVALID_HANDLE, next_code(&peer));
    OK(next_code(&peer)); /* *ms is untouched */
    CODE(CUDA_ERROR_INVALID_HANDLE, next_code(&peer));
    OK(next_code(&peer)); /* destroyed there, and good here */
    peer_end(&peer);
    OK(cu->EventQuery(shared));
    OK(cu->EventDestroy_v2(shared));
}

static void attributes_tell_of_support(void)
{
    const CUdevice_attribute ipc_events = (CUdevice_attribute)125; /* newer than some headers */
    CUdevice device = begin_device();
    int supported = -5, unified = -5;

    OK(cu->DeviceGetAttribute(&supported, ipc_events, device));
    OK(cu->DeviceGetAttribute(&unified, CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, device));
    EQUAL(1, supported);
    EQUAL(1, unified);
    begin_context();
    OK(cu->EventDestroy_v2(begin_shared()));
}

const struct conformance_case ipc_cases[] = {
    DOCUMENTED_CASE("074_export_is_checked", export_is_checked),
    MEASURED_CASE("074_export_needs_a_context", export_needs_a_context),
    DOCUMENTED_CASE("075_exporter_cannot_import", exporter_cannot_import),
    DOCUMENTED_CASE("075_nonsense_is_not_imported", nonsense_is_not_imported),
    DOCUMENTED_CASE("076_two_processes_share_an_event", two_processes_share_an_event),
    DOCUMENTED_CASE("076_imported_event_has_limits", imported_event_has_limits),
    DOCUMENTED_CASE("077_attributes_tell_of_support", attributes_tell_of_support),
    {.name = NULL},
};
