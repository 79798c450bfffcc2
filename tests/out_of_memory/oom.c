/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "oom.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { ROOM = 1 << 18 };

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *memory);
void *__real_mmap(void *address, size_t size, int protection, int flags, int file, off_t offset);
int __real_munmap(void *address, size_t size);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *data);
int __real_memfd_create(const char *name, unsigned flags);
int __real_open(const char *path, int flags, ...);
FILE *__real_fopen(const char *path, const char *mode);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
char *__wrap_strdup(const char *text);
void __wrap_free(void *memory);
void *__wrap_mmap(void *address, size_t size, int protection, int flags, int file, off_t offset);
int __wrap_munmap(void *address, size_t size);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *data);
int __wrap_memfd_create(const char *name, unsigned flags);
int __wrap_open(const char *path, int flags, ...);
FILE *__wrap_fopen(const char *path, const char *mode);

/* The requests that fail on this thread. */
static _Thread_local struct {
    unsigned kinds, place, asked, failed;
    bool on, armed;
} state;

/*
 * The blocks that are allocated: their addresses in a hash table with open addressing; 1: a removed
 * entry.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uintptr_t blocks[ROOM];
static void *makers[ROOM];
static size_t numbers[ROOM], given, live;

void oom_arm(unsigned kinds, unsigned place, bool on)
{
    state.kinds = kinds;
    state.place = place;
    state.on = on;
    state.asked = state.failed = 0;
    state.armed = true;
}

unsigned oom_disarm(void)
{
    state.armed = false;
    return state.failed;
}

bool oom_is_armed(void)
{
    return state.armed;
}

/* Whether this request must fail. */
static bool is_short(unsigned kind)
{
    if (!state.armed || !(state.kinds & kind))
        return false;
    state.asked++;
    if (state.asked != state.place && !(state.on && state.asked > state.place))
        return false;
    state.failed |= kind;
    return true;
}

static size_t place_of(uintptr_t block)
{
    return (size_t)((block >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 46) % ROOM;
}

static void *note(void *memory, void *maker)
{
    if (!memory)
        return NULL;
    pthread_mutex_lock(&lock);
    for (size_t at = place_of((uintptr_t)memory), i = 0; i < ROOM; i++, at = (at + 1) % ROOM) {
        if (blocks[at] > 1)
            continue;
        blocks[at] = (uintptr_t)memory;
        makers[at] = maker;
        numbers[at] = ++given;
        live++;
        break;
    }
    pthread_mutex_unlock(&lock);
    return memory;
}

/* A block that the C library has allocated internally is not in the table. */
static void forget(const void *memory)
{
    pthread_mutex_lock(&lock);
    for (size_t at = place_of((uintptr_t)memory), i = 0; i < ROOM && blocks[at];
         i++, at = (at + 1) % ROOM) {
        if (blocks[at] != (uintptr_t)memory)
            continue;
        blocks[at] = 1;
        live--;
        break;
    }
    pthread_mutex_unlock(&lock);
}

size_t oom_live(void)
{
    size_t count;

    pthread_mutex_lock(&lock);
    count = live;
    pthread_mutex_unlock(&lock);
    return count;
}

void oom_describe_live(char *text, size_t size)
{
    size_t last = 0, number = 0;
    Dl_info module;

    pthread_mutex_lock(&lock);
    for (size_t at = 0; at < ROOM; at++) {
        if (blocks[at] > 1 && numbers[at] > number) {
            last = at;
            number = numbers[at];
        }
    }
    if (number == 0 || !dladdr(makers[last], &module))
        snprintf(text, size, "?");
    else
        snprintf(text, size, "%s+%#tx", module.dli_fname,
                 (const char *)makers[last] - (const char *)module.dli_fbase);
    pthread_mutex_unlock(&lock);
}

static void *no_memory(void)
{
    errno = ENOMEM;
    return NULL;
}

void *__wrap_malloc(size_t size)
{
    return is_short(SHORT_MEMORY) ? no_memory()
                                  : note(__real_malloc(size), __builtin_return_address(0));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return is_short(SHORT_MEMORY) ? no_memory()
                                  : note(__real_calloc(count, size), __builtin_return_address(0));
}

void *__wrap_realloc(void *memory, size_t size)
{
    void *moved;

    if (is_short(SHORT_MEMORY))
        return no_memory();
    if (memory)
        forget(memory);
    moved = __real_realloc(memory, size);
    return note(moved, __builtin_return_address(0));
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return is_short(SHORT_MEMORY)
               ? no_memory()
               : note(__real_aligned_alloc(alignment, size), __builtin_return_address(0));
}

char *__wrap_strdup(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = __wrap_malloc(size);

    return copy ? memcpy(copy, text, size) : NULL;
}

void __wrap_free(void *memory)
{
    if (memory)
        forget(memory);
    __real_free(memory);
}

void *__wrap_mmap(void *address, size_t size, int protection, int flags, int file, off_t offset)
{
    void *pages;

    if (is_short(SHORT_MAPPINGS)) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    pages = __real_mmap(address, size, protection, flags, file, offset);
    /* A fixed mapping replaces another one, and is counted with it. */
    if (pages != MAP_FAILED && !(flags & MAP_FIXED))
        note(pages, __builtin_return_address(0));
    return pages;
}

int __wrap_munmap(void *address, size_t size)
{
    forget(address);
    return __real_munmap(address, size);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *data)
{
    return is_short(SHORT_THREADS) ? EAGAIN : __real_pthread_create(thread, attributes, run, data);
}

static bool has_no_file(void)
{
    if (!is_short(SHORT_FILES))
        return false;
    errno = EMFILE;
    return true;
}

int __wrap_memfd_create(const char *name, unsigned flags)
{
    return has_no_file() ? -1 : __real_memfd_create(name, flags);
}

int __wrap_open(const char *path, int flags, ...)
{
    va_list list;
    mode_t mode;

    va_start(list, flags);
    mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
    va_end(list);
    return has_no_file() ? -1 : __real_open(path, flags, mode);
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
    return has_no_file() ? NULL : __real_fopen(path, mode);
}

/* glibc's headers map these functions to the names for large files. */
__typeof__(__wrap_mmap) __wrap_mmap64 __attribute__((alias("__wrap_mmap")));
__typeof__(__wrap_open) __wrap_open64 __attribute__((alias("__wrap_open")));
__typeof__(__wrap_fopen) __wrap_fopen64 __attribute__((alias("__wrap_fopen")));
