/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page-locked and managed memory, where the mock decides: sizes beyond reason, a second device, and
 * arguments that are NULL. tests/conformance tests statements 98 to 105.
 */
#include "tests/mock/fixture.h"

static _Alignas(4096) char page[4096], many_pages[8 << 20];

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

static void only_memory_of_the_host_can_be_registered(void **state)
{
    CUdeviceptr memory;

    (void)state;
    OK(driver->MemAlloc_v2(&memory, 4096));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemHostRegister_v2((void *)(uintptr_t)memory, 4096, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemHostRegister_v2(page, SIZE_MAX, 0));
    OK(driver->MemHostRegister_v2(many_pages, sizeof many_pages, 0));
    OK(driver->MemHostUnregister(many_pages));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemHostRegister_v2(many_pages, (size_t)1 << 36, 0));
    OK(driver->MemFree_v2(memory));
}

static void attribute_without_a_place_is_refused(void **state)
{
    CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                        CU_POINTER_ATTRIBUTE_CONTEXT};
    unsigned type;
    void *places[] = {&type, NULL};
    CUdeviceptr memory;

    (void)state;
    OK(driver->MemAlloc_v2(&memory, 4096));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->PointerGetAttributes(2, attributes, places, memory));
    OK(driver->PointerGetAttributes(1, attributes, places, memory));
    OK(driver->MemFree_v2(memory));
}

static void devices_that_access_managed_memory_are_in_order(void **state)
{
    int places[3] = {7, 7, 7};
    CUdeviceptr memory;

    (void)state;
    fixture_begin("devices = 2");
    OK(driver->MemAllocManaged(&memory, 4096, CU_MEM_ATTACH_GLOBAL));
    OK(driver->MemAdvise(memory, 4096, CU_MEM_ADVISE_SET_ACCESSED_BY, 1));
    OK(driver->MemAdvise(memory, 4096, CU_MEM_ADVISE_SET_ACCESSED_BY, 0));
    OK(driver->MemRangeGetAttribute(places, sizeof places, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY,
                                    memory, 4096));
    assert_true(places[0] == 0 && places[1] == 1 && places[2] == CU_DEVICE_INVALID);
    OK(driver->MemFree_v2(memory));
    fixture_end();
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_auto, fixture_done)
    const struct CMUnitTest tests[] = {
        TEST(large_page_locked_memory_is_zero_and_writable),
        TEST(only_memory_of_the_host_can_be_registered),
        TEST(attribute_without_a_place_is_refused),
        cmocka_unit_test(devices_that_access_managed_memory_are_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
