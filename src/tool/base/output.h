/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The output of the commands: files, and standard output, as lines of text for people or one JSON
 * document for programs. At the end, output_finish() checks that all of it was written.
 */
#ifndef CUSHIM_TOOL_BASE_OUTPUT_H
#define CUSHIM_TOOL_BASE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "loader/report.h"

/*
 * Memory for output. Ends the process if memory runs out, so call it while no object of the driver
 * exists.
 */
void *output_memory(size_t size);

/* Print one line, with `label` in the column of the report's labels. */
#if defined(__GNUC__)
__attribute__((format(__printf__, 2, 3)))
#endif
void output_line(const char *label, const char *format, ...);

/*
 * Colour is used only at a terminal, unless NO_COLOR (no-color.org) is set, or TERM is dumb or not
 * set. It only repeats what the text says.
 */
bool output_is_coloured(FILE *stream);

#define OUTPUT_RED "\033[31m"
#define OUTPUT_GREEN "\033[32m"
#define OUTPUT_BOLD "\033[1m"
#define OUTPUT_PLAIN "\033[0m"

/* Print the report as the library writes it, its state green if the driver is ready, or red. */
void output_report(const struct cushim_report *report);

/* Print a number of bytes, exactly and, from 1 KiB on, also in the largest unit that fits. */
void output_bytes(const char *label, size_t bytes, const char *remark);

/* Close standard output. If not all was written, says so on standard error and returns false. */
bool output_finish(void);

struct failure;

/* Where lines go: standard output, or, until it is NULL again, another file. */
FILE *output_stream(void);
void output_redirect(FILE *file);

/*
 * Let `put` write a file. A truncated file may look complete, so where possible a new file is
 * written beside the old one, and replaces it once it is complete. `what` is the subject of a
 * message, such as "The profile".
 */
void output_to_file(const char *path, const char *what, void (*put)(FILE *file, const void *data),
                    const void *data, struct failure *failure);

/*
 * One JSON document, two spaces per level. Members are written in the order of the calls. The key
 * is NULL for an element of an array and for the document itself. The document ends with a newline
 * when its last bracket is closed.
 */

/* An all-zero struct is the start of a document on standard output. */
struct json {
    FILE *file; /* NULL for standard output */
    unsigned depth;
    bool filled; /* the innermost bracket has something in it */
};

/* `bracket` is `{` or `[` to open, and `}` or `]` to close. */
void json_open(struct json *json, const char *key, char bracket);
void json_close(struct json *json, char bracket);

/* A value of NULL is written as null. */
void json_string(struct json *json, const char *key, const char *value);

void json_integer(struct json *json, const char *key, int64_t value);
void json_size(struct json *json, const char *key, uint64_t value);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);

/* Fixed point; null if `value` is not a finite number. */
void json_decimal(struct json *json, const char *key, double value, int places);

/* The report as the library writes it, indented to this level. */
void json_report(struct json *json, const char *key, const struct cushim_report *report);

#endif
