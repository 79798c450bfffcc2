/* SPDX-License-Identifier: Apache-2.0 */
/* Fork: who may go on using the driver. */
#define _GNU_SOURCE

#include "fake.h"
#include "fork_children.h"
#include "forked.h"
#include "loader/symbols.h"
#include "tests/support/calls.h"
#include "tests/support/environment.h"

static void load_and_initialise(void)
{
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    assert_int_equal(cushim_init(NULL), CUDA_SUCCESS);
}

/* --- what else children do: functions for forked_answer() --- */

/* Symbols that the report counts as missing, less those that are known to be. */
static int miscounted_symbols(void)
{
    struct cushim_report report = {.size = sizeof report};
    int missing = 0;

    if (cushim_report_get(&report) != CUDA_SUCCESS)
        return -1;
    for (size_t i = 0; i < cushim_symbol_count(); i++)
        missing += cushim_symbol_state(i) == CUSHIM_SYMBOL_MISSING;
    return (int)(report.symbols.core.missing + report.symbols.interop.missing) - missing;
}

static int install_the_loaders_own_and_query(void)
{
    cushim_table_install(NULL, NULL);
    return (int)fake_query();
}

static int query_in_a_grandchild(void)
{
    return forked_answer(query);
}

/* Initialise here, and let a child of one's own find that it came too late. */
static int initialise_and_fork(void)
{
    if (initialise_and_query() != FAKE_ANSWER || forked_answer(query) != CUDA_ERROR_NOT_INITIALIZED)
        return -1;
    return (int)fake_query();
}

/* --- before anything is initialised --- */

static void child_of_an_untried_process_loads_for_itself(void **state)
{
    (void)state;
    assert_int_equal(forked_answer(load_and_query), FAKE_ANSWER);
    assert_int_equal(forked_answer(state_of_report), CUSHIM_STATE_UNTRIED);
    assert_int_equal(load_and_query(), FAKE_ANSWER);
}

static void child_of_a_loaded_process_uses_the_driver(void **state)
{
    (void)state;
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    assert_int_equal(forked_answer(query), FAKE_ANSWER);
    assert_int_equal(forked_answer(load), CUDA_SUCCESS);
    assert_int_equal(forked_answer(initialise_and_query), FAKE_ANSWER);
    assert_int_equal(forked_answer(state_of_report), CUSHIM_STATE_LOADED);
    assert_int_equal(initialise_and_query(), FAKE_ANSWER);
}

static void child_of_a_failed_process_tries_again(void **state)
{
    (void)state;
    environment_set("CUSHIM_LIBRARY", "none");
    assert_int_equal(fake_query(), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    assert_int_equal(forked_answer(query), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    assert_int_equal(forked_answer(load_and_query), FAKE_ANSWER);
}

static void child_of_a_process_whose_cuInit_failed_gets_the_drivers_own_answer(void **state)
{
    (void)state;
    fake.init_code = CUDA_ERROR_NO_DEVICE;
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    assert_int_equal(cushim_init(NULL), CUDA_ERROR_NO_DEVICE);
    assert_int_equal(forked_answer(initialise), CUDA_ERROR_NO_DEVICE);
    assert_int_equal(forked_answer(state_of_report), CUSHIM_STATE_NO_DEVICE);
}

static void driver_that_cannot_count_devices_does_not_forbid_children(void **state)
{
    (void)state;
    source.lacks[0] = "cuDeviceGetCount";
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    assert_int_equal(forked_answer(initialise_and_query), FAKE_ANSWER);
    assert_false(cushim_symbol_missed(symbol_number("cuDeviceGetCount")));
    assert_int_equal(cushim_init(NULL), CUDA_SUCCESS);
    assert_int_equal(forked_answer(query), CUDA_ERROR_NOT_INITIALIZED);
}

/* --- after --- */

static void every_call_in_the_child_of_an_initialised_process_answers_3(void **state)
{
    (void)state;
    load_and_initialise();
    assert_int_equal(cushim_call_count, CUSHIM__SYMBOL_COUNT);
    assert_int_equal(forked_answer(count_other_answers), 0);
    assert_int_equal(forked_answer(load), CUDA_ERROR_NOT_INITIALIZED);
    assert_int_equal(forked_answer(load_and_query), CUDA_ERROR_NOT_INITIALIZED);
    assert_int_equal(forked_answer(initialise), CUDA_ERROR_NOT_INITIALIZED);
    assert_int_equal(forked_answer(state_of_report), CUSHIM_STATE_FORKED);
}

static void report_of_a_forked_child_agrees_with_its_symbols(void **state)
{
    (void)state;
    assert_int_equal(miscounted_symbols(), 0);
    load_and_initialise();
    assert_int_equal(forked_answer(miscounted_symbols), 0);
}

static void parent_goes_on_after_its_forks(void **state)
{
    (void)state;
    load_and_initialise();
    assert_int_equal(forked_answer(query), CUDA_ERROR_NOT_INITIALIZED);
    assert_int_equal(fake_query(), FAKE_ANSWER);
    assert_int_equal(cushim_load(NULL), CUDA_SUCCESS);
    assert_int_equal(state_of_report(), CUSHIM_STATE_READY);
}

static void initialising_through_the_table_counts_as_well(void **state)
{
    (void)state;
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    assert_int_equal(cushim_driver()->Init(0), CUDA_SUCCESS);
    assert_int_equal(forked_answer(query), CUDA_ERROR_NOT_INITIALIZED);
}

static void grandchild_answers_3_like_the_child(void **state)
{
    (void)state;
    load_and_initialise();
    assert_int_equal(forked_answer(query_in_a_grandchild), CUDA_ERROR_NOT_INITIALIZED);
}

static void child_that_initialises_forbids_only_its_own_children(void **state)
{
    (void)state;
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    assert_int_equal(forked_answer(initialise_and_fork), FAKE_ANSWER);
    assert_int_equal(forked_answer(initialise_and_fork), FAKE_ANSWER);
}

/* --- with tables of the program's --- */

static void mock_without_a_driver_works_in_the_child(void **state)
{
    (void)state;
    assert_int_equal(cushim_table_install(fake_mock(), NULL), CUDA_SUCCESS);
    assert_int_equal(forked_answer(query), FAKE_MOCK_ANSWER);
    assert_int_equal(forked_answer(load), CUDA_SUCCESS);
}

static void layer_over_an_initialised_driver_is_taken_away_in_the_child(void **state)
{
    (void)state;
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    assert_int_equal(cushim_table_install(fake_mock(), NULL), CUDA_SUCCESS);
    assert_int_equal(cushim_init(NULL), CUDA_SUCCESS);
    assert_int_equal(forked_answer(count_other_answers), 0);
    assert_int_equal(forked_answer(load), CUDA_ERROR_NOT_INITIALIZED);
    assert_int_equal(forked_answer(install_the_loaders_own_and_query), CUDA_ERROR_NOT_INITIALIZED);
    assert_int_equal(fake_query(), FAKE_MOCK_ANSWER);
}

static const struct cushim_table *former;

static int put_the_former_back_and_query(void)
{
    if (cushim_table_install(former, NULL) != CUDA_SUCCESS)
        return -1;
    return (int)fake_query();
}

static void drivers_table_cannot_be_put_back_in_the_child(void **state)
{
    (void)state;
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    assert_int_equal(cushim_table_install(fake_mock(), &former), CUDA_SUCCESS);
    assert_int_equal(cushim_init(NULL), CUDA_SUCCESS);
    assert_int_equal(forked_answer(put_the_former_back_and_query), CUDA_ERROR_NOT_INITIALIZED);
    assert_int_equal(put_the_former_back_and_query(), FAKE_ANSWER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        forked_test(child_of_an_untried_process_loads_for_itself),
        forked_test(child_of_a_loaded_process_uses_the_driver),
        forked_test(child_of_a_failed_process_tries_again),
        forked_test(child_of_a_process_whose_cuInit_failed_gets_the_drivers_own_answer),
        forked_test(driver_that_cannot_count_devices_does_not_forbid_children),
        forked_test(every_call_in_the_child_of_an_initialised_process_answers_3),
        forked_test(report_of_a_forked_child_agrees_with_its_symbols),
        forked_test(parent_goes_on_after_its_forks),
        forked_test(initialising_through_the_table_counts_as_well),
        forked_test(grandchild_answers_3_like_the_child),
        forked_test(child_that_initialises_forbids_only_its_own_children),
        forked_test(mock_without_a_driver_works_in_the_child),
        forked_test(layer_over_an_initialised_driver_is_taken_away_in_the_child),
        forked_test(drivers_table_cannot_be_put_back_in_the_child),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
