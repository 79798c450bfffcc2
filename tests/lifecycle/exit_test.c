/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The exit of a process: all code that runs then may call cushim, and cushim does not change how
 * the process ends. Each scenario is a process of its own, which must end as it would without
 * cushim.
 *
 *     exit ROUNDS DRIVER...
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cushim/cushim.h>

enum { STATUS = 42, WATCHDOG_SECONDS = 60, THREADS = 3 };

/* Shared with the children: their calls and handlers that succeeded. */
static struct tally {
    atomic_uint handlers, calls;
} * tally;

static struct cushim_context *context;
static struct cushim_stream *stream;
static struct cushim_event *event;
static bool has_objects; /* the driver has contexts */

static void begin(void)
{
    has_objects = cushim_driver_init(NULL) == CUDA_SUCCESS &&
                  cushim_context_retain_primary(0, &context) == CUDA_SUCCESS &&
                  cushim_stream_create(context, NULL, &stream) == CUDA_SUCCESS &&
                  cushim_event_create_recorded(stream, NULL, &event) == CUDA_SUCCESS;
}

/* The calls of a program during its exit: query, load and release. */
static void use_late(void)
{
    int count;

    cushim_driver()->DeviceGetCount(&count);
    cushim_driver_load(NULL);
    if (!has_objects || (cushim_event_release(event) == CUDA_SUCCESS &&
                         cushim_stream_release(stream) == CUDA_SUCCESS &&
                         cushim_context_release(context) == CUDA_SUCCESS))
        atomic_fetch_add(&tally->handlers, 1);
}

/* --- scenarios: each returns, and its process ends with STATUS --- */

static void handler_from_before_the_load(void)
{
    atexit(use_late);
    begin();
}

static bool in_destructor;

__attribute__((destructor)) static void end_of_program(void)
{
    if (in_destructor)
        use_late();
}

static void destructor_of_the_program(void)
{
    in_destructor = true;
    begin();
}

static pthread_key_t key;

static void end_of_thread(void *unused)
{
    begin();
    use_late();
}

static void *set_key(void *data)
{
    pthread_setspecific(key, data);
    return NULL;
}

static void destructor_of_a_thread(void)
{
    pthread_t thread;

    if (pthread_key_create(&key, end_of_thread) != 0 ||
        pthread_create(&thread, NULL, set_key, &key) != 0)
        _exit(1);
    pthread_join(thread, NULL);
}

static void *call_for_ever(void *unused)
{
    for (;;) {
        cushim_driver()->EventQuery(NULL);
        cushim_driver_load(NULL);
        atomic_fetch_add(&tally->calls, 1);
    }
    return unused;
}

/* In the first round all threads are calling when the process ends; in the others it varies. */
static void threads_that_call_while_the_process_ends(void)
{
    pthread_t threads[THREADS];

    atexit(use_late);
    for (size_t i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, call_for_ever, NULL) != 0)
            _exit(1);
        pthread_detach(threads[i]);
    }
    while (atomic_load(&tally->calls) < THREADS)
        sched_yield();
}

#define SCENARIO(function) #function, function

static const struct {
    const char *name;
    void (*run)(void);
} scenarios[] = {
    {SCENARIO(handler_from_before_the_load)},
    {SCENARIO(destructor_of_the_program)},
    {SCENARIO(destructor_of_a_thread)},
    {SCENARIO(threads_that_call_while_the_process_ends)},
};

/* Run a scenario in a process. Returns its status; less than 0 for a signal. */
static int end_of(void (*run)(void))
{
    const pid_t child = fork();
    int status = 0;

    if (child == 0) {
        alarm(WATCHDOG_SECONDS);
        run();
        exit(STATUS);
    }
    while (waitpid(child, &status, 0) != child)
        continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static unsigned run_all(const char *driver, unsigned rounds)
{
    unsigned wrong = 0;

    setenv("CUSHIM_LIBRARY", driver, 1);
    for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++) {
        unsigned others = 0;

        memset(tally, 0, sizeof *tally);
        for (unsigned round = 0; round < rounds; round++)
            others += end_of(scenarios[i].run) != STATUS;
        printf("%s: %s: %u of %u ended differently, and %u handlers succeeded\n", driver,
               scenarios[i].name, others, rounds, tally->handlers);
        wrong += others + (tally->handlers != rounds);
    }
    return wrong;
}

int main(int count, char **arguments)
{
    unsigned wrong = 0;

    setvbuf(stdout, NULL, _IONBF, 0);
    setenv("CUSHIM_MOCK_SETTINGS", "quiet = yes", 1);
    tally = mmap(NULL, sizeof *tally, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (tally == MAP_FAILED)
        return 1;
    for (int i = 2; i < count; i++)
        wrong += run_all(arguments[i], (unsigned)atoi(arguments[1]));
    return count < 3 || wrong != 0;
}
