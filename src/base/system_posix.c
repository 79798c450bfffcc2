/* SPDX-License-Identifier: Apache-2.0 */
/* The loader's operating system interface: Linux, with glibc or musl. */
#define _GNU_SOURCE
#include "loader/system.h"

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

#include <cushim/table.h>

#include "loader/places.h"

/* Enough bytes to contain whole pages for one table, whatever the page size of the machine. */
#if defined(__x86_64__)
enum { LARGEST_PAGE = 4096 };
#else
enum { LARGEST_PAGE = 65536 };
#endif
enum { TABLE_BYTES = sizeof(struct cushim_table) / LARGEST_PAGE * LARGEST_PAGE + 2 * LARGEST_PAGE };

const bool cushim__system_is_windows = false;

/* `libcuda.so` is not tried, since that is the name of the toolkit's link-time stub. */
#define TRIED(folder) {CUSHIM_ORIGIN_WELL_KNOWN, folder "/libcuda.so.1"},
#define NOT_TRIED(folder)
#if defined(__aarch64__)
#define TRIED_ON_AARCH64 TRIED
#else
#define TRIED_ON_AARCH64 NOT_TRIED
#endif
const struct cushim__place cushim__places[] = {
    {CUSHIM_ORIGIN_SEARCH, "libcuda.so.1"},
    CUSHIM__FOLDERS(TRIED, TRIED_ON_AARCH64, NOT_TRIED, NOT_TRIED){CUSHIM_ORIGIN_SEARCH, NULL},
};

/*
 * For packagers: a file with this note opens libcuda.so.1 and works without it (ELF dlopen
 * metadata, uapi-group.org). The linker's garbage collection and strip keep notes.
 */
#define NOTE                                                                              \
    "[{\"feature\":\"cuda\",\"description\":\"Use NVIDIA GPUs through the CUDA driver\"," \
    "\"priority\":\"suggested\",\"soname\":[\"libcuda.so.1\"]}]"

/* clang's ASan would put padding after the note, which readers of notes do not expect. */
#if defined(__clang__)
#define NOTE_ALONE no_sanitize("address"),
#else
#define NOTE_ALONE
#endif

__attribute__((NOTE_ALONE used, section(".note.dlopen"), aligned(4))) static const struct {
    uint32_t name_size, content_size, type;
    char name[4];
    char content[(sizeof NOTE + 3) / 4 * 4];
} note = {sizeof note.name, sizeof NOTE, 0x407c0c0a, "FDO", NOTE};

uint32_t cushim__process(void)
{
    return (uint32_t)getpid();
}

/* Every thread has an errno of its own. */
uintptr_t cushim__thread(void)
{
    return (uintptr_t)&errno;
}

void cushim__pause(unsigned times)
{
    /* Yield 16 times, then sleep for 50 us, and from the 64th time on for 1 ms. */
    if (times < 16)
        sched_yield();
    else
        cushim__sleep_ns(times < 64 ? 50 * 1000 : 1000 * 1000);
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

const char *cushim__environment(const char *name, char *buffer, size_t size)
{
    (void)buffer;
    (void)size;
    return secure_getenv(name);
}

bool cushim__ignores_environment(const char *name)
{
    return getauxval(AT_SECURE) != 0 && (!name || getenv(name));
}

bool cushim__process_was_forked(void)
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

void *cushim__map_pages(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void cushim__unmap_pages(void *memory, size_t size)
{
    munmap(memory, size);
}

void *cushim__pages(enum cushim__pages which)
{
    static unsigned char tables[CUSHIM__PAGES_COUNT][TABLE_BYTES];
    unsigned char *bytes = tables[which];
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t start = ((uintptr_t)bytes + page - 1) / page * page;

    return page <= LARGEST_PAGE ? (void *)start : bytes;
}

bool cushim__pages_seal(void *memory, size_t size)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

    return page <= LARGEST_PAGE &&
           mprotect(memory, (size + page - 1) / page * page, PROT_READ) == 0;
}

int cushim__disable_cancellation(void)
{
    int former = PTHREAD_CANCEL_ENABLE;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &former);
    return former;
}

void cushim__restore_cancellation(int former)
{
    pthread_setcancelstate(former, NULL);
}

void cushim__register_atfork(void (*before)(void), void (*child)(void))
{
    static atomic_bool is_registered;

    /* Concurrent threads may register twice, so the handlers may run twice. */
    if (!atomic_load(&is_registered) && pthread_atfork(before, NULL, child) == 0)
        atomic_store(&is_registered, true);
}
