/* SPDX-License-Identifier: Apache-2.0 */
/* The turn: a load that never ends, or waits for who waits for it, holds nobody up for ever. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "fake.h"
#include "forked.h"
#include "loader/loader.h"
#include "tests/support/environment.h"

static struct fake_source source;

/* --- waiting takes no time here: the linker puts this in cushim__pause()'s place --- */

void __wrap_cushim__pause(unsigned turns);

void __wrap_cushim__pause(unsigned turns)
{
    (void)turns;
    sched_yield();
}

/* --- the other thread --- */

static atomic_bool inside, go_on;
static atomic_int other_answer;

static void *call_from_another_thread(void *unused)
{
    atomic_store(&other_answer, (int)fake_load(&source));
    return unused;
}

static void *load_in_a_thread(void *unused)
{
    call_from_another_thread(NULL);
    return unused;
}

static pthread_t begin(void *(*body)(void *))
{
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, body, NULL), 0);
    return thread;
}

/* --- what the first look-up does --- */

static void end_the_thread(const char *symbol)
{
    (void)symbol;
    source.looked_up = NULL;
    pthread_exit(NULL);
}

/* As the dynamic linker's lock may do it: the load waits for a thread that waits for the load. */
static void wait_for_a_call_of_another_thread(const char *symbol)
{
    pthread_t other;

    (void)symbol;
    source.looked_up = NULL;
    pthread_create(&other, NULL, call_from_another_thread, NULL);
    pthread_join(other, NULL);
}

static void wait_to_go_on(const char *symbol)
{
    (void)symbol;
    source.looked_up = NULL;
    atomic_store(&inside, true);
    while (!atomic_load(&go_on))
        sched_yield();
}

static void load_of_a_thread_that_is_gone_is_taken_over(void **state)
{
    (void)state;
    source.looked_up = end_the_thread;
    pthread_join(begin(load_in_a_thread), NULL);
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    assert_int_equal(fake_query(), FAKE_ANSWER);
}

static void load_that_waits_for_who_waits_for_it_ends(void **state)
{
    (void)state;
    source.looked_up = wait_for_a_call_of_another_thread;
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    assert_int_equal(other_answer, CUDA_SUCCESS);
    assert_int_equal(fake_query(), FAKE_ANSWER);
}

static void load_that_was_taken_over_takes_the_other_outcome(void **state)
{
    const struct cushim_table *table;
    pthread_t slow;

    (void)state;
    source.looked_up = wait_to_go_on;
    slow = begin(load_in_a_thread);
    while (!atomic_load(&inside))
        sched_yield();
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    table = cushim_driver();
    assert_ptr_equal(table, cushim__own_table());
    atomic_store(&go_on, true);
    pthread_join(slow, NULL);
    assert_int_equal(other_answer, CUDA_SUCCESS);
    assert_ptr_equal(cushim_driver(), table);
    assert_int_equal(fake_query(), FAKE_ANSWER);
}

static void load_that_was_taken_over_for_another_request_loads_again(void **state)
{
    pthread_t slow;

    (void)state;
    environment_set("CUSHIM_LIBRARY", "none");
    source.looked_up = wait_to_go_on;
    slow = begin(load_in_a_thread);
    while (!atomic_load(&inside))
        sched_yield();
    /* Another request: it fails by itself, and the slow one then loads again. */
    assert_int_equal(fake_query(), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    atomic_store(&go_on, true);
    pthread_join(slow, NULL);
    assert_int_equal(other_answer, CUDA_SUCCESS);
    assert_int_equal(fake_query(), FAKE_ANSWER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        forked_test(load_of_a_thread_that_is_gone_is_taken_over),
        forked_test(load_that_waits_for_who_waits_for_it_ends),
        forked_test(load_that_was_taken_over_takes_the_other_outcome),
        forked_test(load_that_was_taken_over_for_another_request_loads_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
