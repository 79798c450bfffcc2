/* SPDX-License-Identifier: Apache-2.0 */
/* What kinds of objects the driver has, as tags call them. */
#ifndef CUSHIM_LAYER_RECORDING_NOUN_H
#define CUSHIM_LAYER_RECORDING_NOUN_H

#include <stddef.h>

enum cushim__noun {
    CUSHIM__NO_NOUN,
    CUSHIM__NOUN_CONTEXT,
    CUSHIM__NOUN_GREEN_CONTEXT,
    CUSHIM__NOUN_STREAM,
    CUSHIM__NOUN_EVENT,
    CUSHIM__NOUN_MODULE,
    CUSHIM__NOUN_FUNCTION,
    CUSHIM__NOUN_LIBRARY,
    CUSHIM__NOUN_KERNEL,
    CUSHIM__NOUN_LINK,
    CUSHIM__NOUN_GRAPH,
    CUSHIM__NOUN_NODE,
    CUSHIM__NOUN_EXEC,
    CUSHIM__NOUN_CONDITIONAL,
    CUSHIM__NOUN_POOL,
    CUSHIM__NOUN_USER_OBJECT,
    CUSHIM__NOUN_ARRAY,
    CUSHIM__NOUN_MIPMAPPED_ARRAY,
    CUSHIM__NOUN_TEXTURE,
    CUSHIM__NOUN_SURFACE,
    CUSHIM__NOUN_TEXTURE_REFERENCE,
    CUSHIM__NOUN_SURFACE_REFERENCE,
    CUSHIM__NOUN_PHYSICAL_MEMORY,
    CUSHIM__NOUN_EXTERNAL_MEMORY,
    CUSHIM__NOUN_EXTERNAL_SEMAPHORE,
    CUSHIM__NOUN_GRAPHICS_RESOURCE,
    CUSHIM__NOUN_DESCRIPTION,
    CUSHIM__NOUN_CALLBACK,
    CUSHIM__NOUN_LOG_CALLBACK,
    /* These have an address and a size, and the program may name any address in them. */
    CUSHIM__NOUN_MEMORY,
    CUSHIM__NOUN_GLOBAL,
    CUSHIM__NOUNS
};

/* The word that tags begin with, and what sentences call one and several of it. */
const char *cushim__noun_word(enum cushim__noun noun);
const char *cushim__noun_single(enum cushim__noun noun);
const char *cushim__noun_plural(enum cushim__noun noun);

/* The noun of the `length` characters of a type's name; CUSHIM__NO_NOUN: it is no handle. */
enum cushim__noun cushim__noun_of(const char *type, size_t length);

#endif
