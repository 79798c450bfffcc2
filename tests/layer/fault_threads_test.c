/* SPDX-License-Identifier: Apache-2.0 */
/* Faults with several threads: counts are exact, and calls hang until they are released. */
#include <pthread.h>
#include <stdatomic.h>

#include "fixture.h"
#include "src/base/lock.h"
#include "src/layer/fault.h"

enum { THREADS = 8, CALLS = 1000 };

static CUresult CUDAAPI answer_success(CUevent event)
{
    return CUDA_SUCCESS;
}

static int setup(void **state)
{
    layer_setup(state);
    /* The fake's own function counts without a lock. */
    cushim_layer_next(*state)->EventQuery = answer_success;
    return 0;
}

static atomic_uint failures;

static void *query_often(void *data)
{
    for (int i = 0; i < CALLS; i++) {
        if (cushim_driver()->EventQuery(NULL) != CUDA_SUCCESS)
            atomic_fetch_add(&failures, 1);
    }
    return NULL;
}

static void query_from_all_threads(void)
{
    pthread_t threads[THREADS];

    atomic_store(&failures, 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, query_often, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

#define TEST(name) TEST_BETWEEN(name, setup, layer_teardown)

TEST(nth_of_the_calls_of_all_threads_is_one_call)
{
    fault_add(state, "cuEventQuery:nth=1000 => return(UNKNOWN)");
    query_from_all_threads();
    assert_int_equal(failures, 1);
    assert_int_equal(cushim_fault_matched(*state, 0), THREADS * CALLS);
    assert_int_equal(cushim_fault_fired(*state, 0), 1);
}

TEST(times_and_every_are_exact_too)
{
    fault_add(state, "cuEventQuery:every=10,times=500 => return(UNKNOWN)\n"
                     "*:every=100,phase=after => return(NOT_READY)\n");
    query_from_all_threads();
    assert_int_equal(cushim_fault_fired(*state, 0), 500);
    /* Rules with phase=after count only calls that reached the driver. */
    assert_int_equal(cushim_fault_matched(*state, 1), THREADS * CALLS - 500);
    assert_int_equal(cushim_fault_fired(*state, 1), 75);
    assert_int_equal(failures, 575);
}

TEST(rules_come_and_go_while_calls_are_made)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, query_often, NULL), 0);
    for (int i = 0; i < 200; i++) {
        fault_add(state, "cuEvent*:every=2 => return(UNKNOWN)\n* => older(12.0)");
        cushim_fault_unused(*state, 0);
        cushim_fault_clear(*state);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(cushim__faults.count, 0);
}

/* A call that hangs on its own thread, and its result. */
struct hanging {
    pthread_t thread;
    atomic_bool is_back;
    CUresult answer;
};

static void *hang(void *data)
{
    struct hanging *hanging = data;

    hanging->answer = cushim_driver()->EventQuery(NULL);
    atomic_store(&hanging->is_back, true);
    return NULL;
}

static void begin(struct hanging *hanging, struct cushim_layer *layer, uint64_t fired)
{
    atomic_store(&hanging->is_back, false);
    assert_int_equal(pthread_create(&hanging->thread, NULL, hang, hanging), 0);
    while (cushim_fault_fired(layer, 0) < fired)
        cushim__system_yield(0);
}

static CUresult end(struct hanging *hanging)
{
    pthread_join(hanging->thread, NULL);
    return hanging->answer;
}

TEST(call_hangs_until_it_is_released)
{
    struct hanging first, second;

    fault_add(state, "cuEventQuery:times=2 => hang");
    begin(&first, *state, 1);
    begin(&second, *state, 2);
    OK(cushim_driver()->EventQuery(NULL));
    assert_false(atomic_load(&first.is_back));
    assert_false(atomic_load(&second.is_back));
    cushim_fault_resume(*state);
    assert_int_equal(end(&first), CUDA_ERROR_TIMEOUT);
    assert_int_equal(end(&second), CUDA_ERROR_TIMEOUT);
}

TEST(call_that_is_made_hangs_behind_it)
{
    struct hanging one;

    cushim_layer_next(*state)->EventQuery = fake_table.EventQuery;
    fault_add(state, "cuEventQuery:phase=after => hang");
    begin(&one, *state, 1);
    cushim_fault_clear(*state);
    assert_int_equal(end(&one), CUDA_ERROR_TIMEOUT);
    assert_int_equal(fake_queries, 1);
}

/* Repeat often, because such errors occur only now and then. */
static void end_layers_with_calls_that_hang(void **state, const char *rule)
{
    struct hanging several[THREADS];

    for (int round = 0; round < 50; round++) {
        cushim_layer_next(*state)->EventQuery = answer_success;
        fault_add(state, rule);
        for (int i = 0; i < THREADS; i++)
            begin(&several[i], *state, (uint64_t)i + 1);
        cushim_layer_destroy(*state);
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(end(&several[i]), CUDA_ERROR_TIMEOUT);
        assert_int_equal(setup(state), 0);
    }
}

TEST(end_of_the_layer_lets_calls_go)
{
    end_layers_with_calls_that_hang(state, "cuEventQuery => hang");
}

TEST(end_of_the_layer_lets_calls_go_that_were_made)
{
    end_layers_with_calls_that_hang(state, "cuEventQuery:phase=after => hang");
}
