/* SPDX-License-Identifier: Apache-2.0 */
/* Events and memory that two processes share. Statements 74-77, 86, 87. */
#include <string.h>

#include "cases.h"
#include "tests/support/process.h"

static CUevent begin_shared(void)
{
    return begin_event_with(CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING);
}

/* The importing processes report the codes that they get; the parent judges them. */
static CUevent import(void)
{
    CUipcEventHandle handle;
    CUevent event = NULL;

    peer_receive(&peer_parent, &handle, sizeof handle);
    MUST(cu->IpcOpenEventHandle(&event, handle));
    return event;
}

PEER(importer)
{
    CUstream stream = begin_stream(), waiter = begin_stream();
    struct gate gate = GATE;
    CUevent shared = import();

    peer_answer((int)cu->EventQuery(shared));
    MUST(cu->StreamWaitEvent(waiter, shared, 0));
    peer_answer((int)cu->StreamQuery(waiter));
    peer_answer((int)cu->EventSynchronize(shared)); /* asked before the parent opens its gate */
    peer_answer(
        (int)cu->StreamSynchronize(waiter)); /* asked when the parent has seen it complete */

    gate_shut(&gate, stream);
    peer_answer((int)cu->EventRecord(shared, stream));
    peer_answer((int)cu->EventQuery(shared));
    peer_answer((int)CUDA_SUCCESS); /* asked when the parent has seen it pending */
    gate_open(&gate);
    MUST(cu->EventSynchronize(shared));
    peer_answer((int)cu->EventQuery(shared));
    peer_answer((int)cu->EventDestroy_v2(shared));
}

PEER(limits)
{
    CUipcEventHandle handle;
    CUevent own = begin_event(), shared = import();
    CUstream stream = begin_stream();
    float ms = -7;

    MUST(cu->EventRecord(own, stream));
    MUST(cu->EventRecord(shared, stream));
    MUST(cu->EventSynchronize(shared));
    MUST(cu->EventSynchronize(own));
    peer_answer((int)cu->EventElapsedTime(&ms, own, shared));
    peer_answer((int)cu->EventElapsedTime_v2(&ms, shared, own));
    peer_answer(ms == -7 ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN);
    peer_answer((int)cu->IpcGetEventHandle(&handle, shared));
    peer_answer((int)cu->EventDestroy_v2(shared));
}

/* Invalid handles, in a process that has exported nothing. */
PEER(opener)
{
    CUipcEventHandle handle;
    CUevent event = NULL;

    begin_context();
    memset(&handle, 0, sizeof handle);
    peer_answer((int)cu->IpcOpenEventHandle(&event, handle));
    memset(&handle, 0x5a, sizeof handle);
    peer_answer((int)cu->IpcOpenEventHandle(&event, handle));
    peer_answer((int)cu->IpcOpenEventHandle(NULL, handle));
    peer_answer(event == NULL ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN);
}

DOCUMENTED_CASE(074, export_is_checked)
{
    CUipcEventHandle handle, again;
    CUevent shared = begin_shared(), own = begin_event_with(CU_EVENT_DISABLE_TIMING);

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

MEASURED_CASE(074, export_needs_a_context)
{
    CUipcEventHandle handle;
    CUevent shared = begin_shared();

    make_current(NULL);
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->IpcGetEventHandle(&handle, shared));
}

DOCUMENTED_CASE(075, exporter_cannot_import)
{
    CUipcEventHandle handle;
    CUevent shared = begin_shared(), event = NULL;

    MUST(cu->IpcGetEventHandle(&handle, shared));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->IpcOpenEventHandle(&event, handle));
    CHECK(event == NULL);
}

DOCUMENTED_CASE(075, nonsense_is_not_imported)
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
    peer_start(&peer, "peer_opener");
    EQUAL(CUDA_ERROR_MAP_FAILED, peer_ask(&peer));
    EQUAL(CUDA_ERROR_MAP_FAILED, peer_ask(&peer));
    ONE_OF((CUresult)peer_ask(&peer), 201, 205, 217, 400, 1);
    EQUAL(CUDA_SUCCESS, peer_ask(&peer));
    peer_end(&peer);
}

DOCUMENTED_CASE(076, two_processes_share_an_event)
{
    struct gate gate = GATE;
    CUipcEventHandle handle;
    struct peer peer;
    CUstream stream = begin_stream();
    CUevent shared = begin_shared();

    gate_shut(&gate, stream);
    OK(cu->EventRecord(shared, stream));
    OK(cu->IpcGetEventHandle(&handle, shared));
    peer_start(&peer, "peer_importer");
    peer_send(&peer, &handle, sizeof handle);

    /* An event that is pending here is pending in the peer, also for a stream that waits for it. */
    EQUAL(CUDA_ERROR_NOT_READY, peer_ask(&peer));
    EQUAL(CUDA_ERROR_NOT_READY, peer_ask(&peer));
    CODE(CUDA_ERROR_NOT_READY, cu->EventQuery(shared));
    gate_open(&gate);
    OK(cu->EventSynchronize(shared));
    EQUAL(CUDA_SUCCESS, peer_ask(&peer)); /* the peer was blocked, and has now synchronized */
    OK(cu->EventQuery(shared));
    EQUAL(CUDA_SUCCESS, peer_ask(&peer)); /* and so has its stream; the peer may record now */

    /* The other direction: the peer has recorded behind a gate, which it opens when it is asked. */
    EQUAL(CUDA_SUCCESS, peer_ask(&peer));
    EQUAL(CUDA_ERROR_NOT_READY, peer_ask(&peer));
    CODE(CUDA_ERROR_NOT_READY, cu->EventQuery(shared));
    EQUAL(CUDA_SUCCESS, peer_ask(&peer));
    OK(cu->EventSynchronize(shared));
    OK(cu->EventQuery(shared));
    EQUAL(CUDA_SUCCESS, peer_ask(&peer));
    EQUAL(CUDA_SUCCESS, peer_ask(&peer)); /* the peer has destroyed it */
    peer_end(&peer);
    OK(cu->EventRecord(shared, stream));
    OK(cu->EventSynchronize(shared));
    OK(cu->EventDestroy_v2(shared));
}

DOCUMENTED_CASE(076, imported_event_has_limits)
{
    CUipcEventHandle handle;
    struct peer peer;
    CUevent shared = begin_shared();

    OK(cu->IpcGetEventHandle(&handle, shared));
    peer_start(&peer, "peer_limits");
    peer_send(&peer, &handle, sizeof handle);
    EQUAL(CUDA_ERROR_INVALID_HANDLE, peer_ask(&peer));
    EQUAL(CUDA_ERROR_INVALID_HANDLE, peer_ask(&peer));
    EQUAL(CUDA_SUCCESS, peer_ask(&peer)); /* ms is unchanged */
    EQUAL(CUDA_ERROR_INVALID_HANDLE, peer_ask(&peer));
    EQUAL(CUDA_SUCCESS, peer_ask(&peer)); /* destroyed in the peer, and still valid here */
    peer_end(&peer);
    OK(cu->EventQuery(shared));
    OK(cu->EventDestroy_v2(shared));
}

DOCUMENTED_CASE(077, attributes_report_support)
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

/* Device memory that processes share, and the importing process. Statements 86 and 87. */

enum { BYTES = 5000 };

MEASURED_CASE(086, export_of_memory_is_checked)
{
    CUdeviceptr memory = begin_memory(BYTES), other = 0;
    CUipcMemHandle handle;

    OK(cu->IpcGetMemHandle(&handle, memory));
    OK(cu->IpcGetMemHandle(&handle, memory + 16));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->IpcGetMemHandle(&handle, 0x1234));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->IpcGetMemHandle(NULL, memory));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->IpcGetMemHandle(&handle, (uintptr_t)begin_pinned(64)));
    MUST(cu->MemAllocAsync(&other, 64, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->IpcGetMemHandle(&handle, other));
    other = begin_managed(64);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->IpcGetMemHandle(&handle, other));
}

MEASURED_CASE(087, own_memory_is_not_imported)
{
    CUdeviceptr memory = begin_memory(BYTES), other = 0;
    CUipcMemHandle handle;

    MUST(cu->IpcGetMemHandle(&handle, memory));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->IpcOpenMemHandle_v2(&other, handle, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->IpcCloseMemHandle(memory));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->IpcCloseMemHandle(0x1234));
}

PEER(memory)
{
    CUdeviceptr memory = 0, second = 0, base = 0;
    CUipcMemHandle handle, again;
    size_t bytes = 0;

    peer_receive(&peer_parent, &handle, sizeof handle);
    begin_context();
    peer_answer((int)cu->IpcOpenMemHandle_v2(&memory, handle, 0));
    peer_answer((int)cu->IpcOpenMemHandle_v2(&memory, handle, 1));
    peer_answer((int)read_value(memory));
    MUST(cu->MemGetAddressRange_v2(&base, &bytes, memory));
    peer_answer(base == memory ? (int)bytes : -1);
    peer_answer((int)cu->IpcOpenMemHandle_v2(&second, handle, 1));
    peer_answer(memory == second);
    peer_answer((int)cu->IpcGetMemHandle(&again, memory));
    peer_answer((int)cu->MemFree_v2(memory));
    MUST(cu->MemsetD8_v2(memory, 0x77, 4));
    MUST(cu->CtxSynchronize());
    peer_answer((int)cu->IpcCloseMemHandle(memory));
    peer_answer((int)cu->IpcCloseMemHandle(memory));
    peer_answer((int)cu->IpcCloseMemHandle(memory));
    memset(&handle, 0, sizeof handle);
    peer_answer((int)cu->IpcOpenMemHandle_v2(&memory, handle, 1));
}

MEASURED_CASE(087, two_processes_share_memory)
{
    CUipcMemHandle handle;
    CUdeviceptr memory = begin_memory(BYTES);
    struct peer peer;

    MUST(cu->MemsetD8_v2(memory, 0x42, BYTES));
    MUST(cu->CtxSynchronize());
    MUST(cu->IpcGetMemHandle(&handle, memory));
    peer_start(&peer, "peer_memory");
    peer_send(&peer, &handle, sizeof handle);
    EQUAL(CUDA_ERROR_INVALID_VALUE, peer_ask(&peer)); /* flags 0 */
    EQUAL(CUDA_SUCCESS, peer_ask(&peer));
    EQUAL(0x42424242, peer_ask(&peer));
    EQUAL(BYTES, peer_ask(&peer));
    EQUAL(CUDA_SUCCESS, peer_ask(&peer));             /* opened a second time */
    EQUAL(true, peer_ask(&peer));                     /* the same address */
    EQUAL(CUDA_ERROR_INVALID_VALUE, peer_ask(&peer)); /* exported again */
    EQUAL(CUDA_ERROR_INVALID_VALUE, peer_ask(&peer)); /* freed */
    EQUAL(CUDA_SUCCESS, peer_ask(&peer));             /* closed, */
    EQUAL(CUDA_SUCCESS, peer_ask(&peer));             /* closed, */
    EQUAL(CUDA_ERROR_INVALID_VALUE, peer_ask(&peer)); /* closed more often than opened */
    EQUAL(CUDA_ERROR_INVALID_VALUE, peer_ask(&peer)); /* a handle of zeros */
    peer_end(&peer);
    EQUAL(0x77777777, read_value(memory));
}
