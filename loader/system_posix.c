/* SPDX-License-Identifier: Apache-2.0 */
/* The system behind the loader: Linux, with glibc or musl. */
#define _GNU_SOURCE
#include "loader/system.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "loader/elf.h"
#include "loader/search.h"
#include "loader/text.h"

/* Room in which whole pages for one table can be found, whatever the page size of the machine. */
#if defined(__x86_64__)
enum { LARGEST_PAGE = 4096 };
#else
enum { LARGEST_PAGE = 65536 };
#endif
enum { TABLE_ROOM = sizeof(struct cushim_table) / LARGEST_PAGE * LARGEST_PAGE + 2 * LARGEST_PAGE };

const bool cushim__system_is_windows = false;

/* Never `libcuda.so`: that is the name of the toolkit's link-time stub. */
const struct cushim__place cushim__places[] = {
    {CUSHIM_ORIGIN_MAPPED, "libcuda.so.1"},
    {CUSHIM_ORIGIN_SEARCH, "libcuda.so.1"},
    {CUSHIM_ORIGIN_WELL_KNOWN, "/usr/lib/wsl/lib/libcuda.so.1"},
    {CUSHIM_ORIGIN_WELL_KNOWN, "/run/opengl-driver/lib/libcuda.so.1"},
#if defined(__aarch64__)
    {CUSHIM_ORIGIN_WELL_KNOWN, "/usr/lib/aarch64-linux-gnu/tegra/libcuda.so.1"},
    {CUSHIM_ORIGIN_WELL_KNOWN, "/usr/lib/aarch64-linux-gnu/nvidia/libcuda.so.1"},
#endif
    {CUSHIM_ORIGIN_SEARCH, NULL},
};

uint64_t cushim__self(void)
{
    return (uint64_t)(uint32_t)getpid() << 32 | (uint32_t)syscall(SYS_gettid);
}

uint32_t cushim__process_of(uint64_t self)
{
    return (uint32_t)(self >> 32);
}

void cushim__pause(unsigned turns)
{
    /* Who waits longer than for another processor's moment sleeps 50 us, and later 1 ms. */
    if (turns < 16)
        sched_yield();
    else
        cushim__sleep_ns(turns < 64 ? 50 * 1000 : 1000 * 1000);
}

uint64_t cushim__clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void cushim__sleep_ns(uint64_t duration)
{
    const struct timespec moment = {.tv_sec = (time_t)(duration / 1000000000u),
                                    .tv_nsec = (long)(duration % 1000000000u)};
    nanosleep(&moment, NULL);
}

const char *cushim__environment(const char *name, char *room, size_t size)
{
    (void)room;
    (void)size;
    return secure_getenv(name);
}

bool cushim__path_is_absolute(const char *path)
{
    return path[0] == '/';
}

bool cushim__path_is_same_file(const char *one, const char *other)
{
    struct stat a, b;
    return stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

/*
 * Read an outcome out of the dynamic linker's words: it has no error codes. Both glibc and musl
 * name the file that failed; a name other than the candidate's is a library that it needs.
 */
static enum cushim_outcome judge(const char *path, const char *message)
{
    static const char musl_prefix[] = "Error loading shared library ";
    const bool absent = strstr(message, "No such file or directory") != NULL;

    if (strncmp(message, musl_prefix, sizeof musl_prefix - 1) == 0)
        message += sizeof musl_prefix - 1;
    if (strncmp(message, path, strlen(path)) == 0 && message[strlen(path)] == ':')
        return absent && !cushim__path_is_absolute(path) ? CUSHIM_OUTCOME_NOT_FOUND
                                                         : CUSHIM_OUTCOME_NOT_LOADABLE;
    return absent ? CUSHIM_OUTCOME_LACKS_LIBRARY : CUSHIM_OUTCOME_NOT_LOADABLE;
}

static void *open_library(struct cushim_candidate *candidate)
{
    void *library = dlopen(candidate->path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    const char *message;

    if (library)
        return library;
    message = dlerror();
    if (!message)
        message = "dlopen failed without a message";
    candidate->outcome = judge(candidate->path, message);
    cushim__text_copy(candidate->message, sizeof candidate->message, message);
    return NULL;
}

static void *search_library(struct cushim_candidate *candidate)
{
    struct cushim_candidate passed_over;
    void *library;

    if (!cushim__search_check(candidate, &passed_over))
        return NULL;
    library = open_library(candidate);
    /* The linker says that there is none, which is not what the user sees. */
    if (!library && candidate->outcome == CUSHIM_OUTCOME_NOT_FOUND && passed_over.path[0])
        cushim__search_adopt(candidate, &passed_over);
    return library;
}

void *cushim__library_open(struct cushim_candidate *candidate)
{
    if (!cushim__path_is_absolute(candidate->path))
        return search_library(candidate);
    return cushim__elf_check(candidate) ? open_library(candidate) : NULL;
}

/* Whether a mapped object is called like a driver: its file may carry the whole release. */
static int is_called_like_a_driver(struct dl_phdr_info *object, size_t size, void *found)
{
    const char *name = strrchr(object->dlpi_name, '/');

    (void)size;
    name = name ? name + 1 : object->dlpi_name;
    *(bool *)found |= strncmp(name, "libcuda.so", strlen("libcuda.so")) == 0;
    return 0;
}

void *cushim__library_mapped(const char *name)
{
    struct cushim_candidate file = {.path = ""}, passed_over;
    bool found = false;

    /* One that is called otherwise is known by its inner name, but the linker searches first. */
    dl_iterate_phdr(is_called_like_a_driver, &found);
    cushim__text_copy(file.path, sizeof file.path, name);
    if (!found && !cushim__search_check(&file, &passed_over))
        return NULL;
    return dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE | RTLD_NOLOAD);
}

cushim_function cushim__library_symbol(void *library, const char *symbol)
{
    cushim_function function = NULL;
    void *address = dlsym(library, symbol);

    memcpy(&function, &address, sizeof function);
    return function;
}

void cushim__library_path(cushim_function function, char *path, size_t size)
{
    Dl_info info;
    void *address;

    memcpy(&address, &function, sizeof address);
    path[0] = '\0';
    if (dladdr(address, &info) && info.dli_fname)
        cushim__text_copy(path, size, info.dli_fname);
}

void *cushim__memory_take(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void cushim__memory_give_back(void *memory, size_t size)
{
    munmap(memory, size);
}

void *cushim__pages(void)
{
    static unsigned char room[TABLE_ROOM];
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t start = ((uintptr_t)room + page - 1) / page * page;

    return page <= LARGEST_PAGE ? (void *)start : room;
}

void cushim__pages_seal(void *memory, size_t size)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

    if (page <= LARGEST_PAGE)
        mprotect(memory, (size + page - 1) / page * page, PROT_READ);
}

void cushim__watch_fork(void (*before)(void), void (*child)(void))
{
    static atomic_flag watching = ATOMIC_FLAG_INIT;

    if (!atomic_flag_test_and_set(&watching))
        pthread_atfork(before, NULL, child);
}
