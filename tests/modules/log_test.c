/* SPDX-License-Identifier: Apache-2.0 */
/* The log, also in a forked child whose parent has a thread inside the log function. */
#define _POSIX_C_SOURCE 200809L
#include <stdatomic.h>

#include <pthread.h>
#include <sched.h>

#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <cushim/log.h>

#include "src/objects/objects.h"
#include "tests/support/cmocka.h"
#include "tests/support/counters.h"

static char last[1024];
static unsigned count;

static void keep(void *data, const char *message)
{
    assert_ptr_equal(data, last);
    snprintf(last, sizeof last, "%s", message);
    count++;
}

static int listen(void **state)
{
    count = 0;
    last[0] = '\0';
    cushim_log_set(keep, last);
    return 0;
}

static int be_silent(void **state)
{
    cushim_log_set(NULL, NULL);
    return 0;
}

#define TEST(f) TEST_BETWEEN(f, listen, be_silent)

TEST(a_message_reaches_the_function_with_its_data)
{
    cushim__log("%s and %d", "this", 2);
    assert_int_equal(count, 1);
    assert_string_equal(last, "this and 2");
}

TEST(nobody_hears_after_null)
{
    cushim_log_set(NULL, last);
    cushim__log("unheard");
    assert_int_equal(count, 0);
}

TEST(a_long_message_is_cut)
{
    cushim__log("%0900d", 7);
    assert_int_equal(count, 1);
    assert_in_range(strlen(last), 200, 899);
}

static void log_again(void *data, const char *message)
{
    if (count++ < 3)
        cushim__log("%s again", message);
}

TEST(a_function_that_causes_messages_does_not_hang)
{
    cushim_log_set(log_again, NULL);
    cushim__log("once");
    assert_int_equal(count, 4);
}

/* --- two functions with different kinds of data, which alternate while other threads log --- */

enum { CHANGES = 1000, LOGGERS = 3 };

static struct turn {
    bool is_second;   /* whether the data belongs to the second function */
    atomic_bool open; /* usable, from its cushim_log_set() to the return of the next */
} turns[CHANGES];
static atomic_uint wrong, heard;
static atomic_bool over;

static void hear(const struct turn *turn, bool is_second)
{
    bool right = turn->is_second == is_second && atomic_load(&turn->open);

    sched_yield();
    right = right && atomic_load(&turn->open);
    atomic_fetch_add(right ? &heard : &wrong, 1);
}

static void hear_first(void *data, const char *message)
{
    hear(data, false);
}

static void hear_second(void *data, const char *message)
{
    hear(data, true);
}

static void *log_on(void *unused)
{
    while (!atomic_load(&over))
        cushim__log("message");
    return unused;
}

TEST(a_function_is_never_called_with_other_data_or_after_it_was_replaced)
{
    pthread_t threads[LOGGERS];

    cushim_log_set(NULL, NULL);
    for (unsigned i = 0; i < LOGGERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, log_on, NULL), 0);
    for (unsigned i = 0; i < CHANGES; i++) {
        const unsigned before = atomic_load(&heard) + atomic_load(&wrong);

        turns[i].is_second = i % 2;
        atomic_store(&turns[i].open, true);
        cushim_log_set(i % 2 ? hear_second : hear_first, &turns[i]);
        if (i > 0)
            atomic_store(&turns[i - 1].open, false);
        while (atomic_load(&heard) + atomic_load(&wrong) == before)
            sched_yield();
    }
    atomic_store(&over, true);
    for (unsigned i = 0; i < LOGGERS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&wrong), 0);
}

#ifndef _WIN32 /* no fork() there */
static atomic_bool has_entered, may_leave;

static void stay(void *data, const char *message)
{
    atomic_store(&has_entered, true);
    while (!atomic_load(&may_leave))
        sched_yield();
}

static void *log_once(void *unused)
{
    cushim__log("stay");
    return unused;
}

/* The exit status of a child. */
enum { CHILD_IS_RIGHT = 0, CHILD_HEARD_NOTHING = 1 };

static void leave_child(int status)
{
    counters_write();
    _exit(status);
}

static int status_of(pid_t child)
{
    int status = -1;

    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

/* Change the function twice, so that both of its slots have been waited for, and use it. */
static int change_and_log(void)
{
    count = 0;
    cushim_log_set(NULL, NULL);
    cushim_log_set(keep, last);
    cushim__log("heard");
    return count == 1 ? CHILD_IS_RIGHT : CHILD_HEARD_NOTHING;
}

TEST(child_does_not_wait_for_a_thread_of_its_parent)
{
    pthread_t thread;
    pid_t child;

    cushim_log_set(stay, NULL);
    assert_int_equal(pthread_create(&thread, NULL, log_once, NULL), 0);
    while (!atomic_load(&has_entered))
        sched_yield();
    child = fork();
    if (child == 0) {
        alarm(120); /* ends a child that hangs */
        leave_child(change_and_log());
    }
    atomic_store(&may_leave, true);
    pthread_join(thread, NULL);
    assert_int_equal(status_of(child), CHILD_IS_RIGHT);
}

static pid_t forked;

static void fork_inside(void *data, const char *message)
{
    forked = fork();
    if (forked == 0) {
        alarm(120);
        cushim_log_set(NULL, NULL);
    }
}

TEST(child_forked_inside_the_function_may_replace_it_there)
{
    cushim_log_set(fork_inside, NULL);
    cushim__log("fork");
    if (forked == 0)
        leave_child(change_and_log());
    assert_int_equal(status_of(forked), CHILD_IS_RIGHT);
}
#endif
