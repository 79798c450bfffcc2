/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first load against everything else that a process does, round after round, each in a process
 * of its own, at another distance in time.
 *
 *     life-race SCENE ROUNDS [PLUGIN]
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/plugins/plugin.h"
#include "tests/unit/fake.h"

enum { THREADS = 64, WATCHDOG_SECONDS = 60 };
enum { RIGHT = 0, WRONG = 1, NO_THREAD = 2 };

static const char *plugin_path;
static unsigned round_number;
static atomic_uint wrong_answers;
static atomic_bool over;

/* Another moment in each round. */
static void wait_a_little(void)
{
    for (volatile unsigned i = 0; i < round_number * 131 % 20011; i++)
        continue;
}

static void expect(bool claim)
{
    if (!claim)
        atomic_fetch_add(&wrong_answers, 1);
}

static bool is_loaded_once(void)
{
    return fake_query() == (CUresult)FAKE_LIBRARY_ANSWER && fake_library_calls() == 1 &&
           atomic_load(&wrong_answers) == 0;
}

/* Run `body` in another thread beside `other` in this one. */
static int beside(void *(*body)(void *), void (*other)(void))
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, body, NULL) != 0)
        return NO_THREAD;
    wait_a_little();
    other();
    atomic_store(&over, true);
    pthread_join(thread, NULL);
    return is_loaded_once() ? RIGHT : WRONG;
}

static void load_it(void)
{
    expect(cushim_load(NULL) == CUDA_SUCCESS);
}

static void *load_in_a_thread(void *unused)
{
    load_it();
    return unused;
}

/* --- many threads, in every way --- */

static pthread_barrier_t start;

static void *call_first(void *data)
{
    const unsigned way = (unsigned)(uintptr_t)data % 4;

    pthread_barrier_wait(&start);
    switch (way) {
    case 0:
        expect(fake_query() == (CUresult)FAKE_LIBRARY_ANSWER);
        break;
    case 1:
        expect(cushim_load(NULL) == CUDA_SUCCESS);
        break;
    case 2:
        expect(cushim_init(NULL) == CUDA_SUCCESS);
        break;
    default: {
        int count;
        const CUresult code = cushim_device_count(&count);

        expect(code == CUDA_SUCCESS || code == CUDA_ERROR_NOT_INITIALIZED);
    }
    }
    return NULL;
}

static int first_calls(void)
{
    pthread_t threads[THREADS];

    if (pthread_barrier_init(&start, NULL, THREADS) != 0)
        return NO_THREAD;
    for (uintptr_t i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, call_first, (void *)i) != 0)
            _exit(NO_THREAD);
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return is_loaded_once() ? RIGHT : WRONG;
}

/* --- against who installs --- */

/* While a table is installed it answers, whatever is published behind it. */
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

/* A library of its own, or nothing would be loaded behind an installed table. */
static void load_by_name(void)
{
    expect(fake_load_library(FAKE_LIBRARY) == CUDA_SUCCESS);
}

static int installs(void)
{
    return beside(install_again_and_again, load_by_name);
}

/* --- against forks --- */

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
        loaded = cushim_load(NULL);
        _exit((answer == (CUresult)FAKE_LIBRARY_ANSWER && loaded == CUDA_SUCCESS) ||
                      (answer == CUDA_ERROR_NOT_INITIALIZED && loaded == answer)
                  ? RIGHT
                  : WRONG);
    }
    expect(end_of(child) == RIGHT);
}

static int forks(void)
{
    return beside(load_in_a_thread, fork_and_call);
}

/* --- against plugins with a cushim of their own --- */

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

/* The library is asked for its version by both. */
static int plugins(void)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, open_and_close, NULL) != 0)
        return NO_THREAD;
    wait_a_little();
    load_it();
    pthread_join(thread, NULL);
    return fake_query() == (CUresult)FAKE_LIBRARY_ANSWER && fake_library_calls() == 2 &&
                   atomic_load(&wrong_answers) == 0
               ? RIGHT
               : WRONG;
}

/* --- against signal handlers --- */

static atomic_bool begun;

void *__real_cushim__memory_take(size_t size);
void *__wrap_cushim__memory_take(size_t size);

/* The linker puts this in its place: the first thing that is done once a thread has the turn. */
void *__wrap_cushim__memory_take(size_t size)
{
    atomic_store(&begun, true);
    return __real_cushim__memory_take(size);
}

/* The handler must not be the one that loads, which is no work for it. */
static void call_in_handler(int number)
{
    CUresult answer;

    (void)number;
    if (!atomic_load(&begun))
        return;
    answer = fake_query();
    expect(answer == CUDA_ERROR_NOT_INITIALIZED || answer == (CUresult)FAKE_LIBRARY_ANSWER);
}

/* As often as the system lets it; not so that nothing else would run. */
static int signals(void)
{
    const struct itimerval often = {{0, 100}, {0, 1 + round_number % 500}},
                           never = {{0, 0}, {0, 0}};
    struct sigaction action = {.sa_handler = call_in_handler, .sa_flags = SA_RESTART};

    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    wait_a_little();
    load_it();
    for (int i = 0; i < 10; i++)
        expect(fake_query() == (CUresult)FAKE_LIBRARY_ANSWER);
    setitimer(ITIMER_REAL, &never, NULL);
    return is_loaded_once() ? RIGHT : WRONG;
}

/* --- against cancelling --- */

static atomic_uint pauses;

void __real_cushim__pause(unsigned turns);
void __wrap_cushim__pause(unsigned turns);

/* The linker puts this in the place of cushim__pause(). */
void __wrap_cushim__pause(unsigned turns)
{
    atomic_fetch_add(&pauses, 1);
    __real_cushim__pause(turns);
}

static int cancels(void)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, load_in_a_thread, NULL) != 0)
        return NO_THREAD;
    wait_a_little();
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    atomic_store(&pauses, 0);
    load_it();
    expect(atomic_load(&pauses) == 0); /* nobody has left the turn behind */
    return is_loaded_once() ? RIGHT : WRONG;
}

static const struct {
    const char *name;
    int (*run)(void);
} scenes[] = {
    {"first-calls", first_calls}, {"installs", installs}, {"forks", forks},
    {"plugins", plugins},         {"signals", signals},   {"cancels", cancels},
};

static int play(const char *name, int (*run)(void), unsigned rounds)
{
    unsigned others = 0;

    for (round_number = 0; round_number < rounds; round_number++) {
        const pid_t child = fork();
        int status;

        if (child == 0) {
            if (run != signals)
                alarm(WATCHDOG_SECONDS);
            _exit(run());
        }
        status = end_of(child);
        if (status != RIGHT)
            printf("%s: round %u ends with %d\n", name, round_number, status);
        others += status != RIGHT;
    }
    printf("%s: %u rounds, %u of them wrong, hung or crashed\n", name, rounds, others);
    return others != 0;
}

int main(int count, char **words)
{
    if (count >= 3) {
        plugin_path = count > 3 ? words[3] : NULL;
        setenv("CUSHIM_LIBRARY", FAKE_LIBRARY, 1);
        setvbuf(stdout, NULL, _IONBF, 0);
        for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
            if (strcmp(words[1], scenes[i].name) == 0)
                return play(scenes[i].name, scenes[i].run, (unsigned)atoi(words[2]));
        }
    }
    fprintf(stderr, "usage: life-race SCENE ROUNDS [PLUGIN]\n");
    return 64;
}
