/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory that processes share, and the importing process. Statements 86 and 87. */
#include <stdint.h>
#include <string.h>

#include "backend.h"
#include "begin.h"
#include "cases.h"
#include "check.h"
#include "memory.h"
#include "tests/support/process.h"

#define PEER_MEMORY "peer_memory"

enum { BYTES = 5000, GO_ON = -1 };

static void export_is_checked(void)
{
    CUdeviceptr memory, other = 0;
    CUipcMemHandle handle;

    begin_context();
    memory = begin_memory(BYTES);
    OK(cu->IpcGetMemHandle(&handle, memory));
    OK(cu->IpcGetMemHandle(&handle, memory + 16));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->IpcGetMemHandle(&handle, 0x1234));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->IpcGetMemHandle(NULL, memory));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->IpcGetMemHandle(&handle, (uintptr_t)begin_pinned(64)));
    MUST(cu->MemAllocAsync(&other, 64, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->IpcGetMemHandle(&handle, other));
    MUST(cu->MemAllocManaged(&other, 64, CU_MEM_ATTACH_GLOBAL));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->IpcGetMemHandle(&handle, other));
}

static void own_memory_is_not_imported(void)
{
    CUdeviceptr memory, other = 0;
    CUipcMemHandle handle;

    begin_context();
    memory = begin_memory(BYTES);
    MUST(cu->IpcGetMemHandle(&handle, memory));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->IpcOpenMemHandle_v2(&other, handle, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->IpcCloseMemHandle(memory));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->IpcCloseMemHandle(0x1234));
}

/* When the other side asks, tell it a number. */
static void tell(int number)
{
    int word;

    peer_receive(&peer_parent, &word, sizeof word);
    peer_send(&peer_parent, &number, sizeof number);
}

static int next(const struct peer *peer)
{
    int word = GO_ON;

    peer_send(peer, &word, sizeof word);
    peer_receive(peer, &word, sizeof word);
    return word;
}

static void import_memory(void)
{
    CUdeviceptr memory = 0, second = 0, base = 0;
    CUipcMemHandle handle, again;
    size_t bytes = 0;

    peer_receive(&peer_parent, &handle, sizeof handle);
    begin_context();
    tell((int)cu->IpcOpenMemHandle_v2(&memory, handle, 0));
    tell((int)cu->IpcOpenMemHandle_v2(&memory, handle, 1));
    tell((int)read_value(memory));
    MUST(cu->MemGetAddressRange_v2(&base, &bytes, memory));
    tell(base == memory ? (int)bytes : -1);
    tell((int)cu->IpcOpenMemHandle_v2(&second, handle, 1));
    tell(memory == second);
    tell((int)cu->IpcGetMemHandle(&again, memory));
    tell((int)cu->MemFree_v2(memory));
    MUST(cu->MemsetD8_v2(memory, 0x77, 4));
    MUST(cu->CtxSynchronize());
    tell((int)cu->IpcCloseMemHandle(memory));
    tell((int)cu->IpcCloseMemHandle(memory));
    tell((int)cu->IpcCloseMemHandle(memory));
    memset(&handle, 0, sizeof handle);
    tell((int)cu->IpcOpenMemHandle_v2(&memory, handle, 1));
}

static void two_processes_share_memory(void)
{
    CUipcMemHandle handle;
    CUdeviceptr memory;
    struct peer peer;

    begin_context();
    memory = begin_memory(BYTES);
    MUST(cu->MemsetD8_v2(memory, 0x42, BYTES));
    MUST(cu->CtxSynchronize());
    MUST(cu->IpcGetMemHandle(&handle, memory));
    peer_start(&peer, PEER_MEMORY);
    peer_send(&peer, &handle, sizeof handle);
    EQUAL(CUDA_ERROR_INVALID_VALUE, next(&peer)); /* flags 0 */
    EQUAL(CUDA_SUCCESS, next(&peer));
    EQUAL(0x42424242, next(&peer));
    EQUAL(BYTES, next(&peer));
    EQUAL(CUDA_SUCCESS, next(&peer));             /* a second time */
    EQUAL(true, next(&peer));                     /* gives the same address */
    EQUAL(CUDA_ERROR_INVALID_VALUE, next(&peer)); /* exported again */
    EQUAL(CUDA_ERROR_INVALID_VALUE, next(&peer)); /* freed */
    EQUAL(CUDA_SUCCESS, next(&peer));             /* closed, */
    EQUAL(CUDA_SUCCESS, next(&peer));             /* closed, */
    EQUAL(CUDA_ERROR_INVALID_VALUE, next(&peer)); /* closed once more than opened */
    EQUAL(CUDA_ERROR_INVALID_VALUE, next(&peer)); /* a handle of zeros */
    peer_end(&peer);
    EQUAL(0x77777777, read_value(memory));
}

const struct peer_row ipc_memory_peers[] = {
    {PEER_MEMORY, import_memory},
    {NULL, NULL},
};

const struct conformance_case ipc_memory_cases[] = {
    MEASURED_CASE("086_export_is_checked", export_is_checked),
    MEASURED_CASE("087_own_memory_is_not_imported", own_memory_is_not_imported),
    MEASURED_CASE("087_two_processes_share_memory", two_processes_share_memory),
    {.name = NULL},
};
