/* SPDX-License-Identifier: Apache-2.0 */
#include "src/base/call_site.h"

#include <string.h>

_Thread_local struct cushim__caller cushim__caller;
_Thread_local bool cushim__in_kernel;

/* At most this many addresses are printed. */
enum { SHOWN = 3 };

/*
 * Whether a file is a shared library of cushim: the one that contains the layer or the mock, or the
 * one that called it. Code that is linked into the program cannot be distinguished from the
 * program's own. The driver's library counts, too, because it is not the caller either.
 */
static bool is_own(const struct cushim__code_file *file)
{
    static const char *const names[] = {"libcushim", "libcuda.so", "nvcuda.dll"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strncmp(file->name, names[i], strlen(names[i])) == 0)
            return true;
    }
    return false;
}

void cushim__call_site_print(struct cushim__text *text, const struct cushim__call_site *site)
{
    struct cushim__code_file file;
    unsigned shown = 0;

    for (unsigned i = 0; i < CUSHIM__CALL_SITE_DEPTH && site->addresses[i] && shown < SHOWN; i++) {
        cushim__code_file_find(site->addresses[i] - 1, &file); /* inside the call, not after it */
        if (is_own(&file) && shown == 0)
            continue;
        if (is_own(&file)) /* it called the program, as a sweep calls its body */
            break;
        cushim__text_format(text, "%s%s+0x%llx", shown ? " " : "", file.name,
                            (unsigned long long)file.offset);
        shown++;
    }
    if (shown == 0)
        cushim__text_add(text, "an unknown place");
}

void cushim__call_place_print(struct cushim__text *text, const struct cushim__call_place *place)
{
    cushim__text_format(text, "call %llu of thread %u, at ", (unsigned long long)place->call,
                        place->thread);
    cushim__call_site_print(text, &place->site);
}
