/* SPDX-License-Identifier: Apache-2.0 */
/* The lifecycle of a layer, the calls that it passes on, and the program's own functions in it. */

#include <cushim/testing/mock.h>
#include <cushim/testing/recording.h>

#include "fixture.h"
#include "src/layer/layer.h"

static char event_memory;
#define EVENT ((CUevent)(void *)&event_memory)

#define TEST(name) TEST_BETWEEN(name, layer_setup, layer_teardown)

TEST(call_reaches_the_wrapped_table_with_its_arguments)
{
    fake_query_answer = CUDA_ERROR_NOT_READY;
    CODE(CUDA_ERROR_NOT_READY, cushim_driver()->EventQuery(EVENT));
    assert_int_equal(fake_queries, 1);
    assert_ptr_equal(fake_queried, EVENT);
}

TEST(watched_call_reaches_it_too)
{
    CUdeviceptr address = 0;

    cushim__subscribe_all(CUSHIM__RECORDING, true);
    OK(cushim_driver()->EventQuery(EVENT));
    OK(cushim_driver()->MemAlloc_v2(&address, 16));
    CODE(CUDA_ERROR_NOT_SUPPORTED, cushim_driver()->CtxSynchronize());
    assert_ptr_equal(fake_queried, EVENT);
    assert_int_equal(address, 0x1000);
}

static CUresult CUDAAPI no_memory(CUdeviceptr *address, size_t bytes)
{
    return bytes > 100 ? CUDA_ERROR_OUT_OF_MEMORY
                       : cushim_layer_wrapped(cushim_layer_current())->MemAlloc_v2(address, bytes);
}

TEST(function_of_ones_own_stands_in_and_has_the_original)
{
    CUdeviceptr address = 0;

    cushim_layer_next(*state)->MemAlloc_v2 = no_memory;
    CODE(CUDA_ERROR_OUT_OF_MEMORY, cushim_driver()->MemAlloc_v2(&address, 101));
    assert_int_equal(fake_allocations, 0);
    OK(cushim_driver()->MemAlloc_v2(&address, 100));
    assert_int_equal(address, 0x1000);
}

static CUresult CUDAAPI query_by_the_layer(CUevent event)
{
    return cushim_driver()->MemAlloc_v2(&(CUdeviceptr){0}, 1) == CUDA_SUCCESS
               ? cushim_layer_wrapped(cushim_layer_current())->EventQuery(event)
               : CUDA_ERROR_UNKNOWN;
}

TEST(function_of_ones_own_may_call_through_the_layer)
{
    cushim_layer_next(*state)->EventQuery = query_by_the_layer;
    cushim__subscribe_all(CUSHIM__RECORDING, true);
    OK(cushim_driver()->EventQuery(EVENT));
    assert_int_equal(fake_allocations, 1);
    assert_int_equal(fake_queries, 1);
}

TEST(what_the_driver_finds_by_name_leads_through_the_layer)
{
    void *found = NULL, *expected;

    memcpy(&expected, &cushim_layer_table(*state)->EventQuery, sizeof expected);
    OK(cushim_driver()->GetProcAddress("cuEventQuery", &found, 12000, 0));
    assert_ptr_equal(found, expected);
    found = NULL;
    CODE(CUDA_ERROR_NOT_FOUND, cushim_driver()->GetProcAddress("cuNothing", &found, 12000, 0));
    assert_null(found);
}

TEST(only_one_layer_exists_at_a_time)
{
    struct cushim_layer *other = NULL;

    CODE(CUDA_ERROR_ALREADY_ACQUIRED, cushim_layer_create(NULL, &other));
    assert_null(other);
    assert_ptr_equal(cushim_layer_current(), *state);
}

TEST(table_with_a_hole_or_too_short_is_refused)
{
    struct cushim_table table = fake_table;
    struct cushim_layer_options options = {.size = sizeof options, .table = &table};
    struct cushim_layer *layer = NULL;

    cushim_layer_destroy(*state);
    *state = NULL;
    table.EventQuery = NULL;
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_layer_create(&options, &layer));
    table = fake_table;
    table.size--;
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_layer_create(&options, &layer));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_layer_create(&options, NULL));
    options.size = 1;
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_layer_create(&options, &layer));
    assert_null(layer);
}

TEST(layer_over_its_own_table_is_refused)
{
    const struct cushim_table *own = cushim_layer_table(*state);
    struct cushim_layer_options options = {.size = sizeof options, .table = own};
    struct cushim_layer *layer = NULL;

    cushim_layer_destroy(*state);
    *state = NULL;
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_layer_create(&options, &layer));
    assert_null(layer);
}

TEST(end_of_the_layer_puts_the_former_table_back)
{
    const struct cushim_table *before;

    cushim_layer_destroy(*state);
    *state = NULL;
    before = cushim_driver();
    assert_int_equal(layer_setup(state), 0);
    assert_ptr_equal(cushim_driver(), cushim_layer_table(*state));
    cushim_layer_destroy(*state);
    *state = NULL;
    assert_ptr_equal(cushim_driver(), before);
}

TEST(table_of_a_layer_that_has_ended_hands_calls_on)
{
    const struct cushim_table *table = cushim_layer_table(*state);

    OK(cushim_recording_start(*state, 0)); /* every slot has a subscriber */
    cushim_layer_destroy(*state);
    fake_query_answer = CUDA_ERROR_NOT_READY;
    CODE(CUDA_ERROR_NOT_READY, table->EventQuery(EVENT));
    assert_ptr_equal(fake_queried, EVENT);
}

TEST(table_installed_over_the_layer_stays_at_its_end)
{
    const struct cushim_table *layers;

    OK(cushim_table_install(&fake_table, &layers));
    cushim_layer_destroy(*state);
    *state = NULL;
    assert_ptr_equal(cushim_driver(), &fake_table);
    OK(cushim_table_install(NULL, NULL));
}

TEST(watch_ends_with_its_layer)
{
    cushim__subscribe_all(CUSHIM__EXPECTATION, true);
    cushim_layer_destroy(*state);
    assert_int_equal(layer_setup(state), 0);
    assert_int_equal(cushim__subscribed[CUSHIM__SLOT(EventQuery)], 0);
    assert_int_not_equal(cushim__subscribed[CUSHIM__SLOT(GetProcAddress_v2)], 0);
}

TEST(mock_is_wrapped_as_any_other_table)
{
    struct cushim_mock *mock = NULL;
    struct cushim_layer *layer = NULL;
    int devices = 0;

    cushim_layer_destroy(*state);
    *state = NULL;
    OK(cushim_mock_create(&(struct cushim_mock_options){.size = sizeof(struct cushim_mock_options),
                                                        .settings = "devices = 3"},
                          &mock));
    OK(cushim_mock_install(mock));
    OK(cushim_layer_create(NULL, &layer));
    OK(cushim_layer_install(layer));
    assert_ptr_equal(cushim_layer_wrapped(layer), cushim_mock_table(mock));
    OK(cushim_driver()->Init(0));
    OK(cushim_driver()->DeviceGetCount(&devices));
    assert_int_equal(devices, 3);
    cushim_layer_destroy(layer);
    assert_ptr_equal(cushim_driver(), cushim_mock_table(mock));
    OK(cushim_mock_destroy(mock));
}

TEST(minimum_version_applies_to_a_mock_under_a_layer)
{
    struct cushim_load_options options = {.size = sizeof options, .minimum_version = 12040};
    char message[200];
    struct cushim_mock *mock = NULL;
    struct cushim_layer *layer = NULL;

    cushim_layer_destroy(*state);
    *state = NULL;
    OK(cushim_mock_create(&(struct cushim_mock_options){.size = sizeof(struct cushim_mock_options),
                                                        .settings = "driver_version = 12.4"},
                          &mock));
    OK(cushim_mock_install(mock));
    OK(cushim_layer_create(NULL, &layer));
    OK(cushim_layer_install(layer));
    OK(cushim_driver_init(&options));
    options.minimum_version = 12050;
    CODE(CUSHIM__REQUIRES_NEWER_DRIVER, cushim_driver_load(&options));
    OK(cushim_fault_add_rules(layer, "cuDriverGetVersion => return(NO_DEVICE)", message,
                              sizeof message));
    CODE(CUDA_ERROR_NO_DEVICE, cushim_driver_load(&options));
    cushim_layer_destroy(layer);
    OK(cushim_mock_destroy(mock));
}
