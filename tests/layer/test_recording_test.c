/* SPDX-License-Identifier: Apache-2.0 */
/* Which recordings of a test may lose calls: those that nobody has asked for, and nobody reads. */
#include <string.h>

#include "tests/layer/kit.h"

static const struct cushim_test_options plain = {.size = sizeof plain};

static void poll(unsigned times)
{
    int count;

    OK(driver->Init(0));
    for (unsigned i = 0; i < times; i++)
        OK(driver->DeviceGetCount(&count));
}

static void recording_that_nobody_asked_for_may_lose_calls(void **state)
{
    (void)state;
    kit_begin(&plain);
    poll(6000);
    OK(kit_end());
    assert_string_equal(kit_text, "");
}

static void recording_that_was_asked_for_may_not_lose_calls(void **state)
{
    (void)state;
    kit_begin(
        &(struct cushim_test_options){.size = sizeof(struct cushim_test_options), .capacity = 4});
    poll(10);
    CODE(CUDA_ERROR_ILLEGAL_STATE, kit_end());
    assert_string_equal(kit_text,
                        "the recording has lost the first 7 calls: it has room for 4 (capacity), "
                        "and 11 came; set a larger .capacity of the test, or stop recording\n");
}

static void recording_that_is_read_may_not_have_lost_calls(void **state)
{
    struct cushim_recorded_call call = {.size = sizeof call};

    (void)state;
    for (int reader = 0; reader < 3; reader++) {
        kit_begin(&plain);
        OK(cushim_layer_verify(layer, NULL, 0));
        poll(6000);
        OK(cushim_layer_verify(layer, NULL, 0));
        if (reader == 0)
            cushim_recording_text(layer, NULL, 0);
        else if (reader == 1)
            OK(cushim_recording_get(layer, 0, &call));
        else
            cushim_recording_count(layer);
        CODE(CUDA_ERROR_ILLEGAL_STATE, kit_end());
        assert_non_null(strstr(kit_text, "the recording has lost the first 1905 calls: "));
    }
}

static void recording_that_was_read_before_it_lost_calls_may_lose_them(void **state)
{
    (void)state;
    kit_begin(&plain);
    poll(10);
    assert_int_equal(cushim_recording_count(layer), 11);
    poll(6000);
    OK(kit_end());
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, kit_gone)
    const struct CMUnitTest tests[] = {
        TEST(recording_that_nobody_asked_for_may_lose_calls),
        TEST(recording_that_was_asked_for_may_not_lose_calls),
        TEST(recording_that_is_read_may_not_have_lost_calls),
        TEST(recording_that_was_read_before_it_lost_calls_may_lose_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
