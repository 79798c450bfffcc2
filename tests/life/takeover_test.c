/* SPDX-License-Identifier: Apache-2.0 */
/* Loads that last, loads whose thread is to be cancelled: who waits for them gets an outcome. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "loader/loader.h"
#include "tests/unit/fake.h"
#include "tests/unit/forked.h"

enum { THREADS = 8, FAR_TOO_MANY = 1000 };

static struct fake_source source;

/* --- waiting takes no time here: the linker puts this in cushim__pause()'s place --- */

static atomic_uint waiting;
static atomic_bool is_endless;

void __wrap_cushim__pause(unsigned turns);

void __wrap_cushim__pause(unsigned turns)
{
    if (turns == 0)
        atomic_fetch_add(&waiting, 1);
    do {
        pthread_testcancel(); /* as nanosleep() does */
        sched_yield();
    } while (atomic_load(&is_endless));
}

static pthread_t begin(void *(*body)(void *))
{
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, body, NULL), 0);
    return thread;
}

static void *load_in_a_thread(void *unused)
{
    (void)unused;
    return (void *)(intptr_t)fake_load(&source);
}

/* --- loads that are slower than the others' patience --- */

static atomic_uint attempts;

static bool is_decided(unsigned attempt)
{
    return atomic_load(&attempts) != attempt || cushim__was_loaded() || attempt > FAR_TOO_MANY;
}

/* An attempt lasts until another one has begun. */
static void wait_to_be_taken_over(const char *symbol)
{
    unsigned mine;

    if (strcmp(symbol, "cuEventQuery") != 0)
        return;
    mine = atomic_fetch_add(&attempts, 1) + 1;
    while (!is_decided(mine))
        sched_yield();
}

static void loads_that_are_all_taken_over_end(void **state)
{
    pthread_t threads[THREADS];
    void *code;

    (void)state;
    source.looked_up = wait_to_be_taken_over;
    for (int i = 0; i < THREADS; i++)
        threads[i] = begin(load_in_a_thread);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], &code);
        assert_int_equal((intptr_t)code, CUDA_SUCCESS);
    }
    assert_in_range(atomic_load(&attempts), 2, THREADS);
    assert_int_equal(fake_query(), FAKE_ANSWER);
}

/* --- threads that are cancelled --- */

static pthread_t loader;

static void cancel_the_loader(const char *symbol)
{
    if (strcmp(symbol, "cuEventQuery") != 0)
        return;
    pthread_cancel(loader);
    pthread_testcancel();
}

static void *load_and_look_for_cancelling(void *unused)
{
    loader = pthread_self();
    fake_load(&source);
    pthread_testcancel();
    return unused;
}

static void thread_that_is_cancelled_in_its_load_finishes_it_first(void **state)
{
    void *end;

    (void)state;
    source.looked_up = cancel_the_loader;
    pthread_join(begin(load_and_look_for_cancelling), &end);
    assert_ptr_equal(end, PTHREAD_CANCELED);
    assert_true(cushim__was_loaded());
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    assert_int_equal(source.lookups, FAKE_LOOKUPS_OF_A_LOAD);
    assert_int_equal(waiting, 0);
}

static void *load_with_cancelling_off(void *unused)
{
    int before;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    load_and_look_for_cancelling(NULL);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &before);
    return before == PTHREAD_CANCEL_DISABLE ? unused : &source;
}

static void thread_that_may_not_be_cancelled_may_not_after_a_load(void **state)
{
    void *end;

    (void)state;
    source.looked_up = cancel_the_loader;
    pthread_join(begin(load_with_cancelling_off), &end);
    assert_null(end);
    assert_int_equal(fake_query(), FAKE_ANSWER);
}

static atomic_bool inside, go_on;

static void wait_to_go_on(const char *symbol)
{
    if (strcmp(symbol, "cuEventQuery") != 0)
        return;
    atomic_store(&inside, true);
    while (!atomic_load(&go_on))
        sched_yield();
}

static void thread_that_is_cancelled_while_it_waits_leaves_the_load_alone(void **state)
{
    pthread_t slow, waiter;
    void *end;

    (void)state;
    source.looked_up = wait_to_go_on;
    slow = begin(load_in_a_thread);
    while (!atomic_load(&inside))
        sched_yield();
    atomic_store(&is_endless, true);
    waiter = begin(load_in_a_thread);
    pthread_cancel(waiter);
    pthread_join(waiter, &end);
    assert_ptr_equal(end, PTHREAD_CANCELED);
    atomic_store(&go_on, true);
    pthread_join(slow, &end);
    assert_int_equal((intptr_t)end, CUDA_SUCCESS);
    assert_int_equal(source.lookups, FAKE_LOOKUPS_OF_A_LOAD);
    assert_int_equal(fake_query(), FAKE_ANSWER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        forked_test(loads_that_are_all_taken_over_end),
        forked_test(thread_that_is_cancelled_in_its_load_finishes_it_first),
        forked_test(thread_that_may_not_be_cancelled_may_not_after_a_load),
        forked_test(thread_that_is_cancelled_while_it_waits_leaves_the_load_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
