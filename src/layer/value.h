/* SPDX-License-Identifier: Apache-2.0 */
/* What the wrappers of the layer's table need besides watch.h: arguments as values. */
#ifndef CUSHIM_LAYER_VALUE_H
#define CUSHIM_LAYER_VALUE_H

#include <string.h>

#include "src/layer/watch.h"

/*
 * Of the function that tells what a slot is called with: within the wrapper its frame would be made
 * for calls that nobody watches, too.
 */
#define CUSHIM__APART __attribute__((noinline, cold))

static inline bool cushim__is_unwatched(unsigned slot)
{
    return __builtin_expect(__atomic_load_n(&cushim__watched[slot], __ATOMIC_RELAXED) == 0, 1);
}

static inline uint64_t cushim__value_of_float(float number)
{
    uint32_t bits;

    memcpy(&bits, &number, sizeof bits);
    return bits;
}

#endif
