/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library to be loaded before a program, which stands between it and the C library. The variable
 * ZOO_INTERPOSE says at which function it does something, and what:
 *
 *   NAME:reenter   call zoo_reenter() of the program, at each call but those from within that
 *   NAME:fail      fail as the function may
 *   NAME:odd       answer what a C library does not, or seldom
 *
 * Each name is that of a function below.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The first version of glibc for this processor: by it, dlvsym() finds what stands behind dlsym(). */
#if defined(__x86_64__)
#define FIRST_VERSION "GLIBC_2.2.5"
#else
#define FIRST_VERSION "GLIBC_2.17"
#endif

enum what { PASS, FAIL, ODD };

static __thread int inside;

static void *find(void *where, const char *name)
{
    static void *(*look)(void *, const char *);

    if (!look) {
        void *address = dlvsym(RTLD_NEXT, "dlsym", FIRST_VERSION);
        memcpy(&look, &address, sizeof look);
    }
    return look(where, name);
}

/* Copy the address of the function behind ours. */
static void next(const char *name, void *function)
{
    void *address;

    inside++;
    address = find(RTLD_NEXT, name);
    inside--;
    memcpy(function, &address, sizeof address);
}

static void reenter(void)
{
    void *address = find(RTLD_DEFAULT, "zoo_reenter");
    void (*function)(void) = NULL;

    memcpy(&function, &address, sizeof function);
    if (function)
        function();
}

static enum what at(const char *name)
{
    const char *text = getenv("ZOO_INTERPOSE");
    const size_t length = strlen(name);
    enum what what = PASS;

    if (inside || !text || strncmp(text, name, length) != 0 || text[length] != ':')
        return PASS;
    inside++;
    text += length + 1;
    if (strcmp(text, "reenter") == 0)
        reenter();
    else
        what = strcmp(text, "fail") == 0 ? FAIL : strcmp(text, "odd") == 0 ? ODD : PASS;
    inside--;
    return what;
}

static int answer_nothing(void)
{
    return -1;
}

void *dlopen(const char *name, int mode)
{
    static void *(*behind)(const char *, int);
    const enum what what = at("dlopen");

    next("dlopen", &behind);
    /* Without an error to be told, or another library than was asked for. */
    return what == FAIL ? NULL : behind(what == ODD ? "libm.so.6" : name, mode);
}

void *dlsym(void *library, const char *name)
{
    int (*function)(void) = answer_nothing;
    void *address;

    switch (at("dlsym")) {
    case FAIL:
        return NULL;
    case ODD:
        memcpy(&address, &function, sizeof address);
        return address;
    default:
        return find(library, name);
    }
}

char *dlerror(void)
{
    static char *(*behind)(void);
    const enum what what = at("dlerror");

    next("dlerror", &behind);
    return what == FAIL ? NULL : what == ODD ? (char *)(uintptr_t) "%s%n" : behind();
}

int dlinfo(void *library, int request, void *to)
{
    static int (*behind)(void *, int, void *);
    const enum what what = at("dlinfo");

    next("dlinfo", &behind);
    return what == FAIL ? -1 : behind(library, request, to);
}

int dl_iterate_phdr(int (*look)(struct dl_phdr_info *, size_t, void *), void *data)
{
    static int (*behind)(int (*)(struct dl_phdr_info *, size_t, void *), void *);
    const enum what what = at("dl_iterate_phdr");
    struct dl_phdr_info nameless = {.dlpi_name = NULL};
    int answer = 0;

    next("dl_iterate_phdr", &behind);
    if (what == FAIL)
        return 0;
    if (what == ODD)
        answer = look(&nameless, sizeof nameless, data);
    return answer ? answer : behind(look, data);
}

void *malloc(size_t size)
{
    static void *(*behind)(size_t);

    if (!behind)
        next("malloc", &behind);
    if (at("malloc") != FAIL)
        return behind(size);
    errno = ENOMEM;
    return NULL;
}

void *mmap(void *at_address, size_t size, int access_to, int flags, int file, off_t offset)
{
    static void *(*behind)(void *, size_t, int, int, int, off_t);

    next("mmap", &behind);
    if (at("mmap") != FAIL)
        return behind(at_address, size, access_to, flags, file, offset);
    errno = ENOMEM;
    return MAP_FAILED;
}

int munmap(void *memory, size_t size)
{
    static int (*behind)(void *, size_t);

    next("munmap", &behind);
    return at("munmap") == FAIL ? -1 : behind(memory, size);
}

int mprotect(void *memory, size_t size, int access_to)
{
    static int (*behind)(void *, size_t, int);

    next("mprotect", &behind);
    return at("mprotect") == FAIL ? -1 : behind(memory, size, access_to);
}

int open(const char *path, int flags, ...)
{
    static int (*behind)(const char *, int, ...);
    va_list arguments;
    mode_t mode = 0;

    if (flags & O_CREAT) {
        va_start(arguments, flags);
        mode = va_arg(arguments, mode_t);
        va_end(arguments);
    }
    next("open", &behind);
    if (at("open") != FAIL)
        return behind(path, flags, mode);
    errno = EIO;
    return -1;
}

ssize_t pread(int file, void *bytes, size_t size, off_t offset)
{
    static ssize_t (*behind)(int, void *, size_t, off_t);
    const enum what what = at("pread");

    next("pread", &behind);
    errno = EIO;
    /* A byte at a time is what a system may do. */
    return what == FAIL ? -1 : behind(file, bytes, what == ODD ? 1 : size, offset);
}

int fstat(int file, struct stat *status)
{
    static int (*behind)(int, struct stat *);
    const enum what what = at("fstat");

    next("fstat", &behind);
    if (what != ODD)
        return what == FAIL ? -1 : behind(file, status);
    memset(status, 0xff, sizeof *status);
    return 0;
}

int stat(const char *path, struct stat *status)
{
    static int (*behind)(const char *, struct stat *);
    const enum what what = at("stat");

    next("stat", &behind);
    if (what != ODD)
        return what == FAIL ? -1 : behind(path, status);
    memset(status, 0xff, sizeof *status);
    return 0;
}

int access(const char *path, int how)
{
    static int (*behind)(const char *, int);
    const enum what what = at("access");

    next("access", &behind);
    errno = EACCES;
    return what == FAIL ? -1 : what == ODD ? 0 : behind(path, how);
}

char *secure_getenv(const char *name)
{
    static char *(*behind)(const char *);
    const enum what what = at("secure_getenv");

    next("secure_getenv", &behind);
    return what == FAIL ? NULL : what == ODD ? (char *)(uintptr_t) "" : behind(name);
}

unsigned long getauxval(unsigned long kind)
{
    static unsigned long (*behind)(unsigned long);
    const enum what what = at("getauxval");

    next("getauxval", &behind);
    return what == FAIL ? 0 : behind(kind);
}

pid_t getpid(void)
{
    static pid_t (*behind)(void);
    static pid_t other;
    const enum what what = at("getpid");

    next("getpid", &behind);
    return what == FAIL ? -1 : what == ODD ? ++other : behind();
}

long sysconf(int name)
{
    static long (*behind)(int);
    const enum what what = at("sysconf");

    next("sysconf", &behind);
    return what == FAIL ? -1 : what == ODD ? 12345 : behind(name);
}
