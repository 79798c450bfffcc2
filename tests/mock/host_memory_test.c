/* SPDX-License-Identifier: Apache-2.0 */
/* Page-locked memory, and what pointers say of memory (statements 98 to 105). */
#include "tests/mock/world.h"
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
    CUstream stream = world_stream();
    uint64_t before;
    void *memory;

    (void)state;
    OK(driver->MemAllocHost_v2(&memory, 64));
    before = world_state().now_ns;
    world_spin(stream, 10 * MS);
    OK(driver->MemHostRegister_v2(page, 64, 0));
    assert_true(world_state().now_ns < before + 10 * MS);
    OK(driver->MemFreeHost(memory));
    assert_true(world_state().now_ns >= before + 10 * MS);
    world_spin(stream, 10 * MS);
    OK(driver->MemHostUnregister(page));
    assert_true(world_state().now_ns >= before + 20 * MS);
    OK(driver->StreamDestroy_v2(stream));
}

static uint64_t attribute(CUdeviceptr pointer, CUpointer_attribute number)
{
    uint64_t value = 0;

    OK(driver->PointerGetAttribute(&value, number, pointer));
    return value;
}

static void pointers_tell_what_they_point_at(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, world_auto, world_done)
        TEST(page_locked_memory_is_known_by_its_own_address),
        TEST(large_page_locked_memory_is_zero_and_writable),
        TEST(wrong_arguments_of_page_locked_memory),
        TEST(ranges_are_registered_once),
        TEST(only_memory_can_be_registered),
        TEST(freeing_and_unregistering_wait_for_work),
        TEST(pointers_tell_what_they_point_at),
        TEST(unknown_pointers_have_attributes_in_a_list_only),
    };

    return cmocka_run_group_tests_name("host_memory", tests, NULL, NULL);
}
