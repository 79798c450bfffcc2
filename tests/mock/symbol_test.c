/* SPDX-License-Identifier: Apache-2.0 */
/* The mock as a source of symbols: what a driver of its version exports, and nothing else. */
#include <string.h>

#include "loader/codes.h"
#include "loader/system.h"
#include "tests/mock/world.h"
#include "tests/support/symbols.h"

#include <cushim/driver.h>

static const struct version {
    const char *settings;
    int number;
} versions[] = {
    {"driver_version = 10.0", 10000}, {"driver_version = 11.2", 11020},
    {"driver_version = 12.0", 12000}, {"driver_version = 12.7", 12070},
    {"driver_version = 13.0", 13000},
};

static void begin(const char *settings)
{
    const struct cushim_mock_options options = {.size = sizeof options, .settings = settings};

    OK(cushim_mock_create(&options, &world));
    driver = cushim_mock_table(world);
}

static int teardown(void **state)
{
    (void)state;
    OK(cushim_mock_destroy(world));
    world = NULL;
    return 0;
}

/* What stands in a slot of a table. */
static cushim_function slot(const struct cushim_table *table, size_t index)
{
    cushim_function function;

    memcpy(&function, (const char *)table + sizeof(size_t) + index * sizeof function,
           sizeof function);
    return function;
}

static bool is_expected(size_t index, int version)
{
    return cushim_symbol_since(index) <= version &&
           (cushim__system_is_windows || strcmp(cushim_symbol_name(index), "cuWGLGetDevice") != 0);
}

static void each_version_has_the_symbols_of_the_registry_up_to_it(void **state)
{
    (void)state;
    for (size_t v = 0; v < sizeof versions / sizeof *versions; v++) {
        begin(versions[v].settings);
        for (size_t i = 0; i < cushim_symbol_count(); i++) {
            const cushim_function found = cushim_mock_symbol(cushim_symbol_name(i), world);
            const cushim_function expected =
                is_expected(i, versions[v].number) ? slot(driver, i) : NULL;
            if (found != expected)
                fail_msg("%s of %s", cushim_symbol_name(i), versions[v].settings);
        }
        teardown(NULL);
    }
    begin("");
}

static void names_that_no_driver_exports_are_not_found(void **state)
{
    static const char *const names[] = {"",           "cu",          "cuinit",        "cuInit ",
                                        "EventQuery", "cuEventQuer", "cuEventQueryy", "cudaMalloc"};

    (void)state;
    begin("");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_null(cushim_mock_symbol(names[i], world));
    assert_null(cushim_mock_symbol(NULL, world));
    assert_true((cushim_mock_symbol("cuWGLGetDevice", world) != NULL) == cushim__system_is_windows);
    assert_null(cushim_mock_symbol("cuInit", NULL));
    assert_non_null(cushim_mock_symbol("cuInit", world));
}

static void loader_finds_in_it_what_the_registry_says(void **state)
{
    for (size_t v = 0; v < sizeof versions / sizeof *versions; v++) {
        struct cushim_table table = {.size = sizeof table};
        struct cushim_symbol_counts counts;
        unsigned expected[2] = {0, 0};

        (void)state;
        begin(versions[v].settings);
        OK(cushim_table_fill(&table, cushim_mock_symbol, world, &counts));
        for (size_t i = 0; i < cushim_symbol_count(); i++)
            expected[i >= CORE_SYMBOLS] += is_expected(i, versions[v].number);
        assert_int_equal(counts.core.found, expected[0]);
        assert_int_equal(counts.interop.found, expected[1]);
        assert_int_equal(counts.core.by_proc_address + counts.interop.by_proc_address, 0);
        assert_int_equal(counts.core.fallen_back, versions[v].number < 12080);
        teardown(NULL);
    }
    begin("");
}

static void slot_of_a_later_version_answers_that_the_driver_is_too_old(void **state)
{
    (void)state;
    begin("driver_version = 12.7");
    OK(driver->Init(0));
    CODE(CUDA_ERROR_INVALID_HANDLE, driver->EventElapsedTime(NULL, NULL, NULL));
    CODE(CUSHIM__REQUIRES_NEWER_DRIVER, driver->EventElapsedTime_v2(NULL, NULL, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(each_version_has_the_symbols_of_the_registry_up_to_it, teardown),
        cmocka_unit_test_teardown(names_that_no_driver_exports_are_not_found, teardown),
        cmocka_unit_test_teardown(loader_finds_in_it_what_the_registry_says, teardown),
        cmocka_unit_test_teardown(slot_of_a_later_version_answers_that_the_driver_is_too_old,
                                  teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
