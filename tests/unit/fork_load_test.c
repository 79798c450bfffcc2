/* SPDX-License-Identifier: Apache-2.0 */
/* Fork while another thread loads: who may use the driver, and that nobody hangs. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "fake.h"
#include "fork_children.h"
#include "forked.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- in the middle of a load by another thread --- */

static atomic_bool loading, forked;
static pthread_t loader;

static void wait_for_the_fork(const char *symbol)
{
    if (strcmp(symbol, "cuEventQuery") != 0)
        return;
    atomic_store(&loading, true);
    while (!atomic_load(&forked))
        sched_yield();
}

static void *load_in_a_thread(void *data)
{
    (void)data;
    return (void *)(intptr_t)fake_load(&source);
}

/* Start a load in another thread, and return in the middle of it. */
static void begin_to_load(void)
{
    assert_int_equal(pthread_create(&loader, NULL, load_in_a_thread, NULL), 0);
    while (!atomic_load(&loading))
        sched_yield();
}

static void end_the_load(void)
{
    void *code;

    atomic_store(&forked, true);
    assert_int_equal(pthread_join(loader, &code), 0);
    assert_int_equal((intptr_t)code, CUDA_SUCCESS);
}

static void child_of_a_process_that_was_loading_answers_3(void **state)
{
    static int (*const calls[])(void) = {
        query, load, initialise, load_and_query, count_other_answers, state_of_report};
    static const int answers[] = {3, 3, 3, 3, 0, CUSHIM_STATE_FORKED};
    int got[COUNT(calls)];

    (void)state;
    source.looked_up = wait_for_the_fork;
    begin_to_load();
    for (size_t i = 0; i < COUNT(calls); i++)
        got[i] = forked_answer(calls[i]);
    end_the_load();
    assert_memory_equal(got, answers, sizeof got);
    assert_int_equal(fake_query(), FAKE_ANSWER);
    assert_int_equal(state_of_report(), CUSHIM_STATE_LOADED);
}

/* --- in the instant between the table and the state machine --- */

static atomic_bool between, there;

void __real_cushim__publish(const struct cushim_table *table);
void __wrap_cushim__publish(const struct cushim_table *table);

/* The linker puts this in the place of cushim__publish(), which children call too. */
void __wrap_cushim__publish(const struct cushim_table *table)
{
    const bool stay = !atomic_exchange(&loading, true) && atomic_load(&between);

    __real_cushim__publish(table);
    atomic_store(&there, true);
    while (stay && !atomic_load(&forked))
        sched_yield();
}

static void wait_for_the_table(void)
{
    while (!atomic_load(&there))
        sched_yield();
}

static void child_that_has_the_table_already_may_use_it(void **state)
{
    static int (*const calls[])(void) = {query, load, initialise_and_query, state_of_report};
    static const int answers[] = {FAKE_ANSWER, CUDA_SUCCESS, FAKE_ANSWER, CUSHIM_STATE_LOADED};
    int got[COUNT(calls)];

    (void)state;
    atomic_store(&between, true);
    begin_to_load();
    wait_for_the_table();
    for (size_t i = 0; i < COUNT(calls); i++)
        got[i] = forked_answer(calls[i]);
    end_the_load();
    assert_memory_equal(got, answers, sizeof got);
}

static void child_that_has_the_table_already_may_not_use_it_if_it_is_initialised(void **state)
{
    int got[2];

    (void)state;
    atomic_store(&between, true);
    begin_to_load();
    wait_for_the_table();
    cushim_driver()->Init(0);
    got[0] = forked_answer(query);
    got[1] = forked_answer(load);
    end_the_load();
    assert_int_equal(got[0], CUDA_ERROR_NOT_INITIALIZED);
    assert_int_equal(got[1], CUDA_ERROR_NOT_INITIALIZED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        forked_test(child_of_a_process_that_was_loading_answers_3),
        forked_test(child_that_has_the_table_already_may_use_it),
        forked_test(child_that_has_the_table_already_may_not_use_it_if_it_is_initialised),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
