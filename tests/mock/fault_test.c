/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fault rules in the settings of a mock, and the layer that the mock creates for them. tests/layer
 * and tests/conformance test the effects of rules on calls.
 */

#include <cushim/cushim.h>
#include <cushim/testing/layer.h>

#include "src/layer/fault.h"
#include "tests/mock/fixture.h"

static char message[400];

static CUresult create(const char *settings, struct cushim_mock **mock)
{
    return cushim_mock_create(
        &(struct cushim_mock_options){.size = sizeof(struct cushim_mock_options),
                                      .settings = settings,
                                      .message = message,
                                      .message_size = sizeof message},
        mock);
}

/* The text of a rule of the layer, as it was given; NULL: there are fewer rules. */
static const char *rule_text(size_t index)
{
    return index < cushim__faults.count ? cushim__faults.rules[index].text : NULL;
}

TEST_ALONE(rules_make_a_layer_that_ends_with_the_mock)
{
    struct cushim_mock *mock = NULL;
    struct cushim_layer *layer;

    OK(create("fault = cuInit:nth=2 => return(999)\nfault = cuMemAlloc_v2 => out_of_memory\n",
              &mock));
    layer = cushim_layer_current();
    assert_non_null(layer);
    assert_ptr_equal(cushim_mock_table(mock), cushim_layer_table(layer));
    assert_string_equal(rule_text(0), "cuInit:nth=2 => return(999)");
    assert_string_equal(rule_text(1), "cuMemAlloc_v2 => out_of_memory");
    OK(cushim_mock_table(mock)->Init(0));
    CODE(CUDA_ERROR_UNKNOWN, cushim_mock_table(mock)->Init(0));
    OK(cushim_mock_destroy(mock));
    assert_null(cushim_layer_current());
    OK(create("", &mock));
    assert_null(cushim_layer_current());
    OK(cushim_mock_destroy(mock));
}

TEST_ALONE(installed_mock_with_rules_is_the_layer)
{
    const struct cushim_table *before = cushim_driver();
    struct cushim_mock *mock = NULL;

    OK(create("fault = cuInit:nth=1 => return(999)", &mock));
    OK(cushim_mock_install(mock));
    assert_ptr_equal(cushim_driver(), cushim_layer_table(cushim_layer_current()));
    CODE(CUDA_ERROR_UNKNOWN, cushim_driver()->Init(0));
    OK(cushim_driver()->Init(0));
    OK(cushim_mock_destroy(mock));
    assert_ptr_equal(cushim_driver(), before);
}

TEST_ALONE(rules_that_cannot_be_are_refused_where_they_stand)
{
    static const char *const settings[][2] = {
        {"devices = 2\nfault = cuInit => retrn(1)\n",
         "settings:2:19: there is no effect \"retrn\"; did you mean \"return\"?"},
        {"fault = op.copy:nth=2,times=3 => hang",
         "settings:1:23: nth means one match alone, so times does not go with it"},
        {"fault =", "settings:1:8: fault lacks its value"},
        {"fault = hang", "settings:1:9: there is no function \"hang\""},
    };
    struct cushim_mock *mock = NULL;

    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        CODE(CUDA_ERROR_INVALID_VALUE, create(settings[i][0], &mock));
        assert_string_equal(message, settings[i][1]);
        assert_null(cushim_layer_current());
        assert_null(cushim_mock_current());
    }
}

TEST_ALONE(more_than_64_rules_are_refused)
{
    static const char line[] = "fault = cuInit => return(999)\n";
    char settings[65 * sizeof line] = "";
    struct cushim_mock *mock = NULL;

    for (int i = 0; i < 65; i++)
        strcat(settings, line);
    CODE(CUDA_ERROR_INVALID_VALUE, create(settings, &mock));
    assert_string_equal(message, "settings:65:9: there are 64 rules already");
    settings[64 * (sizeof line - 1)] = '\0';
    OK(create(settings, &mock));
    assert_non_null(rule_text(63));
    OK(cushim_mock_destroy(mock));
}

TEST_ALONE(rules_without_room_for_their_layer_are_refused)
{
    struct cushim_layer *layer = NULL;
    struct cushim_mock *mock = NULL;

    OK(create(NULL, &mock));
    OK(cushim_layer_create(
        &(struct cushim_layer_options){.size = sizeof(struct cushim_layer_options),
                                       .table = cushim_mock_table(mock)},
        &layer));
    OK(cushim_mock_destroy(mock));
    CODE(CUDA_ERROR_ALREADY_ACQUIRED, create("fault = cuInit => return(999)", &mock));
    CONTAINS(message, "the process has one");
    assert_ptr_equal(cushim_layer_current(), layer);
    assert_null(cushim_mock_current());
    cushim_layer_destroy(layer);
}

TEST_ALONE(symbols_of_a_mock_with_rules_are_the_layers)
{
    struct cushim_mock *mock = NULL;
    cushim_function init;

    OK(create("fault = cuEvent* => missing\nfault = cuInit => return(999)\n", &mock));
    init = (cushim_function)cushim_mock_table(mock)->Init;
    assert_true(cushim_mock_symbol("cuInit", mock) == init);
    assert_null((void *)(uintptr_t)cushim_mock_symbol("cuEventQuery", mock));
    assert_non_null((void *)(uintptr_t)cushim_mock_symbol("cuStreamQuery", mock));
    OK(cushim_mock_destroy(mock));
}

TEST_ALONE(sticky_error_of_a_call_is_the_mocks_own)
{
    CUcontext context;
    CUevent event;
    int devices;

    fixture_begin("fault = cuStreamCreate => sticky(ECC_UNCORRECTABLE)");
    OK(driver->EventCreate(&event, 0));
    CODE(CUDA_ERROR_ECC_UNCORRECTABLE, driver->StreamCreate(&(CUstream){NULL}, 0));
    CODE(CUDA_ERROR_ECC_UNCORRECTABLE, driver->EventQuery(event));
    OK(driver->DeviceGetCount(&devices));
    cushim_fault_clear(cushim_layer_current());
    CODE(CUDA_ERROR_ECC_UNCORRECTABLE, driver->EventQuery(event));
    OK(driver->CtxPopCurrent_v2(&context));
    OK(driver->DevicePrimaryCtxRelease_v2(0));
    OK(cushim_mock_destroy(fixture_mock));
}

/* The virtual time at the end of a program with these settings. */
static uint64_t time_of(const char *settings)
{
    CUstream stream;
    uint64_t now_ns;

    fixture_begin(settings);
    stream = fixture_stream();
    for (int i = 0; i < 10; i++) {
        fixture_spin(stream, 1000);
        OK(driver->StreamQuery(NULL));
        OK(driver->StreamSynchronize(stream));
    }
    OK(driver->StreamDestroy_v2(stream));
    now_ns = fixture_state().now_ns;
    fixture_end();
    return now_ns;
}

TEST_ALONE(rules_that_do_not_fire_change_nothing)
{
    const uint64_t bare_ns = time_of(NULL);

    assert_int_equal(time_of("fault = *:nth=100000 => return(999)\n"
                             "fault = *@dev0:nth=100000 => return(999)\n"
                             "fault = op.*:nth=100000 => hang\n"),
                     bare_ns);
}
