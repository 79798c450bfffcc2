/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fake driver. Every symbol of the registry is a function that returns a number of its own, so
 * that a test sees which symbol is in a slot. Macros of the build say how a fake differs from a
 * driver of CUDA 13.0:
 *
 *     DRIVER_VERSION=N   the CUDA version that it reports, without newer symbols (13000);
 *                        CUSHIM__NEWEST_VERSION: all symbols of the registry
 *     REPORTED=N         it reports this version instead
 *     LACK_cuName        it lacks this symbol
 *     INIT_CODE=N        what cuInit returns (0)
 *     VERSION_CODE=N     what cuDriverGetVersion returns (0)
 *     STUB               every function returns 34, as in the toolkit's stub library
 *     ONLY_REQUIRED      it has only cuInit and cuDriverGetVersion
 *     BEHIND             it exports these and cuGetProcAddress_v2, which finds the rest
 *     BEHIND_REFUSES     with BEHIND: a lookup for a version above its own is an error
 *     REENTERS           its constructor calls fake_driver_opened() of the program
 *     FEW                it has seven functions, some of which check their arguments
 *     OLD_CODES          its cuGetErrorName and cuGetErrorString know only codes below 10
 *     WAITS              its cuCtxSynchronize waits until the program releases it
 *     NEEDS_HELPER       it needs another library
 *     UNRESOLVED         it needs a function that no library has
 *     DEVICES=N          the number of devices that its cuDeviceGetCount reports
 *     COUNT_CODE=N       with DEVICES: what cuDeviceGetCount returns (0)
 *     ACTIONS            it does to its process what the environment says (tests/probe/actions.h)
 */
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#ifdef WAITS
#include <sched.h>
#endif

#include "loader/versions.h"

#ifndef DRIVER_VERSION
#define DRIVER_VERSION 13000
#endif
#ifndef REPORTED
#define REPORTED DRIVER_VERSION
#endif
#ifndef INIT_CODE
#define INIT_CODE 0
#endif
#ifndef VERSION_CODE
#define VERSION_CODE 0
#endif
#ifndef COUNT_CODE
#define COUNT_CODE 0
#endif

/* FEW and WAITS also have the required functions. */
#if defined(FEW) || defined(WAITS)
#define ONLY_REQUIRED
#endif

#ifdef ACTIONS
#include <stdlib.h>

#include "tests/probe/actions.h"

static void act(const char *when)
{
    const char *name = getenv("FAKE_DRIVER_ACTION"), *moment = getenv("FAKE_DRIVER_WHEN");
    const struct fake_driver_action *action = fake_driver_actions;

    if (!name || !moment || strcmp(moment, when) != 0)
        return;
    while (action->name && strcmp(action->name, name) != 0)
        action++;
    if (!action->name)
        exit(99); /* a misspelt name must not look like a well-behaved driver */
    action->function();
}
#else
#define act(when) ((void)0)
#endif

#ifdef STUB
#define RESULT(index) 34
#else
#define RESULT(index) (100000 + (index))
#define OWN_cuInit
#define OWN_cuDriverGetVersion
#endif

extern atomic_uint fake_driver_init_calls, fake_driver_version_calls;
atomic_uint fake_driver_init_calls, fake_driver_version_calls;

/*
 * The process that has initialised the driver; 0: none. As with a real driver, a child cannot use
 * it.
 */
extern atomic_long fake_driver_process;
atomic_long fake_driver_process;

#if defined(OWN_cuInit) && !defined(LACK_cuInit)
int cuInit(unsigned flags);
int cuInit(unsigned flags)
{
    const long former = atomic_load(&fake_driver_process);

    atomic_fetch_add(&fake_driver_init_calls, 1);
    act("init");
    if (former && former != (long)getpid())
        return 3;
    if (flags == 0 && INIT_CODE == 0)
        atomic_store(&fake_driver_process, (long)getpid());
    return flags == 0 ? INIT_CODE : 1;
}
#endif

#if defined(OWN_cuDriverGetVersion) && !defined(LACK_cuDriverGetVersion)
int cuDriverGetVersion(int *version);
int cuDriverGetVersion(int *version)
{
    atomic_fetch_add(&fake_driver_version_calls, 1);
    if (!version)
        return 1;
    if (VERSION_CODE == 0)
        *version = REPORTED;
    return VERSION_CODE;
}
#endif

#ifdef DEVICES
#define OWN_cuDeviceGetCount
int cuDeviceGetCount(int *count);
int cuDeviceGetCount(int *count)
{
    act("count");
    if (!atomic_load(&fake_driver_process))
        return 3;
    if (COUNT_CODE == 0)
        *count = DEVICES;
    return COUNT_CODE;
}
#endif

#ifdef ACTIONS
int cuDeviceGet(int *device, int ordinal);
int cuDeviceGet(int *device, int ordinal)
{
    act("device");
    *device = ordinal;
    return 0;
}
#endif

#ifdef FEW

/* These succeed if their arguments are those of tests/unit/lazy_load_test.c. */
#define EXPECT(condition) return (condition) ? 0 : 1
#define HANDLE(number) ((void *)(uintptr_t)(number))

int cuEventQuery(void *event);
int cuEventQuery(void *event)
{
    (void)event;
    return 400;
}

int cuMemcpyHtoD_v2(unsigned long long to, const void *from, size_t bytes);
int cuMemcpyHtoD_v2(unsigned long long to, const void *from, size_t bytes)
{
    EXPECT(to == UINT64_MAX - 1 && from == HANDLE(1) && bytes == SIZE_MAX - 2);
}

int cuTexRefSetMipmapLevelClamp(void *texture, float low, float high);
int cuTexRefSetMipmapLevelClamp(void *texture, float low, float high)
{
    EXPECT(texture == HANDLE(5) && low == 0.25f && high == -7.5f);
}

int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned bytes, void *stream, void **parameters, void **extra);
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned bytes, void *stream, void **parameters, void **extra)
{
    EXPECT(function == HANDLE(1) && gx == 2 && gy == 3 && gz == 4 && bx == 5 && by == 6 &&
           bz == 7 && bytes == 8 && stream == HANDLE(9) && (void *)parameters == HANDLE(10) &&
           (void *)extra == HANDLE(11));
}

#endif

#ifdef OLD_CODES

static int give_text(int code, const char **text)
{
    if (!text)
        return 1;
    *text = code >= 0 && code < 10 ? "known to the driver" : NULL;
    return *text ? 0 : 1;
}

int cuGetErrorName(int code, const char **name);
int cuGetErrorName(int code, const char **name)
{
    return give_text(code, name);
}

int cuGetErrorString(int code, const char **text);
int cuGetErrorString(int code, const char **text)
{
    return give_text(code, text);
}

#endif

#ifdef WAITS

extern atomic_int fake_driver_waiting, fake_driver_released;
atomic_int fake_driver_waiting, fake_driver_released;

int cuCtxSynchronize(void);
int cuCtxSynchronize(void)
{
    atomic_store(&fake_driver_waiting, 1);
    while (!atomic_load(&fake_driver_released))
        sched_yield();
    return 7;
}

#endif

#if defined(BEHIND)

int cuGetProcAddress_v2(const char *symbol, void **function, int version, uint64_t flags,
                        int *status);

#define OWN_cuGetProcAddress_v2
#define EXPORT(symbol, index, base, since, per_thread) \
    static int symbol(void)                            \
    {                                                  \
        return RESULT(index);                          \
    }
#include "exports.h"

static const struct row {
    const char *base;
    int since;
    int per_thread;
    int (*function)(void);
} rows[] = {
#undef EXPORT
#define EXPORT(symbol, index, base, since, per_thread) {#base, since, per_thread, symbol},
#include "exports.h"
};

/*
 * Behaves like the drivers 525 to 555 for each name, version and flag. Driver 580 also refuses
 * versions above its own; the older ones return their newest version of the function.
 */
int cuGetProcAddress_v2(const char *symbol, void **function, int version, uint64_t flags,
                        int *status)
{
    enum { FOUND, UNKNOWN_NAME, TOO_OLD };
    const struct row *newest = NULL;
    int known = 0, per_thread = 0;

#ifdef BEHIND_REFUSES
    if (version > DRIVER_VERSION)
        return 1;
#endif
    for (size_t i = 0; flags == 2 && i < sizeof rows / sizeof rows[0]; i++)
        per_thread |= rows[i].per_thread && strcmp(rows[i].base, symbol) == 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].base, symbol) != 0 || rows[i].per_thread != per_thread)
            continue;
        known = 1;
        if (rows[i].since <= version && (!newest || rows[i].since > newest->since))
            newest = &rows[i];
    }
    *function = NULL;
    if (newest)
        memcpy(function, &newest->function, sizeof *function);
    *status = newest ? FOUND : known ? TOO_OLD : UNKNOWN_NAME;
    return 0;
}

#elif !defined(ONLY_REQUIRED)

#define EXPORT(symbol, index, base, since, per_thread) \
    int symbol(void);                                  \
    int symbol(void)                                   \
    {                                                  \
        return RESULT(index);                          \
    }
#include "exports.h"

#endif

#ifdef REENTERS
#ifdef _WIN32
#include <windows.h>
#define PROGRAM_SYMBOL(name) GetProcAddress(GetModuleHandleW(NULL), name)
#else
#include <dlfcn.h>
#define PROGRAM_SYMBOL(name) dlsym(NULL, name) /* in the program and its libraries */
#endif
__attribute__((constructor)) static void reenter(void)
{
    __auto_type address = PROGRAM_SYMBOL("fake_driver_opened");
    void (*opened)(void);

    memcpy(&opened, &address, sizeof opened);
    if (opened)
        opened();
}
#endif

#ifdef ACTIONS
__attribute__((constructor)) static void act_when_opened(void)
{
    act("open");
}

__attribute__((destructor)) static void act_when_closed(void)
{
    act("close");
}
#endif

#ifdef NEEDS_HELPER
int fake_driver_helper(void);
int needs_helper(void);
int needs_helper(void)
{
    return fake_driver_helper();
}
#endif

#ifdef UNRESOLVED
int fake_driver_nobody_has_this(void);
int needs_what_nobody_has(void);
int needs_what_nobody_has(void)
{
    return fake_driver_nobody_has_this();
}
#endif
