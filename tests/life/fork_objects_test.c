/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a child may do with the objects that its parent has made: nothing but let them go. The
 * driver of these tests answers a query of an inherited event with success (driver semantics,
 * statement 9).
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cushim/cushim.h>

#include "loader/tables.h"
#include "objects.h"
#include "tests/unit/forked.h"

/* Shared by all processes, for the last line. */
static struct tally {
    atomic_uint children, calls, releases, wrong;
} * tally;

/* What a child says of itself. */
enum { RIGHT = 0, WRONG = 1 };

static void begin(void)
{
    assert_true(objects_begin());
    assert_int_equal(objects_count_dead(), 0);
}

/* The parent's objects are as they were, and go as they should. */
static void end(void)
{
    assert_int_equal(objects_count_dead(), 0);
    assert_true(objects_release() > 0);
}

/* Every function, then every release, with the table that answers 3: no call reaches the driver. */
static int use_all(void)
{
    int calls, wrong, releases;

    if (!cushim__is_absent_table(cushim_driver()))
        return WRONG;
    wrong = objects_call_in_child(&calls);
    releases = objects_release();
    atomic_fetch_add(&tally->children, 1);
    atomic_fetch_add(&tally->calls, (unsigned)calls);
    atomic_fetch_add(&tally->releases, (unsigned)releases);
    atomic_fetch_add(&tally->wrong, (unsigned)wrong);
    return wrong == 0 && releases > 0 ? RIGHT : WRONG;
}

static int use_all_in_a_grandchild(void)
{
    return forked_answer(use_all);
}

static int answer_of(pid_t child)
{
    int status = 0;

    while (waitpid(child, &status, 0) != child)
        continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void in_the_child(pid_t child)
{
    if (child == 0) {
        alarm(60);
        _exit(use_all());
    }
}

static void child_can_only_let_go_of_objects(void **state)
{
    (void)state;
    begin();
    assert_int_equal(forked_answer(use_all), RIGHT);
    end();
}

static void grandchild_can_only_let_go_of_objects(void **state)
{
    (void)state;
    begin();
    assert_int_equal(forked_answer(use_all_in_a_grandchild), RIGHT);
    end();
}

static void *fork_in_a_thread(void *answer)
{
    *(int *)answer = forked_answer(use_all);
    return NULL;
}

static void child_of_another_thread_can_only_let_go_of_objects(void **state)
{
    pthread_t thread;
    int answer = WRONG;

    (void)state;
    begin();
    assert_int_equal(pthread_create(&thread, NULL, fork_in_a_thread, &answer), 0);
    pthread_join(thread, NULL);
    assert_int_equal(answer, RIGHT);
    end();
}

static volatile pid_t child_of_handler;

static void fork_in_a_handler(int number)
{
    (void)number;
    child_of_handler = fork();
    in_the_child(child_of_handler);
}

static void child_of_a_signal_handler_can_only_let_go_of_objects(void **state)
{
    (void)state;
    begin();
    signal(SIGUSR1, fork_in_a_handler);
    raise(SIGUSR1);
    assert_int_equal(answer_of(child_of_handler), RIGHT);
    end();
}

static atomic_int child_of_host_function;

static void CUDA_CB fork_in_a_host_function(void *unused)
{
    const pid_t child = fork();

    (void)unused;
    in_the_child(child);
    atomic_store(&child_of_host_function, child);
}

static void child_of_a_host_function_can_only_let_go_of_objects(void **state)
{
    struct cushim_context *context;
    struct cushim_stream *stream;

    (void)state;
    begin();
    assert_int_equal(cushim_context_retain_primary(&context, 0), CUDA_SUCCESS);
    assert_int_equal(cushim_stream_create(&stream, context, NULL), CUDA_SUCCESS);
    assert_int_equal(cushim_stream_launch_host_function(stream, fork_in_a_host_function, NULL),
                     CUDA_SUCCESS);
    assert_int_equal(cushim_stream_synchronize(stream), CUDA_SUCCESS);
    assert_int_equal(answer_of(atomic_load(&child_of_host_function)), RIGHT);
    cushim_stream_release(stream);
    cushim_context_release(context);
    end();
}

static void programs_that_are_started_leave_the_process_alone(void **state)
{
    char *const words[] = {(char *)"true", NULL};
    char *const none[] = {NULL};
    pid_t child;

    (void)state;
    begin();
    assert_int_equal(posix_spawnp(&child, "true", NULL, NULL, words, none), 0);
    assert_int_equal(answer_of(child), 0);
    child = vfork();
    if (child == 0)
        _exit(7);
    assert_int_equal(answer_of(child), 7);
    assert_int_equal(cushim_load(NULL), CUDA_SUCCESS);
    end();
}

/* --- what a table that was kept does: documented as not to be done --- */

static const struct cushim_table *kept;
static CUevent handle;

static int query_by_the_kept_table(void)
{
    return (int)kept->EventQuery(handle);
}

static void table_that_is_kept_across_a_fork_leads_to_the_driver(void **state)
{
    (void)state;
    begin();
    kept = cushim_driver();
    assert_int_equal(forked_answer(query_by_the_kept_table), CUDA_ERROR_INVALID_HANDLE);
    end();
}

static void boot_table_that_is_kept_across_a_fork_answers_3(void **state)
{
    (void)state;
    kept = cushim_driver();
    assert_ptr_equal(kept, &cushim__boot_table);
    begin();
    assert_int_equal(forked_answer(query_by_the_kept_table), CUDA_ERROR_NOT_INITIALIZED);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        forked_test(child_can_only_let_go_of_objects),
        forked_test(grandchild_can_only_let_go_of_objects),
        forked_test(child_of_another_thread_can_only_let_go_of_objects),
        forked_test(child_of_a_signal_handler_can_only_let_go_of_objects),
        forked_test(child_of_a_host_function_can_only_let_go_of_objects),
        forked_test(programs_that_are_started_leave_the_process_alone),
        forked_test(table_that_is_kept_across_a_fork_leads_to_the_driver),
        forked_test(boot_table_that_is_kept_across_a_fork_answers_3),
    };

    int failed;

    tally = mmap(NULL, sizeof *tally, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (tally == MAP_FAILED)
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    printf("%u children: %u calls and %u releases, %u not as documented\n", tally->children,
           tally->calls, tally->releases, tally->wrong);
    return failed;
}
