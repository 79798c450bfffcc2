/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver of the zoo. Every symbol of the registry is a function that answers a number of its own,
 * so that a test can tell which symbol a slot has reached. What a particular driver is like is said
 * by the build:
 *
 *   DRIVER_VERSION=N   CUDA version that it tells; newer symbols are not there (13000)
 *   LACK_cuName        it lacks this symbol
 *   INIT_CODE=N        what cuInit answers (0)
 *   VERSION_CODE=N     what cuDriverGetVersion answers (0)
 *   STUB               every function answers 34, as the toolkit's link-time stub does
 *   ONLY_REQUIRED      it has cuInit and cuDriverGetVersion and nothing else
 *   BEHIND             it exports these and cuGetProcAddress_v2; the rest is found by the latter
 *   BEHIND_REFUSES     with BEHIND: to ask for a version above its own is an error
 *   REENTERS           its constructor calls the function zoo_reenter of the program, if any
 *   HELPED             it needs another library
 *   UNRESOLVED         it needs a function that no library has
 *   DEVICES=N          its cuDeviceGetCount tells so many devices
 *   COUNT_CODE=N       with DEVICES: what cuDeviceGetCount answers (0)
 *   MISCHIEF           it does to its process what the environment says (mischief.c)
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifndef DRIVER_VERSION
#define DRIVER_VERSION 13000
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

#ifdef MISCHIEF
#include "mischief.h"
#else
#define zoo_mischief(when) ((void)0)
#endif

/* A function that the program exports, or NULL: see program_posix.c, program_windows.c. */
void (*zoo_program_function(const char *name))(void);

#ifdef STUB
#define ANSWER(index) 34
#else
#define ANSWER(index) (100000 + (index))
#define OWN_cuInit
#define OWN_cuDriverGetVersion
#endif

/* How often cuInit was called. */
extern unsigned zoo_init_calls;
unsigned zoo_init_calls;

#if defined(OWN_cuInit) && !defined(LACK_cuInit)
int cuInit(unsigned flags);
int cuInit(unsigned flags)
{
    zoo_init_calls++;
    zoo_mischief("init");
    return flags == 0 ? INIT_CODE : 1;
}
#endif

#if defined(OWN_cuDriverGetVersion) && !defined(LACK_cuDriverGetVersion)
int cuDriverGetVersion(int *version);
int cuDriverGetVersion(int *version)
{
    if (!version)
        return 1;
    if (VERSION_CODE == 0)
        *version = DRIVER_VERSION;
    return VERSION_CODE;
}
#endif

#ifdef DEVICES
#define OWN_cuDeviceGetCount
int cuDeviceGetCount(int *count);
int cuDeviceGetCount(int *count)
{
    zoo_mischief("count");
    if (COUNT_CODE == 0)
        *count = DEVICES;
    return COUNT_CODE;
}
#endif

#if defined(BEHIND)

int cuGetProcAddress_v2(const char *symbol, void **function, int version, uint64_t flags,
                        int *status);

#define OWN_cuGetProcAddress_v2
#define EXPORT(symbol, index, base, since, per_thread) \
    static int symbol(void)                            \
    {                                                  \
        return ANSWER(index);                          \
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
 * As the drivers 525 to 555 do it for each name, version and flag. 580 refuses versions above its
 * own besides; the older ones answer with the newest that they have.
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
        return ANSWER(index);                          \
    }
#include "exports.h"

#endif

#ifdef REENTERS
__attribute__((constructor)) static void reenter(void)
{
    void (*program)(void) = zoo_program_function("zoo_reenter");

    if (program)
        program();
}
#endif

#ifdef MISCHIEF
__attribute__((constructor)) static void misbehave(void)
{
    zoo_mischief("open");
}
#endif

#ifdef HELPED
int zoo_help(void);
int zoo_needs_help(void);
int zoo_needs_help(void)
{
    return zoo_help();
}
#endif

#ifdef UNRESOLVED
int zoo_nobody_has_this(void);
int zoo_needs_what_nobody_has(void);
int zoo_needs_what_nobody_has(void)
{
    return zoo_nobody_has_this();
}
#endif
