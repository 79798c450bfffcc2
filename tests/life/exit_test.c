/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of a process: whatever runs then may call, and nothing that cushim does is in the way.
 * Each scene is a process of its own, which must end as it would without cushim.
 *
 *     life-exit ROUNDS DRIVER...
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

enum { STATUS = 42, WATCHDOG_SECONDS = 60 };

/* Shared with the children: what they did. */
static struct tally {
    atomic_uint handlers, releases, surfaced, calls;
} * tally;

static struct cushim_context *context;
static struct cushim_stream *stream;
static struct cushim_event *event;
static bool has_objects; /* the driver has contexts */

static void begin(void)
{
    has_objects = cushim_init(NULL) == CUDA_SUCCESS &&
                  cushim_context_retain_primary(&context, 0) == CUDA_SUCCESS &&
                  cushim_stream_create(&stream, context, NULL) == CUDA_SUCCESS &&
                  cushim_event_create_recorded(&event, stream, NULL) == CUDA_SUCCESS;
}

static void let_go(CUresult code)
{
    atomic_fetch_add(&tally->releases, 1);
    atomic_fetch_add(&tally->surfaced, code != CUDA_SUCCESS);
}

/* What a program does in its last moments: look, and let go. */
static void use_late(void)
{
    int count;

    atomic_fetch_add(&tally->handlers, 1);
    cushim_device_count(&count);
    cushim_load(NULL);
    if (!has_objects)
        return;
    cushim_event_query(event);
    let_go(cushim_event_release(event));
    let_go(cushim_stream_release(stream));
    let_go(cushim_context_release(context));
    has_objects = false;
}

static bool in_destructor;

__attribute__((destructor)) static void end_of_program(void)
{
    if (in_destructor)
        use_late();
}

/* --- scenes: each ends the process with STATUS --- */

static void handler_from_before_the_load(void)
{
    atexit(use_late);
    begin();
    exit(STATUS);
}

static void handler_from_after_the_load(void)
{
    begin();
    atexit(use_late);
    exit(STATUS);
}

static void begin_and_use(void)
{
    begin();
    use_late();
}

static void handler_that_loads_first(void)
{
    atexit(begin_and_use);
    exit(STATUS);
}

static void destructor_of_the_program(void)
{
    in_destructor = true;
    begin();
    exit(STATUS);
}

static void handler_of_quick_exit(void)
{
    at_quick_exit(use_late);
    begin();
    quick_exit(STATUS);
}

static void no_handler_at_all(void)
{
    begin();
    _exit(STATUS);
}

/* --- threads --- */

static pthread_key_t key;

static void end_of_thread(void *unused)
{
    (void)unused;
    begin_and_use();
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
    exit(STATUS);
}

static void *call_for_ever(void *unused)
{
    for (;;) {
        cushim_driver()->EventQuery(NULL);
        cushim_load(NULL);
        atomic_fetch_add(&tally->calls, 1);
    }
    return unused;
}

/*
 * Threads that still call, and load, while the process ends: in the first round they have begun to,
 * and in the others that is as it comes.
 */
static void detached_threads(void)
{
    pthread_t threads[3];

    atexit(use_late);
    for (size_t i = 0; i < 3; i++) {
        if (pthread_create(&threads[i], NULL, call_for_ever, NULL) != 0)
            _exit(1);
        pthread_detach(threads[i]);
    }
    while (atomic_load(&tally->calls) < 3)
        sched_yield();
    exit(STATUS);
}

static const struct {
    const char *name;
    void (*run)(void);
    unsigned handlers; /* that run in it */
} scenes[] = {
    {"atexit handler from before the load", handler_from_before_the_load, 1},
    {"atexit handler from after the load", handler_from_after_the_load, 1},
    {"atexit handler that loads first", handler_that_loads_first, 1},
    {"destructor of the program", destructor_of_the_program, 1},
    {"at_quick_exit handler", handler_of_quick_exit, 1},
    {"_exit", no_handler_at_all, 0},
    {"destructor of a thread", destructor_of_a_thread, 1},
    {"threads that call while the process ends", detached_threads, 1},
};

/* How a process ends that plays a scene: its status, or less than 0 for a signal. */
static int end_of(void (*run)(void))
{
    const pid_t child = fork();
    int status = 0;

    if (child == 0) {
        alarm(WATCHDOG_SECONDS);
        run();
        _exit(1);
    }
    while (waitpid(child, &status, 0) != child)
        continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static unsigned play(const char *driver, unsigned rounds)
{
    const char *name = strrchr(driver, '/');
    unsigned wrong = 0;

    setenv("CUSHIM_LIBRARY", driver, 1);
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        memset(tally, 0, sizeof *tally);
        for (unsigned round = 0; round < rounds; round++) {
            const int status = end_of(scenes[i].run);

            if (status != STATUS)
                printf("not so: %s ends with %d\n", scenes[i].name, status);
            wrong += status != STATUS;
        }
        printf("%s: %u x %s: %u handlers, %u releases, %u of them failed\n",
               name ? name + 1 : driver, rounds, scenes[i].name, tally->handlers, tally->releases,
               tally->surfaced);
        wrong += tally->surfaced + (tally->handlers != rounds * scenes[i].handlers);
    }
    return wrong;
}

int main(int count, char **words)
{
    unsigned wrong = 0;

    if (count < 3) {
        fprintf(stderr, "usage: life-exit ROUNDS DRIVER...\n");
        return 64;
    }
    setvbuf(stdout, NULL, _IONBF, 0);
    setenv("CUSHIM_MOCK_SETTINGS", "quiet = yes", 1);
    tally = mmap(NULL, sizeof *tally, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (tally == MAP_FAILED)
        return 1;
    for (int i = 2; i < count; i++)
        wrong += play(words[i], (unsigned)atoi(words[1]));
    printf("%u ended otherwise\n", wrong);
    return wrong != 0;
}
