/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What commands write: standard output, as lines of text for people or one JSON document for
 * programs, with the check at the end that all of it has arrived; and files.
 */
#ifndef CUSHIM_TOOL_OUTPUT_H
#define CUSHIM_TOOL_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "loader/report.h"

/*
 * Memory for output. Ends the process if there is none, so call it while no object of the driver
 * exists.
 */
void *output_memory(size_t size);

/* One line, `label` in the column of the report's labels. */
#if defined(__GNUC__)
__attribute__((format(__printf__, 2, 3)))
#endif
void output_line(const char *label, const char *format, ...);

/*
 * Colour is for a person at a terminal, who may refuse it by NO_COLOR (no-color.org) and has none
 * where TERM is dumb or not set. Nothing of the text is said by colour alone.
 */
bool output_is_coloured(FILE *stream);

#define OUTPUT_RED "\033[31m"
#define OUTPUT_GREEN "\033[32m"
#define OUTPUT_BOLD "\033[1m"
#define OUTPUT_PLAIN "\033[0m"

/* The report as the library writes it; its state is green if the driver is ready, or red. */
void output_report(const struct cushim_report *report);

/* A number of bytes, exactly and, from a KiB on, in the largest fitting unit. */
void output_bytes(const char *label, size_t bytes, const char *remark);

/* Close standard output. False, and a message on standard error, if some of it was lost. */
bool output_finish(void);

struct failure;

/*
 * Let `put` write a file. One that ends early may look like a whole one, so where that is possible
 * a file is written beside the one that is meant, which it replaces once it is whole. `what` is the
 * subject of the message: "The profile".
 */
void output_to_file(const char *path, const char *what, void (*put)(FILE *file, const void *data),
                    const void *data, struct failure *failure);

/*
 * One JSON document, two spaces per level. Members are written in the order of the calls. The key
 * is NULL for an element of an array and for the document itself. The document ends with a newline
 * when its last bracket is closed.
 */

/* All-zero is the start of a document on standard output. */
struct json {
    FILE *file; /* NULL: standard output */
    unsigned depth;
    bool filled; /* the innermost bracket has something in it */
};

/* `bracket` is `{` or `[`, and what closes it is `}` or `]`. */
void json_open(struct json *json, const char *key, char bracket);
void json_close(struct json *json, char bracket);

/* NULL is null. */
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
