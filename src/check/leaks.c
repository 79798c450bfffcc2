/* SPDX-License-Identifier: Apache-2.0 */
/* What the program has made and not released when it ends. */
#include "src/check/check.h"

static enum cushim__check_id id_of(enum cushim__object_type type)
{
    switch (type) {
    case CUSHIM__TYPE_CONTEXT:
    case CUSHIM__TYPE_GREEN_CONTEXT:
        return CUSHIM__CHECK_LEAK_CONTEXT;
    case CUSHIM__TYPE_STREAM:
        return CUSHIM__CHECK_LEAK_STREAM;
    case CUSHIM__TYPE_EVENT:
        return CUSHIM__CHECK_LEAK_EVENT;
    case CUSHIM__TYPE_MODULE:
    case CUSHIM__TYPE_LIBRARY:
        return CUSHIM__CHECK_LEAK_MODULE;
    case CUSHIM__TYPE_MEMORY:
        return CUSHIM__CHECK_LEAK_MEMORY;
    default:
        return CUSHIM__CHECK_LEAK_OBJECT;
    }
}

static void report(const struct cushim__handle *object)
{
    const struct cushim__check_name name = cushim__check_name(object, object->value);

    if (object->type == CUSHIM__TYPE_MEMORY)
        cushim__check_report(NULL, id_of(object->type), object, "%s, %llu bytes, is left",
                             name.text, (unsigned long long)object->bytes);
    else
        cushim__check_report(NULL, id_of(object->type), object, "%s is left", name.text);
}

static void finish(void)
{
    for (unsigned type = 0; type < CUSHIM__OBJECT_TYPES && cushim__check_options.has_leaks;
         type++) {
        const struct cushim__handle *object = NULL;

        while ((object = cushim__handle_next((enum cushim__object_type)type, object)) != NULL) {
            if (object->is_live && object->maker.place.call > 0 && !object->is_held_elsewhere)
                report(object);
        }
    }
}

/* What was made before a fork is the parent's to release. */
static void begin_child(void)
{
    cushim__check_options.has_leaks = false;
}

const struct cushim__check_module cushim__check_leaks = {
    .finish = finish,
    .begin_child = begin_child,
};
