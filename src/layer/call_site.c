/* SPDX-License-Identifier: Apache-2.0 */
#include "src/layer/call_site.h"

#include <stdbool.h>

#include "src/layer/layer.h"

/* How many of the addresses are told. */
enum { TOLD = 3 };

/*
 * Whether a file is a library of cushim's: the one with the layer in it, or the one that the layer
 * was called by. If they are parts of the program, nothing tells their code from its own.
 */
static bool is_own(const struct cushim__place_file *file)
{
    static const char name[] = "libcushim";
    size_t i = 0;

    while (name[i] && file->name[i] == name[i])
        i++;
    return name[i] == '\0';
}

void cushim__place_text(struct cushim__text *text, const struct cushim__caller *place)
{
    struct cushim__place_file file;
    unsigned told = 0;

    for (unsigned i = 0; i < CUSHIM__PLACE_DEPTH && place->addresses[i] && told < TOLD; i++) {
        cushim__place_find(place->addresses[i] - 1, &file); /* in the call, not behind it */
        if (is_own(&file) && told == 0)
            continue;
        if (is_own(&file)) /* it has called the program: a sweep its body */
            break;
        cushim__text_format(text, "%s%s+0x%llx", told ? " " : "", file.name,
                            (unsigned long long)file.offset);
        told++;
    }
    if (told == 0)
        cushim__text_add(text, "an unknown place");
}
