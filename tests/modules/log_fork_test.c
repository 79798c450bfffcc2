/* SPDX-License-Identifier: Apache-2.0 */
/* The log in a forked child whose parent has a thread in the function of the log. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cushim/log.h>

#include "src/objects.h"
#include "tests/support/counters.h"

static atomic_bool is_inside, may_leave;

static void stay(void *data, const char *message)
{
    (void)data;
    (void)message;
    atomic_store(&is_inside, true);
    while (!atomic_load(&may_leave))
        sched_yield();
}

static void *log_once(void *unused)
{
    cushim__log("stay");
    return unused;
}

static void a_forked_child_does_not_wait_for_a_thread_of_its_parent(void **state)
{
    pthread_t thread;
    pid_t child;
    int status;

    (void)state;
    cushim_log_set(stay, NULL);
    assert_int_equal(pthread_create(&thread, NULL, log_once, NULL), 0);
    while (!atomic_load(&is_inside))
        sched_yield();
    child = fork();
    if (child == 0) {
        alarm(20); /* ends a child that waits for ever */
        cushim_log_set(NULL, NULL);
        counters_write();
        _exit(0);
    }
    atomic_store(&may_leave, true);
    pthread_join(thread, NULL);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_forked_child_does_not_wait_for_a_thread_of_its_parent),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
