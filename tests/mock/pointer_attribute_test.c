/* SPDX-License-Identifier: Apache-2.0 */
/* What an address tells of its memory (statement 103). */
#include "tests/mock/world.h"

enum { BYTES = 4096, DEVICE, PINNED, MANAGED, POOLED, KINDS };

/* By number: headers older than an attribute do not name it. */
enum { MEMPOOL_HANDLE = 17, MAPPING_SIZE = 18, MAPPING_BASE = 19, BLOCK_ID = 20 };

static CUdeviceptr memory[KINDS];

static void begin(void)
{
    void *host = NULL;

    world_begin("");
    OK(driver->MemAlloc_v2(&memory[DEVICE], BYTES));
    OK(driver->MemHostAlloc(&host, BYTES, 0));
    memory[PINNED] = (CUdeviceptr)(uintptr_t)host;
    OK(driver->MemAllocManaged(&memory[MANAGED], BYTES, CU_MEM_ATTACH_GLOBAL));
    OK(driver->MemAllocAsync(&memory[POOLED], BYTES, NULL));
}

static void end(void)
{
    OK(driver->MemFree_v2(memory[DEVICE]));
    OK(driver->MemFreeHost((void *)(uintptr_t)memory[PINNED]));
    OK(driver->MemFree_v2(memory[MANAGED]));
    OK(driver->MemFreeAsync(memory[POOLED], NULL));
    OK(driver->StreamSynchronize(NULL));
    world_end();
}

static uint64_t ask(unsigned kind, int attribute)
{
    uint64_t value = 0;

    OK(driver->PointerGetAttribute(&value, (CUpointer_attribute)attribute, memory[kind] + 8));
    return value;
}

static void the_kind_of_memory_is_told(void **state)
{
    static const struct {
        unsigned kind, type, managed, synchronous;
    } cases[] = {{DEVICE, CU_MEMORYTYPE_DEVICE, 0, 0},
                 {PINNED, CU_MEMORYTYPE_HOST, 0, 0},
                 {MANAGED, CU_MEMORYTYPE_DEVICE, 1, 1},
                 {POOLED, CU_MEMORYTYPE_DEVICE, 0, 0}};

    (void)state;
    begin();
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const unsigned kind = cases[i].kind;

        assert_int_equal(ask(kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE), cases[i].type);
        assert_int_equal(ask(kind, CU_POINTER_ATTRIBUTE_IS_MANAGED), cases[i].managed);
        assert_int_equal(ask(kind, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS), cases[i].synchronous);
        assert_int_equal(ask(kind, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR), memory[kind]);
        assert_int_equal(ask(kind, CU_POINTER_ATTRIBUTE_RANGE_SIZE), BYTES);
        assert_int_equal(ask(kind, CU_POINTER_ATTRIBUTE_DEVICE_POINTER), memory[kind] + 8);
        assert_int_equal(ask(kind, CU_POINTER_ATTRIBUTE_MAPPED), 1);
    }
    end();
}

static void only_memory_of_a_pool_has_one(void **state)
{
    CUmemoryPool pool;

    (void)state;
    begin();
    OK(driver->DeviceGetDefaultMemPool(&pool, 0));
    assert_int_equal(ask(POOLED, MEMPOOL_HANDLE), (uintptr_t)pool);
    assert_int_equal(ask(DEVICE, MEMPOOL_HANDLE), 0);
    end();
}

static void a_mapping_holds_its_allocation(void **state)
{
    (void)state;
    begin();
    for (unsigned kind = DEVICE; kind < KINDS; kind++) {
        const uint64_t base = ask(kind, MAPPING_BASE), size = ask(kind, MAPPING_SIZE);

        assert_true(base <= memory[kind] && memory[kind] + BYTES <= base + size);
    }
    end();
}

static void what_one_mapping_holds_has_one_block(void **state)
{
    CUdeviceptr second;
    uint64_t block;

    (void)state;
    begin();
    OK(driver->MemAlloc_v2(&second, BYTES));
    OK(driver->PointerGetAttribute(&block, (CUpointer_attribute)BLOCK_ID, second));
    assert_int_equal(block, ask(DEVICE, BLOCK_ID));
    assert_int_not_equal(block, ask(PINNED, BLOCK_ID));
    OK(driver->MemFree_v2(second));
    end();
}

static void attributes_that_have_no_place_are_refused(void **state)
{
    CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                        CU_POINTER_ATTRIBUTE_CONTEXT};
    unsigned type;
    void *places[] = {&type, NULL};

    (void)state;
    begin();
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->PointerGetAttributes(2, attributes, places, memory[DEVICE]));
    OK(driver->PointerGetAttributes(1, attributes, places, memory[DEVICE]));
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_kind_of_memory_is_told),
        cmocka_unit_test(only_memory_of_a_pool_has_one),
        cmocka_unit_test(a_mapping_holds_its_allocation),
        cmocka_unit_test(what_one_mapping_holds_has_one_block),
        cmocka_unit_test(attributes_that_have_no_place_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
