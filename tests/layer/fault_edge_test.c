/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules at their edges: look-ups without a name, symbols hidden in every version, a second device
 * that is lost, and rules as structs that are refused.
 */
#include <string.h>

#include "fault_world.h"

enum { ASKED_FOR_NOTHING = CUDA_ERROR_INVALID_VALUE };

static CUresult CUDAAPI refuse_what_has_no_name(const char *symbol, void **function, int version,
                                                cuuint64_t flags,
                                                cushim_CUdriverProcAddressQueryResult *status)
{
    (void)version;
    (void)flags;
    if (!symbol || !function)
        return (CUresult)ASKED_FOR_NOTHING;
    memcpy(function, &fake_table.EventQuery, sizeof *function);
    if (status)
        *status = (cushim_CUdriverProcAddressQueryResult)0;
    return CUDA_SUCCESS;
}

static void lookup_without_a_name_or_a_place_gets_the_drivers_answer(void **state)
{
    void *found = &found;

    cushim_layer_next(*state)->GetProcAddress_v2 = refuse_what_has_no_name;
    fault_add(state, "cuEvent* => missing");
    assert_int_equal(cushim_driver()->GetProcAddress_v2(NULL, &found, 12000, 0, NULL),
                     ASKED_FOR_NOTHING);
    assert_int_equal(cushim_driver()->GetProcAddress_v2("cuEventQuery", NULL, 12000, 0, NULL),
                     ASKED_FOR_NOTHING);
    assert_ptr_equal(found, &found);
    assert_int_equal(cushim_fault_matched(*state, 0), 0);
}

/* As a driver says it: the call succeeds, and the status tells. */
static void symbol_hidden_in_all_versions_is_not_found_by_its_status(void **state)
{
    cushim_CUdriverProcAddressQueryResult status = (cushim_CUdriverProcAddressQueryResult)9;
    void *found = &found;

    cushim_layer_next(*state)->GetProcAddress_v2 = refuse_what_has_no_name;
    fault_add(state, "cuEvent* => missing");
    assert_int_equal(cushim_driver()->GetProcAddress_v2("cuEventQuery", &found, 12000, 0, &status),
                     CUDA_SUCCESS);
    assert_null(found);
    assert_int_equal(status, 1);
    found = &found;
    assert_int_equal(cushim_driver()->GetProcAddress_v2("cuEventQuery", &found, 12000, 0, NULL),
                     CUDA_SUCCESS);
    assert_null(found);
}

static void device_that_is_lost_stays_the_one_that_was_lost_first(void **state)
{
    char name[8];

    fault_let_all_succeed(*state);
    fault_add(state, "cuDeviceGetName@dev0:nth=1 => lost(ECC_UNCORRECTABLE)\n"
                     "cuDeviceGetName@dev1:nth=1 => lost(UNKNOWN)\n");
    assert_int_equal(cushim_driver()->DeviceGetName(name, sizeof name, 0),
                     CUDA_ERROR_ECC_UNCORRECTABLE);
    assert_int_equal(cushim_driver()->DeviceGetName(name, sizeof name, 1), CUDA_ERROR_UNKNOWN);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(cushim_driver()->DeviceGetName(name, sizeof name, 0),
                         CUDA_ERROR_ECC_UNCORRECTABLE);
        assert_int_equal(cushim_driver()->DeviceGetName(name, sizeof name, 1), CUDA_SUCCESS);
    }
}

static void rule_as_a_struct_needs_no_room_for_a_message(void **state)
{
    struct cushim_fault rule = {.size = sizeof rule,
                                .site = "cuEventQuery",
                                .effect = CUSHIM_FAULT_RETURN,
                                .code = CUDA_ERROR_NOT_READY};

    assert_int_equal(cushim_fault_add(*state, &rule, NULL, sizeof fault_message), CUDA_SUCCESS);
    assert_int_equal(fault_query(), CUDA_ERROR_NOT_READY);
    rule.site = "cuEventQuery or so";
    assert_int_equal(cushim_fault_add(*state, &rule, NULL, sizeof fault_message),
                     CUDA_ERROR_INVALID_VALUE);
    assert_null(cushim_fault_text(*state, 1));
}

static void site_that_is_too_long_is_refused_and_not_cut(void **state)
{
    char site[4096];
    const struct cushim_fault rule = {.size = sizeof rule,
                                      .site = site,
                                      .effect = CUSHIM_FAULT_RETURN,
                                      .code = CUDA_ERROR_NOT_READY};

    memset(site, '*', sizeof site - 1);
    site[sizeof site - 1] = '\0';
    assert_int_equal(cushim_fault_add(*state, &rule, fault_message, sizeof fault_message),
                     CUDA_ERROR_INVALID_VALUE);
    assert_string_equal(fault_message, "fault: the site is too long");
    assert_null(cushim_fault_text(*state, 0));
    assert_int_equal(fault_query(), CUDA_SUCCESS);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, layer_setup, layer_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(lookup_without_a_name_or_a_place_gets_the_drivers_answer),
        TEST(symbol_hidden_in_all_versions_is_not_found_by_its_status),
        TEST(device_that_is_lost_stays_the_one_that_was_lost_first),
        TEST(rule_as_a_struct_needs_no_room_for_a_message),
        TEST(site_that_is_too_long_is_refused_and_not_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
