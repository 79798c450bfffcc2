/* SPDX-License-Identifier: Apache-2.0 */
#include "src/driver_api/check_rules.h"

const char *const cushim__check_levels[] = {"advice", "warning", "error"};

const struct cushim__check_rule cushim__check_rules[CUSHIM__CHECK_IDS] = {
#include "src/driver_api/check_rows.h"
};

enum cushim__check_id cushim__check_of_destroyed(enum cushim__object_type type)
{
    switch (type) {
    case CUSHIM__TYPE_CONTEXT:
    case CUSHIM__TYPE_GREEN_CONTEXT:
        return CUSHIM__CHECK_CONTEXT_DESTROYED;
    case CUSHIM__TYPE_STREAM:
        return CUSHIM__CHECK_STREAM_DESTROYED;
    case CUSHIM__TYPE_EVENT:
        return CUSHIM__CHECK_EVENT_DESTROYED;
    case CUSHIM__TYPE_MODULE:
    case CUSHIM__TYPE_FUNCTION:
    case CUSHIM__TYPE_LIBRARY:
    case CUSHIM__TYPE_KERNEL:
        return CUSHIM__CHECK_MODULE_DESTROYED;
    case CUSHIM__TYPE_GRAPH:
    case CUSHIM__TYPE_NODE:
    case CUSHIM__TYPE_EXEC:
        return CUSHIM__CHECK_GRAPH_DESTROYED;
    default:
        return CUSHIM__CHECK_HANDLE_DESTROYED;
    }
}

bool cushim__check_id_read(const struct cushim__word *word, enum cushim__check_id *id)
{
    for (unsigned i = 0; i < CUSHIM__CHECK_IDS; i++) {
        if (cushim__word_is(word, cushim__check_rules[i].id)) {
            *id = (enum cushim__check_id)i;
            return true;
        }
    }
    return false;
}
