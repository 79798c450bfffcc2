/* SPDX-License-Identifier: Apache-2.0 */
/* Where in the program a call was made: return addresses, the innermost first. */
#ifndef CUSHIM_BASE_CALL_SITE_H
#define CUSHIM_BASE_CALL_SITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/text.h"

enum { CUSHIM__CALL_SITE_DEPTH = 6 };

struct cushim__call_site {
    uintptr_t addresses[CUSHIM__CALL_SITE_DEPTH]; /* 0 if there are no more */
};

/*
 * Capture where the calling thread called the function that begins at `function`, or, if that was
 * called by the one that begins at `outer`, where the thread called the latter.
 */
void cushim__call_site_capture(struct cushim__call_site *site, uintptr_t function, uintptr_t outer);

/*
 * The file that contains an address: its name without a folder, the offset of the address in it,
 * and where it is loaded. Must not be called under a lock, since it asks the dynamic linker.
 */
struct cushim__code_file {
    char name[64];
    uintptr_t offset, base;
};
void cushim__code_file_find(uintptr_t address, struct cushim__code_file *file);

/* The call in which something was done: its number, its thread, and where it was made. */
struct cushim__call_place {
    uint64_t call;
    unsigned thread;
    struct cushim__call_site site;
};

/* Print `call 5 of thread 1, at program+0x1189 program+0x1243`. */
void cushim__call_place_print(struct cushim__text *text, const struct cushim__call_place *place);

/* Print `program+0x1189 program+0x1243`, without leading addresses in a library of cushim's own. */
void cushim__call_site_print(struct cushim__text *text, const struct cushim__call_site *site);

/*
 * The innermost call of this thread that the layer has numbered; its number is 0 if there is none.
 * The mock identifies calls by it in its messages, so that all messages use the same numbers.
 */
struct cushim__caller {
    uint64_t number;
    unsigned thread;
    uintptr_t function, outer; /* of the layer; the next frame on the stack is the caller */
};
extern _Thread_local struct cushim__caller cushim__caller;

/*
 * Whether this thread executes a host function that the program has registered in place of a
 * kernel. That function runs under the mock's lock, so a call of the driver from it would never
 * return. Such a call returns CUDA_ERROR_NOT_PERMITTED instead, and the layer passes it on without
 * showing it to its subscribers.
 */
extern _Thread_local bool cushim__in_kernel;

#endif
