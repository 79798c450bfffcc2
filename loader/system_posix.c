/* SPDX-License-Identifier: Apache-2.0 */
/* The system behind the loader: Linux, with glibc or musl. */
#define _GNU_SOURCE
#include "loader/system.h"

#include <dlfcn.h>
#include <link.h>
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "loader/elf.h"
#include "loader/mapped.h"
#include "loader/search.h"
#include "loader/shortage.h"
#include "loader/text.h"

/* Room in which whole pages for one table can be found, whatever the page size of the machine. */
#if defined(__x86_64__)
enum { LARGEST_PAGE = 4096 };
#else
enum { LARGEST_PAGE = 65536 };
#endif
enum { TABLE_ROOM = sizeof(struct cushim_table) / LARGEST_PAGE * LARGEST_PAGE + 2 * LARGEST_PAGE };

/* How a driver is opened: for good. */
enum { OPEN_FLAGS = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE };

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

/*
 * For packagers: the file that has this inside opens libcuda.so.1 and lives without it (ELF dlopen
 * metadata, uapi-group.org). A note is kept by the linker's garbage collection and by strip.
 */
#define NOTE                                                                              \
    "[{\"feature\":\"cuda\",\"description\":\"Use NVIDIA GPUs through the CUDA driver\"," \
    "\"priority\":\"suggested\",\"soname\":[\"libcuda.so.1\"]}]"

/* clang's ASan would put room behind it, which no reader of notes understands. */
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

uint64_t cushim__self(void)
{
    /* A filter of system calls may let getpid() answer a negative number. */
    return (uint64_t)(getpid() & INT32_MAX) << 32 | (uint32_t)syscall(SYS_gettid);
}

uint32_t cushim__process_of(uint64_t self)
{
    return (uint32_t)(self >> 32);
}

/* The kernel's KCMP_VM; not every C library brings the kernel's headers. */
bool cushim__shares_memory(uint32_t process)
{
    enum { COMPARE_MEMORY = 1 };

    return syscall(SYS_kcmp, (long)getpid(), (long)process, (long)COMPARE_MEMORY, 0L, 0L) == 0;
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
    static const char musl_unresolved[] = "Error relocating ";
    const bool absent = strstr(message, "No such file or directory") != NULL;
    const enum cushim_outcome shortage = cushim__shortage_told(message);

    if (shortage != CUSHIM_OUTCOME_NOT_LOADABLE)
        return shortage;
    if (strncmp(message, musl_unresolved, sizeof musl_unresolved - 1) == 0)
        return CUSHIM_OUTCOME_OTHER_C_LIBRARY;
    if (strncmp(message, musl_prefix, sizeof musl_prefix - 1) == 0)
        message += sizeof musl_prefix - 1;
    if (strncmp(message, path, strlen(path)) == 0 && message[strlen(path)] == ':')
        return absent && !cushim__path_is_absolute(path) ? CUSHIM_OUTCOME_NOT_FOUND
                                                         : CUSHIM_OUTCOME_NOT_LOADABLE;
    return absent ? CUSHIM_OUTCOME_LACKS_LIBRARY : CUSHIM_OUTCOME_NOT_LOADABLE;
}

/* The first object is the program, but in a namespace of dlmopen(). */
static int look_at_program(struct dl_phdr_info *program, size_t size, void *is_static)
{
    (void)size;
    *(bool *)is_static = program->dlpi_phnum > 0;
    for (unsigned i = 0; i < program->dlpi_phnum; i++)
        *(bool *)is_static &= program->dlpi_phdr[i].p_type != PT_INTERP;
    return 1;
}

/*
 * dlopen() of a static program does nothing with musl. With glibc it brings a second C library into
 * the process, which crashes unless both are of the same build.
 *
 * Such a program names no linker, and the kernel has put none beside it (AT_BASE); it puts none
 * beside a program that is given to the linker on the command line, either.
 */
static bool program_is_static(void)
{
    struct dl_phdr_info program = {.dlpi_phdr = NULL};
    const uintptr_t headers = getauxval(AT_PHDR);
    bool is_static = false;

    if (getauxval(AT_BASE) != 0)
        return false;
    dl_iterate_phdr(look_at_program, &is_static);
    /* glibc's linker puts the headers of what it was given in the place of its own. */
    if (is_static && headers) {
        memcpy(&program.dlpi_phdr, &headers, sizeof headers);
        program.dlpi_phnum = (ElfW(Half))getauxval(AT_PHNUM);
        look_at_program(&program, sizeof program, &is_static);
    }
    return is_static;
}

/* glibc translates for a program that has called setlocale(), and judge() reads English. */
static void *open_library(struct cushim_candidate *candidate)
{
    void *library = dlopen(candidate->path, OPEN_FLAGS);
    const char *message;
    locale_t english, before;

    if (library)
        return library;
    english = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    before = uselocale(english); /* changes nothing if that failed */
    message = dlerror();
    uselocale(before);
    if (english)
        freelocale(english);
    if (!message)
        message = "dlopen failed without a message";
    candidate->outcome = judge(candidate->path, message);
    cushim__text_copy(candidate->message, sizeof candidate->message, message);
    return NULL;
}

/* glibc's words if it has met nothing but files of another word size: it names none of them. */
static bool is_other_class(const struct cushim_candidate *candidate)
{
    const size_t length = strlen(candidate->path);

    return strncmp(candidate->message, candidate->path, length) == 0 &&
           strncmp(candidate->message + length, ": wrong ELF class", 17) == 0;
}

static void *search_library(struct cushim_candidate *candidate)
{
    struct cushim_candidate passed_over;
    void *library;

    if (cushim__search_look(candidate, &passed_over) != CUSHIM__LOOK_ASK)
        return NULL;
    library = open_library(candidate);
    /* The linker says that there is none, which is not what the user sees. */
    if (!library && passed_over.path[0] &&
        (candidate->outcome == CUSHIM_OUTCOME_NOT_FOUND || is_other_class(candidate)))
        cushim__search_adopt(candidate, &passed_over);
    return library;
}

/*
 * glibc's linker puts folders of its own for these, in a path that is given to dlopen() as well: it
 * would open another file than the one that was named and looked at.
 */
static bool has_placeholder(const char *path)
{
    static const char *const names[] = {"ORIGIN", "PLATFORM", "LIB"};

    while ((path = strchr(path, '$'))) {
        path += path[1] == '{' ? 2 : 1;
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            if (strncmp(path, names[i], strlen(names[i])) == 0)
                return true;
        }
    }
    return false;
}

void *cushim__library_open(struct cushim_candidate *candidate)
{
    if (program_is_static()) {
        candidate->outcome = CUSHIM_OUTCOME_STATIC_PROGRAM;
        cushim__text_copy(candidate->message, sizeof candidate->message,
                          "this program is linked statically");
        return NULL;
    }
    if (!cushim__path_is_absolute(candidate->path))
        return search_library(candidate);
    if (has_placeholder(candidate->path)) {
        candidate->outcome = CUSHIM_OUTCOME_REFUSED;
        cushim__text_copy(candidate->message, sizeof candidate->message,
                          "the dynamic linker would put another folder for $ORIGIN, $LIB or "
                          "$PLATFORM in the path");
        return NULL;
    }
    return cushim__elf_check(candidate) ? open_library(candidate) : NULL;
}

void *cushim__library_mapped(const char *name)
{
    char path[CUSHIM_REPORT_PATH_BYTES];

    /*
     * By its path, or the linker searches for a file of that name before it looks what is mapped.
     */
    if (program_is_static() || !cushim__mapped_find(name, path, sizeof path))
        return NULL;
    return dlopen(path, OPEN_FLAGS | RTLD_NOLOAD);
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
    if (cushim__mapped_holding((uintptr_t)address, path, size))
        return;
    /* In the program, or in another namespace. It walks through all symbols to name one. */
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

void *cushim__pages(enum cushim__pages which)
{
    static unsigned char rooms[CUSHIM__PAGES_COUNT][TABLE_ROOM];
    unsigned char *room = rooms[which];
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t start = ((uintptr_t)room + page - 1) / page * page;

    return page <= LARGEST_PAGE ? (void *)start : room;
}

bool cushim__pages_seal(void *memory, size_t size)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

    return page <= LARGEST_PAGE &&
           mprotect(memory, (size + page - 1) / page * page, PROT_READ) == 0;
}

int cushim__cancelling_put_off(void)
{
    int former = PTHREAD_CANCEL_ENABLE;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &former);
    return former;
}

void cushim__cancelling_put_back(int former)
{
    pthread_setcancelstate(former, NULL);
}

void cushim__watch_fork(void (*before)(void), void (*child)(void))
{
    static atomic_flag watching = ATOMIC_FLAG_INIT;

    /* Without memory for it the next load tries again. */
    if (!atomic_flag_test_and_set(&watching) && pthread_atfork(before, NULL, child) != 0)
        atomic_flag_clear(&watching);
}
