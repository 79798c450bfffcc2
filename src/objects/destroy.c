/* SPDX-License-Identifier: Apache-2.0 */
/* Which table an object is destroyed through, and what the result of that means for the caller. */
#include <cushim/error.h>
#include <cushim/table.h>

#include "loader/loader.h"
#include "src/objects/objects.h"

/*
 * objects.h has the rule. Tables are compared by the address under which they are current, so a
 * shorter one by its copy. An object remembers the table beneath the layers, since a layer may be
 * over another driver later.
 */

/* Declared layers. An entry belongs to its layer for good, as a copy does to its original. */
enum { MOST_LAYERS = 8 };

static struct {
    const struct cushim_table *_Atomic layer;
    const struct cushim_table *_Atomic base; /* beneath all layers; NULL if it wraps nothing */
} layers[MOST_LAYERS];
atomic_bool cushim__has_layers;

const struct cushim_table *cushim__table_beneath(const struct cushim_table *table)
{
    const struct cushim_table *layer, *base = NULL;

    for (unsigned i = 0; i < MOST_LAYERS && (layer = atomic_load(&layers[i].layer)) != NULL; i++) {
        if (layer == table)
            base = atomic_load(&layers[i].base);
    }
    if (!base)
        base = table;
    return base == &cushim__lazy_table && cushim__loaded_driver() ? cushim__loaded_driver()->table
                                                                  : base;
}

const struct cushim_table *cushim__other_destroyer(const struct cushim_table *maker)
{
    const struct cushim_table *table = cushim_driver();

    if (cushim__creating_table(table) == maker)
        return table;
    /* In a forked child, the lazy-load table calls no driver and returns the reason. */
    return cushim__is_forked() ? &cushim__lazy_table : maker;
}

CUresult cushim_table_set_wrapped(const struct cushim_table *layer,
                                  const struct cushim_table *wrapped)
{
    const struct cushim_table *own, *beneath, *base;

    if (!layer || cushim__is_own_table(layer))
        return CUDA_ERROR_INVALID_VALUE;
    own = cushim__complete_table(layer);
    beneath = wrapped ? cushim__complete_table(wrapped) : NULL;
    if (!own || (wrapped && !beneath))
        return CUDA_ERROR_OUT_OF_MEMORY;
    base = beneath ? cushim__creating_table(beneath) : NULL;
    if (base == own)
        return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < MOST_LAYERS; i++) {
        const struct cushim_table *taken = NULL;

        if (!atomic_compare_exchange_strong(&layers[i].layer, &taken, own) && taken != own)
            continue;
        atomic_store(&layers[i].base, base);
        atomic_store(&cushim__has_layers, true);
        return CUDA_SUCCESS;
    }
    return CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cushim__not_destroyed(const char *function, const void *handle, CUresult code)
{
    switch (code) {
    case CUDA_ERROR_DEINITIALIZED:        /* the driver has shut down: the process is ending */
    case CUDA_ERROR_CONTEXT_IS_DESTROYED: /* the object was destroyed with its context */
    case CUDA_ERROR_NOT_INITIALIZED:      /* a forked child: the object is the parent's */
        return CUDA_SUCCESS;
    default:
        cushim__log("%s of %p failed: %s (%d), %s", function, handle, cushim_error_name(code),
                    (int)code, cushim_error_string(code));
        return code;
    }
}
