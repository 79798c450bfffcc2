/* SPDX-License-Identifier: Apache-2.0 */
/* Every slot of every kind of table is called, with the arguments of its type. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cushim/cushim.h>

#include "loader/codes.h"
#include "loader/tables.h"
#include "tests/drivers/route.h"
#include "tests/support/calls.h"
#include "tests/support/child.h"
#include "tests/support/environment.h"
#include "tests/support/folder.h"

static char memory[CUSHIM_CALL_BYTES];
static const char *zoo;

static const char *path_of(const char *file)
{
    static char path[FOLDER_PATH_BYTES];

    snprintf(path, sizeof path, "%s/%s" LIBRARY_SUFFIX, zoo, file);
    return path;
}

/* What slot `index` answers if it reaches its own symbol of the complete driver. */
static CUresult own_answer(size_t index)
{
    const char *symbol = cushim_symbol_name(index);

    if (strcmp(symbol, "cuInit") == 0 || strcmp(symbol, "cuDriverGetVersion") == 0)
        return CUDA_SUCCESS;
    return (CUresult)(100000 + index);
}

static void check_call(const struct cushim_table *table, size_t index, CUresult expected)
{
    const CUresult answer = cushim_calls[index](table, memory);

    if (answer != expected)
        child_fail("%s answers %d, not %d\n", cushim_symbol_name(index), (int)answer,
                   (int)expected);
}

static void check_complete(const struct cushim_table *table)
{
    for (size_t i = 0; i < cushim_call_count; i++)
        check_call(table, i, own_answer(i));
    check_int(*(int *)(void *)memory, 13000);
}

static void name_driver(const char *file)
{
    struct cushim_load_options unused;

    route_prepare(ROUTE_ENVIRONMENT, path_of(file), &unused);
}

static void call_boot_table(const void *data)
{
    (void)data;
    name_driver("complete");
    check(cushim_driver() == &cushim__boot_table);
    check_complete(&cushim__boot_table);
    check(cushim_driver() != &cushim__boot_table);
}

static void call_first(const void *data)
{
    const size_t *index = data;

    name_driver("complete");
    check_call(cushim_driver(), *index, own_answer(*index));
}

static void call_loaded_table(const void *data)
{
    (void)data;
    name_driver("complete");
    check_int(cushim_load(NULL), CUDA_SUCCESS);
    check_complete(cushim_driver());
}

static void call_filled_table(const void *data)
{
    struct cushim_table table = {.size = sizeof table};

    (void)data;
    check_int(cushim_table_fill_library(&table, route_open(path_of("complete")), NULL), 0);
    check_complete(&table);
    check(cushim_driver() == &cushim__boot_table);
}

/* Both what is current and the boot table, which a program may still be about to call. */
static void call_absent_tables(const void *data)
{
    (void)data;
    environment_set("CUSHIM_LIBRARY", "none");
    for (size_t i = 0; i < cushim_call_count; i++) {
        check_call(&cushim__boot_table, i, CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
        check_call(cushim_driver(), i, CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
        check(!cushim_symbol_missed(i));
    }
    check(cushim_driver() == cushim__absent_table());
}

static void call_absent_first(const void *data)
{
    const size_t *index = data;

    environment_set("CUSHIM_LIBRARY", "none");
    check_call(cushim_driver(), *index, CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
}

static void call_what_is_missing(const void *data)
{
    (void)data;
    name_driver("only-required");
    for (size_t i = 0; i < cushim_call_count; i++) {
        const bool required = own_answer(i) == CUDA_SUCCESS;
        check(!cushim_symbol_missed(i));
        check_call(cushim_driver(), i, required ? CUDA_SUCCESS : CUSHIM__REQUIRES_NEWER_DRIVER);
        check_int(cushim_symbol_missed(i), !required);
    }
}

static void call_missing_of_filled_table(const void *data)
{
    struct cushim_table table = {.size = sizeof table};

    (void)data;
    check_int(cushim_table_fill_library(&table, route_open(path_of("only-required")), NULL), 0);
    for (size_t i = 0; i < cushim_call_count; i++) {
        const bool required = own_answer(i) == CUDA_SUCCESS;
        check_call(&table, i, required ? CUDA_SUCCESS : CUSHIM__REQUIRES_NEWER_DRIVER);
        check_int(cushim_symbol_missed(i), !required);
    }
}

static void there_is_a_call_for_every_slot(void **state)
{
    (void)state;
    assert_int_equal(cushim_call_count, cushim_symbol_count());
    assert_int_equal(cushim_call_count,
                     (sizeof(struct cushim_table) - sizeof(size_t)) / sizeof(cushim_function));
}

static void every_slot_of_the_boot_table_reaches_its_symbol(void **state)
{
    (void)state;
    assert_true(child_passes("boot table", call_boot_table, NULL));
}

static void every_slot_loads_the_driver_if_called_first(void **state)
{
    unsigned failures = 0;

    (void)state;
    for (size_t i = 0; i < cushim_call_count; i += FIRST_CALL_STRIDE)
        failures += !child_passes(cushim_symbol_name(i), call_first, &i);
    assert_int_equal(failures, 0);
}

static void every_slot_of_the_loaded_table_reaches_its_symbol(void **state)
{
    (void)state;
    assert_true(child_passes("loaded table", call_loaded_table, NULL));
}

static void every_slot_of_a_table_of_the_callers_reaches_its_symbol(void **state)
{
    (void)state;
    assert_true(child_passes("filled table", call_filled_table, NULL));
}

static void every_slot_answers_303_without_a_driver(void **state)
{
    (void)state;
    assert_true(child_passes("absent table", call_absent_tables, NULL));
}

static void every_slot_answers_303_without_a_driver_if_called_first(void **state)
{
    unsigned failures = 0;

    (void)state;
    for (size_t i = 0; i < cushim_call_count; i += FIRST_CALL_STRIDE)
        failures += !child_passes(cushim_symbol_name(i), call_absent_first, &i);
    assert_int_equal(failures, 0);
}

static void every_slot_that_is_missing_answers_36_and_remembers_it(void **state)
{
    (void)state;
    assert_true(child_passes("only required symbols", call_what_is_missing, NULL));
}

static void every_slot_missing_from_a_table_of_the_callers_answers_36(void **state)
{
    (void)state;
    assert_true(child_passes("only required symbols", call_missing_of_filled_table, NULL));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_is_a_call_for_every_slot),
        cmocka_unit_test(every_slot_of_the_boot_table_reaches_its_symbol),
        cmocka_unit_test(every_slot_loads_the_driver_if_called_first),
        cmocka_unit_test(every_slot_of_the_loaded_table_reaches_its_symbol),
        cmocka_unit_test(every_slot_of_a_table_of_the_callers_reaches_its_symbol),
        cmocka_unit_test(every_slot_answers_303_without_a_driver),
        cmocka_unit_test(every_slot_answers_303_without_a_driver_if_called_first),
        cmocka_unit_test(every_slot_that_is_missing_answers_36_and_remembers_it),
        cmocka_unit_test(every_slot_missing_from_a_table_of_the_callers_answers_36),
    };

    if (argc != 2)
        return EXIT_FAILURE;
    zoo = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
