/* SPDX-License-Identifier: Apache-2.0 */
/* Symbols that rules make missing, and older drivers. */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include <string.h>

#include "fault_world.h"
#include "src/layer/watch.h"

static void missing_symbol_answers_36_and_is_not_found(void **state)
{
    void *found = NULL;

    fault_add(state, "cuEvent* => missing");
    assert_int_equal(fault_query(), 36);
    assert_int_equal(fake_queries, 0);
    assert_int_equal(cushim_driver()->GetProcAddress("cuEventQuery", &found, 12000, 0),
                     CUDA_ERROR_NOT_FOUND);
    assert_null(found);
    assert_int_equal(cushim_fault_fired(*state, 0), 2);
    cushim_fault_clear(*state);
    assert_int_equal(cushim_driver()->GetProcAddress("cuEventQuery", &found, 12000, 0),
                     CUDA_SUCCESS);
    assert_non_null(found);
}

/* A driver that has all versions of cuMemAlloc. */
static CUresult CUDAAPI find_allocate(const char *symbol, void **function, int version,
                                      cuuint64_t flags,
                                      cushim_CUdriverProcAddressQueryResult *status)
{
    (void)flags;
    assert_string_equal(symbol, "cuMemAlloc");
    if (version >= 3020)
        memcpy(function, &fake_table.MemAlloc_v2, sizeof *function);
    else
        memcpy(function, &fake_table.MemAlloc, sizeof *function);
    if (status)
        *status = (cushim_CUdriverProcAddressQueryResult)0;
    return CUDA_SUCCESS;
}

static void version_before_one_that_is_missing_is_found(void **state)
{
    cushim_CUdriverProcAddressQueryResult status = (cushim_CUdriverProcAddressQueryResult)9;
    void *found = NULL, *expected;

    cushim_layer_next(*state)->GetProcAddress_v2 = find_allocate;
    fault_add(state, "cuMemAlloc_v2 => missing");
    memcpy(&expected, &cushim_layer_table(*state)->MemAlloc, sizeof expected);
    assert_int_equal(cushim_driver()->GetProcAddress_v2("cuMemAlloc", &found, 12000, 0, &status),
                     CUDA_SUCCESS);
    assert_ptr_equal(found, expected);
    assert_int_equal(status, 0);
    assert_int_equal(cushim_fault_fired(*state, 0), 1);
}

static CUresult CUDAAPI other_allocate(CUdeviceptr *address, size_t bytes)
{
    (void)address;
    (void)bytes;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI find_other(const char *symbol, void **function, int version,
                                   cuuint64_t flags)
{
    CUresult(CUDAAPI * found)(CUdeviceptr *, size_t) = other_allocate;

    (void)symbol;
    (void)flags;
    if (version < 3020)
        return CUDA_ERROR_NOT_FOUND;
    memcpy(function, &found, sizeof *function);
    return CUDA_SUCCESS;
}

static void function_that_is_not_of_the_table_is_hidden_by_its_version(void **state)
{
    void *found = NULL;

    cushim_layer_next(*state)->GetProcAddress = find_other;
    fault_add(state, "cuMemAlloc_v2 => missing");
    assert_int_equal(cushim_driver()->GetProcAddress("cuMemAlloc", &found, 12000, 0),
                     CUDA_ERROR_NOT_FOUND);
    assert_null(found);
    assert_int_equal(cushim_driver()->GetProcAddress("cuMemFree", &found, 12000, 0), CUDA_SUCCESS);
    assert_non_null(found);
}

static CUresult CUDAAPI version_of_13(int *version)
{
    *version = 13000;
    return CUDA_SUCCESS;
}

static void older_driver_lacks_what_came_later_and_says_so(void **state)
{
    int version = 0;

    fault_let_all_succeed(*state);
    cushim_layer_next(*state)->DriverGetVersion = version_of_13;
    fault_add(state, "* => older(12.7)");
    assert_int_equal(cushim_driver()->DriverGetVersion(&version), CUDA_SUCCESS);
    assert_int_equal(version, 12070);
    assert_int_equal(cushim_driver()->EventElapsedTime_v2(NULL, NULL, NULL), 36); /* of 12.8 */
    assert_int_equal(cushim_driver()->EventElapsedTime(NULL, NULL, NULL), CUDA_SUCCESS);
    assert_int_equal(cushim__watched[CUSHIM__SLOT(EventElapsedTime)], 0);
    assert_int_equal(cushim_fault_matched(*state, 0), 2);
    assert_int_equal(cushim_fault_fired(*state, 0), 2);
}

static void version_that_the_site_does_not_meet_stays(void **state)
{
    int version = 0;

    cushim_layer_next(*state)->DriverGetVersion = version_of_13;
    fault_add(state, "cuEvent* => older(12.7)");
    assert_int_equal(cushim_driver()->DriverGetVersion(&version), CUDA_SUCCESS);
    assert_int_equal(version, 13000);
    assert_int_equal(cushim_driver()->EventElapsedTime_v2(NULL, NULL, NULL), 36);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, layer_setup, layer_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(missing_symbol_answers_36_and_is_not_found),
        TEST(version_before_one_that_is_missing_is_found),
        TEST(function_that_is_not_of_the_table_is_hidden_by_its_version),
        TEST(older_driver_lacks_what_came_later_and_says_so),
        TEST(version_that_the_site_does_not_meet_stays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
