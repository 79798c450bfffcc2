/* SPDX-License-Identifier: Apache-2.0 */
/* Tests and layers that have ended: whoever still has one is told so, and nothing happens. */
#include <string.h>

#include <cushim/driver.h>
#include <cushim/fault.h>

#include "tests/layer/kit.h"

static const struct cushim_test_options options = {.size = sizeof options};
static char text[200];

static void test_ends_once(void **state)
{
    struct cushim_test *ended;

    (void)state;
    kit_begin(&options);
    ended = kit;
    OK(cushim_test_end(ended, text, sizeof text));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_test_end(ended, text, sizeof text));
    assert_string_equal(text, "this test has ended, or is none\n");
    assert_null(cushim_test_mock(ended));
    assert_null(cushim_test_layer(ended));
}

static void test_that_ended_leaves_the_one_that_runs_alone(void **state)
{
    char other[64] = "not a test";

    (void)state;
    kit_begin(&options);
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_test_end((struct cushim_test *)other, text, sizeof text));
    assert_ptr_equal(cushim_layer_current(), layer);
    assert_ptr_equal(cushim_mock_current(), mock);
    OK(kit_end());
}

static void mock_that_is_destroyed_within_a_test_is_told(void **state)
{
    (void)state;
    kit_begin(&options);
    OK(cushim_mock_destroy(mock));
    CODE(CUDA_ERROR_ILLEGAL_STATE, kit_end());
    assert_string_equal(kit_text, "the mock of the test was destroyed before the test's end\n");
    assert_null(cushim_layer_current());
}

static void layer_that_is_destroyed_within_a_test_is_told(void **state)
{
    const struct cushim_test_options with_context = {.size = sizeof with_context, .context = true};

    (void)state;
    kit_begin(&with_context);
    cushim_layer_destroy(layer);
    CODE(CUDA_ERROR_ILLEGAL_STATE, kit_end());
    assert_string_equal(kit_text, "the layer of the test was destroyed before the test's end\n");
    assert_null(cushim_mock_current());
}

/* What answers a code, and what answers nothing. */
static void assert_refused_by_all(struct cushim_layer *ended)
{
    const struct cushim_expectation once = {.size = sizeof once, .function = "cuInit"};
    const struct cushim_fault fault = {.size = sizeof fault, .site = "cuInit"};
    struct cushim_recorded_call call = {.size = sizeof call};

    CODE(CUDA_ERROR_INVALID_VALUE, cushim_expect(ended, &once, text, sizeof text));
    assert_string_equal(text, "there is no such layer: it has ended, or none was given");
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_forbid(ended, "cuInit", text, sizeof text));
    assert_string_equal(text, "there is no such layer: it has ended, or none was given");
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_layer_verify(ended, text, sizeof text));
    assert_string_equal(text, "there is no such layer: it has ended, or none was given\n");
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_errors_forbid(ended, true));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_expect_errors_begin(ended, CUDA_SUCCESS));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_expect_errors_end(ended));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_recording_start(ended, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_recording_get(ended, 0, &call));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_tag_name(ended, &call, "name"));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_tag_get(ended, &call, text, sizeof text));
    strcpy(text, "of before");
    CODE(CUDA_ERROR_INVALID_VALUE,
         cushim_fault_parse(ended, "cuInit => return(UNKNOWN)", text, sizeof text));
    assert_string_equal(text, "there is no such layer: it has ended, or none was given");
    strcpy(text, "of before");
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_fault_add(ended, &fault, text, sizeof text));
    assert_string_equal(text, "there is no such layer: it has ended, or none was given");
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_layer_install(ended));
    assert_int_equal(cushim_recording_text(ended, text, sizeof text), 0);
    assert_int_equal(cushim_recording_count(ended), 0);
    assert_int_equal(cushim_recording_lost(ended), 0);
    assert_null(cushim_fault_text(ended, 0));
    assert_null(cushim_fault_unused(ended, 0));
    assert_int_equal(cushim_fault_matched(ended, 0), 0);
    assert_int_equal(cushim_fault_fired(ended, 0), 0);
    cushim_fault_seed_set(ended, 7);
    cushim_fault_release(ended);
    cushim_fault_clear(ended);
    assert_null(cushim_layer_table(ended));
    assert_null(cushim_layer_wrapped(ended));
    assert_null(cushim_layer_next(ended));
    cushim_expectations_clear(ended);
    cushim_recording_clear(ended);
    cushim_recording_stop(ended);
    cushim_layer_destroy(ended);
}

static void layer_that_ended_is_refused(void **state)
{
    struct cushim_layer *ended;

    (void)state;
    kit_begin(&options);
    ended = layer;
    OK(kit_end());
    assert_refused_by_all(ended);
}

static void layer_that_ended_leaves_the_current_one_alone(void **state)
{
    char other[4096] = "not a layer";

    (void)state;
    kit_begin(&options);
    OK(cushim_forbid(layer, "cuInit", NULL, 0));
    OK(cushim_fault_parse(layer, "cuInit:nth=7 => return(UNKNOWN)", NULL, 0));
    OK(driver->DriverGetVersion(&(int){0}));
    assert_refused_by_all((struct cushim_layer *)other);
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_fault_parse(layer, NULL, text, sizeof text));
    assert_string_equal(text, "faults: the text is NULL");
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_fault_add(layer, NULL, text, sizeof text));
    assert_string_equal(text, "fault: the rule is NULL");
    assert_string_equal(cushim_fault_text(layer, 0), "cuInit:nth=7 => return(UNKNOWN)");
    cushim_fault_clear(layer);
    assert_ptr_equal(cushim_layer_current(), layer);
    assert_int_equal(cushim_recording_count(layer), 1);
    OK(driver->Init(0));
    assert_int_equal(cushim_recording_count(layer), 2);
    CODE(CUDA_ERROR_ILLEGAL_STATE, kit_end());
    assert_non_null(strstr(kit_text, "forbidden: cuInit; it came once\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends_once),
        cmocka_unit_test(mock_that_is_destroyed_within_a_test_is_told),
        cmocka_unit_test(layer_that_is_destroyed_within_a_test_is_told),
        cmocka_unit_test(test_that_ended_leaves_the_one_that_runs_alone),
        cmocka_unit_test(layer_that_ended_is_refused),
        cmocka_unit_test(layer_that_ended_leaves_the_current_one_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
