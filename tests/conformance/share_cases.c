/* SPDX-License-Identifier: Apache-2.0 */
/* Memory and pools that processes share by file descriptor. Statements 222-225. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cases.h"
#include "tests/support/process.h"
#include "virtual.h"

enum { DESCRIPTOR = 1, WINDOWS = 2, FABRIC = 8, UNKNOWN = 999 };

static CUresult export_memory(physical handle, int type, int *file)
{
    return cu->MemExportToShareableHandle(file, handle, (CUmemAllocationHandleType)type, 0);
}

static CUresult import_memory(physical *handle, int file, int type)
{
    return cu->MemImportFromShareableHandle(handle, (void *)(intptr_t)file,
                                            (CUmemAllocationHandleType)type);
}

MEASURED_CASE(222, exported_memory_is_imported)
{
    static const int wrong[] = {0, WINDOWS, FABRIC, 77};
    physical own, other, handle = 0, second = 0;
    CUmemAllocationProp prop;
    CUdeviceptr start;
    int file = -1, again = -1;

    begin_context();
    own = virtual_create(1, DESCRIPTOR);
    other = virtual_create(1, 0);
    for (size_t i = 0; i < COUNT(wrong); i++)
        REFUSED(export_memory(own, wrong[i], &file));
    REFUSED(export_memory(other, DESCRIPTOR, &file));
    REFUSED(
        cu->MemExportToShareableHandle(&file, own, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 1));
    REFUSED(cu->MemExportToShareableHandle(NULL, own, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    REFUSED(export_memory(0, DESCRIPTOR, &file));
    EQUAL(-1, file);
    OK(export_memory(own, DESCRIPTOR, &file));
    OK(export_memory(own, DESCRIPTOR, &again));
    CHECK(file != again);
    EQUAL(FD_CLOEXEC, fcntl(file, F_GETFD));
    REFUSED(import_memory(&handle, file, 0));
    CODE(CUDA_ERROR_NOT_SUPPORTED, import_memory(&handle, file, WINDOWS));
    CODE(UNKNOWN, import_memory(&handle, -1, DESCRIPTOR));
    CODE(UNKNOWN, import_memory(&handle, STDERR_FILENO, DESCRIPTOR));
    REFUSED(import_memory(NULL, file, DESCRIPTOR));
    OK(import_memory(&handle, file, DESCRIPTOR));
    OK(import_memory(&second, again, DESCRIPTOR));
    CHECK(handle != own && handle != second);
    REFUSED(export_memory(handle, DESCRIPTOR, &again));
    OK(cu->MemGetAllocationPropertiesFromHandle(&prop, handle));
    EQUAL(0, prop.requestedHandleTypes);

    start = virtual_reserve(3);
    MUST(cu->MemMap(start, PAGE, 0, own, 0));
    MUST(cu->MemMap(start + PAGE, PAGE, 0, handle, 0));
    MUST(virtual_set_access(start, 2 * PAGE, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
    OK(cu->MemsetD32_v2(start, 4711, 1));
    EQUAL(4711, read_value(start + PAGE));
    OK(cu->MemUnmap(start, 2 * PAGE));
    OK(cu->MemRelease(own));
    OK(cu->MemRelease(handle));
    OK(cu->MemRelease(second));
    /* The descriptor keeps the memory. */
    OK(import_memory(&handle, file, DESCRIPTOR));
    MUST(cu->MemMap(start, PAGE, 0, handle, 0));
    MUST(virtual_set_access(start, PAGE, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
    EQUAL(4711, read_value(start));
}

MEASURED_CASE(223, ranges_have_descriptors)
{
    enum { SMALL = 4096 };
    static const struct {
        size_t offset, bytes;
        int type;
        unsigned long long flags;
        CUresult code;
    } rows[] = {
        {0, 2 * PAGE, 1, 0, 0}, {SMALL, SMALL, 1, 0, 0}, {0, 1, 1, 0, 1},      {0, 0, 1, 0, 1},
        {1, SMALL, 1, 0, 1},    {0, 3 * PAGE, 1, 0, 1},  {0, PAGE, 1, 1, 801}, {0, PAGE, 1, 2, 1},
        {0, PAGE, 0, 0, 1},     {0, PAGE, 2, 0, 1},
    };
    int file;
    CUdeviceptr memory = begin_memory(2 * PAGE);

    for (size_t i = 0; i < COUNT(rows); i++) {
        file = -7;
        CODE(rows[i].code,
             cu->MemGetHandleForAddressRange(&file, memory + rows[i].offset, rows[i].bytes,
                                             (CUmemRangeHandleType)rows[i].type, rows[i].flags));
        CHECK(rows[i].code ? file < 0 : file >= 0 && close(file) == 0);
    }
    REFUSED(cu->MemGetHandleForAddressRange(NULL, memory, PAGE, (CUmemRangeHandleType)1, 0));
    REFUSED(cu->MemGetHandleForAddressRange(&file, (uintptr_t)begin_pinned(PAGE), PAGE,
                                            (CUmemRangeHandleType)1, 0));
    make_current(NULL);
    CODE(CUDA_ERROR_INVALID_CONTEXT,
         cu->MemGetHandleForAddressRange(&file, memory, PAGE, (CUmemRangeHandleType)1, 0));
}

/* --- pools --- */

static CUmemoryPool begin_pool(int types)
{
    CUmemoryPool pool = NULL;
    CUmemPoolProps props;

    need_context();
    memset(&props, 0, sizeof props);
    props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    props.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    props.handleTypes = (CUmemAllocationHandleType)types;
    MUST(cu->MemPoolCreate(&pool, &props));
    return pool;
}

static CUresult export_pool(CUmemoryPool pool, int type, int *file)
{
    return cu->MemPoolExportToShareableHandle(file, pool, (CUmemAllocationHandleType)type, 0);
}

static CUresult import_pool(CUmemoryPool *pool, int file, int type)
{
    return cu->MemPoolImportFromShareableHandle(pool, (void *)(intptr_t)file,
                                                (CUmemAllocationHandleType)type, 0);
}

MEASURED_CASE(224, exported_pools_are_imported)
{
    static const int wrong[] = {0, WINDOWS, FABRIC, 77};
    CUmemoryPool pool = begin_pool(DESCRIPTOR), plain, imported = NULL, again = NULL;
    CUmemPoolPtrExportData data, nothing;
    CUdeviceptr memory = 0, other = 0, import = 0, same = 0;
    uint64_t value;
    int file = -1;

    plain = begin_pool(0);
    memset(&nothing, 0, sizeof nothing);
    MUST(cu->MemAllocFromPoolAsync(&memory, PAGE, pool, NULL));
    MUST(cu->MemAllocFromPoolAsync(&other, PAGE, plain, NULL));
    MUST(cu->MemsetD32_v2(memory, 4711, 1));
    MUST(cu->CtxSynchronize());
    REFUSED(cu->MemPoolExportPointer(&data, memory)); /* the pool comes first */
    for (size_t i = 0; i < COUNT(wrong); i++)
        REFUSED(export_pool(pool, wrong[i], &file));
    REFUSED(export_pool(plain, DESCRIPTOR, &file));
    REFUSED(export_pool(NULL, DESCRIPTOR, &file));
    OK(export_pool(pool, DESCRIPTOR, &file));
    REFUSED(import_pool(&imported, file, 0));
    CODE(CUDA_ERROR_NOT_SUPPORTED, import_pool(&imported, file, WINDOWS));
    CODE(UNKNOWN, import_pool(&imported, -1, DESCRIPTOR));
    CODE(UNKNOWN, import_pool(&imported, STDERR_FILENO, DESCRIPTOR));
    OK(import_pool(&imported, file, DESCRIPTOR));
    OK(import_pool(&again, file, DESCRIPTOR));
    CHECK(imported != pool && imported == again);

    OK(cu->MemPoolExportPointer(&data, memory));
    REFUSED(cu->MemPoolExportPointer(&data, memory + 64));
    REFUSED(cu->MemPoolExportPointer(&data, other));
    REFUSED(cu->MemPoolExportPointer(NULL, memory));
    REFUSED(cu->MemPoolImportPointer(&import, imported, &nothing));
    REFUSED(cu->MemPoolImportPointer(&import, pool, &data));
    REFUSED(cu->MemPoolImportPointer(&import, plain, &data));
    REFUSED(cu->MemPoolImportPointer(&import, imported, NULL));
    OK(cu->MemPoolImportPointer(&import, imported, &data));
    OK(cu->MemPoolImportPointer(&same, imported, &data));
    CHECK(import != memory && import == same);
    EQUAL(4711, read_value(import));

    REFUSED(cu->MemAllocFromPoolAsync(&other, PAGE, imported, NULL));
    REFUSED(cu->MemPoolGetAttribute(imported, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &value));
    REFUSED(cu->MemPoolTrimTo(imported, 0));
    REFUSED(cu->DeviceSetMemPool(0, imported));
    REFUSED(export_pool(imported, DESCRIPTOR, &file));
    REFUSED(cu->MemPoolExportPointer(&data, import));
    OK(cu->MemFreeAsync(import, NULL));
    MUST(cu->CtxSynchronize());
    OK(cu->MemPoolImportPointer(&same, imported, &data));
    EQUAL(4711, read_value(same));
    OK(cu->MemFree_v2(same));
    REFUSED(cu->MemFree_v2(same));
    OK(cu->MemFreeAsync(memory, NULL));
    MUST(cu->CtxSynchronize());
    REFUSED(cu->MemPoolExportPointer(&data, memory));
}

/* --- two processes --- */

struct shared {
    int memory, pool; /* descriptors, which the peer inherits */
    CUmemPoolPtrExportData pointer;
};

PEER(descriptors)
{
    CUmemoryPool pool = NULL;
    CUdeviceptr start, pooled = 0;
    struct shared shared;
    physical handle = 0;

    peer_receive(&peer_parent, &shared, sizeof shared);
    begin_context();
    start = virtual_reserve(1);
    peer_answer((int)import_memory(&handle, shared.memory, DESCRIPTOR));
    MUST(cu->MemMap(start, PAGE, 0, handle, 0));
    MUST(cu->MemRelease(handle));
    MUST(virtual_set_access(start, PAGE, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
    peer_answer((int)read_value(start));
    MUST(cu->MemsetD32_v2(start, 4712, 1));
    peer_answer((int)import_pool(&pool, shared.pool, DESCRIPTOR));
    peer_answer((int)cu->MemPoolImportPointer(&pooled, pool, &shared.pointer));
    peer_answer((int)read_value(pooled));
    MUST(cu->MemsetD32_v2(pooled, 814, 1));
    MUST(cu->CtxSynchronize());
    peer_answer((int)cu->MemFreeAsync(pooled, NULL));
    MUST(cu->CtxSynchronize());
}

MEASURED_CASE(225, two_processes_share_by_descriptors)
{
    const CUmemoryPool pool = (begin_context(), begin_pool(DESCRIPTOR));
    const physical handle = virtual_create(1, DESCRIPTOR);
    const CUdeviceptr start = virtual_reserve(1);
    CUdeviceptr pooled = 0;
    struct shared shared;
    struct peer peer;

    MUST(cu->MemMap(start, PAGE, 0, handle, 0));
    MUST(virtual_set_access(start, PAGE, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
    MUST(cu->MemsetD32_v2(start, 4711, 1));
    MUST(cu->MemAllocFromPoolAsync(&pooled, 1000, pool, NULL));
    MUST(cu->MemsetD32_v2(pooled, 813, 1));
    MUST(cu->CtxSynchronize());
    MUST(export_memory(handle, DESCRIPTOR, &shared.memory));
    MUST(export_pool(pool, DESCRIPTOR, &shared.pool));
    MUST(cu->MemPoolExportPointer(&shared.pointer, pooled));
    CHECK(fcntl(shared.memory, F_SETFD, 0) == 0 && fcntl(shared.pool, F_SETFD, 0) == 0);
    peer_start(&peer, "peer_descriptors");
    peer_send(&peer, &shared, sizeof shared);
    EQUAL(CUDA_SUCCESS, peer_ask(&peer));
    EQUAL(4711, peer_ask(&peer));
    EQUAL(CUDA_SUCCESS, peer_ask(&peer));
    EQUAL(CUDA_SUCCESS, peer_ask(&peer));
    EQUAL(813, peer_ask(&peer));
    EQUAL(CUDA_SUCCESS, peer_ask(&peer));
    peer_end(&peer);
    EQUAL(4712, read_value(start));
    EQUAL(814, read_value(pooled));
}
