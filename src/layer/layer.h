/* SPDX-License-Identifier: Apache-2.0 */
/* The one layer of this process, as its parts see it. */
#ifndef CUSHIM_LAYER_LAYER_H
#define CUSHIM_LAYER_LAYER_H

#include <cushim/testing/layer.h>

#include "src/base/layer_host.h"
#include "src/base/lock.h"
#include "src/layer/watch.h"

struct cushim_layer {
    struct cushim__lock lock; /* of everything that its parts keep */
    const struct cushim_table *wrapped;
    const struct cushim_table *former; /* while it is installed */
    void (*put_back)(const struct cushim_table *former);
    uint64_t serial; /* of layers in this process */
    uint64_t calls;  /* watched so far */
    unsigned threads;
};

/* NULL: there is none. */
extern struct cushim_layer *cushim__layer;

/*
 * Whether this is the layer that exists: what somebody has of one that has ended is not looked
 * into.
 */
static inline bool cushim__layer_exists(const struct cushim_layer *layer)
{
    return layer && layer == cushim_layer_current();
}

/* What is said to who has another. */
extern const char cushim__layer_ended[];

/*
 * The slot of a function that stands in a table; the one of this base name, if several are alike.
 */
bool cushim__layer_find(const struct cushim_table *table, const char *base, const void *function,
                        unsigned *slot);

#endif
