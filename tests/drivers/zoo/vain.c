/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver of three functions, of which SYMBOL is none, but what the build says:
 *
 *   DATA, CONSTANT, COMMON, THREADS   a variable of that kind
 *   NUMBER, NUMBER_AS_FUNCTION        an absolute number, of no type or of that of functions
 *   INDIRECT, INDIRECT_NOTHING        a function that another one finds, or does not
 *   WEAK                              a function that others may replace
 *   UNTYPED                           a function that is not said to be one
 */
#include <stddef.h>

#define TEXT_(word) #word
#define TEXT(word) TEXT_(word)

int zoo_init(unsigned flags);
int zoo_version(int *version);
int zoo_query(void *event);

__attribute__((visibility("hidden"))) int zoo_init(unsigned flags)
{
    return (int)flags;
}

__attribute__((visibility("hidden"))) int zoo_version(int *version)
{
    *version = 12000;
    return 0;
}

__attribute__((visibility("hidden"))) int zoo_query(void *event)
{
    return event ? 1 : 600;
}

/* The others are functions. */
#define EXPORT(name, own) \
    __asm__(".globl " #name "\n.type " #name ", %function\n.set " #name ", " #own "\n")
#ifndef VAIN_cuInit
EXPORT(cuInit, zoo_init);
#endif
#ifndef VAIN_cuDriverGetVersion
EXPORT(cuDriverGetVersion, zoo_version);
#endif
#ifndef VAIN_cuEventQuery
EXPORT(cuEventQuery, zoo_query);
#endif

#if defined(DATA)
extern int SYMBOL[64];
int SYMBOL[64] = {1};
#elif defined(CONSTANT)
extern const int SYMBOL[64];
const int SYMBOL[64] = {1};
#elif defined(COMMON)
extern int SYMBOL[64];
int SYMBOL[64];
#elif defined(THREADS)
extern __thread int SYMBOL;
__thread int SYMBOL = 1;
#elif defined(NUMBER)
__asm__(".globl " TEXT(SYMBOL) "\n.set " TEXT(SYMBOL) ", 0x1234\n");
#elif defined(NUMBER_AS_FUNCTION)
__asm__(".globl " TEXT(SYMBOL) "\n.type " TEXT(SYMBOL) ", %function\n.set " TEXT(
    SYMBOL) ", 0x7fffffff0000\n");
#elif defined(INDIRECT)
static int (*find(void))(void)
{
    return (int (*)(void))(void (*)(void))OWN;
}
int SYMBOL(void) __attribute__((ifunc("find")));
#elif defined(INDIRECT_NOTHING)
static int (*find(void))(void)
{
    return NULL;
}
int SYMBOL(void) __attribute__((ifunc("find")));
#elif defined(WEAK)
__asm__(".weak " TEXT(SYMBOL) "\n.type " TEXT(SYMBOL) ", %function\n.set " TEXT(SYMBOL) ", " TEXT(
    OWN) "\n");
#elif defined(UNTYPED)
__asm__(
    ".globl " TEXT(SYMBOL) "\n.text\n" TEXT(SYMBOL) ":\n.byte 0x31, 0xc0, 0xc3, 0\n.previous\n");
#endif
