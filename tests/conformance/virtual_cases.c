/* SPDX-License-Identifier: Apache-2.0 */
/* Virtual memory. Statements 212-221. */
#include <string.h>

#include "cases.h"
#include "tests/support/ptx.h"
#include "virtual.h"

enum { HOST = 2, NUMA = 3, READ = 1, READ_WRITE = 3 };

/* The access that a place has, or minus the code of the call. */
static int access_of(CUdeviceptr address, int type, int id)
{
    CUmemLocation location;
    unsigned long long flags = 77;
    CUresult code;

    memset(&location, 0, sizeof location);
    location.type = (CUmemLocationType)type;
    location.id = id;
    code = cu->MemGetAccess(&flags, &location, address);
    return code ? -(int)code : (int)flags;
}

/* Five reserved pages: two of one mapping, one of another, and two that are not mapped. */
static CUdeviceptr begin_mappings(void)
{
    CUdeviceptr start = virtual_reserve(5);

    MUST(cu->MemMap(start, 2 * PAGE, 0, virtual_create(2, 0), 0));
    MUST(cu->MemMap(start + 2 * PAGE, PAGE, 0, virtual_create(1, 0), 0));
    return start;
}

MEASURED_CASE(212, granularity_is_two_mebibytes)
{
    CUmemAllocationProp prop = virtual_properties(0);
    size_t bytes = 77;

    begin_device();
    for (int option = 0; option < 3; option++) {
        CODE(option < 2 ? 0 : 1, cu->MemGetAllocationGranularity(
                                     &bytes, &prop, (CUmemAllocationGranularity_flags)option));
        EQUAL(PAGE, bytes);
    }
    memset(&prop, 0x55, sizeof prop);
    OK(cu->MemGetAllocationGranularity(&bytes, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    REFUSED(cu->MemGetAllocationGranularity(NULL, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    REFUSED(cu->MemGetAllocationGranularity(&bytes, NULL, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
}

MEASURED_CASE(213, reserved_addresses_are_checked)
{
    static const struct {
        size_t bytes, alignment, hint, flags;
        CUresult code;
    } rows[] = {
        {0, 0, 0, 0, 1},
        {4096, 0, 0, 0, 1},
        {3 << 20, 0, 0, 0, 1},
        {PAGE, 1, 0, 0, 0},
        {PAGE, 4096, 0, 0, 0},
        {PAGE, 2 * PAGE, 0, 0, 0},
        {PAGE, 3, 0, 0, 1},
        {PAGE, 3 * PAGE, 0, 0, 1},
        {PAGE, 0, 4096, 0, 1},
        {PAGE, 0, 0, 1, 1},
        {(size_t)1 << 47, 0, 0, 0, 2},
        {-(size_t)PAGE, 0, 0, 0, 2},
    };
    CUdeviceptr start, again = 0, third = 0;

    begin_device();
    for (size_t i = 0; i < COUNT(rows); i++) {
        start = 77;
        CODE(rows[i].code, cu->MemAddressReserve(&start, rows[i].bytes, rows[i].alignment,
                                                 rows[i].hint, rows[i].flags));
        EQUAL(rows[i].code ? 77 : 0, start % (rows[i].alignment > PAGE ? rows[i].alignment : PAGE));
    }
    REFUSED(cu->MemAddressReserve(NULL, PAGE, 0, 0, 0));
    start = virtual_reserve(4);
    REFUSED(cu->MemAddressFree(start, PAGE));
    REFUSED(cu->MemAddressFree(start, 5 * PAGE));
    REFUSED(cu->MemAddressFree(start + PAGE, 3 * PAGE));
    REFUSED(cu->MemAddressFree(0, PAGE));
    OK(cu->MemAddressFree(start, 4 * PAGE));
    REFUSED(cu->MemAddressFree(start, 4 * PAGE));
    OK(cu->MemAddressReserve(&again, 4 * PAGE, 0, start, 0));
    EQUAL(start, again);
    OK(cu->MemAddressReserve(&third, 4 * PAGE, 0, start, 0));
    CHECK(third != start);
}

MEASURED_CASE(214, physical_memory_is_checked)
{
    CUmemAllocationProp prop = virtual_properties(0), wrong[7];
    physical handle = 77;

    begin_context();
    for (size_t i = 0; i < COUNT(wrong); i++)
        wrong[i] = prop;
    wrong[0].type = CU_MEM_ALLOCATION_TYPE_INVALID;
    wrong[1].location.type = CU_MEM_LOCATION_TYPE_INVALID;
    wrong[2].requestedHandleTypes = CU_MEM_HANDLE_TYPE_WIN32;
    wrong[3].allocFlags.compressionType = 2;
    wrong[4].allocFlags.reserved[1] = 1;
    wrong[5].win32HandleMetaData = wrong;
    wrong[6].location.id = 99;
    for (size_t i = 0; i < COUNT(wrong); i++)
        CODE(i < 6 ? 1 : 101, cu->MemCreate(&handle, PAGE, &wrong[i], 0));
    REFUSED(cu->MemCreate(&handle, 0, &prop, 0));
    REFUSED(cu->MemCreate(&handle, PAGE + 65536, &prop, 0));
    REFUSED(cu->MemCreate(&handle, PAGE, &prop, 1));
    REFUSED(cu->MemCreate(NULL, PAGE, &prop, 0));
    REFUSED(cu->MemCreate(&handle, PAGE, NULL, 0));
    CODE(CUDA_ERROR_OUT_OF_MEMORY, cu->MemCreate(&handle, (size_t)1 << 40, &prop, 0));
    EQUAL(77, handle);
    memset(&wrong[0], 0x55, sizeof wrong[0]);
    handle = virtual_create(1, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    OK(cu->MemGetAllocationPropertiesFromHandle(&wrong[0], handle));
    prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    CHECK(memcmp(&wrong[0], &prop, sizeof prop) == 0);
    REFUSED(cu->MemGetAllocationPropertiesFromHandle(NULL, handle));
    REFUSED(cu->MemGetAllocationPropertiesFromHandle(&prop, 0));
    REFUSED(cu->MemRelease(0));
}

MEASURED_CASE(215, handles_are_counted)
{
    physical handle, same = 0;
    CUmemAllocationProp prop;
    size_t before, after, total;
    CUdeviceptr start = virtual_reserve(2);

    MUST(cu->MemGetInfo_v2(&before, &total));
    handle = virtual_create(1, 0);
    MUST(cu->MemGetInfo_v2(&after, &total));
    EQUAL(PAGE, before - after);
    MUST(cu->MemMap(start, PAGE, 0, handle, 0));
    OK(cu->MemRetainAllocationHandle(&same, (void *)(uintptr_t)(start + 12345)));
    EQUAL(handle, same);
    REFUSED(cu->MemRetainAllocationHandle(&same, (void *)(uintptr_t)(start + PAGE)));
    REFUSED(cu->MemRetainAllocationHandle(NULL, (void *)(uintptr_t)start));
    REFUSED(cu->MemRetainAllocationHandle(&same, NULL));
    OK(cu->MemRelease(handle));
    OK(cu->MemRelease(handle));
    REFUSED(cu->MemRelease(handle));
    OK(cu->MemGetAllocationPropertiesFromHandle(&prop, handle));
    OK(cu->MemRetainAllocationHandle(&same, (void *)(uintptr_t)start));
    EQUAL(handle, same);
    OK(cu->MemRelease(handle));
    OK(cu->MemUnmap(start, PAGE));
    MUST(cu->MemGetInfo_v2(&after, &total));
    EQUAL(0, before - after);
}

MEASURED_CASE(216, only_the_whole_is_mapped)
{
    physical two = virtual_create(2, 0), one = virtual_create(1, 0);
    CUdeviceptr start = virtual_reserve(8), other = begin_memory(2 * PAGE);

    CODE(CUDA_ERROR_NOT_SUPPORTED, cu->MemMap(start, PAGE, PAGE, two, 0));
    CODE(CUDA_ERROR_NOT_SUPPORTED, cu->MemMap(start, PAGE, 0, two, 0));
    CODE(CUDA_ERROR_NOT_SUPPORTED, cu->MemMap(start, 4 * PAGE, 0, two, 0));
    REFUSED(cu->MemMap(start, 0, 0, two, 0));
    REFUSED(cu->MemMap(start + 4096, 2 * PAGE, 0, two, 0));
    REFUSED(cu->MemMap(start, 2 * PAGE, 0, two, 1));
    REFUSED(cu->MemMap(0, 2 * PAGE, 0, two, 0));
    REFUSED(cu->MemMap(other, 2 * PAGE, 0, two, 0));
    OK(cu->MemMap(start, 2 * PAGE, 0, two, 0));
    REFUSED(cu->MemMap(start, 2 * PAGE, 0, two, 0));
    REFUSED(cu->MemMap(start + PAGE, PAGE, 0, one, 0));
    OK(cu->MemMap(start + 4 * PAGE, 2 * PAGE, 0, two, 0));
    OK(virtual_set_access(start, 6 * PAGE, READ_WRITE)); /* as far as the gap */
    REFUSED(cu->MemsetD32_v2(start + 4 * PAGE, 4711, 1));
    OK(virtual_set_access(start + 4 * PAGE, 2 * PAGE, READ_WRITE));
    OK(cu->MemsetD32_v2(start + 4 * PAGE, 4711, 1));
    EQUAL(4711, read_value(start));
    REFUSED(cu->MemAddressFree(start, 8 * PAGE));
    REFUSED(cu->MemUnmap(start, PAGE));
    REFUSED(cu->MemUnmap(start + PAGE, PAGE));
    REFUSED(cu->MemUnmap(start + 4096, 2 * PAGE));
    REFUSED(cu->MemUnmap(start + PAGE, 5 * PAGE));
    REFUSED(cu->MemUnmap(start, 0));
    REFUSED(cu->MemUnmap(0, PAGE));
    OK(cu->MemUnmap(start, 4 * PAGE)); /* and a gap */
    OK(cu->MemUnmap(start, 4 * PAGE));
    EQUAL(4711, read_value(start + 4 * PAGE));
    OK(cu->MemUnmap(start + 4 * PAGE, 2 * PAGE));
    OK(cu->MemAddressFree(start, 8 * PAGE));
}

MEASURED_CASE(217, access_is_set_for_whole_mappings)
{
    const CUdeviceptr start = begin_mappings(), other = begin_memory(64);
    CUmemAccessDesc access[2];
    unsigned long long flags = 77;

    EQUAL(0, access_of(start, 1, 0));
    REFUSED(virtual_set_access(start, PAGE, READ_WRITE));
    REFUSED(virtual_set_access(start + PAGE, PAGE, READ_WRITE));
    REFUSED(virtual_set_access(start + PAGE, 2 * PAGE, READ_WRITE));
    REFUSED(virtual_set_access(start + 2 * PAGE, 2 * PAGE, READ_WRITE));
    REFUSED(virtual_set_access(start + 3 * PAGE, PAGE, READ_WRITE));
    REFUSED(virtual_set_access(start, 0, READ_WRITE));
    REFUSED(virtual_set_access(start, 2 * PAGE, 2));
    REFUSED(virtual_set_access(start, 2 * PAGE, 7));
    EQUAL(0, access_of(start, 1, 0));
    OK(virtual_set_access(start, 3 * PAGE, READ_WRITE));
    EQUAL(READ_WRITE, access_of(start + 3 * PAGE - 1, 1, 0));
    memset(access, 0, sizeof access);
    for (int i = 0; i < 2; i++) {
        access[i].location.type = CU_MEM_LOCATION_TYPE_DEVICE;
        access[i].flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    }
    REFUSED(cu->MemSetAccess(start, 2 * PAGE, NULL, 1));
    REFUSED(cu->MemSetAccess(start, 2 * PAGE, access, 0));
    access[1].flags = CU_MEM_ACCESS_FLAGS_PROT_READ;
    OK(cu->MemSetAccess(start, 2 * PAGE, access, 2));
    EQUAL(READ, access_of(start, 1, 0));
    for (int type = 0; type < 5; type++) {
        access[0].location.type = (CUmemLocationType)type;
        CODE(type == 1                      ? 0
             : type == HOST || type == NUMA ? 801
                                            : 1,
             cu->MemSetAccess(start, 2 * PAGE, access, 1));
        EQUAL(type == 1 || type == HOST ? READ_WRITE
              : type == NUMA            ? 0
                                        : -101,
              access_of(start, type, 0));
    }
    access[0].location = (CUmemLocation){.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 99};
    REFUSED(cu->MemSetAccess(start, 2 * PAGE, access, 1));
    EQUAL(-101, access_of(start, 1, 99));
    EQUAL(-1, access_of(start + 3 * PAGE, 1, 0));
    EQUAL(-1, access_of(0, 1, 0));
    EQUAL(0, access_of(other, 1, 0));
    REFUSED(cu->MemGetAccess(NULL, &access[1].location, start));
    REFUSED(cu->MemGetAccess(&flags, NULL, start));
}

/* The codes of a set, a copy from the memory and a kernel that writes, for one kind of access. */
static void use_with(int flags, CUresult set, CUresult copy, CUresult store)
{
    static const char image[] = PTX_HEAD
        ".visible .entry store(.param .u64 to)\n{\n    .reg .u64 %to;\n    .reg .u32 %value;\n"
        "    ld.param.u64 %to, [to];\n    mov.u32 %value, 7;\n"
        "    st.global.u32 [%to], %value;\n    ret;\n}\n";
    CUdeviceptr start = begin_mappings();
    void *parameters[] = {&start};
    CUfunction function;
    CUmodule module;
    int word;

    MUST(cu->ModuleLoadData(&module, image));
    MUST(cu->ModuleGetFunction(&function, module, "store"));
    OK(virtual_set_access(start, 3 * PAGE, flags));
    CODE(set, cu->MemsetD8_v2(start + PAGE, 7, 2 * PAGE)); /* of both mappings */
    CODE(copy, cu->MemcpyDtoH_v2(&word, start + 2 * PAGE - 2, 4));
    if (flags != READ)
        CODE(set, cu->StreamWriteValue32_v2(NULL, start, 1, 0));
    OK(cu->LaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
    CODE(store, cu->CtxSynchronize());
}

MEASURED_CASE(218, without_access_memory_is_not_used)
{
    use_with(0, CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_ILLEGAL_ADDRESS);
}

MEASURED_CASE(218, read_only_memory_is_not_written)
{
    use_with(READ, CUDA_ERROR_INVALID_VALUE, CUDA_SUCCESS, CUDA_ERROR_ILLEGAL_ADDRESS);
}

MEASURED_CASE(218, a_stream_that_writes_to_read_only_memory_fails)
{
    const CUdeviceptr start = begin_mappings();

    OK(virtual_set_access(start, 3 * PAGE, READ));
    OK(cu->StreamWaitValue32_v2(NULL, start, 0, CU_STREAM_WAIT_VALUE_GEQ));
    OK(cu->StreamWriteValue32_v2(NULL, start, 1, 0));
    CODE(CUDA_ERROR_LAUNCH_FAILED, cu->CtxSynchronize());
}

MEASURED_CASE(218, mappings_side_by_side_are_used_as_one)
{
    use_with(READ_WRITE, CUDA_SUCCESS, CUDA_SUCCESS, CUDA_SUCCESS);
}

MEASURED_CASE(218, a_gap_is_not_used)
{
    const CUdeviceptr start = begin_mappings();

    OK(virtual_set_access(start, 3 * PAGE, READ_WRITE));
    REFUSED(cu->MemsetD8_v2(start, 7, 4 * PAGE));
    REFUSED(cu->MemcpyDtoD_v2(begin_memory(2 * PAGE), start + 2 * PAGE, 2 * PAGE));
    OK(cu->MemsetD8_v2(start, 7, 3 * PAGE));
    EQUAL(0x07070707, read_value(start + 2 * PAGE));
}

MEASURED_CASE(219, attributes_tell_mapping_and_reservation)
{
    enum { ACCESS = 16, MAPPING_SIZE = 18, MAPPING_BASE, BLOCK };
    static const int attributes[] = {2, 6, 9, 12, 13, ACCESS, MAPPING_SIZE};
    static const unsigned long long values[] = {2, 0, 0, 5 * PAGE, 1, READ_WRITE, PAGE};
    const CUdeviceptr start = begin_mappings(), address = start + 2 * PAGE + 5;
    CUdeviceptr base = 0;
    uint64_t value = 0;
    size_t bytes = 0;

    CODE(CUDA_ERROR_NOT_FOUND, cu->MemGetAddressRange_v2(&base, &bytes, address));
    REFUSED(cu->PointerGetAttribute(&value, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, address));
    MUST(virtual_set_access(start, 3 * PAGE, READ_WRITE));
    OK(cu->PointerGetAttribute(&value, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, address));
    EQUAL(address, value);
    for (size_t i = 0; i < COUNT(attributes); i++) {
        value = 0;
        OK(cu->PointerGetAttribute(&value, (CUpointer_attribute)attributes[i], address));
        EQUAL(values[i], value);
    }
    OK(cu->PointerGetAttribute(&value, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, address));
    EQUAL(start, value);
    OK(cu->PointerGetAttribute(&value, (CUpointer_attribute)MAPPING_BASE, address));
    EQUAL(start + 2 * PAGE, value);
    OK(cu->MemGetAddressRange_v2(&base, &bytes, address));
    EQUAL(start + 2 * PAGE, base);
    EQUAL(PAGE, bytes);
    REFUSED(cu->PointerGetAttribute(&value, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, start + 3 * PAGE));
}

MEASURED_CASE(220, other_calls_refuse_mapped_memory)
{
    const CUdeviceptr start = begin_mappings();
    const unsigned yes = 1;
    CUipcMemHandle handle;

    MUST(virtual_set_access(start, 3 * PAGE, READ_WRITE));
    REFUSED(cu->MemFree_v2(start));
    REFUSED(cu->MemFreeAsync(start, NULL));
    REFUSED(cu->IpcGetMemHandle(&handle, start));
    REFUSED(cu->MemAdvise(start, PAGE, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
    CODE(CUDA_ERROR_NOT_SUPPORTED,
         cu->PointerSetAttribute(&yes, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, start));
}

/* Reserve, create, map, allow, ask, unmap, release and free: nothing waits. */
static void whole_life(void)
{
    CUdeviceptr start = virtual_reserve(1);
    const physical handle = virtual_create(1, 0);
    CUmemAllocationProp prop;
    physical same;

    OK(cu->MemMap(start, PAGE, 0, handle, 0));
    OK(virtual_set_access(start, PAGE, READ_WRITE));
    EQUAL(READ_WRITE, access_of(start, 1, 0));
    OK(cu->MemRetainAllocationHandle(&same, (void *)(uintptr_t)start));
    OK(cu->MemGetAllocationPropertiesFromHandle(&prop, handle));
    OK(cu->MemUnmap(start, PAGE));
    OK(cu->MemRelease(handle));
    OK(cu->MemRelease(same));
    OK(cu->MemAddressFree(start, PAGE));
}

MEASURED_CASE(221, mapping_needs_no_context)
{
    begin_device();
    whole_life();
}

MEASURED_CASE(221, mapping_works_in_a_capture)
{
    CUstream stream = begin_stream();
    CUgraph graph = NULL;

    MUST(cu->StreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    whole_life();
    OK(cu->StreamEndCapture(stream, &graph));
}

MEASURED_CASE(221, mapping_works_after_a_sticky_error)
{
    queue_kernel(begin_kernel("cushim_fault"), NULL);
    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, cu->CtxSynchronize());
    whole_life();
}

MEASURED_CASE(221, mapping_waits_for_nothing)
{
    CUstream stream = begin_stream();
    struct latch latch = latch_shut(stream);

    whole_life();
    CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(stream));
    latch_open(&latch);
    drain(stream);
}
