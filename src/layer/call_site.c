/* SPDX-License-Identifier: Apache-2.0 */
#include "src/layer/call_site.h"

#include <stdbool.h>

#include "src/layer/layer.h"

/* So many of the addresses are printed. */
enum { SHOWN = 3 };

/*
 * Whether a file is a library of cushim's: the one with the layer in it, or the one that called the
 * layer. Where they are linked into the program, their code cannot be distinguished from its own.
 */
static bool is_own(const struct cushim__code_file *file)
{
    static const char name[] = "libcushim";
    size_t i = 0;

    while (name[i] && file->name[i] == name[i])
        i++;
    return name[i] == '\0';
}

void cushim__call_site_print(struct cushim__text *text, const struct cushim__call_site *site)
{
    struct cushim__code_file file;
    unsigned shown = 0;

    for (unsigned i = 0; i < CUSHIM__CALL_SITE_DEPTH && site->addresses[i] && shown < SHOWN; i++) {
        cushim__code_file_find(site->addresses[i] - 1, &file); /* in the call, not behind it */
        if (is_own(&file) && shown == 0)
            continue;
        if (is_own(&file)) /* it has called the program: a sweep its body */
            break;
        cushim__text_format(text, "%s%s+0x%llx", shown ? " " : "", file.name,
                            (unsigned long long)file.offset);
        shown++;
    }
    if (shown == 0)
        cushim__text_add(text, "an unknown place");
}
