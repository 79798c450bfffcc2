/* SPDX-License-Identifier: Apache-2.0 */
/* Calls NVTX in the way in which its headers do. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <wchar.h>

#include "program.h"

struct attributes {
    uint16_t version, size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type, reserved;
    uint64_t payload;
    int32_t message_type;
    const void *message;
};

static void (*marked)(const char *message);
static void (*marked_wide)(const wchar_t *message);
static void (*marked_in)(void *domain, const void *attributes);
static uint64_t (*started_wide)(const wchar_t *message);
static void (*ended_in)(void *domain, uint64_t id);
static int (*pushed_ex)(const void *attributes);
static void (*thread_named)(uint32_t thread, const char *name);
static void (*thread_named_wide)(uint32_t thread, const wchar_t *name);
static void *(*registered)(void *domain, const wchar_t *text);
static int (*pushed)(const char *message);
static int (*popped)(void);
static void (*marked_ex)(const void *attributes);
static int (*pushed_wide)(const wchar_t *message);
static int (*pushed_in)(void *domain, const void *attributes);
static int (*popped_in)(void *domain);
static void *(*created)(const wchar_t *name);
static uint64_t (*started)(const char *message);
static void (*ended)(uint64_t id);
static uint64_t (*started_in)(void *domain, const void *attributes);

static int module_table(int module, void ***table, unsigned *size)
{
    static void *core[16], *core2[16];
    static bool is_filled;

    if (!is_filled) {
        core[1] = &marked_ex;
        core[2] = &marked;
        core[3] = &marked_wide;
        core[5] = &started;
        core[6] = &started_wide;
        core[7] = &ended;
        core[8] = &pushed_ex;
        core[9] = &pushed;
        core[10] = &pushed_wide;
        core[11] = &popped;
        core[14] = &thread_named;
        core[15] = &thread_named_wide;
        core2[1] = &marked_in;
        core2[2] = &started_in;
        core2[3] = &ended_in;
        core2[4] = &pushed_in;
        core2[5] = &popped_in;
        core2[11] = &registered;
        core2[13] = &created;
        is_filled = true;
    }
    *table = module == 1 ? core : core2;
    *size = 16;
    return module == 1 || module == 5;
}

static const void *export_table(uint32_t id)
{
    static const struct {
        size_t size;
        int (*module_table)(int, void ***, unsigned *);
    } callbacks = {sizeof callbacks, module_table};

    return id == 1 ? &callbacks : NULL;
}

static void *end_elsewhere(void *id)
{
    ended(*(const uint64_t *)id);
    thread_named_wide((uint32_t)syscall(SYS_gettid), L"another thread");
    return NULL;
}

/* Wide characters, and registered strings. */
static void name_by_other_functions(void *domain)
{
    const struct attributes by_handle = {
        3, sizeof by_handle, 0, 0, 0, 0, 0, 0, 3, registered(domain, L"registered")};
    uint64_t id;
    int version;

    marked_wide(L"\u2713 there");
    marked_in(domain, &by_handle);
    id = started_wide(L"started wide");
    if (pushed_ex(&by_handle) != 0 || popped() != 0)
        exit(1);
    cu->DriverGetVersion(&version);
    ended_in(domain, id);
    cu->DriverGetVersion(&version);
    thread_named((uint32_t)syscall(SYS_gettid), "the first thread");
}

/* Two overlapping ranges; another thread ends the first. Ending an unknown id has no effect. */
static void name_process_ranges(void *domain, const void *attributes)
{
    uint64_t first, second;
    pthread_t thread;
    int version;

    if (!started || !ended || !started_in || !thread_named_wide)
        exit(1);
    first = started("ended by a thread");
    cu->DriverGetVersion(&version);
    second = started_in(domain, attributes);
    cu->DriverGetVersion(&version);
    if (pthread_create(&thread, NULL, end_elsewhere, &first) != 0)
        exit(1);
    pthread_join(thread, NULL);
    cu->DriverGetVersion(&version);
    ended(0);
    ended(first);
    ended(second + 1);
    ended(second);
}

void name_ranges(void)
{
    const struct attributes attributes = {3, sizeof attributes,     0, 0, 0, 0, 0, 0,
                                          1, "marked by attributes"};
    const struct attributes wide = {3, sizeof wide, 0, 0, 0, 0, 0, 0, 2, L"of the domain"};
    const char *path = getenv("NVTX_INJECTION64_PATH");
    void *library = path ? dlopen(path, RTLD_NOW) : NULL;
    int (*initialise)(const void *(*)(uint32_t)) = NULL;
    void *domain;

    if (library)
        *(void **)&initialise = dlsym(library, "InitializeInjectionNvtx2");
    if (!initialise || !initialise(export_table) || !pushed || !popped || !marked || !marked_ex)
        exit(1);
    domain = created ? created(L"domain") : NULL;
    if (!domain || pushed("outer") != 0 || !pushed_wide || pushed_wide(L"\u2713 inner") != 1)
        exit(1);
    plain();
    /* A domain has its own stack of ranges. */
    if (pushed_in(domain, &wide) != 0 || popped() != 1 || pushed("within") != 1)
        exit(1);
    plain();
    if (popped_in(domain) != 0 || popped_in(domain) >= 0 || popped() != 1)
        exit(1);
    marked("here");
    marked_ex(&attributes);
    if (popped() != 0 || popped() >= 0)
        exit(1);
    name_process_ranges(domain, &attributes);
    name_by_other_functions(domain);
}
