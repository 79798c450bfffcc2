/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Children that have the memory of their parent: of vfork(), and of clone() as posix_spawn() makes
 * them. What such a one does before it ends is done in the parent, too, and does it no harm.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "loader/system.h"
#include "tests/unit/fake.h"
#include "tests/unit/forked.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

extern char **environ;

static struct fake_source source;
static unsigned tried;

/* --- a load lasts until the child waits for it, or has ended --- */

static atomic_bool has_begun, child_waits, child_is_done;

void __wrap_cushim__pause(unsigned turns);

void __wrap_cushim__pause(unsigned turns)
{
    (void)turns;
    atomic_store(&child_waits, true);
    sched_yield();
}

static void hold(const char *symbol)
{
    if (strcmp(symbol, "cuInit") != 0 || atomic_exchange(&has_begun, true))
        return;
    while (!atomic_load(&child_waits) && !atomic_load(&child_is_done))
        sched_yield();
}

static void *load_in_a_thread(void *unused)
{
    (void)unused;
    return (void *)(intptr_t)fake_load(&source);
}

/* --- what the child does --- */

static void load(void)
{
    fake_load(&source);
}

static void initialise(void)
{
    const struct cushim_load_options options = {
        .size = sizeof options, .resolver = fake_resolve, .resolver_data = &source};

    cushim_init(&options);
}

static void call(void)
{
    fake_query();
}

static void report(void)
{
    static struct cushim_report report = {.size = sizeof report};
    static char text[8192];

    cushim_report_get(&report);
    cushim_report_text(&report, text, sizeof text);
}

static void install(void)
{
    cushim_table_install(NULL, NULL);
}

static void do_nothing(void)
{
}

static void (*const acts[])(void) = {load, initialise, call, report, install, do_nothing};

/* --- how the child is made --- */

static void (*act)(void);

static int run(void *unused)
{
    (void)unused;
    act();
    atomic_store(&child_is_done, true);
    _exit(0);
}

static pid_t by_vfork(void)
{
    const pid_t child = vfork();

    if (child == 0)
        run(NULL);
    return child;
}

static pid_t by_clone(int flags)
{
    static char stack[1 << 20] __attribute__((aligned(64)));

    return clone(run, stack + sizeof stack - 64, flags | CLONE_VM | SIGCHLD, NULL);
}

static pid_t by_clone_as_vfork(void)
{
    return by_clone(CLONE_VFORK);
}

static pid_t by_clone_at_once(void)
{
    return by_clone(0);
}

/* Runs nothing of cushim's, whatever it is. */
static pid_t by_spawn(void)
{
    char word[] = "true";
    char *words[] = {word, NULL};
    pid_t child = -1;

    if (posix_spawnp(&child, "true", NULL, NULL, words, environ) != 0)
        return -1;
    atomic_store(&child_is_done, true);
    return child;
}

static pid_t (*const makers[])(void) = {by_vfork, by_clone_as_vfork, by_clone_at_once, by_spawn};

/* --- when --- */

enum moment { BEFORE, DURING, LOADED, READY, MOMENTS };

static enum moment moment;
static pid_t (*make)(void);

/* In a process of its own: which claim is broken, or 0. */
static int judge_parent(void)
{
    void *code = NULL;
    pthread_t loader;
    pid_t child;
    int status = 0;

    if (moment == DURING) {
        source.looked_up = hold;
        if (pthread_create(&loader, NULL, load_in_a_thread, NULL) != 0)
            return 1;
        while (!atomic_load(&has_begun))
            sched_yield();
    } else if (moment == LOADED) {
        load();
    } else if (moment == READY) {
        initialise();
    }
    child = make();
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        return 2;
    if (moment == DURING && (pthread_join(loader, &code) != 0 || code != NULL))
        return 3;
    if (fake_load(&source) != CUDA_SUCCESS || fake_query() != (CUresult)FAKE_ANSWER)
        return 4;
    initialise();
    return fake_report().state == CUSHIM_STATE_READY ? 0 : 5;
}

/* Where the system does not tell who shares memory, a load of another thread is lost to the parent. */
static bool is_told(void)
{
    return cushim__shares_memory((uint32_t)getpid());
}

static void check_moment(enum moment when)
{
    moment = when;
    for (size_t i = 0; i < COUNT(makers); i++) {
        for (size_t k = 0; k < COUNT(acts); k++) {
            int broken;

            make = makers[i];
            act = acts[k];
            broken = forked_answer(judge_parent);
            tried++;
            if (broken)
                fail_msg("maker %zu, act %zu: claim %d is broken", i, k, broken);
        }
    }
}

static void child_before_any_load_does_no_harm(void **state)
{
    (void)state;
    check_moment(BEFORE);
}

static void child_while_another_thread_loads_waits_for_that(void **state)
{
    (void)state;
    if (!is_told()) {
        print_message("the system does not tell which processes share memory (kcmp)\n");
        skip();
    }
    check_moment(DURING);
}

static void child_after_the_load_does_no_harm(void **state)
{
    (void)state;
    check_moment(LOADED);
}

static void child_after_the_driver_is_initialised_does_no_harm(void **state)
{
    (void)state;
    check_moment(READY);
}

static void process_that_is_forked_has_memory_of_its_own(void **state)
{
    const pid_t child = fork();
    int status = 0;

    (void)state;
    if (child == 0)
        _exit(cushim__shares_memory((uint32_t)getppid()));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_false(cushim__shares_memory((uint32_t)child));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(child_before_any_load_does_no_harm),
        cmocka_unit_test(child_while_another_thread_loads_waits_for_that),
        cmocka_unit_test(child_after_the_load_does_no_harm),
        cmocka_unit_test(child_after_the_driver_is_initialised_does_no_harm),
        cmocka_unit_test(process_that_is_forked_has_memory_of_its_own),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);

    fprintf(stderr, "children with the memory of their parent: %u tried, %d tests lost\n", tried,
            failed);
    return failed;
}
