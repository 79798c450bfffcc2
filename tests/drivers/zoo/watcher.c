/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An auditor of the dynamic linker that is in the way. ZOO_AUDIT says what it does where the linker
 * looks for a driver, or binds a function of one:
 *
 *   hide      there is no such file
 *   folder    it is a folder
 *   long      it has a name that is longer than any path
 *   other     it is another library
 *   refuse    no symbol of a driver is to be found: each is a function that answers -1
 *   silent    nothing
 */
#define _GNU_SOURCE
#include <link.h>
#include <stdlib.h>
#include <string.h>

static int answer_nothing(void)
{
    return -1;
}

static int is_asked(const char *what)
{
    const char *text = getenv("ZOO_AUDIT");

    return text && strcmp(text, what) == 0;
}

unsigned la_version(unsigned version)
{
    return version;
}

char *la_objsearch(const char *name, uintptr_t *cookie, unsigned flag)
{
    static char longest[8192];
    const char *answer = name;

    (void)cookie;
    (void)flag;
    memset(longest, 'x', sizeof longest - 1);
    longest[0] = '/';
    if (!strstr(name, "libcuda.so.1") && !strstr(name, "complete.so"))
        return (char *)(uintptr_t)name;
    if (is_asked("hide"))
        answer = NULL;
    else if (is_asked("folder"))
        answer = "/";
    else if (is_asked("long"))
        answer = longest;
    else if (is_asked("other"))
        answer = "libm.so.6";
    return (char *)(uintptr_t)answer;
}

unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie)
{
    (void)map;
    (void)space;
    (void)cookie;
    return LA_FLG_BINDTO | LA_FLG_BINDFROM;
}

uintptr_t la_symbind64(Elf64_Sym *symbol, unsigned index, uintptr_t *from, uintptr_t *to,
                       unsigned *flags, const char *name)
{
    (void)index;
    (void)from;
    (void)to;
    (void)flags;
    return strncmp(name, "cu", 2) == 0 && name[2] < 'a' && is_asked("refuse")
               ? (uintptr_t)answer_nothing
               : symbol->st_value;
}
