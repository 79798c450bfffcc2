/* SPDX-License-Identifier: Apache-2.0 */
/* External memory by a file descriptor, and memory that is attached to streams. 230 and 231. */
#define _GNU_SOURCE /* memfd_create() */
#ifndef _WIN32
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

#include "cases.h"

enum { BYTES = 4 << 20 };

/* A descriptor that can be imported: of driver memory, or, if that has none, of a file. */
static int begin_file(void)
{
    int file = -1;
#ifdef _WIN32
    skip("descriptors are not imported on Windows");
#else
    const CUmemAllocationProp properties = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                            .requestedHandleTypes =
                                                CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                            .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    CUmemGenericAllocationHandle memory;
    const CUresult code = cu->MemCreate(&memory, BYTES, &properties, 0);

    if (code == CUDA_SUCCESS) {
        MUST(cu->MemExportToShareableHandle(&file, memory, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                            0));
        return file;
    }
    CODE(CUDA_ERROR_NOT_SUPPORTED, code);
    file = memfd_create("memory", 0);
    if (file < 0 || ftruncate(file, BYTES) != 0)
        skip("no file in memory");
#endif
    return file;
}

static CUDA_EXTERNAL_MEMORY_HANDLE_DESC described(int file)
{
    return (CUDA_EXTERNAL_MEMORY_HANDLE_DESC){
        .type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD, .handle.fd = file, .size = BYTES};
}

static CUexternalMemory begin_external(void)
{
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC of;
    CUexternalMemory memory;

    need_context();
    of = described(begin_file());
    MUST(cu->ImportExternalMemory(&memory, &of));
    return memory;
}

MEASURED_CASE(230, wrong_imports_are_refused)
{
    static const struct {
        int type, size, flags;
        CUresult code;
    } rows[] = {
        {0, BYTES, 0, CUDA_ERROR_INVALID_VALUE}, {77, BYTES, 0, CUDA_ERROR_INVALID_VALUE},
        {1, 0, 0, CUDA_ERROR_INVALID_VALUE},     {1, BYTES, 2, CUDA_ERROR_INVALID_VALUE},
        {1, BYTES, 0, CUDA_ERROR_UNKNOWN},
    };
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC of = described(-1);
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC semaphore = {.handle.fd = -1};
    CUexternalSemaphore made;
    CUexternalMemory memory;

    begin_context();
    for (size_t i = 0; i < COUNT(rows); i++) {
        of.type = (CUexternalMemoryHandleType)rows[i].type;
        of.size = (unsigned)rows[i].size;
        of.flags = (unsigned)rows[i].flags;
        CODE(rows[i].code, cu->ImportExternalMemory(&memory, &of));
    }
    REFUSED(cu->ImportExternalMemory(NULL, &of));
    REFUSED(cu->ImportExternalMemory(&memory, NULL));
    REFUSED(cu->DestroyExternalMemory(NULL));
    REFUSED(cu->ImportExternalSemaphore(&made, &semaphore)); /* of type 0 */
    REFUSED(cu->ImportExternalSemaphore(NULL, &semaphore));
    REFUSED(cu->ImportExternalSemaphore(&made, NULL));
    REFUSED(cu->SignalExternalSemaphoresAsync(NULL, NULL, 0, NULL));
    REFUSED(cu->WaitExternalSemaphoresAsync(NULL, NULL, 0, NULL));
    REFUSED(cu->DestroyExternalSemaphore(NULL));
    make_current(NULL);
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->ImportExternalMemory(NULL, NULL));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->ImportExternalSemaphore(NULL, NULL));
}

CASE(230, buffers_are_parts_of_the_memory, .class = MEASURED, .may_skip = ON_MOCK)
{
    static const struct {
        size_t offset, size;
        unsigned flags, reserved;
        CUresult code;
    } rows[] = {
        {0, BYTES, 0, 0, CUDA_SUCCESS},
        {100, 1000, 0, 0, CUDA_SUCCESS},
        {0, 0, 0, 0, CUDA_ERROR_INVALID_VALUE},
        {0, BYTES + 1, 0, 0, CUDA_ERROR_INVALID_VALUE},
        {BYTES, 1, 0, 0, CUDA_ERROR_INVALID_VALUE},
        {BYTES - 4096, 8192, 0, 0, CUDA_ERROR_INVALID_VALUE},
        {0, 4096, 1, 0, CUDA_ERROR_INVALID_VALUE},
        {0, 4096, 0, 1, CUDA_ERROR_INVALID_VALUE},
    };
    CUdeviceptr whole = 0, part, base;
    CUcontext context = begin_context(), owner = NULL;
    unsigned char byte = 0;
    size_t bytes;
    CUexternalMemory memory = begin_external();

    for (size_t i = 0; i < COUNT(rows); i++) {
        CUDA_EXTERNAL_MEMORY_BUFFER_DESC of = {.offset = rows[i].offset,
                                               .size = rows[i].size,
                                               .flags = rows[i].flags,
                                               .reserved = {0, rows[i].reserved}};

        CODE(rows[i].code, cu->ExternalMemoryGetMappedBuffer(i ? &part : &whole, memory, &of));
        REFUSED(cu->ExternalMemoryGetMappedBuffer(NULL, memory, &of));
        REFUSED(cu->ExternalMemoryGetMappedBuffer(&part, NULL, &of));
    }
    REFUSED(cu->ExternalMemoryGetMappedBuffer(&part, memory, NULL));
    make_current(NULL);
    OK(cu->ExternalMemoryGetMappedBuffer(
        &part, memory, &(CUDA_EXTERNAL_MEMORY_BUFFER_DESC){.offset = 4096, .size = 4096}));
    make_current(context);
    CHECK(part != whole + 4096);
    OK(cu->MemsetD8_v2(whole, 5, 8192));
    OK(cu->MemcpyDtoH_v2(&byte, part, 1));
    EQUAL(5, byte);
    OK(cu->MemGetAddressRange_v2(&base, &bytes, whole + 100));
    CHECK(base == whole);
    EQUAL(BYTES, bytes);
    OK(cu->PointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, part));
    CHECK(owner == context);
    OK(cu->MemFree_v2(part));
    REFUSED(cu->MemFree_v2(part));
    /* What was mapped outlives the memory that was imported. */
    OK(cu->DestroyExternalMemory(memory));
    OK(cu->MemsetD8_v2(whole, 6, 4096));
    OK(cu->MemFree_v2(whole));
}

CASE(230, arrays_are_parts_of_the_memory, .class = MEASURED, .may_skip = ON_MOCK)
{
    static const struct {
        unsigned long long offset;
        unsigned width, levels;
        CUresult code;
    } rows[] = {
        {0, 64, 3, CUDA_SUCCESS},
        {65536, 64, 1, CUDA_SUCCESS},
        {BYTES, 64, 1, CUDA_ERROR_INVALID_VALUE},
        {0, 0, 1, CUDA_ERROR_INVALID_VALUE},
        {0, 4096, 1, CUDA_ERROR_INVALID_VALUE},
    };
    CUmipmappedArray array;
    CUarray level;
    CUexternalMemory memory = begin_external();

    for (size_t i = 0; i < COUNT(rows); i++) {
        const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC of = {
            .offset = rows[i].offset,
            .arrayDesc = {.Width = rows[i].width,
                          .Height = rows[i].width,
                          .Format = CU_AD_FORMAT_FLOAT,
                          .NumChannels = 1},
            .numLevels = rows[i].levels};

        array = NULL;
        CODE(rows[i].code, cu->ExternalMemoryGetMappedMipmappedArray(&array, memory, &of));
        CHECK((array != NULL) == (rows[i].code == CUDA_SUCCESS));
        REFUSED(cu->ExternalMemoryGetMappedMipmappedArray(NULL, memory, &of));
        REFUSED(cu->ExternalMemoryGetMappedMipmappedArray(&array, NULL, &of));
        if (!array)
            continue;
        OK(cu->MipmappedArrayGetLevel(&level, array, 0));
        OK(cu->MipmappedArrayDestroy(array));
    }
}

MEASURED_CASE(231, attached_memory_is_one_managed_allocation)
{
    enum { SIZE = 1 << 20, GLOBAL = CU_MEM_ATTACH_GLOBAL, SINGLE = CU_MEM_ATTACH_SINGLE };
    const CUstream stream = begin_stream();
    const CUdeviceptr managed = begin_managed(SIZE), device = begin_memory(4096);
    CUstreamCaptureStatus status;
    CUgraph graph;
    static const struct {
        size_t offset, length;
        unsigned flags;
        CUresult code;
    } rows[] = {
        {0, 0, SINGLE, CUDA_SUCCESS},
        {0, 0, GLOBAL, CUDA_SUCCESS},
        {0, 0, CU_MEM_ATTACH_HOST, CUDA_SUCCESS},
        {0, 0, 3, CUDA_ERROR_INVALID_VALUE},
        {0, 0, 8, CUDA_ERROR_INVALID_VALUE},
        {0, 4096, SINGLE, CUDA_ERROR_INVALID_VALUE},
        {0, 2 * SIZE, SINGLE, CUDA_ERROR_INVALID_VALUE},
        {4096, 0, SINGLE, CUDA_ERROR_INVALID_VALUE},
    };

    for (size_t i = 0; i < COUNT(rows); i++)
        CODE(rows[i].code, cu->StreamAttachMemAsync(stream, managed + rows[i].offset,
                                                    rows[i].length, rows[i].flags));
    REFUSED(cu->StreamAttachMemAsync(NULL, managed, 0, SINGLE));
    REFUSED(cu->StreamAttachMemAsync(stream, device, 0, SINGLE));
    REFUSED(cu->StreamAttachMemAsync(stream, (CUdeviceptr)(uintptr_t)begin_pinned(64), 0, SINGLE));
    REFUSED(cu->StreamAttachMemAsync(stream, 0, 0, SINGLE));
    MUST(cu->StreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
         cu->StreamAttachMemAsync(stream, managed, 0, SINGLE));
    MUST(cu->StreamIsCapturing(stream, &status));
    EQUAL(CU_STREAM_CAPTURE_STATUS_INVALIDATED, status);
    CODE(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cu->StreamEndCapture(stream, &graph));
}
