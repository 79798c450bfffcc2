/* SPDX-License-Identifier: Apache-2.0 */
/* Whether anything orders two operations that are named by number. */
#include <string.h>

#include "tests/mock/race_world.h"

static void order_of_two_operations_is_told(void **state)
{
    enum cushim_mock_order order;
    char text[400];

    (void)state;
    race_read(race_streams[0]);
    race_read(race_streams[0]);
    race_read(race_streams[1]);
    OK(cushim_mock_ordered(world, 1, 2, &order, text, sizeof text));
    assert_int_equal(order, CUSHIM_MOCK_ORDER_BEFORE);
    assert_non_null(strstr(text, "(operation 1, "));
    assert_non_null(strstr(text, " comes before kernel \"reads\" (operation 2, "));
    OK(cushim_mock_ordered(world, 2, 1, &order, text, sizeof text));
    assert_int_equal(order, CUSHIM_MOCK_ORDER_AFTER);
    assert_non_null(strstr(text, " comes before kernel \"reads\" (operation 2, "));
    OK(cushim_mock_ordered(world, 3, 1, &order, text, sizeof text));
    assert_int_equal(order, CUSHIM_MOCK_ORDER_NONE);
    assert_memory_equal(text, "nothing orders kernel \"reads\" (operation 1, ", 41);
    OK(cushim_mock_ordered(world, 2, 3, &order, NULL, 0));
    assert_int_equal(order, CUSHIM_MOCK_ORDER_NONE);
}

static void order_behind_a_value_is_not_known(void **state)
{
    enum cushim_mock_order order;
    char text[500];

    (void)state;
    OK(driver->StreamWaitValue32_v2(race_streams[0], race_memory, 0, CU_STREAM_WAIT_VALUE_GEQ));
    race_read(race_streams[0]);
    race_read(race_streams[1]);
    OK(cushim_mock_ordered(world, 2, 3, &order, text, sizeof text));
    assert_int_equal(order, CUSHIM_MOCK_ORDER_UNKNOWN);
    assert_non_null(strstr(text, "depends on who writes the value"));
    OK(cushim_mock_ordered(world, 1, 2, &order, text, sizeof text));
    assert_int_equal(order, CUSHIM_MOCK_ORDER_BEFORE);
}

static void order_of_no_operation_is_refused(void **state)
{
    enum cushim_mock_order order = CUSHIM_MOCK_ORDER_UNKNOWN;

    (void)state;
    race_read(race_streams[0]);
    race_read(race_streams[0]);
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_mock_ordered(world, 1, 1, &order, NULL, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_mock_ordered(world, 1, 2, NULL, NULL, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_mock_ordered(NULL, 1, 2, &order, NULL, 0));
    CODE(CUDA_ERROR_NOT_FOUND, cushim_mock_ordered(world, 1, 3, &order, NULL, 0));
    CODE(CUDA_ERROR_NOT_FOUND, cushim_mock_ordered(world, 0, 2, &order, NULL, 0));
    assert_int_equal(order, CUSHIM_MOCK_ORDER_UNKNOWN);
}

static void last_4096_operations_can_be_asked_for(void **state)
{
    enum cushim_mock_order order;

    (void)state;
    for (int i = 0; i < 4097; i++)
        race_read(race_streams[0]);
    CODE(CUDA_ERROR_NOT_FOUND, cushim_mock_ordered(world, 1, 4097, &order, NULL, 0));
    OK(cushim_mock_ordered(world, 2, 4097, &order, NULL, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(order_of_two_operations_is_told, race_auto, race_done),
        cmocka_unit_test_setup_teardown(order_behind_a_value_is_not_known, race_auto, race_done),
        cmocka_unit_test_setup_teardown(order_of_no_operation_is_refused, race_auto, race_done),
        cmocka_unit_test_setup_teardown(last_4096_operations_can_be_asked_for, race_auto,
                                        race_done),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
