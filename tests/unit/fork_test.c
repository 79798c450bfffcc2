/* SPDX-License-Identifier: Apache-2.0 */
/* Forks: which children may use the driver, and that no child hangs. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake.h"
#include "forked.h"
#include "loader/loader.h"
#include "tests/support/calls.h"
#include "tests/support/counters.h"
#include "tests/support/environment.h"
#include "tests/support/library.h"

static struct fake_source source;

/* --- steps of a parent before the fork, and of its child --- */

enum step {
    END,
    LOAD,     /* from `source` */
    LOAD_ANY, /* with the default options */
    LOAD_NONE,
    LOAD_NEWER, /* with a minimum version above the fake's */
    LOAD_LIBRARY,
    LOAD_WITH_A_LOCK,
    LOAD_IN_THREADS,
    QUERY,
    INIT,
    INIT_BY_TABLE,
    INIT_BY_ANOTHER, /* by a call that bypasses cushim */
    INIT_BY_LAZY_TABLE,
    INIT_IN_A_THREAD,
    INIT_BY_TABLE_IN_A_THREAD,
    INIT_BY_LAZY_TABLE_IN_A_THREAD,
    COUNT_INITS,
    REPORT, /* returns the state */
    /*
     * Counts slots that do not return NOT_INITIALIZED; without a driver, those are the two error
     * texts.
     */
    COUNT_OTHER_ANSWERS,
    INSTALL_MOCK,
    INSTALL_FORMER,
    INSTALL_OWN,
    FORK_AND_QUERY,
    LET_INIT_FIND_NO_DEVICE,
    LACK_DEVICE_COUNT,
};
enum { MOST_STEPS = 4 };

static int perform(enum step step);

/* --- threads of the parent that are inside a call during the fork --- */

enum { MOST_THREADS = 3 };

static pthread_t threads[MOST_THREADS];
static unsigned thread_count;
static atomic_uint inside;
static atomic_bool is_over;

static void stay_inside(void)
{
    atomic_fetch_add(&inside, 1);
    while (!atomic_load(&is_over))
        sched_yield();
}

static void *perform_in_a_thread(void *data)
{
    const enum step step = (enum step)(uintptr_t)data;

    return perform(step) == (step == LOAD ? 0 : (int)fake.init_code) ? NULL : &source;
}

/* Start threads that perform a step, and return when all of them are inside the call. */
static int start_threads(enum step step, unsigned count)
{
    for (thread_count = 0; thread_count < count; thread_count++) {
        if (pthread_create(&threads[thread_count], NULL, perform_in_a_thread,
                           (void *)(uintptr_t)step) != 0)
            return -1;
    }
    while (atomic_load(&inside) < count)
        sched_yield();
    return 0;
}

/* Let the threads finish; returns false if one of them got a wrong result. */
static bool end_threads(void)
{
    bool is_right = true;

    atomic_store(&is_over, true);
    for (unsigned i = 0; i < thread_count; i++) {
        void *wrong;

        pthread_join(threads[i], &wrong);
        is_right = is_right && !wrong;
    }
    return is_right;
}

static void stay_in_the_load(const char *symbol)
{
    if (strcmp(symbol, "cuGetProcAddress_v2") == 0)
        stay_inside();
}

/* A driver whose cuInit holds a lock that cuDeviceGetCount needs. */
static pthread_mutex_t driver_lock = PTHREAD_MUTEX_INITIALIZER;

static CUresult CUDAAPI init_under_the_lock(unsigned flags)
{
    pthread_mutex_lock(&driver_lock);
    stay_inside();
    atomic_store(&fake.initialised, fake.init_code == CUDA_SUCCESS);
    pthread_mutex_unlock(&driver_lock);
    return fake.init_code;
}

static CUresult CUDAAPI count_under_the_lock(int *count)
{
    pthread_mutex_lock(&driver_lock);
    pthread_mutex_unlock(&driver_lock);
    return atomic_load(&fake.initialised) ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

static int load_the_driver_with_a_lock(void)
{
    source.has[0].symbol = "cuInit";
    source.has[0].function = (cushim_function)init_under_the_lock;
    source.has[1].symbol = "cuDeviceGetCount";
    source.has[1].function = (cushim_function)count_under_the_lock;
    return (int)fake_load(&source);
}

/* --- the steps --- */

static int query(void)
{
    return (int)fake_query();
}

static int initialise_the_library(void)
{
    void *library = library_open(FAKE_LIBRARY);
    void *address = library ? library_symbol(library, "cuInit") : NULL;
    CUresult(CUDAAPI * init)(unsigned) = NULL;

    environment_set("CUSHIM_LIBRARY", FAKE_LIBRARY);
    memcpy(&init, &address, sizeof init);
    return init ? (int)init(0) : -1;
}

static int count_other_answers(void)
{
    static unsigned char memory[CUSHIM_CALL_BYTES];
    int others = 0;

    for (size_t i = 0; i < cushim_call_count; i++)
        others += cushim_calls[i](cushim_driver(), memory) != CUDA_ERROR_NOT_INITIALIZED;
    return cushim_call_count == cushim_symbol_count() ? others : -1;
}

static int state_of_report(void)
{
    const struct cushim_report report = fake_report();
    return report.state == CUSHIM_STATE_FORKED && !strstr(report.advice, "fork")
               ? -1
               : (int)report.state;
}

static const struct cushim_table *former;

static int perform(enum step step)
{
    switch (step) {
    case LOAD:
        return (int)fake_load(&source);
    case LOAD_ANY:
        return (int)cushim_driver_load(NULL);
    case LOAD_NONE:
        environment_set("CUSHIM_LIBRARY", "none");
        return (int)fake_query();
    case LOAD_NEWER:
        return (int)fake_load_any_minimum(FAKE_VERSION + 10);
    case LOAD_LIBRARY:
        return (int)fake_load_library(FAKE_LIBRARY);
    case LOAD_WITH_A_LOCK:
        return load_the_driver_with_a_lock();
    case LOAD_IN_THREADS:
        source.looked_up = stay_in_the_load;
        return start_threads(LOAD, MOST_THREADS);
    case QUERY:
        return query();
    case INIT:
        return (int)cushim_driver_init(NULL);
    case INIT_BY_TABLE:
        return (int)cushim_driver()->Init(0);
    case INIT_BY_ANOTHER:
        return initialise_the_library();
    case INIT_BY_LAZY_TABLE:
        return (int)cushim__lazy_table.Init(0);
    case INIT_IN_A_THREAD:
        return start_threads(INIT, 1);
    case INIT_BY_TABLE_IN_A_THREAD:
        return start_threads(INIT_BY_TABLE, 1);
    case INIT_BY_LAZY_TABLE_IN_A_THREAD:
        return start_threads(INIT_BY_LAZY_TABLE, 1);
    case COUNT_INITS:
        return (int)fake.init_calls;
    case REPORT:
        return state_of_report();
    case COUNT_OTHER_ANSWERS:
        return count_other_answers();
    case INSTALL_MOCK:
        return (int)cushim_table_install(fake_mock(), &former);
    case INSTALL_FORMER:
        return (int)cushim_table_install(former, NULL);
    case INSTALL_OWN:
        return (int)cushim_table_install(NULL, NULL);
    case FORK_AND_QUERY:
        return forked_answer(query);
    case LET_INIT_FIND_NO_DEVICE:
        fake.init_code = CUDA_ERROR_NO_DEVICE;
        return 0;
    case LACK_DEVICE_COUNT:
        source.lacks[0] = "cuDeviceGetCount";
        return 0;
    default:
        return -1;
    }
}

static const struct fork_case {
    enum step parent[MOST_STEPS], child[MOST_STEPS];
    int answer; /* expected result of the child's last step */
} * current;

static int run_child(void)
{
    int answer = 0;

    for (const enum step *step = current->child; *step != END; step++)
        answer = perform(*step);
    return answer;
}

/* In a process of its own: returns the child's result, or -1 if the child changed its parent. */
static int run_parent(void)
{
    int answer;

    for (const enum step *step = current->parent; *step != END; step++)
        perform(*step);
    answer = forked_answer(run_child);
    if (!end_threads() || cushim__is_forked() ||
        (cushim__loaded_driver() && fake_query() == CUDA_ERROR_NOT_INITIALIZED))
        return -1;
    return answer;
}

static void check(const struct fork_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int answer;

        current = &cases[i];
        answer = forked_answer(run_parent);
        if (answer != current->answer)
            fail_msg("row %zu: the child returns %d, not %d", i, answer, current->answer);
    }
}

TEST_ALONE(child_of_a_process_that_is_not_initialised_may_use_the_driver)
{
    static const struct fork_case cases[] = {
        {{END}, {LOAD, QUERY}, FAKE_ANSWER},
        {{END}, {REPORT}, CUSHIM_STATE_UNTRIED},
        {{LOAD}, {QUERY}, FAKE_ANSWER},
        {{LOAD}, {LOAD_ANY}, CUDA_SUCCESS},
        {{LOAD}, {REPORT}, CUSHIM_STATE_LOADED},
        {{LOAD}, {INIT, QUERY}, FAKE_ANSWER},
        {{LOAD}, {INIT, FORK_AND_QUERY}, CUDA_ERROR_NOT_INITIALIZED},
        {{LOAD_NONE}, {QUERY}, CUDA_ERROR_SHARED_OBJECT_INIT_FAILED},
        {{LOAD_NONE}, {LOAD, QUERY}, FAKE_ANSWER},
        {{LACK_DEVICE_COUNT, LOAD}, {INIT, QUERY}, FAKE_ANSWER},
        {{INSTALL_MOCK}, {QUERY}, FAKE_MOCK_ANSWER},
        {{INSTALL_MOCK}, {LOAD_ANY}, CUDA_SUCCESS},
        {{INSTALL_MOCK}, {LOAD_NEWER}, CUSHIM__REQUIRES_NEWER_DRIVER},
    };

    check(cases, COUNT(cases));
}

TEST_ALONE(child_of_a_process_that_found_no_device_calls_cuInit_once_more)
{
    static const struct fork_case cases[] = {
        {{LET_INIT_FIND_NO_DEVICE, LOAD, INIT}, {REPORT}, CUSHIM_STATE_LOADED},
        {{LET_INIT_FIND_NO_DEVICE, LOAD, INIT}, {INIT}, CUDA_ERROR_NO_DEVICE},
        {{LET_INIT_FIND_NO_DEVICE, LOAD, INIT}, {INIT, INIT, COUNT_INITS}, 2},
    };

    check(cases, COUNT(cases));
}

TEST_ALONE(child_of_an_initialised_process_returns_3)
{
    static const struct fork_case cases[] = {
        {{LOAD, INIT}, {QUERY}, CUDA_ERROR_NOT_INITIALIZED},
        {{LOAD, INIT}, {LOAD_ANY}, CUDA_ERROR_NOT_INITIALIZED},
        {{LOAD, INIT}, {LOAD}, CUDA_ERROR_NOT_INITIALIZED},
        {{LOAD, INIT}, {INIT}, CUDA_ERROR_NOT_INITIALIZED},
        {{LOAD, INIT}, {COUNT_OTHER_ANSWERS}, 2},
        {{LOAD, INIT}, {REPORT}, CUSHIM_STATE_FORKED},
        {{LOAD, INIT}, {FORK_AND_QUERY}, CUDA_ERROR_NOT_INITIALIZED},
        {{LOAD, INIT_BY_TABLE}, {QUERY}, CUDA_ERROR_NOT_INITIALIZED},
        {{LOAD_LIBRARY, INIT_BY_ANOTHER}, {QUERY}, CUDA_ERROR_NOT_INITIALIZED},
        {{LACK_DEVICE_COUNT, LOAD, INIT}, {QUERY}, CUDA_ERROR_NOT_INITIALIZED},
        {{LOAD, INSTALL_MOCK, INIT}, {COUNT_OTHER_ANSWERS}, 2},
        {{LOAD, INSTALL_MOCK, INIT}, {LOAD_ANY}, CUDA_ERROR_NOT_INITIALIZED},
        {{LOAD, INSTALL_MOCK, INIT}, {LOAD_NEWER}, CUDA_ERROR_NOT_INITIALIZED},
        {{LOAD, INSTALL_MOCK, INIT}, {INSTALL_FORMER, QUERY}, CUDA_ERROR_NOT_INITIALIZED},
        {{INSTALL_MOCK, LOAD, INIT}, {INSTALL_FORMER, QUERY}, CUDA_ERROR_NOT_INITIALIZED},
        {{LOAD, INSTALL_MOCK, INIT}, {INSTALL_OWN, QUERY}, CUDA_ERROR_NOT_INITIALIZED},
    };

    check(cases, COUNT(cases));
}

TEST_ALONE(child_of_a_process_that_was_loading_returns_3_at_once)
{
    static const struct fork_case cases[] = {
        {{LOAD_IN_THREADS}, {QUERY}, CUDA_ERROR_NOT_INITIALIZED},
        {{LOAD_IN_THREADS}, {LOAD_ANY}, CUDA_ERROR_NOT_INITIALIZED},
        {{LOAD_IN_THREADS}, {LOAD}, CUDA_ERROR_NOT_INITIALIZED},
        {{LOAD_IN_THREADS}, {INIT}, CUDA_ERROR_NOT_INITIALIZED},
        {{LOAD_IN_THREADS}, {INSTALL_OWN, QUERY}, CUDA_ERROR_NOT_INITIALIZED},
        {{LOAD_IN_THREADS}, {COUNT_OTHER_ANSWERS}, 2},
        {{LOAD_IN_THREADS}, {REPORT}, CUSHIM_STATE_FORKED},
    };

    check(cases, COUNT(cases));
}

TEST_ALONE(child_of_a_process_inside_cuInit_returns_3_however_it_was_called)
{
    static const struct fork_case cases[] = {
        {{LOAD_WITH_A_LOCK}, {QUERY}, FAKE_ANSWER},
        {{LOAD_WITH_A_LOCK, INIT_IN_A_THREAD}, {QUERY}, CUDA_ERROR_NOT_INITIALIZED},
        {{LOAD_WITH_A_LOCK, INIT_BY_TABLE_IN_A_THREAD}, {QUERY}, CUDA_ERROR_NOT_INITIALIZED},
        {{LOAD_WITH_A_LOCK, INIT_BY_LAZY_TABLE_IN_A_THREAD}, {QUERY}, CUDA_ERROR_NOT_INITIALIZED},
        {{LET_INIT_FIND_NO_DEVICE, LOAD_WITH_A_LOCK, INIT_BY_TABLE_IN_A_THREAD},
         {QUERY},
         CUDA_ERROR_NOT_INITIALIZED},
    };

    check(cases, COUNT(cases));
}

/* Runs after cushim's fork handler has seen that the driver is not initialised. */
static void initialise_in_prepare(void)
{
    atomic_store(&is_over, true);
    start_threads(INIT_BY_TABLE, 1);
    end_threads();
}

FORKED_TEST(child_of_a_process_that_initialises_while_it_forks_returns_3)
{
    assert_int_equal(pthread_atfork(initialise_in_prepare, NULL, NULL), 0);
    assert_int_equal(load_the_driver_with_a_lock(), CUDA_SUCCESS);
    assert_int_equal(forked_answer(query), CUDA_ERROR_NOT_INITIALIZED);
    assert_int_equal(fake_query(), FAKE_ANSWER);
}

/* --- a driver that was initialised without cushim, which is first used in the child --- */

static int check_report_of_a_late_load(void)
{
    struct cushim_report report;

    if (cushim_driver_init(NULL) != CUDA_ERROR_NOT_INITIALIZED)
        return 1;
    report = fake_report();
    if (!strstr(report.reason, "fork") || !strstr(report.advice, "fork"))
        return 2;
    return strstr(report.advice, "cuInit") ? 3 : 0;
}

FORKED_TEST(report_explains_the_fork_if_the_parent_initialised_without_cushim)
{
    if (!forked_is_told_by_the_system()) {
        fputs("not tested: the system does not tell of forks\n", stderr);
        return;
    }
    assert_int_equal(initialise_the_library(), CUDA_SUCCESS);
    assert_int_equal(forked_answer(check_report_of_a_late_load), 0);
}

/* --- a load that forks, as in a constructor --- */

static pid_t child_of_the_load = -1;

static void fork_within(const char *symbol)
{
    if (strcmp(symbol, "cuEventQuery") == 0)
        child_of_the_load = fork();
}

FORKED_TEST(load_that_forks_fails_in_the_child_only)
{
    CUresult code;
    int status = 0;

    source.looked_up = fork_within;
    code = fake_load(&source);
    if (child_of_the_load == 0) {
        counters_write();
        _exit(code == CUDA_ERROR_NOT_INITIALIZED && query() == 3 && perform(LOAD) == 3 ? 0 : 1);
    }
    assert_int_equal(code, CUDA_SUCCESS);
    assert_int_equal(waitpid(child_of_the_load, &status, 0), child_of_the_load);
    assert_int_equal(status, 0);
    assert_int_equal(fake_query(), FAKE_ANSWER);
}
