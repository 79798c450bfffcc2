/* SPDX-License-Identifier: Apache-2.0 */
/* Installing a table, as a mock or a layer does, and restoring the former one. */
#include <string.h>

#include "fake.h"
#include "forked.h"
#include "loader/loader.h"
#include "loader/symbols.h"
#include "tests/support/environment.h"

static struct fake_source source;
static struct fake_source broken = {.lacks = {"cuInit"}};

static CUresult install(const struct cushim_table *table)
{
    return cushim_table_install(table, NULL);
}

/* --- a layer that counts the calls through it --- */

static struct cushim_table layer;
static const struct cushim_table *next;
static unsigned passed;

static CUresult CUDAAPI pass_event_query(CUevent event)
{
    passed++;
    return next->EventQuery(event);
}

static CUresult CUDAAPI pass_init(unsigned int flags)
{
    passed++;
    return next->Init(flags);
}

static void install_layer(void)
{
    layer = *cushim_driver();
    layer.EventQuery = pass_event_query;
    layer.Init = pass_init;
    assert_int_equal(cushim_table_install(&layer, &next), CUDA_SUCCESS);
}

/* --- installing and restoring --- */

static void installed_table_is_current_until_null_restores_the_loaders_own(void **state)
{
    const struct cushim_table *former = NULL;

    assert_int_equal(cushim_table_install(fake_mock(), &former), CUDA_SUCCESS);
    assert_ptr_equal(former, &cushim__lazy_table);
    assert_ptr_equal(cushim_driver(), fake_mock());
    assert_true(fake_report().installed);
    install_layer();
    assert_ptr_equal(next, fake_mock());
    assert_int_equal(install(next), CUDA_SUCCESS);
    assert_ptr_equal(cushim_driver(), fake_mock());
    assert_int_equal(cushim_table_install(NULL, &former), CUDA_SUCCESS);
    assert_ptr_equal(former, fake_mock());
    assert_ptr_equal(cushim_driver(), &cushim__lazy_table);
    assert_false(fake_report().installed);
}

static void incomplete_table_is_refused(void **state)
{
    const struct cushim_table *former = NULL;
    struct cushim_table *mock = fake_mock();

    mock->size = sizeof *mock - 1;
    assert_int_equal(cushim_table_install(mock, &former), CUDA_ERROR_INVALID_VALUE);
    mock->size = 0;
    assert_int_equal(cushim_table_install(mock, &former), CUDA_ERROR_INVALID_VALUE);
    mock->size = sizeof *mock;
    for (size_t i = 0; i < CUSHIM__SYMBOL_COUNT; i++) {
        char *slot = (char *)mock + sizeof(size_t) + i * sizeof(cushim_function);
        cushim_function kept;

        memcpy(&kept, slot, sizeof kept);
        memset(slot, 0, sizeof kept);
        assert_int_equal(cushim_table_install(mock, &former), CUDA_ERROR_INVALID_VALUE);
        memcpy(slot, &kept, sizeof kept);
    }
    assert_null(former);
    assert_ptr_equal(cushim_driver(), &cushim__lazy_table);
    mock->size = 2 * sizeof *mock; /* the size in a newer library */
    assert_int_equal(install(mock), CUDA_SUCCESS);
}

/* --- installed tables and the loader --- */

static void installed_table_stays_current_during_a_load(void **state)
{
    assert_int_equal(install(fake_mock()), CUDA_SUCCESS);
    assert_int_equal(fake_load(&broken), CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND);
    assert_int_equal(fake_query(), FAKE_MOCK_ANSWER);
    assert_int_equal(install(NULL), CUDA_SUCCESS);
    assert_int_equal(fake_query(), CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND);
    assert_int_equal(install(fake_mock()), CUDA_SUCCESS);
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    assert_int_equal(fake_query(), FAKE_MOCK_ANSWER);
    assert_int_equal(install(NULL), CUDA_SUCCESS);
    assert_int_equal(fake_query(), FAKE_ANSWER);
}

static void load_over_an_installed_mock_loads_nothing(void **state)
{
    environment_set("CUSHIM_LIBRARY", FAKE_LIBRARY);
    assert_int_equal(install(fake_mock()), CUDA_SUCCESS);
    assert_int_equal(cushim_load(NULL), CUDA_SUCCESS);
    assert_int_equal(fake_library_calls(), 0);
    assert_int_equal(fake_report().state, CUSHIM_STATE_UNTRIED);
}

static void init_always_initialises_an_installed_table(void **state)
{
    environment_set("CUSHIM_LIBRARY", "none");
    fake.init_code = CUDA_ERROR_NO_DEVICE;
    assert_int_equal(install(fake_mock()), CUDA_SUCCESS);
    assert_int_equal(cushim_init(NULL), CUDA_ERROR_NO_DEVICE);
    assert_int_equal(cushim_init(NULL), CUDA_ERROR_NO_DEVICE);
    assert_int_equal(fake.init_calls, 2);
    assert_int_equal(fake_report().state, CUSHIM_STATE_UNTRIED);
}

static void layer_over_the_lazy_load_table_loads_once_and_forwards(void **state)
{
    environment_set("CUSHIM_LIBRARY", FAKE_LIBRARY);
    install_layer();
    assert_ptr_equal(next, &cushim__lazy_table);
    for (unsigned calls = 1; calls <= 3; calls++) {
        assert_int_equal(fake_query(), FAKE_LIBRARY_ANSWER);
        assert_int_equal(passed, calls);
    }
    assert_int_equal(fake_library_calls(), 1);
    assert_int_equal(cushim_init(NULL), CUDA_SUCCESS);
    assert_int_equal(passed, 4);
    assert_ptr_equal(cushim_driver(), &layer);
    assert_int_equal(fake_report().state, CUSHIM_STATE_READY);
}

static void former_table_restored_after_a_load_is_the_drivers(void **state)
{
    const struct cushim_table *former = NULL;

    install_layer();
    assert_ptr_equal(next, &cushim__lazy_table);
    assert_int_equal(fake_load(&broken), CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND);
    assert_int_equal(install(next), CUDA_SUCCESS);
    assert_int_equal(fake_query(), CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND);
    assert_int_equal(cushim_table_install(fake_mock(), &former), CUDA_SUCCESS); /* the absent one */
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    assert_int_equal(install(former), CUDA_SUCCESS);
    assert_ptr_equal(cushim_driver(), cushim__loaded()->table);
    assert_false(cushim__is_installed());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        forked_test(installed_table_is_current_until_null_restores_the_loaders_own),
        forked_test(incomplete_table_is_refused),
        forked_test(installed_table_stays_current_during_a_load),
        forked_test(load_over_an_installed_mock_loads_nothing),
        forked_test(init_always_initialises_an_installed_table),
        forked_test(layer_over_the_lazy_load_table_loads_once_and_forwards),
        forked_test(former_table_restored_after_a_load_is_the_drivers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
