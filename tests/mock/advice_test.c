/* SPDX-License-Identifier: Apache-2.0 */
/* Advice for managed memory: what was given last is told, by one question or by several. */
#include "tests/mock/world.h"

enum { BYTES = 4096, HOST = -1, NOWHERE = -2 };

static CUdeviceptr memory;

static void begin(void)
{
    world_begin("devices = 2");
    OK(driver->MemAllocManaged(&memory, BYTES, CU_MEM_ATTACH_GLOBAL));
}

static void end(void)
{
    OK(driver->MemFree_v2(memory));
    world_end();
}

static void advise(CUmem_advise advice, CUdevice device)
{
    OK(driver->MemAdvise(memory, BYTES, advice, device));
}

static void assert_accessed_by(int first, int second)
{
    int places[3] = {7, 7, 7};

    OK(driver->MemRangeGetAttribute(places, sizeof places, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY,
                                    memory, BYTES));
    assert_int_equal(places[0], first);
    assert_int_equal(places[1], second);
    assert_int_equal(places[2], NOWHERE);
}

static void who_accesses_it_is_told_until_taken_back(void **state)
{
    (void)state;
    begin();
    assert_accessed_by(NOWHERE, NOWHERE);
    advise(CU_MEM_ADVISE_SET_ACCESSED_BY, 1);
    advise(CU_MEM_ADVISE_SET_ACCESSED_BY, 0);
    assert_accessed_by(0, 1);
    advise(CU_MEM_ADVISE_UNSET_ACCESSED_BY, 0);
    assert_accessed_by(1, NOWHERE);
    end();
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
    begin();
    advise(CU_MEM_ADVISE_SET_READ_MOSTLY, 0);
    advise(CU_MEM_ADVISE_SET_PREFERRED_LOCATION, 1);
    OK(driver->MemRangeGetAttributes(answers, sizes, attributes, 3, memory, BYTES));
    assert_int_equal(mostly, 1);
    assert_int_equal(preferred, 1);
    assert_int_equal(prefetched, NOWHERE);
    advise(CU_MEM_ADVISE_UNSET_READ_MOSTLY, 0);
    advise(CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION, 0);
    OK(driver->MemRangeGetAttributes(answers, sizes, attributes, 3, memory, BYTES));
    assert_int_equal(mostly, 0);
    assert_int_equal(preferred, NOWHERE);
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->MemRangeGetAttributes(answers, sizes, attributes, 0, memory, BYTES));
    end();
}

static void wrong_questions_and_advice_are_refused(void **state)
{
    int value[2] = {7, 7};

    (void)state;
    begin();
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->MemRangeGetAttribute(value, 3, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, memory, BYTES));
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->MemRangeGetAttribute(value, sizeof value, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY,
                                      memory, BYTES));
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->MemRangeGetAttribute(value, 4, (CUmem_range_attribute)99, memory, BYTES));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemAdvise(memory, BYTES, (CUmem_advise)99, 0));
    CODE(CUDA_ERROR_INVALID_DEVICE,
         driver->MemAdvise(memory, BYTES, CU_MEM_ADVISE_SET_ACCESSED_BY, 5));
    assert_int_equal(value[0], 7);
    assert_accessed_by(NOWHERE, NOWHERE);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_accesses_it_is_told_until_taken_back),
        cmocka_unit_test(several_questions_are_answered_at_once),
        cmocka_unit_test(wrong_questions_and_advice_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
