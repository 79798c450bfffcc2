/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbols that are ABIs of one function, as cuMemAlloc and cuMemAlloc_v2: who names one in a test
 * may mean another, since <cuda.h> gives the plain name to a newer one.
 */
#ifndef CUSHIM_LAYER_KIN_H
#define CUSHIM_LAYER_KIN_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/text.h"

/* How often a kin of a symbol was called; the first that was, if there are several. */
struct cushim__kin {
    uint64_t count; /* 0: none was */
    unsigned slot;
};

/* Whether two symbols are ABIs of one function. No symbol is its own kin. */
bool cushim__is_kin(unsigned slot, unsigned other);

/* Whether a symbol has the plain name of its function, which <cuda.h> may give to another. */
bool cushim__is_plain(unsigned slot);

/* A kin was called. Under the layer's lock; it may be read without. */
void cushim__kin_count(struct cushim__kin *kin, unsigned slot);

/* `cuMemAlloc_v2 came 3 times: <cuda.h> may mean that by cuMemAlloc`; nothing if none came. */
void cushim__kin_tell(struct cushim__text *text, const char *before, const struct cushim__kin *kin,
                      unsigned slot);

#endif
