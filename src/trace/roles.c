/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions with a role, in the order of slots. docs/driver-semantics.md says which of them
 * block: waits for events, streams and contexts, what ends a context or unloads code (89), what
 * frees memory (94), and copies that are not asynchronous (113), except those within the device.
 */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include "src/trace/roles.h"

#include <stdint.h>

#include "loader/symbols.h"

static const uint8_t roles[CUSHIM__SYMBOL_COUNT] = {
    [CUSHIM__SLOT(DevicePrimaryCtxRelease)] = TRACE_BLOCKS,
    [CUSHIM__SLOT(DevicePrimaryCtxReset)] = TRACE_BLOCKS,
    [CUSHIM__SLOT(DevicePrimaryCtxRelease_v2)] = TRACE_BLOCKS,
    [CUSHIM__SLOT(DevicePrimaryCtxReset_v2)] = TRACE_BLOCKS,
    [CUSHIM__SLOT(CtxSynchronize)] = TRACE_BLOCKS,
    [CUSHIM__SLOT(CtxDestroy)] = TRACE_BLOCKS,
    [CUSHIM__SLOT(CtxDestroy_v2)] = TRACE_BLOCKS,
    [CUSHIM__SLOT(CtxSynchronize_v2)] = TRACE_BLOCKS,
    [CUSHIM__SLOT(ModuleUnload)] = TRACE_BLOCKS,
    [CUSHIM__SLOT(LibraryUnload)] = TRACE_BLOCKS,
    [CUSHIM__SLOT(MemFreeHost)] = TRACE_BLOCKS,
    [CUSHIM__SLOT(MemAlloc)] = TRACE_ALLOCATES,
    [CUSHIM__SLOT(MemAllocPitch)] = TRACE_PITCHES,
    [CUSHIM__SLOT(MemFree)] = TRACE_FREES,
    [CUSHIM__SLOT(MemcpyHtoD)] = TRACE_BLOCKS,
    [CUSHIM__SLOT(MemcpyDtoH)] = TRACE_BLOCKS,
    [CUSHIM__SLOT(MemcpyHtoA)] = TRACE_BLOCKS,
    [CUSHIM__SLOT(MemcpyAtoH)] = TRACE_BLOCKS,
    [CUSHIM__SLOT(Memcpy2D)] = TRACE_BLOCKS,
    [CUSHIM__SLOT(Memcpy2DUnaligned)] = TRACE_BLOCKS,
    [CUSHIM__SLOT(Memcpy3D)] = TRACE_BLOCKS,
    [CUSHIM__SLOT(MemAlloc_v2)] = TRACE_ALLOCATES,
    [CUSHIM__SLOT(MemAllocPitch_v2)] = TRACE_PITCHES,
    [CUSHIM__SLOT(MemFree_v2)] = TRACE_FREES,
    [CUSHIM__SLOT(MemcpyHtoD_v2)] = TRACE_BLOCKS,
    [CUSHIM__SLOT(MemcpyDtoH_v2)] = TRACE_BLOCKS,
    [CUSHIM__SLOT(MemcpyHtoA_v2)] = TRACE_BLOCKS,
    [CUSHIM__SLOT(MemcpyAtoH_v2)] = TRACE_BLOCKS,
    [CUSHIM__SLOT(Memcpy2D_v2)] = TRACE_BLOCKS,
    [CUSHIM__SLOT(Memcpy2DUnaligned_v2)] = TRACE_BLOCKS,
    [CUSHIM__SLOT(Memcpy3D_v2)] = TRACE_BLOCKS,
    [CUSHIM__SLOT(MemHostUnregister)] = TRACE_BLOCKS,
    [CUSHIM__SLOT(Memcpy)] = TRACE_BLOCKS,
    [CUSHIM__SLOT(MemcpyPeer)] = TRACE_BLOCKS,
    [CUSHIM__SLOT(Memcpy3DPeer)] = TRACE_BLOCKS,
    [CUSHIM__SLOT(MemAllocManaged)] = TRACE_ALLOCATES,
    [CUSHIM__SLOT(Memcpy_ptds)] = TRACE_BLOCKS,
    [CUSHIM__SLOT(MemcpyPeer_ptds)] = TRACE_BLOCKS,
    [CUSHIM__SLOT(MemcpyHtoD_v2_ptds)] = TRACE_BLOCKS,
    [CUSHIM__SLOT(MemcpyDtoH_v2_ptds)] = TRACE_BLOCKS,
    [CUSHIM__SLOT(MemcpyHtoA_v2_ptds)] = TRACE_BLOCKS,
    [CUSHIM__SLOT(MemcpyAtoH_v2_ptds)] = TRACE_BLOCKS,
    [CUSHIM__SLOT(Memcpy2D_v2_ptds)] = TRACE_BLOCKS,
    [CUSHIM__SLOT(Memcpy2DUnaligned_v2_ptds)] = TRACE_BLOCKS,
    [CUSHIM__SLOT(Memcpy3D_v2_ptds)] = TRACE_BLOCKS,
    [CUSHIM__SLOT(Memcpy3DPeer_ptds)] = TRACE_BLOCKS,
    [CUSHIM__SLOT(MemFreeAsync_ptsz)] = TRACE_FREES_ASYNC,
    [CUSHIM__SLOT(MemAllocAsync_ptsz)] = TRACE_ALLOCATES,
    [CUSHIM__SLOT(MemAllocFromPoolAsync_ptsz)] = TRACE_ALLOCATES,
    [CUSHIM__SLOT(MemFreeAsync)] = TRACE_FREES_ASYNC,
    [CUSHIM__SLOT(MemAllocAsync)] = TRACE_ALLOCATES,
    [CUSHIM__SLOT(MemAllocFromPoolAsync)] = TRACE_ALLOCATES,
    [CUSHIM__SLOT(StreamDestroy)] = TRACE_BLOCKS,
    [CUSHIM__SLOT(StreamSynchronize)] = TRACE_BLOCKS,
    [CUSHIM__SLOT(StreamSynchronize_ptsz)] = TRACE_BLOCKS,
    [CUSHIM__SLOT(EventSynchronize)] = TRACE_BLOCKS,
    [CUSHIM__SLOT(GreenCtxDestroy)] = TRACE_BLOCKS,
};

enum trace_role trace_role_of(unsigned slot)
{
    return slot < CUSHIM__SYMBOL_COUNT ? (enum trace_role)roles[slot] : TRACE_NO_ROLE;
}
