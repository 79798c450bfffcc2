/* SPDX-License-Identifier: Apache-2.0 */
/* The types of objects that a driver has, and the words for them in tags and messages. */
#ifndef CUSHIM_DRIVER_API_OBJECT_TYPE_H
#define CUSHIM_DRIVER_API_OBJECT_TYPE_H

#include <stddef.h>

enum cushim__object_type {
    CUSHIM__NO_TYPE,
    CUSHIM__TYPE_CONTEXT,
    CUSHIM__TYPE_GREEN_CONTEXT,
    CUSHIM__TYPE_STREAM,
    CUSHIM__TYPE_EVENT,
    CUSHIM__TYPE_MODULE,
    CUSHIM__TYPE_FUNCTION,
    CUSHIM__TYPE_LIBRARY,
    CUSHIM__TYPE_KERNEL,
    CUSHIM__TYPE_LINK,
    CUSHIM__TYPE_GRAPH,
    CUSHIM__TYPE_NODE,
    CUSHIM__TYPE_EXEC,
    CUSHIM__TYPE_CONDITIONAL,
    CUSHIM__TYPE_POOL,
    CUSHIM__TYPE_USER_OBJECT,
    CUSHIM__TYPE_ARRAY,
    CUSHIM__TYPE_MIPMAPPED_ARRAY,
    CUSHIM__TYPE_TEXTURE,
    CUSHIM__TYPE_SURFACE,
    CUSHIM__TYPE_TEXTURE_REFERENCE,
    CUSHIM__TYPE_SURFACE_REFERENCE,
    CUSHIM__TYPE_PHYSICAL_MEMORY,
    CUSHIM__TYPE_EXTERNAL_MEMORY,
    CUSHIM__TYPE_EXTERNAL_SEMAPHORE,
    CUSHIM__TYPE_GRAPHICS_RESOURCE,
    CUSHIM__TYPE_DESCRIPTION,
    CUSHIM__TYPE_CALLBACK,
    CUSHIM__TYPE_LOG_CALLBACK,
    /* These have an address and a size, and the program may name any address in them. */
    CUSHIM__TYPE_MEMORY,
    CUSHIM__TYPE_GLOBAL,
    CUSHIM__OBJECT_TYPES
};

/* `type` is the C type, or NULL if no C type of a parameter identifies these objects. */
struct cushim__object_name {
    const char *word, *single, *plural, *type;
};
extern const struct cushim__object_name cushim__object_names[CUSHIM__OBJECT_TYPES];

/* The object type of a C type, the first `length` bytes of `name`; CUSHIM__NO_TYPE if no handle. */
enum cushim__object_type cushim__type_of(const char *name, size_t length);

#endif
