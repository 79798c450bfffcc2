/* SPDX-License-Identifier: Apache-2.0 */
/* Forks at instants that are seldom met: within the commit of a load, and two at once. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "loader/loader.h"
#include "tests/support/counters.h"
#include "tests/unit/fake.h"
#include "tests/unit/fork_children.h"
#include "tests/unit/forked.h"

enum { NO_CHILD = -1 };

/* End a child. */
static void leave(bool is_right)
{
    counters_write();
    _exit(is_right ? 0 : 1);
}

static int end_of(pid_t child)
{
    int status = 0;

    while (waitpid(child, &status, 0) != child)
        continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* --- a signal handler forks while its thread commits --- */

static volatile pid_t forked_child = NO_CHILD;
static volatile int answer_in_handler;
static bool before_publishing, initialise_first;

static void fork_in_handler(int number)
{
    (void)number;
    forked_child = fork();
    if (forked_child == 0) {
        alarm(60);
        answer_in_handler = query();
    }
}

void __real_cushim__publish(const struct cushim_table *table);
void __wrap_cushim__publish(const struct cushim_table *table);

static atomic_bool stop_at_publish;

/* The linker puts this in the place of cushim__publish(): it is called within the commit. */
void __wrap_cushim__publish(const struct cushim_table *table)
{
    const bool stop = atomic_exchange(&stop_at_publish, false);

    if (stop && before_publishing)
        raise(SIGUSR1);
    __real_cushim__publish(table);
    if (stop && initialise_first)
        cushim_driver()->Init(0);
    if (stop && !before_publishing)
        raise(SIGUSR1);
}

/* Load; the child that is forked meanwhile ends with what its handler and then its calls got. */
static int load_and_fork_in_the_commit(CUresult in_handler, int loaded, int queried)
{
    int code;

    signal(SIGUSR1, fork_in_handler);
    atomic_store(&stop_at_publish, true);
    code = (int)fake_load(&source);
    if (forked_child == 0) {
        const bool right = answer_in_handler == (int)in_handler && load() == loaded &&
                           query() == queried &&
                           cushim__is_forked() == (queried == CUDA_ERROR_NOT_INITIALIZED);
        leave(right);
    }
    assert_int_equal(code, CUDA_SUCCESS);
    assert_int_equal(fake_query(), FAKE_ANSWER);
    assert_int_not_equal(forked_child, NO_CHILD);
    return end_of(forked_child);
}

static void load_that_is_forked_in_its_commit_goes_on_in_both(void **state)
{
    (void)state;
    before_publishing = true;
    assert_int_equal(
        load_and_fork_in_the_commit(CUDA_ERROR_NOT_INITIALIZED, CUDA_SUCCESS, FAKE_ANSWER), 0);
}

static void load_that_is_forked_with_its_table_published_goes_on_in_both(void **state)
{
    (void)state;
    assert_int_equal(load_and_fork_in_the_commit((CUresult)FAKE_ANSWER, CUDA_SUCCESS, FAKE_ANSWER),
                     0);
}

static void load_that_is_forked_in_its_commit_is_withdrawn_if_initialised(void **state)
{
    (void)state;
    initialise_first = true;
    assert_int_equal(load_and_fork_in_the_commit(CUDA_ERROR_NOT_INITIALIZED,
                                                 CUDA_ERROR_NOT_INITIALIZED,
                                                 CUDA_ERROR_NOT_INITIALIZED),
                     0);
}

/* --- another thread is about to make its table the current one --- */

static atomic_bool stop_at_current, publishing, published;

bool __real_cushim__is_absent_table(const struct cushim_table *table);
bool __wrap_cushim__is_absent_table(const struct cushim_table *table);

/* The linker puts this in its place: it is called between the two stores of cushim__publish(). */
bool __wrap_cushim__is_absent_table(const struct cushim_table *table)
{
    if (cushim__was_loaded() && atomic_exchange(&stop_at_current, false)) {
        atomic_store(&publishing, true);
        while (!atomic_load(&published))
            sched_yield();
    }
    return __real_cushim__is_absent_table(table);
}

static void *load_in_a_thread(void *unused)
{
    return fake_load(&source) == CUDA_SUCCESS ? unused : &source;
}

static void child_of_a_process_that_loads_after_a_failure_gets_the_table_too(void **state)
{
    struct fake_source broken = {.lacks = {"cuInit"}};
    pthread_t thread;
    void *end;
    int got;

    (void)state;
    assert_int_equal(fake_load(&broken), CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND);
    atomic_store(&stop_at_current, true);
    assert_int_equal(pthread_create(&thread, NULL, load_in_a_thread, NULL), 0);
    while (!atomic_load(&publishing))
        sched_yield();
    got = forked_answer(query);
    atomic_store(&published, true);
    pthread_join(thread, &end);
    assert_null(end);
    assert_int_equal(got, FAKE_ANSWER);
}

/* --- the thread that loads and another one fork at once --- */

static atomic_uint preparing;
static atomic_bool meet, other_forked, together;
static pthread_t loader;
static pid_t child_of_loader;

/* Runs after cushim's handler, which is registered later. */
static void meet_in_prepare(void)
{
    if (!atomic_load(&meet))
        return;
    atomic_fetch_add(&preparing, 1);
    /* Old C libraries hold a lock meanwhile, and nobody comes. */
    for (unsigned waited = 0; atomic_load(&preparing) < 2 && waited < 400; waited++)
        usleep(1000);
    if (atomic_load(&preparing) == 2)
        atomic_store(&together, true);
    /* The loader forks last. */
    while (pthread_equal(pthread_self(), loader) && atomic_load(&together) &&
           !atomic_load(&other_forked))
        sched_yield();
}

static void fork_within_the_load(const char *symbol)
{
    if (strcmp(symbol, "cuEventQuery") != 0)
        return;
    loader = pthread_self();
    atomic_store(&meet, true);
    child_of_loader = fork();
    if (child_of_loader == 0)
        alarm(60);
}

static void *load_and_fork(void *unused)
{
    const CUresult code = fake_load(&source);

    if (child_of_loader == 0)
        leave(code == CUDA_SUCCESS && query() == FAKE_ANSWER);
    return unused;
}

static void of_two_forks_at_once_each_child_is_told_its_own(void **state)
{
    pthread_t thread;
    pid_t child;

    (void)state;
    assert_int_equal(pthread_atfork(meet_in_prepare, NULL, NULL), 0);
    source.looked_up = fork_within_the_load;
    assert_int_equal(pthread_create(&thread, NULL, load_and_fork, NULL), 0);
    while (atomic_load(&preparing) < 1)
        sched_yield();
    child = fork();
    if (child == 0) {
        alarm(60);
        leave(query() == CUDA_ERROR_NOT_INITIALIZED && load_and_query() == 3 &&
              state_of_report() == CUSHIM_STATE_FORKED);
    }
    atomic_store(&other_forked, true);
    pthread_join(thread, NULL);
    assert_int_equal(end_of(child), 0);
    assert_int_equal(end_of(child_of_loader), 0);
    if (!atomic_load(&together))
        print_message("this C library lets no two threads fork at once\n");
}

/* --- a fork without handlers, in the middle of another thread's load --- */

#if HAS_RAW_FORK
static void fork_without_handlers(const char *symbol)
{
    if (strcmp(symbol, "cuEventQuery") != 0)
        return;
    atomic_store(&publishing, true);
    while (!atomic_load(&published))
        sched_yield();
}

static void child_without_handlers_of_a_process_that_was_loading_answers_3(void **state)
{
    pthread_t thread;
    pid_t child;
    int right;

    (void)state;
    source.looked_up = fork_without_handlers;
    assert_int_equal(pthread_create(&thread, NULL, load_in_a_thread, NULL), 0);
    while (!atomic_load(&publishing))
        sched_yield();
    child = _Fork();
    if (child == 0) {
        alarm(60);
        leave(query() == CUDA_ERROR_NOT_INITIALIZED && cushim__is_forked());
    }
    right = end_of(child);
    atomic_store(&published, true);
    pthread_join(thread, NULL);
    assert_int_equal(right, 0);
    assert_int_equal(fake_query(), FAKE_ANSWER);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        forked_test(load_that_is_forked_in_its_commit_goes_on_in_both),
        forked_test(load_that_is_forked_with_its_table_published_goes_on_in_both),
        forked_test(load_that_is_forked_in_its_commit_is_withdrawn_if_initialised),
        forked_test(child_of_a_process_that_loads_after_a_failure_gets_the_table_too),
        forked_test(of_two_forks_at_once_each_child_is_told_its_own),
#if HAS_RAW_FORK
        forked_test(child_without_handlers_of_a_process_that_was_loading_answers_3),
#endif
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
