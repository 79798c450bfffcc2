/* SPDX-License-Identifier: Apache-2.0 */
/* First use: threads that load at once, and calls from inside the load. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include "fake.h"
#include "forked.h"
#include "loader/symbols.h"
#include "tests/support/environment.h"

/* The number of threads that may be inside a load at once, and a larger number. */
enum { MOST_LOADING = 64, MOST_THREADS = 80 };

static struct fake_source source;
static struct fake_source other;
static struct fake_source failing = {.lacks = {"cuDriverGetVersion"}};

/* --- a slow resolver: it returns only when as many threads are inside as possible --- */

static unsigned thread_count, most_inside;
static atomic_uint started;

static void wait_until_all_are_inside(const char *symbol)
{
    if (strcmp(symbol, "cuInit") != 0)
        return;
    while (started < thread_count || source.lookups + other.lookups + failing.lookups < most_inside)
        sched_yield();
}

/* --- threads that call at once --- */

struct caller {
    pthread_t thread;
    CUresult (*call)(void);
    CUresult code, query;
    const struct cushim_table *table;
};

static void *run_caller(void *data)
{
    struct caller *caller = data;

    atomic_fetch_add(&started, 1);
    caller->code = caller->call();
    caller->query = fake_query();
    caller->table = cushim_driver();
    return NULL;
}

/* Make these calls in turn on `count` threads at once; the result is valid until the next use. */
static const struct caller *call_at_once(unsigned count, CUresult (*const *calls)(void),
                                         size_t call_count)
{
    static struct caller callers[MOST_THREADS];

    thread_count = count;
    most_inside = count < MOST_LOADING ? count : MOST_LOADING;
    source.looked_up = other.looked_up = failing.looked_up = wait_until_all_are_inside;
    for (unsigned i = 0; i < count; i++) {
        callers[i].call = calls[i % call_count];
        if (pthread_create(&callers[i].thread, NULL, run_caller, &callers[i]) != 0)
            abort();
    }
    for (unsigned i = 0; i < count; i++)
        pthread_join(callers[i].thread, NULL);
    return callers;
}

static CUresult load_source(void)
{
    return fake_load(&source);
}

static CUresult load_other(void)
{
    return fake_load(&other);
}

static CUresult load_failing(void)
{
    return fake_load(&failing);
}

static CUresult load_newer(void)
{
    return fake_load_minimum(&source, FAKE_VERSION + 10);
}

static int load_at_once(void)
{
    static CUresult (*const calls[])(void) = {load_source};
    const struct caller *callers = call_at_once(thread_count, calls, 1);

    for (unsigned i = 0; i < thread_count; i++) {
        if (callers[i].code != CUDA_SUCCESS || callers[i].query != (CUresult)FAKE_ANSWER ||
            callers[i].table != cushim_driver())
            return 1;
    }
    return source.lookups == most_inside * FAKE_LOOKUPS_OF_A_LOAD ? 0 : 2;
}

TEST_ALONE(threads_at_first_use_all_get_the_same_table)
{
    static const unsigned counts[] = {2, 16, MOST_LOADING, MOST_THREADS};

    for (size_t i = 0; i < COUNT(counts); i++) {
        thread_count = counts[i];
        assert_int_equal(forked_answer(load_at_once), 0);
    }
}

FORKED_TEST(threads_that_load_two_drivers_agree_on_one_of_them)
{
    static CUresult (*const calls[])(void) = {load_source, load_other};
    const struct caller *callers = call_at_once(16, calls, COUNT(calls));
    const unsigned winner = callers[0].code == CUDA_SUCCESS ? 0 : 1;

    for (unsigned i = 0; i < thread_count; i++) {
        assert_int_equal(callers[i].code,
                         i % 2 == winner ? CUDA_SUCCESS : CUDA_ERROR_NOT_PERMITTED);
        assert_ptr_equal(callers[i].table, cushim_driver());
    }
}

FORKED_TEST(load_that_fails_beside_a_successful_one_returns_its_own_reason)
{
    static CUresult (*const calls[])(void) = {load_source, load_failing, load_newer};
    static const int codes[] = {CUDA_SUCCESS, CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND,
                                CUSHIM__REQUIRES_NEWER_DRIVER};
    const struct caller *callers = call_at_once(18, calls, COUNT(calls));

    for (unsigned i = 0; i < thread_count; i++)
        assert_int_equal(callers[i].code, codes[i % COUNT(codes)]);
    assert_int_equal(fake_query(), FAKE_ANSWER);
    assert_int_equal(fake_report().state, CUSHIM_STATE_LOADED);
}

FORKED_TEST(concurrent_first_calls_without_a_driver_all_return_the_reason)
{
    static CUresult (*const calls[])(void) = {fake_query};
    const struct caller *callers;

    environment_set("CUSHIM_LIBRARY", "none");
    callers = call_at_once(MOST_THREADS, calls, 1);
    for (unsigned i = 0; i < thread_count; i++)
        assert_int_equal(callers[i].query, CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
}

/* --- calls from inside the load --- */

static unsigned calls_inside;

/* Each call fails and none hangs; the error macro prints why. */
static void call_inside(void)
{
    const char *text = "?";

    calls_inside++;
    assert_int_equal(fake_query(), CUDA_ERROR_NOT_INITIALIZED);
    assert_int_equal(cushim_driver_load(NULL), CUDA_ERROR_NOT_INITIALIZED);
    assert_int_equal(fake_load(&source), CUDA_ERROR_NOT_INITIALIZED);
    assert_int_equal(cushim_driver_init(NULL), CUDA_ERROR_NOT_INITIALIZED);
    assert_int_equal(fake_report().state, CUSHIM_STATE_UNTRIED);
    assert_int_equal(cushim_driver()->GetErrorString(CUDA_ERROR_NOT_INITIALIZED, &text),
                     CUDA_SUCCESS);
    assert_string_equal(text, cushim_error_string(CUDA_ERROR_NOT_INITIALIZED));
}

static void call_inside_the_resolver(const char *symbol)
{
    call_inside();
}

FORKED_TEST(call_from_the_resolver_is_refused_and_the_load_succeeds)
{
    source.looked_up = call_inside_the_resolver;
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    assert_true(calls_inside > cushim_symbol_count() / 2);
    assert_int_equal(fake_query(), FAKE_ANSWER);
}

FORKED_TEST(call_from_the_resolver_of_a_failing_load_is_refused)
{
    failing.looked_up = call_inside_the_resolver;
    assert_int_equal(fake_load(&failing), CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND);
    assert_int_equal(calls_inside, 2);
    assert_int_equal(fake_query(), CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND);
}

#if !defined(_WIN32)
FORKED_TEST(call_from_a_constructor_is_refused_and_the_load_succeeds)
{
    environment_set("CUSHIM_LIBRARY", FAKE_LIBRARY);
    fake_library_constructor(call_inside);
    assert_int_equal(fake_query(), FAKE_LIBRARY_ANSWER);
    assert_int_equal(calls_inside, 1);
}
#endif

static void handle(int number)
{
    signal(number, SIG_DFL);
    call_inside();
}

static void raise_signal(const char *symbol)
{
    if (strcmp(symbol, "cuGetProcAddress_v2") == 0 && calls_inside == 0)
        raise(SIGTERM);
}

FORKED_TEST(call_from_a_signal_handler_is_refused_and_the_load_succeeds)
{
    signal(SIGTERM, handle);
    source.looked_up = raise_signal;
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    assert_int_equal(calls_inside, 1);
    assert_int_equal(fake_query(), FAKE_ANSWER);
}
