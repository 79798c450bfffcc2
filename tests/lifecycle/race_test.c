/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first load, concurrent with other actions of the process. Each round is a process of its own,
 * with a different delay.
 *
 *     race SCENARIO ROUNDS [PLUGIN]
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "loader/loader.h"
#include "tests/plugins/plugin.h"
#include "tests/unit/fake.h"

enum { MOST_THREADS = 64, MOST_SIGNALS = 1000, WATCHDOG_SECONDS = 60 };
enum { RIGHT = 0, WRONG = 1, NO_THREAD = 2 };

static const char *plugin_path;
static unsigned round_number;
static pthread_t threads[MOST_THREADS];
static atomic_uint wrong_answers;
static atomic_bool over;

static void expect(bool claim)
{
    if (!claim)
        atomic_fetch_add(&wrong_answers, 1);
}

static void load(void)
{
    expect(cushim_driver_load(NULL) == CUDA_SUCCESS);
}

static void *load_in_a_thread(void *unused)
{
    load();
    return unused;
}

/* --- many threads that make every kind of first call --- */

static void *call_first(void *data)
{
    static atomic_uint ready;
    int count;
    CUresult code;

    atomic_fetch_add(&ready, 1);
    while (atomic_load(&ready) < MOST_THREADS)
        sched_yield();
    switch ((uintptr_t)data % 4) {
    case 0:
        expect(fake_query() == (CUresult)FAKE_LIBRARY_ANSWER);
        break;
    case 1:
        load();
        break;
    case 2:
        expect(cushim_driver_init(NULL) == CUDA_SUCCESS);
        break;
    default:
        code = cushim_driver()->DeviceGetCount(&count);
        expect(code == CUDA_SUCCESS || code == CUDA_ERROR_NOT_INITIALIZED);
    }
    return NULL;
}

/* --- concurrent with a thread that installs tables --- */

/* An installed table stays current while a driver is published. */
static void *install_again_and_again(void *unused)
{
    const struct cushim_table *mock = fake_mock();

    while (!atomic_load(&over)) {
        cushim_table_install(mock, NULL);
        for (int i = 0; i < 200; i++)
            expect(fake_query() == (CUresult)FAKE_MOCK_ANSWER);
        cushim_table_install(NULL, NULL);
    }
    return unused;
}

/* Load from a source that fails, then from a library that succeeds. */
static void load_twice(void)
{
    struct fake_source broken = {.lacks = {"cuInit"}};

    expect(fake_load(&broken) == CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND);
    expect(fake_load_library(FAKE_LIBRARY) == CUDA_SUCCESS);
}

/* --- concurrent with forks --- */

static int end_of(pid_t child)
{
    int status = 0;

    while (waitpid(child, &status, 0) != child)
        continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void fork_and_call(void)
{
    const pid_t child = fork();

    if (child == 0) {
        CUresult answer, loaded;

        alarm(WATCHDOG_SECONDS);
        answer = fake_query();
        loaded = cushim_driver_load(NULL);
        _exit((answer == (CUresult)FAKE_LIBRARY_ANSWER && loaded == CUDA_SUCCESS) ||
                      (answer == CUDA_ERROR_NOT_INITIALIZED && loaded == answer)
                  ? RIGHT
                  : WRONG);
    }
    expect(end_of(child) == RIGHT);
}

/* --- concurrent with plugins that contain their own copy of cushim --- */

static void *open_and_close(void *unused)
{
    void *handle = dlopen(plugin_path, RTLD_NOW | RTLD_LOCAL);
    void *symbol = handle ? dlsym(handle, "plugin") : NULL;
    plugin_function function;

    expect(symbol != NULL);
    if (!symbol)
        return unused;
    memcpy(&function, &symbol, sizeof function);
    expect(function()->load() == 0);
    expect(dlclose(handle) == 0);
    return unused;
}

/* --- concurrent with signal handlers --- */

static timer_t timer;

/* Times of 0 stop the signals. */
static int set_timer(long first_ns, long again_ns)
{
    const struct itimerspec times = {.it_interval.tv_nsec = again_ns, .it_value.tv_nsec = first_ns};

    return timer_settime(timer, 0, &times, NULL);
}

/* The handler must not load the driver itself: dlopen() is not async-signal-safe. */
static void call_in_handler(int number)
{
    static unsigned signals;
    CUresult answer;

    /*
     * If the handler takes longer than the interval between two signals, no other code would run.
     */
    if (++signals == MOST_SIGNALS)
        set_timer(0, 0);
    if (!cushim__is_loading() && !cushim__loaded_driver())
        return;
    answer = fake_query();
    expect(answer == CUDA_ERROR_NOT_INITIALIZED || answer == (CUresult)FAKE_LIBRARY_ANSWER);
}

static void load_under_signals(void)
{
    struct sigaction action = {.sa_handler = call_in_handler, .sa_flags = SA_RESTART};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};

    sigaction(SIGUSR1, &action, NULL);
    expect(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    expect(set_timer(1000 * (1 + (long)round_number % 500), 100000) == 0);
    load();
    for (int i = 0; i < 10; i++)
        expect(fake_query() == (CUresult)FAKE_LIBRARY_ANSWER);
    expect(timer_delete(timer) == 0);
}

/* --- concurrent with cancellation --- */

static void cancel_and_load(void)
{
    pthread_cancel(threads[0]);
    load();
}

static const struct scenario {
    const char *name;
    unsigned thread_count;
    void *(*body)(void *); /* run by each thread */
    void (*other)(void);   /* run by the main thread meanwhile */
} scenarios[] = {
    {"first-calls", MOST_THREADS, call_first, NULL},
    {"installs", 1, install_again_and_again, load_twice},
    {"forks", 1, load_in_a_thread, fork_and_call},
    {"plugins", 1, open_and_close, load},
    {"signals", 0, NULL, load_under_signals},
    {"cancels", 1, load_in_a_thread, cancel_and_load},
};

static int run(const struct scenario *scenario)
{
    alarm(WATCHDOG_SECONDS);
    for (uintptr_t i = 0; i < scenario->thread_count; i++) {
        if (pthread_create(&threads[i], NULL, scenario->body, (void *)i) != 0)
            return NO_THREAD;
    }
    /* A different delay in each round. */
    for (volatile unsigned i = 0; i < round_number * 131 % 20011; i++)
        continue;
    if (scenario->other)
        scenario->other();
    atomic_store(&over, true);
    for (unsigned i = 0; i < scenario->thread_count; i++)
        pthread_join(threads[i], NULL);
    /* No thread is still in a load, and the driver's table is current. */
    return fake_query() == (CUresult)FAKE_LIBRARY_ANSWER && !cushim__is_loading() &&
                   cushim_driver() == cushim__own_table() && atomic_load(&wrong_answers) == 0
               ? RIGHT
               : WRONG;
}

int main(int count, char **arguments)
{
    const struct scenario *scenario = scenarios;
    const unsigned rounds = count >= 3 ? (unsigned)atoi(arguments[2]) : 0;
    unsigned others = 0;

    plugin_path = count > 3 ? arguments[3] : NULL;
    setenv("CUSHIM_LIBRARY", FAKE_LIBRARY, 1);
    while (rounds && scenario < scenarios + COUNT(scenarios) &&
           strcmp(arguments[1], scenario->name) != 0)
        scenario++;
    if (rounds == 0 || scenario == scenarios + COUNT(scenarios))
        return 64;
    for (round_number = 0; round_number < rounds; round_number++) {
        const pid_t child = fork();
        int status;

        if (child == 0)
            _exit(run(scenario));
        status = end_of(child);
        if (status != RIGHT)
            printf("%s: round %u ends with %d\n", scenario->name, round_number, status);
        others += status != RIGHT;
    }
    printf("%s: %u rounds, %u of them wrong, hung or crashed\n", scenario->name, rounds, others);
    return others != 0;
}
