/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which table an object is destroyed through: src/objects.h says the rule.
 *
 * Tables are compared by the address under which they are current, so a shorter one by its copy. An
 * object remembers what lies beneath the layers, since a layer may be over another driver later.
 */
#include <cushim/table.h>

#include "loader/loader.h"
#include "src/objects.h"

/* Layers that were declared. An entry that is taken stays its layer's, as a copy does. */
enum { MOST_LAYERS = 8 };

static struct {
    const struct cushim_table *_Atomic layer;
    const struct cushim_table *_Atomic base; /* beneath all layers; NULL: it wraps nothing */
} layers[MOST_LAYERS];

static bool is_loaders(const struct cushim_table *table)
{
    const struct cushim__loaded *driver = cushim__loaded();

    return table == &cushim__lazy_table || (driver && table == driver->table);
}

const struct cushim_table *cushim__maker(const struct cushim_table *table)
{
    const struct cushim_table *layer, *base = NULL;

    for (unsigned i = 0; i < MOST_LAYERS && (layer = atomic_load(&layers[i].layer)) != NULL; i++) {
        if (layer == table)
            base = atomic_load(&layers[i].base);
    }
    if (!base)
        base = table;
    return base == &cushim__lazy_table && cushim__loaded() ? cushim__loaded()->table : base;
}

const struct cushim_table *cushim__destroyer(const struct cushim_table *maker)
{
    const struct cushim_table *current = cushim_driver();

    if (current == maker || cushim__maker(current) == maker)
        return current;
    /* The lazy-load table calls no driver there, and returns why. */
    return cushim__is_forked() ? &cushim__lazy_table : maker;
}

CUresult cushim_table_set_wrapped(const struct cushim_table *layer,
                                  const struct cushim_table *wrapped)
{
    const struct cushim_table *own, *beneath, *base;

    if (!layer || is_loaders(layer))
        return CUDA_ERROR_INVALID_VALUE;
    own = cushim__complete_table(layer);
    beneath = wrapped ? cushim__complete_table(wrapped) : NULL;
    if (!own || (wrapped && !beneath))
        return CUDA_ERROR_OUT_OF_MEMORY;
    base = beneath ? cushim__maker(beneath) : NULL;
    if (base == own)
        return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < MOST_LAYERS; i++) {
        const struct cushim_table *taken = NULL;

        if (!atomic_compare_exchange_strong(&layers[i].layer, &taken, own) && taken != own)
            continue;
        atomic_store(&layers[i].base, base);
        return CUDA_SUCCESS;
    }
    return CUDA_ERROR_OUT_OF_MEMORY;
}
