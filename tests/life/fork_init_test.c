/* SPDX-License-Identifier: Apache-2.0 */
/* Forks while another thread is inside cuInit, and before and after that. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "tests/unit/fake.h"
#include "tests/unit/fork_children.h"
#include "tests/unit/forked.h"

static atomic_bool inside, go_on;
static CUresult CUDAAPI (*init_of_the_driver)(unsigned flags);

static CUresult CUDAAPI slow_init(unsigned flags)
{
    atomic_store(&inside, true);
    while (!atomic_load(&go_on))
        sched_yield();
    return init_of_the_driver(flags);
}

static cushim_function resolve_slow_init(const char *symbol, void *data)
{
    cushim_function found = fake_resolve(symbol, data);

    if (strcmp(symbol, "cuInit") == 0) {
        memcpy(&init_of_the_driver, &found, sizeof found);
        return (cushim_function)slow_init;
    }
    return found;
}

static void *initialise_in_a_thread(void *unused)
{
    return cushim_init(NULL) == fake.init_code ? unused : &fake;
}

/* What children answer that are forked before, within and after another thread's cushim_init(). */
static void fork_around_init(int before, int within, int after)
{
    const struct cushim_load_options slow = {
        .size = sizeof slow, .resolver = resolve_slow_init, .resolver_data = &source};
    pthread_t thread;
    int got[3];
    void *end;

    assert_int_equal(cushim_load(&slow), CUDA_SUCCESS);
    got[0] = forked_answer(query);
    assert_int_equal(pthread_create(&thread, NULL, initialise_in_a_thread, NULL), 0);
    while (!atomic_load(&inside))
        sched_yield();
    got[1] = forked_answer(query);
    atomic_store(&go_on, true);
    pthread_join(thread, &end);
    assert_null(end);
    got[2] = forked_answer(query);
    assert_int_equal(got[0], before);
    assert_int_equal(got[1], within);
    assert_int_equal(got[2], after);
    assert_int_equal(fake_query(), FAKE_ANSWER);
}

static void child_of_a_process_inside_cuInit_answers_3(void **state)
{
    (void)state;
    fork_around_init(FAKE_ANSWER, CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_NOT_INITIALIZED);
}

static void child_after_a_cuInit_that_failed_may_use_the_driver(void **state)
{
    (void)state;
    fake.init_code = CUDA_ERROR_NO_DEVICE;
    fork_around_init(FAKE_ANSWER, CUDA_ERROR_NOT_INITIALIZED, FAKE_ANSWER);
}

/* Runs after cushim's handler, which has found the driver as it was. */
static void initialise_in_prepare(void)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, initialise_in_a_thread, NULL) == 0)
        pthread_join(thread, NULL);
}

static void child_of_a_process_that_initialises_while_it_forks_answers_3(void **state)
{
    (void)state;
    assert_int_equal(pthread_atfork(initialise_in_prepare, NULL, NULL), 0);
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    assert_int_equal(forked_answer(query), CUDA_ERROR_NOT_INITIALIZED);
    assert_int_equal(fake_query(), FAKE_ANSWER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        forked_test(child_of_a_process_inside_cuInit_answers_3),
        forked_test(child_after_a_cuInit_that_failed_may_use_the_driver),
        forked_test(child_of_a_process_that_initialises_while_it_forks_answers_3),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
