/* SPDX-License-Identifier: Apache-2.0 */
/* A table is put back by one thread while another publishes one: both wait for each other. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "fake.h"
#include "forked.h"
#include "loader/loader.h"
#include "loader/tables.h"

static struct fake_source source;
static struct cushim_table layer;

static CUresult install(const struct cushim_table *table)
{
    return cushim_table_install(table, NULL);
}

/* Both wait for each other right before the instant that matters, and one a little longer. */
static atomic_uint ready;
static unsigned head_start;

static void meet(bool later)
{
    if (atomic_fetch_add(&ready, 1) >= 2)
        return;
    while (atomic_load(&ready) < 2)
        continue;
    for (volatile unsigned i = 0; later && i < head_start; i++)
        continue;
}

void __real_cushim__publish(const struct cushim_table *table);
void __wrap_cushim__publish(const struct cushim_table *table);

/* The linker puts this in the place of cushim__publish(). */
void __wrap_cushim__publish(const struct cushim_table *table)
{
    if (head_start)
        meet(false);
    __real_cushim__publish(table);
}

static void *put_back(void *unused)
{
    (void)unused;
    meet(true);
    install(NULL);
    return NULL;
}

/* Nonzero if the table that is current in the end is not the one that was loaded. */
static int load_while_another_thread_puts_back(void)
{
    pthread_t thread;
    CUresult code;

    if (install(&layer) != CUDA_SUCCESS || pthread_create(&thread, NULL, put_back, NULL) != 0)
        return 1;
    code = fake_load(&source);
    pthread_join(thread, NULL);
    return code != CUDA_SUCCESS || cushim_driver() != cushim__own_table() ||
           fake_query() != (CUresult)FAKE_ANSWER;
}

static void table_put_back_during_a_load_is_the_one_that_was_loaded(void **state)
{
    (void)state;
    layer = *fake_mock();
    for (head_start = 1; head_start <= 64; head_start++)
        assert_int_equal(forked_answer(load_while_another_thread_puts_back), 0);
}

enum { ROUNDS = 20000 };
static atomic_uint rounds_begun, rounds_ended;

static void *put_back_in_each_round(void *unused)
{
    (void)unused;
    for (unsigned round = 1; round <= ROUNDS; round++) {
        while (atomic_load(&rounds_begun) < round)
            sched_yield();
        install(NULL);
        atomic_store(&rounds_ended, round);
    }
    return NULL;
}

static void table_put_back_while_another_is_published_is_that_one(void **state)
{
    static struct cushim_table table;
    unsigned wrong = 0;
    pthread_t thread;

    (void)state;
    layer = table = *fake_mock();
    assert_int_equal(pthread_create(&thread, NULL, put_back_in_each_round, NULL), 0);
    for (unsigned round = 1; round <= ROUNDS; round++) {
        install(&layer);
        atomic_store(&rounds_begun, round);
        for (volatile unsigned i = 0; i < round % 256; i++)
            continue;
        __real_cushim__publish(round % 2 ? &table : NULL);
        while (atomic_load(&rounds_ended) < round)
            sched_yield();
        wrong += cushim_driver() != (round % 2 ? &table : cushim__absent_table());
    }
    pthread_join(thread, NULL);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        forked_test(table_put_back_during_a_load_is_the_one_that_was_loaded),
        forked_test(table_put_back_while_another_is_published_is_that_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
