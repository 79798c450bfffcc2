/* SPDX-License-Identifier: Apache-2.0 */
#include "memory.h"

#include "backend.h"
#include "begin.h"
#include "check.h"

/* How long a gate stays shut: calls that do not wait are done by then. */
enum { SHUT_MS = 50 };

CUdeviceptr begin_memory(size_t bytes)
{
    CUdeviceptr memory = 0;

    MUST(cu->MemAlloc_v2(&memory, bytes));
    return memory;
}

void *begin_pinned(size_t bytes)
{
    void *memory = NULL;

    MUST(cu->MemAllocHost_v2(&memory, bytes));
    return memory;
}

unsigned read_value(CUdeviceptr memory)
{
    unsigned value = 0;

    MUST(cu->CtxSynchronize());
    MUST(cu->MemcpyDtoH_v2(&value, memory, sizeof value));
    return value;
}

bool waits_for_gate(CUstream stream, CUresult (*call)(void *data), void *data)
{
    struct gate gate = GATE;
    struct opener opener;
    bool opened;

    gate_shut(&gate, stream);
    opener_start(&opener, &gate, SHUT_MS);
    OK(call(data));
    opened = atomic_load(&opener.opened);
    opener_join(&opener);
    drain(stream);
    return opened;
}
