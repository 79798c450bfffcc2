/* SPDX-License-Identifier: Apache-2.0 */
/* Installing a table: how a mock or a layer gets in, and how it gets out again. */
#include <string.h>

#include "fake.h"
#include "forked.h"
#include "loader/loader.h"
#include "loader/symbols.h"
#include "loader/tables.h"
#include "tests/support/environment.h"

static struct fake_source source;
static struct fake_source broken = {.lacks = {"cuInit"}};

static CUresult install(const struct cushim_table *table)
{
    return cushim_table_install(table, NULL);
}

/* --- a layer: counts the queries that pass through it --- */

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

/* --- in and out --- */

static void installed_table_answers_the_calls(void **state)
{
    const struct cushim_table *former = NULL;

    (void)state;
    assert_int_equal(cushim_table_install(fake_mock(), &former), CUDA_SUCCESS);
    assert_ptr_equal(former, &cushim__boot_table);
    assert_ptr_equal(cushim_driver(), fake_mock());
    assert_int_equal(fake_query(), FAKE_MOCK_ANSWER);
}

static void null_puts_the_loaders_own_table_back(void **state)
{
    const struct cushim_table *former = NULL;

    (void)state;
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    assert_int_equal(install(fake_mock()), CUDA_SUCCESS);
    assert_int_equal(cushim_table_install(NULL, &former), CUDA_SUCCESS);
    assert_ptr_equal(former, fake_mock());
    assert_int_equal(fake_query(), FAKE_ANSWER);
    assert_false(cushim__is_installed());
}

static void former_tables_nest(void **state)
{
    const struct cushim_table *outer = NULL;
    static struct cushim_table second;

    (void)state;
    second = *fake_mock();
    assert_int_equal(install(fake_mock()), CUDA_SUCCESS);
    assert_int_equal(cushim_table_install(&second, &outer), CUDA_SUCCESS);
    assert_ptr_equal(outer, fake_mock());
    assert_int_equal(install(outer), CUDA_SUCCESS);
    assert_ptr_equal(cushim_driver(), fake_mock());
    assert_true(cushim__is_installed());
}

/* --- what is refused --- */

static void table_that_is_too_small_is_refused(void **state)
{
    const struct cushim_table *former = NULL;
    struct cushim_table *mock = fake_mock();

    (void)state;
    mock->size = sizeof *mock - 1;
    assert_int_equal(cushim_table_install(mock, &former), CUDA_ERROR_INVALID_VALUE);
    mock->size = 0;
    assert_int_equal(cushim_table_install(mock, &former), CUDA_ERROR_INVALID_VALUE);
    assert_null(former);
    assert_ptr_equal(cushim_driver(), &cushim__boot_table);
}

static void table_of_a_newer_library_is_welcome(void **state)
{
    struct {
        struct cushim_table table;
        cushim_function newer[4];
    } newer = {.table = *fake_mock()};

    (void)state;
    newer.table.size = sizeof newer;
    assert_int_equal(install(&newer.table), CUDA_SUCCESS);
    assert_int_equal(fake_query(), FAKE_MOCK_ANSWER);
    assert_int_equal(install(NULL), CUDA_SUCCESS);
}

static void table_with_a_null_slot_is_refused_whichever_it_is(void **state)
{
    struct cushim_table *mock = fake_mock();

    (void)state;
    for (size_t i = 0; i < CUSHIM__SYMBOL_COUNT; i++) {
        char *slot = (char *)mock + sizeof(size_t) + i * sizeof(cushim_function);
        cushim_function kept;

        memcpy(&kept, slot, sizeof kept);
        memset(slot, 0, sizeof kept);
        assert_int_equal(install(mock), CUDA_ERROR_INVALID_VALUE);
        memcpy(slot, &kept, sizeof kept);
    }
    assert_ptr_equal(cushim_driver(), &cushim__boot_table);
    assert_int_equal(install(mock), CUDA_SUCCESS);
}

/* --- together with the loader --- */

static void load_stays_behind_the_installed_table(void **state)
{
    (void)state;
    assert_int_equal(install(fake_mock()), CUDA_SUCCESS);
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    assert_int_equal(source.lookups, FAKE_LOOKUPS_OF_A_LOAD);
    assert_int_equal(fake_query(), FAKE_MOCK_ANSWER);
    assert_int_equal(install(NULL), CUDA_SUCCESS);
    assert_int_equal(fake_query(), FAKE_ANSWER);
}

static void failed_load_stays_behind_the_installed_table(void **state)
{
    (void)state;
    assert_int_equal(install(fake_mock()), CUDA_SUCCESS);
    assert_int_equal(fake_load(&broken), CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND);
    assert_int_equal(fake_query(), FAKE_MOCK_ANSWER);
    assert_int_equal(install(NULL), CUDA_SUCCESS);
    assert_int_equal(fake_query(), CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND);
}

static void load_over_an_installed_mock_loads_nothing(void **state)
{
    struct cushim_report report = {.size = sizeof report};

    (void)state;
    environment_set("CUSHIM_LIBRARY", FAKE_LIBRARY);
    assert_int_equal(install(fake_mock()), CUDA_SUCCESS);
    assert_int_equal(cushim_load(NULL), CUDA_SUCCESS);
    assert_int_equal(fake_library_calls(), 0);
    assert_int_equal(cushim_report_get(&report), CUDA_SUCCESS);
    assert_int_equal(report.state, CUSHIM_STATE_UNTRIED);
    assert_true(report.installed);
}

static void init_initialises_the_installed_table(void **state)
{
    struct cushim_report report = {.size = sizeof report};

    (void)state;
    environment_set("CUSHIM_LIBRARY", "none");
    assert_int_equal(install(fake_mock()), CUDA_SUCCESS);
    assert_int_equal(cushim_init(NULL), CUDA_SUCCESS);
    assert_int_equal(fake.init_calls, 1);
    assert_int_equal(cushim_report_get(&report), CUDA_SUCCESS);
    assert_int_equal(report.state, CUSHIM_STATE_UNTRIED);
}

static void layer_over_the_boot_table_loads_once_and_forwards(void **state)
{
    (void)state;
    environment_set("CUSHIM_LIBRARY", FAKE_LIBRARY);
    install_layer();
    assert_ptr_equal(next, &cushim__boot_table);
    for (unsigned calls = 1; calls <= 3; calls++) {
        assert_int_equal(fake_query(), FAKE_LIBRARY_ANSWER);
        assert_int_equal(passed, calls);
    }
    assert_int_equal(fake_library_calls(), FAKE_LIBRARY_CALLS_OF_A_LOAD);
    assert_int_equal(cushim_init(NULL), CUDA_SUCCESS);
    assert_int_equal(passed, 4);
    assert_ptr_equal(cushim_driver(), &layer);
}

static void layer_over_the_boot_table_forwards_the_reason_of_a_failure(void **state)
{
    (void)state;
    environment_set("CUSHIM_LIBRARY", "none");
    install_layer();
    assert_int_equal(fake_query(), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    assert_int_equal(passed, 1);
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    assert_int_equal(fake_query(), FAKE_ANSWER);
}

static void boot_table_put_back_after_a_load_is_the_loaders_own(void **state)
{
    (void)state;
    install_layer();
    assert_ptr_equal(next, &cushim__boot_table);
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    assert_int_equal(install(next), CUDA_SUCCESS);
    assert_ptr_equal(cushim_driver(), cushim__own_table());
    assert_int_equal(fake_query(), FAKE_ANSWER);
}

static void absent_table_put_back_after_a_load_is_the_loaders_own(void **state)
{
    const struct cushim_table *former = NULL;

    (void)state;
    assert_int_equal(fake_load(&broken), CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND);
    assert_int_equal(cushim_table_install(fake_mock(), &former), CUDA_SUCCESS);
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    assert_int_equal(install(former), CUDA_SUCCESS);
    assert_int_equal(fake_query(), FAKE_ANSWER);
    assert_false(cushim__is_installed());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        forked_test(installed_table_answers_the_calls),
        forked_test(null_puts_the_loaders_own_table_back),
        forked_test(former_tables_nest),
        forked_test(table_that_is_too_small_is_refused),
        forked_test(table_of_a_newer_library_is_welcome),
        forked_test(table_with_a_null_slot_is_refused_whichever_it_is),
        forked_test(load_stays_behind_the_installed_table),
        forked_test(failed_load_stays_behind_the_installed_table),
        forked_test(load_over_an_installed_mock_loads_nothing),
        forked_test(init_initialises_the_installed_table),
        forked_test(layer_over_the_boot_table_loads_once_and_forwards),
        forked_test(layer_over_the_boot_table_forwards_the_reason_of_a_failure),
        forked_test(boot_table_put_back_after_a_load_is_the_loaders_own),
        forked_test(absent_table_put_back_after_a_load_is_the_loaders_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
