/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The findings about what the program has made and not released when it ends. A test without check
 * prints what has leaked by ../layer/leak_tracker.c.
 */
#include "src/check/check.h"

static void report(const struct cushim__handle *object)
{
    const struct cushim__check_name name = cushim__check_name(object, object->value);
    const enum cushim__check_id id = cushim__check_of_leaked(object->type);

    if (object->type == CUSHIM__TYPE_MEMORY)
        cushim__check_report(NULL, id, object, NULL, "%s, %llu byte%s, is never freed", name.text,
                             (unsigned long long)object->bytes, object->bytes == 1 ? "" : "s");
    else
        cushim__check_report(NULL, id, object, NULL, "%s is never %s", name.text,
                             object->device >= 0               ? "released"
                             : id == CUSHIM__CHECK_LEAK_MODULE ? "unloaded"
                                                               : "destroyed");
}

/*
 * The number of the last call before check began, and how often primary contexts had been retained:
 * what was made until then is another's.
 */
enum { DEVICES = 64 };
static uint64_t began_at, retained[DEVICES];

void cushim__check_leaks_begin(void)
{
    began_at = cushim_layer_current()->calls;
    for (int device = 0; device < DEVICES; device++) {
        const struct cushim__handle *object = cushim__handle_of_primary(device);

        retained[device] = object && object->is_live ? object->uses : 0;
    }
}

static bool is_leaked(const struct cushim__handle *object)
{
    if (!object->is_live || object->is_held_elsewhere)
        return false;
    if (object->device >= 0)
        return object->device >= DEVICES || object->uses > retained[object->device];
    return object->maker.place.call > began_at;
}

void cushim__check_leaks_finish(void)
{
    /* What was made before a fork is the parent's to release, and after it the driver does not work. */
    if (!cushim__check_options.has_leaks || cushim__check_forked_at > 0)
        return;
    for (unsigned type = 0; type < CUSHIM__OBJECT_TYPES; type++) {
        const struct cushim__handle *object = NULL;

        while ((object = cushim__handle_next((enum cushim__object_type)type, object)) != NULL) {
            if (is_leaked(object))
                report(object);
        }
    }
}
