/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One JSON document on standard output, two spaces per level.
 *
 * Members are written in the order of the calls. The key is NULL for an element of an array and for
 * the document itself. The document ends with a newline when its last bracket is closed.
 */
#ifndef CUSHIM_TOOL_JSON_H
#define CUSHIM_TOOL_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "loader/report.h"

/* All-zero is the start of a document. */
struct json {
    unsigned depth;
    bool filled; /* the innermost bracket has something in it */
};

/* `bracket` is `{` or `[`, and what closes it is `}` or `]`. */
void json_open(struct json *json, const char *key, char bracket);
void json_close(struct json *json, char bracket);

void json_string(struct json *json, const char *key, const char *value);
void json_integer(struct json *json, const char *key, int64_t value);
void json_size(struct json *json, const char *key, uint64_t value);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);

/* Fixed point; null if `value` is not a finite number. */
void json_decimal(struct json *json, const char *key, double value, int places);

/* The report as the library writes it, moved in to this level. */
void json_report(struct json *json, const char *key, const struct cushim_report *report);

#endif
