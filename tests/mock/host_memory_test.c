/* SPDX-License-Identifier: Apache-2.0 */
/* Page-locked and managed memory, and the attributes of pointers (statements 98 to 105). */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include <string.h>

#include "tests/mock/fixture.h"
#include "tests/support/memory.h"

enum { MS = 1000000 };

static _Alignas(4096) char page[8192], many_pages[8 << 20];

static void page_locked_memory_is_known_by_its_own_address(void **state)
{
    CUdeviceptr address;
    unsigned flags;
    char *memory;
    size_t bytes;

    (void)state;
    OK(driver->MemHostAlloc((void **)&memory, 100, CU_MEMHOSTALLOC_PORTABLE));
    memory[99] = 1;
    OK(driver->MemHostGetDevicePointer_v2(&address, memory + 10, 0));
    assert_int_equal(address, (uintptr_t)memory + 10);
    OK(driver->MemHostGetFlags(&flags, memory + 99));
    assert_int_equal(flags, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
    OK(driver->MemGetAddressRange_v2(&address, &bytes, (uintptr_t)memory + 5));
    assert_int_equal(address, (uintptr_t)memory);
    assert_int_equal(bytes, 100);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemFreeHost(memory + 8));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemFree_v2((uintptr_t)memory));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemHostUnregister(memory));
    OK(driver->MemFreeHost(memory));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemFreeHost(memory));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemHostGetDevicePointer_v2(&address, page, 0));
    assert_int_equal(address, 0);
}

static void large_page_locked_memory_is_zero_and_writable(void **state)
{
    enum { BYTES = 3 << 20 };
    char *memory;

    (void)state;
    OK(driver->MemAllocHost_v2((void **)&memory, BYTES));
    assert_int_equal(memory[0] | memory[BYTES - 1], 0);
    memory[0] = memory[BYTES - 1] = 1;
    OK(driver->MemFreeHost(memory));
    CODE(CUDA_ERROR_OUT_OF_MEMORY, driver->MemAllocHost_v2((void **)&memory, (size_t)1 << 44));
    assert_null(memory);
}

static void wrong_arguments_of_page_locked_memory(void **state)
{
    void *memory = page;

    (void)state;
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemHostAlloc(&memory, 64, 8));
    assert_null(memory);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemHostAlloc(NULL, 64, 0));
    OK(driver->MemAllocHost_v2(&memory, 0));
    OK(driver->MemFreeHost(NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemFreeHost(page));
}

static void ranges_are_registered_once(void **state)
{
    (void)state;
    OK(driver->MemHostRegister_v2(page + 100, 1000, 0));
    CODE(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, driver->MemHostRegister_v2(page + 1099, 10, 0));
    OK(driver->MemHostRegister_v2(page + 1100, 10, 0));
    CODE(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, driver->MemHostUnregister(page));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemHostUnregister(page + 101));
    OK(driver->MemHostUnregister(page + 100));
    OK(driver->MemHostUnregister(page + 1100));
    CODE(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, driver->MemHostUnregister(page + 1100));
}

static void only_memory_can_be_registered(void **state)
{
    CUdeviceptr memory;

    (void)state;
    OK(driver->MemAlloc_v2(&memory, 4096));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemHostRegister_v2(memory_nowhere(), 4096, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemHostRegister_v2((void *)(uintptr_t)memory, 4096, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemHostRegister_v2(page, SIZE_MAX, 0));
    OK(driver->MemHostRegister_v2(many_pages, sizeof many_pages, 0));
    OK(driver->MemHostUnregister(many_pages));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemHostRegister_v2(many_pages, (size_t)1 << 36, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemHostRegister_v2(page, 0, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemHostRegister_v2(NULL, 64, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemHostRegister_v2(page, 64, 4));
    OK(driver->MemFree_v2(memory));
}

static void freeing_and_unregistering_wait_for_work(void **state)
{
    CUstream stream = fixture_stream();
    uint64_t before;
    void *memory;

    (void)state;
    OK(driver->MemAllocHost_v2(&memory, 64));
    before = fixture_state().now_ns;
    fixture_spin(stream, 10 * MS);
    OK(driver->MemHostRegister_v2(page, 64, 0));
    assert_true(fixture_state().now_ns < before + 10 * MS);
    OK(driver->MemFreeHost(memory));
    assert_true(fixture_state().now_ns >= before + 10 * MS);
    fixture_spin(stream, 10 * MS);
    OK(driver->MemHostUnregister(page));
    assert_true(fixture_state().now_ns >= before + 20 * MS);
    OK(driver->StreamDestroy_v2(stream));
}

static uint64_t attribute(CUdeviceptr pointer, CUpointer_attribute number)
{
    uint64_t value = 0;

    OK(driver->PointerGetAttribute(&value, number, pointer));
    return value;
}

static void pointer_attributes_report_what_they_point_at(void **state)
{
    CUdeviceptr device;
    CUcontext context;
    uint64_t host = 1;
    void *pinned;

    (void)state;
    OK(driver->CtxGetCurrent(&context));
    OK(driver->MemAlloc_v2(&device, 1000));
    OK(driver->MemAllocHost_v2(&pinned, 1000));
    assert_int_equal(attribute(device + 9, CU_POINTER_ATTRIBUTE_CONTEXT), (uintptr_t)context);
    assert_int_equal(attribute(device, CU_POINTER_ATTRIBUTE_MEMORY_TYPE), CU_MEMORYTYPE_DEVICE);
    assert_int_equal(attribute((uintptr_t)pinned, CU_POINTER_ATTRIBUTE_MEMORY_TYPE),
                     CU_MEMORYTYPE_HOST);
    assert_int_equal(attribute(device + 9, CU_POINTER_ATTRIBUTE_DEVICE_POINTER), device + 9);
    assert_int_equal(attribute(device + 9, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR), device);
    assert_int_equal(attribute(device + 9, CU_POINTER_ATTRIBUTE_RANGE_SIZE), 1000);
    assert_int_not_equal(attribute(device, CU_POINTER_ATTRIBUTE_BUFFER_ID),
                         attribute((uintptr_t)pinned, CU_POINTER_ATTRIBUTE_BUFFER_ID));
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->PointerGetAttribute(&host, CU_POINTER_ATTRIBUTE_HOST_POINTER, device));
    assert_int_equal(host, 0);
    OK(driver->MemFree_v2(device));
    OK(driver->MemFreeHost(pinned));
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->PointerGetAttribute(&host, CU_POINTER_ATTRIBUTE_CONTEXT, device));
}

static void unknown_pointers_have_attributes_in_a_list_only(void **state)
{
    CUpointer_attribute attributes[] = {
        CU_POINTER_ATTRIBUTE_CONTEXT, CU_POINTER_ATTRIBUTE_HOST_POINTER,
        CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_RANGE_SIZE};
    uint64_t context = 1, host = 1, bytes = 1;
    int ordinal = 1;
    void *data[] = {&context, &host, &ordinal, &bytes};

    (void)state;
    OK(driver->PointerGetAttributes(4, attributes, data, (uintptr_t)page));
    assert_int_equal(context, 0);
    assert_int_equal(host, (uintptr_t)page);
    assert_int_equal(ordinal, CU_DEVICE_INVALID);
    assert_int_equal(bytes, 1);
    attributes[3] = (CUpointer_attribute)99;
    CODE(CUDA_ERROR_INVALID_VALUE, driver->PointerGetAttributes(4, attributes, data, 5));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->PointerGetAttributes(0, attributes, data, 5));
}

/* What the attributes of an address report about its memory (statement 103). */

enum { BYTES = 4096, DEVICE, PINNED, MANAGED, POOLED, KINDS };

/* As numbers, because older headers do not declare these attributes. */
enum { MEMPOOL_HANDLE = 17, MAPPING_SIZE = 18, MAPPING_BASE = 19, BLOCK_ID = 20 };

static CUdeviceptr pointer_memory[KINDS];

static int begin(void **state)
{
    void *host = NULL;

    (void)state;
    fixture_begin("");
    OK(driver->MemAlloc_v2(&pointer_memory[DEVICE], BYTES));
    OK(driver->MemHostAlloc(&host, BYTES, 0));
    pointer_memory[PINNED] = (CUdeviceptr)(uintptr_t)host;
    OK(driver->MemAllocManaged(&pointer_memory[MANAGED], BYTES, CU_MEM_ATTACH_GLOBAL));
    OK(driver->MemAllocAsync(&pointer_memory[POOLED], BYTES, NULL));
    return 0;
}

static int end(void **state)
{
    (void)state;
    OK(driver->MemFree_v2(pointer_memory[DEVICE]));
    OK(driver->MemFreeHost((void *)(uintptr_t)pointer_memory[PINNED]));
    OK(driver->MemFree_v2(pointer_memory[MANAGED]));
    OK(driver->MemFreeAsync(pointer_memory[POOLED], NULL));
    OK(driver->StreamSynchronize(NULL));
    fixture_end();
    return 0;
}

static uint64_t ask(unsigned kind, int attribute)
{
    uint64_t value = 0;

    OK(driver->PointerGetAttribute(&value, (CUpointer_attribute)attribute,
                                   pointer_memory[kind] + 8));
    return value;
}

static void the_kind_of_memory_is_reported(void **state)
{
    static const struct {
        unsigned kind, type, managed, synchronous;
    } cases[] = {{DEVICE, CU_MEMORYTYPE_DEVICE, 0, 0},
                 {PINNED, CU_MEMORYTYPE_HOST, 0, 0},
                 {MANAGED, CU_MEMORYTYPE_DEVICE, 1, 1},
                 {POOLED, CU_MEMORYTYPE_DEVICE, 0, 0}};

    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const unsigned kind = cases[i].kind;

        assert_int_equal(ask(kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE), cases[i].type);
        assert_int_equal(ask(kind, CU_POINTER_ATTRIBUTE_IS_MANAGED), cases[i].managed);
        assert_int_equal(ask(kind, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS), cases[i].synchronous);
        assert_int_equal(ask(kind, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR), pointer_memory[kind]);
        assert_int_equal(ask(kind, CU_POINTER_ATTRIBUTE_RANGE_SIZE), BYTES);
        assert_int_equal(ask(kind, CU_POINTER_ATTRIBUTE_DEVICE_POINTER), pointer_memory[kind] + 8);
        assert_int_equal(ask(kind, CU_POINTER_ATTRIBUTE_MAPPED), 1);
        assert_int_equal(ask(kind, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL), 0);
    }
    assert_int_equal(ask(DEVICE, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE), 1);
    assert_int_equal(ask(DEVICE, CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES), 0);
}

static void only_memory_of_a_pool_has_one(void **state)
{
    CUmemoryPool pool;

    (void)state;
    OK(driver->DeviceGetDefaultMemPool(&pool, 0));
    assert_int_equal(ask(POOLED, MEMPOOL_HANDLE), (uintptr_t)pool);
    assert_int_equal(ask(DEVICE, MEMPOOL_HANDLE), 0);
}

static void a_mapping_holds_its_allocation(void **state)
{
    (void)state;
    for (unsigned kind = DEVICE; kind < KINDS; kind++) {
        const uint64_t base = ask(kind, MAPPING_BASE), size = ask(kind, MAPPING_SIZE);

        assert_true(base <= pointer_memory[kind] && pointer_memory[kind] + BYTES <= base + size);
    }
}

static void what_one_mapping_holds_has_one_block(void **state)
{
    CUdeviceptr second;
    uint64_t block;

    (void)state;
    OK(driver->MemAlloc_v2(&second, BYTES));
    OK(driver->PointerGetAttribute(&block, (CUpointer_attribute)BLOCK_ID, second));
    assert_int_equal(block, ask(DEVICE, BLOCK_ID));
    assert_int_not_equal(block, ask(PINNED, BLOCK_ID));
    OK(driver->MemFree_v2(second));
}

static void attributes_that_have_no_place_are_refused(void **state)
{
    CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                        CU_POINTER_ATTRIBUTE_CONTEXT};
    unsigned type;
    void *places[] = {&type, NULL};

    (void)state;
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->PointerGetAttributes(2, attributes, places, pointer_memory[DEVICE]));
    OK(driver->PointerGetAttributes(1, attributes, places, pointer_memory[DEVICE]));
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->PointerGetAttribute(&type, (CUpointer_attribute)1000, pointer_memory[DEVICE]));
}

/*
 * Advice for managed memory: the latest advice is reported, by the query for one attribute or for
 * several.
 */

enum { HOST = -1, NOWHERE = -2 };

static CUdeviceptr managed_memory;

static int managed_begin(void **state)
{
    (void)state;
    fixture_begin("devices = 2");
    OK(driver->MemAllocManaged(&managed_memory, BYTES, CU_MEM_ATTACH_GLOBAL));
    return 0;
}

static int managed_end(void **state)
{
    (void)state;
    OK(driver->MemFree_v2(managed_memory));
    fixture_end();
    return 0;
}

static void advise(CUmem_advise advice, CUdevice device)
{
    OK(driver->MemAdvise(managed_memory, BYTES, advice, device));
}

static void assert_accessed_by(int first, int second)
{
    int places[3] = {7, 7, 7};

    OK(driver->MemRangeGetAttribute(places, sizeof places, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY,
                                    managed_memory, BYTES));
    assert_int_equal(places[0], first);
    assert_int_equal(places[1], second);
    assert_int_equal(places[2], NOWHERE);
}

static void who_accesses_it_is_reported_until_taken_back(void **state)
{
    (void)state;
    assert_accessed_by(NOWHERE, NOWHERE);
    advise(CU_MEM_ADVISE_SET_ACCESSED_BY, 1);
    advise(CU_MEM_ADVISE_SET_ACCESSED_BY, 0);
    assert_accessed_by(0, 1);
    advise(CU_MEM_ADVISE_UNSET_ACCESSED_BY, 0);
    assert_accessed_by(1, NOWHERE);
}

static void several_questions_are_answered_at_once(void **state)
{
    int mostly = 7, preferred = 7, prefetched = 7;
    void *answers[] = {&mostly, &preferred, &prefetched};
    size_t sizes[] = {sizeof mostly, sizeof preferred, sizeof prefetched};
    CUmem_range_attribute attributes[] = {CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY,
                                          CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION,
                                          CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION};

    (void)state;
    advise(CU_MEM_ADVISE_SET_READ_MOSTLY, 0);
    advise(CU_MEM_ADVISE_SET_PREFERRED_LOCATION, 1);
    OK(driver->MemRangeGetAttributes(answers, sizes, attributes, 3, managed_memory, BYTES));
    assert_int_equal(mostly, 1);
    assert_int_equal(preferred, 1);
    assert_int_equal(prefetched, NOWHERE);
    advise(CU_MEM_ADVISE_UNSET_READ_MOSTLY, 0);
    advise(CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION, 0);
    OK(driver->MemRangeGetAttributes(answers, sizes, attributes, 3, managed_memory, BYTES));
    assert_int_equal(mostly, 0);
    assert_int_equal(preferred, NOWHERE);
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->MemRangeGetAttributes(answers, sizes, attributes, 0, managed_memory, BYTES));
}

static void wrong_questions_and_advice_are_refused(void **state)
{
    int value[2] = {7, 7};

    (void)state;
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->MemRangeGetAttribute(value, 3, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, managed_memory,
                                      BYTES));
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->MemRangeGetAttribute(value, sizeof value, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY,
                                      managed_memory, BYTES));
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->MemRangeGetAttribute(value, 4, (CUmem_range_attribute)99, managed_memory, BYTES));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemAdvise(managed_memory, BYTES, (CUmem_advise)99, 0));
    CODE(CUDA_ERROR_INVALID_DEVICE,
         driver->MemAdvise(managed_memory, BYTES, CU_MEM_ADVISE_SET_ACCESSED_BY, 5));
    assert_int_equal(value[0], 7);
    assert_accessed_by(NOWHERE, NOWHERE);
}

/* The possible locations of managed memory. */

static void managed_memory_is_not_prefetched_in_a_capture_nor_to_nowhere(void **state)
{
    const CUstream stream = fixture_stream();
    CUdeviceptr memory;
    CUgraph graph;

    (void)state;
    OK(driver->MemAllocManaged(&memory, 4096, CU_MEM_ATTACH_GLOBAL));
    CODE(CUDA_ERROR_INVALID_DEVICE, driver->MemPrefetchAsync(memory, 4096, 7, stream));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemPrefetchAsync(memory + 4096, 4096, 0, stream));
    OK(driver->StreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, driver->MemPrefetchAsync(memory, 4096, 0, stream));
    CODE(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, driver->StreamEndCapture(stream, &graph));
    OK(driver->MemPrefetchAsync(memory, 4096, 0, stream));
    OK(cushim_mock_drain(fixture_mock));
    OK(driver->MemFree_v2(memory));
    OK(driver->StreamDestroy_v2(stream));
}

static void place_is_a_device_or_the_host_and_nothing_else(void **state)
{
    static const struct {
        int type, id;
        CUresult prefetched, preferred, accessing;
    } places[] = {
        {1, 0, 0, 0, 0},                     /* a device */
        {1, -1, 101, 1, 1},                  /* no device */
        {1, 9, 101, 1, 1},  {2, 0, 0, 0, 0}, /* the host, or one of its NUMA nodes */
        {2, 5, 0, 0, 0},    {3, 0, 0, 0, 1}, {3, -1, 1, 1, 1}, {3, 99, 1, 1, 1},
        {4, 0, 0, 0, 1},    {0, 0, 1, 1, 1}, {77, 0, 1, 1, 1},
    };
    const CUstream stream = fixture_stream();
    CUdeviceptr memory;

    (void)state;
    OK(driver->MemAllocManaged(&memory, 4096, CU_MEM_ATTACH_GLOBAL));
    for (size_t i = 0; i < COUNT(places); i++) {
        const CUmemLocation place = {.type = (CUmemLocationType)places[i].type, .id = places[i].id};

        CODE(places[i].prefetched, driver->MemPrefetchAsync_v2(memory, 4096, place, 0, stream));
        OK(cushim_mock_drain(fixture_mock));
        CODE(places[i].preferred,
             driver->MemAdvise_v2(memory, 4096, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, place));
        CODE(places[i].accessing,
             driver->MemAdvise_v2(memory, 4096, CU_MEM_ADVISE_SET_ACCESSED_BY, place));
    }
    OK(driver->MemFree_v2(memory));
    OK(driver->StreamDestroy_v2(stream));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_auto, fixture_done)
#define TEST_IN(name, begin, end) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(page_locked_memory_is_known_by_its_own_address),
        TEST(large_page_locked_memory_is_zero_and_writable),
        TEST(wrong_arguments_of_page_locked_memory),
        TEST(ranges_are_registered_once),
        TEST(only_memory_can_be_registered),
        TEST(freeing_and_unregistering_wait_for_work),
        TEST(pointer_attributes_report_what_they_point_at),
        TEST(unknown_pointers_have_attributes_in_a_list_only),
        TEST_IN(the_kind_of_memory_is_reported, begin, end),
        TEST_IN(only_memory_of_a_pool_has_one, begin, end),
        TEST_IN(a_mapping_holds_its_allocation, begin, end),
        TEST_IN(what_one_mapping_holds_has_one_block, begin, end),
        TEST_IN(attributes_that_have_no_place_are_refused, begin, end),
        TEST_IN(who_accesses_it_is_reported_until_taken_back, managed_begin, managed_end),
        TEST_IN(several_questions_are_answered_at_once, managed_begin, managed_end),
        TEST_IN(wrong_questions_and_advice_are_refused, managed_begin, managed_end),
        TEST_IN(managed_memory_is_not_prefetched_in_a_capture_nor_to_nowhere, fixture_manual,
                fixture_done),
        TEST_IN(place_is_a_device_or_the_host_and_nothing_else, fixture_manual, fixture_done),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
