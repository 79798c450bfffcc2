/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record of the last load while it is being written: a signal handler comes in between, and
 * another thread. The memory that is copied from is taken away at that instant, so that the copy
 * stops where a handler of the test can look.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include "fake.h"
#include "forked.h"
#include "loader/system.h"

static struct fake_source broken = {.lacks = {"cuInit"}};

/* What the load has taken last. */
static void *taken;
static size_t taken_size;
static bool stop_the_copy;

void *__real_cushim__memory_take(size_t size);
void *__wrap_cushim__memory_take(size_t size);
bool __real_cushim__turn_commit(void);
bool __wrap_cushim__turn_commit(void);
void __real_cushim__pause(unsigned turns);
void __wrap_cushim__pause(unsigned turns);

/* The linker puts these in their place. */
void *__wrap_cushim__memory_take(size_t size)
{
    void *memory = __real_cushim__memory_take(size);

    if (!stop_the_copy) {
        taken = memory;
        taken_size = size;
    }
    return memory;
}

/* The next that is done is to copy the report. */
bool __wrap_cushim__turn_commit(void)
{
    const bool is_ours = __real_cushim__turn_commit();

    stop_the_copy = true;
    mprotect(taken, taken_size, PROT_NONE);
    return is_ours;
}

static atomic_uint paused;

void __wrap_cushim__pause(unsigned turns)
{
    atomic_fetch_add(&paused, 1);
    __real_cushim__pause(turns);
}

static struct cushim_report in_handler;
static CUresult code_in_handler = CUDA_ERROR_UNKNOWN;
static pthread_t reader;
static struct cushim_report in_reader = {.size = sizeof in_reader};
static atomic_bool may_read, read_all;

static void *read_report(void *unused)
{
    while (!atomic_load(&may_read))
        sched_yield();
    cushim_report_get(&in_reader);
    atomic_store(&read_all, true);
    return unused;
}

/* In the middle of the copy: this thread reads, and another one waits for its end. */
static void look(int number)
{
    (void)number;
    mprotect(taken, taken_size, PROT_READ | PROT_WRITE);
    in_handler.size = sizeof in_handler;
    code_in_handler = cushim_report_get(&in_handler);
    atomic_store(&may_read, true);
    while (atomic_load(&paused) == 0 && !atomic_load(&read_all))
        sched_yield();
}

static void handler_that_interrupts_the_record_reads_and_does_not_hang(void **state)
{
    const struct sigaction action = {.sa_handler = look, .sa_flags = SA_NODEFER};

    (void)state;
    assert_int_equal(pthread_create(&reader, NULL, read_report, NULL), 0);
    assert_int_equal(sigaction(SIGSEGV, &action, NULL), 0);
    assert_int_equal(fake_load(&broken), CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND);
    assert_int_equal(code_in_handler, CUDA_SUCCESS);
    assert_non_null(memchr(in_handler.reason, '\0', sizeof in_handler.reason));
    assert_int_equal(pthread_join(reader, NULL), 0);
}

static void thread_that_comes_meanwhile_waits_and_reads_the_whole(void **state)
{
    const struct sigaction action = {.sa_handler = look, .sa_flags = SA_NODEFER};
    struct cushim_report after;

    (void)state;
    assert_int_equal(pthread_create(&reader, NULL, read_report, NULL), 0);
    assert_int_equal(sigaction(SIGSEGV, &action, NULL), 0);
    assert_int_equal(fake_load(&broken), CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND);
    assert_int_equal(pthread_join(reader, NULL), 0);
    assert_true(atomic_load(&paused) > 0);
    after = fake_report();
    assert_int_equal(in_reader.candidate_count, 1);
    assert_string_equal(in_reader.candidates[0].message, "it has no symbol cuInit");
    assert_string_equal(in_reader.candidates[0].message, after.candidates[0].message);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        forked_test(handler_that_interrupts_the_record_reads_and_does_not_hang),
        forked_test(thread_that_comes_meanwhile_waits_and_reads_the_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
