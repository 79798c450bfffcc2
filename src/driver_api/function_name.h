/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions as rules and expectations name them: by patterns, and by exported names. Symbols may be
 * ABIs of one function, as cuMemAlloc and cuMemAlloc_v2: a test that names one may mean another,
 * since <cuda.h> gives the plain name to a newer one.
 */
#ifndef CUSHIM_DRIVER_API_FUNCTION_NAME_H
#define CUSHIM_DRIVER_API_FUNCTION_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/text.h"

/* In a pattern `*` stands for any characters or none. */
bool cushim__pattern_fits(const char *pattern, const char *text);

/* How often another ABI of a symbol was called; the first that was, if there are several. */
struct cushim__variant_calls {
    uint64_t count; /* 0: none was */
    unsigned slot;
};

/* Whether two symbols are ABIs of one function. No symbol is its own variant. */
bool cushim__is_abi_variant(unsigned slot, unsigned other);

/* Whether a symbol has the plain name of its function, which <cuda.h> may give to another. */
bool cushim__is_plain_name(unsigned slot);

/* Count a call of a variant, under the layer's lock; the counter may be read without. */
void cushim__variant_count(struct cushim__variant_calls *calls, unsigned slot);

/* `cuMemAlloc_v2 came 3 times: <cuda.h> may mean that by cuMemAlloc`; nothing if none came. */
void cushim__variant_print(struct cushim__text *text, const char *before,
                           const struct cushim__variant_calls *calls, unsigned slot);

/* `once` or `3 times`. */
void cushim__times_print(struct cushim__text *text, uint64_t count);

#endif
