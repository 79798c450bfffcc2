/* SPDX-License-Identifier: Apache-2.0 */
/* Linux, with glibc or musl. */
#define _GNU_SOURCE
#include "src/base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

const bool cushim__system_is_windows = false;

uint32_t cushim__system_process_id(void)
{
    return (uint32_t)getpid();
}

/* Every thread has an errno of its own. */
uintptr_t cushim__system_thread_token(void)
{
    return (uintptr_t)&errno;
}

void cushim__system_yield(unsigned times)
{
    /* Yield 16 times, then sleep for 50 us, and from the 64th time on for 1 ms. */
    const struct timespec rest = {.tv_nsec = times < 64 ? 50 * 1000 : 1000 * 1000};

    if (times < 16)
        sched_yield();
    else
        nanosleep(&rest, NULL); /* a signal may end it, and the caller looks again */
}

uint64_t cushim__system_clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void cushim__system_sleep_ns(uint64_t duration)
{
    struct timespec rest = {.tv_sec = (time_t)(duration / 1000000000u),
                            .tv_nsec = (long)(duration % 1000000000u)};

    while (nanosleep(&rest, &rest) != 0 && errno == EINTR)
        continue;
}

const char *cushim__system_variable(const char *name, char *buffer, size_t size)
{
    (void)buffer;
    (void)size;
    return secure_getenv(name);
}

bool cushim__system_ignores_environment(const char *name)
{
    return getauxval(AT_SECURE) != 0 && (!name || getenv(name));
}

bool cushim__system_process_was_forked(void)
{
    enum { FLAGS_FIELD = 7, FORKED_WITHOUT_EXEC = 0x40 }; /* proc(5); PF_FORKNOEXEC */
    const int file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    char text[512];
    const ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);
    char *field;

    if (file >= 0)
        close(file);
    if (length <= 0)
        return false;
    text[length] = '\0';
    field = strrchr(text, ')'); /* behind the name, which may contain anything */
    for (int i = 0; field && i < FLAGS_FIELD; i++)
        field = strchr(field + 1, ' ');
    return field && strtoul(field, NULL, 10) & FORKED_WITHOUT_EXEC;
}

bool cushim__system_path_is_absolute(const char *path)
{
    return path[0] == '/';
}

bool cushim__system_path_is_same_file(const char *one, const char *other)
{
    struct stat a, b;
    return stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

void *cushim__system_map_pages(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void cushim__system_unmap_pages(void *memory, size_t size)
{
    munmap(memory, size);
}

int cushim__system_disable_cancellation(void)
{
    int former = PTHREAD_CANCEL_ENABLE;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &former);
    return former;
}

void cushim__system_restore_cancellation(int former)
{
    pthread_setcancelstate(former, NULL);
}

typedef void (*_Atomic fork_handler)(void);

static struct {
    fork_handler prepare, parent, child;
} forks[CUSHIM__FORK_PARTS];

static void call(const fork_handler *handler)
{
    void (*const function)(void) = atomic_load(handler);

    if (function)
        function();
}

static void prepare(void)
{
    call(&forks[CUSHIM__FORK_LOADER].prepare);
    call(&forks[CUSHIM__FORK_LAYER].prepare);
    call(&forks[CUSHIM__FORK_MOCK].prepare);
}

static void parent(void)
{
    call(&forks[CUSHIM__FORK_MOCK].parent);
    call(&forks[CUSHIM__FORK_LAYER].parent);
    call(&forks[CUSHIM__FORK_LOADER].parent);
}

static void child(void)
{
    call(&forks[CUSHIM__FORK_MOCK].child);
    call(&forks[CUSHIM__FORK_LAYER].child);
    call(&forks[CUSHIM__FORK_LOADER].child);
}

/*
 * Concurrent threads may register twice, so the handlers may run twice. Making one thread wait for
 * the other would hang a child that is forked in between.
 */
void cushim__system_handle_forks(enum cushim__fork_part part, void (*on_prepare)(void),
                                 void (*on_parent)(void), void (*on_child)(void))
{
    static atomic_bool is_registered;

    /* The first handler is the last one here: a fork that runs it runs the others, too. */
    atomic_store(&forks[part].child, on_child);
    atomic_store(&forks[part].parent, on_parent);
    atomic_store(&forks[part].prepare, on_prepare);
    if (!atomic_load(&is_registered) && pthread_atfork(prepare, parent, child) == 0)
        atomic_store(&is_registered, true);
}
