/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How settings, rules and expectations name functions: by patterns, and by names. Several symbols
 * may be ABIs of one function, such as cuMemAlloc and cuMemAlloc_v2. Which of them gets the plain
 * name in <cuda.h> depends on its version and on the mode of streams; so the plain name means all
 * of them here, and a name with a suffix means that symbol alone.
 */
#ifndef CUSHIM_DRIVER_API_FUNCTION_NAME_H
#define CUSHIM_DRIVER_API_FUNCTION_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/key_values.h"
#include "src/base/text.h"

/* Find the slot of an exported function name. Returns false if there is no such function. */
bool cushim__value_function(const struct cushim__word *word, unsigned *slot);

/* In a pattern `*` stands for any characters or none. */
bool cushim__pattern_fits(const char *pattern, const char *text);

/* Whether a pattern, the plain name of a function or an exported name means a symbol. */
bool cushim__name_means(const char *name, unsigned slot);

/* Find the newest symbol of a plain name in a version of CUDA. Returns false if it has none. */
bool cushim__newest_symbol(const char *name, int version, bool is_per_thread, unsigned *slot);

/* How often another ABI of a symbol was called. If there are several, the first called counts. */
struct cushim__variant_calls {
    uint64_t count; /* 0 if none was called */
    unsigned slot;
};

/* Whether a symbol is another ABI of the function that `name` means. `name` is no pattern. */
bool cushim__is_abi_variant(const char *name, unsigned slot);

/* Count a call of a variant, under the layer's lock. The counter may be read without the lock. */
void cushim__variant_count(struct cushim__variant_calls *calls, unsigned slot);

/* Print `cuMemAlloc, another ABI of it, came 3 times`, or nothing if none came. */
void cushim__variant_print(struct cushim__text *text, const char *before,
                           const struct cushim__variant_calls *calls);

/* Print `once` or `3 times`. */
void cushim__times_print(struct cushim__text *text, uint64_t count);

#endif
