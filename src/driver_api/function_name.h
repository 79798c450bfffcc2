/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions as settings, rules and expectations name them: by patterns, and by names. Symbols may be
 * ABIs of one function, as cuMemAlloc and cuMemAlloc_v2. <cuda.h> gives the plain name to one of
 * them, and which one depends on its version and on the mode of streams; so the plain name means
 * all of them here, and a name with a suffix means that symbol alone.
 */
#ifndef CUSHIM_DRIVER_API_FUNCTION_NAME_H
#define CUSHIM_DRIVER_API_FUNCTION_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/key_values.h"
#include "src/base/text.h"

/* The slot of an exported function's name. False: there is no such function. */
bool cushim__value_function(const struct cushim__word *word, unsigned *slot);

/* In a pattern `*` stands for any characters or none. */
bool cushim__pattern_fits(const char *pattern, const char *text);

/* Whether a pattern, the plain name of a function or an exported name means a symbol. */
bool cushim__name_means(const char *name, unsigned slot);

/* The newest symbol of a plain name that a version of CUDA has. False: it has none. */
bool cushim__newest_symbol(const char *name, int version, bool is_per_thread, unsigned *slot);

/* How often another ABI of a symbol was called; the first that was, if there are several. */
struct cushim__variant_calls {
    uint64_t count; /* 0: none was */
    unsigned slot;
};

/* Whether a symbol is another ABI of the function that `name`, which is no pattern, means. */
bool cushim__is_abi_variant(const char *name, unsigned slot);

/* Count a call of a variant, under the layer's lock; the counter may be read without. */
void cushim__variant_count(struct cushim__variant_calls *calls, unsigned slot);

/* `cuMemAlloc, another ABI of it, came 3 times`; nothing if none came. */
void cushim__variant_print(struct cushim__text *text, const char *before,
                           const struct cushim__variant_calls *calls);

/* `once` or `3 times`. */
void cushim__times_print(struct cushim__text *text, uint64_t count);

#endif
