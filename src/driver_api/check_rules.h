/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What misuse of the driver API there is, with a stable id each: the rows of check_rules.tsv.
 * `cushim check` and the mock report by them.
 */
#ifndef CUSHIM_DRIVER_API_CHECK_RULES_H
#define CUSHIM_DRIVER_API_CHECK_RULES_H

#include <stdbool.h>

#include "src/base/key_values.h"
#include "src/driver_api/object_type.h"

enum cushim__check_level { CUSHIM__CHECK_ADVICE, CUSHIM__CHECK_WARNING, CUSHIM__CHECK_ERROR };
extern const char *const cushim__check_levels[]; /* as text, in this order */

enum cushim__check_id {
    /* Handles. */
    CUSHIM__CHECK_CONTEXT_DESTROYED,
    CUSHIM__CHECK_STREAM_DESTROYED,
    CUSHIM__CHECK_EVENT_DESTROYED,
    CUSHIM__CHECK_MODULE_DESTROYED,
    CUSHIM__CHECK_GRAPH_DESTROYED,
    CUSHIM__CHECK_HANDLE_DESTROYED,
    CUSHIM__CHECK_DESTROYED_TWICE,
    CUSHIM__CHECK_HANDLE_AFTER_CONTEXT,
    CUSHIM__CHECK_HANDLE_KIND,
    CUSHIM__CHECK_HANDLE_BEFORE_FORK,

    /* Contexts. */
    CUSHIM__CHECK_CONTEXT_NONE,
    CUSHIM__CHECK_CONTEXT_OTHER,
    CUSHIM__CHECK_CONTEXT_ABI,
    CUSHIM__CHECK_CONTEXT_PUSHED,
    CUSHIM__CHECK_CONTEXT_POPPED,
    CUSHIM__CHECK_PRIMARY_RELEASED,

    /* Captures. */
    CUSHIM__CHECK_CAPTURE_UNSAFE,
    CUSHIM__CHECK_CAPTURE_WAIT,
    CUSHIM__CHECK_CAPTURE_CALL,
    CUSHIM__CHECK_CAPTURE_LEGACY_STREAM,
    CUSHIM__CHECK_CAPTURE_EVENT,
    CUSHIM__CHECK_CAPTURE_UNJOINED,
    CUSHIM__CHECK_CAPTURE_END,
    CUSHIM__CHECK_CAPTURE_LEFT,

    /* Versions. */
    CUSHIM__CHECK_PROMISE_CALL,
    CUSHIM__CHECK_PROMISE_LOOKUP,

    /* Memory. */
    CUSHIM__CHECK_MEMORY_FREED,
    CUSHIM__CHECK_MEMORY_FREED_TWICE,
    CUSHIM__CHECK_MEMORY_BOUNDS,
    CUSHIM__CHECK_HOST_UNREGISTERED_TWICE,

    CUSHIM__CHECK_HOST_MEMORY_USED,
    CUSHIM__CHECK_POOL_MEMORY_USED,
    CUSHIM__CHECK_COPY_PAGEABLE,

    /* Order and errors. */
    CUSHIM__CHECK_RACE,
    CUSHIM__CHECK_EVENT_TIME,
    CUSHIM__CHECK_ERROR_STICKY,
    CUSHIM__CHECK_ERROR_REPEATED,
    CUSHIM__CHECK_ERROR_IGNORED,
    CUSHIM__CHECK_HOST_FUNCTION_CALLS,

    /* Leaks. */
    CUSHIM__CHECK_LEAK_CONTEXT,
    CUSHIM__CHECK_LEAK_STREAM,
    CUSHIM__CHECK_LEAK_EVENT,
    CUSHIM__CHECK_LEAK_MODULE,
    CUSHIM__CHECK_LEAK_MEMORY,
    CUSHIM__CHECK_LEAK_OBJECT,

    CUSHIM__CHECK_IDS,
    CUSHIM__CHECK_NONE = CUSHIM__CHECK_IDS /* misuse that has no id */
};

/* One id, as its row says. What is for the documentation alone is not compiled in. */
struct cushim__check_rule {
    enum cushim__check_level level;
    const char *id;
    const char *statements;
    const char *why;
    const char *cure;
};
extern const struct cushim__check_rule cushim__check_rules[CUSHIM__CHECK_IDS];

/* The id for the use of an object of a type that was destroyed. */
enum cushim__check_id cushim__check_of_destroyed(enum cushim__object_type type);

/* The id of a word; false: there is no such id. */
bool cushim__check_id_read(const struct cushim__word *word, enum cushim__check_id *id);

#endif
