/* SPDX-License-Identifier: Apache-2.0 */
/* First use: threads that come together, and calls that come from inside the load. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"
#include "forked.h"
#include "loader/codes.h"
#include "loader/system.h"
#include "tests/support/environment.h"

enum { THREADS = 64 };

static struct fake_source source;

/* --- how many threads wait for the load: the linker puts this in cushim__pause()'s place --- */

static atomic_uint waiting;

void __real_cushim__pause(unsigned turns);
void __wrap_cushim__pause(unsigned turns);

void __wrap_cushim__pause(unsigned turns)
{
    static _Thread_local bool counted;

    if (!counted)
        atomic_fetch_add(&waiting, 1);
    counted = true;
    __real_cushim__pause(turns);
}

/* A look-up that lasts until all other threads wait for its outcome. */
static void wait_for_the_others(const char *symbol)
{
    if (strcmp(symbol, "cuInit") != 0)
        return;
    while (atomic_load(&waiting) < THREADS - 1)
        sched_yield();
}

/* --- threads that call at once --- */

static pthread_barrier_t start;

struct caller {
    pthread_t thread;
    CUresult (*call)(void);
    CUresult answer;
};

static void *run_caller(void *data)
{
    struct caller *caller = data;

    pthread_barrier_wait(&start);
    caller->answer = caller->call();
    return NULL;
}

/* Whether all threads get this answer. */
static bool all_answer(CUresult (*call)(void), CUresult answer)
{
    struct caller callers[THREADS];
    bool all = true;

    if (pthread_barrier_init(&start, NULL, THREADS) != 0)
        return false;
    for (int i = 0; i < THREADS; i++) {
        callers[i] = (struct caller){.call = call};
        if (pthread_create(&callers[i].thread, NULL, run_caller, &callers[i]) != 0)
            abort();
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(callers[i].thread, NULL);
        all = all && callers[i].answer == answer;
    }
    pthread_barrier_destroy(&start);
    return all;
}

static CUresult load_source(void)
{
    return fake_load(&source);
}

/* --- the same again and again, since threads seldom meet where it matters --- */

enum { REPEATS = 16 };

static int call_at_once(void)
{
    return all_answer(fake_query, (CUresult)FAKE_LIBRARY_ANSWER) ? (int)fake_library_calls() : -1;
}

static int load_at_once(void)
{
    return all_answer(load_source, CUDA_SUCCESS) ? (int)atomic_load(&source.lookups) : -1;
}

static void first_calls_at_once_load_once(void **state)
{
    (void)state;
    environment_set("CUSHIM_LIBRARY", FAKE_LIBRARY);
    for (int i = 0; i < REPEATS; i++)
        assert_int_equal(forked_answer(call_at_once), FAKE_LIBRARY_CALLS_OF_A_LOAD);
}

static void loads_at_once_load_once(void **state)
{
    (void)state;
    for (int i = 0; i < REPEATS; i++)
        assert_int_equal(forked_answer(load_at_once), FAKE_LOOKUPS_OF_A_LOAD);
}

static void first_calls_at_once_without_a_driver_all_get_the_reason(void **state)
{
    (void)state;
    environment_set("CUSHIM_LIBRARY", "none");
    assert_true(all_answer(fake_query, CUDA_ERROR_SHARED_OBJECT_INIT_FAILED));
}

static void loads_that_wait_for_a_success_share_it(void **state)
{
    (void)state;
    source.looked_up = wait_for_the_others;
    assert_true(all_answer(load_source, CUDA_SUCCESS));
    assert_int_equal(source.lookups, FAKE_LOOKUPS_OF_A_LOAD);
}

static void loads_that_wait_for_a_failure_share_it(void **state)
{
    (void)state;
    source.looked_up = wait_for_the_others;
    source.lacks[0] = "cuInit";
    for (unsigned wave = 1; wave <= 2; wave++) {
        atomic_store(&waiting, 0);
        assert_true(all_answer(load_source, CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND));
        assert_int_equal(source.lookups, wave * FAKE_LOOKUPS_OF_A_FAILURE);
    }
}

/* One thread loads, the others use the table as if nothing had to be loaded. */
static CUresult load_or_query(void)
{
    static atomic_flag taken = ATOMIC_FLAG_INIT;

    if (!atomic_flag_test_and_set(&taken))
        return fake_load(&source) == CUDA_SUCCESS ? fake_query() : CUDA_ERROR_UNKNOWN;
    while (atomic_load(&source.lookups) == 0)
        sched_yield();
    return fake_query();
}

static void calls_during_a_load_wait_for_its_outcome(void **state)
{
    (void)state;
    source.looked_up = wait_for_the_others;
    assert_true(all_answer(load_or_query, (CUresult)FAKE_ANSWER));
    assert_int_equal(source.lookups, FAKE_LOOKUPS_OF_A_LOAD);
}

/* One thread loads, the others wait with wishes that the driver does not meet. */
static CUresult load_or_wish(void)
{
    static atomic_flag taken = ATOMIC_FLAG_INIT;
    const struct cushim_load_options newer = {
        .size = sizeof newer,
        .minimum_version = FAKE_LIBRARY_VERSION + 10,
        .resolver = fake_resolve,
        .resolver_data = &source,
    };

    if (!atomic_flag_test_and_set(&taken))
        return fake_load(&source) == CUDA_SUCCESS ? CUSHIM__REQUIRES_NEWER_DRIVER
                                                  : CUDA_ERROR_UNKNOWN;
    while (atomic_load(&source.lookups) == 0)
        sched_yield();
    return cushim_load(&newer);
}

static void load_that_waits_judges_the_driver_by_its_own_minimum(void **state)
{
    (void)state;
    source.looked_up = wait_for_the_others;
    assert_true(all_answer(load_or_wish, CUSHIM__REQUIRES_NEWER_DRIVER));
    assert_int_equal(source.lookups, FAKE_LOOKUPS_OF_A_LOAD);
    assert_int_equal(fake_query(), FAKE_ANSWER);
}

static struct fake_source failing = {.lacks = {"cuInit"}};

/* One thread loads what fails, the others wait and want something else. */
static CUresult load_something_else(void)
{
    static atomic_flag taken = ATOMIC_FLAG_INIT;

    if (!atomic_flag_test_and_set(&taken))
        return fake_load(&failing) == CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND
                   ? CUDA_SUCCESS
                   : CUDA_ERROR_UNKNOWN;
    while (atomic_load(&failing.lookups) == 0)
        sched_yield();
    return fake_load(&source);
}

static void load_that_waits_for_the_failure_of_another_source_tries_its_own(void **state)
{
    (void)state;
    failing.looked_up = wait_for_the_others;
    assert_true(all_answer(load_something_else, CUDA_SUCCESS));
    assert_int_equal(failing.lookups, FAKE_LOOKUPS_OF_A_FAILURE);
    assert_int_equal(source.lookups, FAKE_LOOKUPS_OF_A_LOAD);
}

/* --- calls from inside the load --- */

static unsigned reentries;

static void call_back(const char *symbol)
{
    (void)symbol;
    reentries++;
    assert_int_equal(fake_query(), CUDA_ERROR_NOT_INITIALIZED);
    assert_int_equal(cushim_load(NULL), CUDA_ERROR_NOT_INITIALIZED);
    assert_int_equal(fake_load(&source), CUDA_ERROR_NOT_INITIALIZED);
    assert_int_equal(cushim_init(NULL), CUDA_ERROR_NOT_INITIALIZED);
}

static void call_from_within_the_resolver_is_refused(void **state)
{
    (void)state;
    source.looked_up = call_back;
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    assert_true(reentries > cushim_symbol_count());
    assert_int_equal(fake_query(), FAKE_ANSWER);
}

static void call_from_within_a_failing_load_is_refused(void **state)
{
    (void)state;
    source.looked_up = call_back;
    source.lacks[0] = "cuInit";
    assert_int_equal(fake_load(&source), CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND);
    assert_int_equal(reentries, 1);
}

static enum cushim_state state_within = CUSHIM_STATE_READY;

static void report_within(const char *symbol)
{
    struct cushim_report report = {.size = sizeof report};

    (void)symbol;
    if (cushim_report_get(&report) == CUDA_SUCCESS)
        state_within = report.state;
}

static void report_from_within_the_load_tells_the_state_before_it(void **state)
{
    struct fake_source broken = {.lacks = {"cuInit"}};

    (void)state;
    source.looked_up = broken.looked_up = report_within;
    assert_int_equal(fake_load(&broken), CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND);
    assert_int_equal(state_within, CUSHIM_STATE_UNTRIED);
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    assert_int_equal(state_within, CUSHIM_STATE_NOT_A_DRIVER);
}

static volatile sig_atomic_t handled;
static volatile CUresult answer_in_handler;

static void handle(int number)
{
    /* Not everywhere does a handler stay. */
    signal(number, handle);
    answer_in_handler = fake_query();
    handled = 1;
}

static void raise_signal(const char *symbol)
{
    if (strcmp(symbol, "cuDriverGetVersion") == 0)
        raise(SIGTERM);
}

static void signal_handler_that_calls_during_the_load_is_refused(void **state)
{
    (void)state;
    signal(SIGTERM, handle);
    source.looked_up = raise_signal;
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    assert_true(handled);
    assert_int_equal(answer_in_handler, CUDA_ERROR_NOT_INITIALIZED);
    raise(SIGTERM);
    assert_int_equal(answer_in_handler, FAKE_ANSWER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        forked_test(first_calls_at_once_load_once),
        forked_test(first_calls_at_once_without_a_driver_all_get_the_reason),
        forked_test(loads_at_once_load_once),
        forked_test(loads_that_wait_for_a_success_share_it),
        forked_test(loads_that_wait_for_a_failure_share_it),
        forked_test(calls_during_a_load_wait_for_its_outcome),
        forked_test(load_that_waits_judges_the_driver_by_its_own_minimum),
        forked_test(load_that_waits_for_the_failure_of_another_source_tries_its_own),
        forked_test(call_from_within_the_resolver_is_refused),
        forked_test(call_from_within_a_failing_load_is_refused),
        forked_test(report_from_within_the_load_tells_the_state_before_it),
        forked_test(signal_handler_that_calls_during_the_load_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
