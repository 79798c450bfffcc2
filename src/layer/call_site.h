/* SPDX-License-Identifier: Apache-2.0 */
/* Where in the program a call was made: return addresses, the innermost first. */
#ifndef CUSHIM_LAYER_LEFT_PLACE_H
#define CUSHIM_LAYER_LEFT_PLACE_H

#include <stddef.h>
#include <stdint.h>

#include "src/base/text.h"

enum { CUSHIM__PLACE_DEPTH = 6 };

struct cushim__caller {
    uintptr_t addresses[CUSHIM__PLACE_DEPTH]; /* 0: there are no more */
};

/*
 * Where the calling thread called the function that begins at `function`; or, if that is only what
 * was called by the one that begins at `outer`, where it called that.
 */
void cushim__place_take(struct cushim__caller *place, uintptr_t function, uintptr_t outer);

/*
 * The file that an address lies in: its name without a folder, where it lies as the file counts,
 * and as the process does. Not under a lock: it asks the dynamic linker.
 */
struct cushim__place_file {
    char name[64];
    uintptr_t offset, base;
};
void cushim__place_find(uintptr_t address, struct cushim__place_file *file);

/*
 * `program+0x1189 program+0x1243`, without the leading ones that are cushim's own, if it is a
 * library.
 */
void cushim__place_text(struct cushim__text *text, const struct cushim__caller *place);

#endif
