/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tests/hostile/trial.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <cushim/cushim.h>

/* After which a child hangs; it takes a millisecond. Bytes that it may map. */
enum { SECONDS = 10 };
static const rlim_t most_memory = (rlim_t)8 << 30;

const char *const trial_end_names[TRIAL_ENDS] = {
    [TRIAL_REFUSED] = "refused by cushim",      [TRIAL_REFUSED_BY_LINKER] = "refused by the linker",
    [TRIAL_OPENED] = "opened, and no driver",   [TRIAL_LOADED] = "loaded",
    [TRIAL_LIBRARY] = "crashed in the library", [TRIAL_LINKER] = "crashed in the linker",
    [TRIAL_CUSHIM] = "crashed in cushim",       [TRIAL_HUNG] = "hung",
};

/* Where in a load a child is. */
enum stage { STAGE_CUSHIM, STAGE_LINKER, STAGE_OPENED, STAGE_END };

/* What a child tells its parent: it may end at any instant. */
struct told {
    volatile enum stage stage;
    volatile bool asked, opened;
    volatile bool in_linker, in_cushim; /* the instruction that crashed */
    volatile uintptr_t instruction, address, stack_end;
    struct cushim_report report;
};

static struct told *told;

/* What the linker prints before it ends a process. */
static int printed = -1;

/* Code of the linker, and of this program with cushim in it. */
static struct range {
    uintptr_t low, high;
} linker, program;

void *__real_dlopen(const char *path, int flags);
void *__wrap_dlopen(const char *path, int flags);

/* Linked in the place of dlopen(), to know when the linker has the file. */
void *__wrap_dlopen(const char *path, int flags)
{
    const enum stage before = told ? told->stage : STAGE_END;
    void *library;

    if (!told || !path || !strstr(path, "libcuda.so.1") || (flags & RTLD_NOLOAD))
        return __real_dlopen(path, flags);
    told->asked = true;
    told->stage = STAGE_LINKER;
    library = __real_dlopen(path, flags);
    told->stage = library ? STAGE_OPENED : before;
    told->opened |= library != NULL;
    return library;
}

static int find_code(struct dl_phdr_info *object, size_t size, void *data)
{
    struct range *range = strstr(object->dlpi_name, "/ld-") ? &linker
                          : object->dlpi_name[0] == '\0'    ? &program
                                                            : NULL;

    (void)size;
    (void)data;
    for (unsigned i = 0; range && i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
            continue;
        range->low = object->dlpi_addr + segment->p_vaddr;
        range->high = range->low + segment->p_memsz;
    }
    return 0;
}

static bool is_in(const struct range *range, uintptr_t address)
{
    return address >= range->low && address < range->high;
}

/*
 * Code of the mutant that is mapped. The functions that read this are safe in a signal's handler.
 */
static struct range find_library(void)
{
    static char maps[65536];
    const int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    struct range range = {0, 0};
    size_t length = 0;
    ssize_t got;

    while ((got = read(file, maps + length, sizeof maps - 1 - length)) > 0)
        length += (size_t)got;
    maps[length] = '\0';
    for (char *line = maps, *end; (end = strchr(line, '\n')); line = end + 1) {
        char *rest;
        *end = '\0';
        if (!strstr(line, "libcuda.so.1"))
            continue;
        range.low = strtoul(line, &rest, 16);
        range.high = strtoul(rest + 1, &rest, 16);
        if (rest[1] == 'r' && rest[3] == 'x')
            return range;
    }
    return (struct range){0, 0};
}

/* Whether the instruction before this one is a call, as far as that can be told. */
static bool follows_call(const struct range *code, uintptr_t address)
{
    const unsigned char *at;

    if (!is_in(code, address - 7) || !is_in(code, address))
        return false;
    memcpy(&at, &address, sizeof at);
#if defined(__x86_64__)
    return at[-5] == 0xe8 || (at[-2] == 0xff && (at[-1] & 0x38) == 0x10) ||
           (at[-3] == 0xff && (at[-2] & 0x38) == 0x10) ||
           (at[-6] == 0xff && (at[-5] & 0x38) == 0x10);
#else
    return true;
#endif
}

/* Whether the library's code has called what crashed: then it was running already. */
static bool is_called_by_library(uintptr_t stack)
{
    const struct range code = find_library();
    const uintptr_t end = told->stack_end;

    for (uintptr_t at = stack & ~(sizeof at - 1); code.low && at < end; at += sizeof at) {
        const uintptr_t *word;
        memcpy(&word, &at, sizeof word);
        if (follows_call(&code, *word))
            return true;
    }
    return false;
}

/* Once: the signal comes again, and ends the child. */
static void note_crash(int signal, siginfo_t *info, void *context)
{
    const ucontext_t *state = context;
    uintptr_t stack = told->stack_end;

    (void)signal;
#if defined(__x86_64__)
    told->instruction = (uintptr_t)state->uc_mcontext.gregs[REG_RIP];
    stack = (uintptr_t)state->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
    told->instruction = (uintptr_t)state->uc_mcontext.pc;
    stack = (uintptr_t)state->uc_mcontext.sp;
#else
    (void)state;
#endif
    told->address = (uintptr_t)info->si_addr;
    told->in_linker = is_in(&linker, told->instruction) && !is_called_by_library(stack);
    told->in_cushim = is_in(&program, told->instruction);
}

static void watch_crashes(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
    static unsigned char room[65536];
    const stack_t stack = {.ss_sp = room, .ss_size = sizeof room};
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK | (int)SA_RESETHAND};

    action.sa_sigaction = note_crash;
    sigaltstack(&stack, NULL);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
}

static void limit(void)
{
    const struct rlimit none = {0, 0}, memory = {most_memory, most_memory};

    setrlimit(RLIMIT_CORE, &none);
#ifndef __SANITIZE_ADDRESS__
    setrlimit(RLIMIT_AS, &memory);
#endif
    dup2(printed, STDERR_FILENO);
    dup2(printed, STDOUT_FILENO);
    alarm(SECONDS);
}

/* The library's functions for the end run as well. */
__attribute__((noreturn)) static void load(const char *path)
{
    static char text[65536];
    const struct cushim_load_options options = {.size = sizeof options, .library = path};

    told->stack_end = (uintptr_t)__builtin_frame_address(0);
    limit();
    watch_crashes();
    told->report.size = sizeof told->report;
    cushim_load(path ? &options : NULL);
    cushim_report_get(&told->report);
    cushim_report_text(&told->report, text, sizeof text);
    cushim_report_json(&told->report, text, sizeof text);
    told->stage = STAGE_END;
    exit(EXIT_SUCCESS);
}

/* The words that a child has printed last. */
static const char *printed_words(void)
{
    static char words[128];
    const ssize_t length = pread(printed, words, sizeof words - 1, 0);

    words[length > 0 ? length : 0] = '\0';
    words[strcspn(words, "\n")] = '\0';
    return words;
}

/*
 * Whether the linker ended the process where the library's code asked for its threads' variables.
 */
static bool is_about_threads(const char *words)
{
    return strstr(words, "memory for thread-local data") || strstr(words, "dl-tls.c");
}

static enum trial_end crash_of(int status)
{
    const bool linker_gave_up =
        told->stage == STAGE_LINKER && WIFEXITED(status) && !is_about_threads(printed_words());

    if (told->in_cushim || told->stage == STAGE_CUSHIM)
        return TRIAL_CUSHIM;
    if (told->in_linker || linker_gave_up)
        return TRIAL_LINKER;
    return TRIAL_LIBRARY;
}

static enum trial_end end_of(int status)
{
    const bool has_ended = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;

    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        return TRIAL_HUNG;
    if (!has_ended || told->stage != STAGE_END)
        return crash_of(status);
    if (!told->asked)
        return TRIAL_REFUSED;
    if (!told->opened)
        return TRIAL_REFUSED_BY_LINKER;
    return told->report.state == CUSHIM_STATE_LOADED ? TRIAL_LOADED : TRIAL_OPENED;
}

static void describe(struct trial *trial, int status)
{
    static const char *const stages[] = {"cushim's look", "the linker's work", "the calls",
                                         "the end"};

    if (trial->end < TRIAL_LIBRARY) {
        trial->outcome = (int)told->report.candidates[0].outcome;
        snprintf(trial->words, sizeof trial->words, "%.150s", told->report.candidates[0].message);
    } else {
        snprintf(
            trial->words, sizeof trial->words, "during %s: %s %d, at %#lx, for %#lx: %.70s",
            stages[told->stage], WIFSIGNALED(status) ? "signal" : "exit status",
            WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
            (unsigned long)(told->in_linker ? told->instruction - linker.low : told->instruction),
            (unsigned long)told->address, printed_words());
    }
}

struct trial trial_run(const char *path)
{
    struct trial trial = {.outcome = -1};
    int status = 0;
    pid_t child;

    if (!told) {
        told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        printed = memfd_create("printed", MFD_CLOEXEC);
        dl_iterate_phdr(find_code, NULL);
    }
    memset(told, 0, sizeof *told);
    if (ftruncate(printed, 0) != 0)
        abort();
    lseek(printed, 0, SEEK_SET);
    fflush(NULL);
    child = fork();
    if (told == MAP_FAILED || child < 0) {
        perror("fork");
        abort();
    }
    if (child == 0)
        load(path);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    trial.end = end_of(status);
    describe(&trial, status);
    return trial;
}
