/* SPDX-License-Identifier: Apache-2.0 */
/* Preparations of the cases about virtual memory. A failure ends the case. */
#ifndef CUSHIM_TESTS_CONFORMANCE_VIRTUAL_H
#define CUSHIM_TESTS_CONFORMANCE_VIRTUAL_H

#include <string.h>

#include "cases.h"

enum { PAGE = 2 << 20 };

typedef CUmemGenericAllocationHandle physical;

static inline CUmemAllocationProp virtual_properties(int types)
{
    CUmemAllocationProp prop;

    memset(&prop, 0, sizeof prop);
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    prop.requestedHandleTypes = (CUmemAllocationHandleType)types;
    return prop;
}

static inline physical virtual_create(size_t pages, int types)
{
    const CUmemAllocationProp prop = virtual_properties(types);
    physical handle = 0;

    need_context();
    MUST(cu->MemCreate(&handle, pages * PAGE, &prop, 0));
    return handle;
}

static inline CUdeviceptr virtual_reserve(size_t pages)
{
    CUdeviceptr start = 0;

    need_context();
    MUST(cu->MemAddressReserve(&start, pages * PAGE, 0, 0, 0));
    return start;
}

static inline CUresult virtual_set_access(CUdeviceptr start, size_t bytes, int flags)
{
    CUmemAccessDesc access;

    memset(&access, 0, sizeof access);
    access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access.flags = (CUmemAccess_flags)flags;
    return cu->MemSetAccess(start, bytes, &access, 1);
}

#endif
